//! A moving ball and balls at rest: geometry along one path.

use super::LEAST_CLOSING;
use super::circle::{Meeting, meet};
use super::slow::SLOW;
use crate::fixed::vector::Vector;
use crate::shot::motion::Motion;
use crate::table::cloth::Cloth;
use crate::table::rubber::RADIUS;

/// Distance of the centres of touching balls.
pub const DIAMETER: i64 = 2 * RADIUS;

/// Where `motion` meets a ball at rest at `place`, no further along than `limit`.
#[inline]
pub fn meet_resting(motion: &Motion, place: Vector, limit: i64) -> Option<Meeting> {
    meet(motion.origin, motion.direction, place, DIAMETER, limit)
}

/// A contact with a ball at rest.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// When, ticks after the beginning of the motion.
    pub ticks: i64,
    /// Whether the balls close slower than [`SLOW`] then.
    pub slow: bool,
}

/// Closing speeds times a diameter, so that none must be divided by it: the least of a contact, and
/// the least that is not slow.
const LEAST_PRODUCT: i128 = (LEAST_CLOSING as i128 + 1) * DIAMETER as i128;
const SLOW_PRODUCT: i128 = SLOW as i128 * DIAMETER as i128;

/// The contact at a meeting; `None` when the ball closes too slowly by then.
#[inline]
pub fn contact(motion: &Motion, cloth: Cloth, meeting: Meeting) -> Option<Contact> {
    let speed = cloth.speed_after(motion.speed, meeting.way);
    let product = i128::from(speed) * i128::from(meeting.ahead);
    let slow = product < SLOW_PRODUCT;
    (product >= LEAST_PRODUCT).then(|| Contact { ticks: cloth.ticks(motion.speed - speed), slow })
}
