//! `cuebench man`: manual pages, one a command.

use super::{Cli, Exit};
use crate::output::note;
use crate::output::write::write_whole;
use anyhow::Context as _;
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use std::path::{Path, PathBuf};

/// Arguments of `cuebench man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For example: cuebench man ~/.local/share/man/man1")]
pub struct Args {
    /// Folder for the pages: cuebench.1, cuebench-run.1 and so on.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When a page cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let pages = write(&command, "cuebench", &args.folder)?;
    note(&format!("{pages} pages in {}", args.folder.display()));
    Ok(Exit::Done)
}

/// Writes the page of a command and those of the commands below it; returns how many.
fn write(command: &Command, name: &str, folder: &Path) -> anyhow::Result<usize> {
    let mut page = vec![];
    Man::new(command.clone()).render(&mut page).context("a page cannot be made")?;
    write_whole(&folder.join(format!("{name}.1")), page)?;
    let mut pages = 1;
    for below in command.get_subcommands() {
        pages += write(below, &format!("{name}-{}", below.get_name()), folder)?;
    }
    Ok(pages)
}
