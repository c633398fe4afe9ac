//! A calibration as files: tables, plots and a page.

use super::log_options::LogOptions;
use super::results::{By, Line, Results};
use crate::output::html::Page;
use crate::output::manifest::command_line;
use crate::output::plot::{Axis, Interval, Plot};
use crate::output::rows::calibration::{CellRow, EstimateRow, ReliabilityRow};
use crate::output::rows::text_of;
use crate::output::shown;
use crate::output::svg::{Anchor, Label, Style, Svg, View};
use crate::output::table::Table;
use crate::output::write::write_whole;
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The most parameters whose covariance is written with all skills.
const MAX_COVARIANCE: usize = 2_000;
/// Most numbers at the axis of the intervals.
const MAX_TICKS: f64 = 12.0;
/// Ends farther out than this are drawn as open.
const WIDEST: f64 = 50.0;
/// The most intervals in a plot.
const MAX_INTERVALS: usize = 80;

/// The rows of the table of estimates.
#[must_use]
pub fn estimate_rows(results: &Results) -> Vec<EstimateRow> {
    let row = |line: Line| EstimateRow {
        name: line.name,
        estimate: line.estimate,
        se: line.se,
        wald95_low: line.wald95[0],
        wald95_high: line.wald95[1],
        profile95_low: line.profile95[0],
        profile95_high: line.profile95[1],
        n: line.n,
        standing: line.standing.to_owned(),
        interval95_low: line.interval95[0],
        interval95_high: line.interval95[1],
        interval: line.interval.to_owned(),
    };
    results.lines().into_iter().map(row).collect()
}

fn cell_rows(results: &Results) -> Vec<CellRow> {
    let model = &results.model;
    let kept = &results.calibration.structure.kept;
    let remedied = !matches!(results.fitted.by, By::Likelihood { .. });
    results
        .residuals
        .iter()
        .zip(kept)
        .map(|(residual, kept)| {
            let meaning = &model.meanings[residual.cell.pattern as usize];
            let geometry = meaning.geometry.map(crate::shot_log::shots::Geometry::values);
            let leave = meaning.leave.and_then(|leave| model.terms[leave].strip_prefix("D."));
            CellRow {
                player: model.players[residual.cell.block as usize].clone(),
                stage: meaning.stage.word().to_owned(),
                leave: leave.map(str::to_owned),
                theta_deg: geometry.map(|g| g[0]),
                l_ob_mm: geometry.map(|g| g[1]),
                l_cb_mm: geometry.map(|g| g[2]),
                trials: residual.cell.trials,
                successes: residual.cell.successes,
                probability: residual.probability,
                z: residual.z,
                flagged: u8::from(residual.z.abs() > 3.0),
                set_aside: u8::from(!remedied && !kept),
            }
        })
        .collect()
}

fn reliability_rows(results: &Results) -> Vec<ReliabilityRow> {
    (0..)
        .zip(&results.bins)
        .map(|(bin, group)| {
            let observed = group.successes as f64 / group.rows as f64;
            let difference = observed - group.predicted;
            ReliabilityRow {
                bin,
                rows: group.rows,
                predicted: group.predicted,
                observed,
                se: group.se,
                z: if group.se > 0.0 { difference / group.se } else { 0.0 },
            }
        })
        .collect()
}

fn covariance(results: &Results) -> anyhow::Result<Vec<u8>> {
    let (names, matrix) = results.covariance(MAX_COVARIANCE);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(std::iter::once("name").chain(names.iter().map(String::as_str)))?;
    for (name, row) in names.iter().zip(&matrix) {
        let cells = row.iter().map(|value| format!("{value:?}"));
        writer.write_record(std::iter::once(name.clone()).chain(cells))?;
    }
    writer.into_inner().context("rows cannot be gathered")
}

/// Names of the files of a report.
pub const REPORT: [&str; 9] = [
    "estimates.csv",
    "cells.csv",
    "reliability.csv",
    "covariance.csv",
    "intervals.svg",
    "shares.svg",
    "reliability.svg",
    "residuals.svg",
    "report.html",
];

/// Where a report comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The logs and the definition.
    pub files: Vec<String>,
    /// The command as typed.
    pub command: String,
    /// The day, as in `2026-11-30`.
    pub date: String,
}

