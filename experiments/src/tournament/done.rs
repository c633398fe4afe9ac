//! Which games of an event are played already.

use crate::output::rows::tournament::GameRow;
use std::collections::HashMap;

/// What is played already.
#[derive(Debug)]
pub struct Done {
    finished: Vec<u64>,
    attempts: HashMap<u64, u32>,
    /// Games of it.
    pub count: u64,
}

impl Done {
    /// Nothing yet, of `games` games.
    #[must_use]
    pub fn new(games: u64) -> Self {
        let words = usize::try_from(games.div_ceil(64)).unwrap_or(usize::MAX);
        Self { finished: vec![0; words], attempts: HashMap::new(), count: 0 }
    }

    fn place(index: u64) -> (usize, u64) {
        (usize::try_from(index / 64).unwrap_or(usize::MAX), 1 << (index % 64))
    }

    /// Notes a row. A void game counts as played unless it is to be retried.
    pub fn note(&mut self, row: &GameRow, retry_void: bool) {
        let (word, bit) = Self::place(row.game_index);
        let Some(word) = self.finished.get_mut(word) else { return };
        if row.result.is_none() && retry_void {
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
        self.finished.get(word).is_some_and(|word| word & bit != 0)
    }

    /// The number of the next attempt at game `index`.
    #[must_use]
    pub fn attempt(&self, index: u64) -> u32 {
        self.attempts.get(&index).copied().unwrap_or(0)
    }
}
