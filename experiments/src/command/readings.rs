//! `cuebench readings`: how often each reading of chess pool changes the winner of a frame.

use super::Exit;
use super::threads::Threads;
use crate::chess_pool::readings::{Change, measure};
use crate::output::table::Table;
use crate::output::{print_json, print_text};
use anyhow::{Context as _, bail};
use cuebench_agents::spec::AgentSpec;

/// Arguments of `cuebench readings`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agents of seat 0 and seat 1.
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_values = ["threshold", "threshold"])]
    agents: Vec<AgentSpec>,
    /// Frames under each reading: an even number, as each agent breaks every other one.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    frames: u64,
    /// The agents' draws follow from it.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// More frames than this are refused.
const MOST_FRAMES: u64 = 10_000_000;

/// Runs the command.
///
/// # Errors
/// When an agent cannot be made or fails, or output fails.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let [a, b] = &args.agents[..] else {
        bail!("--agents: {} given; give two, as in threshold,search", args.agents.len());
    };
    let frames = args.frames;
    if frames == 0 || !frames.is_multiple_of(2) || frames > MOST_FRAMES {
        bail!("--frames {frames}: give an even number from 2 to {MOST_FRAMES}");
    }
    let changes = args.threads.pool()?.install(|| measure([a, b], frames / 2, args.seed))?;
    let printed = if args.json {
        print_json(&serde_json::json!({
            "agents": [a.to_string(), b.to_string()],
            "frames": frames,
            "seed": args.seed,
            "readings": changes,
        }))
    } else {
        print_text(&table(&changes))
    };
    printed.context("standard output")?;
    Ok(Exit::Done)
}

fn table(changes: &[Change]) -> String {
    let heads =
        ["reading", "frames", "course", "winner", "share", "95 %", "breaker", "draws", "shots"];
    let mut table = Table::new(heads);
    for change in changes {
        let Change { frames, winner_differs, winner_differs_low, winner_differs_high, .. } = change;
        table.row([
            format!("{}={}", change.option, change.value),
            frames.to_string(),
            change.course_differs.to_string(),
            winner_differs.to_string(),
            format!("{:.3}", *winner_differs as f64 / *frames as f64),
            format!("{winner_differs_low:.3}..{winner_differs_high:.3}"),
            change.breaker_points.map(|points| format!("{points:.3}")).join(" > "),
            change.draws.map(|draws| draws.to_string()).join(" > "),
            change.mean_shots.map(|shots| format!("{shots:.1}")).join(" > "),
        ]);
    }
    table.to_string()
}
