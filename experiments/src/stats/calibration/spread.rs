//! Errors of a fit with random skills, honest about a spread that few players cannot tell.
//!
//! - Shared terms: standard errors from the information of the marginal likelihood, the spread's
//!   included (at the boundary that of one pooled skill); intervals by its profile.
//! - Skills and their mean: for every spread the normal approximation of the others, averaged over
//!   spreads (integrated nested Laplace; Rue, Martino and Chopin 2009) under the reference prior of a
//!   spread (Bodnar et al. 2017, *Statistics in Medicine* 36, 378-399), which makes the interval of
//!   a mean Student's where skills are known well.
//! - The spread: the likelihood ratio of the restricted likelihood, the rest integrated out (Harville
//!   1977), with Bartlett's correction for the few players that there are.

use super::cholesky::Cholesky;
use super::design::Problem;
use super::profile::Ends;
use super::random_skill::{Margin, Maximum, Skill, submatrix};
use crate::stats::interval::Z95;
use statrs::distribution::{ContinuousCDF as _, Normal};
use statrs::function::gamma::digamma;

/// The most points on either side of the likeliest spread.
const MAX_POINTS: usize = 48;
/// Spreads less likely than the likeliest by this log density are left out.
const UNLIKELY: f64 = 14.0;
/// The largest step between spreads, in logarithms.
const COARSE: f64 = 0.35;
/// Spreads below this share of a skill's own error are as good as 0.
const TINY: f64 = 1.0 / 16.0;

/// An estimate with its standard error and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uncertain {
    /// The estimate.
    pub value: f64,
    /// Its standard error; none at a boundary or where the data cannot tell.
    pub se: Option<f64>,
    /// The interval; a missing end is open.
    pub interval95: Ends,
}

/// A fit with random skills.
#[derive(Clone, Debug)]
pub struct RandomFit {
    /// The maximum of the marginal likelihood.
    pub best: Maximum,
    /// Shared terms and mean that were free.
    pub free: Vec<usize>,
    /// Covariance of the free values, and behind them of `ln` spread unless that is 0.
    pub covariance: Vec<f64>,
    /// The players' skills.
    pub skills: Vec<Uncertain>,
    /// The mean of the skills.
    pub mean: Uncertain,
    /// Their standard deviation.
    pub spread: Uncertain,
    usual: f64,
    /// What the intervals of the skills and, behind them, of their mean come from.
    mixtures: Vec<Mixture>,
    /// The greatest restricted log-likelihood.
    likeliest: f64,
    players: usize,
}

/// All but the spread settled at one spread.
struct Settled {
    at: Maximum,
    /// Inverse information of the free values.
    covariance: Vec<f64>,
    /// Log-likelihood with the others integrated out.
    restricted: f64,
}

/// The problem with what is free.
struct Search<'a> {
    margin: &'a Margin<'a>,
    free: &'a [usize],
    /// Squared error of each player's skill from his own rows.
    squares: Vec<f64>,
}

impl Search<'_> {
    fn at(&self, from: &[f64], spread: f64) -> Option<Settled> {
        let at = self.margin.settle(self.free, from, spread);
        if !at.converged {
            return None;
        }
        let matrix = submatrix(&at.here.information, self.margin.size(), self.free);
        let factor = Cholesky::new(self.free.len(), &matrix)?;
        let restricted = at.here.value - factor.log_determinant() / 2.0;
        Some(Settled { at, covariance: factor.inverse(), restricted })
    }

    /// Log density of the reference prior of the spread.
    fn prior(&self, spread: f64) -> f64 {
        let total = |s: &f64| 1.0 / ((spread * spread + s) * (spread * spread + s));
        libm::log(spread) + libm::log(self.squares.iter().map(total).sum()) / 2.0
    }
}

