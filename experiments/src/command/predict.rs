//! `cuebench predict`: what a calibrated model says of frames, with the uncertainty of its numbers.

use super::Exit;
use crate::calibration::analysis::results;
use crate::calibration::break_skills::BreakSkills;
use crate::calibration::caller::Caller;
use crate::calibration::estimate::Status;
use crate::calibration::log_options::LogOptions;
use crate::calibration::predict::{
    CallRow, Forecast, Observation, Prediction, Predictive, SOLUTIONS,
};
use crate::calibration::results::{Method, Request, Results};
use crate::output::table::Table;
use crate::output::{print_json, shown};
use crate::shot_log::frames::Frames;
use crate::stats::calibration::structure::Standing;
use anyhow::{Context as _, ensure};
use cuebench_agents::spec::AgentSpec;
use std::io::Write as _;

/// The word for calls as the log shows them.
const LOG: &str = "log";
/// The most pairings that are compared unasked.
const MAX_PAIRINGS: usize = 2_000;

/// Arguments of `cuebench predict`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The model is fitted to the logs as by calibrate. Intervals are those of the posterior under Jeffreys' \
prior (its mode is Firth's estimate), of skills, difficulties, shares and calls alike, so that a count \
of 0 and a small log are as uncertain as they are. The tables against the log are made of whole logs, \
each from one draw of the posterior: what a second log of the same design would show.

Exit code 1: some parameters are separated, unidentified or unfinished; what stands in for them is \
said, and everything is printed.")]
pub struct Args {
    #[command(flatten)]
    logs: LogOptions,
    /// Two players of the log, the first breaks; without them every pairing of the log, either
    /// player breaking. A name with a comma is written in double quotes.
    #[arg(long, value_name = "BREAKER,OTHER", num_args = 1..)]
    players: Vec<String>,
    /// Who calls: `log` for each player's own share of shots by leave, as the log shows it; or an
    /// agent for all players, of the definition (threshold:tau=0.4) or built in (optimal, search,
    /// random, learned), and with explore=SHARE the chance of any open call in its place.
    #[arg(long, value_name = "AGENT", default_value = LOG)]
    policy: AgentSpec,
    /// Other numbers for what is not calibrated, as in --set break_scratch_bih=anywhere.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Estimates with Firth's penalty.
    #[arg(long)]
    firth: bool,
    /// Whole logs to draw for the tables against the log; 0 leaves the tables out.
    #[arg(long, value_name = "N", default_value_t = 400)]
    draws: u64,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// What was found.
struct Report {
    calls: Vec<CallRow>,
    exact: Vec<Prediction>,
    table: Vec<Predictive>,
    distributions: Vec<Predictive>,
    notes: Vec<String>,
}

/// Runs the command. Exit code 1 when the fit is separated, rank deficient or unfinished.
///
/// # Errors
/// When an input is unusable, or a game cannot be solved.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut calibrated = args.logs.definition()?;
    calibrated.set(&args.set)?;
    ensure!(!args.logs.shots.is_empty(), "there is no log: give one with --shots FILE");
    let players = names(&args.players)?;
    ensure!(
        players.is_empty() || players.len() == 2,
        "--players: give two players, as in --players ann,bob, or none for every pairing"
    );
    ensure!(players.is_empty() || players[0] != players[1], "--players: give two players");
    let mut frames = Frames::default();
    let logs = args.logs.read_and_tell(&calibrated.family, 0.0, &mut |seen| frames.add(seen))?;
    let request = Request {
        method: if args.firth { Method::Firth } else { Method::Likelihood },
        fixed: Vec::new(),
        skill_profiles: false,
    };
    let breaks = logs.breaks.as_ref().map(|breaks| &breaks.counts[..]);
    let mut results = results(
        &logs.shots.counts,
        &Default::default(),
        breaks,
        logs.shots.position,
        &calibrated.family,
        &request,
    )?;
    if let Some(logged) = &logs.breaks {
        results.breaks =
            BreakSkills::fit(&logged.by_player, &calibrated.family).context("--breaks")?;
    }
    if let Some(breaks) = &results.breaks {
        let shares = breaks.shares.iter().zip(&breaks.fit.shares);
        let shares: Vec<(String, f64)> =
            shares.map(|(name, share)| (name.clone(), share.estimate)).collect();
        calibrated = calibrated.renumbered(&shares)?;
        // They belong to break skill 0 and are not drawn from the counts of all breaks.
        results.shares.retain(|share| !share.name.starts_with("BREAK."));
    }
    let by_log = args.policy.name == LOG && args.policy.options.is_empty();
    let caller = (!by_log).then(|| Caller::Agent(args.policy.clone()));
    let forecast = Forecast::new(&calibrated, &results, &frames, caller, logs.shots.position)?;
    let mut notes = notes(&results, logs.breaks.is_none());
    if results.breaks.is_some() {
        notes.push(
            "Break skills and the shares of the break stand at their estimates; the intervals do \
             not hold their uncertainty."
                .to_owned(),
        );
    }
    notes.extend(logs.shots.doubts.iter().cloned());
    let breakers = logs.breaks.as_ref().map(|breaks| &breaks.breakers);
    let seen = breakers.map(|breakers| Observation::new(&forecast, &frames, breakers));
    let pairings = match &players[..] {
        [first, second] => vec![[forecast.player(first)?, forecast.player(second)?]],
        _ => every(&seen, results.model.players.len(), &mut notes),
    };
    let exact = forecast.exact(&pairings, SOLUTIONS, args.logs.seed)?;
    let [table, distributions] = match seen {
        Some(seen) if args.draws > 0 => forecast.predictive(&seen?, args.draws, args.logs.seed)?,
        _ => Default::default(),
    };
    if exact.is_empty() && table.is_empty() {
        notes
            .push("One player alone and no log of breaks: there is nothing to predict.".to_owned());
    }
    let report = Report { calls: forecast.calls(), exact, table, distributions, notes };
    print(args, &players, &results, &report).context("standard output")?;
    let mut err = std::io::stderr().lock();
    for note in &report.notes {
        // Standard error may be closed; the notes stand in the JSON too.
        let _ = writeln!(err, "note: {}", shown(note));
    }
    let sound = results.fitted.status == Status::Converged;
    Ok(if sound { Exit::Done } else { Exit::CheckFailed })
}

/// Names separated by commas, each as a CSV cell.
fn names(texts: &[String]) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for text in texts {
        names.extend(crate::calibration::players::cells("--players", text)?);
    }
    Ok(names)
}

