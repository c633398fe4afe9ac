//! Many tables stepped at once, into arrays that the caller owns.
//!
//! Rows are independent, so the results are the same at any thread count; the threads are those of
//! the rayon pool in which the call is made. A stroke that is refused leaves its table as it was
//! and its reason in `status`; nothing is printed and nothing panics.

use super::ball::{Ball, RACE_BALLS};
use super::outcome::Closed;
use super::seat::{Action, SeatTable, StepError};
use super::view::BallOn;
use crate::shot::Outcome;
use ndarray::{ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};

/// Columns of an observation.
pub const OBSERVATION: [&str; 24] = [
    "white_x_um",
    "white_y_um",
    "yellow_x_um",
    "yellow_y_um",
    "green_x_um",
    "green_y_um",
    "brown_x_um",
    "brown_y_um",
    "blue_x_um",
    "blue_y_um",
    "pink_x_um",
    "pink_y_um",
    "black_x_um",
    "black_y_um",
    "ball_on",
    "score",
    "strokes",
    "first_hit",
    "potted",
    "fouls",
    "penalty",
    "closed",
    "cloth_mm_s2",
    "restitution_thousandths",
];

/// What stands in an observation where there is no value: places of balls that are gone, hidden
/// table values, no first hit, no ball on.
pub const ABSENT: i32 = -1_000_000_000;

/// Why arrays could not be used: no table was stepped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// An array whose shape does not fit the number of tables.
    #[error("array `{name}` has shape {got:?}; for {tables} tables it must be {want:?}")]
    Shape {
        /// The array.
        name: &'static str,
        /// Its shape.
        got: Vec<usize>,
        /// The shape it must have.
        want: Vec<usize>,
        /// The number of tables.
        tables: usize,
    },
}

/// Where a batch writes, one row a table.
#[derive(Debug)]
pub struct BatchOut<'a> {
    /// N x [`OBSERVATION`]: the public state after the stroke. See [`observation_row`].
    pub observations: ArrayViewMut2<'a, i32>,
    /// N: change of the score by the stroke.
    pub score_changes: ArrayViewMut1<'a, i32>,
    /// N: why the table is closed ([`Closed::code`]), 0 while it is open.
    pub closed: ArrayViewMut1<'a, u8>,
    /// N: why the stroke was refused ([`StepError::code`]), 0 if it was played.
    pub status: ArrayViewMut1<'a, u8>,
}

/// Plays row n of `actions` (angle in thousandths of a degree, power) on table n.
///
/// # Errors
/// [`BatchError`] when a shape does not fit. Refused strokes are no error: see
/// [`BatchOut::status`].
pub fn step_all(
    tables: &mut [SeatTable],
    actions: ArrayView2<'_, u32>,
    out: BatchOut<'_>,
) -> Result<(), BatchError> {
    let tables_count = tables.len();
    let shape = |name, got: &[usize], want: &[usize]| {
        if got == want {
            return Ok(());
        }
        let (got, want) = (got.to_vec(), want.to_vec());
        Err(BatchError::Shape { name, got, want, tables: tables_count })
    };
    let BatchOut { mut observations, mut score_changes, mut closed, mut status } = out;
    shape("actions", actions.shape(), &[tables_count, 2])?;
    shape("observations", observations.shape(), &[tables_count, OBSERVATION.len()])?;
    shape("score_changes", score_changes.shape(), &[tables_count])?;
    shape("closed", closed.shape(), &[tables_count])?;
    shape("status", status.shape(), &[tables_count])?;
    let rows = (
        tables,
        actions.axis_iter(Axis(0)),
        observations.axis_iter_mut(Axis(0)),
        score_changes.iter_mut().collect::<Vec<_>>(),
        closed.iter_mut().collect::<Vec<_>>(),
        status.iter_mut().collect::<Vec<_>>(),
    );
    rows.into_par_iter().with_min_len(16).for_each_init(
        Outcome::default,
        |outcome, (table, action, mut observation, score_change, closed, status)| {
            let action = Action { angle: action[0], power: action[1] };
            let step = table.step_at(action, table.time_ms(), outcome);
            *score_change = step.as_ref().map_or(0, |step| step.score_change);
            *status = step.as_ref().err().map_or(0, StepError::code);
            *closed = table.closed().map_or(0, Closed::code);
            for (column, value) in observation.iter_mut().zip(observation_row(table)) {
                *column = value;
            }
        },
    );
    Ok(())
}

/// Writes the public state of every table: the observations before a first stroke.
///
/// # Errors
/// [`BatchError`] when the shape does not fit.
pub fn observe_all(
    tables: &[SeatTable],
    mut observations: ArrayViewMut2<'_, i32>,
) -> Result<(), BatchError> {
    let want = [tables.len(), OBSERVATION.len()];
    if observations.shape() != want {
        let (got, want) = (observations.shape().to_vec(), want.to_vec());
        return Err(BatchError::Shape { name: "observations", got, want, tables: tables.len() });
    }
    for (table, mut row) in tables.iter().zip(observations.rows_mut()) {
        for (column, value) in row.iter_mut().zip(observation_row(table)) {
            *column = value;
        }
    }
    Ok(())
}

/// The public state of a table as whole numbers, in the order of [`OBSERVATION`]. `ball_on` and
/// `first_hit` are values of colours (2..=7; `ball_on` 0 for any), `potted` and `fouls` sets of
/// bits (bit n: ball of slot n; bit n: [`super::Foul::ALL`] n), `closed` a [`Closed::code`], and
/// what is not there is [`ABSENT`].
#[must_use]
pub fn observation_row(table: &SeatTable) -> [i32; OBSERVATION.len()] {
    let view = table.observe();
    let value = |ball: Ball| ball.value() as i32;
    let mut row = [ABSENT; OBSERVATION.len()];
    for (slot, place) in view.balls.at[..RACE_BALLS].iter().enumerate() {
        if let Some(place) = place {
            row[2 * slot] = place.x_um;
            row[2 * slot + 1] = place.y_um;
        }
    }
    let rest = [
        view.ball_on.map_or(ABSENT, |on| match on {
            BallOn::Colour(ball) => value(ball),
            BallOn::Any => 0,
        }),
        view.score,
        view.strokes as i32,
        view.first_hit.map_or(ABSENT, value),
        view.potted.iter().fold(0, |bits, &ball| bits | 1 << ball.slot()),
        view.fouls.bits().into(),
        view.penalty as i32,
        view.closed.map_or(0, |closed| closed.code().into()),
        view.table.map_or(ABSENT, |table| table.cloth as i32),
        view.table.map_or(ABSENT, |table| table.restitution as i32),
    ];
    row[2 * RACE_BALLS..].copy_from_slice(&rest);
    row
}
