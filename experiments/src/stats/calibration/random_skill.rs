//! Skills as draws from a normal distribution: the likelihood of the shared terms and of the
//! distribution's mean and spread, each skill integrated out by adaptive Gauss-Hermite quadrature.
//! Score and information come from the posterior of each skill (Louis 1982).
//!
//! The likelihood is even in the spread, so that zero is a boundary where its slope always vanishes:
//! what counts there is the slope by the variance ([`Here::rise`]). [`super::spread`] makes errors of
//! all that.

use super::cholesky::Cholesky;
use super::design::{Problem, log_likelihood, sigmoid};
use super::newton::{STALLED, rounding};

/// Nodes of the quadrature.
pub const NODES: usize = 15;
const MAX_STEPS: u32 = 60;
const DECREMENT: f64 = 1e-14;
/// `ln sqrt(2 pi)`.
const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_7;

/// Nodes and log weights for `integral exp(-x^2 / 2) f(x) dx`.
#[derive(Clone, Debug)]
pub struct Hermite(Vec<(f64, f64)>);

impl Default for Hermite {
    fn default() -> Self {
        Self::new(NODES)
    }
}

impl Hermite {
    /// The rule with `n` nodes: roots of the probabilists' Hermite polynomial by Newton from the
    /// eigenvalue bounds, found between those of lower degree.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let mut roots: Vec<f64> = vec![0.0];
        for degree in 2..=n {
            let bound = 2.0 * (degree as f64).sqrt();
            let mut ends = vec![-bound];
            ends.extend(&roots);
            ends.push(bound);
            roots = ends.windows(2).map(|pair| root(degree, pair[0], pair[1])).collect();
        }
        // Weight n! sqrt(2 pi) / (n He_{n-1}(x))^2, here with orthonormal polynomials.
        let weight = |x: f64| {
            let (_, before) = orthonormal(n, x);
            -libm::log(n as f64) - 2.0 * libm::log(before.abs()) + LN_SQRT_2PI
        };
        Self(roots.into_iter().map(|x| (x, weight(x))).collect())
    }
}

/// The orthonormal Hermite polynomials of degree `n` and `n - 1`.
fn orthonormal(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut now) = (0.0, 1.0);
    for degree in 1..=n {
        let d = degree as f64;
        let next = (x * now - (d - 1.0).sqrt() * before) / d.sqrt();
        (before, now) = (now, next);
    }
    (now, before)
}

