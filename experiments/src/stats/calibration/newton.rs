//! Damped Newton with exact derivatives. Players are eliminated by block: the information is an
//! arrow (a diagonal for the players, a small dense block for the shared terms), so that a step
//! costs the cells plus players times shared terms squared.

use super::cholesky::Cholesky;
use super::design::{Held, Parameter, Point, Problem, log_likelihood, sigmoid};

/// Steps before a fit gives up.
const MAX_STEPS: u32 = 100;
/// Squared Newton decrement (free of scale) at which a step is the last one.
const DECREMENT: f64 = 1e-16;
/// A squared decrement below this one that no longer halves has met rounding: as good as
/// [`DECREMENT`] where counts are large.
pub(super) const STALLED: f64 = 1e-9;
/// Below this squared decrement full steps are safe and the likelihood's rounding is not asked.
const SAFE: f64 = 1e-3;
/// The most that a step may change any `logit P` by.
const LONGEST: f64 = 8.0;

/// How a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The decrement fell below its limit.
    Converged,
    /// The limit of steps was reached, or no step improved the likelihood.
    Limit,
    /// The information was not positive definite.
    Singular,
}

/// First and second derivatives at a point, over all parameters.
#[derive(Clone, Debug)]
pub struct Derivatives {
    /// Log-likelihood over rows, without binomial coefficients.
    pub log_likelihood: f64,
    /// Score of the players.
    pub block_score: Vec<f64>,
    /// Score of the shared terms.
    pub shared_score: Vec<f64>,
    /// Information of the players (diagonal).
    pub diagonal: Vec<f64>,
    /// Information between player `p` and shared term `j`, at `p * shared + j`.
    pub cross: Vec<f64>,
    /// Information of the shared terms, row by row.
    pub core: Vec<f64>,
}

/// Evaluates likelihood, score and information at `point`.
#[must_use]
pub fn derivatives(problem: &Problem, point: &Point) -> Derivatives {
    let (blocks, shared, count) = (problem.blocks, problem.shared, problem.patterns.len());
    let base: Vec<f64> = (0..count).map(|k| problem.patterns.dot(k, &point.shared)).collect();
    let (mut scores, mut weights) = (vec![0.0; count], vec![0.0; count]);
    let mut d = Derivatives {
        log_likelihood: 0.0,
        block_score: vec![0.0; blocks],
        shared_score: vec![0.0; shared],
        diagonal: vec![0.0; blocks],
        cross: vec![0.0; blocks * shared],
        core: vec![0.0; shared * shared],
    };
    for cell in problem.cells() {
        let (p, k) = (cell.block as usize, cell.pattern as usize);
        let scale = problem.patterns.scale(k);
        let x = scale * (point.blocks[p] + base[k]);
        let (n, y) = (cell.trials as f64, cell.successes as f64);
        let probability = sigmoid(x);
        d.log_likelihood += log_likelihood(n, y, x);
        let score = scale * ((1.0 - probability) * y - probability * (n - y));
        let weight = scale * scale * n * probability * sigmoid(-x);
        d.block_score[p] += score;
        d.diagonal[p] += weight;
        scores[k] += score;
        weights[k] += weight;
        for &(j, coefficient) in problem.patterns.terms(k) {
            d.cross[p * shared + j as usize] += weight * coefficient;
        }
    }
    for k in 0..count {
        let terms = problem.patterns.terms(k);
        for &(i, x) in terms {
            d.shared_score[i as usize] += scores[k] * x;
            for &(j, y) in terms {
                d.core[i as usize * shared + j as usize] += weights[k] * x * y;
            }
        }
    }
    d
}

/// The information of the free parameters, factored.
#[derive(Clone, Debug)]
pub struct Factor {
    shared: usize,
    /// The free shared terms.
    columns: Vec<usize>,
    /// `1 / diagonal` for free players, 0 for held ones.
    inverse: Vec<f64>,
    /// `cross / diagonal` for free players over the free shared terms, 0 for held players.
    ratio: Vec<f64>,
    reduced: Cholesky,
    /// `ln det` of the whole information.
    log_determinant: f64,
}

