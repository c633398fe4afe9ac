//! Frames by sampling: one random draw and one look-up a shot.
//!
//! A run is cut into blocks of [`BLOCK_FRAMES`]; a block is a pure function of (seed, block
//! number), so it gives the same sums on any thread. Small games are played on packed tables with
//! several frames in flight ([`lanes`]), others one frame after another ([`plain`]).

mod alias;
mod lanes;
mod plain;

use super::chain::Chain;
use super::definition::SEATS;
use super::eliminate::Equations;
use super::error::FrameError;
use super::explore::Goal;
use super::game::Game;
use super::policy::Policy;
use super::summary::FrameSummary;

/// Frames of a whole block; only a run's last block is shorter.
pub const BLOCK_FRAMES: u64 = 1 << 16;
/// The longest mean length of a frame that is sampled, draws.
const MAX_MEAN_DRAWS: u64 = 100_000;

/// Two policies of a game, laid out for sampling.
#[derive(Clone, Debug)]
pub struct Sampler {
    tables: Tables,
    winners: Vec<Option<u8>>,
    reasons: Vec<String>,
}

#[derive(Clone, Debug)]
enum Tables {
    Lanes(lanes::Tables),
    Plain(plain::Tables),
}

impl Sampler {
    /// Lays out `policies`, one a seat.
    ///
    /// # Errors
    /// When a frame can get where these policies never end it, or where the mean frame is too
    /// long to be sampled.
    pub fn new(game: &Game, policies: [&Policy; SEATS]) -> Result<Self, FrameError> {
        let chain = Chain::new(game, policies);
        chain.check(game)?;
        check_length(&chain)?;
        let tables = match lanes::Tables::new(&chain, game.ends().len()) {
            Some(tables) => Tables::Lanes(tables),
            None => Tables::Plain(plain::Tables::new(&chain)),
        };
        Ok(Self {
            tables,
            winners: game.ends().iter().map(|end| end.winner).collect(),
            reasons: game.ends().iter().map(|end| end.reason.clone()).collect(),
        })
    }

    /// Plays the first `frames` frames of block `block` under `seed`; at most [`BLOCK_FRAMES`]
    /// of them.
    #[must_use]
    pub fn block(&self, seed: u64, block: u64, frames: u64) -> FrameSummary {
        let frames = frames.min(BLOCK_FRAMES);
        let mut tally = Tally::new(self.winners.len());
        match &self.tables {
            Tables::Lanes(tables) => tables.play(seed, block, frames, &mut tally),
            Tables::Plain(tables) => tables.play(seed, block, frames, &mut tally),
        }
        let won = |winner: Option<u8>| -> u64 {
            let ends = tally.ends.iter().zip(&self.winners);
            ends.filter(|(_, known)| **known == winner).map(|(count, _)| count).sum()
        };
        FrameSummary {
            frames,
            wins0: won(Some(0)),
            draws: won(None),
            shots: tally.shots,
            shots_squared: tally.shots_squared,
            ends: tally.ends,
        }
    }

    /// How many frames of `summary` ended for each reason, in alphabetical order.
    #[must_use]
    pub fn reasons(&self, summary: &FrameSummary) -> Vec<(String, u64)> {
        let mut reasons: Vec<(String, u64)> = Vec::new();
        for (reason, &count) in self.reasons.iter().zip(&summary.ends) {
            match reasons.iter_mut().find(|(known, _)| known == reason) {
                Some((_, sum)) => *sum += count,
                None => reasons.push((reason.clone(), count)),
            }
        }
        reasons.sort();
        reasons
    }
}

/// Sums over the frames of a block.
struct Tally {
    ends: Vec<u64>,
    shots: u64,
    shots_squared: u64,
}

impl Tally {
    fn new(ends: usize) -> Self {
        Self { ends: vec![0; ends], shots: 0, shots_squared: 0 }
    }

    fn add(&mut self, end: usize, shots: u64) {
        self.ends[end] += 1;
        self.shots += shots;
        self.shots_squared += shots * shots;
    }
}

/// Refuses frames that are too long to be played one by one.
fn check_length(chain: &Chain) -> Result<(), FrameError> {
    let rewards = vec![1.0; chain.rows.len()];
    let equations = Equations { rows: &chain.rows, columns: 1, rewards };
    // A chain that is too large to be solved may still be sampled.
    let Ok(draws) = equations.solve(f64::INFINITY) else { return Ok(()) };
    let after = |goal: Goal| match goal {
        Goal::State(to) => draws[to as usize],
        Goal::End(_) => 0.0,
    };
    let mean: f64 = chain.start.iter().map(|edge| edge.probability * after(edge.to)).sum();
    if mean <= MAX_MEAN_DRAWS as f64 {
        return Ok(());
    }
    Err(FrameError::TooLong { mean_shots: format!("{mean:.3e}"), limit: MAX_MEAN_DRAWS })
}

#[cfg(test)]
mod tests;
