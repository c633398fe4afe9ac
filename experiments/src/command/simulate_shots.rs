//! `cuebench simulate-shots`: a log of shots from the outcome model or from the shot engine.

use super::Exit;
use crate::calibration::definition::Calibrated;
use crate::calibration::physics;
use crate::calibration::players;
use crate::calibration::simulate::{Frame, Shooter, Simulator};
use crate::output::print_json;
use crate::output::progress::Progress;
use crate::output::rows::Row;
use crate::output::rows::calibration::{BreakRow, PhysicsShotRow, ShotRow};
use crate::output::write::{Stream, keep_apart};
use crate::shot_log::schema::{Call, Schema};
use anyhow::{Context as _, ensure};
use cuebench_agents::spec::AgentSpec;
use rayon::prelude::*;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Frames that are held in memory at once.
const BATCH: u64 = 4_096;

/// Arguments of `cuebench simulate-shots`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Frames are played by all ordered pairs of players in turn, the first of a pair breaks. The same \
definition, players, policy and seed give the same bytes at any number of threads.")]
pub struct Args {
    /// The definition to simulate; the shipped 8-ball definition without it.
    #[arg(long, value_name = "FILE")]
    definition: Option<PathBuf>,
    /// Players with their skills (ann=2,bob=1.5), a number of players of evenly spread skill from 0.8
    /// to 3.4 (8), or calibrated skills (@estimates.csv:ann,bob). With --physics a skill divides the
    /// aiming noise by 2 to the power of (skill - 2).
    #[arg(long, value_name = "PLAYERS", default_value = "8")]
    players: String,
    /// Frames to play; with --physics layouts of 20 shots each.
    #[arg(long, value_name = "N", default_value_t = 400)]
    frames: u64,
    /// The seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// The policy of all players: an agent of the definition, as in threshold:tau=0.4, and with
    /// explore=SHARE the chance of any open call in its place, so that no leave goes without shots.
    #[arg(long, value_name = "AGENT", default_value = "threshold:explore=0.2")]
    policy: AgentSpec,
    /// Break skills of the players, where the definition's break takes skill: ann=0.5,bob=-0.5, or
    /// one number S for break skills spread evenly from -S to S. 0 unless given.
    #[arg(long, value_name = "SKILLS", allow_hyphen_values = true)]
    break_skills: Option<String>,
    /// Other numbers for the definition, as in --set P_SCRATCH=0.01.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// The log of shots; standard output without it.
    #[arg(long, value_name = "CSV")]
    out: Option<PathBuf>,
    /// The log of breaks.
    #[arg(long, value_name = "CSV")]
    breaks_out: Option<PathBuf>,
    /// Shots of the shot engine with aiming noise, logged with their geometry in place of a leave.
    #[arg(long)]
    physics: bool,
    #[command(flatten)]
    noise: physics::NoiseOptions,
    /// A summary as one JSON object on standard output; the log then needs --out.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When an option is unusable, a game cannot be laid out, or a file not be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    ensure!(
        !args.json || args.out.is_some(),
        "--json puts a summary on standard output; give the log a file with --out"
    );
    let estimates = args
        .players
        .strip_prefix('@')
        .map(|source| Path::new(source.rsplit_once(':').map_or(source, |(file, _)| file)));
    let outputs = args.out.as_deref().into_iter().chain(args.breaks_out.as_deref());
    keep_apart(outputs, args.definition.as_deref().into_iter().chain(estimates))?;
    let mut calibrated = Calibrated::read(args.definition.as_deref())?;
    calibrated.set(&args.set)?;
    let players = players::parse(&args.players)?;
    ensure!(players.len() >= 2, "--players: give at least two players");
    let summary = if args.physics {
        ensure!(
            args.breaks_out.is_none(),
            "--breaks-out: shots of the engine begin from layouts, without a break"
        );
        physical(args, &calibrated, &players)?
    } else {
        modelled(args, &calibrated, &players)?
    };
    if args.json {
        print_json(&summary).context("standard output")?;
    }
    Ok(Exit::Done)
}

