//! Remedies for thin data, in place of plain maximum likelihood; never applied unasked.

use super::estimate::{Calibration, Estimate, Status, shown, wald};
use super::model::Model;
use super::results::{By, CalibrationError, Fitted};
use crate::stats::calibration::design::{Cell, Parameter, Point, Problem as Rows};
use crate::stats::calibration::newton::{self, Ending};
use crate::stats::calibration::spread::{self, Uncertain};
use crate::stats::calibration::structure::{self, Standing};
use crate::stats::calibration::{firth, measures};
use rayon::prelude::*;

/// Penalised estimates. Nothing is separated then.
///
/// # Errors
/// When the information is singular.
pub fn firth(
    model: &Model,
    calibration: &Calibration,
    skills: bool,
) -> Result<Fitted, CalibrationError> {
    let structure = &calibration.structure;
    let held = &structure.held_over_all;
    let failed = || {
        CalibrationError::Method(
            "Firth's penalty: the information is singular; hold a parameter with --fix".to_owned(),
        )
    };
    let best = firth::fit(&model.problem, held, None, model.start.clone()).ok_or_else(failed)?;
    let (blocks, shared) = model.rows();
    let parameters: Vec<Parameter> = model.parameters().collect();
    let estimates: Vec<Estimate> = parameters
        .into_par_iter()
        .map(|parameter| {
            let (n, wanted) = match parameter {
                Parameter::Block(p) => (blocks[p], skills),
                Parameter::Shared(j) => (shared[j], true),
            };
            let standing = match structure.get(parameter) {
                Standing::Separated { .. } | Standing::Estimable if !best.converged => {
                    Standing::Unfinished
                }
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
            let wald95 = wald(value, se);
            Estimate {
                name: model.name(parameter),
                estimate: (free || standing == Standing::Held).then_some(value),
                se,
                wald95,
                profile95,
                interval95: shown(profile95, wald95, "penalised profile"),
                n,
                standing,
            }
        })
        .collect();
    Ok(Fitted {
        status: status(&estimates, best.converged),
        estimates,
        parameters: held.free(),
        measures: measures::measures(&model.problem, &best.point),
        steps: best.steps,
        by: By::Firth { factor: best.factor, penalised: best.penalised },
        point: best.point,
    })
}

/// The status once separated parameters have estimates.
fn status(estimates: &[Estimate], converged: bool) -> Status {
    let any = |wanted: fn(&Standing) -> bool| estimates.iter().any(|e| wanted(&e.standing));
    if !converged {
        Status::IterationLimit
    } else if any(|s| matches!(s, Standing::Separated { .. })) {
        Status::Separated
    } else if any(|s| *s == Standing::Unidentified) {
        Status::RankDeficient
    } else {
        Status::Converged
    }
}

/// What the marginal likelihood rests on.
#[derive(Debug)]
pub struct Pooled {
    /// The rows whose patterns keep a finite maximum.
    pub problem: Rows,
    /// What one player with all rows could tell.
    pub structure: structure::Structure,
    /// Shared terms and mean of one pooled skill.
    start: Vec<f64>,
    /// Whether that fit came to its end.
    ended: bool,
}

/// In the margin all skills move as one: what one player with all rows could not tell about shared
/// terms, the marginal likelihood cannot tell either.
///
/// # Errors
/// When the structure cannot be decided.
pub fn pooled(model: &Model) -> Result<Pooled, CalibrationError> {
    let cells = model.problem.cells().iter().map(|cell| Cell { block: 0, ..*cell });
    let patterns = model.problem.patterns.clone();
    let pooled = Rows::new(1, model.problem.shared, patterns, cells.collect());
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
    let at = Point {
        blocks: vec![model.start.blocks.first().copied().unwrap_or_default()],
        shared: model.start.shared.clone(),
    };
    let fit = newton::fit(&pooled.restricted(&structure.kept), &structure.held, at);
    let mut start = fit.point.shared;
    start.push(fit.point.blocks[0]);
    Ok(Pooled {
        problem: model.problem.restricted(&kept),
        structure,
        start,
        ended: fit.ending == Ending::Converged,
    })
}

impl Pooled {
    /// The fit; none where it did not come to its end or is singular.
    #[must_use]
    pub fn fit(&self) -> Option<spread::RandomFit> {
        let free_mean = !self.structure.held.blocks[0];
        let held = &self.structure.held.shared;
        spread::fit(&self.problem, held, free_mean, &self.start).filter(|_| self.ended)
    }
}

/// Estimates of the marginal likelihood.
///
/// # Errors
/// When a skill is held, or the structure cannot be decided.
pub fn random(model: &Model) -> Result<Fitted, CalibrationError> {
    if model.held.blocks.iter().any(|held| *held) {
        return Err(CalibrationError::Method(
            "--random-skills: a skill cannot be held as well; hold a leave or A0".to_owned(),
        ));
    }
    let pooled = pooled(model)?;
    let fit = pooled.fit().ok_or_else(|| {
        CalibrationError::Method(
            "--random-skills: the rows that keep a finite fit do not determine it; see what a fit \
             without it names, or hold a parameter with --fix"
                .to_owned(),
        )
    })?;
    let Pooled { problem, structure, .. } = pooled;
    let (blocks, shared) = model.rows();
    let converged = fit.best.converged;
    let ready = if converged { Standing::Estimable } else { Standing::Unfinished };
    let line = |name: String, value: Uncertain, n: u64, word: &'static str| Estimate {
        name,
        estimate: converged.then_some(value.value),
        se: value.se.filter(|_| converged),
        wald95: wald(value.value, value.se.filter(|_| converged)),
        profile95: [None, None],
        interval95: if converged { (value.interval95, word) } else { ([None, None], "") },
        n,
        standing: ready,
    };
    let of_skill = |(p, skill): (usize, &Uncertain)| {
        line(model.name(Parameter::Block(p)), *skill, blocks[p], "posterior over spreads")
    };
    let mut estimates: Vec<Estimate> = fit.skills.iter().enumerate().map(of_skill).collect();
    let terms: Vec<usize> = (0..model.terms.len()).collect();
    let lines: Vec<Estimate> = terms
        .into_par_iter()
        .map(|j| {
            let standing = match structure.shared[j] {
                Standing::Estimable => ready,
                other => other,
            };
            let free = standing == Standing::Estimable;
            let (se, value) = (fit.se(j).filter(|_| free), fit.best.values[j]);
            let profile95 = if free { fit.interval(&problem, j) } else { [None, None] };
            let wald95 = wald(value, se);
            Estimate {
                name: model.name(Parameter::Shared(j)),
                estimate: (free || standing == Standing::Held).then_some(value),
                se,
                wald95,
                profile95,
                interval95: shown(profile95, wald95, "marginal profile"),
                n: shared[j],
                standing,
            }
        })
        .collect();
    estimates.extend(lines);
    let rows = blocks.iter().sum();
    let mean = line("skills.mean".to_owned(), fit.mean, rows, "posterior over spreads");
    let mut width = line("skills.spread".to_owned(), fit.spread, rows, "restricted profile");
    if converged && fit.spread.value <= 0.0 {
        width.standing = Standing::Boundary;
    }
    let point = Point {
        blocks: fit.skills.iter().map(|skill| skill.value).collect(),
        shared: fit.best.values[..model.terms.len()].to_vec(),
    };
    let terms = model.terms.len();
    let kept: Vec<usize> = (0..fit.free.len()).filter(|&i| fit.free[i] < terms).collect();
    let size = fit.free.len() + usize::from(fit.best.spread > 0.0);
    let matrix = kept
        .iter()
        .flat_map(|&i| kept.iter().map(move |&j| (i, j)))
        .map(|(i, j)| fit.covariance[i * size + j])
        .collect();
    Ok(Fitted {
        status: status(&estimates, converged),
        estimates,
        steps: fit.best.steps,
        parameters: size,
        measures: measures::measures(&problem, &point),
        point,
        by: By::RandomSkills {
            distribution: Box::new([mean, width]),
            marginal: fit.best.here.value,
            covariance: (kept.iter().map(|&i| fit.free[i]).collect(), matrix),
        },
    })
}
