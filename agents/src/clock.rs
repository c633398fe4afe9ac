//! The clocks that an agent is told of.

use serde::{Deserialize, Serialize};

/// Time left when an agent is asked, ms. The caller measures it; agents and rules never do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Clock {
    /// Of the agent's own time.
    pub time_left_ms: u64,
    /// Of the opponent's.
    pub opponent_time_left_ms: u64,
}

impl Clock {
    /// Both sides have `left_ms`.
    #[must_use]
    pub const fn both(left_ms: u64) -> Self {
        Self { time_left_ms: left_ms, opponent_time_left_ms: left_ms }
    }
}
