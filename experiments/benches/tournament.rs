//! What a tournament costs beside its players: time a frame game of two built-in agents, and a move
//! of a Python process: `cargo bench -p cuebench-experiments --bench tournament`.
//!
//! Each figure is the difference between a long and a short event, so that starting the command is
//! left out; ratings at the end are in it, and so is what built-in agents and frames take.

#![allow(clippy::print_stdout, reason = "a benchmark's result is what it prints")]

use anyhow::{Context as _, ensure};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Runs of each event; the best and the median are told.
const RUNS: usize = 7;

fn main() -> anyhow::Result<()> {
    let agents = "[[bot]]\nid = \"a\"\nagent = \"threshold\"\n\
                  [[bot]]\nid = \"b\"\nagent = \"always_attack\"\n";
    let [short, long] = [measured(agents, 100)?, measured(agents, 20_100)?];
    for (name, place) in [("best", 0), ("median", RUNS / 2)] {
        let seconds = long[place].wall_s - short[place].wall_s;
        println!("built-in game ({name}): {:.1} us", seconds * 1e6 / 40_000.0);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/examples/frame_bot.py");
    let bots = format!(
        "[[bot]]\nid = \"a\"\ncommand = [\"python3\", {script:?}]\n\
         [[bot]]\nid = \"b\"\nagent = \"threshold\"\n"
    );
    let [short, long] = [measured(&bots, 10)?, measured(&bots, 410)?];
    for (name, place) in [("best", 0), ("median", RUNS / 2)] {
        let (long, short) = (&long[place], &short[place]);
        let moves = (long.moves - short.moves) as f64;
        let own_s = (long.cpu_ms.saturating_sub(short.cpu_ms)) as f64 / 1e3;
        let beside = long.wall_s - short.wall_s - own_s;
        println!("move of a process ({name}): {:.1} us beside its own", beside * 1e6 / moves);
    }
    Ok(())
}

/// What an event took.
struct Took {
    wall_s: f64,
    /// CPU time of the process that is bot a.
    cpu_ms: u64,
    /// Actions of bot a.
    moves: u64,
}

/// Plays an event of `bots` over seeds 1 to `seeds`; quickest first.
fn measured(bots: &str, seeds: u64) -> anyhow::Result<Vec<Took>> {
    let mut all = Vec::new();
    for _ in 0..RUNS {
        let folder = tempfile::tempdir()?;
        let file = format!(
            "event = \"bench\"\ngame = \"frame\"\nseeds = [1, {seeds}]\nconcurrency = 1\n{bots}"
        );
        std::fs::write(folder.path().join("bench.toml"), file)?;
        let out = folder.path().join("out");
        let mut command = Command::new(env!("CARGO_BIN_EXE_cuebench"));
        command.arg("tournament").arg(folder.path().join("bench.toml")).arg("--out").arg(&out);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let begun = Instant::now();
        ensure!(command.status()?.success(), "the event failed");
        let wall_s = begun.elapsed().as_secs_f64();
        let cpu_ms = cpu_ms(&out.join("games.csv"))?;
        let moves = moves(&std::fs::read_to_string(out.join("replays.jsonl"))?)?;
        all.push(Took { wall_s, cpu_ms, moves });
    }
    all.sort_by(|a, b| a.wall_s.total_cmp(&b.wall_s));
    Ok(all)
}

fn cpu_ms(games: &Path) -> anyhow::Result<u64> {
    let mut reader = csv::Reader::from_path(games)?;
    let column = reader.headers()?.iter().position(|name| name == "cpu_ms_a");
    let column = column.context("no column cpu_ms_a")?;
    let mut sum = 0;
    for row in reader.records() {
        sum += row?.get(column).and_then(|cell| cell.parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(sum)
}

/// Actions of bot a: a half of all, for both orders of a seed are played.
fn moves(replays: &str) -> anyhow::Result<u64> {
    let mut moves = 0;
    for line in replays.lines() {
        let record: serde_json::Value = serde_json::from_str(line)?;
        moves += record["actions"].as_str().context("no actions")?.split(' ').count() as u64;
    }
    Ok(moves / 2)
}
