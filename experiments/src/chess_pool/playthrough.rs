//! A frame as people read it: what was answered, what happened, why, and the board.
//!
//! Lines that begin with `#` are commentary; the rest is exact and is read back by
//! [`super::game_file`]: the table and the rules, answers as `cuebench play` was given them, and of
//! shots what happened (`|`, in the notation of [`cuebench_engine::chess_pool::notation`]), where
//! the balls came to rest (`@`, µm) and the verdict (`=`).

use super::board::board;
use super::setup::Setup;
use cuebench_engine::chess_pool::action::Action;
use cuebench_engine::chess_pool::call::Call;
use cuebench_engine::chess_pool::frame::{Seat, State};
use cuebench_engine::chess_pool::notation::of_outcome;
use cuebench_engine::chess_pool::piece::Ball;
use cuebench_engine::chess_pool::play::{Event, LastShot};
use cuebench_engine::chess_pool::reason::Reason;
use cuebench_engine::shot::Balls;
use std::fmt::Write as _;

/// One answer and what it did.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Who answered.
    pub seat: Seat,
    /// The answer.
    pub action: &'a Action,
    /// What it did.
    pub event: &'a Event,
    /// The last shot; this step's, if it was one.
    pub shot: &'a LastShot,
    /// The rules that decided.
    pub reasons: &'a [Reason],
    /// The state after.
    pub after: &'a State,
}

/// The text of a frame in the making.
#[derive(Clone, Debug, Default)]
pub struct Playthrough {
    text: String,
}

impl Playthrough {
    /// Begins with `heading`, a line of commentary each, and with what the game is played under.
    #[must_use]
    pub fn new(heading: &[String], setup: &Setup, breaker: Seat) -> Self {
        let mut text = String::new();
        for line in heading {
            let _ = writeln!(text, "# {line}");
        }
        let [table, readings] = setup.settings();
        let _ = writeln!(text, "set breaker={breaker} {table}\nset {readings}");
        Self { text }
    }

    /// Adds one answer.
    pub fn step(&mut self, step: &Step<'_>) {
        let shots = step.after.shots();
        let seat = step.seat;
        // Writing to a String cannot fail.
        let _ = match step.event {
            Event::Break(_) | Event::Shot(_) => {
                writeln!(self.text, "\n{shots}. seat {seat} {}", answer(step.action))
            }
            Event::Side | Event::King => {
                writeln!(self.text, "   seat {seat} {}", answer(step.action))
            }
        };
        let verdict = match step.event {
            Event::Break(verdict) => verdict.to_string(),
            Event::Shot(verdict) => verdict.to_string(),
            Event::Side | Event::King => String::new(),
        };
        if !verdict.is_empty() {
            let _ = writeln!(self.text, "   | {}", of_outcome(&step.shot.outcome));
            let _ = writeln!(self.text, "   @ {}", places(&step.shot.outcome.balls));
            let _ = writeln!(self.text, "   = {verdict}");
        }
        for reason in step.reasons {
            let _ = writeln!(self.text, "   # {reason}");
        }
        for line in board(step.after.balls(), step.after.rules().options.grid) {
            let _ = writeln!(self.text, "   # {line}");
        }
    }

    /// Ends with a line that says how the frame ended.
    #[must_use]
    pub fn finish(mut self, ending: &str) -> String {
        let _ = writeln!(self.text, "\n{ending}");
        self.text
    }
}

/// `O:619017,523326 1:...`
fn places(balls: &Balls) -> String {
    let place = |ball: Ball| {
        let at = balls.at[ball.slot()]?;
        let name = ball.number().map_or_else(|| "O".to_owned(), |number| number.to_string());
        Some(format!("{name}:{},{}", at.x_um, at.y_um))
    };
    Ball::all().filter_map(place).collect::<Vec<_>>().join(" ")
}

/// An answer in one line.
#[must_use]
pub fn answer(action: &Action) -> String {
    match *action {
        Action::Break { cue, angle, power } => {
            format!("break cue {},{} angle {angle} power {power}", cue.x_um, cue.y_um)
        }
        Action::Side { side } => format!("side {side}"),
        Action::King { replace } => format!("king {replace}"),
        Action::Shot { call, angle, power, cue } => {
            let call = match call {
                Call::Slop => "slop".to_owned(),
                Call::Move { capturer, target } => format!("move {capturer}x{target}"),
            };
            let placed = cue.map_or_else(String::new, |at| format!(" cue {},{}", at.x_um, at.y_um));
            format!("{call}{placed} angle {angle} power {power}")
        }
    }
}