impl Factor {
    /// Factors the information over the parameters that are not held.
    #[must_use]
    pub fn new(d: &Derivatives, held: &Held) -> Option<Self> {
        let shared = held.shared.len();
        let columns: Vec<usize> = (0..shared).filter(|&j| !held.shared[j]).collect();
        let m = columns.len();
        let mut reduced: Vec<f64> = Vec::with_capacity(m * m);
        for &i in &columns {
            reduced.extend(columns.iter().map(|&j| d.core[i * shared + j]));
        }
        let full: Vec<f64> = (0..m).map(|i| reduced[i * m + i]).collect();
        let mut inverse = vec![0.0; held.blocks.len()];
        let mut ratio = vec![0.0; held.blocks.len() * m];
        let mut log_determinant = 0.0;
        for (p, _) in held.blocks.iter().enumerate().filter(|(_, held)| !**held) {
            if d.diagonal[p].is_nan() || d.diagonal[p] <= 1e-280 {
                return None;
            }
            inverse[p] = 1.0 / d.diagonal[p];
            log_determinant += libm::log(d.diagonal[p]);
            let row = &mut ratio[p * m..(p + 1) * m];
            for (value, &j) in row.iter_mut().zip(&columns) {
                *value = d.cross[p * shared + j] * inverse[p];
            }
            for i in 0..m {
                let weight = row[i] * d.diagonal[p];
                for j in 0..=i {
                    reduced[i * m + j] -= weight * row[j];
                }
            }
        }
        // What is left of a shared term beside the players must be more than rounding.
        if (0..m).any(|i| reduced[i * m + i] <= 1e-13 * full[i]) {
            return None;
        }
        let reduced = Cholesky::new(m, &reduced)?;
        log_determinant += reduced.log_determinant();
        Some(Self { shared, columns, inverse, ratio, reduced, log_determinant })
    }

    /// `ln det` of the information of the free parameters.
    #[must_use]
    pub const fn log_determinant(&self) -> f64 {
        self.log_determinant
    }

    fn row(&self, p: usize) -> &[f64] {
        let m = self.columns.len();
        &self.ratio[p * m..(p + 1) * m]
    }

    /// The information's inverse times a score: the Newton step, zero where held.
    #[must_use]
    pub fn step(&self, block_score: &[f64], shared_score: &[f64]) -> Point {
        let mut right: Vec<f64> = self.columns.iter().map(|&j| shared_score[j]).collect();
        for (p, score) in block_score.iter().enumerate() {
            for (value, ratio) in right.iter_mut().zip(self.row(p)) {
                *value -= ratio * score;
            }
        }
        self.reduced.solve(&mut right);
        let blocks = block_score
            .iter()
            .enumerate()
            .map(|(p, score)| {
                let shift: f64 = self.row(p).iter().zip(&right).map(|(a, b)| a * b).sum();
                score * self.inverse[p] - shift
            })
            .collect();
        let mut shared = vec![0.0; self.shared];
        for (&j, value) in self.columns.iter().zip(right) {
            shared[j] = value;
        }
        Point { blocks, shared }
    }

    /// The variance of `s_p + sum coefficient * shared` (held parameters add nothing).
    #[must_use]
    pub fn variance(&self, block: Option<usize>, terms: &[(u32, f64)]) -> f64 {
        let mut u: Vec<f64> = self
            .columns
            .iter()
            .map(|&c| terms.iter().filter(|t| t.0 as usize == c).map(|t| t.1).sum())
            .collect();
        let mut variance = 0.0;
        if let Some(p) = block {
            variance += self.inverse[p];
            for (value, ratio) in u.iter_mut().zip(self.row(p)) {
                *value -= ratio;
            }
        }
        variance + self.reduced.quadratic(&u)
    }

    /// The variance of one parameter, 0 where held.
    #[must_use]
    pub fn variance_of(&self, parameter: Parameter) -> f64 {
        match parameter {
            Parameter::Block(p) if self.inverse[p] == 0.0 => 0.0,
            Parameter::Block(p) => self.variance(Some(p), &[]),
            Parameter::Shared(j) => self.variance(None, &[(j as u32, 1.0)]),
        }
    }

    /// The covariances of `parameter` with all parameters, 0 where held.
    #[must_use]
    pub fn covariances(&self, parameter: Parameter) -> Point {
        let (mut blocks, mut shared) = (vec![0.0; self.inverse.len()], vec![0.0; self.shared]);
        match parameter {
            Parameter::Block(p) => blocks[p] = 1.0,
            Parameter::Shared(j) => shared[j] = 1.0,
        }
        self.step(&blocks, &shared)
    }
}

/// A finished fit.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The values reached.
    pub point: Point,
    /// Log-likelihood over rows, without binomial coefficients.
    pub log_likelihood: f64,
    /// Newton steps taken.
    pub steps: u32,
    /// How it ended.
    pub ending: Ending,
    /// Largest element of the score over free parameters.
    pub max_gradient: f64,
    /// Squared Newton decrement before the last step.
    pub decrement: f64,
    /// Derivatives at `point`.
    pub derivatives: Derivatives,
    /// The factored information at `point`, unless singular.
    pub factor: Option<Factor>,
}

