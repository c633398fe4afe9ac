//! A ball and the rubber of a jaw: restitution, grip, and the roll that takes over afterwards
//! (`engine/docs/physics.md`, The roll after a jaw).

use crate::fixed::vector::Vector;
use crate::fixed::{ONE, share, speed};
use crate::shot::detect::Kind;
use crate::table::rubber::{Jaw, RADIUS};

/// At or below this speed a ball rolls at once after a jaw.
const AT_ONCE: i64 = speed(450_000);
/// At or above this speed a ball does not roll until it has left the pocket.
const NOT_YET: i64 = speed(1_200_000);
/// No component of the roll still owed exceeds this, ten times the fastest launch. A ball that rattles
/// in a throat gathers roll from contact to contact; without a bound the rare one that is thrown back
/// into the same throat by it again and again would leave every range of numbers.
const MOST_OWED: i64 = speed(60_000_000);

impl Jaw {
    /// The direction out of the rubber where a centre `at` touches the rounded point or the facing,
    /// and how deep it is in the rubber.
    pub fn face(&self, kind: Kind, at: Vector) -> (Vector, i64) {
        if kind == Kind::Point {
            let (distance, normal) = (at - self.centre).polar();
            (normal, self.reach - distance)
        } else {
            (self.normal, RADIUS - (at - self.facing_tangent).dot(self.normal))
        }
    }
}

/// A velocity and the roll still owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rolling {
    /// The velocity.
    pub velocity: Vector,
    /// The change of velocity still to come (P in `engine/docs/physics.md`).
    pub pending: Vector,
}

/// The contact of a ball at `before` with rubber whose outward normal is `normal`. `has_left` tells
/// of a velocity after restitution and grip whether the ball has left the pocket with it.
pub fn rattle(before: Rolling, normal: Vector, has_left: impl Fn(Vector) -> bool) -> Rolling {
    let along = normal.left();
    let into = -before.velocity.dot(normal);
    let beside = before.velocity.dot(along);
    let back = into * 85 / 100;
    // 0.15 of the change of the component across the rubber, which is 1.85 of what went in.
    let grip = (into * 2_775 / 10_000).min(beside.abs());
    let left = beside - beside.signum() * grip;
    let after = normal.times(back) + along.times(left);
    let owed = before.velocity - after;
    let owed = before.pending + Vector::new(owed.x * 2 / 7, owed.y * 2 / 7);
    let bounded = |component: i64| component.clamp(-MOST_OWED, MOST_OWED);
    let pending = Vector::new(bounded(owed.x), bounded(owed.y));
    let roll = if has_left(after) { ONE } else { roll_share(after.polar().0) };
    let now = pending.times(roll);
    Rolling { velocity: after + now, pending: pending - now }
}

/// The share of the roll that comes at once after a contact left at `speed`.
fn roll_share(speed: i64) -> i64 {
    if speed <= AT_ONCE {
        ONE
    } else if speed >= NOT_YET {
        0
    } else {
        share(NOT_YET - speed, NOT_YET - AT_ONCE)
    }
}
