//! `cuebench learn frames`: trains the agent `learned`, and says how far it is from the optimum.

use crate::command::Exit;
use crate::command::frame_options::GameOptions;
use crate::output::progress::Progress;
use crate::output::write::{keep_apart, write_whole};
use crate::output::{print_json, print_text};
use anyhow::{Context as _, ensure};
use cuebench_agents::frame::{LearnedTable, learn};
use cuebench_engine::frame::Game;
use std::path::PathBuf;

/// More episodes than this are refused.
const MAX_EPISODES: u64 = 1_000_000_000;

/// Arguments of `cuebench learn frames`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Both seats learn by playing each other. regret is what the table gives away against the optimal \
player, in each seat, as a chance of winning; it is exact. The same seed gives the same bytes.")]
pub struct Args {
    #[command(flatten)]
    game: GameOptions,
    /// Frames of self-play.
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    episodes: u64,
    /// Seed of the training.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Where the table goes; `learned:FILE` plays by it.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Exact values of the learned policy, to seat 0.
struct Judged {
    optimum: f64,
    breaking: f64,
    other: f64,
}

/// Runs the command.
///
/// # Errors
/// No episodes, bad definitions and settings, and a file that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    ensure!(
        (1..=MAX_EPISODES).contains(&args.episodes),
        "--episodes {}: give a number from 1 to {MAX_EPISODES}",
        args.episodes
    );
    keep_apart([&*args.out], args.game.file())?;
    let (game, _) = args.game.compile()?;
    let random = game.random_policy();
    game.solve([&random, &random]).context("random play, from which learning starts")?;
    let progress = Progress::start(args.episodes, 0, "frames");
    let table = learn(&game, args.episodes, args.seed, |more| progress.add(more));
    drop(progress);
    let judged = judge(&game, &table)?;
    write_whole(&args.out, table.text()?)?;
    let report = serde_json::json!({
        "episodes": args.episodes,
        "seed": args.seed,
        "states": table.len(),
        "optimal_vs_optimal": judged.optimum,
        "learned_vs_optimal": judged.breaking,
        "optimal_vs_learned": judged.other,
        "regret": [judged.optimum - judged.breaking, judged.other - judged.optimum],
        "out": args.out,
    });
    if args.json {
        print_json(&report).context("standard output")?;
    } else {
        print_text(&format!(
            "{} states after {} frames; regret {:.6} as seat 0, {:.6} as seat 1; wrote {}\n",
            table.len(),
            args.episodes,
            judged.optimum - judged.breaking,
            judged.other - judged.optimum,
            args.out.display()
        ))
        .context("standard output")?;
    }
    Ok(Exit::Done)
}

fn judge(game: &Game, table: &LearnedTable) -> anyhow::Result<Judged> {
    let [first, second] = game.optimal()?;
    let value = |a, b| game.solve([a, b]).map(|exact| exact.p0_win + exact.draw / 2.0);
    Ok(Judged {
        optimum: value(&first, &second)?,
        breaking: value(&table.policy(game, 0)?, &second)?,
        other: value(&first, &table.policy(game, 1)?)?,
    })
}
