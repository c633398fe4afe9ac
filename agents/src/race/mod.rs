//! Agents of the snooker race.

pub mod agent;
mod first_hit;
pub mod play;
mod random;
pub mod roster;

pub use agent::{RaceAgent, RaceEnd, RaceReport, RaceStart};
pub use first_hit::FirstHit;
pub use play::{Shot, TableGame, play_match, play_table};
pub use random::RandomAgent;
pub use roster::{RACE_AGENTS, race_agent};
