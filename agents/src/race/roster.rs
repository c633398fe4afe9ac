//! The agents of the race by name.

use super::agent::RaceAgent;
use super::first_hit::FirstHit;
use super::random::RandomAgent;
use crate::spec::{AgentSpec, SpecError};
use cuebench_engine::units::MAX_POWER;

/// Every agent of the race.
pub const RACE_AGENTS: &[&str] = &["random", "first_hit"];

/// The agent that `spec` describes.
///
/// # Errors
/// [`SpecError`] for unknown names and options, with the nearest known one, and for bad values.
pub fn race_agent(spec: &AgentSpec) -> Result<Box<dyn RaceAgent>, SpecError> {
    match spec.name.as_str() {
        "random" => {
            spec.only(&["min_power", "max_power"])?;
            let low = power(spec, "min_power", 1)?;
            let high = power(spec, "max_power", MAX_POWER)?;
            if low > high {
                return Err(spec.bad_value("min_power", &low.to_string(), "at most max_power"));
            }
            Ok(Box::new(RandomAgent::new(spec.to_string(), [low, high])))
        }
        "first_hit" => {
            spec.only(&["power"])?;
            Ok(Box::new(FirstHit::new(spec.to_string(), power(spec, "power", 300)?)))
        }
        _ => Err(spec.unknown(RACE_AGENTS)),
    }
}

fn power(spec: &AgentSpec, key: &str, default: u32) -> Result<u32, SpecError> {
    const EXPECTED: &str = "a power from 1 to 1000";
    let power = spec.value(key, default, EXPECTED)?;
    if (1..=MAX_POWER).contains(&power) {
        return Ok(power);
    }
    Err(spec.bad_value(key, &power.to_string(), EXPECTED))
}
