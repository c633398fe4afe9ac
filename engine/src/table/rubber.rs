//! The rubber as the engine meets it: rails, rounded points, facings and the lines of the pockets,
//! in fixed point, built once for each set of pockets by the compiler.
//!
//! Source: `engine/docs/physics.md`, Geometry. Everything is made from four numbers a pocket by
//! reflection, so opposite pockets are exact mirror images.

use super::pocket::{Pocket, PocketMeasures, PocketSet};
use crate::fixed::vector::Vector;
use crate::fixed::{ONE, UNIT_BITS, angle, length, scale};
use crate::units::{BALL_RADIUS_UM, LENGTH_UM, WIDTH_UM};

/// Radius of a ball.
pub const RADIUS: i64 = length(BALL_RADIUS_UM);
/// Depth behind the fall line at which the pocket ends for a centre, µm.
pub const BACK_UM: i32 = 28_500;

/// A rail: the centre of a ball touches it on an axis-parallel line.
#[derive(Clone, Copy, Debug)]
pub struct Rail {
    /// Whether the nose runs along x.
    pub along_x: bool,
    /// Direction from the table into the rubber, along the other axis: +1 or -1.
    pub outward: i64,
    /// The other coordinate of a centre that touches the rail.
    pub line: i64,
    /// Where the nose begins, along its axis.
    pub from: i64,
    /// Where it ends.
    pub to: i64,
}

/// One jaw of a pocket.
#[derive(Clone, Copy, Debug)]
pub struct Jaw {
    /// The virtual jaw point.
    pub virtual_point: Vector,
    /// Where the nose goes over into the rounded point.
    pub nose_tangent: Vector,
    /// Centre of the rounded point.
    pub centre: Vector,
    /// Radius of the rounded point.
    pub radius: i64,
    /// Distance from `centre` at which a ball touches.
    pub reach: i64,
    /// Where the rounded point goes over into the facing.
    pub facing_tangent: Vector,
    /// Direction of the facing, outward.
    pub facing: Vector,
    /// Direction away from the rubber of the facing.
    pub normal: Vector,
}

/// The lines of a pocket.
#[derive(Clone, Copy, Debug)]
pub struct Throat {
    /// Direction of the centre line, out of the table.
    pub axis: Vector,
    /// The middle of the mouth line: the aim point.
    pub mouth: Vector,
    /// Depth of the fall line behind the mouth line.
    pub shelf: i64,
    /// Depth of the back of the pocket.
    pub back: i64,
}

impl Throat {
    /// How far behind the mouth line `place` is; negative on the table.
    #[must_use]
    #[inline]
    pub fn depth(&self, place: Vector) -> i64 {
        (place - self.mouth).dot(self.axis)
    }

    /// Whether a ball at `place` that moves along `velocity` (of any scale) has left the pocket: its
    /// centre is on the mouth line or on its table side, and no component across that line leads
    /// inward.
    #[must_use]
    #[inline]
    pub fn has_left(&self, place: Vector, velocity: Vector) -> bool {
        self.depth(place) <= 0 && velocity.dot(self.axis) <= 0
    }
}

/// All the rubber of a table.
#[derive(Debug)]
pub struct Rubber {
    /// Rails in the order of [`RailName::ALL`](super::RailName::ALL).
    pub rails: [Rail; 6],
    /// Jaws, two a pocket.
    pub jaws: [Jaw; 12],
    /// Pockets in the order of [`Pocket::ALL`].
    pub throats: [Throat; 6],
}

/// The rubber of a table with snooker pockets.
pub static SNOOKER: Rubber = Rubber::new(PocketSet::Snooker);
/// The rubber of a table with pool pockets.
pub static POOL: Rubber = Rubber::new(PocketSet::Pool);

impl Rubber {
    const fn new(set: PocketSet) -> Self {
        let mut jaws = [jaw(set, Pocket::BottomLeft, 0); 12];
        let mut throats = [throat(set, Pocket::BottomLeft); 6];
        let mut i = 0;
        while i < 12 {
            jaws[i] = jaw(set, Pocket::ALL[i / 2], i % 2);
            throats[i / 2] = throat(set, Pocket::ALL[i / 2]);
            i += 1;
        }
        Self { rails: rails(&jaws), jaws, throats }
    }
}

/// Signs that carry the pocket bottom left (or bottom middle) over to `pocket`.
const fn reflection(pocket: Pocket) -> (bool, bool) {
    match pocket {
        Pocket::BottomLeft | Pocket::BottomMiddle => (false, false),
        Pocket::BottomRight => (true, false),
        Pocket::TopLeft | Pocket::TopMiddle => (false, true),
        Pocket::TopRight => (true, true),
    }
}

const fn reflect_place(place: Vector, (in_x, in_y): (bool, bool)) -> Vector {
    Vector::new(
        if in_x { length(LENGTH_UM) - place.x } else { place.x },
        if in_y { length(WIDTH_UM) - place.y } else { place.y },
    )
}

