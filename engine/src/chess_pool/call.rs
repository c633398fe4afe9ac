//! Calls: what a shooter announces before a shot, and which calls are legal.

use super::board::{Grid, Space};
use super::piece::{Ball, BallSet, Side};
use crate::shot::Balls;

/// What the shooter announces before a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Call {
    /// Balls pocketed leave the game; nothing is captured.
    Slop,
    /// The capturer is to meet the target.
    Move {
        /// A friendly piece, or the king of a player who has no other.
        capturer: Ball,
        /// An enemy piece or the king.
        target: Ball,
    },
}

/// Which condition an illegal call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// A MOVE with fewer than two object balls on the table.
    #[error("illegal call: with one object ball on the table only slop can be called")]
    OneObjectBall,
    /// The capturer is not on the table.
    #[error("illegal call: the capturer {0} is not on the table")]
    CapturerOff(Ball),
    /// The target is not on the table.
    #[error("illegal call: the target {0} is not on the table")]
    TargetOff(Ball),
    /// The cue ball is no piece.
    #[error("illegal call: the cue ball is neither capturer nor target")]
    CueBall,
    /// The capturer is an enemy piece.
    #[error("illegal call: the capturer {capturer} is not a friendly piece of {shooter}")]
    CapturerNotFriendly {
        /// The piece called.
        capturer: Ball,
        /// The shooter's side.
        shooter: Side,
    },
    /// The king as capturer of a player who has other pieces.
    #[error(
        "illegal call: the 8 captures only for a player with no other piece; {shooter} still have {pieces}"
    )]
    KingNotAlone {
        /// The shooter's side.
        shooter: Side,
        /// The shooter's pieces on the table.
        pieces: BallSet,
    },
    /// The king as capturer of itself.
    #[error("illegal call: the 8 that is the capturer can't be the target")]
    KingTakesKing,
    /// The target is one of the shooter's own pieces.
    #[error(
        "illegal call: the target {target} is a friendly piece of {shooter}; a target is an enemy piece or the 8"
    )]
    TargetFriendly {
        /// The piece called.
        target: Ball,
        /// The shooter's side.
        shooter: Side,
    },
    /// Capturer and target stand in the same space.
    #[error(
        "illegal call: capturer {capturer} and target {target} both stand in {space}; a piece's own space is not a move"
    )]
    SameSpace {
        /// The capturer.
        capturer: Ball,
        /// The target.
        target: Ball,
        /// The space of both.
        space: Space,
    },
    /// The target's space is out of the capturer's reach.
    #[error("illegal call: {capturer} ({}) does not reach {target} from {from} to {to} in one move", kind_name(*.capturer))]
    OutOfReach {
        /// The capturer.
        capturer: Ball,
        /// The target.
        target: Ball,
        /// The capturer's space.
        from: Space,
        /// The target's space.
        to: Space,
    },
}

fn kind_name(ball: Ball) -> String {
    ball.kind().map_or_else(|| "no piece".to_owned(), |kind| kind.to_string())
}

/// The balls of the game that are on the table.
#[must_use]
pub fn on_table(balls: &Balls) -> BallSet {
    Ball::all().filter(|ball| balls.at[ball.slot()].is_some()).collect()
}

/// Whether `shooter` may make `call` in the position `balls` on that grid.
///
/// # Errors
/// The first condition that fails: object balls, capturer, target, reach.
pub fn check_call(balls: &Balls, shooter: Side, call: Call, grid: Grid) -> Result<(), CallError> {
    let Call::Move { capturer, target } = call else { return Ok(()) };
    let table = on_table(balls);
    if capturer == Ball::CUE || target == Ball::CUE {
        return Err(CallError::CueBall);
    }
    if table.intersection(BallSet::OBJECT_BALLS).len() < 2 {
        return Err(CallError::OneObjectBall);
    }
    check_capturer(table, shooter, capturer)?;
    check_target(table, shooter, capturer, target)?;
    check_reach(balls, [capturer, target], grid)
}

fn check_capturer(table: BallSet, shooter: Side, capturer: Ball) -> Result<(), CallError> {
    let pieces = table.intersection(shooter.pieces());
    if capturer == Ball::KING && !pieces.is_empty() {
        return Err(CallError::KingNotAlone { shooter, pieces });
    }
    if capturer != Ball::KING && capturer.side() != Some(shooter) {
        return Err(CallError::CapturerNotFriendly { capturer, shooter });
    }
    if table.contains(capturer) { Ok(()) } else { Err(CallError::CapturerOff(capturer)) }
}

fn check_target(
    table: BallSet,
    shooter: Side,
    capturer: Ball,
    target: Ball,
) -> Result<(), CallError> {
    if target == Ball::KING && capturer == Ball::KING {
        return Err(CallError::KingTakesKing);
    }
    if target.side() == Some(shooter) {
        return Err(CallError::TargetFriendly { target, shooter });
    }
    if table.contains(target) { Ok(()) } else { Err(CallError::TargetOff(target)) }
}

fn check_reach(balls: &Balls, [capturer, target]: [Ball; 2], grid: Grid) -> Result<(), CallError> {
    let at = |ball: Ball| balls.at[ball.slot()].map(|at| grid.space_of(at));
    let from = at(capturer).ok_or(CallError::CapturerOff(capturer))?;
    let to = at(target).ok_or(CallError::TargetOff(target))?;
    if from == to {
        return Err(CallError::SameSpace { capturer, target, space: from });
    }
    let kind = capturer.kind().ok_or(CallError::CueBall)?;
    if from.reaches(kind, to) {
        Ok(())
    } else {
        Err(CallError::OutOfReach { capturer, target, from, to })
    }
}

/// The legal calls of a position: slop, then the moves in ascending number of capturer and
/// target. At most four capturers have five targets each.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    calls: [Call; Self::MAX],
    len: usize,
}

impl Calls {
    /// The greatest number of legal calls of any position.
    pub const MAX: usize = 21;

    /// The legal calls of `shooter` in the position `balls` on that grid.
    #[must_use]
    pub fn of(balls: &Balls, shooter: Side, grid: Grid) -> Self {
        let mut calls = Self { calls: [Call::Slop; Self::MAX], len: 1 };
        let table = on_table(balls);
        let pieces = table.intersection(shooter.pieces());
        let targets = table.intersection(shooter.other().pieces()).with(Ball::KING);
        let capturers = if pieces.is_empty() { pieces.with(Ball::KING) } else { pieces };
        for capturer in capturers.iter() {
            for target in targets.without(capturer).iter() {
                if check_reach(balls, [capturer, target], grid).is_ok() {
                    calls.calls[calls.len] = Call::Move { capturer, target };
                    calls.len += 1;
                }
            }
        }
        calls
    }

    /// The calls in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Call] {
        &self.calls[..self.len]
    }
}
