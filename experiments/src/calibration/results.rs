//! Everything that a calibration says, whichever way it was fitted.

use super::estimate::{Calibration, Estimate, Status, calibrate};
use super::family::Family;
use super::model::{FixError, Fixed, Model, Stage};
use super::words::{Problem, problems};
use crate::shot_log::schema::{
    MISS, MISS_SCRATCH, POT_NO_POSITION, POT_POSITION, POT_SCRATCH, SAFE_FOUL, SAFETY_RESULTS,
    SHOT_RESULTS,
};
use crate::shot_log::shots::{Counts, Position};
use crate::stats::calibration::cone::Undecided;
use crate::stats::calibration::design::{Cell, Parameter, Patterns, Point, Problem as Rows};
use crate::stats::calibration::measures::{self, Bin, Measures, Residual};
use crate::stats::calibration::newton::{self, Factor};
use crate::stats::calibration::proportion::Share;
use crate::stats::calibration::shooter::{self, Role};
use crate::stats::calibration::slope::{self, LikelihoodRatio};
use crate::stats::calibration::structure::Standing;
use crate::stats::calibration::{firth, random_skill};
use crate::stats::interval::Z95;
use rayon::prelude::*;

/// Rows of a skill below which its estimate is called thin.
pub const THIN: u64 = 50;
/// Groups of the reliability table.
const BINS: usize = 10;

/// How parameters are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Maximum likelihood.
    Likelihood,
    /// Firth's penalty.
    Firth,
    /// Skills integrated out.
    RandomSkills,
}

impl Method {
    /// The method in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Likelihood => "maximum likelihood",
            Self::Firth => {
                "maximum likelihood with Firth's penalty (standard errors from the data alone)"
            }
            Self::RandomSkills => {
                "marginal maximum likelihood, skills normal and integrated out by adaptive \
                 Gauss-Hermite quadrature with 31 nodes"
            }
        }
    }
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Request {
    /// How parameters are estimated.
    pub method: Method,
    /// Parameters held.
    pub fixed: Vec<Fixed>,
    /// Search profiles of skills too.
    pub skill_profiles: bool,
}

/// A named test of an assumption.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// What is tested.
    pub name: String,
    /// The slope that fits best, for tests of slopes.
    pub slope: Option<f64>,
    /// The test, unless the data do not allow it.
    pub ratio: Option<LikelihoodRatio>,
}

/// How the fit does on rows that it has not seen.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOut {
    /// Measures on cells whose parameters all have estimates.
    pub measures: Measures,
    /// Rows of other cells.
    pub rows_without_estimate: u64,
    /// Intercept and slope (1 is right) of a logistic regression on the predictor, with standard
    /// errors; none if they have no finite estimate.
    pub intercept_and_slope: Option<[(f64, f64); 2]>,
}

/// A parameter that is a share of counts.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedShare {
    /// `P_SCRATCH`, `SAFE_FOUL`, `BREAK.KEY`.
    pub name: String,
    /// The share, unless held or without trials.
    pub share: Option<Share>,
    /// The value it is held at.
    pub held: Option<f64>,
    /// How many outcomes the multinomial has, for simultaneous intervals.
    pub outcomes: usize,
}

/// The distribution of random skills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkillDistribution {
    /// Mean and its standard error.
    pub mean: (f64, Option<f64>),
    /// Standard deviation and its standard error (delta method).
    pub spread: (f64, Option<f64>),
}

