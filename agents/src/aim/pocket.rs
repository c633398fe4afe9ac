//! A pocket as a target: which directions of a ball run clean between the jaws.

use super::vector::{Vec2, wrap};
use cuebench_engine::units::BALL_RADIUS_UM;

/// Radius of a ball, µm.
pub const RADIUS_UM: f64 = BALL_RADIUS_UM as f64;
/// A pocket is no target for a ball that would meet its mouth line at less than about 8 degrees.
const LEAST_COS_TO_CENTRE_LINE: f64 = 0.14;

/// One side of a pocket: the rounded rubber point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jaw {
    /// Centre of the rounded point, µm.
    pub centre: Vec2,
    /// Radius of the rounded point, µm.
    pub radius_um: f64,
}

/// A pocket seen from the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mouth {
    /// The aim point, on the mouth line.
    pub aim: Vec2,
    /// Unit vector along the centre line, out of the table.
    pub outward: Vec2,
    /// The middle of the fall line.
    pub fall: Vec2,
    /// Width between the rubber at the fall line, µm.
    pub gap_um: f64,
    /// The rounded point on the left of a ball that runs in.
    pub left: Jaw,
    /// The rounded point on its right.
    pub right: Jaw,
}

/// A range of directions, radians, anticlockwise from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The edge on the right.
    pub low: f64,
    /// The edge on the left; never below `low`.
    pub high: f64,
}

impl Window {
    /// The direction in the middle.
    #[must_use]
    pub fn middle(self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// Half the width, radians.
    #[must_use]
    pub fn half_width(self) -> f64 {
        0.5 * (self.high - self.low)
    }
}

impl Mouth {
    /// The directions in which a ball at `ball` runs over the fall line without touching a jaw;
    /// `None` when there is none. Slow balls that brush a jaw may fall too: only a simulation
    /// tells.
    #[must_use]
    pub fn window(&self, ball: Vec2) -> Option<Window> {
        let to_fall = self.fall - ball;
        if to_fall.unit().dot(self.outward) < LEAST_COS_TO_CENTRE_LINE {
            return None;
        }
        let middle = to_fall.angle();
        let beside = self.outward.left() * (0.5 * self.gap_um - RADIUS_UM);
        let relative = |angle: f64| wrap(angle - middle);
        let high =
            relative((to_fall + beside).angle()).min(relative(tangent(ball, self.left, -1.0)?));
        let low =
            relative((to_fall - beside).angle()).max(relative(tangent(ball, self.right, 1.0)?));
        (low < high).then_some(Window { low: middle + low, high: middle + high })
    }
}

/// The direction that grazes a jaw on the side `side` (1 is anticlockwise of it); `None` from a
/// place that touches it.
fn tangent(ball: Vec2, jaw: Jaw, side: f64) -> Option<f64> {
    let to_jaw = jaw.centre - ball;
    let sine = (RADIUS_UM + jaw.radius_um) / to_jaw.length();
    (sine < 1.0).then(|| to_jaw.angle() + side * libm::asin(sine))
}

#[cfg(test)]
mod tests {
    use super::super::scene::Pockets;
    use super::*;
    use cuebench_engine::table::{Pocket, PocketSet, Table, TableSpec};

    fn pockets(set: PocketSet) -> Pockets {
        let spec = TableSpec { pockets: set, cloth: 1000, restitution: 750 };
        Pockets::of(Table::new(spec).expect("a table").geometry())
    }

    #[test]
    fn the_window_is_open_straight_on_and_closed_along_the_rail() {
        for set in PocketSet::ALL {
            let pockets = pockets(set);
            for pocket in Pocket::ALL {
                let mouth = &pockets.0[pocket as usize];
                let ball = mouth.aim - mouth.outward * 500_000.0;
                let open = mouth.window(ball).expect("straight on");
                assert!(open.half_width() > 0.01, "{pocket} {set}: {}", open.half_width());
                assert!(wrap(open.middle() - mouth.outward.angle()).abs() < 1e-4, "{pocket}");
                let (left, right) = (mouth.left.centre, mouth.right.centre);
                assert!(mouth.outward.cross(left - mouth.aim) > 0.0, "{pocket}");
                assert!(mouth.outward.cross(right - mouth.aim) < 0.0, "{pocket}");
            }
            let frozen = Vec2::new(800_000.0, RADIUS_UM);
            let middle = &pockets.0[Pocket::BottomMiddle as usize];
            assert_eq!(middle.window(frozen), None, "along the rail into a middle pocket");
        }
    }

    #[test]
    fn pool_pockets_are_wider_and_near_ones_too() {
        let (snooker, pool) = (pockets(PocketSet::Snooker), pockets(PocketSet::Pool));
        let width = |mouth: &Mouth, away: f64| {
            let open = mouth.window(mouth.aim - mouth.outward * away).expect("straight on");
            open.half_width()
        };
        for (narrow, wide) in snooker.0.iter().zip(&pool.0) {
            assert!(width(narrow, 4e5) < width(wide, 4e5));
            assert!(width(narrow, 8e5) < width(narrow, 4e5));
        }
    }
}
