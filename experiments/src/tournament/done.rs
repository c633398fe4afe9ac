//! Which games of an event are played already.

use super::collect::counted;
use crate::output::rows::tournament::GameRow;
use std::collections::HashMap;

/// What is played already.
#[derive(Debug, Default)]
pub struct Done {
    /// Bits of 64 games each: only where something was played, however long the schedule.
    finished: HashMap<u64, u64>,
    attempts: HashMap<u64, u32>,
    /// Games of it.
    pub count: u64,
}

impl Done {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    const fn place(index: u64) -> (u64, u64) {
        (index / 64, 1 << (index % 64))
    }

    /// Notes a row. A game that was not played counts as finished unless it is to be retried.
    pub fn note(&mut self, row: &GameRow, retry_void: bool) {
        let (word, bit) = Self::place(row.game_index);
        let word = self.finished.entry(word).or_default();
        if retry_void && counted(row).is_none() {
            self.count -= u64::from(*word & bit != 0);
            *word &= !bit;
            self.attempts.insert(row.game_index, row.attempt + 1);
            return;
        }
        self.count += u64::from(*word & bit == 0);
        *word |= bit;
    }

    /// Whether game `index` is played.
    #[must_use]
    pub fn contains(&self, index: u64) -> bool {
        let (word, bit) = Self::place(index);
        self.finished.get(&word).is_some_and(|word| word & bit != 0)
    }

    /// The number of the next attempt at game `index`.
    #[must_use]
    pub fn attempt(&self, index: u64) -> u32 {
        self.attempts.get(&index).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A schedule of 2^41 games takes no memory before they are played.
    #[test]
    fn a_game_far_away_takes_no_memory() {
        let mut done = Done::new();
        done.finished.insert((1 << 41) / 64, 1);
        assert!(done.contains(1 << 41) && !done.contains(1) && done.attempt(1) == 0);
        assert_eq!(done.finished.len(), 1);
    }
}