impl Origin {
    /// This command on this day.
    #[must_use]
    pub fn now(logs: &LogOptions) -> Self {
        let named = |word: &'static str, paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| format!("{word} {}", path.display())).collect()
        };
        let mut files = named("shots", &logs.shots);
        files.extend(named("breaks", &logs.breaks));
        match &logs.definition {
            Some(path) => files.push(format!("definition {}", path.display())),
            None => files.push("the shipped definition".to_owned()),
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let command = command_line().join(" ");
        Self { files, command, date: day((since.as_secs() / 86_400) as i64) }
    }
}

/// Day number `days` after 1970-01-01 (Hinnant, *chrono-compatible low-level date algorithms*).
fn day(days: i64) -> String {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{of_month:02}")
}

/// What the names of the report mean.
const GLOSSARY: [(&str, &str); 11] = [
    ("skill.PLAYER", "how well a player shoots and plays safe; logit P = skill less difficulty"),
    ("skills.mean, skills.spread", "mean and standard deviation of the distribution of skills"),
    ("D.LEAVE", "difficulty of a pot from a leave, on the scale of skill"),
    ("b0 .. b3", "difficulty from geometry: b0 + b1 theta + b2 l_ob + b3 l_cb (degrees, mm)"),
    ("c", "what position costs beside the pot; G * POS_REQ of the definition"),
    ("A0", "difficulty of a good safety"),
    (
        "P_SCRATCH, SAFE_FOUL, BREAK",
        "shares of scratches, of fouls on safeties, of a break's outcomes",
    ),
    (
        "profile",
        "interval by the likelihood ratio, all else refitted; penalised or marginal likewise",
    ),
    ("Wilson", "score interval of a share; good where one outcome is rare"),
    ("separated", "the likelihood rises for ever; the interval is open on one side"),
    ("z", "observed less fitted successes in standard errors"),
];

fn glossary() -> Table {
    let mut table = Table::new(["word", "meaning"]);
    for (word, meaning) in GLOSSARY {
        table.row([word, meaning]);
    }
    table
}

/// Writes the report: tables, plots and `report.html`.
///
/// # Errors
/// When a file cannot be written.
pub fn write_report(
    results: &Results,
    notes: &[String],
    origin: &Origin,
    folder: &Path,
) -> anyhow::Result<()> {
    let estimates = estimate_rows(results);
    write_whole(&folder.join("estimates.csv"), text_of(&estimates)?)?;
    write_whole(&folder.join("cells.csv"), text_of(&cell_rows(results))?)?;
    write_whole(&folder.join("reliability.csv"), text_of(&reliability_rows(results))?)?;
    write_whole(&folder.join("covariance.csv"), covariance(results)?)?;
    let (shares, others): (Vec<EstimateRow>, Vec<EstimateRow>) =
        estimates.iter().cloned().partition(is_share);
    let plots = [
        (
            "intervals.svg",
            interval_plot(&others, None),
            "Skills and difficulties, logits: 95 % intervals; an arrow where one is open",
        ),
        (
            "shares.svg",
            interval_plot(&shares, Some([0.0, 1.0])),
            "Shares: Wilson intervals at 95 %",
        ),
        ("reliability.svg", reliability_plot(results), "Shares of successes by fitted probability"),
        ("residuals.svg", residual_plot(results), "Residuals by cell; dashed lines at 3"),
    ];
    for (name, svg, _) in &plots {
        write_whole(&folder.join(name), svg)?;
    }
    let mut page = Page::new("Calibration of the outcome model");
    page.paragraph(&summary(results));
    page.paragraph(&format!("From {}.", origin.files.join(", ")));
    let version = env!("CARGO_PKG_VERSION");
    page.paragraph(&format!("{}; cuebench {version}, {}.", origin.command, origin.date));
    for note in notes {
        page.paragraph(note);
    }
    for problem in &results.problems {
        page.paragraph(&problem.text);
    }
    page.heading("Estimates");
    page.table(&table(&estimates));
    let [intervals, shares, reliability, residuals] = &plots;
    page.image(&intervals.1, intervals.2);
    page.image(&shares.1, shares.2);
    page.heading("Fit");
    page.table(&fit_table(results));
    page.table(&test_table(results));
    page.image(&reliability.1, reliability.2);
    page.image(&residuals.1, residuals.2);
    page.heading("Glossary");
    page.table(&glossary());
    write_whole(&folder.join("report.html"), page.finish())
}

