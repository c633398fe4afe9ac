//! The grid of hidden table values.

use cuebench_engine::table::{PocketSet, TableSpec};

/// Least and greatest hidden cloth speed, mm/s².
pub const CLOTH_RANGE: [u32; 2] = [700, 1300];
/// Least and greatest hidden restitution, thousandths.
pub const RESTITUTION_RANGE: [u32; 2] = [600, 900];
/// Cloth speeds of the grid.
pub const CLOTHS: usize = (CLOTH_RANGE[1] - CLOTH_RANGE[0] + 1) as usize;
/// Restitutions of the grid.
pub const RESTITUTIONS: usize = (RESTITUTION_RANGE[1] - RESTITUTION_RANGE[0] + 1) as usize;
/// Pairs of the grid: 601 x 301.
pub const PAIRS: usize = CLOTHS * RESTITUTIONS;

/// A cloth speed and a restitution of the grid.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Pair {
    /// Cloth speed, mm/s², 700..=1300.
    pub cloth: u32,
    /// Restitution, thousandths, 600..=900.
    pub restitution: u32,
}

impl Pair {
    /// The middle of the grid: the best guess when nothing is known.
    pub const MIDDLE: Self = Self {
        cloth: CLOTH_RANGE[0].midpoint(CLOTH_RANGE[1]),
        restitution: RESTITUTION_RANGE[0].midpoint(RESTITUTION_RANGE[1]),
    };

    /// The pair in row `row` (cloth) and column `column` (restitution) of the grid.
    #[must_use]
    pub const fn at(row: usize, column: usize) -> Self {
        Self {
            cloth: CLOTH_RANGE[0] + row as u32,
            restitution: RESTITUTION_RANGE[0] + column as u32,
        }
    }

    /// The pair with this index: the grid in order of cloth, then restitution.
    #[must_use]
    pub const fn from_index(index: usize) -> Self {
        Self::at(index / RESTITUTIONS, index % RESTITUTIONS)
    }

    /// Its index in the grid; the inverse of [`Self::from_index`].
    #[must_use]
    pub const fn index(self) -> usize {
        let row = (self.cloth - CLOTH_RANGE[0]) as usize;
        row * RESTITUTIONS + (self.restitution - RESTITUTION_RANGE[0]) as usize
    }

    /// A table of this pair.
    #[must_use]
    pub const fn spec(self, pockets: PocketSet) -> TableSpec {
        TableSpec { pockets, cloth: self.cloth, restitution: self.restitution }
    }
}