/// Maximises the likelihood over the parameters that are not held, from `start`.
///
/// Where the start lies so far out that the curvature there says nothing, steps use the curvature's
/// upper bound in its place (a quarter a row; Böhning and Lindsay 1988), which never loses likelihood.
#[must_use]
pub fn fit(problem: &Problem, held: &Held, start: Point) -> Fit {
    let mut point = start;
    let mut d = derivatives(problem, &point);
    let (mut ending, mut decrement, mut steps) = (Ending::Limit, f64::INFINITY, 0);
    while steps < MAX_STEPS {
        steps += 1;
        let newton = Factor::new(&d, held).map(|factor| {
            let step = factor.step(&d.block_score, &d.shared_score);
            let gain = dot(&step.blocks, &d.block_score) + dot(&step.shared, &d.shared_score);
            (step, gain)
        });
        let before = decrement;
        if let Some((_, gain)) = &newton {
            decrement = *gain;
        }
        let next = newton
            .and_then(|(step, gain)| damped(problem, &point, &step, &d, gain))
            .or_else(|| bounded(problem, held, &point, &d));
        let Some((next, there)) = next else { break };
        (point, d) = (next, there);
        if decrement <= DECREMENT || (decrement <= STALLED && decrement > before / 2.0) {
            ending = Ending::Converged;
            break;
        }
    }
    let factor = Factor::new(&d, held);
    if factor.is_none() {
        ending = Ending::Singular;
    }
    let max_gradient = free_scores(&d, held).fold(0.0_f64, |m, g| m.max(g.abs()));
    let log_likelihood = d.log_likelihood;
    Fit { point, log_likelihood, steps, ending, max_gradient, decrement, derivatives: d, factor }
}

/// The longest of the full, half, quarter ... step that gains likelihood.
fn damped(
    problem: &Problem,
    point: &Point,
    step: &Point,
    d: &Derivatives,
    decrement: f64,
) -> Option<(Point, Derivatives)> {
    let change = problem
        .cells()
        .iter()
        .fold(0.0_f64, |most, cell| most.max(problem.predictor(cell, step).abs()));
    if change.is_nan() {
        return None;
    }
    let mut length = (LONGEST / change).min(1.0);
    for _ in 0..30 {
        let next = moved(point, step, length);
        let there = derivatives(problem, &next);
        let wanted = d.log_likelihood + 1e-4 * length * decrement - rounding(d.log_likelihood);
        if there.log_likelihood >= wanted || (decrement < SAFE && length == 1.0) {
            return Some((next, there));
        }
        length /= 2.0;
    }
    None
}

/// How far two sums as large as `sum` may lie apart by rounding alone.
pub(super) fn rounding(sum: f64) -> f64 {
    16.0 * f64::EPSILON * sum.abs()
}

/// A step by the bound of the curvature; none where it gains nothing either.
fn bounded(
    problem: &Problem,
    held: &Held,
    point: &Point,
    d: &Derivatives,
) -> Option<(Point, Derivatives)> {
    let flat = derivatives(problem, &problem.origin());
    let step = Factor::new(&flat, held)?.step(&d.block_score, &d.shared_score);
    let next = moved(point, &step, 1.0);
    let there = derivatives(problem, &next);
    (there.log_likelihood > d.log_likelihood).then_some((next, there))
}

/// `point + length * step`.
#[must_use]
pub fn moved(point: &Point, step: &Point, length: f64) -> Point {
    let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x + length * y).collect();
    Point { blocks: add(&point.blocks, &step.blocks), shared: add(&point.shared, &step.shared) }
}

fn free_scores<'a>(d: &'a Derivatives, held: &'a Held) -> impl Iterator<Item = f64> + 'a {
    let blocks = d.block_score.iter().zip(&held.blocks);
    blocks.chain(d.shared_score.iter().zip(&held.shared)).filter(|(_, h)| !**h).map(|(g, _)| *g)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Whether the Newton step at `point` proves that a finite maximum exists: it does when the
/// information is regular and the step changes no row's `logit P` by one or more. (The weights
/// `|y - p|`, corrected by the step, are then a positive dependency of the signed rows, and by
/// Stiemke's lemma no direction separates them.)
#[must_use]
pub fn certified(problem: &Problem, held: &Held, d: &Derivatives) -> bool {
    Factor::new(d, held).is_some_and(|factor| {
        let mut step = factor.step(&d.block_score, &d.shared_score);
        for (value, held) in step.blocks.iter_mut().zip(&held.blocks) {
            if *held {
                *value = 0.0;
            }
        }
        problem.cells().iter().all(|cell| problem.predictor(cell, &step).abs() < 0.99)
    })
}

/// `sum f(cell, logit P, successes - trials P)` over the cells in order.
pub(super) fn sum_over(
    problem: &Problem,
    point: &Point,
    f: impl Fn(&super::design::Cell, f64, f64) -> f64,
) -> f64 {
    let of = |cell| {
        let x = problem.predictor(cell, point);
        f(cell, x, cell.successes as f64 - cell.trials as f64 * sigmoid(x))
    };
    problem.cells().iter().map(of).sum()
}
