//! The clocks of a game: what a player is told of them, and how a seat's time is counted.

use crate::fault::Fault;
use std::time::{Duration, Instant};

/// Time left when a player is asked. The referee measures it; rules never do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Of the player's own time.
    pub left: Duration,
    /// Of the opponent's.
    pub opponent_left: Duration,
}

impl Clock {
    /// Both sides have `left`.
    #[must_use]
    pub const fn both(left: Duration) -> Self {
        Self { left, opponent_left: left }
    }
}

/// Whole milliseconds.
#[must_use]
pub fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// One seat's time for a whole game.
#[derive(Clone, Copy, Debug)]
pub struct SeatClock {
    limit: Duration,
    used: Duration,
    /// The common start, where time runs from it and not only while the seat is asked.
    since: Option<Instant>,
}

impl SeatClock {
    /// A clock with `limit` on it that counts only the time of its seat's own answers.
    #[must_use]
    pub const fn own(limit: Duration) -> Self {
        Self { limit, used: Duration::ZERO, since: None }
    }

    /// A clock with `limit` on it that runs from `start` on.
    #[must_use]
    pub const fn running(limit: Duration, start: Instant) -> Self {
        Self { limit, used: Duration::ZERO, since: Some(start) }
    }

    /// What is left now.
    #[must_use]
    pub fn left(&self) -> Duration {
        let used = self.since.map_or(self.used, |start| start.elapsed());
        self.limit.saturating_sub(used)
    }

    /// What was used up by the last answer, at most the limit.
    #[must_use]
    pub fn used(&self) -> Duration {
        self.used.min(self.limit)
    }

    /// Counts an answer that took `wait`.
    ///
    /// # Errors
    /// [`Fault::Timeout`] when it ended after the limit.
    pub fn charge(&mut self, wait: Duration) -> Result<(), Fault> {
        self.used = self.since.map_or(self.used + wait, |start| start.elapsed());
        if self.used <= self.limit {
            return Ok(());
        }
        let over = milliseconds(self.used - self.limit);
        Err(Fault::Timeout(format!("the clock was overrun by {over} ms")))
    }
}
