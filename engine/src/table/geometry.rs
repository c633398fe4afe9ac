//! The shape of a table as public data, in whole micrometres.

use super::{Pocket, PocketMeasures, PocketSet};
use crate::units::Point;
use serde::Serialize;

/// A straight piece between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// One end.
    pub from: Point,
    /// The other end.
    pub to: Point,
}

/// The nose line of one of the six rails, between the tangent points of its rounded points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RailShape {
    /// The rail.
    pub name: &'static str,
    /// Its nose.
    #[serde(flatten)]
    pub nose: Segment,
}

/// A rounded point of a jaw: rubber inside the circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PointShape {
    /// Pocket and side: `bm.left`, `tr.top`.
    pub name: &'static str,
    /// Centre of the circle.
    pub centre: Point,
    /// Its radius, µm.
    pub radius_um: i32,
    /// Where the nose of the rail goes over into the circle.
    pub nose_tangent: Point,
    /// Where the circle goes over into the facing.
    pub facing_tangent: Point,
    /// The virtual jaw point, where nose line and facing line meet.
    pub virtual_point: Point,
}

/// A facing: the straight rubber from a rounded point to the back of the pocket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FacingShape {
    /// Pocket and side, as of the rounded point.
    pub name: &'static str,
    /// The facing, from its tangent point on.
    #[serde(flatten)]
    pub line: Segment,
}

/// The lines of one pocket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PocketShape {
    /// The pocket.
    pub pocket: Pocket,
    /// Its measures.
    pub measures: PocketMeasures,
    /// The mouth line, between the virtual jaw points.
    pub mouth_line: Segment,
    /// The fall line, as wide as the rubber leaves it.
    pub fall_line: Segment,
    /// The width of the fall line, µm.
    pub fall_gap_um: i32,
    /// The back of the pocket: the centre of a ball gets no further than this line.
    pub back_line: Segment,
    /// The aim point: where the centre line crosses the mouth line.
    pub aim: Point,
}

/// The shape of a table, rounded to whole micrometres. The engine itself works on finer numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Geometry {
    /// Which pockets.
    pub pockets_set: PocketSet,
    /// Length of the playing area, µm.
    pub length_um: i32,
    /// Width of the playing area, µm.
    pub width_um: i32,
    /// Radius of a ball, µm.
    pub ball_radius_um: i32,
    /// The six rails.
    pub rails: [RailShape; 6],
    /// The twelve rounded points, two a pocket.
    pub points: [PointShape; 12],
    /// The twelve facings, two a pocket, in the order of the points.
    pub facings: [FacingShape; 12],
    /// The six pockets, in the order of [`Pocket::ALL`].
    pub pockets: [PocketShape; 6],
}
