//! How good a model is: on held-out positions, and at the table.

use super::config::LearnConfig;
use super::episode::Sample;
use super::fit::excess;
use crate::output::rows::learn::ReliabilityRow;
use cuebench_agents::aim::Pockets;
use cuebench_agents::net::Activations;
use cuebench_agents::race::learned::{
    Evaluator, LearnedAgent, LearnedConfig, Model, Position, VALUE_INPUTS, choose_from_the_hip,
};
use cuebench_agents::referee::{Seated, Terms, play_alone};
use cuebench_engine::game::Seed;
use cuebench_engine::snooker::{
    Action, AimNoise, CLOCK_MS, Closed, Options, Race, SeatResult, SeatTable, TableOption,
};
use ndarray::Array2;
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// First seed of the tables that strength is measured on; training tables have random seeds.
pub const STRENGTH_SEED: u64 = 900_001;
/// Rows of a reliability table.
const TENTHS: usize = 10;

/// Strength on the measured tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Mean strokes to clear; a table that was not cleared counts as the most strokes and one.
    pub mean_strokes: f64,
    /// Share cleared.
    pub cleared: f64,
    /// Share of tables whose first stroke pots, shot from the hip.
    pub hip_pots: f64,
}

/// Plays the measured tables; the same at any number of threads.
///
/// # Errors
/// When the engine or the agent refuses, which would be a defect.
pub fn strength(
    model: &Arc<Model>,
    config: &LearnConfig,
    noise: Option<AimNoise>,
) -> anyhow::Result<Strength> {
    let played: Vec<anyhow::Result<(u32, bool, bool)>> = (0..config.strength_tables)
        .into_par_iter()
        .map(|table| {
            let (race, seed) = (race_of(noise), STRENGTH_SEED + table);
            let seat = SeatTable::new(race.setup(Seed::open(seed)));
            let pots = hip_pots(model, config, &seat)?;
            let (strokes, cleared) = clear(model, config, &race, seed)?;
            Ok((strokes, cleared, pots))
        })
        .collect();
    let played = played.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    let tables = played.len().max(1) as f64;
    let share = |count: usize| count as f64 / tables;
    Ok(Strength {
        mean_strokes: played.iter().map(|p| f64::from(p.0)).sum::<f64>() / tables,
        cleared: share(played.iter().filter(|p| p.1).count()),
        hip_pots: share(played.iter().filter(|p| p.2).count()),
    })
}

fn race_of(noise: Option<AimNoise>) -> Race {
    let options = Options { table: TableOption::Known, ..Options::default() };
    Race { options, noise, clock_ms: None, alone: true }
}

/// Strokes to clear a table, and whether it was cleared.
fn clear(
    model: &Arc<Model>,
    config: &LearnConfig,
    race: &Race,
    seed: u64,
) -> anyhow::Result<(u32, bool)> {
    let settings = LearnedConfig {
        sims: config.strength_sims,
        truths: config.truths,
        plan: config.plan.clone(),
        doubt: config.doubt.clone(),
        hip: config.hip.clone(),
        ..LearnedConfig::default()
    };
    let mut agent = LearnedAgent::new(Arc::clone(model), settings);
    let terms = Terms::free(Duration::from_millis(CLOCK_MS));
    let played = play_alone(race, Seed::open(seed), &mut agent, &terms);
    let [Seated { fault, .. }, _] = played.seats;
    fault.map_or(Ok(()), Err)?;
    let SeatResult { strokes, closed, .. } = played.state.result(0);
    let cleared = closed == Closed::Cleared;
    Ok((strokes + u32::from(!cleared), cleared))
}

/// Whether a first stroke from the hip pots legally.
fn hip_pots(model: &Model, config: &LearnConfig, seat: &SeatTable) -> anyhow::Result<bool> {
    let pockets = Pockets::of(seat.table().geometry());
    let position = Position::new(&pockets, seat.values(), seat.balls(), false, seat.setup().noise);
    let stroke = choose_from_the_hip(&position, false, &mut Evaluator::new(model), &config.hip);
    let Some(stroke) = stroke else { return Ok(false) };
    let mut seat = seat.clone();
    Ok(seat.step(Action::from(stroke))?.score_change > 0)
}

/// Predicted and realised strokes beyond one a ball, for every sample of which it is known.
#[must_use]
pub fn predictions(model: &Model, samples: &[&Sample], config: &LearnConfig) -> Vec<[f64; 2]> {
    let mut activations = Activations::default();
    let mut pairs = Vec::new();
    for sample in samples {
        let Some(realised) = excess(sample, config) else { continue };
        let row = Array2::from_shape_vec((1, VALUE_INPUTS), sample.inputs.clone());
        let Ok(row) = row else { continue };
        let predicted = model.value.forward(row.view(), &mut activations)[[0, 0]];
        pairs.push([f64::from(predicted).max(0.0), realised]);
    }
    pairs
}

/// Root mean square errors of the predictions and of their best constant; `None` without pairs.
#[must_use]
pub fn errors(pairs: &[[f64; 2]]) -> Option<[f64; 2]> {
    if pairs.is_empty() {
        return None;
    }
    let count = pairs.len() as f64;
    let mean = pairs.iter().map(|pair| pair[1]).sum::<f64>() / count;
    let root = |sum: f64| (sum / count).sqrt();
    let square = |x: f64| x * x;
    Some([
        root(pairs.iter().map(|[predicted, realised]| square(predicted - realised)).sum()),
        root(pairs.iter().map(|[_, realised]| square(mean - realised)).sum()),
    ])
}

/// The reliability table: all positions first, then tenths from the lowest prediction up.
#[must_use]
pub fn reliability(mut pairs: Vec<[f64; 2]>) -> Vec<ReliabilityRow> {
    pairs.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let overall = mean(&pairs, 1);
    let mut rows: Vec<_> = reliability_row(0, &pairs, overall).into_iter().collect();
    for tenth in 0..TENTHS {
        let at = |part: usize| pairs.len() * part / TENTHS;
        let part = &pairs[at(tenth)..at(tenth + 1)];
        rows.extend(reliability_row(tenth as u64 + 1, part, overall));
    }
    rows
}

fn mean(pairs: &[[f64; 2]], of: usize) -> f64 {
    pairs.iter().map(|pair| pair[of]).sum::<f64>() / pairs.len().max(1) as f64
}

fn reliability_row(tenth: u64, pairs: &[[f64; 2]], overall: f64) -> Option<ReliabilityRow> {
    if pairs.is_empty() {
        return None;
    }
    let count = pairs.len() as f64;
    let realised = mean(pairs, 1);
    let squares =
        |of: &dyn Fn(&[f64; 2]) -> f64| pairs.iter().map(|pair| of(pair) * of(pair)).sum::<f64>();
    let spread = squares(&|pair| pair[1] - realised) / (count - 1.0);
    Some(ReliabilityRow {
        tenth,
        positions: pairs.len() as u64,
        predicted: mean(pairs, 0),
        realised,
        realised_se: (pairs.len() > 1).then(|| (spread / count).sqrt()),
        rmse: (squares(&|pair| pair[0] - pair[1]) / count).sqrt(),
        constant_rmse: (squares(&|pair| pair[1] - overall) / count).sqrt(),
    })
}
