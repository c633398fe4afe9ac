//! What happens next: the first contact of a motion with rubber, lines and other balls.

pub mod circle;
pub mod coarse;
pub mod pair;
pub mod resting;
pub mod slow;
pub mod surface;
pub mod throat;

use crate::fixed::speed;

/// Slower than this along the normal is no contact.
pub const LEAST_CLOSING: i64 = speed(1);

/// Kinds of events, in the order in which equal times are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Two balls.
    Ball,
    /// A ball and the nose of a rail.
    Rail,
    /// A ball and a rounded point.
    Point,
    /// A ball and a facing.
    Facing,
    /// Roll that is still owed is added: the ball has left the pocket, or has come to rest.
    Mouth,
    /// A centre crosses a fall line, either way.
    Fall,
    /// A ball falls: its time is up or it is at the back of the pocket.
    Drop,
    /// A ball stops.
    #[default]
    Stop,
}

impl Kind {
    /// All kinds, in order.
    pub const ALL: [Self; 8] = [
        Self::Ball,
        Self::Rail,
        Self::Point,
        Self::Facing,
        Self::Mouth,
        Self::Fall,
        Self::Drop,
        Self::Stop,
    ];
}

/// What a ball meets along its path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Next {
    /// How far along.
    pub way: i64,
    /// What.
    pub kind: Kind,
    /// Which rail, jaw or pocket.
    pub index: u8,
    /// The speed that is left then, where the search has found it on its way.
    pub speed: Option<i64>,
}

impl Next {
    /// Whether this comes before `other` along the path.
    #[inline]
    pub fn before(self, other: Self) -> bool {
        (self.way, self.kind, self.index) < (other.way, other.kind, other.index)
    }
}

/// Time, kind, ball and partner or surface in one word, so that comparing words orders events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u64);

impl Key {
    /// Later than every event.
    pub const NEVER: Self = Self(u64::MAX);

    /// The event of `kind` at `time` of `ball` with a surface or a higher ball.
    #[inline]
    pub const fn new(time: i64, kind: Kind, ball: usize, other: usize) -> Self {
        Self(((time as u64) << 11) | ((kind as u64) << 8) | ((ball as u64) << 4) | other as u64)
    }

    /// The contact of two balls at `time`.
    #[inline]
    pub const fn pair(time: i64, i: usize, j: usize) -> Self {
        if i < j { Self::new(time, Kind::Ball, i, j) } else { Self::new(time, Kind::Ball, j, i) }
    }

    /// When, ticks.
    #[inline]
    pub const fn time(self) -> i64 {
        (self.0 >> 11) as i64
    }

    /// What.
    #[inline]
    pub const fn kind(self) -> Kind {
        Kind::ALL[(self.0 >> 8) as usize & 7]
    }

    /// The ball, or the lower of two.
    #[inline]
    pub const fn ball(self) -> usize {
        (self.0 >> 4) as usize & 15
    }

    /// The other ball, or the surface.
    #[inline]
    pub const fn other(self) -> usize {
        self.0 as usize & 15
    }

    /// The word itself.
    #[inline]
    pub const fn word(self) -> u64 {
        self.0
    }
}
