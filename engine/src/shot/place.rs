//! Exact tests of starting positions.

use crate::fixed::vector::Vector;
use crate::fixed::{LENGTH_BITS, length};
use crate::table::rubber::{RADIUS, Rubber};
use crate::table::{JAW_NAMES, RailName, Table};
use crate::units::{BALL_DIAMETER_UM, BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};

/// An overlap of up to this in a starting position is rounding and counts as touching, µm.
pub const MAX_OVERLAP_UM: i32 = 2;
/// Furthest that any centre can be outside the playing area, µm: no pocket is deeper.
const MARGIN_UM: i32 = 100_000;

/// Why balls cannot lie as given. Balls are named by slot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe(|slot| slot.to_string()))]
#[non_exhaustive]
pub enum BallsError {
    /// Two balls overlap by more than [`MAX_OVERLAP_UM`].
    Overlap {
        /// The lower slot.
        a: u8,
        /// The higher slot.
        b: u8,
        /// By how much, µm, rounded up.
        overlap_um: i32,
    },
    /// A ball lies in rubber by more than [`MAX_OVERLAP_UM`].
    Rubber {
        /// Its slot.
        ball: u8,
        /// The rail or jaw, as traces name it.
        rubber: &'static str,
        /// By how much, µm, rounded up.
        overlap_um: i32,
    },
    /// A ball lies off the table or behind the back of a pocket.
    OffTable {
        /// Its slot.
        ball: u8,
        /// Its place.
        at: Point,
    },
}

impl BallsError {
    /// The reason in words, with the names that `name` gives to slots.
    pub fn describe(&self, name: impl Fn(u8) -> String) -> String {
        let allowed = format!("(up to {MAX_OVERLAP_UM} µm is rounding)");
        match *self {
            Self::Overlap { a, b, overlap_um } => {
                let (a, b) = (name(a), name(b));
                format!("balls {a} and {b} overlap by {overlap_um} µm {allowed}")
            }
            Self::Rubber { ball, rubber, overlap_um } => {
                let ball = name(ball);
                format!("ball {ball} overlaps {rubber} by {overlap_um} µm {allowed}")
            }
            Self::OffTable { ball, at: Point { x_um, y_um } } => {
                format!("ball {} at ({x_um}, {y_um}) µm is not on the table", name(ball))
            }
        }
    }
}

/// Whether two balls keep clear of each other.
pub fn check_pair([a, b]: [u8; 2], [at, beside]: [Point; 2]) -> Result<(), BallsError> {
    let least = i64::from(BALL_DIAMETER_UM - MAX_OVERLAP_UM);
    let squared = at.distance_squared_um2(beside);
    if squared >= least * least {
        return Ok(());
    }
    let overlap_um = BALL_DIAMETER_UM - squared.isqrt() as i32;
    Err(BallsError::Overlap { a, b, overlap_um })
}

/// Whether a ball lies on the table and clear of rubber.
pub fn check_place(table: &Table, ball: u8, at: Point) -> Result<(), BallsError> {
    let inside = |low: i32, value: i32, high: i32| (low..=high).contains(&value);
    let (r, far_x, far_y) = (BALL_RADIUS_UM, LENGTH_UM - BALL_RADIUS_UM, WIDTH_UM - BALL_RADIUS_UM);
    if inside(r, at.x_um, far_x) && inside(r, at.y_um, far_y) {
        return Ok(());
    }
    if !inside(-MARGIN_UM, at.x_um, LENGTH_UM + MARGIN_UM)
        || !inside(-MARGIN_UM, at.y_um, WIDTH_UM + MARGIN_UM)
    {
        return Err(BallsError::OffTable { ball, at });
    }
    check_edge(table.rubber(), ball, at)
}

/// The same for a ball that reaches over the nose lines.
fn check_edge(rubber: &Rubber, ball: u8, at: Point) -> Result<(), BallsError> {
    let place = Vector::new(length(at.x_um), length(at.y_um));
    let refuse = |name, overlap: i64| {
        let overlap_um = -((-overlap >> LENGTH_BITS) as i32);
        if overlap_um <= MAX_OVERLAP_UM {
            return Ok(());
        }
        if overlap_um > BALL_DIAMETER_UM {
            return Err(BallsError::OffTable { ball, at });
        }
        Err(BallsError::Rubber { ball, rubber: name, overlap_um })
    };
    for (rail, name) in rubber.rails.iter().zip(RailName::ALL) {
        let (along, beside) = if rail.along_x { (place.x, place.y) } else { (place.y, place.x) };
        if (rail.from..=rail.to).contains(&along) {
            refuse(name.code(), (beside - rail.line) * rail.outward)?;
        }
    }
    for (jaw, name) in rubber.jaws.iter().zip(JAW_NAMES) {
        let distance = (place - jaw.centre).squared().isqrt() as i64;
        refuse(name, jaw.reach - distance)?;
        let from = place - jaw.facing_tangent;
        if from.dot(jaw.facing) >= 0 && from.dot(jaw.facing) < length(2 * MARGIN_UM) {
            let beside = from.dot(jaw.normal);
            if beside > -length(MARGIN_UM) {
                refuse(name, RADIUS - beside)?;
            }
        }
    }
    let in_throat = rubber.throats.iter().any(|throat| {
        let depth = throat.depth(place);
        let beside = (place - throat.mouth).dot(throat.axis.left()).abs();
        depth > -length(MARGIN_UM)
            && depth <= throat.back + length(MAX_OVERLAP_UM)
            && beside < length(MARGIN_UM)
    });
    let near = |value: i32, far: i32| {
        value >= BALL_RADIUS_UM - MAX_OVERLAP_UM && value <= far - BALL_RADIUS_UM + MAX_OVERLAP_UM
    };
    if in_throat || (near(at.x_um, LENGTH_UM) && near(at.y_um, WIDTH_UM)) {
        Ok(())
    } else {
        Err(BallsError::OffTable { ball, at })
    }
}
