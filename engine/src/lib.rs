//! Rules and physics of cue sports for machines: values in, values out.
//!
//! Nothing here reads a file, prints, sleeps or looks at a clock; threads are used only in the
//! batch forms. Every result is a pure function of its arguments, so it replays exactly.

pub mod chess_pool;
pub mod fixed;
pub mod frame;
pub mod rng;
pub mod shot;
pub mod snooker;
pub mod table;
pub mod units;
