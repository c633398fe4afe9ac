//! `cuebench solve`: exact values of two agents.

use super::Exit;
use super::frame_options::{Frame, FrameOptions};
use crate::output::write::{keep_apart, write_whole};
use crate::output::{print_json, print_text};
use anyhow::Context as _;
use cuebench_engine::frame::{Exact, FrameError, OpenQuestion};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Arguments of `cuebench solve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
mean_shots counts shots and safeties, not the break. break_and_run is the chance that the seat that \
breaks wins in its first inning. residual is the greatest difference between the two sides of an \
equation. Where `optimal` or `best_response` do best to wait for ever, that counts as a draw \
(`endless`), and `value` is what the frame is worth to seat 0; other agents that never end a frame are \
an error.")]
pub struct Args {
    #[command(flatten)]
    frame: FrameOptions,
    /// Also writes a CSV with one row a state: what makes it up, the seat that chooses, its
    /// action, and the chance that seat 0 wins from there.
    #[arg(long, value_name = "FILE.csv")]
    states: Option<PathBuf>,
    /// Also solves every reading of every open question of the definition, one question at a time.
    #[arg(long)]
    open: bool,
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
    keep_apart(args.states.as_deref(), args.frame.file())?;
    let frame = args.frame.prepare()?;
    let exact = solved(&frame)?;
    if let Some(path) = &args.states {
        write_whole(path, states(&frame, &exact)?)?;
    }
    let open = if args.open { Some(answers(&args.frame, &frame)?) } else { None };
    if args.json {
        let mut report = report(&frame, &exact);
        if let Some(answers) = &open {
            report["open_questions"] = answers.iter().map(Answers::json).collect();
        }
        print_json(&report).context("standard output")?;
    } else {
        let open = open.iter().flatten().map(Answers::words).collect::<String>();
        print_text(&(words(&frame, &exact) + &open)).context("standard output")?;
    }
    Ok(Exit::Done)
}

/// An open question, and what the frame comes to under each reading.
struct Answers {
    question: OpenQuestion,
    readings: Vec<(String, Exact)>,
}

fn answers(options: &FrameOptions, frame: &Frame) -> anyhow::Result<Vec<Answers>> {
    let questions = frame.game.definition().open_questions();
    let answer = |question: OpenQuestion| {
        let solved = |reading: String| {
            let context = || format!("the reading {} = {reading}", question.parameter);
            let frame =
                options.prepare_with(&question.parameter, &reading).with_context(context)?;
            let exact = solved(&frame).with_context(context)?;
            Ok((reading, exact))
        };
        let readings = question.readings.iter().map(ToString::to_string).map(solved);
        let readings = readings.collect::<anyhow::Result<_>>()?;
        Ok(Answers { question, readings })
    };
    questions.into_iter().map(answer).collect()
}

impl Answers {
    fn json(&self) -> Value {
        let OpenQuestion { id, question, parameter, value, .. } = &self.question;
        let reading = |(reading, exact): &(String, Exact)| {
            json!({
                "value": reading,
                "p0_win": exact.p0_win,
                "draw": exact.draw,
                "mean_shots": exact.mean_shots,
                "mean_innings": exact.mean_innings,
                "break_and_run": exact.break_and_run,
            })
        };
        json!({
            "id": id,
            "question": question,
            "parameter": parameter,
            "answer": value,
            "readings": self.readings.iter().map(reading).collect::<Vec<_>>(),
        })
    }

    fn words(&self) -> String {
        let OpenQuestion { id, question, parameter, .. } = &self.question;
        let mut text = format!("open question  {id}: {question}\n");
        if self.readings.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "  {parameter} has no list of readings; give the question a key `readings`, or use \
                 --set"
            );
        }
        for (reading, exact) in &self.readings {
            let _ = writeln!(
                text,
                "  {parameter}={reading}: seat 0 wins {:.4}, {:.4} shots",
                exact.p0_win, exact.mean_shots
            );
        }
        text
    }
}

/// Agents that weigh waiting for ever.
const WEIGHING: [&str; 2] = ["best_response", "optimal"];

fn solved(frame: &Frame) -> Result<Exact, FrameError> {
    let policies = [&frame.policies[0], &frame.policies[1]];
    if frame.agents.iter().any(|agent| WEIGHING.contains(&agent.name.as_str())) {
        frame.game.solve_endless(policies)
    } else {
        frame.game.solve(policies)
    }
}

fn report(frame: &Frame, exact: &Exact) -> Value {
    let mut report = Map::new();
    let mut put = |key: &str, value: Value| report.insert(key.to_owned(), value);
    put("p0_win", json!(exact.p0_win));
    put("draw", json!(exact.draw));
    put("endless", json!(exact.endless));
    put("value", json!(exact.value));
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
        line("value", format!("{:.12}", exact.value));
    }
    if exact.endless > 0.0 {
        line("never ends", format!("{:.12}", exact.endless));
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
