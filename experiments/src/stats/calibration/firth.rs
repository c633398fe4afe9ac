//! Firth's penalty: the likelihood times the root of the information's determinant (Jeffreys'
//! prior). Estimates are finite for any data and their bias is of second order. Source: Firth
//! (1993), *Biometrika* 80, 27-38; profile penalised intervals: Heinze and Schemper (2002).

use super::design::{Held, Parameter, Point, Problem, sigmoid};
use super::newton::{self, Derivatives, Factor, STALLED, moved, rounding};
use crate::stats::interval::Z95;

const MAX_STEPS: u32 = 200;
/// Squared decrement at which a fit has ended.
const DECREMENT: f64 = 1e-16;
/// Steps in a row without a smaller decrement after which a small one is called rounding.
const PATIENCE: u32 = 3;

/// A penalised fit.
#[derive(Clone, Debug)]
pub struct FirthFit {
    /// The values reached.
    pub point: Point,
    /// Log-likelihood of the data alone.
    pub log_likelihood: f64,
    /// Log-likelihood with the penalty.
    pub penalised: f64,
    /// Steps taken.
    pub steps: u32,
    /// Whether the modified score vanished.
    pub converged: bool,
    /// The information of the data alone, factored: the penalty adds nothing to standard errors.
    pub factor: Factor,
    /// Derivatives of the data's likelihood at `point`.
    pub derivatives: Derivatives,
}

/// Likelihood, penalty and modified score at a point.
struct Penalised {
    value: f64,
    score: (Vec<f64>, Vec<f64>),
    derivatives: Derivatives,
    factor: Factor,
    /// The information of the rows and of what the penalty adds to each cell, as if it were rows:
    /// where a cell has few of them the step by the data's alone goes too far.
    augmented: Derivatives,
}

/// Maximises the penalised likelihood. The penalty is over all parameters outside `held`; those in
/// `also` stay where `start` has them but remain in the penalty (for profiles).
#[must_use]
pub fn fit(
    problem: &Problem,
    held: &Held,
    also: Option<Parameter>,
    start: Point,
) -> Option<FirthFit> {
    let moving = also.map_or_else(|| held.clone(), |parameter| held.and(parameter));
    let mut point = start;
    let mut here = penalised(problem, held, &point)?;
    let (mut steps, mut converged) = (0, false);
    let (mut least, mut waited) = (f64::INFINITY, 0);
    while steps < MAX_STEPS && !converged {
        steps += 1;
        let step = Factor::new(&here.augmented, &moving)?.step(&here.score.0, &here.score.1);
        let gain = dot(&step.blocks, &here.score.0) + dot(&step.shared, &here.score.1);
        waited = if gain < 0.9 * least { 0 } else { waited + 1 };
        least = least.min(gain);
        converged = gain < DECREMENT || (gain < STALLED && waited >= PATIENCE);
        let slack = rounding(here.value);
        let mut length = 1.0;
        let next = loop {
            let there = moved(&point, &step, length);
            match penalised(problem, held, &there) {
                Some(p) if p.value >= here.value - slack || gain < 1e-9 => break Some((there, p)),
                _ if length < 1e-9 => break None,
                _ => length /= 2.0,
            }
        };
        let Some(next) = next else { break };
        (point, here) = next;
    }
    Some(FirthFit {
        point,
        log_likelihood: here.derivatives.log_likelihood,
        penalised: here.value,
        steps,
        converged,
        factor: here.factor,
        derivatives: here.derivatives,
    })
}

