//! A ball and a rail: the component into it is reversed and shortened.

use crate::fixed::length;
use crate::fixed::vector::Vector;
use crate::shot::motion::Motion;
use crate::shot::place::MAX_OVERLAP_UM;
use crate::table::rubber::Rail;

/// Rounding of a place at the contact; the centre is put on the line if it is no further off.
const ROUNDING: i64 = 4;

/// Deepest that a ball stays in rubber at a contact unless it began deeper: what is deeper comes
/// from balls that leaned on it.
pub const MOST_OVERLAP: i64 = length(1);

/// How deep a ball stays that is `overlap` deep in rubber, more than [`MOST_OVERLAP`]. At the start
/// it was `at_start` behind the line of that rubber, but only up to what a start may overlap was it
/// in the rubber itself.
pub fn kept(overlap: i64, at_start: i64) -> i64 {
    let own = if at_start <= length(MAX_OVERLAP_UM) { at_start } else { 0 };
    overlap.min(own.max(MOST_OVERLAP))
}

impl Rail {
    /// How deep a ball at `place` is in the rubber.
    pub fn overlap(&self, place: Vector) -> i64 {
        (if self.along_x { place.y } else { place.x } - self.line) * self.outward
    }
}

/// Lets `ball`, told from the instant of contact, bounce off `rail` with `restitution` thousandths;
/// `start` is its place at the start of the shot.
pub fn bounce(ball: &mut Motion, rail: &Rail, restitution: i64, start: Vector) {
    let velocity = ball.velocity();
    let back = |speed: i64| -speed * restitution / 1_000;
    let after = if rail.along_x {
        Vector::new(velocity.x, back(velocity.y))
    } else {
        Vector::new(back(velocity.x), velocity.y)
    };
    let overlap = rail.overlap(ball.origin);
    let beside = if rail.along_x { &mut ball.origin.y } else { &mut ball.origin.x };
    if overlap.abs() <= ROUNDING {
        *beside = rail.line;
    } else if overlap > MOST_OVERLAP {
        *beside = rail.line + rail.outward * kept(overlap, rail.overlap(start));
    }
    (ball.speed, ball.direction) = after.polar();
}
