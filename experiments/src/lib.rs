//! The command line `cuebench`: parse, call, write.
//!
//! `main.rs` parses the arguments, [`command`] holds one file a command, [`stats`] the pure
//! statistics; [`input`] reads tables, and [`output`] has everything that reaches a file or the
//! terminal.

pub mod bot_process;
pub mod calibration;
pub mod chess_pool;
pub mod command;
pub mod contender;
pub mod experiment;
pub mod frame_log;
pub mod games;
pub mod hall;
pub mod input;
pub mod learn;
pub mod output;
pub mod preflight;
pub mod race_drawing;
pub mod rollout;
pub mod shot_log;
pub mod shots;
pub mod stats;
pub mod table_drawing;
pub mod tournament;

use clap::Parser as _;
use command::{Cli, Exit};
use games::Games;
use std::process::ExitCode;

/// The whole program, over the games that it is to know.
#[must_use]
pub fn program(games: &Games) -> ExitCode {
    if let Some(code) = bot_process::intercept() {
        return code;
    }
    match Cli::parse().command.run(games) {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::CheckFailed) => ExitCode::from(1),
        Ok(Exit::Interrupted) => ExitCode::from(130),
        Err(error) if output::is_reader_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::report_error(&error);
            ExitCode::from(2)
        }
    }
}
