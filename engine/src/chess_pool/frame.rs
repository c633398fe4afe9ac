//! A frame as a value: whose turn it is, what is asked for, and how each answer moves it on.
//!
//! The physics stays outside: a state takes finished shots ([`State::settle_break`],
//! [`State::settle_shot`]), simulated ones from [`super::play`] or real ones.

use super::action::{ActionError, Phase};
use super::call::{Call, check_call, on_table};
use super::judge::{Shot, Verdict, judge_shot, king_returns};
use super::opening::{BreakVerdict, judge_break};
use super::options::{Options, SideChooser};
use super::piece::{Ball, BallSet, Side};
use super::place::put_back;
use super::rack::{is_behind_head_string, rack};
use super::reason::Reason;
use crate::shot::Balls;
use crate::units::Point;

/// A player's place in the frame: 0 or 1.
pub type Seat = usize;

/// The rules of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The readings of the rules.
    pub options: Options,
    /// Shots after which the frame is a draw, the break included; at least 1. `None`: a frame is
    /// played until somebody wins.
    pub max_shots: Option<u32>,
}

/// The default of [`Rules::max_shots`], which can be switched off.
pub const DEFAULT_MAX_SHOTS: u32 = 200;

impl Default for Rules {
    fn default() -> Self {
        Self { options: Options::default(), max_shots: Some(DEFAULT_MAX_SHOTS) }
    }
}

/// A finished shot as the physics or an observer reports it.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// Where the balls came to rest; pocketed balls are off the table.
    pub balls: Balls,
    /// Collisions of two balls in order of time.
    pub contacts: &'a [[Ball; 2]],
    /// Balls pocketed in order of time, the cue ball too.
    pub pocketed: &'a [Ball],
}

/// A frame between two answers. Everything is public in this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub(super) rules: Rules,
    pub(super) breaker: Seat,
    pub(super) breaker_side: Option<Side>,
    pub(super) balls: Balls,
    pub(super) phase: Phase,
    pub(super) to_move: Seat,
    pub(super) cue_in_hand: bool,
    pub(super) shots: u32,
    /// The break pocketed the 8: once sides are chosen, a piece makes way for it.
    pub(super) king_due: bool,
    pub(super) king_choices: BallSet,
    pub(super) winner: Option<Seat>,
}

impl State {
    /// The start of a frame: the balls racked, the cue ball in hand of `breaker` (0 or 1).
    #[must_use]
    pub fn new(rules: Rules, breaker: Seat) -> Self {
        let mut balls = Balls::default();
        for (ball, at) in rack() {
            balls.at[ball.slot()] = Some(at);
        }
        Self {
            rules,
            breaker: breaker & 1,
            breaker_side: None,
            balls,
            phase: Phase::Break,
            to_move: breaker & 1,
            cue_in_hand: true,
            shots: 0,
            king_due: false,
            king_choices: BallSet::EMPTY,
            winner: None,
        }
    }

    /// The rules of the frame.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What is asked for.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Who is asked; of no meaning once the frame is over.
    #[must_use]
    pub const fn to_move(&self) -> Seat {
        self.to_move
    }

    /// Who broke or is to break.
    #[must_use]
    pub const fn breaker(&self) -> Seat {
        self.breaker
    }

    /// The balls on the table; the cue ball is off it while it is in hand.
    #[must_use]
    pub const fn balls(&self) -> &Balls {
        &self.balls
    }

    /// Whether the player who is asked places the cue ball behind the head string first.
    #[must_use]
    pub const fn cue_in_hand(&self) -> bool {
        self.cue_in_hand
    }

    /// Shots played, the break included.
    #[must_use]
    pub const fn shots(&self) -> u32 {
        self.shots
    }

    /// In phase `king`: the pieces of which one makes way for the 8; else none.
    #[must_use]
    pub const fn king_choices(&self) -> BallSet {
        self.king_choices
    }

    /// Who has won; `None` while the frame runs and after a draw.
    #[must_use]
    pub const fn winner(&self) -> Option<Seat> {
        self.winner
    }

    /// The side of `seat`, once it is chosen.
    #[must_use]
    pub fn side_of(&self, seat: Seat) -> Option<Side> {
        let side = self.breaker_side?;
        Some(if seat == self.breaker { side } else { side.other() })
    }

    /// The balls as they lie for a shot, with the cue ball placed at `cue` when it is in hand.
    ///
    /// # Errors
    /// When `cue` is missing or unwanted, or not behind the head string. Overlaps are left to
    /// the table, which checks every position before a shot.
    pub fn with_cue(&self, cue: Option<Point>) -> Result<Balls, ActionError> {
        let mut balls = self.balls;
        match (self.cue_in_hand, cue) {
            (false, None) => {}
            (false, Some(_)) => return Err(ActionError::CueNotInHand),
            (true, None) => return Err(ActionError::CueNotPlaced),
            (true, Some(at)) if !is_behind_head_string(at) => {
                return Err(ActionError::CueBeyondString(at));
            }
            (true, Some(at)) => balls.at[Ball::CUE.slot()] = Some(at),
        }
        Ok(balls)
    }

    /// Checks that `phase` is being asked for.
    pub(super) fn expect(&self, phase: Phase) -> Result<(), ActionError> {
        if self.phase == phase { Ok(()) } else { Err(ActionError::Phase { asked: self.phase }) }
    }

