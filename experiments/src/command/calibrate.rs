//! `cuebench calibrate`: the outcome model from logs of shots.

use super::{Exit, self_test_options};
use crate::calibration::analysis::results;
use crate::calibration::definition::Calibrated;
use crate::calibration::estimate::Status;
use crate::calibration::files::{
    estimate_rows, fit_table, summary, table, test_table, write_report,
};
use crate::calibration::json::{Data, document};
use crate::calibration::log_options::LogOptions;
use crate::calibration::model::Fixed;
use crate::calibration::results::{Method, Request, Results, THIN};
use crate::output::print_json;
use crate::output::write::write_whole;
use crate::shot_log::shots::Position;
use crate::shot_log::template;
use crate::stats::calibration::structure::Standing;
use anyhow::{Context as _, ensure};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `cuebench calibrate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit code 1: some parameters are separated, unidentified or without rows; their intervals are open, \
the rest is a valid fit, and all files are written.

Columns of a log of shots: frame, shot, player, opponent, leave (or theta_deg, l_ob_mm, l_cb_mm), \
call (shot, safety), result (the outcomes of the definition), and an optional count. Columns of a log \
of breaks: frame, breaker, outcome, and an optional count. --template writes examples.")]
pub struct Args {
    #[command(flatten)]
    logs: LogOptions,
    /// Hold parameters at values: D.LEAVE, b0..b3, c, A0, skill.PLAYER, P_SCRATCH or
    /// SAFE_FOUL. Without any that fixes the location, the first leave with pots and misses is held
    /// at its value in the definition.
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',', value_parser = fixed)]
    fix: Vec<Fixed>,
    /// Firth's penalty: finite estimates for separated data, less bias for thin data.
    #[arg(long, conflicts_with = "random_skills")]
    firth: bool,
    /// Skills as draws from a normal distribution that is estimated too (marginal likelihood).
    #[arg(long)]
    random_skills: bool,
    /// Profile intervals of skills: `auto` up to 100 players.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    skill_profiles: When,
    /// Hold out this share of the frames and measure the fit on them.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    hold_out: f64,
    /// Write the definition with the new numbers here.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write tables, plots and report.html into this folder.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Write templates of logs into this folder and stop.
    #[arg(long, value_name = "DIR")]
    template: Option<PathBuf>,
    /// Simulate this many logs from the definition, calibrate each, and show recovery, coverage and
    /// ranks: what data of the design in --players, --shots-per-player and --policy can tell.
    #[arg(long, value_name = "N", conflicts_with_all = ["shots", "template"])]
    self_test: Option<u64>,
    #[command(flatten)]
    design: self_test_options::DesignOptions,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Whether to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum When {
    /// If it is cheap.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The most players whose skills get profiles unasked.
const AUTO_PROFILES: usize = 100;

fn fixed(text: &str) -> Result<Fixed, String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE, as in D.easy=0")?;
    let value: f64 = value.trim().parse().map_err(|_| format!("`{value}` is not a number"))?;
    if !value.is_finite() {
        return Err(format!("`{value}` is not a finite number"));
    }
    Ok(Fixed { name: name.trim().to_owned(), value })
}

/// Runs the command.
///
/// # Errors
/// When an input is unusable or a file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let definition = args.logs.definition()?;
    if let Some(folder) = &args.template {
        return write_templates(&definition, folder);
    }
    if let Some(count) = args.self_test {
        return self_test_options::run(&definition, &args.design, count, args.logs.seed, args.json);
    }
    ensure!(
        (0.0..1.0).contains(&args.hold_out),
        "--hold-out {}: the share of frames to hold out lies in 0..1",
        args.hold_out
    );
    ensure!(
        !args.logs.shots.is_empty(),
        "there is no log: give one with --shots FILE (--template DIR writes an example)"
    );
    let logs = args.logs.read(&definition.family, args.hold_out)?;
    let players = logs.shots.counts.players.len();
    let request = Request {
        method: match (args.firth, args.random_skills) {
            (true, _) => Method::Firth,
            (_, true) => Method::RandomSkills,
            _ => Method::Likelihood,
        },
        fixed: args.fix.clone(),
        skill_profiles: match args.skill_profiles {
            When::Auto => players <= AUTO_PROFILES,
            When::Always => true,
            When::Never => false,
        },
    };
    let unseen = if args.hold_out > 0.0 { &logs.shots.held_out } else { &Default::default() };
    let results = results(
        &logs.shots.counts,
        unseen,
        logs.breaks.as_ref().map(|breaks| &breaks.counts[..]),
        logs.shots.position,
        &definition.family,
        &request,
    )?;
    let mut notes = notes(&results);
    if !logs.shots.keyed {
        notes.push(
            "Some log has no columns `frame` and `shot`: duplicates were not looked for."
                .to_owned(),
        );
    }
    if logs.dropped.total() > 0 {
        notes.push(dropped_words(&logs.dropped));
    }
    if let Some(path) = &args.out {
        write_definition(&results, &definition, logs.shots.position, path, &mut notes)?;
    }
    if let Some(folder) = &args.report {
        write_report(&results, &notes, folder)?;
    }
    let data = Data {
        shot_rows: logs.shots.rows,
        break_rows: logs.breaks.as_ref().map(|breaks| breaks.rows),
        dropped: &logs.dropped,
        keyed: logs.shots.keyed,
    };
    if args.json {
        print_json(&document(&results, &data, &notes)).context("standard output")?;
    } else {
        print_text(&results).context("standard output")?;
    }
    say(&results, &notes);
    Ok(if results.status == Status::Converged { Exit::Done } else { Exit::CheckFailed })
}

fn write_templates(definition: &Calibrated, folder: &Path) -> anyhow::Result<Exit> {
    let schema = &definition.family.schema;
    for (name, text) in [
        ("shots.csv", template::shots(schema)),
        ("shots_geometry.csv", template::geometry(schema)),
        ("breaks.csv", template::breaks(schema)),
    ] {
        write_whole(&folder.join(name), text)?;
    }
    Ok(Exit::Done)
}

fn write_definition(
    results: &Results,
    definition: &Calibrated,
    position: Position,
    path: &Path,
    notes: &mut Vec<String>,
) -> anyhow::Result<()> {
    ensure!(
        position == Position::Leave,
        "--out: a fit of geometry has no difficulty per leave to write into a definition; give a \
         log with the column `leave`, or read the numbers from --report"
    );
    let (text, kept) = definition.rewritten(results)?;
    if !kept.is_empty() {
        notes.push(format!(
            "{}: {} kept the definition's numbers; they have no estimate.",
            path.display(),
            kept.join(", ")
        ));
    }
    write_whole(path, text)
}

/// What the user should know beside the numbers.
fn notes(results: &Results) -> Vec<String> {
    let mut notes = Vec::new();
    if results.method != Method::Likelihood {
        notes.push(format!("Estimates by {}.", results.method.words()));
    }
    let thin: Vec<&str> = results
        .estimates
        .iter()
        .filter(|line| line.standing == Standing::Estimable && line.n < THIN)
        .map(|line| line.name.as_str())
        .collect();
    if !thin.is_empty() {
        let mut text = format!("Fewer than {THIN} rows stand behind {}", list(&thin));
        if results.method == Method::Likelihood {
            text.push_str(
                "; such estimates are biased away from 0, see --random-skills and --firth",
            );
        }
        notes.push(text + ".");
    }
    let flagged = results.residuals.iter().filter(|r| r.z.abs() > 3.0).count();
    if flagged > 0 {
        notes.push(format!("{flagged} cells lie more than 3 standard errors from the fit."));
    }
    notes
}

fn list(names: &[&str]) -> String {
    match names.len() {
        0..=8 => names.join(", "),
        n => format!("{} and {} more", names[..6].join(", "), n - 6),
    }
}

fn dropped_words(dropped: &crate::shot_log::fault::Dropped) -> String {
    let mut text = format!("{} bad rows were dropped:", dropped.total());
    for (reason, rows, first) in dropped.iter() {
        let _ = write!(text, " {rows} {} (first: {first});", reason.word());
    }
    text.pop();
    text + "."
}

fn print_text(results: &Results) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", summary(results))?;
    writeln!(out, "\n{}", table(&estimate_rows(results)))?;
    writeln!(out, "{}", fit_table(results))?;
    writeln!(out, "{}", test_table(results))?;
    out.flush()
}

/// Notes and problems on standard error.
fn say(results: &Results, notes: &[String]) {
    let mut err = std::io::stderr().lock();
    let problems = results.problems.iter().map(|problem| &problem.text);
    for line in notes.iter().chain(problems) {
        // Standard error may be closed; the notes stand in the JSON and the report too.
        let _ = writeln!(err, "note: {line}");
    }
}