/// One sentence on how the fit ended.
#[must_use]
pub fn summary(results: &Results) -> String {
    format!(
        "{}; {} parameters from {} rows in {} cells by {}; anchor {}{}.",
        results.fitted.status.word(),
        results.fitted.parameters,
        results.fitted.measures.rows,
        results.fitted.measures.cells,
        results.method.words(),
        results.model.anchor,
        if results.model.anchor_chosen { " (chosen; set another with --fix)" } else { "" },
    )
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(String::new, |value| format!("{value:.digits$}"))
}

fn ends(low: Option<f64>, high: Option<f64>) -> String {
    let end = |value: Option<f64>, open: &str| {
        value.map_or_else(|| open.to_owned(), |value| format!("{value:.4}"))
    };
    if low.is_none() && high.is_none() {
        return String::new();
    }
    format!("{} .. {}", end(low, "-inf"), end(high, "inf"))
}

/// The estimates for people.
#[must_use]
pub fn table(estimates: &[EstimateRow]) -> Table {
    let mut table = Table::new(["name", "estimate", "se", "Wald 95 %", "95 %", "by", "n", ""]);
    for line in estimates {
        let note = if line.standing == "estimated" { "" } else { &line.standing };
        table.row([
            line.name.clone(),
            number(line.estimate, 4),
            number(line.se, 4),
            ends(line.wald95_low, line.wald95_high),
            ends(line.interval95_low, line.interval95_high),
            line.interval.clone(),
            line.n.to_string(),
            note.to_owned(),
        ]);
    }
    table
}

/// Measures of the fit for people.
#[must_use]
pub fn fit_table(results: &Results) -> Table {
    let m = &results.fitted.measures;
    let k = results.fitted.parameters as f64;
    let cells = m.log_likelihood + m.log_coefficients;
    let mut table = Table::new(["measure", "value"]);
    for (name, value) in [
        ("log-likelihood (rows)", format!("{:.6}", m.log_likelihood)),
        ("AIC (rows)", format!("{:.3}", 2.0 * k - 2.0 * m.log_likelihood)),
        ("log-likelihood (cells)", format!("{cells:.6}")),
        ("AIC (cells)", format!("{:.3}", 2.0 * k - 2.0 * cells)),
        ("deviance", format!("{:.4}", m.deviance)),
        ("Pearson", format!("{:.4}", m.pearson)),
        ("degrees of freedom", (m.cells as i64 - results.fitted.parameters as i64).to_string()),
        ("Brier score", format!("{:.6}", m.brier)),
        ("log loss", format!("{:.6}", m.log_loss)),
        ("log loss of the base rate", format!("{:.6}", m.base_log_loss)),
    ] {
        table.row([name.to_owned(), value]);
    }
    if let Some(held) = &results.held_out {
        table.row(["rows held out".to_owned(), held.measures.rows.to_string()]);
        table.row(["Brier score, held out".to_owned(), format!("{:.6}", held.measures.brier)]);
        table.row(["log loss, held out".to_owned(), format!("{:.6}", held.measures.log_loss)]);
    }
    table
}

/// Tests of the model's assumptions for people.
#[must_use]
pub fn test_table(results: &Results) -> Table {
    let mut table = Table::new(["assumption", "slope", "LR", "df", "p"]);
    for test in &results.tests {
        table.row([
            test.name.clone(),
            number(test.slope, 4),
            number(test.ratio.map(|r| r.statistic), 3),
            test.ratio.map_or_else(String::new, |r| r.df.to_string()),
            number(test.ratio.map(|r| r.p_value), 4),
        ]);
    }
    table
}

/// Whether a line is a share of counts.
fn is_share(line: &EstimateRow) -> bool {
    matches!(line.name.as_str(), "P_SCRATCH" | "SAFE_FOUL") || line.name.starts_with("BREAK.")
}

