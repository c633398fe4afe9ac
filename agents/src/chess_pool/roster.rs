//! The agents of chess pool by name.

use super::agent::ChessPoolAgent;
use super::random::RandomAgent;
use super::search::{Budget, SearchAgent};
use super::threshold::{Caution, ThresholdAgent};
use crate::spec::{AgentSpec, SpecError};

/// Every agent of chess pool.
pub const CHESS_POOL_AGENTS: &[&str] = &["random", "threshold", "search"];

/// The agent that `spec` describes.
///
/// # Errors
/// [`SpecError`] for unknown names and options, with the nearest known one, and for bad values.
pub fn chess_pool_agent(spec: &AgentSpec) -> Result<Box<dyn ChessPoolAgent>, SpecError> {
    let name = spec.to_string();
    match spec.name.as_str() {
        "random" => {
            spec.only(&["aimed"])?;
            let aimed = share(spec, "aimed", 0.0)?;
            Ok(Box::new(RandomAgent::new(name, (aimed * 1000.0).round() as u32)))
        }
        "threshold" => {
            spec.only(&["threshold", "sigma"])?;
            let usual = Caution::default();
            let sigma = spec.value("sigma", usual.sigma, SIGMA)?;
            if !(sigma > 0.0 && sigma <= 1.0) {
                return Err(spec.bad_value("sigma", &sigma.to_string(), SIGMA));
            }
            let threshold = share(spec, "threshold", usual.threshold)?;
            Ok(Box::new(ThresholdAgent::new(name, Caution { threshold, sigma })))
        }
        "search" => {
            spec.only(&["sims", "replies"])?;
            let usual = Budget::default();
            let sims = count(spec, "sims", usual.sims, 1)?;
            let replies = count(spec, "replies", usual.replies, 0)?;
            Ok(Box::new(SearchAgent::new(name, Budget { sims, replies })))
        }
        _ => Err(spec.unknown(CHESS_POOL_AGENTS)),
    }
}

const SIGMA: &str = "an aiming error in radians, above 0 and at most 1";

fn share(spec: &AgentSpec, key: &str, default: f64) -> Result<f64, SpecError> {
    const EXPECTED: &str = "a share from 0 to 1";
    let share = spec.value(key, default, EXPECTED)?;
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(spec.bad_value(key, &share.to_string(), EXPECTED))
}

fn count(spec: &AgentSpec, key: &str, default: u32, least: u32) -> Result<u32, SpecError> {
    const MOST: u32 = 1_000_000;
    let expected = format!("a whole number from {least} to {MOST}");
    let count = spec.value(key, default, &expected)?;
    if (least..=MOST).contains(&count) {
        return Ok(count);
    }
    Err(spec.bad_value(key, &count.to_string(), &expected))
}
