//! `cuebench frames`: the values of two agents by sampling.

use super::Exit;
use super::frame_options::{Frame, FrameOptions};
use super::threads::Threads;
use crate::output::progress::Progress;
use crate::output::{print_json, print_text};
use crate::rollout::{self, Ended, Stop};
use crate::stats::interval::wilson95;
use anyhow::{Context as _, ensure};
use cuebench_engine::frame::{BLOCK_FRAMES, FrameSummary, Sampler};
use serde_json::{Map, Value, json};
use std::time::Instant;

/// Most frames of one run.
const MAX_FRAMES: u64 = 1_000_000_000_000;

/// Arguments of `cuebench frames`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The same seed gives the same counts at any number of threads. ci95 is the Wilson interval of the win \
rate, eight_foul the share of frames that end that way. Ctrl-C ends the run early, with the whole \
blocks that were played.")]
pub struct Args {
    #[command(flatten)]
    frame: FrameOptions,
    /// Frames to play.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    frames: u64,
    /// Seed of the draws.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// No frames, bad definitions, settings and agents, and agents under which no frame can end.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    ensure!(
        (1..=MAX_FRAMES).contains(&args.frames),
        "--frames {}: give a number from 1 to {MAX_FRAMES}",
        args.frames
    );
    let frame = args.frame.prepare()?;
    let sampler = Sampler::new(&frame.game, [&frame.policies[0], &frame.policies[1]])?;
    let stop = Stop::on_interrupt().context("Ctrl-C cannot be caught")?;
    let began = Instant::now();
    let summary = play(args, &sampler, &stop)?;
    let seconds = began.elapsed().as_secs_f64();
    let report = report(&frame, args, &sampler, &summary, seconds);
    if args.json {
        print_json(&report).context("standard output")?;
    } else {
        print_text(&words(&report)).context("standard output")?;
    }
    Ok(if summary.frames < args.frames { Exit::Interrupted } else { Exit::Done })
}

/// Plays all blocks and adds them up.
fn play(args: &Args, sampler: &Sampler, stop: &Stop) -> anyhow::Result<FrameSummary> {
    let progress = Progress::start(args.frames, 0, "frames");
    let mut summary = FrameSummary::default();
    let blocks = args.frames.div_ceil(BLOCK_FRAMES);
    let block = |index: u64| {
        let left = args.frames - index * BLOCK_FRAMES;
        Ok::<_, String>(sampler.block(args.seed, index, left.min(BLOCK_FRAMES)))
    };
    let ended = rollout::run(0..blocks, args.threads.count(), stop, block, |_, part| {
        summary.merge(&part);
        progress.add(part.frames);
        Ok(())
    })?;
    ensure!(
        ended == Ended::Complete || summary.frames > 0,
        "interrupted before the first block was done"
    );
    Ok(summary)
}

fn report(
    frame: &Frame,
    args: &Args,
    sampler: &Sampler,
    summary: &FrameSummary,
    seconds: f64,
) -> Map<String, Value> {
    let frames = summary.frames as f64;
    let reasons = sampler.reasons(summary);
    let share = |wanted: &str| {
        let count = reasons.iter().find(|(reason, _)| reason == wanted).map_or(0, |(_, n)| *n);
        count as f64 / frames
    };
    // One frame has a mean but no standard error: null, never 0.
    let standard_error = Some(summary.mean_shots_se()).filter(|se| se.is_finite());
    let mut report = Map::new();
    let mut put = |key: &str, value: Value| report.insert(key.to_owned(), value);
    put("frames", json!(summary.frames));
    put("wins0", json!(summary.wins0));
    put("draws", json!(summary.draws));
    put("win_rate", json!(summary.win_rate()));
    put("ci95", json!(wilson95(summary.wins0 as f64, frames)));
    put("mean_shots", json!(summary.mean_shots()));
    put("mean_shots_se", json!(standard_error));
    put("eight_legal", json!(share("eight_legal")));
    put("eight_foul", json!(share("eight_foul")));
    let counts = reasons.iter().map(|(reason, count)| (reason.clone(), json!(count)));
    put("win_reasons", Value::Object(counts.collect()));
    put("seed", json!(args.seed));
    put("agents", json!(frame.agents.each_ref().map(ToString::to_string)));
    put("skills", json!(frame.skills()));
    put("settings", json!(frame.settings.iter().map(ToString::to_string).collect::<Vec<_>>()));
    put("definition", json!(frame.definition));
    put("frames_per_s", json!((frames / seconds).round()));
    report
}

fn words(report: &Map<String, Value>) -> String {
    let list = |values: &[Value]| {
        let words = values.iter().map(|v| v.as_str().map_or(v.to_string(), str::to_owned));
        words.collect::<Vec<_>>().join(", ")
    };
    let word = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => list(values),
        Value::Object(entries) => {
            entries.iter().map(|(key, n)| format!("{key} {n}")).collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    };
    report.iter().map(|(key, value)| format!("{key:<14} {}\n", word(value))).collect()
}
