//! `cuebench calibrate`: the outcome model from logs of shots.

use super::{Exit, self_test_options};
use crate::calibration::analysis::results;
use crate::calibration::break_skills::{BreakSkills, alike};
use crate::calibration::definition::Calibrated;
use crate::calibration::estimate::Status;
use crate::calibration::files::{
    Origin, REPORT, estimate_rows, fit_table, summary, table, test_table, write_report,
};
use crate::calibration::json::{Data, document};
use crate::calibration::lies::{Leaves, Lies};
use crate::calibration::log_options::LogOptions;
use crate::calibration::model::Fixed;
use crate::calibration::players;
use crate::calibration::results::{By, Method, Request, Results, THIN};
use crate::output::write::{keep_apart, write_whole};
use crate::output::{print_json, shown};
use crate::shot_log::schema::Call;
use crate::shot_log::shots::Position;
use crate::shot_log::template;
use crate::stats::calibration::structure::Standing;
use anyhow::{Context as _, anyhow, bail, ensure};
use cuebench_agents::spec::nearest;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `cuebench calibrate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit code 1: some parameters are separated or unidentified, their intervals are open, or the fit did \
not come to its end; the rest is a valid fit, and all files are written. Levels without rows are named \
and keep the definition's numbers. Ctrl-C on --self-test shows what the finished logs say; exit code 130.

Columns of a log of shots: frame, shot, player, opponent, leave (or theta_deg, l_ob_mm, l_cb_mm), \
call (shot, safety), result (the outcomes of the definition), and an optional count. Columns of a log \
of breaks: frame, breaker, outcome, and an optional count. --template writes examples.")]
pub struct Args {
    #[command(flatten)]
    logs: LogOptions,
    /// Hold parameters at values: D.LEAVE, b0..b3, c (or G of the definition, which is c / POS_REQ),
    /// A0, skill.PLAYER, P_SCRATCH or SAFE_FOUL. Without any that fixes the location, the first
    /// leave with pots and misses is held at its value in the definition. A name with a comma is
    /// written in double quotes with its value.
    #[arg(long, value_name = "NAME=VALUE")]
    fix: Vec<String>,
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

/// Parameters that are held, as written: several to a text with commas between.
fn fixed(texts: &[String], definition: &Calibrated) -> anyhow::Result<Vec<Fixed>> {
    let mut all = Vec::new();
    for text in texts {
        for cell in players::cells("--fix", text)? {
            let (name, value) = cell
                .rsplit_once('=')
                .ok_or_else(|| anyhow!("--fix {cell}: write it as NAME=VALUE, as in D.easy=0"))?;
            let number: f64 =
                value
                    .trim()
                    .parse()
                    .ok()
                    .filter(|number: &f64| number.is_finite())
                    .ok_or_else(|| anyhow!("--fix {cell}: `{value}` is not a finite number"))?;
            all.push(match name.trim() {
                // The price of position is fitted as a whole.
                "G" => Fixed {
                    name: "c".to_owned(),
                    value: number * definition.family.number("POS_REQ"),
                },
                name => Fixed { name: name.to_owned(), value: number },
            });
        }
    }
    Ok(all)
}

/// Names of the templates.
const TEMPLATES: [&str; 3] = ["shots.csv", "shots_geometry.csv", "breaks.csv"];

/// Runs the command.
///
/// # Errors
/// When an input is unusable or a file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let inputs = args.logs.shots.iter().chain(&args.logs.breaks).chain(&args.logs.definition);
    let report = args.report.iter().flat_map(|folder| REPORT.map(|name| folder.join(name)));
    let templates = args.template.iter().flat_map(|folder| TEMPLATES.map(|name| folder.join(name)));
    let outputs: Vec<PathBuf> = args.out.iter().cloned().chain(report).chain(templates).collect();
    keep_apart(outputs.iter().map(PathBuf::as_path), inputs.map(PathBuf::as_path))?;
    let mut definition = args.logs.definition()?;
    if let Some(folder) = &args.template {
        return write_templates(&definition, folder);
    }
    if let Some(count) = args.self_test {
        let (seed, random) = (args.logs.seed, args.random_skills);
        return self_test_options::run(&definition, &args.design, count, seed, random, args.json);
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
    let mut lies = Lies::default();
    let logs = args.logs.read_and_tell(&definition.family, args.hold_out, &mut |seen| {
        if seen.geometry.is_some() || seen.call == Call::Safety {
            lies.add(seen);
        }
    })?;
    let players = logs.shots.counts.players.len();
    let request = Request {
        method: match (args.firth, args.random_skills) {
            (true, _) => Method::Firth,
            (_, true) => Method::RandomSkills,
            _ => Method::Likelihood,
        },
        fixed: fixed(&args.fix, &definition)?,
        skill_profiles: match args.skill_profiles {
            When::Auto => players <= AUTO_PROFILES,
            When::Always => true,
            When::Never => false,
        },
    };
    let unseen = if args.hold_out > 0.0 { &logs.shots.held_out } else { &Default::default() };
    let fit = |definition: &Calibrated| {
        results(
            &logs.shots.counts,
            unseen,
            logs.breaks.as_ref().map(|breaks| &breaks.counts[..]),
            logs.shots.position,
            &definition.family,
            &request,
        )
    };
    let mut results = fit(&definition)?;
    let mut geometry = None;
    if logs.shots.position == Position::Geometry {
        let leaves = Leaves::new(&mut definition, lies)?;
        // A location that the tool chooses puts b0 on the scale of the definition's leaves.
        if results.model.anchor_chosen && leaves.anchor(&mut definition, &results) {
            results = fit(&definition)?;
        }
        geometry = Some(leaves);
    }
    let by_player = logs.breaks.as_ref().map(|breaks| &breaks.by_player);
    if let Some(by_player) = by_player {
        results.breaks = BreakSkills::fit(by_player, &definition.family).context("--breaks")?;
        match &results.breaks {
            Some(breaks) => results.tests.extend(breaks.tests()),
            None => results.tests.extend(alike(by_player)),
        }
    }
    let mut notes = notes(&results);
    notes.extend(results.breaks.iter().flat_map(BreakSkills::notes));
    if !logs.shots.keyed {
        notes.push(
            "Some log has no columns `frame` and `shot`: duplicates were not looked for."
                .to_owned(),
        );
    }
    if logs.dropped.total() > 0 {
        notes.push(dropped_words(&logs.dropped));
    }
    notes.extend(logs.shots.doubts.iter().cloned());
    if let Some(path) = &args.out {
        let spots = geometry.map(|leaves| leaves.spots(&definition, &results, &mut notes));
        let more = (spots.unwrap_or_default(), args.design.players.as_deref());
        write_definition(&results, &definition, more, path, &mut notes)?;
    }
    if let Some(folder) = &args.report {
        write_report(&results, &notes, &Origin::now(&args.logs), folder)?;
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
    Ok(if results.fitted.status == Status::Converged { Exit::Done } else { Exit::CheckFailed })
}

fn write_templates(definition: &Calibrated, folder: &Path) -> anyhow::Result<Exit> {
    let schema = &definition.family.schema;
    let texts = [template::shots(schema), template::geometry(schema), template::breaks(schema)];
    for (name, text) in TEMPLATES.into_iter().zip(texts) {
        write_whole(&folder.join(name), text)?;
    }
    Ok(Exit::Done)
}

fn write_definition(
    results: &Results,
    definition: &Calibrated,
    (mut more, named): (Vec<(String, f64)>, Option<&str>),
    path: &Path,
    notes: &mut Vec<String>,
) -> anyhow::Result<()> {
    let (skills, note) = seats(results, definition, named)?;
    for (seat, skill) in skills.into_iter().flatten().enumerate() {
        more.push((format!("skill[{seat}]"), skill));
    }
    let (text, kept) = definition.rewritten(results, &more)?;
    notes.push(format!("{}: {note} G is c / POS_REQ.", path.display()));
    if !kept.is_empty() {
        notes.push(format!(
            "{}: {} kept the definition's numbers; they have no estimate.",
            path.display(),
            kept.join(", ")
        ));
    }
    write_whole(path, text)
}

/// The skills that the written definition gives its seats, none where they stay what they are; and
/// what was done, in words.
fn seats(
    results: &Results,
    definition: &Calibrated,
    named: Option<&str>,
) -> anyhow::Result<(Option<[f64; 2]>, String)> {
    let known = &results.model.players;
    let names = match named {
        Some(text) => players::cells("--players", text)?,
        None if known.len() == 2 => known.clone(),
        None => Vec::new(),
    };
    let stay = |why: &str| {
        let skill = |seat| definition.definition.parameter(&format!("skill[{seat}]"));
        let [first, second] = [0, 1].map(|s| skill(s).map_or_else(String::new, |v| v.to_string()));
        let both = if first == second { first } else { format!("{first} and {second}") };
        (None, format!("skills stay {both}: {why}."))
    };
    let [first, second] = &names[..] else {
        ensure!(named.is_none(), "--players: name two players of the log, as in ann,bob");
        let why = format!("the log has {} players; name two with --players", known.len());
        return Ok(stay(&why));
    };
    let mut skills = [0.0; 2];
    for (skill, name) in skills.iter_mut().zip([first, second]) {
        let Some(at) = known.iter().position(|player| player == name) else {
            let near = nearest(name, known)
                .map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
            bail!("--players: `{name}` is not in the log{near}");
        };
        match results.fitted.estimates[at].estimate {
            Some(value) => *skill = value,
            None if named.is_none() => {
                let why = format!("the skill of {name} has no finite estimate; see --firth");
                return Ok(stay(&why));
            }
            None => bail!("--players: the skill of `{name}` has no finite estimate; see --firth"),
        }
    }
    let words = format!("skill[0] is that of {first}, skill[1] that of {second}.");
    Ok((Some(skills), words))
}

/// What the user should know beside the numbers.
fn notes(results: &Results) -> Vec<String> {
    let mut notes = Vec::new();
    if results.method != Method::Likelihood {
        notes.push(format!("Estimates by {}.", results.method.words()));
    }
    if let By::RandomSkills { distribution, .. } = &results.fitted.by
        && distribution[1].standing == Standing::Boundary
    {
        notes.push(
            "The spread of skills is 0, a boundary: the likelihood is greatest where all skills are \
             one. Standard errors are those of one pooled skill; intervals of skills, of their mean \
             and of the spread account for spreads that the data do not rule out."
                .to_owned(),
        );
    }
    let thin: Vec<&str> = results
        .fitted
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
        let _ = writeln!(err, "note: {}", shown(line));
    }
}
