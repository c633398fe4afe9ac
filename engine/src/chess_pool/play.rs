//! Frames on the shot engine: an answer in, the shot simulated, the state moved on.

use super::action::{Action, ActionError, Phase};
use super::call::{Call, check_call};
use super::frame::{Finished, State};
use super::judge::Verdict;
use super::opening::BreakVerdict;
use super::piece::Ball;
use super::reason::Reason;
use crate::shot::{Balls, Outcome, Stroke};
use crate::table::{PocketSet, Table, TableError, TableSpec};
use crate::units::{BALL_DIAMETER_UM, Point};

/// Cloth speed of a chess-pool table unless set, mm/s².
pub const CLOTH: u32 = 1000;
/// Restitution of a chess-pool table unless set, thousandths.
pub const RESTITUTION: u32 = 750;

/// The table of chess pool: pool pockets, cloth and restitution as set, known to both.
///
/// # Errors
/// When either is out of the table's range.
pub fn pool_table(cloth: u32, restitution: u32) -> Result<Table, TableError> {
    Table::new(TableSpec { pockets: PocketSet::Pool, cloth, restitution })
}

/// What an answer did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The break was played.
    Break(BreakVerdict),
    /// A side was chosen.
    Side,
    /// A shot was played.
    Shot(Verdict),
    /// The 8 came back.
    King,
}

/// The last simulated shot in the game's terms; its buffers are used again, so that playing
/// allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct LastShot {
    /// What the engine saw.
    pub outcome: Outcome,
    /// Where the balls lay before it, the cue ball placed.
    pub before: Balls,
    /// Collisions of two balls in order of time.
    pub contacts: Vec<[Ball; 2]>,
    /// Balls pocketed in order of time.
    pub pocketed: Vec<Ball>,
}

impl LastShot {
    /// Simulates `stroke` on `balls`.
    ///
    /// # Errors
    /// When the engine refuses the position.
    pub fn simulate(
        &mut self,
        table: &Table,
        balls: Balls,
        stroke: Stroke,
    ) -> Result<(), ActionError> {
        table.simulate_into(&balls, stroke, &mut self.outcome)?;
        self.before = balls;
        self.contacts.clear();
        self.contacts.extend(self.outcome.collisions.iter().filter_map(|collision| {
            Some([Ball::in_slot(collision.a)?, Ball::in_slot(collision.b)?])
        }));
        self.pocketed.clear();
        self.pocketed.extend(self.outcome.falls.iter().filter_map(|fall| Ball::in_slot(fall.ball)));
        Ok(())
    }

    /// The shot as [`State::settle_shot`] takes it.
    #[must_use]
    pub fn finished(&self) -> Finished<'_> {
        Finished { balls: self.outcome.balls, contacts: &self.contacts, pocketed: &self.pocketed }
    }
}

impl State {
    /// Plays `action` on `table`; the shot, if it was one, stands in `shot` afterwards.
    ///
    /// # Errors
    /// When the rules do not allow the answer. The state is then as it was.
    pub fn apply(
        &mut self,
        table: &Table,
        action: &Action,
        shot: &mut LastShot,
    ) -> Result<Event, ActionError> {
        self.apply_explained(table, action, shot, |_| ())
    }

    /// As [`apply`](Self::apply); `reason` hears every rule that decides.
    ///
    /// # Errors
    /// As there.
    pub fn apply_explained(
        &mut self,
        table: &Table,
        action: &Action,
        shot: &mut LastShot,
        reason: impl FnMut(Reason),
    ) -> Result<Event, ActionError> {
        match *action {
            Action::Break { cue, angle, power } => {
                self.expect(Phase::Break)?;
                let balls = self.placed(Some(cue))?;
                shot.simulate(table, balls, Stroke::new(angle, power)?)?;
                self.settle_break(&shot.finished(), reason).map(Event::Break)
            }
            Action::Side { side } => {
                self.choose_side(side, reason)?;
                Ok(Event::Side)
            }
            Action::Shot { call, angle, power, cue } => {
                let balls = self.check_shot(call, cue)?;
                shot.simulate(table, balls, Stroke::new(angle, power)?)?;
                self.settle_shot(call, &shot.finished(), reason).map(Event::Shot)
            }
            Action::King { replace } => {
                self.replace(replace)?;
                Ok(Event::King)
            }
        }
    }

    /// The balls as they lie for a shot that is called and placed in keeping with the rules.
    fn check_shot(&self, call: Call, cue: Option<Point>) -> Result<Balls, ActionError> {
        let shooter = self.shooter()?;
        check_call(self.balls(), shooter, call, self.rules().options.grid)?;
        self.placed(cue)
    }

    /// As [`with_cue`](Self::with_cue), and clear of every other ball.
    ///
    /// # Errors
    /// When the cue ball may not be placed there, with the reason.
    pub fn placed(&self, cue: Option<Point>) -> Result<Balls, ActionError> {
        let balls = self.with_cue(cue)?;
        let Some(at) = cue else { return Ok(balls) };
        let diameter2 = i64::from(BALL_DIAMETER_UM).pow(2);
        let blocked = Ball::all().skip(1).find(|ball| {
            balls.at[ball.slot()].is_some_and(|other| other.distance_squared_um2(at) < diameter2)
        });
        blocked.map_or(Ok(balls), |ball| Err(ActionError::CueOverlaps { at, ball }))
    }
}
