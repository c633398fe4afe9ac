//! A table: pockets, cloth, rubber. [`TableSpec`] is what one may write down, [`Table`] what has
//! been checked; its shape as public data is [`Geometry`].

#![deny(clippy::float_arithmetic)]

mod build;
pub(crate) mod cloth;
mod geometry;
mod names;
mod pocket;
pub(crate) mod rubber;

pub use geometry::{FacingShape, Geometry, PocketShape, PointShape, RailShape, Segment};
pub use names::{JAW_NAMES, RailName};
pub use pocket::{Pocket, PocketMeasures, PocketSet};

use cloth::Cloth;
use rubber::Rubber;
use serde::{Deserialize, Serialize};

/// Least and greatest cloth speed of a table, mm/s².
pub const CLOTH_RANGE: [u32; 2] = [100, 5_000];
/// Least and greatest restitution of the rails, thousandths.
pub const RESTITUTION_RANGE: [u32; 2] = [0, 1_000];

/// What makes a table, unchecked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// The set of pockets.
    pub pockets: PocketSet,
    /// How fast a rolling ball slows, mm/s²: see [`CLOTH_RANGE`]. Race tables have 700..=1300.
    pub cloth: u32,
    /// Share of the speed into a rail that comes back, thousandths: see [`RESTITUTION_RANGE`].
    /// Race tables have 600..=900.
    pub restitution: u32,
}

/// Why a [`TableSpec`] is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The cloth speed is out of range.
    #[error("cloth {0} mm/s²: give {low} to {high}", low = CLOTH_RANGE[0], high = CLOTH_RANGE[1])]
    Cloth(u32),
    /// The restitution is out of range.
    #[error("restitution {0} thousandths: give at most {high}", high = RESTITUTION_RANGE[1])]
    Restitution(u32),
}

/// A table that shots can be played on. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    spec: TableSpec,
    rubber: &'static Rubber,
    cloth: Cloth,
}

impl Table {
    /// The table of `spec`.
    ///
    /// # Errors
    /// When the cloth speed or the restitution is out of its range.
    pub fn new(spec: TableSpec) -> Result<Self, TableError> {
        if !(CLOTH_RANGE[0]..=CLOTH_RANGE[1]).contains(&spec.cloth) {
            return Err(TableError::Cloth(spec.cloth));
        }
        if !(RESTITUTION_RANGE[0]..=RESTITUTION_RANGE[1]).contains(&spec.restitution) {
            return Err(TableError::Restitution(spec.restitution));
        }
        Ok(Self::within(spec))
    }

    /// The table of a `spec` whose values are known to be in their ranges.
    pub(crate) fn within(spec: TableSpec) -> Self {
        let rubber = match spec.pockets {
            PocketSet::Snooker => &rubber::SNOOKER,
            PocketSet::Pool => &rubber::POOL,
        };
        Self { spec, rubber, cloth: Cloth::new(spec.cloth) }
    }

    /// What the table was made from.
    #[must_use]
    pub const fn spec(&self) -> TableSpec {
        self.spec
    }

    /// The shape of the table in whole micrometres.
    #[must_use]
    pub fn geometry(&self) -> &'static Geometry {
        match self.spec.pockets {
            PocketSet::Snooker => &build::SNOOKER,
            PocketSet::Pool => &build::POOL,
        }
    }

    /// The rubber in fixed point.
    pub(crate) const fn rubber(&self) -> &'static Rubber {
        self.rubber
    }

    /// How balls slow.
    pub(crate) const fn cloth(&self) -> Cloth {
        self.cloth
    }
}
