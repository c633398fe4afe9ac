//! `cuebench estimate`: the hidden values of a table from shots that were seen on it.

use super::Exit;
use crate::output::plot::{Axis, PALETTE, Plot};
use crate::output::write::{keep_apart, write_whole};
use crate::output::{note, print_json, print_text};
use crate::shots::observed::{SeenShot, read_all};
use crate::stats::table_values::{TableEstimate, Value, estimate};
use anyhow::{Context as _, ensure};
use cuebench_agents::belief::{CLOTH_RANGE, RESTITUTION_RANGE};
use serde_json::{Map, json};
use std::io;
use std::path::PathBuf;

/// Greatest noise that is taken, µm: the width of the table.
const MOST_NOISE_UM: f64 = 1_270_000.0;
/// Most pairs that are drawn one by one.
const MOST_CELLS: usize = 20_000;

/// Reads shots from standard input, one JSON object a line with `pockets`, `balls`, `angle`,
/// `power` and `after` (the balls once at rest, in µm; null if fallen), all played on one table.
///
/// Without noise the answer is the set of cloth speeds (700..=1300 mm/s²) and restitutions
/// (600..=900 thousandths) that replay every shot to the micrometre: its size and extent. With
/// noise it is the posterior over that grid under a flat prior. Shots that do not fit the others
/// are named and left out. A line whose balls cannot lie as it says is refused: every ball of
/// `balls` needs its place (or null) in `after`, none may be off the table, and no two in one place
/// (with noise: none by more than 7 standard deviations).
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Standard deviation of the error of each coordinate in `after`, µm; 0 for exact positions.
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    noise_um: f64,
    /// Draw the pairs that are left to this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When a line is no shot, the noise is out of range, or input or output fails.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    ensure!(
        (0.0..=MOST_NOISE_UM).contains(&args.noise_um),
        "--noise-um {}: give 0 to {MOST_NOISE_UM}",
        args.noise_um
    );
    keep_apart(args.svg.as_deref(), [])?;
    let seen = read_all(io::stdin().lock(), args.noise_um).context("standard input")?;
    ensure!(!seen.is_empty(), "standard input has no shots; give one JSON object a line");
    let shots: Vec<_> = seen.iter().map(|seen| seen.shot).collect();
    let found = estimate(&shots, args.noise_um);
    if let Some(path) = &args.svg {
        write_whole(path, draw(&found))?;
    }
    let report = Report::new(&seen, &found, args.noise_um);
    for line in &report.warnings {
        note(&format!("cuebench: warning: {line}"));
    }
    if args.json {
        print_json(&report.json()).context("standard output")?;
    } else {
        print_text(&report.text()).context("standard output")?;
    }
    Ok(Exit::Done)
}

/// What is printed.
struct Report {
    shots: usize,
    noise_um: f64,
    consistent: usize,
    region: usize,
    cloth: Option<Value>,
    restitution: Option<Value>,
    /// Line numbers.
    inconsistent: Vec<u64>,
    warnings: Vec<String>,
}

impl Report {
    fn new(seen: &[SeenShot], found: &TableEstimate, noise_um: f64) -> Self {
        let (mut cloth, mut restitution) = (found.cloth(), found.restitution());
        let extremes = found.extremes();
        if noise_um == 0.0 {
            // Every pair that is left counts, not the central ones alone.
            for (value, ends) in
                [&mut cloth, &mut restitution].into_iter().zip(extremes.iter().flatten())
            {
                if let Some(value) = value {
                    [value.low, value.high] = *ends;
                }
            }
        }
        let inconsistent: Vec<u64> = found.inconsistent.iter().map(|&i| seen[i].line).collect();
        Self {
            shots: seen.len(),
            noise_um,
            consistent: found.posterior.len(),
            region: found.region().len(),
            cloth,
            restitution,
            warnings: warnings(found, &inconsistent, cloth, restitution),
            inconsistent,
        }
    }

    fn json(&self) -> serde_json::Value {
        let value = |value: Option<Value>| {
            value.map(|value| {
                let mut object = Map::new();
                object.insert("low".into(), json!(value.low));
                object.insert("high".into(), json!(value.high));
                object.insert("estimate".into(), json!(value.mean));
                object.insert("mean".into(), json!(value.mean));
                object.insert("sd".into(), json!(value.sd));
                object
            })
        };
        json!({
            "shots": self.shots,
            "noise_um": self.noise_um,
            "consistent": self.consistent,
            "region95": self.region,
            "cloth": value(self.cloth),
            "restitution": value(self.restitution),
            "inconsistent": self.inconsistent,
            "warnings": self.warnings,
        })
    }

    fn text(&self) -> String {
        let kept = self.shots - self.inconsistent.len();
        let line = |name: &str, unit: &str, value: Option<Value>| {
            value.map_or_else(
                || format!("{name:<12} none\n"),
                |v| {
                    let Value { low, high, mean, sd } = v;
                    format!("{name:<12} {mean:.1} {unit} (sd {sd:.2}, {low} to {high})\n")
                },
            )
        };
        let pairs = if self.noise_um > 0.0 {
            format!("{} pairs hold 95 % of the probability\n", self.region)
        } else {
            format!("{} pairs of values replay {kept} of {} shots\n", self.consistent, self.shots)
        };
        pairs
            + &line("cloth", "mm/s²", self.cloth)
            + &line("restitution", "thousandths", self.restitution)
    }
}

/// What the reader must know besides the numbers.
fn warnings(
    found: &TableEstimate,
    inconsistent: &[u64],
    cloth: Option<Value>,
    restitution: Option<Value>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if !inconsistent.is_empty() {
        let lines: Vec<String> = inconsistent.iter().map(u64::to_string).collect();
        warnings.push(format!(
            "no table that agrees with the other shots explains line {}; left out",
            lines.join(", ")
        ));
    }
    if found.posterior.is_empty() {
        warnings.push("no cloth speed and restitution explain any shot".to_owned());
        return warnings;
    }
    if !found.rail_touched {
        warnings.push("no shot touches a rail: restitution unknown".to_owned());
    }
    for (name, value, range, told) in [
        ("cloth speed", cloth, CLOTH_RANGE, true),
        ("restitution", restitution, RESTITUTION_RANGE, found.rail_touched),
    ] {
        let spread = f64::from(range[1] - range[0]);
        if told && value.is_some_and(|v| f64::from(v.high - v.low) > 0.9 * spread) {
            warnings.push(format!("the shots hardly tell the {name}"));
        }
    }
    warnings
}

/// The pairs that are left, darker where they are likelier.
fn draw(found: &TableEstimate) -> String {
    let ends = found.extremes().unwrap_or([CLOTH_RANGE, RESTITUTION_RANGE]);
    let [cloth, restitution] =
        ends.map(|[low, high]| [f64::from(low) - 2.0, f64::from(high) + 2.0]);
    let mut plot = Plot::new(
        "Values that explain the shots",
        Axis::new("cloth speed, mm/s²", cloth),
        Axis::new("restitution, thousandths", restitution),
    );
    let most = found.posterior.iter().map(|&(_, p)| p).fold(0.0, f64::max);
    for (pair, p) in found.region().into_iter().take(MOST_CELLS) {
        let (x, y) = (f64::from(pair.cloth), f64::from(pair.restitution));
        let opacity = (p / most).max(0.05);
        plot.cell(PALETTE[0], [x - 0.5, y - 0.5], [x + 0.5, y + 0.5], opacity);
    }
    plot.finish()
}
