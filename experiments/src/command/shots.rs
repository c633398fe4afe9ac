//! `cuebench shots`: plays random shots and tells how many a second, and what they did.

use super::Exit;
use super::threads::Threads;
use crate::output::print_json;
use crate::shots::tally::Tally;
use anyhow::Context as _;
use clap::value_parser;
use cuebench_engine::shot::{Mix, Shot, map_all, random_shot};
use rayon::prelude::*;
use serde_json::json;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// Shots drawn before they are played.
const BATCH: u64 = 1 << 15;

/// Arguments of `cuebench shots`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many shots.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = value_parser!(u64).range(1..))]
    count: u64,
    /// Seed of the shots.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Balls on the table, the white among them.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = value_parser!(u64).range(1..=16))]
    balls: u64,
    /// Balls frozen to balls and rails, clusters, balls in pockets' mouths, any power.
    #[arg(long)]
    hard: bool,
    /// With --hard: cloth 100 to 5000 mm/s² and restitution 0 to 1000 thousandths instead of a
    /// race's values, often the least or the greatest.
    #[arg(long, requires = "hard")]
    any_table: bool,
    /// Check every shot for overlaps at rest, gained energy and cut-off events. Slower.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    threads: Threads,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When standard output cannot be written or no threads can be had.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.count()).build()?;
    let (tally, time) = pool.install(|| play(args));
    let seconds = time.as_secs_f64().max(1e-9);
    let report = json!({
        "count": args.count,
        "seed": args.seed,
        "balls": args.balls,
        "hard": args.hard,
        "any_table": args.any_table,
        "threads": args.threads.count(),
        "shots_per_s": (args.count as f64 / seconds).round(),
        "wall_time_s": seconds,
        "events_per_shot": tally.events as f64 / args.count as f64,
        "outcomes": tally.outcomes(),
        "trace_hash": format!("{:016x}", tally.hash.value()),
    });
    if args.json {
        print_json(&report).context("standard output")?;
    } else {
        print_text(&report, &tally).context("standard output")?;
    }
    Ok(if args.check && tally.failures() > 0 { Exit::CheckFailed } else { Exit::Done })
}

/// Plays the shots in batches; the time is that of playing, without drawing.
fn play(args: &Args) -> (Tally, Duration) {
    let mix = match (args.hard, args.any_table) {
        (false, _) => Mix::Open,
        (true, false) => Mix::Hard,
        (true, true) => Mix::HardAnyTable,
    };
    let (mut tally, mut time) = (Tally::default(), Duration::ZERO);
    let mut from = 0;
    while from < args.count {
        let to = args.count.min(from + BATCH);
        let shots: Vec<Shot> = (from..to)
            .into_par_iter()
            .map(|index| random_shot(mix, args.seed, index, args.balls as usize))
            .collect();
        let start = Instant::now();
        let parts = if args.check {
            let check = |(i, shot)| Tally::checked(from + i as u64, shot);
            shots.par_iter().enumerate().map(check).collect()
        } else {
            map_all(&shots, |i, outcome| Tally::of(from + i as u64, outcome))
        };
        time += start.elapsed();
        tally = parts.into_iter().fold(tally, Tally::merge);
        from = to;
    }
    (tally, time)
}

fn print_text(report: &serde_json::Value, tally: &Tally) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for key in ["shots_per_s", "events_per_shot", "trace_hash"] {
        let value = &report[key];
        writeln!(out, "{key:16} {}", value.as_str().map_or(value.to_string(), str::to_owned))?;
    }
    for (name, value) in tally.outcomes() {
        writeln!(out, "{name:16} {value}")?;
    }
    out.flush()
}
