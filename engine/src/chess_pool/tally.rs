//! What a frame counts for each seat.

use super::action::Action;
use super::call::Call;
use super::judge::Judged;
use super::play::Event;
use serde::{Deserialize, Serialize};

/// Counts of one seat in one or more frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Shots, the break included.
    pub shots: u64,
    /// Shots that were fouls, scratches left out unless they were both.
    pub fouls: u64,
    /// Shots that pocketed the cue ball.
    pub scratches: u64,
    /// Shots called as moves.
    pub moves: u64,
    /// Called moves that were judged as moves.
    pub moves_made: u64,
    /// Balls captured in them, the 8 too, of either side.
    pub captures: u64,
    /// Balls that left the game in this seat's shots.
    pub removed: u64,
}

impl Tally {
    /// Counts an answer of this seat and what it did.
    pub fn count(&mut self, action: &Action, event: &Event) {
        match event {
            Event::Break(verdict) => {
                self.shots += 1;
                self.fouls += u64::from(verdict.foul.is_some());
                self.scratches += u64::from(verdict.scratch);
                self.removed += u64::from(verdict.removed.len());
            }
            Event::Shot(verdict) => {
                self.shots += 1;
                self.fouls += u64::from(verdict.foul.is_some());
                self.scratches += u64::from(verdict.scratch);
                self.removed += u64::from(verdict.removed.len());
                if matches!(action, Action::Shot { call: Call::Move { .. }, .. }) {
                    self.moves += 1;
                    self.moves_made += u64::from(verdict.judged == Judged::Move);
                    self.captures += u64::from(verdict.captured.len());
                }
            }
            Event::Side | Event::King => {}
        }
    }
}
