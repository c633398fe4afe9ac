//! The whole analysis of a log: the fit, its remedies, counts beside it, and how well it all holds.

use super::estimate::{Calibration, calibrate};
use super::family::Family;
use super::model::{Fixed, Model, Stage};
use super::remedy::{firth, random};
use super::results::{
    By, CalibrationError, Fitted, HeldOut, Method, NamedShare, Request, Results, Test,
};
use super::words::problems;
use crate::shot_log::schema::{
    MISS, MISS_SCRATCH, POT_NO_POSITION, POT_POSITION, POT_SCRATCH, SAFE_FOUL, SAFETY_RESULTS,
    SHOT_RESULTS,
};
use crate::shot_log::shots::{Counts, Position};
use crate::stats::calibration::cone::Undecided;
use crate::stats::calibration::design::{Cell, Parameter, Patterns, Point, Problem as Rows};
use crate::stats::calibration::measures::{self, Residual};
use crate::stats::calibration::newton;
use crate::stats::calibration::proportion::Share;
use crate::stats::calibration::shooter::{self, Role};
use crate::stats::calibration::slope;
use rayon::prelude::*;

/// Groups of the reliability table.
const BINS: usize = 10;

/// Fits `counts` and everything beside.
///
/// # Errors
/// When a fixed parameter does not exist, there are no rows, or the structure cannot be decided.
pub fn results(
    counts: &Counts,
    held_out: &Counts,
    breaks: Option<&[u64]>,
    position: Position,
    family: &Family,
    request: &Request,
) -> Result<Results, CalibrationError> {
    let leaves = &family.schema.leaves;
    let (share_names, fixed): (Vec<Fixed>, Vec<Fixed>) =
        request.fixed.iter().cloned().partition(|fixed| is_share(&fixed.name));
    let reference = |name: &str| family.number(name);
    let model = Model::new(counts, position, leaves, &fixed, reference)?;
    if model.problem.cells().is_empty() {
        return Err(CalibrationError::NoRows);
    }
    let calibration = calibrate(&model)?;
    let shares = shares(counts, breaks, family, &share_names);
    let problems = problems(&model, &calibration, leaves);
    let fitted = match request.method {
        Method::Likelihood => plain(&model, &calibration, request.skill_profiles)?,
        Method::Firth => firth(&model, &calibration, request.skill_profiles)?,
        Method::RandomSkills => random(&model)?,
    };
    let mut results = Results {
        method: request.method,
        fitted,
        shares,
        breaks: None,
        residuals: Vec::new(),
        bins: Vec::new(),
        isotonic: Vec::new(),
        tests: Vec::new(),
        held_out: None,
        problems,
        model,
        calibration,
    };
    let (tests, residuals) = rayon::join(|| tests(&results, leaves.len()), || residuals(&results));
    results.tests = tests?;
    results.residuals = residuals;
    results.bins = measures::reliability(&results.residuals, BINS);
    results.isotonic = measures::isotonic(&results.residuals);
    results.held_out = hold_out(&results, held_out, position, leaves);
    let without: Vec<String> = results
        .fitted
        .estimates
        .iter()
        .filter(|estimate| estimate.estimate.is_none())
        .map(|estimate| estimate.name.clone())
        .collect();
    // A remedy may have given an estimate to what plain maximum likelihood cannot tell.
    results.problems.retain(|problem| problem.parameters.iter().any(|p| without.contains(p)));
    Ok(results)
}

/// Plain maximum likelihood.
fn plain(model: &Model, calibration: &Calibration, skills: bool) -> Result<Fitted, Undecided> {
    let fit = &calibration.fit;
    Ok(Fitted {
        status: calibration.status(),
        estimates: calibration.estimates(model, skills)?,
        point: fit.point.clone(),
        steps: fit.steps,
        parameters: calibration.structure.held.free(),
        measures: measures::measures(&calibration.kept, &fit.point),
        by: By::Likelihood { factor: fit.factor.clone() },
    })
}

/// Whether a parameter is a share that may be held. (Shares of a break are not: they sum to 1.)
fn is_share(name: &str) -> bool {
    matches!(name, "P_SCRATCH" | "SAFE_FOUL")
}

fn shares(
    counts: &Counts,
    breaks: Option<&[u64]>,
    family: &Family,
    fixed: &[Fixed],
) -> Vec<NamedShare> {
    let mut shot = [0_u64; SHOT_RESULTS];
    let mut safety = [0_u64; SAFETY_RESULTS];
    for player in &counts.players {
        let all = player.by_leave.iter().chain(player.by_geometry.values());
        for results in all {
            shot.iter_mut().zip(results).for_each(|(sum, count)| *sum += count);
        }
        safety.iter_mut().zip(player.safeties).for_each(|(sum, count)| *sum += count);
    }
    let clean = shot[POT_POSITION] + shot[POT_NO_POSITION] + shot[MISS];
    let scratches = shot[POT_SCRATCH] + shot[MISS_SCRATCH];
    let held = |name: &str| fixed.iter().rev().find(|f| f.name == name).map(|f| f.value);
    let named = |name: String, k: u64, n: u64, outcomes: usize| {
        let held = held(&name);
        let share = if held.is_some() { None } else { Share::new(k, n) };
        NamedShare { name, share, held, outcomes }
    };
    let mut shares = vec![
        named("P_SCRATCH".to_owned(), scratches, clean + scratches, 2),
        named("SAFE_FOUL".to_owned(), safety[SAFE_FOUL], safety.iter().sum(), 2),
    ];
    if let Some(breaks) = breaks {
        let total = breaks.iter().sum();
        for ((_, key), &count) in family.schema.breaks.iter().zip(breaks) {
            shares.push(named(format!("BREAK.{key}"), count, total, breaks.len()));
        }
    }
    shares
}

