//! `cuebench stats`: intervals from counts of results.

use super::Exit;
use crate::output::print_json;
use crate::stats::interval::wilson95;
use anyhow::{Context as _, ensure};

/// Arguments of `cuebench stats`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Games won, drawn and lost.
    #[arg(long, value_name = "W,D,L", value_delimiter = ',', num_args = 3, required = true)]
    wdl: Vec<u64>,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When there are no games, or standard output cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let [wins, draws, losses] = args.wdl[..] else {
        anyhow::bail!("--wdl takes three counts: wins,draws,losses");
    };
    let games = wins + draws + losses;
    ensure!(games > 0, "--wdl {wins},{draws},{losses}: there are no games; give at least one");
    let score = (wins as f64 + draws as f64 / 2.0) / games as f64;
    let [low, high] = wilson95(score * games as f64, games as f64);
    print_json(&serde_json::json!({ "score": score, "wilson95": [low, high] }))
        .context("standard output")?;
    Ok(Exit::Done)
}