/// Fits `problem`. `held` says which shared terms stay at `start`; the mean is free when `free_mean`
/// says so. None when the information is singular at the start.
#[must_use]
pub fn fit(problem: &Problem, held: &[bool], free_mean: bool, start: &[f64]) -> Option<RandomFit> {
    let margin = Margin::new(problem);
    let mut free: Vec<usize> = (0..problem.shared).filter(|&j| !held[j]).collect();
    if free_mean {
        free.push(problem.shared);
    }
    let pooled = margin.settle(&free, start, 0.0);
    let precisions: Vec<f64> =
        pooled.here.precisions.iter().copied().filter(|precision| *precision > 0.0).collect();
    let squares: Vec<f64> = precisions.iter().map(|precision| 1.0 / precision).collect();
    let players = squares.len();
    let usual = (players as f64 / precisions.iter().sum::<f64>()).sqrt();
    if players == 0 || !usual.is_finite() {
        return None;
    }
    let search = Search { margin: &margin, free: &free, squares };
    let zero = search.at(&pooled.values, 0.0)?;
    let (grid, likeliest) =
        if players > 1 { grid(&search, &zero, usual) } else { (Vec::new(), zero.restricted) };
    let better = |a: &'_ Settled, b: &'_ Settled| a.at.here.value > b.at.here.value;
    let top = grid.iter().fold(&zero, |top, point| if better(point, top) { point } else { top });
    let best = if players > 1 { margin.climb(&free, &top.at, usual) } else { zero.at.clone() };
    let interior = best.spread > 0.0;
    let last = margin.size() - 1;
    let all: Vec<usize> = free.iter().copied().chain(interior.then_some(last)).collect();
    let matrix = submatrix(&best.here.information, margin.size(), &all);
    let covariance = Cholesky::new(all.len(), &matrix)?.inverse();
    let mut mixtures: Vec<Mixture> =
        (0..problem.blocks).map(|p| skill(&search, &zero, &grid, p)).collect();
    let skills = mixtures
        .iter()
        .zip(&best.here.skills)
        .map(|(mixture, skill)| uncertain(mixture, skill, &all, &covariance))
        .collect();
    mixtures.push(mean(&search, &zero, &grid));
    let se = |i: usize| {
        let at = all.iter().position(|&j| j == i)?;
        Some(covariance[at * all.len() + at].sqrt())
    };
    let value = best.values[problem.shared];
    let [low, high] = mixtures[problem.blocks].interval95();
    let mean = Uncertain {
        value,
        se: se(problem.shared),
        interval95: [Some(low.min(value)), Some(high.max(value))],
    };
    let ends = if players > 1 {
        spread_ends(&search, &zero, &grid, likeliest, players)
    } else {
        [Some(0.0), None]
    };
    let spread = Uncertain {
        value: best.spread,
        se: se(last).map(|se| se * best.spread),
        interval95: [ends[0].map(|e| e.min(best.spread)), ends[1].map(|e| e.max(best.spread))],
    };
    Some(RandomFit {
        best,
        free,
        covariance,
        skills,
        mean,
        spread,
        usual,
        mixtures,
        likeliest,
        players,
    })
}

