//! A straight path and a circle that a centre must not enter.

use crate::fixed::vector::Vector;

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
/// nothing.
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
    if beside >= radius {
        return None;
    }
    // The product stays below 2^64, where the squares themselves would not fit 63 bits.
    let half = ((radius - beside) as u64 * (radius + beside) as u64).isqrt() as i64;
    let way = (along - half).max(0);
    (way <= limit).then_some(Meeting { way, ahead: along - way })
}
