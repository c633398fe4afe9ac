//! A straight path and a circle that a centre must not enter.

use crate::fixed::LENGTH_BITS;
use crate::fixed::vector::Vector;

/// Places that a shot has rounded touch when they are no further apart than this: twice the
/// rounding of a place.
pub const TOUCH: i64 = 2;
/// Ways below this may be those of a touching ball: where a path only grazes, one unit of the
/// distance beside it is many units of the way.
const NEAR: i64 = 1 << 18;

/// Where a path meets a circle.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// How far along; 0 where the path begins inside.
    pub way: i64,
    /// The component along the path of what is left to the centre of the circle: the closing
    /// speed is speed x `ahead` / radius.
    pub ahead: i64,
}

/// Where the path from `origin` along `direction` meets the circle of `radius` (below 2^32 units)
/// about `centre`, no further along than `limit`. A path that leads away or is only tangent meets
/// nothing. What touches already is met after no way at all, and what does not after some: both are
/// judged by the exact distance, for the order of contacts of one instant follows from it.
#[inline]
pub fn meet(
    origin: Vector,
    direction: Vector,
    centre: Vector,
    radius: i64,
    limit: i64,
) -> Option<Meeting> {
    let to = centre - origin;
    let along = to.dot(direction);
    if along <= 0 || along - radius > limit {
        return None;
    }
    let beside = to.across(direction).abs();
    if beside > radius {
        return None;
    }
    // The product stays below 2^64, where the squares themselves would not fit 63 bits.
    let half = ((radius - beside) as u64 * (radius + beside) as u64).isqrt() as i64;
    let mut way = along - half;
    if way < NEAR {
        let inside = |reach: i64| to.squared() <= (reach as u128).pow(2);
        if inside(radius) || (beside < radius && !whole(origin, centre) && inside(radius + TOUCH)) {
            return Some(Meeting { way: 0, ahead: along });
        }
        way = way.max(1);
    }
    (beside < radius && way <= limit).then_some(Meeting { way, ahead: along - way })
}

/// Whether two places are whole micrometres, as they are at the start of a shot: then their
/// distance is exact.
#[inline]
pub const fn whole(a: Vector, b: Vector) -> bool {
    (a.x | a.y | b.x | b.y) & ((1 << LENGTH_BITS) - 1) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::{angle, length};
    use crate::shot::detect::resting::DIAMETER;

    /// The way from `from` to the ball at `to`, both in whole micrometres.
    fn way(from: [i32; 2], to: [i32; 2], mdeg: u32) -> Option<i64> {
        let place = |[x, y]: [i32; 2]| Vector::new(length(x), length(y));
        let far = length(1_000_000);
        meet(place(from), angle::direction(mdeg), place(to), DIAMETER, far).map(|m| m.way)
    }

    #[test]
    fn a_pair_with_gap_0_is_met_after_no_way_at_any_angle() {
        for mdeg in (1..90_000).chain(270_001..360_000) {
            assert_eq!(way([0, 0], [57_000, 0], mdeg), Some(0), "{mdeg}");
        }
        assert_eq!(way([0, 0], [57_000, 0], 90_000), None);
        assert_eq!(way([0, 0], [57_000, 0], 90_001), None);
    }

    #[test]
    fn the_least_gap_of_whole_micrometres_is_no_touch() {
        // 34200² + 45600² = 57000², 21924² + 52615² = 57000² + 1: 0.6 units apart.
        assert_eq!(way([0, 0], [34_200, 45_600], 0), Some(0));
        assert!(way([0, 0], [21_924, 52_615], 0).is_some_and(|way| (1..8).contains(&way)));
        assert_eq!(way([0, 0], [57_001, 0], 0), Some(length(1)));
    }
}