fn penalised(problem: &Problem, held: &Held, point: &Point) -> Option<Penalised> {
    let derivatives = newton::derivatives(problem, point);
    let factor = Factor::new(&derivatives, held)?;
    let value = derivatives.log_likelihood + factor.log_determinant() / 2.0;
    let (mut blocks, mut shared) =
        (derivatives.block_score.clone(), derivatives.shared_score.clone());
    let mut augmented = derivatives.clone();
    let size = problem.shared;
    for cell in problem.cells() {
        let (p, k) = (cell.block as usize, cell.pattern as usize);
        let terms = problem.patterns.terms(k);
        let x = problem.predictor(cell, point);
        let probability = sigmoid(x);
        let weight = cell.trials as f64 * probability * sigmoid(-x);
        let block = (!held.blocks[p]).then_some(p);
        let leverage = weight * factor.variance(block, terms);
        let pull = leverage * (0.5 - probability);
        let more = leverage * probability * sigmoid(-x);
        blocks[p] += pull;
        augmented.diagonal[p] += more;
        for &(j, coefficient) in terms {
            let j = j as usize;
            shared[j] += pull * coefficient;
            augmented.cross[p * size + j] += more * coefficient;
            for &(i, other) in terms {
                augmented.core[i as usize * size + j] += more * coefficient * other;
            }
        }
    }
    Some(Penalised { value, score: (blocks, shared), derivatives, factor, augmented })
}

/// The profile penalised-likelihood interval of a free parameter.
#[must_use]
pub fn interval(
    problem: &Problem,
    held: &Held,
    best: &FirthFit,
    parameter: Parameter,
) -> [Option<f64>; 2] {
    let centre = best.point.get(parameter);
    let se = best.factor.variance_of(parameter).sqrt();
    let end = |side: f64| {
        let mut warm = best.point.clone();
        let mut excess = |value: f64| {
            warm.set(parameter, value);
            let fit = fit(problem, held, Some(parameter), warm.clone())?;
            warm = fit.point;
            let root = (2.0 * (best.penalised - fit.penalised)).max(0.0).sqrt();
            fit.converged.then_some(root - Z95)
        };
        let (mut inside, mut f_inside) = (centre, -Z95);
        let mut outside = centre + side * Z95 * se;
        let mut f_outside = excess(outside)?;
        while f_outside < 0.0 {
            (inside, f_inside) = (outside, f_outside);
            outside += side * 2.0 * se;
            if (outside - centre).abs() > 1e3 * (1.0 + se) {
                return None;
            }
            f_outside = excess(outside)?;
        }
        let mut last = 0.0_f64;
        for _ in 0..100 {
            let value = (inside * f_outside - outside * f_inside) / (f_outside - f_inside);
            let f = excess(value)?;
            if f.abs() < 1e-9 || (outside - inside).abs() < 1e-12 {
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
        None
    };
    // Where a refit does not come to its end, 1.96 standard errors stand in.
    [-1.0, 1.0].map(|side| {
        let found = end(side).unwrap_or(centre + side * Z95 * se);
        Some(if side < 0.0 { found.min(centre) } else { found.max(centre) })
    })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::super::design::{Cell, Patterns};
    use super::*;

    /// With an intercept alone the penalty adds half a success and half a failure. Figures for 12
    /// of 12: estimate ln 25 = 3.2189.
    #[test]
    fn an_intercept_gets_half_a_row_of_each_kind() {
        let mut patterns = Patterns::new();
        patterns.push(&[]);
        let cells = [(0, 25, 20), (1, 20, 8), (2, 12, 12)].map(|(block, trials, successes)| Cell {
            block,
            pattern: 0,
            trials,
            successes,
        });
        let toy = Problem::new(3, 0, patterns, cells.to_vec());
        let held = toy.all_free();
        let best = fit(&toy, &held, None, toy.origin()).expect("regular");
        assert!(best.converged);
        for (value, (n, k)) in
            best.point.blocks.iter().zip([(25.0, 20.0), (20.0, 8.0), (12.0, 12.0)])
        {
            let expected: f64 = ((k + 0.5_f64) / (n - k + 0.5)).ln();
            assert!((value - expected).abs() < 1e-9, "{value} {expected}");
        }
        // The penalised profile of one share alone: Beta(k + 1/2, n - k + 1/2) up to a constant.
        let [low, high] = interval(&toy, &held, &best, Parameter::Block(2));
        let log = |x: f64| 12.5 * sigmoid(x).ln() + 0.5 * sigmoid(-x).ln();
        let top = log(25.0_f64.ln());
        for end in [low, high] {
            let end = end.expect("closed");
            assert!((2.0 * (top - log(end)) - Z95 * Z95).abs() < 1e-6, "{end}");
        }
    }
}
