//! Many shots on the threads of rayon's current pool, results in the order of the shots.

use super::balls::Balls;
use super::outcome::{Outcome, ShotError};
use super::stroke::Launch;
use crate::table::Table;
use rayon::prelude::*;

/// Shots that one thread takes at a time, at least.
const CHUNK: usize = 64;

/// A shot to be played.
#[derive(Clone, Copy, Debug)]
pub struct Shot {
    /// The table.
    pub table: Table,
    /// Where the balls lie.
    pub balls: Balls,
    /// How the white leaves.
    pub launch: Launch,
}

impl Shot {
    /// Plays it.
    ///
    /// # Errors
    /// As [`Table::simulate`].
    pub fn play(&self) -> Result<Outcome, ShotError> {
        self.table.launch(&self.balls, self.launch)
    }

    /// Plays it into an outcome whose buffers are used again.
    ///
    /// # Errors
    /// As [`Table::simulate`]; `outcome` is then unchanged.
    pub fn play_into(&self, outcome: &mut Outcome) -> Result<(), ShotError> {
        self.table.launch_into(&self.balls, self.launch, outcome)
    }
}

/// Plays all `shots`.
pub fn simulate_all(shots: &[Shot]) -> Vec<Result<Outcome, ShotError>> {
    shots.par_iter().with_min_len(CHUNK).map(Shot::play).collect()
}

/// Plays all `shots` and keeps what `look` sees in each outcome; no memory is taken per shot.
pub fn map_all<T: Send>(
    shots: &[Shot],
    look: impl Fn(usize, Result<&Outcome, ShotError>) -> T + Sync,
) -> Vec<T> {
    let one = |outcome: &mut Outcome, (index, shot): (usize, &Shot)| {
        let played = shot.play_into(outcome);
        look(index, played.map(|()| &*outcome))
    };
    shots.par_iter().with_min_len(CHUNK).enumerate().map_init(Outcome::default, one).collect()
}
