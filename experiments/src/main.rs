//! `cuebench`: parse, call, report. Exit codes: 0 done, 1 the check that was asked for failed,
//! 2 usage, input or IO, 130 interrupted.

use clap::Parser;
use cuebench_experiments::bot_process;
use cuebench_experiments::command::{Cli, Exit};
use cuebench_experiments::output::report_error;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = bot_process::intercept() {
        return code;
    }
    match Cli::parse().command.run() {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::CheckFailed) => ExitCode::from(1),
        Ok(Exit::Interrupted) => ExitCode::from(130),
        Err(error) => {
            report_error(&error);
            ExitCode::from(2)
        }
    }
}
