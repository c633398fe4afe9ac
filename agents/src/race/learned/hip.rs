//! Shooting from the hip: the policy network alone on a few candidates, no simulation at all.

use super::candidates::{CandidateConfig, candidates};
use super::features::Position;
use super::model::{Evaluator, Judgement};
use crate::aim::{WHITE, wrap};
use crate::race::candidates::{contacts, stroke};
use cuebench_engine::shot::Stroke;

/// Settings of the choice.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HipConfig {
    /// The strokes that are weighed.
    pub candidates: CandidateConfig,
    /// Weight of being the search's choice beside the chance to pot.
    pub choice: f64,
    /// Power of a plain contact where there is no direct pot.
    pub contact_power: f64,
}

impl Default for HipConfig {
    fn default() -> Self {
        Self { candidates: CandidateConfig::narrow(), choice: 0.1, contact_power: 300.0 }
    }
}

/// The stroke that the policy likes best, or a plain contact; `None` when the ball on cannot be
/// reached by any simple route.
pub fn choose(
    position: &Position<'_>,
    any: bool,
    evaluator: &mut Evaluator<'_>,
    config: &HipConfig,
) -> Option<Stroke> {
    let list = candidates(position, any, &config.candidates);
    let judgements = evaluator.judge(&list);
    let score = |judged: &Judgement| log_chance(judged.pot) + config.choice * judged.choice;
    let best = (0..list.len())
        .max_by(|&a, &b| score(&judgements[a]).total_cmp(&score(&judgements[b])).then(b.cmp(&a)));
    match best {
        Some(index) => list[index].stroke(judgements[index].thin, judgements[index].log_speed),
        None => {
            // The contact nearest to a full one, which a mirrored table shares.
            let on = position.on()?;
            let straight = (position.scene.at[on]? - position.scene.at[WHITE]?).angle();
            let off = |aim: &f64| wrap(aim - straight).abs();
            let aims = contacts(&position.scene, on, 3);
            let aim = aims.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
            stroke(aim, config.contact_power)
        }
    }
}

/// Logarithm of the chance whose logit is `logit`.
fn log_chance(logit: f64) -> f64 {
    -libm::log1p(libm::exp(-logit.clamp(-40.0, 40.0)))
}
