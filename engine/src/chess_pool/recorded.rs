//! Shots as people record them: whether they can have happened, before they are judged.

use super::call::{Call, CallError, check_call, on_table};
use super::frame::Finished;
use super::judge::{Shot, Verdict, judge_shot};
use super::options::Options;
use super::piece::{Ball, BallSet, Side};
use super::reason::Reason;
use crate::shot::{Balls, BallsError};
use crate::table::Table;

/// Why a record of a shot cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The call is illegal in the position.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A ball that is always on the table is not.
    #[error("position: the {0} ball is missing; it is on the table before every shot")]
    Missing(Ball),
    /// Balls in one place, in rubber, or off the table.
    #[error("{list}: {}", describe(.error))]
    Place {
        /// The list that names the places.
        list: &'static str,
        /// What is wrong with them.
        error: BallsError,
    },
    /// A contact of a ball that is not on the table.
    #[error("contacts[{index}]: {ball} is not on the table")]
    ContactOff {
        /// Index of the contact, from 0.
        index: usize,
        /// The ball.
        ball: Ball,
    },
    /// A contact of a ball with itself.
    #[error("contacts[{index}]: {ball} cannot meet itself")]
    ContactSelf {
        /// Index of the contact, from 0.
        index: usize,
        /// The ball.
        ball: Ball,
    },
    /// A contact of two balls that nothing has set in motion.
    #[error("contacts[{index}]: {} and {} are both at rest; the contact that set one in motion is missing before it", .balls[0], .balls[1])]
    NothingMoves {
        /// Index of the contact, from 0.
        index: usize,
        /// The balls.
        balls: [Ball; 2],
    },
    /// A pocketed ball that is not on the table.
    #[error("pocketed[{index}]: {ball} is not on the table")]
    PocketedOff {
        /// Index of the fall, from 0.
        index: usize,
        /// The ball.
        ball: Ball,
    },
    /// A ball pocketed twice.
    #[error("pocketed[{index}]: {ball} is pocketed twice")]
    PocketedTwice {
        /// Index of the fall, from 0.
        index: usize,
        /// The ball.
        ball: Ball,
    },
    /// A ball pocketed that was in no contact.
    #[error("pocketed[{index}]: nothing set {ball} in motion; the contact that did is missing")]
    PocketedAtRest {
        /// Index of the fall, from 0.
        index: usize,
        /// The ball.
        ball: Ball,
    },
    /// A ball that neither fell nor lies on the table afterwards.
    #[error("after: the {0} ball is missing; it was on the table and was not pocketed")]
    Lost(Ball),
    /// A ball that lies on the table afterwards and cannot.
    #[error("after: the {0} ball was pocketed, or was not on the table before")]
    Found(Ball),
}

fn describe(error: &BallsError) -> String {
    error.describe(|slot| Ball::in_slot(slot).map_or_else(String::new, |ball| ball.to_string()))
}

/// Checks a record and judges it; `reason` hears every rule that decides, in order.
///
/// # Errors
/// A position that cannot be on `table`, or is without the cue ball or the 8, an illegal call,
/// contacts or falls that cannot be.
pub fn judge(
    (table, position): (&Table, &Balls),
    (shooter, call): (Side, Call),
    (contacts, pocketed): (&[[Ball; 2]], &[Ball]),
    options: &Options,
    reason: impl FnMut(Reason),
) -> Result<Verdict, RecordError> {
    let on_table = on_table(position);
    for ball in [Ball::CUE, Ball::KING] {
        if !on_table.contains(ball) {
            return Err(RecordError::Missing(ball));
        }
    }
    let place = |error| RecordError::Place { list: "position", error };
    table.check(position).map_err(place)?;
    check_call(position, shooter, call, options.grid)?;
    check_events(on_table, contacts, pocketed)?;
    let shot = Shot { on_table, shooter, call, contacts, pocketed };
    Ok(judge_shot(&shot, options, reason))
}

impl Finished<'_> {
    /// Whether this shot can have followed on `before`: its contacts and falls, and where the
    /// balls lie afterwards.
    ///
    /// # Errors
    /// The first thing that cannot be.
    pub fn check(&self, table: &Table, before: &Balls) -> Result<(), RecordError> {
        let stood = on_table(before);
        check_events(stood, self.contacts, self.pocketed)?;
        let fallen: BallSet = self.pocketed.iter().copied().collect();
        let (wanted, lie) = (stood.difference(fallen), on_table(&self.balls));
        if let Some(ball) = wanted.difference(lie).iter().next() {
            return Err(RecordError::Lost(ball));
        }
        if let Some(ball) = lie.difference(wanted).iter().next() {
            return Err(RecordError::Found(ball));
        }
        let place = |error| RecordError::Place { list: "after", error };
        table.check(&self.balls).map_err(place)
    }
}

/// Whether contacts and falls can be, each in order of time, of the balls on the table before.
fn check_events(
    on_table: BallSet,
    contacts: &[[Ball; 2]],
    pocketed: &[Ball],
) -> Result<(), RecordError> {
    let mut moving = BallSet::EMPTY.with(Ball::CUE);
    for (index, &balls) in contacts.iter().enumerate() {
        if let Some(&ball) = balls.iter().find(|&&ball| !on_table.contains(ball)) {
            return Err(RecordError::ContactOff { index, ball });
        }
        let [a, b] = balls;
        if a == b {
            return Err(RecordError::ContactSelf { index, ball: a });
        }
        if !moving.contains(a) && !moving.contains(b) {
            return Err(RecordError::NothingMoves { index, balls });
        }
        moving = moving.with(a).with(b);
    }
    let mut gone = BallSet::EMPTY;
    for (index, &ball) in pocketed.iter().enumerate() {
        if !on_table.contains(ball) {
            return Err(RecordError::PocketedOff { index, ball });
        }
        if gone.contains(ball) {
            return Err(RecordError::PocketedTwice { index, ball });
        }
        if !moving.contains(ball) {
            return Err(RecordError::PocketedAtRest { index, ball });
        }
        gone.insert(ball);
    }
    Ok(())
}
