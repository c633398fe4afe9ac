//! The blocks of an SPRT, from games in whatever order they end.

use super::collect::{PairGames, counted};
use super::points::Points;
use crate::output::rows::tournament::GameRow;
use crate::stats::sprt::{Decision, Sequence, Sprt, SprtError};
use std::collections::BTreeMap;

/// The blocks of an SPRT: games as they come, taken in schedule order.
#[derive(Debug)]
pub struct Blocks {
    sequence: Sequence,
    first_seed: u64,
    orders: u8,
    next: u64,
    waiting: BTreeMap<u64, [Option<Option<Points>>; 2]>,
}

impl Blocks {
    /// A test on blocks of `orders` games a seed, the first of which is `first_seed`.
    #[must_use]
    pub fn new(test: Sprt, first_seed: u64, orders: u8) -> Self {
        let sequence = Sequence::new(test, 2 * usize::from(orders) + 1);
        Self { sequence, first_seed, orders, next: 0, waiting: BTreeMap::new() }
    }

    /// Notes a game; a later attempt takes the place of an earlier one.
    pub fn note(&mut self, row: &GameRow) {
        self.note_game(row.seed, usize::from(row.order), counted(row));
    }

    /// Notes the games of a pair, the last attempt of each.
    pub fn note_all(&mut self, pair: &PairGames) {
        for (seed, games) in pair.seeds() {
            for (order, game) in games.iter().enumerate() {
                if let Some(game) = game {
                    self.note_game(seed, order, game.result);
                }
            }
        }
    }

    fn note_game(&mut self, seed: u64, order: usize, result: Option<Points>) {
        let Some(number) = seed.checked_sub(self.first_seed) else { return };
        if number >= self.next && order < usize::from(self.orders) {
            self.waiting.entry(number).or_default()[order] = Some(result);
        }
    }

    /// Feeds the test with every block whose turn it is. Blocks with a game that was not played are
    /// left out.
    ///
    /// # Errors
    /// Never for the hypotheses and models that a tournament file takes.
    pub fn advance(&mut self) -> Result<Decision, SprtError> {
        while !self.decided()
            && let Some(&games) = self.waiting.get(&self.next)
        {
            let games = &games[..usize::from(self.orders)];
            if games.iter().any(Option::is_none) {
                break;
            }
            let points: Option<Vec<Points>> = games.iter().map(|game| game.flatten()).collect();
            if let Some(points) = points {
                let halves = points.iter().map(|points| usize::from(points.halves())).sum();
                self.sequence.push(halves)?;
            }
            self.waiting.remove(&self.next);
            self.next += 1;
        }
        Ok(self.sequence.decision())
    }

    /// Whether the test has stopped.
    #[must_use]
    pub fn decided(&self) -> bool {
        self.sequence.decision() != Decision::Continue
    }

    /// The test so far.
    #[must_use]
    pub const fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// The first seed that the test has not seen.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.first_seed.saturating_add(self.next)
    }
}
