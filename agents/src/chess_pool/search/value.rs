//! What a state is worth to a player who has just shot.

use super::super::worth::{best_side, replaced_first, sum};
use cuebench_engine::chess_pool::action::Phase;
use cuebench_engine::chess_pool::call::on_table;
use cuebench_engine::chess_pool::frame::{Seat, State};

/// The value of a frame won; lost is its negative.
pub const WIN: f64 = 100.0;
/// The opponent has no piece left: pocketing or capturing the 8 wins.
const ALONE: f64 = 2.5;
/// Leaving the opponent the cue ball in hand.
const IN_HAND: f64 = 0.35;

/// The value of a state to `seat`, without looking ahead: pieces, and what wins the frame.
#[must_use]
pub fn value(state: &State, seat: Seat) -> f64 {
    match (state.phase(), state.winner()) {
        (Phase::Over, Some(winner)) if winner == seat => return WIN,
        (Phase::Over, Some(_)) => return -WIN,
        (Phase::Over, None) => return 0.0,
        _ => {}
    }
    let (Some(mine), Some(theirs)) = (state.side_of(seat), state.side_of(1 - seat)) else {
        return 0.0;
    };
    let table = on_table(state.balls());
    let [mine, theirs] = [mine, theirs].map(|side| table.intersection(side.pieces()));
    let mut value = sum(mine) - sum(theirs);
    if theirs.is_empty() {
        value += ALONE;
    }
    if mine.is_empty() {
        value -= ALONE;
    }
    if state.cue_in_hand() {
        value += if state.to_move() == seat { IN_HAND } else { -IN_HAND };
    }
    value
}

/// The value to `seat` once the choices that are open are made without looking ahead.
#[must_use]
pub fn settled_value(state: &State, seat: Seat) -> f64 {
    value(&settled(*state), seat)
}

/// The state after the choices that are open, made without looking ahead.
#[must_use]
pub fn settled(mut state: State) -> State {
    // Neither can fail: each answers the phase that is asked for.
    if state.phase() == Phase::Side {
        let _ = state.choose_side(best_side(&state), |_| ());
    }
    if state.phase() == Phase::King {
        let _ = state.replace(replaced_first(state.king_choices()));
    }
    state
}
