//! What this program does when it is started by itself: becoming a bot, and holding the leash.
//! Neither is a command for people.

use crate::output::report_error;
use anyhow::Context as _;
use cuebench_agents::external::launch::{Launch, launch};
use cuebench_agents::external::leash::hold;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

const LAUNCH: &str = "launch-bot";
const LEASH: &str = "hold-leash";
/// What shells answer when a program cannot be run.
const NOT_RUN: u8 = 127;

/// Does what this process was started for, if that was one of these two.
#[must_use]
pub fn intercept() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let first = words.next()?;
    if first == LEASH {
        hold(std::io::stdin().lock());
        return Some(ExitCode::SUCCESS);
    }
    if first != LAUNCH {
        return None;
    }
    let words: Vec<OsString> = words.collect();
    let error = match words.as_slice() {
        [plan, dashes, command @ ..] if dashes == "--" => become_bot(plan, command),
        _ => anyhow::anyhow!("{LAUNCH} PLAN -- COMMAND is no command for people"),
    };
    report_error(&error);
    Some(ExitCode::from(NOT_RUN))
}

/// Returns only when it fails.
fn become_bot(plan: &OsString, command: &[OsString]) -> anyhow::Error {
    let plan: Result<Launch, _> = serde_json::from_str(&plan.to_string_lossy());
    match plan {
        Ok(plan) => {
            let program = command.first().map(|word| word.to_string_lossy().into_owned());
            anyhow::Error::new(launch(&plan, command)).context(program.unwrap_or_default())
        }
        Err(error) => error.into(),
    }
}

/// This program.
fn itself() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("the path of this program")
}

/// The words that lead to a bot; none where processes cannot replace themselves.
///
/// # Errors
/// When the path of this program is not known.
pub fn launcher() -> anyhow::Result<Option<Vec<OsString>>> {
    if !cfg!(unix) {
        return Ok(None);
    }
    Ok(Some(vec![itself()?.into(), LAUNCH.into()]))
}

/// The command that holds the leash.
///
/// # Errors
/// When the path of this program is not known.
pub fn leash() -> anyhow::Result<Command> {
    let mut command = Command::new(itself()?);
    command.arg(LEASH);
    Ok(command)
}
