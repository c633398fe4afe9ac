//! Skills as draws from a normal distribution: marginal maximum likelihood of the shared terms and
//! of the distribution's mean and spread, each skill integrated out by adaptive Gauss-Hermite
//! quadrature. Score and information come from the posterior of each skill (Louis 1982).

use super::cholesky::Cholesky;
use super::design::{Held, Parameter, Point, Problem, log_likelihood, sigmoid};
use crate::stats::interval::Z95;

/// Nodes of the quadrature.
pub const NODES: usize = 31;
const MAX_STEPS: u32 = 200;
const DECREMENT: f64 = 1e-14;
/// `ln sqrt(2 pi)`.
const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_7;

/// A marginal fit.
#[derive(Clone, Debug)]
pub struct RandomFit {
    /// Shared terms, then mean and `ln` spread of the skills.
    pub values: Vec<f64>,
    /// Covariance of the free values, row by row over `free`.
    pub covariance: Vec<f64>,
    /// Which values were free.
    pub free: Vec<usize>,
    /// Posterior mean and standard deviation of every skill at the estimate.
    pub skills: Vec<[f64; 2]>,
    /// Marginal log-likelihood over rows.
    pub log_likelihood: f64,
    /// Newton steps.
    pub steps: u32,
    /// Whether the score vanished.
    pub converged: bool,
}

impl RandomFit {
    /// The standard error of value `i`, none if held.
    #[must_use]
    pub fn se(&self, i: usize) -> Option<f64> {
        let at = self.free.iter().position(|&j| j == i)?;
        Some(self.covariance[at * self.free.len() + at].sqrt())
    }
}

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

/// Value, score and information at a point.
struct Marginal {
    value: f64,
    score: Vec<f64>,
    information: Vec<f64>,
    skills: Vec<[f64; 2]>,
}

/// The marginal model: shared terms, mean, `ln` spread.
struct Model<'a> {
    problem: &'a Problem,
    rule: Hermite,
    size: usize,
}

impl Model<'_> {
    fn at(&self, values: &[f64]) -> Marginal {
        let shared = &values[..self.problem.shared];
        let point = Point { blocks: Vec::new(), shared: shared.to_vec() };
        let base: Vec<f64> = (0..self.problem.patterns.len())
            .map(|k| self.problem.patterns.dot(k, &point.shared))
            .collect();
        let size = self.size;
        let mut total = Marginal {
            value: 0.0,
            score: vec![0.0; size],
            information: vec![0.0; size * size],
            skills: Vec::with_capacity(self.problem.blocks),
        };
        for p in 0..self.problem.blocks {
            self.player(p, values, &base, &mut total);
        }
        total
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
        for _ in 0..100 {
            let [_, score, information] = self.rows(p, base, skill);
            let step = (score - (skill - mean) * precision) / (information + precision);
            // The posterior is log-concave; bounded steps cannot run away.
            skill += step.clamp(-2.0, 2.0);
            if step.abs() < 1e-12 {
                break;
            }
        }
        let [_, _, information] = self.rows(p, base, skill);
        (skill, 1.0 / (information + precision).sqrt())
    }

    fn player(&self, p: usize, values: &[f64], base: &[f64], total: &mut Marginal) {
        let (size, shared) = (self.size, self.problem.shared);
        let (mean, spread) = (values[shared], libm::exp(values[shared + 1]));
        let (mode, width) = self.centre(p, base, mean, spread);
        let logs: Vec<(f64, f64)> = self
            .rule
            .0
            .iter()
            .map(|&(x, weight)| {
                let skill = mode + width * x;
                let z = (skill - mean) / spread;
                let density = -z * z / 2.0 - LN_SQRT_2PI - libm::log(spread);
                let log = weight + x * x / 2.0 + self.rows(p, base, skill)[0] + density;
                (skill, log + libm::log(width))
            })
            .collect();
        let top = logs.iter().fold(f64::NEG_INFINITY, |m, (_, log)| m.max(*log));
        let sum: f64 = logs.iter().map(|(_, log)| libm::exp(log - top)).sum();
        total.value += top + libm::log(sum);
        let mut score = vec![0.0; size];
        let mut squares = vec![0.0; size * size];
        let (mut first, mut second) = (0.0, 0.0);
        let mut own = vec![0.0; size];
        for &(skill, log) in &logs {
            let share = libm::exp(log - top) / sum;
            self.complete(p, base, skill, [mean, spread], share, &mut own, &mut total.information);
            for i in 0..size {
                score[i] += share * own[i];
                for j in 0..size {
                    squares[i * size + j] += share * own[i] * own[j];
                }
            }
            first += share * skill;
            second += share * (skill - mode) * (skill - mode);
        }
        for i in 0..size {
            total.score[i] += score[i];
            for j in 0..size {
                total.information[i * size + j] -= squares[i * size + j] - score[i] * score[j];
            }
        }
        let variance = second - (first - mode) * (first - mode);
        total.skills.push([first, variance.max(0.0).sqrt()]);
    }

    /// Score of rows and skill together into `own`, information times `share` onto `information`.
    #[expect(clippy::too_many_arguments, reason = "one inner loop, buffers passed in")]
    fn complete(
        &self,
        p: usize,
        base: &[f64],
        skill: f64,
        [mean, spread]: [f64; 2],
        share: f64,
        own: &mut [f64],
        information: &mut [f64],
    ) {
        let (size, shared) = (self.size, self.problem.shared);
        own.fill(0.0);
        for cell in &self.problem.cells()[self.problem.of_block(p)] {
            let k = cell.pattern as usize;
            let x = skill + base[k];
            let (n, q) = (cell.trials as f64, sigmoid(x));
            let weight = share * n * q * sigmoid(-x);
            for &(i, a) in self.problem.patterns.terms(k) {
                own[i as usize] += a * (cell.successes as f64 - n * q);
                for &(j, b) in self.problem.patterns.terms(k) {
                    information[i as usize * size + j as usize] += weight * a * b;
                }
            }
        }
        let z = (skill - mean) / spread;
        own[shared] = z / spread;
        own[shared + 1] = z * z - 1.0;
        information[shared * size + shared] += share / (spread * spread);
        information[shared * size + shared + 1] += share * 2.0 * z / spread;
        information[(shared + 1) * size + shared] += share * 2.0 * z / spread;
        information[(shared + 1) * size + shared + 1] += share * 2.0 * z * z;
    }
}

