//! Agents of chess pool, and frames between them.

pub mod agent;
pub mod aims;
pub mod random;
pub mod roster;
pub mod search;
pub mod session;
pub mod tally;
pub mod threshold;
pub mod view;
pub mod worth;

pub use agent::{ChessPoolAgent, ChessPoolEnd, ChessPoolStart};
pub use roster::{CHESS_POOL_AGENTS, chess_pool_agent};
pub use session::{Frame, FrameResult, Step, play_frame, watch_frame};
pub use tally::Tally;
pub use view::View;
