//! `learned[:FILE]` and its options as an agent's text.

use super::agent::{LearnedAgent, LearnedConfig};
use super::model::{Model, Weights};
use crate::roster::{Opt, Roster as _};
use crate::spec::{AgentSpec, SpecError};
use cuebench_engine::snooker::Race;
use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;

const EXPECTED: &str = "a number of simulations, at least 1";
const SIMS: Opt = Opt::new("sims", EXPECTED, "2000");
const TABLE_SIMS: Opt = Opt::new("table_sims", EXPECTED, "18446744073709551615");
/// Options; any other word is a file of weights.
pub const OPTIONS: &[Opt] =
    &[Opt::new("hip", "written without a value: no simulation at all", ""), SIMS, TABLE_SIMS];
/// The weights that ship with the project: for sure aims and for the noise of the olympiad.
const SHIPPED: &[u8] = include_bytes!("../../../models/race.safetensors");
const SHIPPED_NOISE: &[u8] = include_bytes!("../../../models/race-olympiad.safetensors");
/// The most bytes that are read of a file of weights.
const MAX_BYTES: u64 = 64 << 20;

/// The agent that `spec` describes.
///
/// # Errors
/// [`SpecError`] for unknown options and bad values, and for files that are no weights.
pub fn learned(game: &Race, spec: &AgentSpec) -> Result<LearnedAgent, SpecError> {
    let file = spec.options.iter().find(|(key, value)| value.is_none() && key != "hip");
    let known = AgentSpec {
        name: spec.name.clone(),
        options: spec.options.iter().filter(|option| Some(*option) != file).cloned().collect(),
    };
    game.entry(&known, &[])?;
    let config = LearnedConfig {
        sims: SIMS.number(spec, [1, u64::MAX])?,
        table_sims: TABLE_SIMS.number(spec, [1, u64::MAX])?,
        from_the_hip: spec.options.iter().any(|(key, _)| key == "hip"),
        ..LearnedConfig::default()
    };
    let weights = match file {
        Some((path, _)) => {
            let model = Arc::new(read(spec, path)?);
            Weights { sure: Arc::clone(&model), noisy: model }
        }
        None => Weights { sure: shipped(spec, SHIPPED)?, noisy: shipped(spec, SHIPPED_NOISE)? },
    };
    Ok(LearnedAgent::with_weights(weights, config))
}

fn shipped(spec: &AgentSpec, bytes: &[u8]) -> Result<Arc<Model>, SpecError> {
    Model::from_bytes(bytes)
        .map(|(model, _)| Arc::new(model))
        .map_err(|error| unusable(spec, &error))
}

fn read(spec: &AgentSpec, path: &str) -> Result<Model, SpecError> {
    let place = |error: &dyn std::fmt::Display| unusable(spec, &format_args!("{path}: {error}"));
    let file = File::open(path).map_err(|error| {
        place(&format_args!(
            "{error}; a word that is no option ({}) is a file of weights",
            OPTIONS.iter().map(|option| option.name).collect::<Vec<_>>().join(", ")
        ))
    })?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| place(&error))?;
    Model::from_bytes(&bytes).map(|(model, _)| model).map_err(|error| place(&error))
}

fn unusable(spec: &AgentSpec, reason: &dyn std::fmt::Display) -> SpecError {
    SpecError::Unusable { agent: spec.name.clone(), reason: reason.to_string() }
}
