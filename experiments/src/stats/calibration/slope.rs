//! Whether one stage discriminates more or less than the others: `logit P = a (s - d)` with a free
//! slope `a` in that stage, against `a = 1`.

use super::design::{Held, Point, Problem};
use super::newton::{self, Ending, sum_over};
use statrs::distribution::{ChiSquared, ContinuousCDF as _};

/// Refits before the search for the slope gives up.
const MAX_REFITS: u32 = 60;
/// The slopes that are searched.
const RANGE: [f64; 2] = [0.02, 50.0];

/// A likelihood-ratio test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LikelihoodRatio {
    /// Twice the gain of log-likelihood.
    pub statistic: f64,
    /// Degrees of freedom.
    pub df: u64,
    /// The chance of such a gain if the simpler model holds (chi-squared, large samples).
    pub p_value: f64,
}

impl LikelihoodRatio {
    /// The test of a gain of log-likelihood with `df` more parameters, at least one.
    #[must_use]
    pub fn new(gain: f64, df: u64) -> Option<Self> {
        let chi_squared = ChiSquared::new(df as f64).ok()?;
        let statistic = (2.0 * gain).max(0.0);
        Some(Self { statistic, df, p_value: chi_squared.sf(statistic) })
    }
}

/// The slope of the patterns marked in `stage` that maximises the likelihood, and its test against
/// 1; none when the stage has no rows or no slope in 0.02..50 is best. `start` is the fit at 1.
#[must_use]
pub fn test(
    problem: &Problem,
    held: &Held,
    start: &newton::Fit,
    stage: &[bool],
) -> Option<(f64, LikelihoodRatio)> {
    if !problem.cells().iter().any(|cell| stage[cell.pattern as usize]) {
        return None;
    }
    let mut scaled = problem.clone();
    let mut point = start.point.clone();
    let mut at = |slope: f64| {
        for (k, _) in stage.iter().enumerate().filter(|(_, in_stage)| **in_stage) {
            scaled.patterns.set_scale(k, slope);
        }
        let fit = newton::fit(&scaled, held, point.clone());
        if fit.ending != Ending::Converged {
            return None;
        }
        let rise = slope_score(&scaled, &fit.point, stage);
        point = fit.point;
        Some((fit.log_likelihood, rise))
    };
    let (slope, best) = maximum(&mut at)?;
    Some((slope, LikelihoodRatio::new(best - start.log_likelihood, 1)?))
}

/// Where the derivative `rise` of a smooth function vanishes, by bracketing from 1 and Illinois
/// steps in `ln slope`.
fn maximum(at: &mut impl FnMut(f64) -> Option<(f64, f64)>) -> Option<(f64, f64)> {
    let (mut value, mut rise) = at(1.0)?;
    let (mut near, mut f_near) = (0.0_f64, rise);
    let (mut far, mut f_far) = (near, f_near);
    while f_near * f_far > 0.0 {
        (near, f_near) = (far, f_far);
        far += 0.25 * f_near.signum();
        let slope = libm::exp(far);
        if !(RANGE[0]..=RANGE[1]).contains(&slope) {
            return None;
        }
        f_far = at(slope)?.1;
    }
    let mut log_slope = near;
    let mut last = 0.0_f64;
    for _ in 0..MAX_REFITS {
        if rise.abs() < 1e-9 || (far - near).abs() < 1e-12 {
            break;
        }
        log_slope = (near * f_far - far * f_near) / (f_far - f_near);
        (value, rise) = at(libm::exp(log_slope))?;
        if rise * f_far > 0.0 {
            (far, f_far) = (log_slope, rise);
            f_near = if last > 0.0 { f_near / 2.0 } else { f_near };
            last = 1.0;
        } else {
            (near, f_near) = (log_slope, rise);
            f_far = if last < 0.0 { f_far / 2.0 } else { f_far };
            last = -1.0;
        }
    }
    Some((libm::exp(log_slope), value))
}

/// The derivative of the likelihood by the common slope of a stage.
fn slope_score(problem: &Problem, point: &Point, stage: &[bool]) -> f64 {
    sum_over(problem, point, |cell, predictor, residual| {
        let k = cell.pattern as usize;
        if stage[k] { residual * predictor / problem.patterns.scale(k) } else { 0.0 }
    })
}
