//! What a player can be asked for, and the answers the rules allow.

use super::call::{Call, CallError};
use super::piece::{Ball, BallSet, Side};
use crate::shot::{ShotError, StrokeError};
use crate::units::Point;
use std::fmt;

/// What is asked for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The breaker's opening shot.
    Break,
    /// Solids or stripes.
    Side,
    /// A call and a stroke.
    Shot,
    /// The opponent's piece that makes way for the 8.
    King,
    /// Nothing: the frame has ended.
    Over,
}

/// A player's answer. As JSON it is the fields alone; which answer it is follows from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Action {
    /// In phase `shot`.
    Shot {
        /// What is announced.
        call: Call,
        /// Direction of the stroke, thousandths of a degree, 0..360 000.
        angle: u32,
        /// Power of the stroke, 1..=1000.
        power: u32,
        /// Where the cue ball is placed; exactly when it is in hand.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cue: Option<Point>,
    },
    /// In phase `break`.
    Break {
        /// Where the cue ball is placed, behind the head string.
        cue: Point,
        /// Direction of the stroke, thousandths of a degree, 0..360 000.
        angle: u32,
        /// Power of the stroke, 1..=1000.
        power: u32,
    },
    /// In phase `side`.
    Side {
        /// The side of the player who chooses.
        side: Side,
    },
    /// In phase `king`.
    King {
        /// The opponent's piece that makes way for the 8.
        replace: Ball,
    },
}

/// Why an answer is not allowed. The state is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActionError {
    /// The answer belongs to another phase.
    #[error("phase `{asked}` is being asked for; answer with {}", wanted(*.asked))]
    Phase {
        /// The phase that is being asked for.
        asked: Phase,
    },
    /// The call is illegal.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The stroke is out of range.
    #[error("illegal stroke: {0}")]
    Stroke(#[from] StrokeError),
    /// The cue ball is in hand and was not placed.
    #[error("the cue ball is in hand; give `cue`, its place behind the head string")]
    CueNotPlaced,
    /// The cue ball is not in hand and was placed.
    #[error("the cue ball is not in hand; leave `cue` out")]
    CueNotInHand,
    /// The cue ball was placed outside the area behind the head string.
    #[error("the cue ball at [{}, {}] is not behind the head string (x from 28500 to 635000, y from 28500 to 1241500)", .0.x_um, .0.y_um)]
    CueBeyondString(Point),
    /// The cue ball was placed on another ball.
    #[error("the cue ball at [{}, {}] overlaps the {ball}", .at.x_um, .at.y_um)]
    CueOverlaps {
        /// Where it was placed.
        at: Point,
        /// The ball that lies there.
        ball: Ball,
    },
    /// The piece named cannot make way for the 8.
    #[error("{replace} cannot make way for the 8; choose one of: {choices}")]
    Replace {
        /// The ball named.
        replace: Ball,
        /// The balls of which one can.
        choices: BallSet,
    },
    /// The engine refused the position.
    #[error("the shot cannot be played: {0}")]
    Engine(#[from] ShotError),
}

const fn wanted(phase: Phase) -> &'static str {
    match phase {
        Phase::Break => "cue, angle and power",
        Phase::Side => "side",
        Phase::Shot => "call, angle and power",
        Phase::King => "replace",
        Phase::Over => "nothing",
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Break => "break",
            Self::Side => "side",
            Self::Shot => "shot",
            Self::King => "king",
            Self::Over => "over",
        })
    }
}
