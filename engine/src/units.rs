//! The units of the whole project, and the few numbers every table shares.
//!
//! Lengths are micrometres (`_um`), times in files seconds (`_s`) or milliseconds (`_ms`), angles
//! thousandths of a degree (`_mdeg`), powers the integers 1..=1000. Names carry the unit.
//! Source of the numbers: `engine/docs/physics.md`, Geometry.

/// Length of the playing area along x, µm (nine-foot table, nose to nose).
pub const LENGTH_UM: i32 = 2_540_000;
/// Width of the playing area along y, µm.
pub const WIDTH_UM: i32 = 1_270_000;
/// Radius of every ball, µm.
pub const BALL_RADIUS_UM: i32 = 28_500;
/// Diameter of every ball, µm.
pub const BALL_DIAMETER_UM: i32 = 2 * BALL_RADIUS_UM;
/// Stroke angles run from 0 to this, exclusive: thousandths of a degree, anticlockwise from +x.
pub const FULL_TURN_MDEG: u32 = 360_000;
/// Greatest power of a stroke; the least is 1.
pub const MAX_POWER: u32 = 1_000;
/// Speed of the white per unit of power, µm/s.
pub const SPEED_PER_POWER_UM_S: i32 = 6_000;

/// A place on the table: the centre of a ball in whole micrometres, x along the length, y across
/// and up.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(from = "[i32; 2]", into = "[i32; 2]")]
pub struct Point {
    /// Along the length, µm.
    pub x_um: i32,
    /// Across, upward, µm.
    pub y_um: i32,
}

impl Point {
    /// The point at (`x_um`, `y_um`).
    #[must_use]
    pub const fn new(x_um: i32, y_um: i32) -> Self {
        Self { x_um, y_um }
    }

    /// Squared distance to `other`, µm².
    #[must_use]
    pub const fn distance_squared_um2(self, other: Self) -> i64 {
        let dx = self.x_um as i64 - other.x_um as i64;
        let dy = self.y_um as i64 - other.y_um as i64;
        dx * dx + dy * dy
    }
}

impl From<[i32; 2]> for Point {
    fn from([x_um, y_um]: [i32; 2]) -> Self {
        Self { x_um, y_um }
    }
}

impl From<Point> for [i32; 2] {
    fn from(point: Point) -> Self {
        [point.x_um, point.y_um]
    }
}
