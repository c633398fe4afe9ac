//! The fit of a model with the standing and the intervals of every parameter.

use super::model::Model;
use super::results::{Line, Open};
use crate::stats::calibration::cone::Undecided;
use crate::stats::calibration::design::{Parameter, Problem};
use crate::stats::calibration::newton::{self, Ending, Fit};
use crate::stats::calibration::profile::{self, Ends};
use crate::stats::calibration::structure::{Standing, Structure, analyse};
use crate::stats::interval::Z95;
use rayon::prelude::*;

/// How a calibration ended, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The information was singular or steps ran out although the structure is sound.
    IterationLimit,
    /// Some parameters are separated.
    Separated,
    /// Some parameters are determined only together.
    RankDeficient,
    /// Every free parameter that rows speak of has an estimate.
    Converged,
}

impl Status {
    /// The status in machine output.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::IterationLimit => "iteration_limit",
            Self::Separated => "separated",
            Self::RankDeficient => "rank_deficient",
            Self::Converged => "converged",
        }
    }
}

/// One line of the table of estimates.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// `skill.PLAYER`, `D.LEAVE`, `c`, `A0`, ...
    pub name: String,
    /// The estimate, or the value it is held at; none if there is no finite one.
    pub estimate: Option<f64>,
    /// Its standard error; none if held or without estimate.
    pub se: Option<f64>,
    /// Wald interval.
    pub wald95: Ends,
    /// Profile-likelihood interval; a missing end is open.
    pub profile95: Ends,
    /// The interval that is shown, and which one that is.
    pub interval95: (Ends, &'static str),
    /// Rows behind it.
    pub n: u64,
    /// What can be said of it.
    pub standing: Standing,
}

/// The word for a standing.
#[must_use]
pub const fn standing_word(standing: Standing) -> &'static str {
    match standing {
        Standing::Held => "held",
        Standing::Estimable => "estimated",
        Standing::Separated { .. } => "separated",
        Standing::Unidentified => "unidentified",
        Standing::Empty => "empty",
        Standing::Unfinished => "unfinished",
        Standing::Boundary => "boundary",
    }
}

impl Estimate {
    /// The estimate as outputs show it.
    pub(super) fn line(&self) -> Line {
        Line {
            name: self.name.clone(),
            estimate: self.estimate,
            se: self.se,
            wald95: self.wald95,
            profile95: self.profile95,
            interval95: self.interval95.0,
            interval: self.interval95.1,
            n: self.n,
            standing: standing_word(self.standing),
            open: match self.standing {
                Standing::Separated { up, down } => Some(Open { above: up, below: down }),
                _ => None,
            },
            share: None,
        }
    }
}

/// The Wald interval of a value.
#[must_use]
pub fn wald(value: f64, se: Option<f64>) -> Ends {
    se.map_or([None, None], |se| [Some(value - Z95 * se), Some(value + Z95 * se)])
}

/// The interval to show: by the likelihood ratio where there is one, else Wald's.
#[must_use]
pub fn shown(profile95: Ends, wald95: Ends, word: &'static str) -> (Ends, &'static str) {
    match (profile95, wald95) {
        ([None, None], [None, None]) => ([None, None], ""),
        ([None, None], _) => (wald95, "Wald"),
        _ => (profile95, word),
    }
}

/// A fitted model.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// What the data can tell.
    pub structure: Structure,
    /// The cells that the fit rests on.
    pub kept: Problem,
    /// The fit.
    pub fit: Fit,
}

/// Decides the structure and fits what can be fitted.
///
/// # Errors
/// When the structure cannot be decided.
pub fn calibrate(model: &Model) -> Result<Calibration, Undecided> {
    let structure = analyse(&model.problem, &model.held)?;
    let kept = model.problem.restricted(&structure.kept);
    let fit = newton::fit(&kept, &structure.held, model.start.clone());
    Ok(Calibration { structure, kept, fit })
}

impl Calibration {
    /// How it ended.
    #[must_use]
    pub fn status(&self) -> Status {
        let any = |wanted: fn(&Standing) -> bool| {
            self.structure.blocks.iter().chain(&self.structure.shared).any(wanted)
        };
        if self.fit.ending != Ending::Converged {
            Status::IterationLimit
        } else if any(|s| matches!(s, Standing::Separated { .. })) {
            Status::Separated
        } else if any(|s| *s == Standing::Unidentified) {
            Status::RankDeficient
        } else {
            Status::Converged
        }
    }

    /// The table of estimates. Profiles are searched for shared terms, and for skills if
    /// `skills` says so.
    ///
    /// # Errors
    /// When the structure of a constrained problem cannot be decided.
    pub fn estimates(&self, model: &Model, skills: bool) -> Result<Vec<Estimate>, Undecided> {
        let (blocks, shared) = model.rows();
        let parameters: Vec<Parameter> = model.parameters().collect();
        parameters
            .into_par_iter()
            .map(|parameter| {
                let (n, wanted) = match parameter {
                    Parameter::Block(p) => (blocks[p], skills),
                    Parameter::Shared(j) => (shared[j], true),
                };
                let profile95 = if wanted && self.fit.ending == Ending::Converged {
                    profile::interval(
                        &model.problem,
                        &self.kept,
                        &self.structure,
                        &self.fit,
                        parameter,
                    )?
                } else {
                    [None, None]
                };
                Ok(self.line(model, parameter, n, profile95))
            })
            .collect()
    }

