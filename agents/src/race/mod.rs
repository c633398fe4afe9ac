//! Agents of the snooker race.

pub mod candidates;
mod first_hit;
pub mod learned;
mod random;
mod roster;
pub mod search;
mod start;
#[cfg(test)]
mod tests;
mod threshold;
mod wire;

pub use search::{SearchAgent, Thinking};
pub use start::RaceStart;
pub use threshold::Threshold;
