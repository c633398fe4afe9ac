//! A ball and a rail: the component into it is reversed and shortened.

use crate::fixed::length;
use crate::fixed::vector::Vector;
use crate::shot::motion::Motion;
use crate::table::rubber::Rail;

/// Rounding of a place at the contact; the centre is put on the line if it is no further off.
const ROUNDING: i64 = 4;

/// Deepest that a ball stays in rubber at a contact: rounding of starting places explains no more,
/// so what is deeper comes from balls that leaned on it.
pub const MOST_OVERLAP: i64 = length(1);

/// Lets `ball`, told from the instant of contact, bounce off `rail` with `restitution` thousandths.
pub fn bounce(ball: &mut Motion, rail: &Rail, restitution: i64) {
    let velocity = ball.velocity();
    let back = |speed: i64| -speed * restitution / 1_000;
    let after = if rail.along_x {
        Vector::new(velocity.x, back(velocity.y))
    } else {
        Vector::new(back(velocity.x), velocity.y)
    };
    let beside = if rail.along_x { &mut ball.origin.y } else { &mut ball.origin.x };
    let overlap = (*beside - rail.line) * rail.outward;
    if overlap.abs() <= ROUNDING {
        *beside = rail.line;
    } else if overlap > MOST_OVERLAP {
        *beside = rail.line + rail.outward * MOST_OVERLAP;
    }
    (ball.speed, ball.direction) = after.polar();
}
