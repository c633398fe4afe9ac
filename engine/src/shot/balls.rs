//! Balls on a table, and whether they may lie there.

use crate::table::Table;
use crate::units::Point;
use serde::{Deserialize, Serialize};

/// Most balls on a table.
pub const MAX_BALLS: usize = 16;
/// The slot of the white or cue ball.
pub const WHITE: usize = 0;
/// An overlap of up to this in a starting position is rounding and counts as touching, µm.
pub const MAX_OVERLAP_UM: i32 = 2;

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

/// Why balls cannot lie as given. Balls are named by slot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe(|slot| slot.to_string()))]
#[non_exhaustive]
pub enum BallsError {
    /// Two balls overlap by more than [`MAX_OVERLAP_UM`].
    Overlap {
        /// The lower slot.
        a: u8,
        /// The higher slot.
        b: u8,
        /// By how much, µm, rounded up.
        overlap_um: i32,
    },
    /// A ball lies in rubber by more than [`MAX_OVERLAP_UM`].
    Rubber {
        /// Its slot.
        ball: u8,
        /// The rail or jaw, as traces name it.
        rubber: &'static str,
        /// By how much, µm, rounded up.
        overlap_um: i32,
    },
    /// A ball lies off the table or behind the back of a pocket.
    OffTable {
        /// Its slot.
        ball: u8,
        /// Its place.
        at: Point,
    },
}

impl BallsError {
    /// The reason in words, with the names that `name` gives to slots.
    pub fn describe(&self, name: impl Fn(u8) -> String) -> String {
        let allowed = format!("(up to {MAX_OVERLAP_UM} µm is rounding)");
        match *self {
            Self::Overlap { a, b, overlap_um } => {
                let (a, b) = (name(a), name(b));
                format!("balls {a} and {b} overlap by {overlap_um} µm {allowed}")
            }
            Self::Rubber { ball, rubber, overlap_um } => {
                let ball = name(ball);
                format!("ball {ball} overlaps {rubber} by {overlap_um} µm {allowed}")
            }
            Self::OffTable { ball, at: Point { x_um, y_um } } => {
                format!("ball {} at ({x_um}, {y_um}) µm is not on the table", name(ball))
            }
        }
    }
}

impl Table {
    /// Whether the balls may lie as given: on the table or in the mouth of a pocket, in no other
    /// ball and in no rubber by more than [`MAX_OVERLAP_UM`].
    ///
    /// # Errors
    /// The first ball, in slot order, that may not, and what it overlaps.
    pub fn check(&self, balls: &Balls) -> Result<(), BallsError> {
        for (slot, at) in balls.on_table() {
            super::place::check_place(self, slot as u8, at)?;
            for (other, beside) in balls.on_table().skip_while(|(other, _)| *other <= slot) {
                super::place::check_pair([slot as u8, other as u8], [at, beside])?;
            }
        }
        Ok(())
    }
}
