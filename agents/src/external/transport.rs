//! The seam between a conversation and whatever is at the other end of it.

use std::time::Instant;

/// Something that arrived, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When its last byte was read.
    pub at: Instant,
    /// What it is.
    pub what: Incoming,
}

/// What can arrive from a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line beyond the limit; nothing is read after it.
    TooLong,
    /// Nothing will ever arrive again; how the bot ended, for people (`exit code 1`).
    Ended(String),
}

/// Why a line could not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The bot did not read its input in time.
    Timeout,
    /// The bot's input is closed.
    Closed,
}

/// The two directions of a bot, and its clock: a child process, or a fake in tests.
pub trait Transport: Send {
    /// The time, monotonic.
    fn now(&self) -> Instant;

    /// Writes a whole line by `until`; returns when its last byte was written.
    ///
    /// # Errors
    /// When the bot does not read or is gone. What was written by then stays written.
    fn send(&mut self, line: &[u8], until: Instant) -> Result<Instant, SendError>;

    /// The next thing that arrived at or before `until`, waiting for it if need be.
    fn receive(&mut self, until: Instant) -> Option<Arrival>;

    /// Bytes that arrived without an end of line so far.
    fn unfinished(&self) -> usize;

    /// CPU time of the bot since it was started, if it can be known, ms.
    fn cpu_ms(&self) -> Option<u64>;

    /// A game begins: limits that hold for one game are counted from here.
    fn game_begins(&mut self) {}

    /// Keeps the bot from running while it is not its turn, or lets it go on. It may print what it
    /// had not printed yet once it goes on.
    fn pause(&mut self, paused: bool) {
        let _ = paused;
    }

    /// Ends the bot: politely with time to leave, or at once. Whether it left by itself.
    fn end(&mut self, politely: bool) -> bool;
}
