//! Agents of the snooker race.

pub mod agent;
pub mod candidates;
mod first_hit;
pub mod learned;
pub mod play;
mod random;
pub mod roster;
pub mod search;
mod threshold;

pub use agent::{RaceAgent, RaceEnd, RaceReport, RaceStart};
pub use first_hit::FirstHit;
pub use play::{Shot, TableGame, play_match, play_table};
pub use random::RandomAgent;
pub use roster::{RACE_AGENTS, race_agent};
pub use search::{SearchAgent, Thinking};
pub use threshold::Threshold;
