//! The seven balls of the race: their slots, names and values.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Balls of the race: the white and six colours.
pub const RACE_BALLS: usize = 7;

/// The colours, lowest value first.
pub const COLOURS: [Ball; 6] =
    [Ball::Yellow, Ball::Green, Ball::Brown, Ball::Blue, Ball::Pink, Ball::Black];

/// A ball of the race. Its number is its slot in [`crate::shot::Balls`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Ball {
    /// The ball that is struck; worth nothing.
    White = 0,
    /// 2 points.
    Yellow = 1,
    /// 3 points.
    Green = 2,
    /// 4 points.
    Brown = 3,
    /// 5 points.
    Blue = 4,
    /// 6 points.
    Pink = 5,
    /// 7 points.
    Black = 6,
}

/// Balls in an order that matters, such as the order in which they fell.
pub type BallList = SmallVec<[Ball; RACE_BALLS]>;

impl Ball {
    /// All seven, in the order of their slots.
    pub const ALL: [Self; RACE_BALLS] =
        [Self::White, Self::Yellow, Self::Green, Self::Brown, Self::Blue, Self::Pink, Self::Black];

    /// The ball in `slot`, if the race has one there.
    #[must_use]
    pub fn from_slot(slot: usize) -> Option<Self> {
        Self::ALL.get(slot).copied()
    }

    /// Its slot in [`crate::shot::Balls`], 0..=6.
    #[must_use]
    pub const fn slot(self) -> usize {
        self as usize
    }

    /// Its value: 2 (yellow) to 7 (black); the white has 0.
    #[must_use]
    pub const fn value(self) -> u32 {
        match self {
            Self::White => 0,
            colour => colour as u32 + 1,
        }
    }

    /// Its name, as JSON and the shot logs write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["white", "yellow", "green", "brown", "blue", "pink", "black"][self as usize]
    }

    /// The ball of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ball| ball.name() == name)
    }
}

impl std::fmt::Display for Ball {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