fn modelled(
    args: &Args,
    calibrated: &Calibrated,
    players: &[Shooter],
) -> anyhow::Result<serde_json::Value> {
    let mut simulator = Simulator::new(calibrated, players, &args.policy)?;
    if let Some(text) = &args.break_skills {
        simulator = simulator.with_break_skills(&players::break_skills(text, players)?)?;
    }
    let names: Vec<String> = players.iter().map(|player| quoted(&player.name)).collect();
    let mut shots = Stream::to(args.out.as_deref())?;
    let mut breaks = args.breaks_out.as_deref().map(|path| Stream::to(Some(path))).transpose()?;
    shots.put(ShotRow::KIND.header().as_bytes())?;
    if let Some(breaks) = &mut breaks {
        breaks.put(BreakRow::KIND.header().as_bytes())?;
    }
    let (mut rows, mut wins) = (0_u64, 0_u64);
    let progress = Progress::start(args.frames, 0, "frames");
    let mut first = 0;
    while first < args.frames {
        let batch = first..args.frames.min(first + BATCH);
        let frames = batch
            .clone()
            .into_par_iter()
            .map(|index| simulator.frame(args.seed, index))
            .collect::<anyhow::Result<Vec<Frame>>>()?;
        for (index, frame) in batch.zip(&frames) {
            rows += frame.shots.len() as u64;
            wins += u64::from(frame.winner == Some(frame.breaker));
            shots.put(lines(index, frame, &names, simulator.schema()).as_bytes())?;
            if let Some(breaks) = &mut breaks {
                let outcome = &simulator.schema().breaks[frame.outcome].0;
                breaks.put(format!("{index},{},{outcome}\n", names[frame.breaker]).as_bytes())?;
            }
        }
        progress.add(frames.len() as u64);
        first += BATCH;
    }
    drop(progress);
    shots.finish()?;
    breaks.map_or(Ok(()), Stream::finish)?;
    Ok(serde_json::json!({
        "frames": args.frames,
        "shots": rows,
        "players": names,
        "breaker_wins": wins,
        "seed": args.seed,
    }))
}

/// The rows of one frame.
fn lines(index: u64, frame: &Frame, names: &[String], schema: &Schema) -> String {
    let mut text = String::new();
    for (number, shot) in (1..).zip(&frame.shots) {
        let (call, result) = match shot.call {
            Call::Shot => ("shot", &schema.shot[shot.result]),
            Call::Safety => ("safety", &schema.safety[shot.result]),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{index},{number},{},{},{},{call},{result}",
            names[shot.player], names[shot.opponent], schema.leaves[shot.leave],
        );
    }
    text
}

/// A name as a CSV cell.
fn quoted(name: &str) -> String {
    if name.contains([',', '"']) || name.trim() != name {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

fn physical(
    args: &Args,
    calibrated: &Calibrated,
    players: &[Shooter],
) -> anyhow::Result<serde_json::Value> {
    let names: Vec<String> = players.iter().map(|player| quoted(&player.name)).collect();
    let workshop = physics::Workshop::new(&args.noise, players)?;
    let schema = &calibrated.family.schema;
    let mut out = Stream::to(args.out.as_deref())?;
    out.put(PhysicsShotRow::KIND.header().as_bytes())?;
    let mut rows = 0_u64;
    let progress = Progress::start(args.frames, 0, "layouts");
    let mut first = 0;
    while first < args.frames {
        let batch = first..args.frames.min(first + BATCH / 64);
        let frames = batch
            .clone()
            .into_par_iter()
            .map(|index| workshop.frame(args.seed, index))
            .collect::<anyhow::Result<Vec<_>>>()?;
        for (index, frame) in batch.zip(&frames) {
            rows += frame.len() as u64;
            let mut text = String::new();
            for (number, shot) in (1..).zip(frame) {
                let [theta, ob, cb] = shot.geometry;
                // Writing to a String cannot fail.
                let _ = writeln!(
                    text,
                    "{index},{number},{},{},{theta:.3},{ob:.1},{cb:.1},shot,{}",
                    names[shot.player], names[shot.opponent], schema.shot[shot.result],
                );
            }
            out.put(text.as_bytes())?;
        }
        progress.add(frames.len() as u64);
        first += BATCH / 64;
    }
    drop(progress);
    out.finish()?;
    Ok(serde_json::json!({
        "frames": args.frames, "shots": rows, "players": names, "seed": args.seed,
    }))
}
