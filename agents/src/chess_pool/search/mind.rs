//! Thinking ahead: candidates simulated and judged, of one's own shots or of the opponent's.

use super::candidates::{Candidate, candidates};
use super::value::{settled, value};
use crate::aim::Pockets;
use crate::fault::Fault;
use cuebench_engine::chess_pool::action::{Action, Phase};
use cuebench_engine::chess_pool::call::{Call, Calls};
use cuebench_engine::chess_pool::frame::{Seat, State};
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::chess_pool::play::LastShot;
use cuebench_engine::rng::Rng;
use cuebench_engine::shot::Stroke;
use cuebench_engine::table::Table;

/// A shot that was simulated and judged.
#[derive(Clone, Copy, Debug)]
struct Tried {
    action: Action,
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

    /// The best of `sims` shots of the player who is asked.
    ///
    /// # Errors
    /// When no shot can be played.
    pub fn best_shot(&mut self, state: &State, sims: u32) -> Result<Action, Fault> {
        let mut best: Option<Tried> = None;
        for tried in self.try_all(state, sims)? {
            // Of equal ones the first proposed stays first.
            if best.is_none_or(|best| tried.value > best.value) {
                best = Some(tried);
            }
        }
        best.map(|best| best.action).ok_or_else(|| Fault::Void("no shot to play".into()))
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

    /// Simulates a stroke once and judges it under slop and under the moves that it carries out.
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
            Ok(Tried { action, value: value(&after, seat) })
        };
        let mut best = judged(Call::Slop)?;
        let calls = Calls::of(state.balls(), side, state.rules().options.grid);
        for call in carried_out(&self.shot.contacts, calls.as_slice()).into_iter().flatten() {
            let moved = judged(call)?;
            if moved.value > best.value {
                best = moved;
            }
        }
        Ok(best)
    }
}

/// The legal moves that a shot's contacts carry out. If the capturer met a ball, that one into the
/// ball; every other turns to slop. If it met none, one on a piece and one on the king: which
/// piece is named makes no difference then, but the king named is the opponent's.
fn carried_out(contacts: &[[Ball; 2]], calls: &[Call]) -> [Option<Call>; 2] {
    let first_met = |ball: Ball| {
        contacts.iter().find_map(|&[a, b]| {
            let other = if a == ball { b } else { a };
            ((a == ball || b == ball) && other != Ball::CUE).then_some(other)
        })
    };
    let Some(first) = first_met(Ball::CUE) else { return [None; 2] };
    let named = |wanted: &dyn Fn(Ball) -> bool| {
        calls.iter().copied().find(|&call| match call {
            Call::Move { capturer, target } => capturer == first && wanted(target),
            Call::Slop => false,
        })
    };
    match first_met(first) {
        Some(met) => [named(&|target| target == met), None],
        None => [named(&|target| target != Ball::KING), named(&|target| target == Ball::KING)],
    }
}