fn tests(results: &Results, leaves: usize) -> Result<Vec<Test>, Undecided> {
    let (model, calibration) = (&results.model, &results.calibration);
    let mut tests: Vec<Test> = Stage::ALL
        .into_par_iter()
        .map(|stage| {
            let of_stage: Vec<bool> = model.meanings.iter().map(|m| m.stage == stage).collect();
            let held = &calibration.structure.held;
            let found = slope::test(&calibration.kept, held, &calibration.fit, &of_stage);
            Test {
                name: format!("slope of the {} stage is 1", stage.word()),
                slope: found.map(|(slope, _)| slope),
                ratio: found.map(|(_, ratio)| ratio),
            }
        })
        .collect();
    let roles: Option<Vec<Role>> = model
        .meanings
        .iter()
        .map(|meaning| match meaning.stage {
            Stage::Pot => meaning.leave.map(Role::Pot),
            Stage::Position => meaning.leave.map(Role::Position),
            Stage::Safety => Some(Role::Safety),
        })
        .collect();
    if let Some(roles) = roles {
        let ratio = shooter::test(
            &model.problem,
            &roles,
            leaves,
            shooter::reference(&model.held, leaves),
            calibration.fit.log_likelihood,
            calibration.structure.rank,
        )?;
        let name = "difficulty of every leave is the same for all shooters".to_owned();
        tests.push(Test { name, slope: None, ratio });
    }
    Ok(tests)
}

/// Residuals of the fitted cells, and of separated cells at their limit.
fn residuals(results: &Results) -> Vec<Residual> {
    let problem = &results.model.problem;
    let all = measures::residuals(problem, &results.fitted.point);
    if results.method != Method::Likelihood {
        return all;
    }
    let kept = &results.calibration.structure.kept;
    all.into_iter()
        .zip(kept)
        .map(|(residual, kept)| {
            if *kept {
                return residual;
            }
            let probability = if residual.cell.sign() > 0.0 { 1.0 } else { 0.0 };
            Residual { probability, z: 0.0, ..residual }
        })
        .collect()
}

fn hold_out(
    results: &Results,
    counts: &Counts,
    position: Position,
    leaves: &[String],
) -> Option<HeldOut> {
    if counts.players.is_empty() {
        return None;
    }
    let unseen = Model::new(counts, position, leaves, &[], |_| 0.0).ok()?;
    let known = |parameter: Parameter| {
        let estimate = match parameter {
            Parameter::Block(p) => results.fitted.estimates.get(p),
            Parameter::Shared(j) => results.fitted.estimates.get(results.model.players.len() + j),
        };
        estimate.is_some_and(|estimate| estimate.estimate.is_some())
    };
    let usable = |cell: &Cell| {
        let terms = unseen.problem.patterns.terms(cell.pattern as usize);
        known(Parameter::Block(cell.block as usize))
            && terms.iter().all(|t| known(Parameter::Shared(t.0 as usize)))
    };
    let kept: Vec<bool> = unseen.problem.cells().iter().map(usable).collect();
    let rows_without_estimate = unseen
        .problem
        .cells()
        .iter()
        .zip(&kept)
        .filter(|(_, kept)| !**kept)
        .map(|(cell, _)| cell.trials)
        .sum();
    let usable = unseen.problem.restricted(&kept);
    Some(HeldOut {
        measures: measures::measures(&usable, &results.fitted.point),
        rows_without_estimate,
        intercept_and_slope: recalibration(&usable, &results.fitted.point),
    })
}

/// A logistic regression of the rows on their predictor.
fn recalibration(problem: &Rows, point: &Point) -> Option<[(f64, f64); 2]> {
    let mut patterns = Patterns::new();
    let cells: Vec<Cell> = problem
        .cells()
        .iter()
        .map(|cell| {
            let pattern = patterns.push(&[(0, problem.predictor(cell, point))]);
            Cell { block: 0, pattern, ..*cell }
        })
        .collect();
    let line = Rows::new(1, 1, patterns, cells);
    let fit = newton::fit(&line, &line.all_free(), line.origin());
    let factor = fit.factor.filter(|_| fit.ending == newton::Ending::Converged)?;
    Some(
        [Parameter::Block(0), Parameter::Shared(0)]
            .map(|parameter| (fit.point.get(parameter), factor.variance_of(parameter).sqrt())),
    )
}
