//! The agents of the race by name.

use super::agent::RaceAgent;
use super::first_hit::FirstHit;
use super::random::RandomAgent;
use super::search::{SearchAgent, Thinking};
use super::threshold::Threshold;
use crate::spec::{AgentSpec, SpecError};
use cuebench_engine::units::MAX_POWER;

/// Simulations a stroke of `search` unless it is told otherwise.
const DEFAULT_SIMS: u64 = 100_000;
/// The most that may be asked for.
const MAX_SIMS: u64 = 1_000_000_000;

/// Every agent of the race.
pub const RACE_AGENTS: &[&str] =
    &["random", "first_hit", "threshold", "search", "oracle_search", "learned"];

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
        "threshold" => threshold(spec),
        "search" => search(spec, false),
        "oracle_search" => search(spec, true),
        "learned" => Ok(Box::new(super::learned::learned(spec)?)),
        _ => Err(spec.unknown(RACE_AGENTS)),
    }
}

fn threshold(spec: &AgentSpec) -> Result<Box<dyn RaceAgent>, SpecError> {
    spec.only(&["tau", "sigma"])?;
    let tau = number(spec, "tau", 0.5, [0.0, 1.0], "a chance from 0 to 1")?;
    let sigma = number(spec, "sigma", 0.05, [0.0, 90.0], "an aiming error from 0 to 90 degrees")?;
    Ok(Box::new(Threshold::new(spec.to_string(), tau, sigma)))
}

fn search(spec: &AgentSpec, oracle: bool) -> Result<Box<dyn RaceAgent>, SpecError> {
    const SIMS: &str = "a number of simulations a stroke from 1 to 1000000000";
    const SECONDS: &str = "a number of seconds for the whole table from 0.001 to 3600";
    spec.only(&["sims", "seconds"])?;
    let given = |key: &str| spec.options.iter().any(|(k, _)| k == key);
    if given("sims") && given("seconds") {
        return Err(SpecError::Unusable {
            agent: spec.to_string(),
            reason: "give either sims (a stroke) or seconds (a table), not both".to_owned(),
        });
    }
    let thinking = if given("seconds") {
        Thinking::Seconds(number(spec, "seconds", 1.0, [0.001, 3600.0], SECONDS)?)
    } else {
        let sims = spec.value("sims", DEFAULT_SIMS, SIMS)?;
        if !(1..=MAX_SIMS).contains(&sims) {
            return Err(spec.bad_value("sims", &sims.to_string(), SIMS));
        }
        Thinking::Sims(sims)
    };
    Ok(Box::new(SearchAgent::new(spec.to_string(), thinking, oracle)))
}

/// A number within `range`.
fn number(
    spec: &AgentSpec,
    key: &str,
    default: f64,
    range: [f64; 2],
    expected: &str,
) -> Result<f64, SpecError> {
    let value = spec.value(key, default, expected)?;
    if (range[0]..=range[1]).contains(&value) {
        return Ok(value);
    }
    Err(spec.bad_value(key, &value.to_string(), expected))
}

fn power(spec: &AgentSpec, key: &str, default: u32) -> Result<u32, SpecError> {
    const EXPECTED: &str = "a power from 1 to 1000";
    let power = spec.value(key, default, EXPECTED)?;
    if (1..=MAX_POWER).contains(&power) {
        return Ok(power);
    }
    Err(spec.bad_value(key, &power.to_string(), EXPECTED))
}
