//! Agents of frames.

mod agent;
mod fixed;
mod learned;
mod roster;

pub use agent::{FrameAgent, FrameOver, FrameStart};
pub use fixed::PolicyAgent;
pub use learned::{LearnedTable, MAX_TABLE_BYTES, TableError, learn};
pub use roster::{BUILT_IN, FrameAgentError, frame_agent, known_agents, policies};
