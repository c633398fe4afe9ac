//! `cuebench predict`: what a calibrated model says of frames, with the uncertainty of its numbers.

use super::Exit;
use crate::calibration::analysis::results;
use crate::calibration::log_options::LogOptions;
use crate::calibration::predict::{Prediction, Predictive, predictions, predictive, shooters};
use crate::calibration::results::{Method, Request, Results};
use crate::output::print_json;
use crate::output::table::Table;
use crate::shot_log::frames::Frames;
use anyhow::{Context as _, ensure};
use cuebench_agents::spec::AgentSpec;
use std::io::Write as _;

/// Arguments of `cuebench predict`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The model is fitted to the logs as by calibrate. Intervals of the exact values come from the delta \
method: central differences through the exact solver, the policies held. The table against the log is \
made of whole logs, each from one draw of the estimates' normal approximation.")]
pub struct Args {
    #[command(flatten)]
    logs: LogOptions,
    /// Two players of the log; the first breaks. All pairings of the log are compared in any case.
    #[arg(long, value_name = "BREAKER,OTHER", value_delimiter = ',', num_args = 1..)]
    players: Vec<String>,
    /// The policy of all players: an agent of the definition, as in threshold:tau=0.4.
    #[arg(long, value_name = "AGENT", default_value = "threshold")]
    policy: AgentSpec,
    /// Other numbers for what is not calibrated, as in --set break_scratch_bih=anywhere.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Estimates with Firth's penalty.
    #[arg(long)]
    firth: bool,
    /// Whole logs to draw for the table against the log; 0 leaves the table out.
    #[arg(long, value_name = "N", default_value_t = 40)]
    draws: u64,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When an input is unusable, or a player has no finite estimate.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut calibrated = args.logs.definition()?;
    calibrated.set(&args.set)?;
    ensure!(!args.logs.shots.is_empty(), "there is no log: give one with --shots FILE");
    ensure!(
        args.players.is_empty() || args.players.len() == 2,
        "--players: give two players, as in --players ann,bob"
    );
    let mut frames = Frames::default();
    let logs = args.logs.read_and_tell(&calibrated.family, 0.0, &mut |seen| frames.add(seen))?;
    let request = Request {
        method: if args.firth { Method::Firth } else { Method::Likelihood },
        fixed: Vec::new(),
        skill_profiles: false,
    };
    let breaks = logs.breaks.as_ref().map(|breaks| &breaks.counts[..]);
    let results = results(
        &logs.shots.counts,
        &Default::default(),
        breaks,
        logs.shots.position,
        &calibrated.family,
        &request,
    )?;
    let exact = match &shooters(&results, &args.players)?[..] {
        [first, second] => {
            let players = [first.clone(), second.clone()];
            predictions(&calibrated, &results, &players, &args.policy)?
        }
        _ => Vec::new(),
    };
    let table = match &logs.breaks {
        Some(breaks) if args.draws > 0 => predictive(
            &calibrated,
            &results,
            &frames,
            &breaks.breakers,
            &args.policy,
            args.draws,
            args.logs.seed,
        )?,
        _ => Vec::new(),
    };
    report(args, &results, &exact, &table).context("standard output")?;
    Ok(Exit::Done)
}

fn report(
    args: &Args,
    results: &Results,
    exact: &[Prediction],
    table: &[Predictive],
) -> std::io::Result<()> {
    if args.json {
        return print_json(&serde_json::json!({
            "players": args.players,
            "policy": args.policy.to_string(),
            "anchor": results.model.anchor,
            "status": results.status.word(),
            "predictions": exact,
            "interval_method": "delta method through the exact solver, policies held",
            "predictive": table,
            "predictive_method": format!(
                "{} whole logs, each from one draw of the estimates' normal approximation",
                args.draws
            ),
        }));
    }
    let mut out = std::io::stdout().lock();
    if !exact.is_empty() {
        let mut lines = Table::new(["value", "estimate", "se", "95 %"]);
        for line in exact {
            let [low, high] = line.interval95;
            lines.row([
                line.name.to_owned(),
                format!("{:.4}", line.value),
                format!("{:.4}", line.se),
                format!("{low:.4} .. {high:.4}"),
            ]);
        }
        writeln!(out, "{}", lines)?;
    }
    if !table.is_empty() {
        let mut lines = Table::new(["log", "observed", "drawn", "95 %", "share above"]);
        for line in table {
            let [low, high] = line.interval95;
            let number = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.4}"));
            lines.row([
                line.name.to_owned(),
                number(line.observed),
                format!("{:.4}", line.mean),
                format!("{low:.4} .. {high:.4}"),
                number(line.share_above),
            ]);
        }
        writeln!(out, "{lines}")?;
    }
    out.flush()
}
