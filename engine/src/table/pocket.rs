//! The six pockets, and the measures of the two sets of them.

use serde::{Deserialize, Serialize};

/// Which set of pockets a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PocketSet {
    /// Snooker proportions scaled to the 57 mm ball.
    Snooker,
    /// The WPA specification of a nine-foot table.
    Pool,
}

impl PocketSet {
    /// Both sets, in declaration order.
    pub const ALL: [Self; 2] = [Self::Snooker, Self::Pool];

    /// `snooker` or `pool`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Snooker => "snooker",
            Self::Pool => "pool",
        }
    }

    /// The measures of a corner pocket of the set.
    #[must_use]
    pub const fn corner(self) -> PocketMeasures {
        match self {
            Self::Snooker => PocketMeasures::new(93_000, 142, 12_000, 15_000),
            Self::Pool => PocketMeasures::new(115_900, 142, 10_000, 28_600),
        }
    }

    /// The measures of a middle pocket of the set.
    #[must_use]
    pub const fn middle(self) -> PocketMeasures {
        match self {
            Self::Snooker => PocketMeasures::new(100_000, 100, 15_000, 3_000),
            Self::Pool => PocketMeasures::new(128_600, 104, 8_000, 4_800),
        }
    }
}

impl std::fmt::Display for PocketSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// What makes the shape of a pocket (`engine/docs/physics.md`, Geometry).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct PocketMeasures {
    /// Width between the virtual jaw points, µm.
    pub mouth_um: i32,
    /// Angle between a facing and its rail, degrees.
    pub facing_deg: u32,
    /// Radius of the rounded points, µm.
    pub point_radius_um: i32,
    /// Distance from the mouth line to the fall line, µm.
    pub shelf_um: i32,
}

impl PocketMeasures {
    const fn new(mouth_um: i32, facing_deg: u32, point_radius_um: i32, shelf_um: i32) -> Self {
        Self { mouth_um, facing_deg, point_radius_um, shelf_um }
    }
}

/// One of the six pockets. The order is the one in which equal events are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Pocket {
    /// The corner at (0, 0).
    #[serde(rename = "bl")]
    BottomLeft,
    /// The middle of the rail y = 0.
    #[serde(rename = "bm")]
    BottomMiddle,
    /// The corner at (length, 0).
    #[serde(rename = "br")]
    BottomRight,
    /// The corner at (0, width).
    #[serde(rename = "tl")]
    TopLeft,
    /// The middle of the rail y = width.
    #[serde(rename = "tm")]
    TopMiddle,
    /// The corner at (length, width).
    #[serde(rename = "tr")]
    TopRight,
}

impl Pocket {
    /// All pockets, in declaration order.
    pub const ALL: [Self; 6] = [
        Self::BottomLeft,
        Self::BottomMiddle,
        Self::BottomRight,
        Self::TopLeft,
        Self::TopMiddle,
        Self::TopRight,
    ];

    /// The two letters of the pocket: `bl`, `bm`, `br`, `tl`, `tm` or `tr`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::BottomLeft => "bl",
            Self::BottomMiddle => "bm",
            Self::BottomRight => "br",
            Self::TopLeft => "tl",
            Self::TopMiddle => "tm",
            Self::TopRight => "tr",
        }
    }

    /// Whether this is a middle pocket.
    #[must_use]
    pub const fn is_middle(self) -> bool {
        matches!(self, Self::BottomMiddle | Self::TopMiddle)
    }
}

impl std::fmt::Display for Pocket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.code())
    }
}