    /// Takes a finished break.
    ///
    /// # Errors
    /// [`ActionError::Phase`] when no break is being asked for.
    pub fn settle_break(
        &mut self,
        shot: &Finished<'_>,
        reason: impl FnMut(Reason),
    ) -> Result<BreakVerdict, ActionError> {
        self.expect(Phase::Break)?;
        let options = self.rules.options;
        let verdict = judge_break(shot.contacts, shot.pocketed, &options, reason);
        self.lay_out(shot, verdict.removed, verdict.returned, verdict.cue_in_hand);
        self.king_due = verdict.king_due;
        self.phase = Phase::Side;
        if !verdict.fair && options.break_foul_chooser == SideChooser::Opponent {
            self.to_move = 1 - self.breaker;
        }
        Ok(verdict)
    }

    /// Takes the choice of a side by the player who is asked.
    ///
    /// # Errors
    /// [`ActionError::Phase`] when no side is being asked for.
    pub fn choose_side(
        &mut self,
        side: Side,
        mut reason: impl FnMut(Reason),
    ) -> Result<(), ActionError> {
        self.expect(Phase::Side)?;
        let breaker_side = if self.to_move == self.breaker { side } else { side.other() };
        self.breaker_side = Some(breaker_side);
        self.to_move = self.breaker;
        if std::mem::take(&mut self.king_due) {
            let choices = on_table(&self.balls).intersection(breaker_side.other().pieces());
            let options = self.rules.options;
            let (choices, winner) = king_returns(choices, breaker_side, &options, &mut reason);
            self.bring_king_back(choices, winner);
        } else {
            self.next_turn();
        }
        Ok(())
    }

    /// Takes a finished shot with its call.
    ///
    /// # Errors
    /// When no shot is being asked for or the call is illegal.
    pub fn settle_shot(
        &mut self,
        call: Call,
        shot: &Finished<'_>,
        reason: impl FnMut(Reason),
    ) -> Result<Verdict, ActionError> {
        let shooter = self.shooter()?;
        check_call(&self.balls, shooter, call, self.rules.options.grid)?;
        let judged = Shot {
            on_table: on_table(&self.balls),
            shooter,
            call,
            contacts: shot.contacts,
            pocketed: shot.pocketed,
        };
        let verdict = judge_shot(&judged, &self.rules.options, reason);
        // A captured 8 leaves the table too, until it takes the place of a piece.
        let gone = verdict.removed.union(verdict.captured);
        self.lay_out(shot, gone, verdict.returned, verdict.cue_in_hand);
        if verdict.king_choices.is_some() || verdict.winner.is_some() {
            self.bring_king_back(verdict.king_choices, verdict.winner);
        } else {
            self.next_turn();
        }
        Ok(verdict)
    }

    /// The side that is asked for a shot.
    pub(super) fn shooter(&self) -> Result<Side, ActionError> {
        self.expect(Phase::Shot)?;
        self.side_of(self.to_move).ok_or(ActionError::Phase { asked: self.phase })
    }

    /// Takes the choice of the piece that makes way for the 8.
    ///
    /// # Errors
    /// When no choice is being asked for, or `replace` is not one of the pieces.
    pub fn replace(&mut self, replace: Ball) -> Result<(), ActionError> {
        self.expect(Phase::King)?;
        if !self.king_choices.contains(replace) {
            return Err(ActionError::Replace { replace, choices: self.king_choices });
        }
        self.swap(replace);
        self.next_turn();
        Ok(())
    }

    /// Lays the balls as they are after a shot: at rest, less those gone, then those returned put
    /// back, the cue ball lifted when it is in hand.
    fn lay_out(
        &mut self,
        shot: &Finished<'_>,
        gone: BallSet,
        returned: BallSet,
        cue_in_hand: bool,
    ) {
        self.balls = shot.balls;
        for ball in gone.iter() {
            self.balls.at[ball.slot()] = None;
        }
        self.cue_in_hand = cue_in_hand;
        if cue_in_hand {
            self.balls.at[Ball::CUE.slot()] = None;
        }
        put_back(&mut self.balls, returned);
        self.shots += 1;
    }

    /// Asks for the piece that makes way for the 8, or ends the frame.
    fn bring_king_back(&mut self, choices: Option<BallSet>, winner: Option<Side>) {
        self.king_choices = choices.unwrap_or_default();
        let Some(winner) = winner else {
            self.phase = Phase::King;
            return;
        };
        // Won with the last swap: the swap has one choice and is made.
        if let Some(last) = self.king_choices.iter().next() {
            self.swap(last);
        }
        self.winner = (0..2).find(|&seat| self.side_of(seat) == Some(winner));
        self.phase = Phase::Over;
    }

    fn swap(&mut self, replace: Ball) {
        self.balls.at[Ball::KING.slot()] = self.balls.at[replace.slot()].take();
        self.king_choices = BallSet::EMPTY;
    }

    /// One shot, then the other player, always; at `max_shots`, if there is one, a draw.
    fn next_turn(&mut self) {
        if self.rules.max_shots.is_some_and(|most| self.shots >= most) {
            self.phase = Phase::Over;
            return;
        }
        let second = !self.shots.is_multiple_of(2);
        self.to_move = if second { 1 - self.breaker } else { self.breaker };
        self.phase = Phase::Shot;
    }
}