fn root(degree: usize, mut low: f64, mut high: f64) -> f64 {
    let sign = orthonormal(degree, low).0 > 0.0;
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if (orthonormal(degree, middle).0 > 0.0) == sign { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// A player's skill given all else.
#[derive(Clone, Debug)]
pub struct Skill {
    /// Posterior mean.
    pub mean: f64,
    /// Posterior standard deviation.
    pub deviation: f64,
    /// Change of the posterior mean with each parameter.
    pub slopes: Vec<f64>,
}

/// Value, score and information of the marginal likelihood at a point. The parameters are the
/// shared terms, the mean and `ln` spread.
#[derive(Clone, Debug)]
pub struct Here {
    /// Marginal log-likelihood over rows.
    pub value: f64,
    /// Its first derivatives.
    pub score: Vec<f64>,
    /// Its negative second derivatives, row by row.
    pub information: Vec<f64>,
    /// The players' skills.
    pub skills: Vec<Skill>,
    /// At spread 0 the slope by the variance of skills; 0 elsewhere.
    pub rise: f64,
    /// At spread 0 the information of each player's rows on the skill; empty elsewhere.
    pub precisions: Vec<f64>,
}

/// Where a climb came to.
#[derive(Clone, Debug)]
pub struct Maximum {
    /// Shared terms and mean.
    pub values: Vec<f64>,
    /// Spread of the skills, 0 at the boundary.
    pub spread: f64,
    /// Derivatives there.
    pub here: Here,
    /// Newton steps.
    pub steps: u32,
    /// Whether the score vanished.
    pub converged: bool,
}

/// The marginal model of a problem.
#[derive(Clone, Debug)]
pub struct Margin<'a> {
    /// The rows.
    pub problem: &'a Problem,
    rule: Hermite,
}

impl<'a> Margin<'a> {
    /// The model of `problem`.
    #[must_use]
    pub fn new(problem: &'a Problem) -> Self {
        Self { problem, rule: Hermite::default() }
    }

    /// The number of parameters, `ln` spread included.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.problem.shared + 2
    }

    /// Value and derivatives at shared terms and mean in `values` and a spread from 0.
    #[must_use]
    pub fn at(&self, values: &[f64], spread: f64) -> Here {
        let shared = &values[..self.problem.shared];
        let base: Vec<f64> = (0..self.problem.patterns.len())
            .map(|k| self.problem.patterns.dot(k, shared))
            .collect();
        let size = self.size();
        let mut total = Here {
            value: 0.0,
            score: vec![0.0; size],
            information: vec![0.0; size * size],
            skills: Vec::with_capacity(self.problem.blocks),
            rise: 0.0,
            precisions: Vec::new(),
        };
        for p in 0..self.problem.blocks {
            if spread > 0.0 {
                self.player(p, [values[self.problem.shared], spread], &base, &mut total);
            } else {
                self.pooled(p, values[self.problem.shared], &base, &mut total);
            }
        }
        total
    }

    /// A player whose skill is the mean.
    fn pooled(&self, p: usize, mean: f64, base: &[f64], total: &mut Here) {
        let (size, shared) = (self.size(), self.problem.shared);
        let (mut score, mut precision) = (0.0, 0.0);
        for cell in &self.problem.cells()[self.problem.of_block(p)] {
            let k = cell.pattern as usize;
            let x = mean + base[k];
            let (n, y, q) = (cell.trials as f64, cell.successes as f64, sigmoid(x));
            total.value += log_likelihood(n, y, x);
            let (residual, weight) = (y - n * q, n * q * sigmoid(-x));
            score += residual;
            precision += weight;
            let terms = self.problem.patterns.terms(k).iter().map(|&(j, a)| (j as usize, a));
            let terms: Vec<(usize, f64)> = terms.chain([(shared, 1.0)]).collect();
            for &(i, a) in &terms {
                total.score[i] += residual * a;
                for &(j, b) in &terms {
                    total.information[i * size + j] += weight * a * b;
                }
            }
        }
        total.rise += (score * score - precision) / 2.0;
        total.precisions.push(precision);
        let mut slopes = vec![0.0; size];
        slopes[shared] = 1.0;
        total.skills.push(Skill { mean, deviation: 0.0, slopes });
    }

    /// Likelihood of a player's rows at a skill, with score and information of the skill.
    fn rows(&self, p: usize, base: &[f64], skill: f64) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for cell in &self.problem.cells()[self.problem.of_block(p)] {
            let x = skill + base[cell.pattern as usize];
            let (n, k, q) = (cell.trials as f64, cell.successes as f64, sigmoid(x));
            sums[0] += log_likelihood(n, k, x);
            sums[1] += k - n * q;
            sums[2] += n * q * sigmoid(-x);
        }
        sums
    }

    /// Mode and spread of a skill's posterior.
    fn centre(&self, p: usize, base: &[f64], mean: f64, spread: f64) -> (f64, f64) {
        let precision = 1.0 / (spread * spread);
        let mut skill = mean;
        let mut information = 0.0;
        for _ in 0..60 {
            let [_, score, curvature] = self.rows(p, base, skill);
            information = curvature;
            let step = (score - (skill - mean) * precision) / (curvature + precision);
            // The posterior is log-concave; bounded steps cannot run away.
            skill += step.clamp(-2.0, 2.0);
            if step.abs() < 1e-7 {
                break;
            }
        }
        (skill, 1.0 / (information + precision).sqrt())
    }

    fn player(&self, p: usize, [mean, spread]: [f64; 2], base: &[f64], total: &mut Here) {
        let (size, shared) = (self.size(), self.problem.shared);
        let cells = &self.problem.cells()[self.problem.of_block(p)];
        let (mode, width) = self.centre(p, base, mean, spread);
        let nodes = self.rule.0.len();
        let mut chances = Vec::with_capacity(nodes * cells.len());
        let logs: Vec<f64> = self
            .rule
            .0
            .iter()
            .map(|&(x, weight)| {
                let skill = mode + width * x;
                let z = (skill - mean) / spread;
                let mut log = weight + x * x / 2.0 - z * z / 2.0 - LN_SQRT_2PI;
                for cell in cells {
                    let x = skill + base[cell.pattern as usize];
                    log += log_likelihood(cell.trials as f64, cell.successes as f64, x);
                    chances.push(sigmoid(x));
                }
                log + libm::log(width / spread)
            })
            .collect();
        let top = logs.iter().fold(f64::NEG_INFINITY, |m, log| m.max(*log));
        let sum: f64 = logs.iter().map(|log| libm::exp(log - top)).sum();
        total.value += top + libm::log(sum);
        let mut weights = vec![0.0; cells.len()];
        let (mut first, mut second, mut slopes) = (0.0, 0.0, vec![0.0; size]);
        let (mut score, mut squares) = (vec![0.0; size], vec![0.0; size * size]);
        let mut own = vec![0.0; size];
        for (t, log) in logs.iter().enumerate() {
            let share = libm::exp(log - top) / sum;
            let away = width * self.rule.0[t].0;
            let z = (mode + away - mean) / spread;
            own.fill(0.0);
            for (c, cell) in cells.iter().enumerate() {
                let (n, q) = (cell.trials as f64, chances[t * cells.len() + c]);
                weights[c] += share * n * q * (1.0 - q);
                let residual = cell.successes as f64 - n * q;
                for &(i, a) in self.problem.patterns.terms(cell.pattern as usize) {
                    own[i as usize] += a * residual;
                }
            }
            own[shared] = z / spread;
            own[shared + 1] = z * z - 1.0;
            let at = |i: usize, j: usize| i * size + j;
            total.information[at(shared, shared)] += share / (spread * spread);
            total.information[at(shared, shared + 1)] += share * 2.0 * z / spread;
            total.information[at(shared + 1, shared)] += share * 2.0 * z / spread;
            total.information[at(shared + 1, shared + 1)] += share * 2.0 * z * z;
            first += share * away;
            second += share * away * away;
            for i in 0..size {
                score[i] += share * own[i];
                slopes[i] += share * own[i] * away;
                for j in 0..size {
                    squares[i * size + j] += share * own[i] * own[j];
                }
            }
        }
        for (cell, weight) in cells.iter().zip(&weights) {
            let terms = self.problem.patterns.terms(cell.pattern as usize);
            for &(i, a) in terms {
                for &(j, b) in terms {
                    total.information[i as usize * size + j as usize] += weight * a * b;
                }
            }
        }
        for i in 0..size {
            total.score[i] += score[i];
            slopes[i] -= score[i] * first;
            for j in 0..size {
                total.information[i * size + j] -= squares[i * size + j] - score[i] * score[j];
            }
        }
        let deviation = (second - first * first).max(0.0).sqrt();
        total.skills.push(Skill { mean: mode + first, deviation, slopes });
    }

    /// Maximises over the parameters in `free` (without the spread) at a given spread; the
    /// likelihood is concave in them.
    #[must_use]
    pub fn settle(&self, free: &[usize], values: &[f64], spread: f64) -> Maximum {
        let at = |values: &[f64]| self.at(values, spread);
        let mut values = values.to_vec();
        let mut here = at(&values);
        let (mut steps, mut converged) = (0, false);
        let mut before = f64::INFINITY;
        while steps < MAX_STEPS && !converged {
            steps += 1;
            let (step, gain) = newton_step(&here, self.size(), free);
            converged = gain < DECREMENT || (gain < STALLED && gain > before / 2.0);
            before = gain;
            let longest = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
            let mut length = (4.0 / longest).min(1.0);
            let moved = loop {
                let next = moved(&values, free, &step, length);
                let there = at(&next);
                if there.value >= here.value - rounding(here.value) || gain < STALLED {
                    break Some((next, there));
                }
                length /= 2.0;
                if length < 1e-5 {
                    break None;
                }
            };
            let Some((next, there)) = moved else { break };
            (values, here) = (next, there);
        }
        Maximum { values, spread, here, steps, converged }
    }

    /// Maximises over the parameters in `free` and the spread, from `start`. `usual` is the size of
    /// a skill's own error: spreads far below it are tried at 0.
    #[must_use]
    pub fn climb(&self, free: &[usize], start: &Maximum, usual: f64) -> Maximum {
        let (mut values, mut spread) = (start.values.clone(), start.spread);
        if spread <= 0.0 {
            let pooled = self.settle(free, &values, 0.0);
            if pooled.here.rise <= 0.0 {
                return pooled;
            }
            (values, spread) = (pooled.values, usual);
        }
        let last = self.size() - 1;
        let all: Vec<usize> = free.iter().copied().chain([last]).collect();
        let mut here = self.at(&values, spread);
        let (mut steps, mut converged, mut before) = (0, false, f64::INFINITY);
        while steps < MAX_STEPS && !converged {
            steps += 1;
            let (step, gain) = newton_step(&here, self.size(), &all);
            converged = gain < DECREMENT || (gain < STALLED && gain > before / 2.0);
            before = gain;
            let rise = step.last().copied().unwrap_or_default();
            if rise < 0.0 && spread < usual / 2.0 {
                let pooled = self.settle(free, &values, 0.0);
                if pooled.here.rise <= 0.0 && pooled.here.value >= here.value - STALLED {
                    return Maximum { steps: steps + pooled.steps, ..pooled };
                }
            }
            let longest = step.iter().fold(rise.abs() * 2.0, |m, s| m.max(s.abs()));
            let mut length = (2.0 / longest).min(1.0);
            let moved = loop {
                let next = moved(&values, free, &step, length);
                let wide = spread * libm::exp(length * rise);
                let there = self.at(&next, wide);
                if there.value >= here.value - rounding(here.value) || gain < STALLED {
                    break Some((next, wide, there));
                }
                length /= 2.0;
                if length < 1e-5 {
                    break None;
                }
            };
            let Some((next, wide, there)) = moved else { break };
            (values, spread, here) = (next, wide, there);
        }
        Maximum { values, spread, here, steps, converged }
    }
}

