//! Balls on a table, and whether they may lie there.

use super::place::{BallsError, check_pair, check_place};
use crate::table::Table;
use crate::units::Point;
use serde::{Deserialize, Serialize};

/// Most balls on a table.
pub const MAX_BALLS: usize = 16;
/// The slot of the white or cue ball.
pub const WHITE: usize = 0;

/// Where the balls lie: slot 0 is the white or cue ball, the others are object balls; the game
/// knows their names. `None`: not on the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Balls {
    /// Centres of the balls, µm.
    pub at: [Option<Point>; MAX_BALLS],
}

impl Balls {
    /// The balls that are on the table, by slot.
    pub fn on_table(&self) -> impl Iterator<Item = (usize, Point)> + '_ {
        self.at.iter().enumerate().filter_map(|(slot, at)| at.map(|at| (slot, at)))
    }
}

impl Table {
    /// Whether the balls may lie as given: on the table or in the mouth of a pocket, in no other
    /// ball and in no rubber by more than [`MAX_OVERLAP_UM`](super::MAX_OVERLAP_UM).
    ///
    /// # Errors
    /// The first ball, in slot order, that may not, and what it overlaps.
    pub fn check(&self, balls: &Balls) -> Result<(), BallsError> {
        let mut lying = [(0, Point::default()); MAX_BALLS];
        let mut count = 0;
        for (slot, at) in balls.on_table() {
            lying[count] = (slot as u8, at);
            count += 1;
        }
        for (index, &(slot, at)) in lying[..count].iter().enumerate() {
            check_place(self, slot, at)?;
            for &(other, beside) in &lying[index + 1..count] {
                check_pair([slot, other], [at, beside])?;
            }
        }
        Ok(())
    }
}
