//! Remedies for thin data, in place of plain maximum likelihood; never applied unasked.

use super::estimate::{Estimate, Status};
use super::results::{CalibrationError, Results, SkillDistribution};
use crate::stats::calibration::design::{Cell, Parameter, Point, Problem as Rows};
use crate::stats::calibration::measures;
use crate::stats::calibration::structure::{self, Standing};
use crate::stats::calibration::{firth, random_skill};
use crate::stats::interval::Z95;
use rayon::prelude::*;

/// Replaces the estimates by penalised ones. Nothing is separated then.
///
/// # Errors
/// When the information is singular.
pub fn firth(results: &mut Results, skills: bool) -> Result<(), CalibrationError> {
    let (model, structure) = (&results.model, &results.calibration.structure);
    let held = &structure.held_over_all;
    let failed = || {
        CalibrationError::Method(
            "Firth's penalty: the information is singular; hold a parameter with --fix".to_owned(),
        )
    };
    let best = firth::fit(&model.problem, held, None, model.start.clone()).ok_or_else(failed)?;
    let (blocks, shared) = model.rows();
    let parameters: Vec<Parameter> = model.parameters().collect();
    let estimates = parameters
        .into_par_iter()
        .map(|parameter| {
            let (n, wanted) = match parameter {
                Parameter::Block(p) => (blocks[p], skills),
                Parameter::Shared(j) => (shared[j], true),
            };
            let standing = match structure.get(parameter) {
                Standing::Separated { .. } => Standing::Estimable,
                other => other,
            };
            let free = standing == Standing::Estimable;
            let value = best.point.get(parameter);
            let se = free.then(|| best.factor.variance_of(parameter).sqrt());
            let profile95 = if free && wanted {
                firth::interval(&model.problem, held, &best, parameter)
            } else {
                [None, None]
            };
            Estimate {
                name: model.name(parameter),
                estimate: (free || standing == Standing::Held).then_some(value),
                se,
                wald95: wald(value, se),
                profile95,
                n,
                standing,
            }
        })
        .collect();
    results.estimates = estimates;
    results.parameters = held.free();
    results.measures = measures::measures(&model.problem, &best.point);
    results.objective = Some(best.penalised);
    results.steps = best.steps;
    results.point = best.point;
    results.factor = Some(best.factor);
    results.status = after_remedy(results, best.converged);
    Ok(())
}

fn wald(value: f64, se: Option<f64>) -> [Option<f64>; 2] {
    se.map_or([None, None], |se| [Some(value - Z95 * se), Some(value + Z95 * se)])
}

/// The status once separated parameters have estimates.
fn after_remedy(results: &Results, converged: bool) -> Status {
    let any = |wanted: fn(&Standing) -> bool| results.estimates.iter().any(|e| wanted(&e.standing));
    if !converged {
        Status::IterationLimit
    } else if any(|s| matches!(s, Standing::Separated { .. })) {
        Status::Separated
    } else if any(|s| *s == Standing::Unidentified) {
        Status::RankDeficient
    } else if any(|s| *s == Standing::Empty) {
        Status::EmptyLevel
    } else {
        Status::Converged
    }
}

/// Replaces the estimates by those of the marginal likelihood.
///
/// # Errors
/// When a skill is held, or the structure cannot be decided.
pub fn random(results: &mut Results) -> Result<(), CalibrationError> {
    let model = &results.model;
    if model.held.blocks.iter().any(|held| *held) {
        return Err(CalibrationError::Method(
            "--random-skills: a skill cannot be held as well; hold a leave or A0".to_owned(),
        ));
    }
    // In the margin all skills move as one: what one player with all rows could not tell about
    // shared terms, the marginal likelihood cannot tell either.
    let pooled_cells = model.problem.cells().iter().map(|cell| Cell { block: 0, ..*cell });
    let patterns = model.problem.patterns.clone();
    let pooled = Rows::new(1, model.problem.shared, patterns, pooled_cells.collect());
    let mut held = pooled.all_free();
    held.shared.clone_from(&model.held.shared);
    let structure = structure::analyse(&pooled, &held)?;
    let aside: Vec<u32> = pooled
        .cells()
        .iter()
        .zip(&structure.kept)
        .filter(|(_, kept)| !**kept)
        .map(|(cell, _)| cell.pattern)
        .collect();
    let kept: Vec<bool> =
        model.problem.cells().iter().map(|cell| !aside.contains(&cell.pattern)).collect();
    let problem = model.problem.restricted(&kept);
    let mut start = model.start.shared.clone();
    start.extend([0.0, 0.0]);
    let free_mean = !structure.held.blocks[0];
    let fit = random_skill::fit(&problem, &structure.held.shared, free_mean, &start);
    let mut held = problem.all_free();
    held.shared.clone_from(&structure.held.shared);
    let (blocks, shared) = model.rows();
    let mut estimates: Vec<Estimate> = fit
        .skills
        .iter()
        .enumerate()
        .map(|(p, &[mean, deviation])| Estimate {
            name: model.name(Parameter::Block(p)),
            estimate: Some(mean),
            se: Some(deviation),
            wald95: wald(mean, Some(deviation)),
            profile95: [None, None],
            n: blocks[p],
            standing: Standing::Estimable,
        })
        .collect();
    let terms: Vec<usize> = (0..model.terms.len()).collect();
    let lines: Vec<Estimate> = terms
        .into_par_iter()
        .map(|j| {
            let standing = structure.shared[j];
            let free = standing == Standing::Estimable;
            let se = if free { fit.se(j) } else { None };
            let value = fit.values[j];
            Estimate {
                name: model.name(Parameter::Shared(j)),
                estimate: (free || standing == Standing::Held).then_some(value),
                se,
                wald95: wald(value, se),
                profile95: if free {
                    random_skill::interval(&problem, &fit, &held, free_mean, j)
                } else {
                    [None, None]
                },
                n: shared[j],
                standing,
            }
        })
        .collect();
    estimates.extend(lines);
    let (mean, spread) = (model.terms.len(), model.terms.len() + 1);
    let width = libm::exp(fit.values[spread]);
    results.skills = Some(SkillDistribution {
        mean: (fit.values[mean], fit.se(mean)),
        spread: (width, fit.se(spread).map(|se| se * width)),
    });
    results.point = Point {
        blocks: fit.skills.iter().map(|skill| skill[0]).collect(),
        shared: fit.values[..model.terms.len()].to_vec(),
    };
    results.measures = measures::measures(&problem, &results.point);
    results.parameters = fit.free.len();
    results.objective = Some(fit.log_likelihood);
    results.factor = None;
    results.shared_covariance = Some((fit.free.clone(), fit.covariance.clone()));
    results.steps = fit.steps;
    results.estimates = estimates;
    results.status = after_remedy(results, fit.converged);
    Ok(())
}
