//! Balls that lie on a table: checked once, then any number of shots is played from there.

use super::balls::{Balls, MAX_BALLS, WHITE};
use super::detect::coarse::Coarse;
use super::outcome::{Outcome, ShotError};
use super::run::Run;
use super::stroke::Launch;
use super::trace::{Nothing, Recorder, Trace};
use crate::fixed::length;
use crate::fixed::vector::Vector;
use crate::table::{Table, TableError, TableSpec};

/// A table and balls that may lie there, the white among them. Whoever plays many shots from one
/// position (a search, a grid) makes one: no shot can be refused then, and none is checked again.
///
/// ```
/// use cuebench_engine::shot::{Balls, Launch, Outcome};
/// use cuebench_engine::table::{PocketSet, Table, TableSpec};
/// use cuebench_engine::units::Point;
///
/// let table = Table::new(TableSpec { pockets: PocketSet::Pool, cloth: 1000, restitution: 800 })?;
/// let mut balls = Balls::default();
/// balls.at[0] = Some(Point::new(600_000, 600_000));
/// let layout = table.layout(&balls)?;
/// let mut outcome = Outcome::default();
/// for angle_mdeg in (0..360_000).step_by(1_000) {
///     layout.launch_into(Launch::new(angle_mdeg, 2_000_000)?, &mut outcome);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    table: Table,
    balls: Balls,
    pub(super) places: [Vector; MAX_BALLS],
    pub(super) coarse: Coarse,
}

impl Layout {
    /// The layout, unchecked.
    pub(super) fn new(table: &Table, balls: &Balls) -> Self {
        let mut layout = Self {
            table: *table,
            balls: *balls,
            places: [Vector::ZERO; MAX_BALLS],
            coarse: Coarse::default(),
        };
        for (slot, at) in balls.on_table() {
            let place = Vector::new(length(at.x_um), length(at.y_um));
            layout.places[slot] = place;
            layout.coarse.note(slot, place);
        }
        layout
    }

    /// The table.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// Where the balls lie.
    #[must_use]
    pub const fn balls(&self) -> &Balls {
        &self.balls
    }

    /// The same balls on a table with the same pockets and another cloth speed (mm/s²) and
    /// restitution (thousandths): where balls may lie does not depend on these.
    ///
    /// # Errors
    /// When a value is out of range.
    pub fn with_values(&self, cloth: u32, restitution: u32) -> Result<Self, TableError> {
        let pockets = self.table.spec().pockets;
        let table = Table::new(TableSpec { pockets, cloth, restitution })?;
        Ok(Self { table, ..*self })
    }

    /// Plays `launch` into an outcome whose buffers are used again.
    pub fn launch_into(&self, launch: Launch, outcome: &mut Outcome) {
        self.record_into(launch, outcome, &mut Nothing);
    }

    /// Plays `launch`.
    #[must_use]
    pub fn launch(&self, launch: Launch) -> Outcome {
        let mut outcome = Outcome::default();
        self.launch_into(launch, &mut outcome);
        outcome
    }

    /// Plays `launch` and tells every event.
    #[must_use]
    pub fn trace(&self, launch: Launch) -> (Outcome, Trace) {
        let (mut outcome, mut trace) = (Outcome::default(), Trace::default());
        self.record_into(launch, &mut outcome, &mut trace);
        (outcome, trace)
    }

    pub(super) fn record_into(
        &self,
        launch: Launch,
        outcome: &mut Outcome,
        recorder: &mut impl Recorder,
    ) {
        Run::new(self, launch, outcome, recorder).play();
    }
}

impl Table {
    /// The balls as they lie, checked once for any number of shots.
    ///
    /// # Errors
    /// When the balls may not lie as given, or there is no white.
    pub fn layout(&self, balls: &Balls) -> Result<Layout, ShotError> {
        self.check(balls)?;
        if balls.at[WHITE].is_none() {
            return Err(ShotError::NoWhite);
        }
        Ok(Layout::new(self, balls))
    }
}
