//! What pieces are worth, for agents that do not look ahead at a choice.

use cuebench_engine::chess_pool::call::on_table;
use cuebench_engine::chess_pool::frame::State;
use cuebench_engine::chess_pool::piece::{Ball, BallSet, Kind, Side};

/// What a piece is worth to its side: more where it reaches more of the board.
#[must_use]
pub fn worth(ball: Ball) -> f64 {
    match ball.kind() {
        Some(Kind::Queen) => 1.2,
        Some(Kind::Rook) => 1.1,
        Some(Kind::Bishop) => 0.9,
        Some(Kind::Knight) => 0.8,
        Some(Kind::King) | None => 0.0,
    }
}

/// The worth of several pieces.
#[must_use]
pub fn sum(balls: BallSet) -> f64 {
    balls.iter().map(worth).sum()
}

/// The piece whose loss hurts its side most.
#[must_use]
pub fn replaced_first(choices: BallSet) -> Ball {
    choices.iter().max_by(|a, b| worth(*a).total_cmp(&worth(*b))).unwrap_or(Ball::KING)
}

/// The side that is better off after the break.
#[must_use]
pub fn best_side(state: &State) -> Side {
    let table = on_table(state.balls());
    let of = |side: Side| sum(table.intersection(side.pieces()));
    if of(Side::Solids) >= of(Side::Stripes) { Side::Solids } else { Side::Stripes }
}
