//! What a training needs to go on as if it had never stopped.

use super::config::LearnConfig;
use super::curve::CurveRow;
use super::episode::{Sample, fits};
use super::fit::Fit;
use crate::output::write::write_whole;
use anyhow::{Context as _, ensure};
use cuebench_agents::net::{Adam, load_networks, save_networks};
use cuebench_agents::race::learned::{Model, POLICY_WIDTHS, VALUE_WIDTHS};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A larger checkpoint than this is none of ours, bytes.
const MAX_BYTES: u64 = 1 << 30;
/// Names of the networks in a checkpoint: the model's, then the optimisers' moments.
const NETWORKS: [(&str, &[usize]); 6] = [
    ("value", &VALUE_WIDTHS),
    ("policy", &POLICY_WIDTHS),
    ("value_mean", &VALUE_WIDTHS),
    ("value_square", &VALUE_WIDTHS),
    ("policy_mean", &POLICY_WIDTHS),
    ("policy_square", &POLICY_WIDTHS),
];

/// Where a training stands after a whole number of rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Rounds done.
    pub rounds: u64,
    /// Model and optimisers.
    pub fit: Fit,
    /// Samples of the last rounds, oldest round first.
    pub window: Vec<Vec<Sample>>,
    /// The learning curve so far.
    pub curve: Vec<CurveRow>,
    /// Seconds spent so far.
    pub spent_s: f64,
}

/// The form on disk.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// What the training was asked for; it must be the same to go on.
    asked: String,
    rounds: u64,
    networks: Vec<u8>,
    steps: [u64; 2],
    window: Vec<Vec<Sample>>,
    curve: Vec<CurveRow>,
    spent_s: f64,
}

/// The checkpoint that belongs to an output file.
#[must_use]
pub fn path_beside(out: &Path) -> PathBuf {
    out.with_extension("checkpoint")
}

/// What a training is asked for, as one text: seed, noise and every setting.
///
/// # Errors
/// When the settings cannot be written down, which no settings bring about.
pub fn asked(config: &LearnConfig, noise: &str, seed: u64) -> anyhow::Result<String> {
    Ok(serde_json::json!({ "seed": seed, "noise": noise, "config": config }).to_string())
}

/// Writes a checkpoint, whole or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn save(path: &Path, progress: &Progress, asked: &str) -> anyhow::Result<()> {
    let Fit { model, value, policy } = &progress.fit;
    let networks =
        [&model.value, &model.policy, &value.mean, &value.square, &policy.mean, &policy.square];
    let named: Vec<_> = NETWORKS.iter().map(|(name, _)| *name).zip(networks).collect();
    let stored = Stored {
        asked: asked.to_owned(),
        rounds: progress.rounds,
        networks: save_networks(&named, "checkpoint")?,
        steps: [value.steps, policy.steps],
        window: progress.window.clone(),
        curve: progress.curve.clone(),
        spent_s: progress.spent_s,
    };
    write_whole(path, postcard::to_stdvec(&stored).context("the checkpoint cannot be encoded")?)
}

/// Reads a checkpoint of the same training.
///
/// # Errors
/// For a missing, torn or foreign file, and for one of a training that asked for something else.
pub fn load(path: &Path, asked: &str) -> anyhow::Result<Progress> {
    let place = || format!("{}", path.display());
    let size = std::fs::metadata(path).with_context(place)?.len();
    ensure!(size <= MAX_BYTES, "{}: {size} bytes are no checkpoint", path.display());
    let bytes = std::fs::read(path).with_context(place)?;
    let stored: Stored = postcard::from_bytes(&bytes)
        .with_context(|| format!("{}: not a whole checkpoint; start without --resume", place()))?;
    ensure!(
        stored.asked == asked,
        "{}: a checkpoint of another training (seed, noise or settings differ); give them as \
         before, or start without --resume",
        path.display()
    );
    let (mut networks, _) = load_networks(&stored.networks, &NETWORKS).with_context(place)?;
    ensure!(
        stored.window.iter().flatten().all(fits),
        "{}: its samples have another shape than today's networks; start without --resume",
        path.display()
    );
    let mut next = || networks.remove(0);
    let model = Model { value: next(), policy: next() };
    let value = Adam { mean: next(), square: next(), steps: stored.steps[0] };
    let policy = Adam { mean: next(), square: next(), steps: stored.steps[1] };
    Ok(Progress {
        rounds: stored.rounds,
        fit: Fit { model, value, policy },
        window: stored.window,
        curve: stored.curve,
        spent_s: stored.spent_s,
    })
}