    fn line(&self, model: &Model, parameter: Parameter, n: u64, profile95: Ends) -> Estimate {
        let standing = match self.structure.get(parameter) {
            Standing::Estimable if self.fit.ending != Ending::Converged => Standing::Unfinished,
            other => other,
        };
        let value = self.fit.point.get(parameter);
        let estimate = matches!(standing, Standing::Held | Standing::Estimable).then_some(value);
        let se = (standing == Standing::Estimable)
            .then(|| self.fit.factor.as_ref().map(|f| f.variance_of(parameter).sqrt()))
            .flatten();
        let wald95 = wald(value, se);
        let interval95 = shown(profile95, wald95, "profile");
        let name = model.name(parameter);
        Estimate { name, estimate, se, wald95, profile95, interval95, n, standing }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Fixed;
    use super::*;
    use crate::shot_log::columns::Names;
    use crate::shot_log::schema::Schema;
    use crate::shot_log::shots::{Options, ShotLog, read};
    use crate::stats::calibration::measures::measures;
    use std::path::PathBuf;

    fn schema() -> Schema {
        let words = |list: &[&str]| list.iter().map(|&w| w.to_owned()).collect::<Vec<_>>();
        Schema {
            leaves: words(&["easy", "medium", "hard", "very_hard", "bih_anywhere", "bih_kitchen"]),
            shot: ["pot_position", "pot_no_position", "pot_scratch", "miss", "miss_scratch"]
                .map(str::to_owned),
            safety: ["safe_good", "safe_poor", "safe_foul"].map(str::to_owned),
            breaks: Vec::new(),
        }
    }

    fn options() -> Options {
        Options {
            names: Names::default(),
            skip_bad: false,
            geometry: false,
            hold_out: 0.0,
            seed: 1,
            separate_frames: false,
        }
    }

    fn fixture() -> ShotLog {
        let data = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("../tests/data/calibration/shots_counts.csv");
        read(&[data], &schema(), &options()).expect("a good log")
    }

    /// Estimates, standard errors and profile ends of an independent fit (dense Newton, checked
    /// against a second package) of the same 14 516 shots.
    #[test]
    fn the_reference_fit_is_reproduced() {
        let log = fixture();
        let fixed = [Fixed { name: "D.easy".to_owned(), value: 0.0 }];
        let model = Model::new(&log.counts, log.position, &schema().leaves, &fixed, |_| 0.0)
            .expect("a model");
        let calibration = calibrate(&model).expect("decided");
        assert_eq!(calibration.status(), Status::Converged);
        let estimates = calibration.estimates(&model, true).expect("decided");
        for (name, value, se, low, high) in [
            ("skill.0", 0.83012560, 0.08360036, 0.6667, 0.9945),
            ("skill.3", 1.92551347, 0.07655539, 1.7765, 2.0766),
            ("skill.7", 3.29016304, 0.08438196, 3.1264, 3.4572),
            ("D.medium", 1.45908848, 0.06387780, 1.3349, 1.5853),
            ("D.hard", 3.01308569, 0.10386928, 2.8110, 3.2183),
            ("D.very_hard", 4.45310615, 0.12327999, 4.2158, 4.6994),
            ("D.bih_anywhere", -0.49810602, 0.12197557, -0.7405, -0.2620),
            ("D.bih_kitchen", 1.14858633, 0.32231488, 0.5009, 1.7714),
            ("c", 0.93265275, 0.04913606, 0.8366, 1.0292),
            ("A0", 1.45370208, 0.06896214, 1.3195, 1.5899),
        ] {
            let line = estimates.iter().find(|e| e.name == name).expect("named");
            assert!((line.estimate.expect("finite") - value).abs() < 1e-8, "{line:?}");
            assert!((line.se.expect("finite") - se).abs() < 1e-8, "{line:?}");
            let [a, b] = line.profile95.map(|end| end.expect("closed"));
            assert!((a - low).abs() < 1e-4 && (b - high).abs() < 1e-4, "{line:?}");
        }
        let kitchen = estimates.iter().find(|e| e.name == "D.bih_kitchen").expect("named");
        assert_eq!(kitchen.n, 27);
        let m = measures(&model.problem, &calibration.fit.point);
        assert_eq!((m.rows, m.cells), (18_265, 104));
        assert!((m.log_likelihood + 10_037.463083).abs() < 1e-6, "{m:?}");
        assert!((m.log_likelihood + m.log_coefficients + 233.082309).abs() < 1e-6, "{m:?}");
        assert!((m.deviance - 82.8564).abs() < 1e-4 && (m.pearson - 74.2530).abs() < 1e-4);
        assert!((m.brier - 0.186417).abs() < 1e-6 && (m.log_loss - 0.549546).abs() < 1e-6);
        assert!((m.base_log_loss - 0.680515).abs() < 1e-6);
    }
}
