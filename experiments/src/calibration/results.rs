//! Everything that a calibration says, whichever way it was fitted.

use super::estimate::{Calibration, Estimate, Status};
use super::model::{FixError, Fixed, Model};
use super::words::Problem;
use crate::stats::calibration::cone::Undecided;
use crate::stats::calibration::design::{Parameter, Point};
use crate::stats::calibration::measures::{Bin, Measures, Residual};
use crate::stats::calibration::newton::Factor;
use crate::stats::calibration::proportion::Share;
use crate::stats::calibration::slope::LikelihoodRatio;
use crate::stats::calibration::structure::Standing;
use rayon::prelude::*;

/// Rows of a skill below which its estimate is called thin.
pub const THIN: u64 = 50;

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
