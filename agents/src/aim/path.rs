//! Whether a ball can roll along a line without touching another.

use super::vector::Vec2;
use cuebench_engine::units::BALL_DIAMETER_UM;

/// Diameter of a ball, µm: the least distance between two centres.
pub const DIAMETER_UM: f64 = BALL_DIAMETER_UM as f64;

/// The distance of `point` from the segment `from`..`to`, µm.
#[must_use]
pub fn distance_to_segment(point: Vec2, from: Vec2, to: Vec2) -> f64 {
    let along = to - from;
    let length_squared = along.dot(along);
    if length_squared == 0.0 {
        return point.distance(from);
    }
    let share = ((point - from).dot(along) / length_squared).clamp(0.0, 1.0);
    point.distance(from + along * share)
}

/// The free width beside the path `from`..`to`, µm: the least gap between the rolling ball and
/// any of `others`, negative when one is in the way, infinite when there is none.
#[must_use]
pub fn clearance_um(from: Vec2, to: Vec2, others: impl IntoIterator<Item = Vec2>) -> f64 {
    others
        .into_iter()
        .map(|other| distance_to_segment(other, from, to) - DIAMETER_UM)
        .fold(f64::INFINITY, f64::min)
}

/// Where a ball that leaves `from` in the unit direction `direction` first touches a ball at
/// `other`: the distance travelled, µm, or `None` when it passes or moves away.
#[must_use]
pub fn travel_to_contact(from: Vec2, direction: Vec2, other: Vec2) -> Option<f64> {
    let offset = other - from;
    let along = offset.dot(direction);
    let aside = offset.cross(direction);
    let depth = DIAMETER_UM * DIAMETER_UM - aside * aside;
    (along > 0.0 && depth > 0.0).then(|| (along - depth.sqrt()).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_beside_the_path_leaves_its_gap() {
        let (from, to) = (Vec2::new(0.0, 0.0), Vec2::new(1e6, 0.0));
        let beside = clearance_um(from, to, [Vec2::new(5e5, 60_000.0)]);
        assert!((beside - 3_000.0).abs() < 1e-6);
        assert!(clearance_um(from, to, [Vec2::new(1.02e6, 0.0)]) < 0.0, "past the end, yet near");
        assert_eq!(clearance_um(from, to, []), f64::INFINITY);
    }

    #[test]
    fn contact_is_one_diameter_before_the_centre() {
        let ahead = travel_to_contact(Vec2::default(), Vec2::new(1.0, 0.0), Vec2::new(1e6, 0.0));
        assert_eq!(ahead, Some(1e6 - DIAMETER_UM));
        let behind = travel_to_contact(Vec2::default(), Vec2::new(1.0, 0.0), Vec2::new(-1e6, 0.0));
        assert_eq!(behind, None);
    }
}
