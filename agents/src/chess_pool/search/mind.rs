//! Thinking ahead: candidates simulated and judged, and the opponent's best reply.

use super::Budget;
use super::candidates::{Candidate, candidates};
use super::value::{WIN, settled, value};
use crate::aim::Pockets;
use crate::fault::Fault;
use cuebench_engine::chess_pool::action::{Action, Phase};
use cuebench_engine::chess_pool::call::{Call, check_call};
use cuebench_engine::chess_pool::frame::{Seat, State};
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::chess_pool::play::LastShot;
use cuebench_engine::rng::Rng;
use cuebench_engine::shot::{Balls, Stroke};
use cuebench_engine::table::Table;

/// A shot that was simulated and judged, and the state it leaves.
#[derive(Clone, Copy, Debug)]
struct Tried {
    action: Action,
    after: State,
    value: f64,
}

/// One answer's thinking.
#[derive(Debug)]
pub struct Mind<'a> {
    table: &'a Table,
    pockets: &'a Pockets,
    rng: Rng,
    shot: LastShot,
    sims: u64,
}

impl<'a> Mind<'a> {
    /// Thinking on that table, with chance from `rng`.
    pub fn new(table: &'a Table, pockets: &'a Pockets, rng: Rng) -> Self {
        Self { table, pockets, rng, shot: LastShot::default(), sims: 0 }
    }

    /// Shots simulated so far.
    pub const fn sims(&self) -> u64 {
        self.sims
    }

    /// The stream of chance, to go on with.
    pub fn into_rng(self) -> Rng {
        self.rng
    }

    /// The state after `action`.
    ///
    /// # Errors
    /// When the rules do not allow it.
    pub fn apply(&mut self, state: &State, action: &Action) -> Result<State, Fault> {
        let mut after = *state;
        self.sims += u64::from(matches!(action, Action::Break { .. } | Action::Shot { .. }));
        after
            .apply(self.table, action, &mut self.shot)
            .map_err(|error| Fault::Void(error.to_string()))?;
        Ok(after)
    }

    /// The best shot of the player who is asked.
    ///
    /// # Errors
    /// When no shot can be played.
    pub fn best_shot(&mut self, state: &State, budget: Budget) -> Result<Action, Fault> {
        let seat = state.to_move();
        let own = if budget.replies == 0 { budget.sims } else { budget.sims.div_ceil(2) };
        let mut tried = self.try_all(state, own)?;
        // Stable: of equal ones the first proposed stays first.
        tried.sort_by(|a, b| b.value.total_cmp(&a.value));
        let Some(first) = tried.first().copied() else {
            return Err(Fault::Void("no shot to play".into()));
        };
        if budget.replies == 0 || first.value >= WIN {
            return Ok(first.action);
        }
        tried.truncate(budget.replies as usize);
        let share = (budget.sims / 2) / tried.len().max(1) as u32;
        let mut best: Option<(f64, Action)> = None;
        for candidate in &tried {
            let value = self.value_after_reply(&candidate.after, seat, share)?;
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, candidate.action));
            }
        }
        Ok(best.map_or(first.action, |(_, action)| action))
    }

    /// The value to `seat` of a state whose next shot is the best of `sims` candidates.
    ///
    /// # Errors
    /// When no shot can be simulated.
    pub fn value_after_reply(
        &mut self,
        state: &State,
        seat: Seat,
        sims: u32,
    ) -> Result<f64, Fault> {
        let state = settled(*state);
        if state.phase() != Phase::Shot || sims == 0 {
            return Ok(value(&state, seat));
        }
        let replies = self.try_all(&state, sims)?;
        let best = replies.iter().map(|tried| tried.value).fold(f64::NEG_INFINITY, f64::max);
        Ok(match (best.is_finite(), state.to_move() == seat) {
            (false, _) => value(&state, seat),
            (true, true) => best,
            (true, false) => -best,
        })
    }

    /// Candidates of the player who is asked, simulated, each with its better call.
    fn try_all(&mut self, state: &State, count: u32) -> Result<Vec<Tried>, Fault> {
        let side = state.side_of(state.to_move()).unwrap_or(Side::Solids);
        let candidates = candidates(self.table, self.pockets, &mut self.rng, state, count)?;
        let mut tried = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            tried.push(self.try_one(state, side, &candidate)?);
        }
        Ok(tried)
    }

    /// Simulates a stroke once and judges it under slop and under the move that it carries out.
    fn try_one(&mut self, state: &State, side: Side, stroke: &Candidate) -> Result<Tried, Fault> {
        let void = |error: &dyn std::fmt::Display| Fault::Void(error.to_string());
        let balls = state.placed(stroke.cue).map_err(|error| void(&error))?;
        let &Candidate { cue, angle, power } = stroke;
        let launch = Stroke::new(angle, power).map_err(|error| void(&error))?;
        self.shot.simulate(self.table, balls, launch).map_err(|error| void(&error))?;
        self.sims += 1;
        let seat = state.to_move();
        let judged = |call: Call| {
            let mut after = *state;
            after.settle_shot(call, &self.shot.finished(), |_| ()).map_err(|error| void(&error))?;
            let after = settled(after);
            let action = Action::Shot { call, angle, power, cue };
            Ok(Tried { action, after, value: value(&after, seat) })
        };
        let slop = judged(Call::Slop)?;
        match carried_out(&self.shot.contacts, state.balls(), side) {
            Some(call) => {
                let moved = judged(call)?;
                Ok(if moved.value > slop.value { moved } else { slop })
            }
            None => Ok(slop),
        }
    }
}

/// The one legal move that a shot's contacts carry out, if any: the cue ball's first ball into
/// the first ball that it meets. Every other move turns to slop.
fn carried_out(contacts: &[[Ball; 2]], balls: &Balls, side: Side) -> Option<Call> {
    let first_met = |ball: Ball| {
        contacts.iter().find_map(|&[a, b]| {
            let other = if a == ball { b } else { a };
            ((a == ball || b == ball) && other != Ball::CUE).then_some(other)
        })
    };
    let capturer = first_met(Ball::CUE)?;
    let call = Call::Move { capturer, target: first_met(capturer)? };
    check_call(balls, side, call).is_ok().then_some(call)
}
