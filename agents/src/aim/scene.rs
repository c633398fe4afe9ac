//! A table and its balls, made ready for aiming.

use super::path::clearance_um;
use super::pocket::{Jaw, Mouth};
use super::vector::Vec2;
use cuebench_engine::shot::{Balls, MAX_BALLS};
use cuebench_engine::table::{Geometry, Pocket};
use cuebench_engine::units::Point;

/// The slot of the white (the cue ball).
pub const WHITE: usize = 0;

/// The pockets of a table as targets, in the order of [`cuebench_engine::table::Pocket`].
#[derive(Clone, Debug, PartialEq)]
pub struct Pockets(pub [Mouth; 6]);

impl Pockets {
    /// The pockets of a table of this shape.
    #[must_use]
    pub fn of(geometry: &Geometry) -> Self {
        Self(Pocket::ALL.map(|pocket| mouth(geometry, pocket as usize)))
    }
}

fn mouth(geometry: &Geometry, index: usize) -> Mouth {
    let shape = &geometry.pockets[index];
    let between = |a: Point, b: Point| (Vec2::from(a) + Vec2::from(b)) * 0.5;
    let aim = Vec2::from(shape.aim);
    let fall = between(shape.fall_line.from, shape.fall_line.to);
    let outward = (fall - aim).unit();
    let jaws = [0, 1].map(|side| {
        let point = &geometry.points[2 * index + side];
        Jaw { centre: point.centre.into(), radius_um: point.radius_um.into() }
    });
    let first_is_left = outward.cross(jaws[0].centre - aim) > 0.0;
    let [left, right] = if first_is_left { jaws } else { [jaws[1], jaws[0]] };
    Mouth { aim, outward, fall, gap_um: shape.fall_gap_um.into(), left, right }
}

/// The balls of a position as float vectors; a ball that has gone is `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scene<'a> {
    /// The pockets.
    pub pockets: &'a Pockets,
    /// Share of the speed across a cushion that a ball keeps, about 0.6..0.9.
    pub restitution: f64,
    /// Centres of the balls, by slot.
    pub at: [Option<Vec2>; MAX_BALLS],
}

impl<'a> Scene<'a> {
    /// The position `balls` on the table whose pockets are `pockets` and whose rails keep
    /// `restitution` (a share) of the speed across them.
    #[must_use]
    pub fn new(pockets: &'a Pockets, restitution: f64, balls: &Balls) -> Self {
        Self { pockets, restitution, at: balls.at.map(|place| place.map(Vec2::from)) }
    }

    /// The slots of the object balls that are on the table.
    pub fn object_balls(&self) -> impl Iterator<Item = usize> + '_ {
        (WHITE + 1..MAX_BALLS).filter(|&slot| self.at[slot].is_some())
    }

    /// The free width beside a path (see [`clearance_um`]), leaving the balls in `skip` out.
    #[must_use]
    pub fn clearance_um(&self, from: Vec2, to: Vec2, skip: &[usize]) -> f64 {
        let others = self.at.iter().enumerate();
        clearance_um(
            from,
            to,
            others.filter(|(slot, _)| !skip.contains(slot)).filter_map(|(_, &place)| place),
        )
    }
}
