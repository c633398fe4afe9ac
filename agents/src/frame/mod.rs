//! Agents of frames.

mod fixed;
mod learned;
mod roster;
mod wire;

pub use fixed::PolicyAgent;
pub use learned::{LearnedTable, MAX_TABLE_BYTES, TableError, learn};
pub use roster::{BUILT_IN, FrameAgentError, known_agents, policies};
