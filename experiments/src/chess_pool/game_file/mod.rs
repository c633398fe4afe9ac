//! A game of chess pool as a file: what was answered and what happened, shot by shot, as lines of
//! JSON or as the text that `cuebench play` writes.

mod json;
mod text;

use super::setup::Setup;
use crate::experiment::grid::Setting;
use cuebench_engine::chess_pool::call::Call;
use cuebench_engine::chess_pool::frame::Seat;
use cuebench_engine::chess_pool::notation::Notes;
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::shot::Balls;
use cuebench_engine::units::Point;
use serde_json::Value;

/// A game as it was read.
#[derive(Debug)]
pub struct GameFile {
    /// The table and the rules.
    pub setup: Setup,
    /// Who breaks.
    pub breaker: Seat,
    /// The answers in order.
    pub entries: Vec<Entry>,
    /// How the file says that the game ended, and in which line.
    pub ending: Option<(usize, String)>,
}

/// One answer and what came of it.
#[derive(Debug)]
pub struct Entry {
    /// The line it stands in, from 1.
    pub line: usize,
    /// The line's own name.
    pub id: Value,
    /// Who answered, where the file says it.
    pub seat: Option<Seat>,
    /// The answer.
    pub said: Said,
    /// What happened, where the file says it.
    pub happened: Option<Happened>,
    /// The verdict, where the file says it.
    pub verdict: Option<String>,
}

/// An answer; the stroke of a shot is not known of a real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// The opening shot.
    Break {
        /// Where the cue ball was placed.
        cue: Point,
        /// Angle and power.
        stroke: Option<[u32; 2]>,
    },
    /// Solids or stripes.
    Side(Side),
    /// A call and a shot.
    Shot {
        /// What was announced.
        call: Call,
        /// Where the cue ball was placed, when it was in hand.
        cue: Option<Point>,
        /// Angle and power.
        stroke: Option<[u32; 2]>,
    },
    /// The piece that made way for the 8.
    King(Ball),
}

/// What a shot did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// Contacts and falls.
    pub notes: Notes,
    /// Where the balls came to rest, before any is taken off or put back.
    pub after: Balls,
}

/// Reads a game: lines of JSON if its first line that is no comment begins with a brace, else the
/// text of a playthrough. `settings` go before the file's own.
///
/// # Errors
/// The first line that cannot be read, with its number.
pub fn read(text: &str, settings: &[Setting]) -> anyhow::Result<GameFile> {
    let first = text.lines().map(str::trim).find(|line| !is_comment(line));
    match first {
        None => anyhow::bail!("no line of a game; `cuebench judge --help` shows both forms"),
        Some(line) if line.starts_with('{') => json::read(text, settings),
        Some(_) => text::read(text, settings),
    }
}

fn is_comment(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}
