//! How an agent can fail at the table. A fault ends its game; it is a result, not an error.

/// Why an agent gave no legal answer. Built-in agents only ever give [`Fault::Void`] (their own
/// failure); the rest comes from bots that run as processes (`design/bots.md`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// No answer before the clock or the start limit ran out.
    #[error("timeout: {0}")]
    Timeout(String),
    /// The process ended, could not be started, or broke a limit.
    #[error("crash: {0}")]
    Crash(String),
    /// An answer that the rules do not allow.
    #[error("illegal: {0}")]
    Illegal(String),
    /// An answer that is not of the protocol.
    #[error("protocol: {0}")]
    Protocol(String),
    /// The harness itself failed: the game has no result and can be played again.
    #[error("void: {0}")]
    Void(String),
}

impl Fault {
    /// The word that stands in the column `reason`.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Timeout(_) => "timeout",
            Self::Crash(_) => "crash",
            Self::Illegal(_) => "illegal",
            Self::Protocol(_) => "protocol",
            Self::Void(_) => "void",
        }
    }
}
