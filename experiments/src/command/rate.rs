//! `cuebench rate`: ratings from games, recomputed.

use super::Exit;
use super::tournament::print;
use crate::output::manifest::Manifest;
use crate::output::print_json;
use crate::tournament::blocks::Blocks;
use crate::tournament::collect::Games;
use crate::tournament::file::Tournament;
use crate::tournament::folder::write_results;
use crate::tournament::ledger::{self, is_games_file};
use crate::tournament::results::{Results, SprtReport, results, results_of_counts};
use crate::tournament::wdl;
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};

/// Arguments of `cuebench rate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The games.csv of a tournament, or a CSV file with two names and counts of wins, draws and
    /// losses in each line (draws may be left out).
    file: PathBuf,
    /// Fit the advantage of the bot that is named first in a line (tables of counts only; of a
    /// tournament it is fitted by itself).
    #[arg(long)]
    advantage: bool,
    /// Write ratings.csv, pairs.csv and summary.json into this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the file cannot be read or has no games in it, or a file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let place = || args.file.display().to_string();
    let results = if is_games_file(&args.file).with_context(place)? {
        ensure!(
            !args.advantage,
            "--advantage is for tables of counts; of games it is fitted anyway"
        );
        of_games(&args.file)?
    } else {
        let rows = wdl::read(&args.file).with_context(place)?;
        results_of_counts(&rows, args.advantage).with_context(place)?
    };
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        write_results(folder, &results)?;
    }
    if args.json {
        print_json(&results)?
    } else {
        print(&results)?
    }
    Ok(Exit::Done)
}

/// Results of a file of games; with its manifest beside it, of the sequential test too.
fn of_games(path: &Path) -> anyhow::Result<Results> {
    let mut games = Games::default();
    ledger::scan(path, |row| games.add(&row))?;
    let beside = path.parent().unwrap_or(Path::new("")).join("manifest.json");
    let manifest = Manifest::read(&beside).ok().flatten();
    let file = manifest.and_then(|manifest| {
        serde_json::from_value::<Tournament>(manifest.experiment["tournament"].clone()).ok()
    });
    let sprt = match file.as_ref().and_then(|file| Some((file, file.sprt.as_ref()?))) {
        None => None,
        Some((file, sprt)) => {
            let orders = games.pairs().map(|pair| pair.orders()).max().unwrap_or(1);
            let mut blocks = Blocks::new(sprt.test()?, file.seeds[0], u8::try_from(orders)?);
            ledger::scan(path, |row| {
                blocks.note(&row);
                Ok(())
            })?;
            blocks.advance()?;
            Some(SprtReport::of(&blocks, file.seed_count()))
        }
    };
    Ok(results(&games, sprt)?)
}
