//! `cuebench completions`: what a shell needs to complete commands and options.

use super::{Cli, Exit};
use crate::output::print_bytes;
use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

/// Arguments of `cuebench completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For example, in bash:
  cuebench completions bash > ~/.local/share/bash-completion/completions/cuebench")]
pub struct Args {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Runs the command.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut script = vec![];
    generate(args.shell, &mut Cli::command(), "cuebench", &mut script);
    print_bytes(&script).context("standard output")?;
    Ok(Exit::Done)
}