/// Every pairing that is to be compared: those that met, else all.
fn every(
    seen: &Option<anyhow::Result<Observation>>,
    players: usize,
    notes: &mut Vec<String>,
) -> Vec<[usize; 2]> {
    let mut pairs = match seen {
        Some(Ok(seen)) => seen.pairs(),
        _ => {
            let all = (0..players).flat_map(|a| (0..players).map(move |b| [a, b]));
            all.filter(|[a, b]| a != b).take(MAX_PAIRINGS + 1).collect()
        }
    };
    if pairs.len() > MAX_PAIRINGS {
        pairs.truncate(MAX_PAIRINGS);
        notes.push(format!(
            "Only the first {MAX_PAIRINGS} pairings are compared; name others with --players."
        ));
    }
    pairs
}

/// What the numbers rest on where the log does not tell.
fn notes(results: &Results, no_breaks: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let structure = &results.calibration.structure;
    let with = |wanted: fn(Standing) -> bool| -> Vec<String> {
        let model = &results.model;
        model.parameters().filter(|&p| wanted(structure.get(p))).map(|p| model.name(p)).collect()
    };
    let separated = with(|s| matches!(s, Standing::Separated { .. }));
    if !separated.is_empty() {
        notes.push(format!(
            "{}: separated, no finite estimate; values are those of Firth's penalty, intervals cover \
             what the rows leave open.",
            separated.join(", ")
        ));
    }
    let mut own = with(|s| matches!(s, Standing::Unidentified | Standing::Empty));
    own.extend(results.shares.iter().filter(|s| s.share.is_none()).map(|s| s.name.clone()));
    own.retain(|name| !name.starts_with("skill."));
    if no_breaks {
        own.push("BREAK".to_owned());
    }
    if !own.is_empty() {
        notes.push(format!(
            "{}: no row tells; the definition's own numbers are used, as if they were certain.",
            own.join(", ")
        ));
    }
    let loose = with(|s| s == Standing::Unidentified);
    if !loose.is_empty() {
        notes.push(format!("{}: not told apart by the rows.", loose.join(", ")));
    }
    if results.fitted.status == Status::IterationLimit {
        notes.push("The fit did not come to its end.".to_owned());
    }
    notes
}

fn print(
    args: &Args,
    players: &[String],
    results: &Results,
    report: &Report,
) -> std::io::Result<()> {
    if args.json {
        return print_json(&serde_json::json!({
            "players": players,
            "policy": args.policy.to_string(),
            "calls": report.calls,
            "anchor": results.model.anchor,
            "status": results.fitted.status.word(),
            "predictions": report.exact,
            "interval_method": "posterior under Jeffreys' prior through the exact solver; policies \
                                of agents held, calls of the log drawn",
            "predictive": report.table,
            "distributions": report.distributions,
            "predictive_method": format!(
                "{} whole logs, each from one draw of the posterior under Jeffreys' prior",
                args.draws
            ),
            "notes": report.notes,
        }));
    }
    let mut out = std::io::stdout().lock();
    if args.policy.name == LOG {
        writeln!(out, "{}", calls(&report.calls))?;
    }
    if !report.exact.is_empty() {
        let mut lines = Table::new(["breaker", "other", "value", "estimate", "sd", "95 %"]);
        for line in &report.exact {
            let [low, high] = line.interval95;
            lines.row([
                line.breaker.clone(),
                line.other.clone(),
                line.name.to_owned(),
                format!("{:.4}", line.value),
                format!("{:.4}", line.se),
                format!("{low:.4} .. {high:.4}"),
            ]);
        }
        writeln!(out, "{lines}")?;
    }
    for rows in [&report.table, &report.distributions] {
        if !rows.is_empty() {
            writeln!(out, "{}", against(rows))?;
        }
    }
    out.flush()
}

fn calls(rows: &[CallRow]) -> Table {
    let mut lines =
        Table::new(["leave", "player", "skill", "shots", "of", "share of shots", "Wilson 95 %"]);
    for row in rows {
        let [low, high] = row.wilson95;
        lines.row([
            row.leave.clone(),
            row.player.clone(),
            format!("{:.3}", row.skill),
            row.shots.to_string(),
            (row.shots + row.safeties).to_string(),
            format!("{:.3}", row.share),
            format!("{low:.3} .. {high:.3}"),
        ]);
    }
    lines
}

fn against(rows: &[Predictive]) -> Table {
    let mut lines = Table::new(["log", "observed", "drawn", "95 %", "share above"]);
    for line in rows {
        let [low, high] = line.interval95;
        let number = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.4}"));
        lines.row([
            line.name.clone(),
            number(line.observed),
            format!("{:.4}", line.mean),
            format!("{low:.4} .. {high:.4}"),
            number(line.share_above),
        ]);
    }
    lines
}
