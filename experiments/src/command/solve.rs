//! `cuebench solve`: exact values of two agents.

use super::Exit;
use super::frame_options::{Frame, FrameOptions};
use crate::output::write::write_whole;
use crate::output::{print_json, print_text};
use anyhow::Context as _;
use cuebench_engine::frame::Exact;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Arguments of `cuebench solve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
mean_shots counts shots and safeties, not the break. break_and_run is the chance that seat 0 wins in \
its first inning. residual is the greatest difference between the two sides of an equation.")]
pub struct Args {
    #[command(flatten)]
    frame: FrameOptions,
    /// Also writes a CSV with one row a state: what makes it up, the seat that chooses, its
    /// action, and the chance that seat 0 wins from there.
    #[arg(long, value_name = "FILE.csv")]
    states: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Bad definitions, settings and agents, agents under which no frame can end, and files that
/// cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let frame = args.frame.prepare()?;
    let exact = frame.game.solve([&frame.policies[0], &frame.policies[1]])?;
    if let Some(path) = &args.states {
        write_whole(path, states(&frame, &exact)?)?;
    }
    if args.json {
        print_json(&report(&frame, &exact)).context("standard output")?;
    } else {
        print_text(&words(&frame, &exact)).context("standard output")?;
    }
    Ok(Exit::Done)
}

fn report(frame: &Frame, exact: &Exact) -> Value {
    let mut report = Map::new();
    let mut put = |key: &str, value: Value| report.insert(key.to_owned(), value);
    put("p0_win", json!(exact.p0_win));
    put("draw", json!(exact.draw));
    put("mean_shots", json!(exact.mean_shots));
    put("mean_innings", json!(exact.mean_innings));
    put("break_and_run", json!(exact.break_and_run));
    for reason in ["eight_legal", "eight_foul"] {
        put(reason, json!(exact.reason(reason)));
    }
    put("states", json!(exact.states));
    let reasons = exact.win_reasons.iter().map(|known| {
        let seats = json!({ "seat0": known.seat0, "seat1": known.seat1, "total": known.total });
        (known.reason.clone(), seats)
    });
    put("win_reasons", Value::Object(reasons.collect()));
    let actions = exact.actions.iter().map(|count| (count.action.clone(), json!(count.mean)));
    put("mean_actions", Value::Object(actions.collect()));
    put("residual", json!(exact.residual));
    put("agents", json!(frame.agents.each_ref().map(ToString::to_string)));
    put("skills", json!(frame.skills()));
    put("settings", json!(frame.settings.iter().map(ToString::to_string).collect::<Vec<_>>()));
    put("definition", json!(frame.definition));
    Value::Object(report)
}

fn words(frame: &Frame, exact: &Exact) -> String {
    let mut text = String::new();
    let mut line = |head: &str, words: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{head:<14} {words}");
    };
    line("seat 0 wins", format!("{:.12}", exact.p0_win));
    if exact.draw > 0.0 {
        line("nobody wins", format!("{:.12}", exact.draw));
    }
    for known in &exact.win_reasons {
        line(&known.reason, format!("{:.12} seat 0, {:.12} seat 1", known.seat0, known.seat1));
    }
    line("break and run", format!("{:.12}", exact.break_and_run));
    line("mean shots", format!("{:.10}", exact.mean_shots));
    line("mean innings", format!("{:.10}", exact.mean_innings));
    for count in &exact.actions {
        line(&count.action, format!("{:.10} a frame", count.mean));
    }
    line("states", exact.states.to_string());
    line("residual", format!("{:.1e}", exact.residual));
    line("agents", frame.agents.each_ref().map(ToString::to_string).join(", "));
    text
}

/// One row a state.
fn states(frame: &Frame, exact: &Exact) -> anyhow::Result<Vec<u8>> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let mut heads: Vec<String> = frame.game.columns();
    heads.extend(["seat", "action", "p0_win"].map(str::to_owned));
    csv.write_record(&heads)?;
    for view in frame.game.views() {
        let mut row: Vec<String> = view.row();
        row.push(view.seat().to_string());
        let action = frame.policies[view.seat()].pure_action(&view);
        row.push(action.map_or("mixed", |action| view.action_name(action)).to_owned());
        row.push(exact.values[view.state().index()].to_string());
        csv.write_record(&row)?;
    }
    csv.into_inner().map_err(|error| anyhow::anyhow!("{error}"))
}