/// Horizontal intervals with their names, an arrow where an end is open; over `range`, or over all
/// that is drawn.
fn interval_plot(estimates: &[EstimateRow], range: Option<[f64; 2]>) -> String {
    let some = |line: &&EstimateRow| line.interval95_low.or(line.interval95_high).is_some();
    let drawn: Vec<&EstimateRow> = estimates.iter().filter(some).collect();
    // Shared terms first where there are too many skills to draw.
    let drawn = &drawn[drawn.len().saturating_sub(MAX_INTERVALS)..];
    let numbers = || {
        let ends = drawn.iter().flat_map(|l| [l.interval95_low, l.estimate, l.interval95_high]);
        ends.flatten().filter(|number| number.abs() < WIDEST)
    };
    let least = range.map_or_else(|| numbers().fold(0.0, f64::min) - 1.0, |range| range[0]);
    let high = range.map_or_else(|| numbers().fold(1.0, f64::max) + 1.0, |range| range[1]);
    // A little room between names and intervals.
    let low = least - 0.02 * (high - least);
    let count = drawn.len().max(1) as f64;
    let view = View::stretched([low, high], [-1.0, count], 640.0, 18.0 * (count + 1.0))
        .with_margins([160.0, 10.0, 20.0, 10.0]);
    let mut svg = Svg::new(view);
    let whole = ((high - low) / MAX_TICKS).ceil().max(1.0);
    let step = if range.is_some() { 0.2 } else { whole };
    for number in (least / step).ceil() as i64..=(high / step + 1e-9).floor() as i64 {
        let tick = number as f64 * step;
        svg.line([tick, -0.4], [tick, count - 0.4], &Style::line("#ddd", 1.0));
        let label = (10.0 * tick).round() / 10.0;
        svg.text([tick, -1.0], &format!("{label}"), &Label::centred(11.0, "black"));
    }
    let names = Label::centred(12.0, "black").anchored(Anchor::End);
    let arrow = Label::centred(12.0, "#1f5fa8");
    for (i, line) in drawn.iter().enumerate() {
        let y = count - 1.0 - i as f64;
        svg.text([low, y], &format!("{} ", shown(&line.name)), &names);
        let [from, to] = [(line.interval95_low, least), (line.interval95_high, high)]
            .map(|(end, border)| end.unwrap_or(border).clamp(least, high));
        svg.line([from, y], [to, y], &Style::line("#1f5fa8", 1.6));
        if line.interval95_low.is_none_or(|end| end < least) {
            svg.text([least, y], "\u{25c0}", &arrow);
        }
        if line.interval95_high.is_none_or(|end| end > high) {
            svg.text([high, y], "\u{25b6}", &arrow);
        }
        if let Some(value) = line.estimate.filter(|value| (least..=high).contains(value)) {
            svg.dot([value, y], 3.0, &Style::filled("#1f5fa8"));
        }
    }
    svg.finish()
}

fn reliability_plot(results: &Results) -> String {
    let unit = [0.0, 1.0];
    let mut plot = Plot::new(
        "Reliability",
        Axis::new("fitted probability", unit),
        Axis::new("share of successes", unit),
    );
    let band: Vec<[f64; 3]> = results
        .bins
        .iter()
        .map(|b| {
            let half = 1.96 * b.se;
            [b.predicted, (b.predicted - half).max(0.0), (b.predicted + half).min(1.0)]
        })
        .collect();
    plot.band("95 % if the fit holds", "#8ab0d8", &band);
    plot.dashed("", "black", &[[0.0, 0.0], [1.0, 1.0]]);
    let steps: Vec<[f64; 2]> = results.isotonic.iter().map(|&(_, p, y)| [p, y]).collect();
    plot.line("isotonic", "#c06020", &steps);
    let points: Vec<Interval> = results
        .bins
        .iter()
        .map(|b| {
            let (k, n) = (b.successes as f64, b.rows as f64);
            let [low, high] = crate::stats::interval::wilson95(k, n);
            Interval { x: b.predicted, y: k / n, low, high }
        })
        .collect();
    plot.intervals("groups", "#1f5fa8", &points);
    plot.finish()
}

fn residual_plot(results: &Results) -> String {
    let most = results.residuals.iter().fold(3.5_f64, |m, r| m.max(r.z.abs()));
    let mut plot = Plot::new(
        "Residuals",
        Axis::new("fitted probability", [0.0, 1.0]),
        Axis::new("z", [-1.05 * most, 1.05 * most]),
    );
    for level in [-3.0, 3.0] {
        plot.dashed("", "#c02020", &[[0.0, level], [1.0, level]]);
    }
    let (mut fine, mut flagged) = (Vec::new(), Vec::new());
    for r in &results.residuals {
        if r.z.abs() > 3.0 { &mut flagged } else { &mut fine }.push([r.probability, r.z]);
    }
    // Enough to see the shape; every residual stands in cells.csv.
    fine.truncate(5_000);
    plot.points("", "#1f5fa8", &fine);
    plot.points("|z| > 3", "#c02020", &flagged);
    plot.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, date) in [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29")] {
            assert_eq!(day(days), date);
        }
        assert_eq!(day(20_787), "2026-11-30");
    }
}