/// The Newton step over the parameters in `free` and the squared decrement. Where the information
/// is not positive definite, far from a maximum, it is raised until it is; errors never come from
/// such a matrix.
fn newton_step(here: &Here, size: usize, free: &[usize]) -> (Vec<f64>, f64) {
    let right: Vec<f64> = free.iter().map(|&i| here.score[i]).collect();
    let matrix = submatrix(&here.information, size, free);
    let m = free.len();
    let largest = (0..m).fold(1e-12_f64, |most, i| most.max(matrix[i * m + i].abs()));
    let mut ridge = 0.0;
    loop {
        let mut raised = matrix.clone();
        for i in 0..m {
            raised[i * m + i] += ridge;
        }
        if let Some(factor) = Cholesky::new(m, &raised) {
            let mut step = right.clone();
            factor.solve(&mut step);
            let gain = step.iter().zip(&right).map(|(a, b)| a * b).sum();
            return (step, gain);
        }
        if ridge > 1e9 * largest || largest.is_nan() {
            return (vec![0.0; m], f64::INFINITY);
        }
        ridge = if ridge == 0.0 { 1e-6 * largest } else { ridge * 10.0 };
    }
}

fn moved(values: &[f64], free: &[usize], step: &[f64], length: f64) -> Vec<f64> {
    let mut next = values.to_vec();
    for (&i, s) in free.iter().zip(step) {
        next[i] += length * s;
    }
    next
}

