//! Why a definition, a setting or a pair of policies was refused.

use std::fmt;

/// A place in a definition's text, both counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a frame cannot be had. Every text says where and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// More text than any sensible definition has.
    #[error("the definition is larger than {limit} bytes; split off what is not part of the game")]
    TooLarge {
        /// The greatest size that is read, bytes.
        limit: usize,
    },
    /// The text is not YAML of the kind that is read.
    #[error("{at}: {message}")]
    Yaml {
        /// Where.
        at: At,
        /// What is wrong and what would be right.
        message: String,
    },
    /// The YAML is no definition.
    #[error("{at}: {message}")]
    Definition {
        /// Where.
        at: At,
        /// What is wrong and what would be right.
        message: String,
    },
    /// An expression does not parse, or names what does not exist.
    #[error("{at}: expression: {message}")]
    Expression {
        /// Where.
        at: At,
        /// What is wrong and what would be right.
        message: String,
    },
    /// An expression or operation fails at a reachable state.
    #[error("{at}: {message}, at the state {state}")]
    Evaluation {
        /// Where.
        at: At,
        /// What is wrong and what would be right.
        message: String,
        /// The state, in words.
        state: String,
    },
    /// The probabilities of a model are no distribution.
    #[error(
        "{at}: model `{model}`: {problem} (they sum to {sum}) at the state {state}; \
         probabilities lie in [0, 1] and sum to 1 within 1e-9"
    )]
    Probability {
        /// Where.
        at: At,
        /// The outcome model.
        model: String,
        /// Which probability is at fault.
        problem: String,
        /// Their sum, as text.
        sum: String,
        /// The state, in words.
        state: String,
    },
    /// A loop goes on for ever without a draw or a choice.
    #[error(
        "{at}: loop `{name}` never ends from the state {state}; \
         give it an `until_x` that comes true, or an end condition"
    )]
    EndlessLoop {
        /// Where.
        at: At,
        /// The loop's id.
        name: String,
        /// The state, in words.
        state: String,
    },
    /// The flow can run out with no end condition true.
    #[error(
        "{at}: the flow runs out without an end condition, at the state {state}; \
         add an `end` or a loop"
    )]
    NoEnd {
        /// Where the flow begins.
        at: At,
        /// The state, in words.
        state: String,
    },
    /// More states, branches or instructions than are explored.
    #[error("the game is too large: more than {limit} {what}; make the state coarser")]
    TooManyStates {
        /// The limit.
        limit: usize,
        /// What there is too much of.
        what: &'static str,
    },
    /// A setting that names no constant or state variable.
    #[error("no constant or state variable is called `{name}`{hint}")]
    UnknownName {
        /// The name as given.
        name: String,
        /// The nearest names, or where to find them.
        hint: String,
    },
    /// A setting whose value does not fit.
    #[error("`{name}`: `{value}` is not {expected}")]
    BadValue {
        /// The name as given.
        name: String,
        /// The value as given.
        value: String,
        /// What would be right.
        expected: String,
    },
    /// A policy of the definition names an action that is not open.
    #[error("{at}: agent `{agent}` chooses {choice} at the state {state}; open there: {open}")]
    IllegalChoice {
        /// Where the policy stands.
        at: At,
        /// The agent.
        agent: String,
        /// What it chose.
        choice: String,
        /// The state, in words.
        state: String,
        /// The open actions.
        open: String,
    },
    /// The definition has no such agent, or no policy for it.
    #[error("{0}")]
    Agent(String),
    /// From some state these policies can never end the frame.
    #[error(
        "with these agents no frame can end from the state {state}: \
         every choice made from there leads back; change an agent, a skill or a constant"
    )]
    NeverEnds {
        /// A state from which no end is reached, in words.
        state: String,
    },
    /// Ends exist but lie too far off to be sampled.
    #[error(
        "with these agents a frame lasts {mean_shots} shots on average; \
         at most {limit} are sampled, so use `solve` instead"
    )]
    TooLong {
        /// Expected shots a frame, as text.
        mean_shots: String,
        /// The limit.
        limit: u64,
    },
}

impl FrameError {
    /// Where in the definition's text the error lies, if it lies there.
    #[must_use]
    pub const fn at(&self) -> Option<At> {
        match self {
            Self::Yaml { at, .. }
            | Self::Definition { at, .. }
            | Self::Expression { at, .. }
            | Self::Evaluation { at, .. }
            | Self::Probability { at, .. }
            | Self::EndlessLoop { at, .. }
            | Self::NoEnd { at, .. }
            | Self::IllegalChoice { at, .. } => Some(*at),
            _ => None,
        }
    }
}