const fn reflect_direction(direction: Vector, (in_x, in_y): (bool, bool)) -> Vector {
    Vector::new(
        if in_x { -direction.x } else { direction.x },
        if in_y { -direction.y } else { direction.y },
    )
}

const fn measures(set: PocketSet, pocket: Pocket) -> PocketMeasures {
    if pocket.is_middle() { set.middle() } else { set.corner() }
}

/// The mouth of a corner reaches m/sqrt(2) along each rail.
const fn corner_reach(measures: PocketMeasures) -> i64 {
    scale(length(measures.mouth_um), angle::whole_degrees(45).x)
}

/// Jaw `side` of `pocket`: at a corner 0 is the jaw of the long rail, at a middle the left one.
const fn jaw(set: PocketSet, pocket: Pocket, side: usize) -> Jaw {
    let m = measures(set, pocket);
    // The jaw at the end of a rail that runs in direction `rail`, with `out` away from the table.
    let (point, rail, out) = if pocket.is_middle() {
        let half = length(m.mouth_um) / 2;
        let (x, direction) = if side == 0 { (-half, ONE) } else { (half, -ONE) };
        (Vector::new(length(LENGTH_UM) / 2 + x, 0), Vector::new(direction, 0), Vector::new(0, -ONE))
    } else if side == 0 {
        (Vector::new(corner_reach(m), 0), Vector::new(-ONE, 0), Vector::new(0, -ONE))
    } else {
        (Vector::new(0, corner_reach(m)), Vector::new(0, -ONE), Vector::new(-ONE, 0))
    };
    let mirror = reflection(pocket);
    let point = reflect_place(point, mirror);
    let (rail, out) = (reflect_direction(rail, mirror), reflect_direction(out, mirror));
    rounded(point, rail, out, m)
}

/// The jaw at the virtual point `point`.
const fn rounded(point: Vector, rail: Vector, out: Vector, m: PocketMeasures) -> Jaw {
    let turn = angle::whole_degrees(180 - m.facing_deg);
    let half = angle::whole_degrees((180 - m.facing_deg) / 2);
    let radius = length(m.point_radius_um);
    // The circle touches both lines r tan(turn / 2) from the virtual point.
    let tangent =
        ((radius as i128 * half.y as i128 * 2 + half.x as i128) / (2 * half.x as i128)) as i64;
    let facing = combine(rail, turn.x, out, turn.y);
    let normal = combine(rail, turn.y, out, -turn.x);
    let nose_tangent = point.plus(rail.times(-tangent));
    Jaw {
        virtual_point: point,
        nose_tangent,
        centre: nose_tangent.plus(out.times(radius)),
        radius,
        reach: RADIUS + radius,
        facing_tangent: point.plus(facing.times(tangent)),
        facing,
        normal,
    }
}

/// The direction `a` `x` + `b` `y`.
const fn combine(a: Vector, x: i64, b: Vector, y: i64) -> Vector {
    a.times(x).plus(b.times(y))
}

const fn throat(set: PocketSet, pocket: Pocket) -> Throat {
    let m = measures(set, pocket);
    let diagonal = angle::whole_degrees(45).x;
    let (axis, mouth) = if pocket.is_middle() {
        (Vector::new(0, -ONE), Vector::new(length(LENGTH_UM) / 2, 0))
    } else {
        let half = corner_reach(m) / 2;
        (Vector::new(-diagonal, -diagonal), Vector::new(half, half))
    };
    let mirror = reflection(pocket);
    Throat {
        axis: reflect_direction(axis, mirror),
        mouth: reflect_place(mouth, mirror),
        shelf: length(m.shelf_um),
        back: length(m.shelf_um + BACK_UM),
    }
}

const fn rails(jaws: &[Jaw; 12]) -> [Rail; 6] {
    let (length, width) = (length(LENGTH_UM), length(WIDTH_UM));
    let (left, middle_left, middle_right) =
        (jaws[0].nose_tangent.x, jaws[2].nose_tangent.x, jaws[3].nose_tangent.x);
    let right = jaws[4].nose_tangent.x;
    let (bottom, top) = (jaws[1].nose_tangent.y, jaws[7].nose_tangent.y);
    let (low, high) = (RADIUS, width - RADIUS);
    [
        Rail { along_x: true, outward: -1, line: low, from: left, to: middle_left },
        Rail { along_x: true, outward: -1, line: low, from: middle_right, to: right },
        Rail { along_x: false, outward: -1, line: RADIUS, from: bottom, to: top },
        Rail { along_x: false, outward: 1, line: length - RADIUS, from: bottom, to: top },
        Rail { along_x: true, outward: 1, line: high, from: left, to: middle_left },
        Rail { along_x: true, outward: 1, line: high, from: middle_right, to: right },
    ]
}

const _: () = assert!(UNIT_BITS == 62);