/// The rows and columns `free` of a square matrix.
#[must_use]
pub fn submatrix(matrix: &[f64], size: usize, free: &[usize]) -> Vec<f64> {
    free.iter().flat_map(|&i| free.iter().map(move |&j| matrix[i * size + j])).collect()
}

#[cfg(test)]
mod tests {
    use super::super::design::{Cell, Patterns};
    use super::*;

    /// Moments of the standard normal distribution up to degree 20.
    #[test]
    fn the_rule_integrates_polynomials() {
        let rule = Hermite::default();
        let mut moment = 1.0;
        for degree in 0..=10 {
            let sum: f64 = rule
                .0
                .iter()
                .map(|(x, w)| libm::exp(*w - LN_SQRT_2PI) * libm::pow(*x, 2.0 * f64::from(degree)))
                .sum();
            assert!((sum / moment - 1.0).abs() < 1e-11, "{degree}: {sum} {moment}");
            moment *= f64::from(2 * degree + 1);
        }
    }

    fn example() -> Problem {
        let mut patterns = Patterns::new();
        patterns.push(&[(0, -1.0)]);
        patterns.push(&[(1, -1.0)]);
        patterns.push(&[(1, -1.0), (2, -1.0)]);
        let cells = (0..5).flat_map(|block| {
            (0..3).map(move |pattern| Cell {
                block,
                pattern,
                trials: 6 + u64::from(pattern),
                successes: u64::from((block * 2 + pattern * 3) % 7),
            })
        });
        Problem::new(5, 3, patterns, cells.collect())
    }

