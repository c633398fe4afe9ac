//! Names of rails and jaws, as traces write them.

use serde::{Deserialize, Serialize};

/// One of the six rails. The order is the one in which equal events are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RailName {
    /// Bottom, between the left corner and the middle.
    #[serde(rename = "bl-bm")]
    BottomLeft,
    /// Bottom, between the middle and the right corner.
    #[serde(rename = "bm-br")]
    BottomRight,
    /// The left end.
    #[serde(rename = "bl-tl")]
    Left,
    /// The right end.
    #[serde(rename = "br-tr")]
    Right,
    /// Top, between the left corner and the middle.
    #[serde(rename = "tl-tm")]
    TopLeft,
    /// Top, between the middle and the right corner.
    #[serde(rename = "tm-tr")]
    TopRight,
}

impl RailName {
    /// All rails, in declaration order.
    pub const ALL: [Self; 6] = [
        Self::BottomLeft,
        Self::BottomRight,
        Self::Left,
        Self::Right,
        Self::TopLeft,
        Self::TopRight,
    ];

    /// The pockets at its ends, as `bl-bm`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::BottomLeft => "bl-bm",
            Self::BottomRight => "bm-br",
            Self::Left => "bl-tl",
            Self::Right => "br-tr",
            Self::TopLeft => "tl-tm",
            Self::TopRight => "tm-tr",
        }
    }
}

impl std::fmt::Display for RailName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.code())
    }
}

/// The twelve jaws, two a pocket in the order of [`super::Pocket::ALL`]: at a corner first the jaw
/// of the long rail, at a middle first the left one.
pub const JAW_NAMES: [&str; 12] = [
    "bl.bottom",
    "bl.left",
    "bm.left",
    "bm.right",
    "br.bottom",
    "br.right",
    "tl.top",
    "tl.left",
    "tm.left",
    "tm.right",
    "tr.top",
    "tr.right",
];
