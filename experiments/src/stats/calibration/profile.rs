//! Profile-likelihood intervals: the values of one parameter that the likelihood-ratio test does
//! not reject, all others refitted.

use super::cone::Undecided;
use super::design::{Parameter, Point, Problem};
use super::newton::{self, Ending, Fit};
use super::structure::{Standing, Structure, analyse};
use crate::stats::interval::Z95;

/// Refits before a search for an end gives up.
const MAX_REFITS: u32 = 60;
/// An end is found when the signed root of the deviance is this near its target.
const TOLERANCE: f64 = 1e-9;

/// The ends of an interval; a missing end is open or could not be found.
pub type Ends = [Option<f64>; 2];

/// A constrained refit: likelihood and score of the parameter at a value of it.
struct Constrained<'a> {
    problem: &'a Problem,
    held: super::design::Held,
    parameter: Parameter,
    warm: Point,
}

impl Constrained<'_> {
    /// The maximal log-likelihood at `value` and its slope.
    fn at(&mut self, value: f64) -> Option<(f64, f64)> {
        self.warm.set(self.parameter, value);
        let fit = newton::fit(self.problem, &self.held, self.warm.clone());
        if fit.ending == Ending::Singular || !fit.log_likelihood.is_finite() {
            return None;
        }
        let slope = match self.parameter {
            Parameter::Block(p) => fit.derivatives.block_score[p],
            Parameter::Shared(j) => fit.derivatives.shared_score[j],
        };
        self.warm = fit.point;
        Some((fit.log_likelihood, slope))
    }
}

/// The profile 95 % interval of `parameter`. `kept` is the problem restricted to the cells that
/// `structure` keeps, and `fit` its fit.
///
/// # Errors
/// When the structure of a constrained problem cannot be decided.
pub fn interval(
    problem: &Problem,
    kept: &Problem,
    structure: &Structure,
    fit: &Fit,
    parameter: Parameter,
) -> Result<Ends, Undecided> {
    match structure.get(parameter) {
        Standing::Estimable => Ok(estimable(kept, structure, fit, parameter)),
        Standing::Separated { up, down } if up != down => {
            separated(problem, structure, fit, parameter, up)
        }
        _ => Ok([None, None]),
    }
}

fn estimable(kept: &Problem, structure: &Structure, fit: &Fit, parameter: Parameter) -> Ends {
    let Some(factor) = &fit.factor else { return [None, None] };
    let se = factor.variance_of(parameter).sqrt();
    let centre = fit.point.get(parameter);
    let held = structure.held.and(parameter);
    let end = |side: f64| {
        let mut refit =
            Constrained { problem: kept, held: held.clone(), parameter, warm: fit.point.clone() };
        // The root's slope at the centre is 1 / se, exactly what the Wald interval uses.
        let root = |refit: &mut Constrained<'_>, value: f64| {
            let (likelihood, slope) = refit.at(value)?;
            let root = (2.0 * (fit.log_likelihood - likelihood)).max(0.0).sqrt();
            Some((root, -slope / root * side))
        };
        let (mut inside, mut outside) = (centre, f64::INFINITY * side);
        let mut value = centre + side * Z95 * se;
        for _ in 0..MAX_REFITS {
            let (root, rise) = root(&mut refit, value)?;
            if (root - Z95).abs() < TOLERANCE {
                return Some(value);
            }
            if root < Z95 {
                inside = value
            } else {
                outside = value
            }
            let next = value + side * (Z95 - root) / rise.max(1e-300);
            let between = (next - inside) * side > 0.0 && (outside - next) * side > 0.0;
            let bounded = outside.is_finite() || (next - value).abs() < 8.0 * se;
            value = if between && bounded {
                next
            } else if outside.is_finite() {
                f64::midpoint(inside, outside)
            } else {
                value + side * 8.0 * se
            };
            if (outside - inside).abs() < 1e-12 * (1.0 + inside.abs()) {
                return Some(value);
            }
        }
        None
    };
    // Where a refit does not come to its end, 1.96 standard errors stand in.
    [-1.0, 1.0].map(|side| {
        let found = end(side).unwrap_or(centre + side * Z95 * se);
        Some(if side < 0.0 { found.min(centre) } else { found.max(centre) })
    })
}

/// The closed end of a separated parameter: the likelihood of the whole data, refitted with the
/// parameter given, falls by half the 95 % point of chi-squared below its supremum there.
fn separated(
    problem: &Problem,
    structure: &Structure,
    fit: &Fit,
    parameter: Parameter,
    up: bool,
) -> Result<Ends, Undecided> {
    let mut held = super::design::Held {
        blocks: structure.blocks.iter().map(|s| *s == Standing::Held).collect(),
        shared: structure.shared.iter().map(|s| *s == Standing::Held).collect(),
    };
    held = held.and(parameter);
    let given = analyse(problem, &held)?;
    let kept = problem.restricted(&given.kept);
    let mut refit =
        Constrained { problem: &kept, held: given.held, parameter, warm: fit.point.clone() };
    let end = descend(&mut refit, fit.log_likelihood, if up { 1.0 } else { -1.0 });
    Ok(if up { [end, None] } else { [None, end] })
}

/// The value at which the likelihood, which rises toward `side`, lies `Z95² / 2` below `supremum`.
fn descend(refit: &mut Constrained<'_>, supremum: f64, side: f64) -> Option<f64> {
    let start = refit.warm.clone();
    let from = start.get(refit.parameter);
    let mut excess = |value: f64| {
        refit.warm = start.clone();
        let (likelihood, _) = refit.at(value)?;
        Some((2.0 * (supremum - likelihood)).max(0.0).sqrt() - Z95)
    };
    // `near` lies toward the open side (too likely), `far` away from it (not likely enough).
    let first = excess(from)?;
    let (mut near, mut far) = (from, from);
    let (mut f_near, mut f_far) = (first, first);
    let mut width = 1.0;
    while f_near > 0.0 {
        (far, f_far) = (near, f_near);
        near += side * width;
        f_near = excess(near)?;
        width *= 2.0;
        if width > 1e6 {
            return None;
        }
    }
    while f_far < 0.0 {
        (near, f_near) = (far, f_far);
        far -= side * width;
        f_far = excess(far)?;
        width *= 2.0;
        if width > 1e6 {
            return None;
        }
    }
    // Regula falsi with halving of the end that stays (Illinois).
    let mut last = 0.0_f64;
    for _ in 0..2 * MAX_REFITS {
        let value = (near * f_far - far * f_near) / (f_far - f_near);
        let f = excess(value)?;
        if f.abs() < TOLERANCE || (near - far).abs() < 1e-12 {
            return Some(value);
        }
        if f < 0.0 {
            (near, f_near) = (value, f);
            f_far = if last < 0.0 { f_far / 2.0 } else { f_far };
        } else {
            (far, f_far) = (value, f);
            f_near = if last > 0.0 { f_near / 2.0 } else { f_near };
        }
        last = f;
    }
    None
}
