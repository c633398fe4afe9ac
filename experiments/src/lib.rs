//! The command line `cuebench`: parse, call, write.
//!
//! `main.rs` parses the arguments, [`command`] holds one file a command, [`stats`] the pure
//! statistics, and [`output`] everything that reaches a file or the terminal.

pub mod bot_process;
pub mod calibration;
pub mod chess_pool;
pub mod command;
pub mod experiment;
pub mod learn;
pub mod output;
pub mod race_drawing;
pub mod rollout;
pub mod shot_log;
pub mod shots;
pub mod stats;
pub mod table_drawing;
pub mod tournament;
