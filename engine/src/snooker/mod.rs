//! The snooker race: one seat's table, and the match of two seats.
//!
//! Both seats get the same table from one seed and play their own copies of it; six colours are
//! to be cleared in as few strokes as possible. [`SeatTable`] is one seat's table as a value:
//! [`reset`](SeatTable::reset), [`step`](SeatTable::step), [`observe`](SeatTable::observe), cheap
//! to clone, to and from versioned bytes. [`batch::step_all`] steps many of them in parallel.
//! The rules proper are one pure function, [`judge`]. Nothing here reads a clock: times are
//! handed in, in milliseconds.

mod ball;
pub mod batch;
mod bytes;
mod game;
mod judge;
mod layout;
mod noise;
mod options;
mod outcome;
mod place;
mod rubber;
mod seat;
#[cfg(test)]
mod tests;
mod view;

pub use ball::{Ball, BallList, COLOURS, RACE_BALLS};
pub use bytes::BytesError;
pub use game::{Race, RaceState};
pub use judge::{Foul, Fouls, Judged, judge, lowest_colour};
pub use layout::{
    CLEARANCE_UM, CLOTH_MM_S2, POCKET_CLEARANCE_UM, RESTITUTION, starting_position, table_values,
};
pub use noise::{AimNoise, NoiseError};
pub use options::{Layout, MaxShots, Options, OptionsError, Order, TableOption};
pub use outcome::{Closed, Decided, MatchOutcome, SeatResult, decide};
pub use place::nearest_free_place;
pub use seat::{Action, CLOCK_MS, SeatTable, Setup, SetupError, Step, StepError};
pub use view::{BallOn, PublicView, TableValues, named};