/// Maximises the marginal likelihood. `held` says which shared terms stay at `start`; the mean is
/// free when `free_mean` says so.
#[must_use]
pub fn fit(problem: &Problem, held: &[bool], free_mean: bool, start: &[f64]) -> RandomFit {
    let model = Model { problem, rule: Hermite::default(), size: problem.shared + 2 };
    let mut free: Vec<usize> = (0..problem.shared).filter(|&j| !held[j]).collect();
    if free_mean {
        free.push(problem.shared);
    }
    free.push(problem.shared + 1);
    climb(&model, free, start.to_vec())
}

fn climb(model: &Model<'_>, free: Vec<usize>, mut values: Vec<f64>) -> RandomFit {
    let mut here = model.at(&values);
    let (mut steps, mut converged) = (0, false);
    while steps < MAX_STEPS && !converged {
        steps += 1;
        let right: Vec<f64> = free.iter().map(|&i| here.score[i]).collect();
        let mut step = right.clone();
        regularised(&here.information, model.size, &free).solve(&mut step);
        let gain: f64 = step.iter().zip(&right).map(|(a, b)| a * b).sum();
        converged = gain < DECREMENT;
        let longest = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
        let mut length = (2.0 / longest).min(1.0);
        loop {
            let mut next = values.clone();
            for (&i, s) in free.iter().zip(&step) {
                next[i] += length * s;
            }
            let there = model.at(&next);
            if there.value >= here.value || gain < 1e-9 {
                (values, here) = (next, there);
                break;
            }
            length /= 2.0;
            if length < 1e-9 {
                steps = MAX_STEPS;
                break;
            }
        }
    }
    let covariance = regularised(&here.information, model.size, &free).inverse();
    RandomFit {
        values,
        covariance,
        free,
        skills: here.skills,
        log_likelihood: here.value,
        steps,
        converged,
    }
}

/// The information of the free values, with as much added to its diagonal as it takes to factor.
fn regularised(information: &[f64], size: usize, free: &[usize]) -> Cholesky {
    let m = free.len();
    let mut matrix = Vec::with_capacity(m * m);
    for &i in free {
        matrix.extend(free.iter().map(|&j| information[i * size + j]));
    }
    let mut ridge = 0.0;
    loop {
        let mut raised = matrix.clone();
        for i in 0..m {
            raised[i * m + i] += ridge;
        }
        if let Some(factor) = Cholesky::new(m, &raised) {
            return factor;
        }
        ridge = if ridge == 0.0 { 1e-6 } else { ridge * 10.0 };
    }
}

/// The profile interval of shared term `j` under the marginal likelihood.
#[must_use]
pub fn interval(
    problem: &Problem,
    best: &RandomFit,
    held: &Held,
    free_mean: bool,
    j: usize,
) -> [Option<f64>; 2] {
    let Some(se) = best.se(j) else { return [None, None] };
    let held = held.and(Parameter::Shared(j)).shared;
    [-1.0, 1.0].map(|side| {
        let mut warm = best.values.clone();
        let mut excess = |value: f64| {
            warm[j] = value;
            let fit = fit(problem, &held, free_mean, &warm);
            warm = fit.values;
            (2.0 * (best.log_likelihood - fit.log_likelihood)).max(0.0).sqrt() - Z95
        };
        let (mut inside, mut f_inside) = (best.values[j], -Z95);
        let mut outside = best.values[j] + side * Z95 * se;
        let mut f_outside = excess(outside);
        while f_outside < 0.0 {
            (inside, f_inside) = (outside, f_outside);
            outside += side * se;
            if (outside - best.values[j]).abs() > 100.0 * se {
                return None;
            }
            f_outside = excess(outside);
        }
        for _ in 0..50 {
            let value = (inside * f_outside - outside * f_inside) / (f_outside - f_inside);
            let f = excess(value);
            if f.abs() < 1e-8 || (outside - inside).abs() < 1e-10 {
                return Some(value);
            }
            if f < 0.0 {
                (inside, f_inside) = (value, f);
            } else {
                (outside, f_outside) = (value, f);
            }
        }
        None
    })
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

    /// Score and information against differences of the likelihood.
    #[test]
    fn derivatives_agree_with_differences() {
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
        let problem = Problem::new(5, 3, patterns, cells.collect());
        let model = Model { problem: &problem, rule: Hermite::default(), size: 5 };
        let values = [0.2, 0.7, 0.4, 0.5, -0.3];
        let here = model.at(&values);
        let shifted = |i: usize, h: f64| {
            let mut moved = values;
            moved[i] += h;
            model.at(&moved)
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
        }
    }
}