/// Spreads around the likeliest one (by the restricted likelihood), close enough together for sums,
/// with the greatest restricted likelihood.
fn grid(search: &Search<'_>, zero: &Settled, usual: f64) -> (Vec<Settled>, f64) {
    // The likeliest spread: by octaves, then by golden section.
    let mut octaves: Vec<Settled> = Vec::new();
    let mut from = zero.at.values.clone();
    for k in -3..20 {
        let Some(point) = search.at(&from, usual * libm::exp2(f64::from(k))) else { break };
        from.clone_from(&point.at.values);
        let past = octaves.iter().any(|o| o.restricted > point.restricted + 2.0);
        octaves.push(point);
        if past {
            break;
        }
    }
    let Some(top) = octaves.iter().max_by(|a, b| a.restricted.total_cmp(&b.restricted)) else {
        return (Vec::new(), zero.restricted);
    };
    let value = |log: f64| search.at(&top.at.values, libm::exp(log));
    let restricted = |log: f64| value(log).map_or(f64::NEG_INFINITY, |s| s.restricted);
    let centre = libm::log(top.at.spread);
    let (mut low, mut high) = (centre - std::f64::consts::LN_2, centre + std::f64::consts::LN_2);
    let golden = 0.618_033_988_749_895;
    let mut inner = [high - golden * (high - low), low + golden * (high - low)];
    let mut found = inner.map(restricted);
    for _ in 0..9 {
        if found[0] > found[1] {
            high = inner[1];
            inner = [high - golden * (high - low), inner[0]];
            found = [restricted(inner[0]), found[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + golden * (high - low)];
            found = [found[1], restricted(inner[1])];
        }
    }
    let centre = f64::midpoint(low, high);
    let best = restricted(centre);
    let bend = 2.0 * best - restricted(centre - 0.05) - restricted(centre + 0.05);
    let width = if bend > 1e-9 { 0.05 / bend.sqrt() } else { 1.0 };
    let step = (0.8 * width).min(COARSE);
    let least = libm::log(usual * TINY);
    let mut points: Vec<Settled> = Vec::new();
    let mut greatest = f64::NEG_INFINITY;
    for side in [-1.0, 1.0] {
        let mut from = top.at.values.clone();
        for k in usize::from(side > 0.0)..MAX_POINTS {
            let log = centre + side * step * k as f64;
            let Some(point) = search.at(&from, libm::exp(log)) else { break };
            from.clone_from(&point.at.values);
            let weight = log_weight(search, &point);
            greatest = greatest.max(weight);
            let likely = weight > greatest - UNLIKELY;
            points.push(point);
            if !likely || (side < 0.0 && log < least) {
                break;
            }
        }
    }
    points.sort_by(|a, b| a.at.spread.total_cmp(&b.at.spread));
    let likeliest = points.iter().fold(best.max(zero.restricted), |m, s| m.max(s.restricted));
    (points, likeliest)
}

/// Log density of a spread per unit of its logarithm.
fn log_weight(search: &Search<'_>, point: &Settled) -> f64 {
    point.restricted + search.prior(point.at.spread) + libm::log(point.at.spread)
}

/// A mixture of normal distributions: weights, means and standard deviations.
#[derive(Clone, Debug)]
struct Mixture(Vec<[f64; 3]>);

impl Mixture {
    /// From weights' logarithms, means and standard deviations.
    fn new(parts: impl Iterator<Item = [f64; 3]>) -> Self {
        let mut parts: Vec<[f64; 3]> = parts.collect();
        let top = parts.iter().fold(f64::NEG_INFINITY, |m, part| m.max(part[0]));
        parts.iter_mut().for_each(|part| part[0] = libm::exp(part[0] - top));
        let sum: f64 = parts.iter().map(|part| part[0]).sum();
        parts.iter_mut().for_each(|part| part[0] /= sum);
        Self(parts)
    }

    fn below(&self, x: f64) -> f64 {
        let normal = Normal::standard();
        self.0.iter().map(|[w, m, s]| w * normal.cdf((x - m) / s.max(1e-12))).sum()
    }

    fn quantile(&self, level: f64) -> f64 {
        let ends = |side: f64| {
            self.0.iter().map(move |[_, m, s]| side * (m + side * 9.0 * s)).fold(f64::MIN, f64::max)
        };
        let (mut low, mut high) = (-ends(-1.0), ends(1.0));
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if self.below(middle) < level { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    }

    fn interval95(&self) -> [f64; 2] {
        [self.quantile(0.025), self.quantile(0.975)]
    }
}

/// A skill at the maximum, its standard error with that of all else, and the interval over spreads.
fn uncertain(mixture: &Mixture, skill: &Skill, free: &[usize], covariance: &[f64]) -> Uncertain {
    let m = free.len();
    let mut variance = skill.deviation * skill.deviation;
    for (a, &i) in free.iter().enumerate() {
        for (b, &j) in free.iter().enumerate() {
            variance += skill.slopes[i] * covariance[a * m + b] * skill.slopes[j];
        }
    }
    let ([low, high], value) = (mixture.interval95(), skill.mean);
    Uncertain {
        value,
        se: Some(variance.max(0.0).sqrt()),
        interval95: [Some(low.min(value)), Some(high.max(value))],
    }
}

/// The mixture over spreads of a value with its slopes: `of` gives value, own variance and slopes.
fn mixed(
    search: &Search<'_>,
    zero: &Settled,
    grid: &[Settled],
    of: impl Fn(&Maximum) -> (f64, f64, Vec<f64>),
) -> Mixture {
    let part = |log: f64, settled: &Settled| {
        let (value, mut variance, slopes) = of(&settled.at);
        let m = search.free.len();
        for (a, &i) in search.free.iter().enumerate() {
            for (b, &j) in search.free.iter().enumerate() {
                variance += slopes[i] * settled.covariance[a * m + b] * slopes[j];
            }
        }
        [log, value, variance.max(0.0).sqrt()]
    };
    if grid.is_empty() {
        return Mixture::new(std::iter::once(part(0.0, zero)));
    }
    Mixture::new(grid.iter().map(|settled| part(log_weight(search, settled), settled)))
}

fn skill(search: &Search<'_>, zero: &Settled, grid: &[Settled], p: usize) -> Mixture {
    mixed(search, zero, grid, |at| {
        let skill = &at.here.skills[p];
        (skill.mean, skill.deviation * skill.deviation, skill.slopes.clone())
    })
}

fn mean(search: &Search<'_>, zero: &Settled, grid: &[Settled]) -> Mixture {
    let at = search.margin.problem.shared;
    let mut slopes = vec![0.0; search.margin.size()];
    slopes[at] = 1.0;
    mixed(search, zero, grid, |settled| (settled.values[at], 0.0, slopes.clone()))
}

/// The ends of the spread's interval.
fn spread_ends(
    search: &Search<'_>,
    zero: &Settled,
    grid: &[Settled],
    likeliest: f64,
    players: usize,
) -> Ends {
    let fall = Z95 * Z95 * bartlett(players) / 2.0;
    let short = |s: &Settled| likeliest - s.restricted - fall;
    let inside = |s: &Settled| short(s) <= 0.0;
    // Between the last point inside and the next outside, the root by Illinois steps.
    let crossing = |from: &Settled, mut outside: f64| {
        let log = |spread: f64| libm::log(spread);
        let at = |log: f64| search.at(&from.at.values, libm::exp(log)).map(|s| short(&s));
        let (mut low, mut f_low) = (log(from.at.spread), short(from));
        let mut f_out = at(outside)?;
        let mut last = 0.0_f64;
        for _ in 0..40 {
            let middle = (low * f_out - outside * f_low) / (f_out - f_low);
            let f = at(middle)?;
            if f.abs() < 1e-7 || (outside - low).abs() < 1e-9 {
                return Some(libm::exp(middle));
            }
            if f < 0.0 {
                (low, f_low) = (middle, f);
                f_out = if last < 0.0 { f_out / 2.0 } else { f_out };
            } else {
                (outside, f_out) = (middle, f);
                f_low = if last > 0.0 { f_low / 2.0 } else { f_low };
            }
            last = f;
        }
        Some(libm::exp(low))
    };
    let Some(first) = grid.iter().position(inside) else { return [Some(0.0), None] };
    let last = grid.iter().rposition(inside).unwrap_or(first);
    let low = if inside(zero) {
        Some(0.0)
    } else {
        let outside = match first.checked_sub(1) {
            Some(before) => libm::log(grid[before].at.spread),
            None => libm::log(grid[first].at.spread) - 12.0,
        };
        crossing(&grid[first], outside)
    };
    let high = grid.get(last + 1).and_then(|next| {
        let outside = libm::log(next.at.spread);
        crossing(&grid[last], outside)
    });
    [low, high]
}

/// Bartlett's factor for the likelihood ratio of a spread known from `players` known skills: the
/// mean of the ratio, where a chi-squared one has mean 1.
fn bartlett(players: usize) -> f64 {
    let half = (players as f64 - 1.0) / 2.0;
    2.0 * half * (libm::log(half) - digamma(half))
}

impl RandomFit {
    /// The standard error of value `i` (shared terms, mean), none if held.
    #[must_use]
    pub fn se(&self, i: usize) -> Option<f64> {
        let at = self.free.iter().position(|&j| j == i)?;
        let size = self.free.len() + usize::from(self.best.spread > 0.0);
        Some(self.covariance[at * size + at].sqrt())
    }

    /// Where `value` lies in the posterior of player `p`'s skill, or with `p` the number of players
    /// in that of their mean: a standard normal deviate, beyond 1.96 outside the interval.
    #[must_use]
    pub fn deviate(&self, p: usize, value: f64) -> f64 {
        Normal::standard().inverse_cdf(self.mixtures[p].below(value).clamp(1e-12, 1.0 - 1e-12))
    }

    /// The signed root of the corrected likelihood ratio of the spread against `value`; none if a
    /// refit fails.
    #[must_use]
    pub fn spread_root(&self, problem: &Problem, value: f64) -> Option<f64> {
        let margin = Margin::new(problem);
        let search = Search { margin: &margin, free: &self.free, squares: Vec::new() };
        let there = search.at(&self.best.values, value)?;
        let fall = 2.0 * (self.likeliest - there.restricted) / bartlett(self.players);
        Some(fall.max(0.0).sqrt() * (value - self.spread.value).signum())
    }

    /// The signed root of the likelihood ratio of shared term `j` against `value`; none if a refit
    /// fails.
    #[must_use]
    pub fn root(&self, problem: &Problem, j: usize, value: f64) -> Option<f64> {
        let free: Vec<usize> = self.free.iter().copied().filter(|&i| i != j).collect();
        let mut start = self.best.clone();
        start.values[j] = value;
        let refit = Margin::new(problem).climb(&free, &start, self.usual);
        let fall = 2.0 * (self.best.here.value - refit.here.value);
        refit.converged.then(|| fall.max(0.0).sqrt() * (value - self.best.values[j]).signum())
    }

    /// The profile interval of shared term `j` under the marginal likelihood; a missing end is open.
    #[must_use]
    pub fn interval(&self, problem: &Problem, j: usize) -> Ends {
        let Some(se) = self.se(j).filter(|se| *se > 0.0) else { return [None, None] };
        let centre = self.best.values[j];
        let end = |side: f64| {
            let excess = |value: f64| self.root(problem, j, value).map(|r| r.abs() - Z95);
            let (mut inside, mut f_inside) = (centre, -Z95);
            let mut reach = Z95 * se;
            let mut outside = centre + side * reach;
            let mut f_outside = excess(outside)?;
            while f_outside < 0.0 {
                (inside, f_inside) = (outside, f_outside);
                reach *= 1.6;
                if reach > 200.0 * se {
                    return Some(side * f64::INFINITY);
                }
                outside = centre + side * reach;
                f_outside = excess(outside)?;
            }
            let mut last = 0.0_f64;
            for _ in 0..60 {
                let value = (inside * f_outside - outside * f_inside) / (f_outside - f_inside);
                let f = excess(value)?;
                if f.abs() < 1e-7 || (outside - inside).abs() < 1e-10 * (1.0 + value.abs()) {
                    return Some(value);
                }
                if f < 0.0 {
                    (inside, f_inside) = (value, f);
                    f_outside = if last < 0.0 { f_outside / 2.0 } else { f_outside };
                } else {
                    (outside, f_outside) = (value, f);
                    f_inside = if last > 0.0 { f_inside / 2.0 } else { f_inside };
                }
                last = f;
            }
            Some(f64::midpoint(inside, outside))
        };
        // Where a refit does not come to its end, 1.96 standard errors stand in.
        [-1.0, 1.0].map(|side| {
            let found = end(side).unwrap_or(centre + side * Z95 * se);
            let ordered = if side < 0.0 { found.min(centre) } else { found.max(centre) };
            found.is_finite().then_some(ordered)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::{Cell, Patterns};
    use super::*;

    /// Means of chi-squared likelihood ratios of a scale: 1.2704 with one degree of freedom, 1.1544
    /// with two, tending to 1.
    #[test]
    fn bartletts_factor_is_the_mean_of_the_ratio() {
        for (players, factor) in [(2, 1.270_362_8), (3, 1.154_431_3), (1000, 1.000_333_8)] {
            assert!((bartlett(players) - factor).abs() < 1e-6, "{players}: {}", bartlett(players));
        }
    }

    /// Skills known to a thousandth: the mean's interval is Student's, the spread's that of a
    /// chi-squared sum of squares.
    #[test]
    fn well_known_skills_give_students_interval_of_their_mean() {
        let mut patterns = Patterns::new();
        patterns.push(&[]);
        let skills = [-0.9_f64, 0.1, 0.5, 1.3];
        let trials = 40_000_000;
        let cells = skills.iter().enumerate().map(|(block, skill)| Cell {
            block: block as u32,
            pattern: 0,
            trials,
            successes: (trials as f64 / (1.0 + (-skill).exp())).round() as u64,
        });
        let problem = Problem::new(4, 0, patterns, cells.collect());
        let fit = fit(&problem, &[], true, &[0.0]).expect("regular");
        let mean = skills.iter().sum::<f64>() / 4.0;
        let sum: f64 = skills.iter().map(|s| (s - mean) * (s - mean)).sum();
        assert!((fit.mean.value - mean).abs() < 1e-3);
        assert!((fit.spread.value - (sum / 4.0).sqrt()).abs() < 1e-3, "{:?}", fit.spread);
        // t quantile 3.182446 with 3 degrees of freedom.
        let half = 3.182_446 * (sum / 3.0 / 4.0).sqrt();
        let [low, high] = fit.mean.interval95.map(|end| end.expect("closed"));
        assert!((high - low - 2.0 * half).abs() < 0.03 * half, "{low} {high} {half}");
        for (p, skill) in skills.iter().enumerate() {
            assert!((fit.skills[p].value - skill).abs() < 1e-3);
        }
    }
}
