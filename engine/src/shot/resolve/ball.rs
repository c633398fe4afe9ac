//! Two balls: the components along the line of centres are exchanged.

use crate::fixed::scale;
use crate::fixed::vector::Vector;
use crate::shot::motion::Motion;

/// Lets `a` and `b`, both told from the instant of contact, collide; `normal` is the direction from
/// `a` to `b`.
pub fn collide(a: &mut Motion, b: &mut Motion, normal: Vector) {
    if b.speed == 0 {
        strike(a, b, normal);
    } else if a.speed == 0 {
        strike(b, a, -normal);
    } else {
        exchange(a, b, normal);
    }
}

/// `mover` strikes the ball at rest in direction `normal`: that one leaves along the line of
/// centres, the mover across it.
fn strike(mover: &mut Motion, resting: &mut Motion, normal: Vector) {
    let passed = scale(mover.speed, mover.direction.dot(normal)).max(0);
    let kept = scale(mover.speed, mover.direction.dot(normal.left()));
    resting.direction = normal;
    resting.speed = passed;
    mover.direction = if kept < 0 { -normal.left() } else { normal.left() };
    mover.speed = kept.abs();
}

/// Moves two balls apart by `way` along `normal`, half of it each.
pub fn part(a: &mut Motion, b: &mut Motion, normal: Vector, way: i64) {
    let half = normal.times(way / 2);
    a.origin = a.origin - half;
    b.origin = b.origin + half;
}

fn exchange(a: &mut Motion, b: &mut Motion, normal: Vector) {
    let (before_a, before_b) = (a.velocity(), b.velocity());
    let passed = normal.times(before_a.dot(normal) - before_b.dot(normal));
    (a.speed, a.direction) = (before_a - passed).polar();
    (b.speed, b.direction) = (before_b + passed).polar();
}
