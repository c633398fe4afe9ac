//! Why a verdict is what it is: one reason for each rule that decided something.

use super::piece::{Ball, BallSet, Side};
use std::fmt;

/// One rule at work in a shot. Its text names the rule first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The first contact was legal.
    FirstContact {
        /// The ball hit first.
        ball: Ball,
    },
    /// The break met the rack.
    BreakContact {
        /// The ball hit first.
        ball: Ball,
    },
    /// The cue ball touched nothing.
    NoContact,
    /// The first contact was not legal.
    WrongFirstContact {
        /// The ball hit first.
        ball: Ball,
        /// The balls of which one had to be hit first.
        wanted: BallSet,
    },
    /// The cue ball was pocketed.
    Scratch,
    /// Slop was called.
    CalledSlop,
    /// The called move came about.
    MoveMade {
        /// The capturer.
        capturer: Ball,
        /// The target.
        target: Ball,
    },
    /// A move turned to slop: the cue ball hit another ball before the capturer.
    CueHitFirst {
        /// The ball hit instead, if any.
        ball: Ball,
        /// The capturer.
        capturer: Ball,
    },
    /// A move turned to slop: the capturer met another ball before the target.
    CapturerMetOther {
        /// The capturer.
        capturer: Ball,
        /// The ball it met.
        ball: Ball,
        /// The target.
        target: Ball,
    },
    /// Capturer and target never met.
    NeverMet {
        /// The capturer.
        capturer: Ball,
        /// The target.
        target: Ball,
        /// Whether the shot is judged as slop all the same.
        slop: bool,
    },
    /// Opposing pieces collided and one was at rest.
    CapturedAtRest {
        /// The piece at rest.
        captured: Ball,
        /// The piece in motion.
        by: Ball,
    },
    /// Opposing pieces collided and both were in motion.
    CapturedBoth {
        /// The pieces.
        pieces: [Ball; 2],
    },
    /// A collision with the king while it belongs to nobody.
    KingImmune {
        /// The piece that met it.
        other: Ball,
    },
    /// Nothing is captured in a foul or scratch.
    FoulCapturesNothing,
    /// Pocketed pieces leave the game.
    PocketedRemoved {
        /// The pieces.
        balls: BallSet,
    },
    /// Pocketed balls are put back.
    PutBack {
        /// The balls, in the order in which they are put back.
        balls: BallSet,
    },
    /// The king, pocketed or captured, comes back in place of an opponent's piece.
    KingReturns {
        /// The pieces of which one makes way.
        choices: BallSet,
    },
    /// The opponent's last piece makes way for the king, and that wins.
    LastSwapWins {
        /// The winner.
        winner: Side,
    },
    /// No opponent's piece can make way for the king.
    NoPieceLeft {
        /// The winner.
        winner: Side,
    },
    /// The other player has the cue ball in hand.
    CueInHand,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FirstContact { ball } if *ball == Ball::KING => {
                write!(f, "first contact: the 8, as the shooter has no piece left")
            }
            Self::FirstContact { ball } => write!(f, "first contact: {ball}, a friendly piece"),
            Self::BreakContact { ball } => write!(f, "break: first contact {ball}"),
            Self::NoContact => write!(f, "foul: the cue ball touched no ball"),
            Self::WrongFirstContact { ball, wanted } => {
                write!(f, "foul: the cue ball first hit {ball}, not one of: {wanted}")
            }
            Self::Scratch => write!(f, "scratch: the cue ball was pocketed"),
            Self::CalledSlop => write!(f, "slop: called"),
            Self::MoveMade { capturer, target } => {
                write!(f, "move: {capturer} met {target} before any other ball")
            }
            Self::CueHitFirst { ball, capturer } => {
                write!(f, "slop: the cue ball hit {ball} before the capturer {capturer}")
            }
            Self::CapturerMetOther { capturer, ball, target } => {
                write!(f, "slop: the capturer {capturer} met {ball} before the target {target}")
            }
            Self::NeverMet { capturer, target, slop } => {
                let word = if *slop { "slop" } else { "move" };
                write!(f, "{word}: the capturer {capturer} and the target {target} never met")
            }
            Self::CapturedAtRest { captured, by } => {
                write!(f, "capture: {by} met {captured}, which was at rest")
            }
            Self::CapturedBoth { pieces: [a, b] } => {
                write!(f, "capture: {a} and {b} met while both were in motion")
            }
            Self::KingImmune { other } => {
                write!(f, "immunity: {other} met the 8, which was neither capturer nor target")
            }
            Self::FoulCapturesNothing => {
                write!(f, "foul or scratch: nothing is captured, nothing leaves by the call")
            }
            Self::PocketedRemoved { balls } => write!(f, "pocketed, out of the game: {balls}"),
            Self::PutBack { balls } => write!(f, "put back on the long string: {balls}"),
            Self::KingReturns { choices } => {
                write!(f, "the 8 comes back in place of one of: {choices}")
            }
            Self::LastSwapWins { winner } => {
                write!(f, "win: the last piece makes way for the 8, {winner} win")
            }
            Self::NoPieceLeft { winner } => {
                write!(f, "win: no piece is left to make way for the 8, {winner} win")
            }
            Self::CueInHand => write!(f, "the other player has the cue ball in hand"),
        }
    }
}
