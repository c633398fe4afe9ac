//! Everything that a calibration says, whichever way it was fitted.

use super::break_skills::BreakSkills;
use super::estimate::{Calibration, Estimate, Status, standing_word};
use super::model::{FixError, Fixed, Model};
use super::words::Problem;
use crate::stats::calibration::cone::Undecided;
use crate::stats::calibration::design::{Parameter, Point};
use crate::stats::calibration::measures::{Bin, Measures, Residual};
use crate::stats::calibration::newton::Factor;
use crate::stats::calibration::profile::Ends;
use crate::stats::calibration::proportion::Share;
use crate::stats::calibration::slope::LikelihoodRatio;
use crate::stats::calibration::structure::Standing;
use rayon::prelude::*;
use serde::Serialize;

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
                 Gauss-Hermite quadrature with 15 nodes"
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

/// What a method made of the regression.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// How it ended.
    pub status: Status,
    /// Skills and shared terms, in the order of [`Model::parameters`].
    pub estimates: Vec<Estimate>,
    /// The point that measures refer to.
    pub point: Point,
    /// Steps of the fit.
    pub steps: u32,
    /// Estimated parameters of the regression.
    pub parameters: usize,
    /// Measures on the fitted cells.
    pub measures: Measures,
    /// What the method alone has.
    pub by: By,
}

/// What one method has and the others have not.
#[derive(Clone, Debug)]
pub enum By {
    /// Maximum likelihood.
    Likelihood {
        /// The information's factor, unless singular.
        factor: Option<Factor>,
    },
    /// Firth's penalty.
    Firth {
        /// The factor of the data's information.
        factor: Factor,
        /// The penalised log-likelihood.
        penalised: f64,
    },
    /// Skills integrated out.
    RandomSkills {
        /// Mean and spread of the skills.
        distribution: Box<[Estimate; 2]>,
        /// The marginal log-likelihood.
        marginal: f64,
        /// Shared terms that were free, and their covariance row by row.
        covariance: (Vec<usize>, Vec<f64>),
    },
}

impl By {
    /// The log-likelihood of the method itself, where it is not that of the rows.
    #[must_use]
    pub const fn objective(&self) -> Option<f64> {
        match self {
            Self::Likelihood { .. } => None,
            Self::Firth { penalised, .. } => Some(*penalised),
            Self::RandomSkills { marginal, .. } => Some(*marginal),
        }
    }
}

/// One parameter as every output shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// `skill.PLAYER`, `D.LEAVE`, `c`, `A0`, `skills.mean`, `skills.spread`, `P_SCRATCH`, ...
    pub name: String,
    /// The estimate, or the value it is held at; none if there is no finite one.
    pub estimate: Option<f64>,
    /// Its standard error.
    pub se: Option<f64>,
    /// Estimate and 1.96 standard errors on either side.
    pub wald95: Ends,
    /// The interval by the (penalised, marginal) likelihood ratio.
    pub profile95: Ends,
    /// The interval that is shown.
    pub interval95: Ends,
    /// Which one that is.
    pub interval: &'static str,
    /// Rows behind it.
    pub n: u64,
    /// `estimated`, `held`, `separated`, `unidentified`, `empty`, `unfinished`, `boundary`.
    pub standing: &'static str,
    /// The open sides of a separated parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<Open>,
    /// What a share has beside.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub share: Option<ShareLine>,
}

/// The open sides of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Open {
    /// Open above.
    pub above: bool,
    /// Open below.
    pub below: bool,
}

/// What a share has beside other parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShareLine {
    /// Rows with the outcome.
    pub successes: u64,
    /// Wilson's score interval.
    pub wilson95: [f64; 2],
    /// The exact interval of Clopper and Pearson.
    pub clopper_pearson95: [f64; 2],
    /// Goodman's interval, simultaneous over the outcomes of a break.
    pub simultaneous95: Option<[f64; 2]>,
}

impl NamedShare {
    /// The share as outputs show it; none without trials.
    fn line(&self) -> Option<Line> {
        let (share, open) = (self.share.as_ref(), [None, None]);
        let closed = |ends: [f64; 2]| ends.map(Some);
        Some(Line {
            name: self.name.clone(),
            estimate: Some(self.held.or(share.map(|s| s.estimate))?),
            se: share.map(|s| s.se),
            wald95: share.map_or(open, |s| closed(s.wald95)),
            profile95: share.map_or(open, |s| closed(s.profile95)),
            interval95: share.map_or(open, |s| closed(s.wilson95)),
            interval: if share.is_some() { "Wilson" } else { "" },
            n: share.map_or(0, |s| s.trials),
            standing: standing_word(if share.is_some() {
                Standing::Estimable
            } else {
                Standing::Held
            }),
            open: None,
            share: share.map(|s| ShareLine {
                successes: s.successes,
                wilson95: s.wilson95,
                clopper_pearson95: s.exact95,
                simultaneous95: (self.outcomes > 2).then(|| s.goodman95(self.outcomes)),
            }),
        })
    }
}

/// The whole result.
#[derive(Clone, Debug)]
pub struct Results {
    /// The request's method.
    pub method: Method,
    /// The model with its names and anchor.
    pub model: Model,
    /// Structure and maximum-likelihood fit.
    pub calibration: Calibration,
    /// What the method made of it.
    pub fitted: Fitted,
    /// Shares of counts.
    pub shares: Vec<NamedShare>,
    /// Break skills, and shares of the break at break skill 0 in place of those of all breaks.
    pub breaks: Option<BreakSkills>,
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
    /// Every parameter, as outputs show them.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        let distribution = match &self.fitted.by {
            By::RandomSkills { distribution, .. } => distribution.as_slice(),
            _ => &[],
        };
        let regression = self.fitted.estimates.iter().chain(distribution).map(Estimate::line);
        let shares = self.shares.iter().filter(|share| !self.is_replaced(&share.name));
        let breaks = self.breaks.iter().flat_map(BreakSkills::lines);
        regression.chain(shares.filter_map(NamedShare::line)).chain(breaks).collect()
    }

    /// Whether a share of the break gives way to the one at break skill 0.
    #[must_use]
    pub fn is_replaced(&self, share: &str) -> bool {
        self.breaks.is_some() && share.starts_with("BREAK.")
    }

    /// Names and covariance matrix of the estimated parameters of the regression. With more than
    /// `most` of them, of the shared terms alone.
    #[must_use]
    pub fn covariance(&self, most: usize) -> (Vec<String>, Vec<Vec<f64>>) {
        let factor = match &self.fitted.by {
            By::RandomSkills { covariance: (free, matrix), .. } => {
                let names = free.iter().map(|&j| self.model.terms[j].clone()).collect();
                return (names, matrix.chunks(free.len().max(1)).map(<[f64]>::to_vec).collect());
            }
            By::Likelihood { factor: None } => return (Vec::new(), Vec::new()),
            By::Likelihood { factor: Some(factor) } | By::Firth { factor, .. } => factor,
        };
        let estimated = |p: &Parameter| {
            let at = match p {
                Parameter::Block(p) => *p,
                Parameter::Shared(j) => self.model.players.len() + j,
            };
            self.fitted.estimates[at].standing == Standing::Estimable
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