    /// Score, information and slopes of the skills against differences.
    #[test]
    fn derivatives_agree_with_differences() {
        let problem = example();
        let model = Margin::new(&problem);
        let values = [0.2, 0.7, 0.4, 0.5, -0.3];
        let at = |v: &[f64]| model.at(&v[..4], v[4].exp());
        let here = at(&values);
        let shifted = |i: usize, h: f64| {
            let mut moved = values;
            moved[i] += h;
            at(&moved)
        };
        let h = 1e-5;
        for i in 0..5 {
            let (more, less) = (shifted(i, h), shifted(i, -h));
            let slope = (more.value - less.value) / (2.0 * h);
            assert!((slope - here.score[i]).abs() < 1e-6, "{i}: {slope} {}", here.score[i]);
            for j in 0..5 {
                let bend = -(more.score[j] - less.score[j]) / (2.0 * h);
                let information = here.information[i * 5 + j];
                assert!((bend - information).abs() < 1e-5, "{i} {j}: {bend} {information}");
            }
            let rise = (more.skills[1].mean - less.skills[1].mean) / (2.0 * h);
            assert!((rise - here.skills[1].slopes[i]).abs() < 1e-5, "{i}: {rise}");
        }
    }

    /// At spread 0 the likelihood is that of one pooled skill, and its slope by the variance is the
    /// limit of the likelihood's rise.
    #[test]
    fn the_boundary_is_the_limit_of_small_spreads() {
        let problem = example();
        let model = Margin::new(&problem);
        let values = [0.2, 0.7, 0.4, 0.5];
        let (pooled, near) = (model.at(&values, 0.0), model.at(&values, 1e-3));
        let rise = (near.value - pooled.value) / 1e-6;
        assert!((rise / pooled.rise - 1.0).abs() < 1e-3, "{rise} {}", pooled.rise);
        for i in 0..4 {
            for j in 0..4 {
                let (a, b) = (pooled.information[i * 5 + j], near.information[i * 5 + j]);
                assert!((a - b).abs() < 1e-3, "{i} {j}: {a} {b}");
            }
        }
    }
}
