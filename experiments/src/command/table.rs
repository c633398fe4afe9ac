//! `cuebench table`: the shape of a table, as data or as a drawing.

use super::Exit;
use crate::output::print_json;
use crate::output::write::write_whole;
use crate::shots::drawing;
use anyhow::{Context as _, ensure};
use cuebench_engine::table::{PocketSet, Table, TableSpec};
use std::path::PathBuf;

/// Arguments of `cuebench table`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The set of pockets: snooker or pool.
    #[arg(long, value_name = "SET", value_parser = pocket_set)]
    pockets: PocketSet,
    /// Rails, rounded points, facings, fall and mouth lines and aim points (µm) as one JSON object
    /// on standard output.
    #[arg(long)]
    json: bool,
    /// Draws the table.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn pocket_set(text: &str) -> Result<PocketSet, String> {
    PocketSet::ALL
        .into_iter()
        .find(|set| set.name() == text)
        .ok_or_else(|| "give snooker or pool".to_owned())
}

/// Runs the command.
///
/// # Errors
/// When neither output is asked for, or one cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    ensure!(args.json || args.svg.is_some(), "nothing to do: give --json, --svg FILE or both");
    // The shape does not depend on cloth and restitution.
    let table = Table::new(TableSpec { pockets: args.pockets, cloth: 1_000, restitution: 800 })?;
    if let Some(path) = &args.svg {
        write_whole(path, drawing::table(table.geometry()))?;
    }
    if args.json {
        print_json(table.geometry()).context("standard output")?;
    }
    Ok(Exit::Done)
}
