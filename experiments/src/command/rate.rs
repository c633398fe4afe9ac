//! `cuebench rate`: ratings from games, recomputed.

use super::Exit;
use super::tournament::print;
use crate::output::print_json;
use crate::tournament::collect::Games;
use crate::tournament::file::Tournament;
use crate::tournament::folder::{LOAD, ORDERS, write_results};
use crate::tournament::ledger::{self, is_games_file};
use crate::tournament::results::{Results, SprtReport, results, results_of_counts};
use crate::tournament::wdl;
use anyhow::{Context as _, ensure};
use serde_json::Value;
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

/// Results of a file of games. Its manifest, if it lies beside it, says how many games of a pair on
/// a seed count, and whether there is a sequential test.
fn of_games(path: &Path) -> anyhow::Result<Results> {
    let mut games = Games::default();
    let scanned = ledger::scan(path, |row| games.add(&row))?;
    let beside = Beside::read(path);
    games.settle(beside.event());
    let sprt = match &beside {
        Beside { file: Some(file), orders: Some(orders), .. } => {
            SprtReport::of(&mut games, file, *orders)?
        }
        _ => None,
    };
    let mut results = results(&games, sprt, beside.load)?;
    if let Some(line) = scanned.torn {
        results.notes.push(format!("line {line} has no end: it is torn and not counted"));
    }
    Ok(results)
}

/// What the manifest beside a file of games says.
#[derive(Default)]
struct Beside {
    file: Option<Tournament>,
    orders: Option<u8>,
    load: Option<f64>,
}

impl Beside {
    /// Reads the manifest in the folder of `games`, if there is one.
    fn read(games: &Path) -> Self {
        let path = games.parent().unwrap_or(Path::new("")).join("manifest.json");
        let text = std::fs::read(path).unwrap_or_default();
        let Ok(manifest) = serde_json::from_slice::<Value>(&text) else { return Self::default() };
        let tournament = manifest["experiment"]["tournament"].clone();
        let file: Option<Tournament> = serde_json::from_value(tournament).ok();
        let told = manifest[ORDERS].as_u64().and_then(|orders| u8::try_from(orders).ok());
        // Manifests of earlier versions do not say it, but their games do.
        let by_game = file.as_ref().and_then(|file| match file.game.as_str() {
            "snooker-race" => Some(1),
            "frame" | "chess-pool" => Some(2),
            _ => None,
        });
        let orders = told.filter(|orders| (1..=2).contains(orders)).or(by_game);
        Self { file, orders, load: manifest[LOAD].as_f64() }
    }

    /// The event and the number of games of a pair on each seed.
    fn event(&self) -> Option<(&str, u8)> {
        Some((self.file.as_ref()?.event.as_str(), self.orders?))
    }
}