/// The whole result.
#[derive(Clone, Debug)]
pub struct Results {
    /// The request's method.
    pub method: Method,
    /// How it ended.
    pub status: Status,
    /// The model with its names and anchor.
    pub model: Model,
    /// Structure and maximum-likelihood fit.
    pub calibration: Calibration,
    /// Skills and shared terms.
    pub estimates: Vec<Estimate>,
    /// Shares of counts.
    pub shares: Vec<NamedShare>,
    /// Distribution of random skills.
    pub skills: Option<SkillDistribution>,
    /// The point that measures refer to.
    pub point: Point,
    /// The covariance's factor, for methods that have one.
    pub factor: Option<Factor>,
    /// Shared terms and their covariance, row by row, where skills are integrated out.
    pub shared_covariance: Option<(Vec<usize>, Vec<f64>)>,
    /// Steps of the fit.
    pub steps: u32,
    /// Estimated parameters of the regression.
    pub parameters: usize,
    /// Measures on the fitted cells.
    pub measures: Measures,
    /// Log-likelihood of the method itself, where it differs (penalised, marginal).
    pub objective: Option<f64>,
    /// Every fitted cell beside its probability.
    pub residuals: Vec<Residual>,
    /// Reliability groups.
    pub bins: Vec<Bin>,
    /// Isotonic steps.
    pub isotonic: Vec<(u64, f64, f64)>,
    /// Tests of the model's assumptions.
    pub tests: Vec<Test>,
    /// Rows held out.
    pub held_out: Option<HeldOut>,
    /// What the data cannot tell.
    pub problems: Vec<Problem>,
}

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// A parameter to hold does not exist.
    #[error(transparent)]
    Fix(#[from] FixError),
    /// The structure of the data could not be decided.
    #[error(transparent)]
    Undecided(#[from] Undecided),
    /// There is nothing to fit.
    #[error("the logs hold no shot and no safety to fit; give a log with rows")]
    NoRows,
    /// A remedy failed numerically.
    #[error("{0}")]
    Method(String),
}

impl Results {
    /// Names and covariance matrix of the estimated parameters of the regression. With more than
    /// `most` of them, of the shared terms alone.
    #[must_use]
    pub fn covariance(&self, most: usize) -> (Vec<String>, Vec<Vec<f64>>) {
        let terms = self.model.terms.len();
        if let Some((free, matrix)) = &self.shared_covariance {
            let kept = free.iter().take_while(|&&j| j < terms).count();
            let names = free[..kept].iter().map(|&j| self.model.terms[j].clone()).collect();
            let row = |i: usize| matrix[i * free.len()..i * free.len() + kept].to_vec();
            return (names, (0..kept).map(row).collect());
        }
        let Some(factor) = &self.factor else { return (Vec::new(), Vec::new()) };
        let estimated = |p: &Parameter| {
            let at = match p {
                Parameter::Block(p) => *p,
                Parameter::Shared(j) => self.model.players.len() + j,
            };
            self.estimates[at].standing == Standing::Estimable
        };
        let mut parameters: Vec<Parameter> = self.model.parameters().filter(estimated).collect();
        if parameters.len() > most {
            parameters.retain(|p| matches!(p, Parameter::Shared(_)));
        }
        let names = parameters.iter().map(|&p| self.model.name(p)).collect();
        let row = |&p: &Parameter| {
            let all = factor.covariances(p);
            parameters.iter().map(|&q| all.get(q)).collect()
        };
        (names, parameters.par_iter().map(row).collect())
    }
}

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
    let mut results = Results {
        method: request.method,
        status: calibration.status(),
        estimates: Vec::new(),
        shares,
        skills: None,
        point: calibration.fit.point.clone(),
        factor: calibration.fit.factor.clone(),
        shared_covariance: None,
        steps: calibration.fit.steps,
        parameters: calibration.structure.held.free(),
        measures: measures::measures(&calibration.kept, &calibration.fit.point),
        objective: None,
        residuals: Vec::new(),
        bins: Vec::new(),
        isotonic: Vec::new(),
        tests: Vec::new(),
        held_out: None,
        problems,
        model,
        calibration,
    };
    match request.method {
        Method::Likelihood => {
            results.estimates =
                results.calibration.estimates(&results.model, request.skill_profiles)?;
        }
        Method::Firth => firth(&mut results, request.skill_profiles)?,
        Method::RandomSkills => random(&mut results)?,
    }
    let (tests, residuals) = rayon::join(|| tests(&results, leaves.len()), || residuals(&results));
    results.tests = tests?;
    results.residuals = residuals;
    results.bins = measures::reliability(&results.residuals, BINS);
    results.isotonic = measures::isotonic(&results.residuals);
    results.held_out = hold_out(&results, held_out, position, leaves);
    let without: Vec<String> = results
        .estimates
        .iter()
        .filter(|estimate| estimate.estimate.is_none())
        .map(|estimate| estimate.name.clone())
        .collect();
    // A remedy may have given an estimate to what plain maximum likelihood cannot tell.
    results.problems.retain(|problem| problem.parameters.iter().any(|p| without.contains(p)));
    Ok(results)
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
    let all = measures::residuals(problem, &results.point);
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
            Parameter::Block(p) => results.estimates.get(p),
            Parameter::Shared(j) => results.estimates.get(results.model.players.len() + j),
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
        measures: measures::measures(&usable, &results.point),
        rows_without_estimate,
        intercept_and_slope: recalibration(&usable, &results.point),
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

/// Replaces the estimates by penalised ones. Nothing is separated then.
fn firth(results: &mut Results, skills: bool) -> Result<(), CalibrationError> {
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
fn random(results: &mut Results) -> Result<(), CalibrationError> {
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
    let structure = crate::stats::calibration::structure::analyse(&pooled, &held)?;
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
