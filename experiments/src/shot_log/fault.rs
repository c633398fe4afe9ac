//! Why a row of a log was refused.

use crate::input::csv::{BadLine, ReadError};
use std::fmt;

/// The kinds of bad rows, as counted by `--skip-bad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// More or fewer cells than the header.
    Ragged,
    /// A quoted cell that does not end on its line, or text after a closing quote.
    Quote,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// A line longer than the limit.
    TooLong,
    /// An empty cell where a value is needed.
    Missing,
    /// A leave that the definition does not know.
    UnknownLeave,
    /// A call other than `shot` and `safety`.
    UnknownCall,
    /// A result that the definition does not know.
    UnknownResult,
    /// A result that the call cannot have.
    Misfit,
    /// A count that is not a whole number from 0.
    BadCount,
    /// A measure that is not a finite number in its range.
    BadNumber,
    /// A player who is his own opponent.
    OwnOpponent,
    /// A (frame, shot), or a frame's break, that stood in the logs before.
    Duplicate,
}

impl Reason {
    /// The reason's word in machine output.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ragged => "ragged_line",
            Self::Quote => "bad_quote",
            Self::NotUtf8 => "not_utf8",
            Self::TooLong => "line_too_long",
            Self::Missing => "missing_cell",
            Self::UnknownLeave => "unknown_leave",
            Self::UnknownCall => "unknown_call",
            Self::UnknownResult => "unknown_result",
            Self::Misfit => "result_does_not_fit_call",
            Self::BadCount => "bad_count",
            Self::BadNumber => "bad_number",
            Self::OwnOpponent => "player_is_opponent",
            Self::Duplicate => "duplicate",
        }
    }
}

/// A bad row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind.
    pub reason: Reason,
    /// The column by number from 1 and name, where one is to blame.
    pub column: Option<(usize, String)>,
    /// What is wrong and what would be right.
    pub detail: String,
}

/// The column's name is filled in later.
impl From<BadLine> for Fault {
    fn from(bad: BadLine) -> Self {
        let (reason, column) = match bad {
            BadLine::TooLong => (Reason::TooLong, None),
            BadLine::OpenQuote(column) | BadLine::AfterQuote(column) => {
                (Reason::Quote, Some(column))
            }
            BadLine::NotUtf8(column) => (Reason::NotUtf8, Some(column)),
        };
        let column = column.map(|column| (column, String::new()));
        Self { reason, column, detail: bad.to_string() }
    }
}

/// A bad row with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    /// The file as named by the user.
    pub file: String,
    /// The line, from 1; the header is line 1.
    pub line: u64,
    /// What is wrong.
    pub fault: Fault,
}

impl Refusal {
    /// Place and reason, without the remedy.
    fn reason(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.file, self.line)?;
        if let Some((number, name)) = &self.fault.column {
            write!(f, ", column {number} (`{name}`)")?;
        }
        write!(f, ": {}", self.fault.detail)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason(f)?;
        f.write_str("; correct the row, or drop bad rows with --skip-bad")
    }
}

/// The most bad rows that are listed.
const LISTED: usize = 20;

/// Bad rows of some logs: the first few, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct Refusals {
    first: Vec<Refusal>,
    total: u64,
}

impl Refusals {
    /// Adds one.
    pub fn add(&mut self, refusal: Refusal) {
        self.total += 1;
        if self.first.len() < LISTED {
            self.first.push(refusal);
        }
    }

    /// Nothing if there are none.
    ///
    /// # Errors
    /// The bad rows, if there are any.
    pub fn none(self) -> Result<(), LogError> {
        if self.total == 0 { Ok(()) } else { Err(LogError::Rows(self)) }
    }
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let ([only], 1) = (&self.first[..], self.total) {
            return only.fmt(f);
        }
        write!(f, "{} bad rows; correct them, or drop them with --skip-bad", self.total)?;
        let listed = self.first.len();
        f.write_str(if (listed as u64) < self.total { "; the first 20: " } else { ": " })?;
        for (i, refusal) in self.first.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { " | " })?;
            refusal.reason(f)?;
        }
        Ok(())
    }
}

/// Why a log could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The file could not be opened or read.
    #[error(transparent)]
    Io(#[from] ReadError),
    /// The header is unusable.
    #[error("{file}, line 1: {detail}")]
    Header {
        /// The file.
        file: String,
        /// What is wrong and what would be right.
        detail: String,
    },
    /// Bad rows.
    #[error(transparent)]
    Rows(Refusals),
    /// Logs that cannot be merged.
    #[error("{0}")]
    Merge(String),
}

/// Bad rows that were dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    counts: std::collections::BTreeMap<Reason, (u64, String)>,
}

impl Dropped {
    /// Counts a dropped row and keeps the first place of its kind.
    pub fn add(&mut self, refusal: &Refusal) {
        let place = || format!("{}, line {}", refusal.file, refusal.line);
        let entry = self.counts.entry(refusal.fault.reason).or_insert_with(|| (0, place()));
        entry.0 += 1;
    }

    /// All dropped rows.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.values().map(|(count, _)| count).sum()
    }

    /// Reason, number of rows, and the first place of each.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, u64, &str)> {
        self.counts.iter().map(|(reason, (count, place))| (*reason, *count, place.as_str()))
    }

    /// Adds what another log dropped.
    pub fn merge(&mut self, other: &Self) {
        for (reason, (count, place)) in &other.counts {
            self.counts.entry(*reason).or_insert_with(|| (0, place.clone())).0 += count;
        }
    }
}
