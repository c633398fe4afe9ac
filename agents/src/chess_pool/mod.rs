//! Agents of chess pool.

pub mod aims;
mod random;
mod roster;
mod search;
mod threshold;
mod wire;
mod worth;
