//! `cuebench table`: the shape of a table, as data or as a drawing, and what its pockets take.

use super::Exit;
use crate::output::write::write_whole;
use crate::output::{print_json, print_text};
use crate::shots::acceptance::Acceptance;
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
    /// How likely a ball drops that rolls straight at a pocket, percent: by the distance of its line
    /// from the aim point and its speed at the mouth. It comes from 0.4 m away, from every direction
    /// within 30 degrees of a corner's centre line (45 of a middle's), one degree apart, on a cloth
    /// of 1000 mm/s². The last row: of the balls that catch a jaw. A table in Markdown; with --json
    /// the counts, instead of the shape.
    #[arg(long)]
    acceptance: bool,
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
    ensure!(
        args.json || args.acceptance || args.svg.is_some(),
        "nothing to do: give --json, --svg FILE or --acceptance"
    );
    // The shape does not depend on cloth and restitution.
    let table = Table::new(TableSpec { pockets: args.pockets, cloth: 1_000, restitution: 800 })?;
    if let Some(path) = &args.svg {
        write_whole(path, drawing::table(table.geometry()))?;
    }
    if args.acceptance {
        let acceptance = Acceptance::measure(args.pockets)?;
        let printed =
            if args.json { print_json(&acceptance) } else { print_text(&acceptance.text()) };
        printed.context("standard output")?;
    } else if args.json {
        print_json(table.geometry()).context("standard output")?;
    }
    Ok(Exit::Done)
}
