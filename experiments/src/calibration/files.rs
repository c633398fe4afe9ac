//! A calibration as files: tables, plots and a page.

use super::json::standing;
use super::results::Results;
use crate::output::html::Page;
use crate::output::plot::{Axis, Interval, Plot};
use crate::output::rows::Row;
use crate::output::rows::calibration::{CellRow, EstimateRow, ReliabilityRow};
use crate::output::svg::{Anchor, Label, Style, Svg, View};
use crate::output::table::Table;
use crate::output::write::write_whole;
use anyhow::Context as _;
use std::path::Path;

/// The most parameters whose covariance is written with all skills.
const MAX_COVARIANCE: usize = 2_000;
/// Most numbers at the axis of the intervals.
const MAX_TICKS: f64 = 12.0;
/// The most intervals in a plot.
const MAX_INTERVALS: usize = 80;

/// The rows of the table of estimates.
#[must_use]
pub fn estimate_rows(results: &Results) -> Vec<EstimateRow> {
    let regression = results.estimates.iter().map(|line| EstimateRow {
        name: line.name.clone(),
        estimate: line.estimate,
        se: line.se,
        wald95_low: line.wald95[0],
        wald95_high: line.wald95[1],
        profile95_low: line.profile95[0],
        profile95_high: line.profile95[1],
        n: line.n,
        standing: standing(line.standing).to_owned(),
    });
    let shares = results.shares.iter().filter_map(|named| {
        let share = named.share.as_ref();
        Some(EstimateRow {
            name: named.name.clone(),
            estimate: Some(named.held.or(share.map(|s| s.estimate))?),
            se: share.map(|s| s.se),
            wald95_low: share.map(|s| s.wald95[0]),
            wald95_high: share.map(|s| s.wald95[1]),
            profile95_low: share.map(|s| s.profile95[0]),
            profile95_high: share.map(|s| s.profile95[1]),
            n: share.map_or(0, |s| s.trials),
            standing: if named.held.is_some() { "held" } else { "estimated" }.to_owned(),
        })
    });
    regression.chain(shares).collect()
}

fn cell_rows(results: &Results) -> Vec<CellRow> {
    let model = &results.model;
    let kept = &results.calibration.structure.kept;
    let remedied = results.objective.is_some();
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

/// Writes rows as CSV, whole or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn write_rows<R: Row>(path: &Path, rows: &[R]) -> anyhow::Result<()> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(R::KIND.columns.iter().map(|column| column.name))?;
    for row in rows {
        writer.serialize(row)?;
    }
    let bytes = writer.into_inner().context("rows cannot be gathered")?;
    write_whole(path, bytes)
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

/// Writes the report: tables, plots and `report.html`.
///
/// # Errors
/// When a file cannot be written.
pub fn write_report(results: &Results, notes: &[String], folder: &Path) -> anyhow::Result<()> {
    let estimates = estimate_rows(results);
    write_rows(&folder.join("estimates.csv"), &estimates)?;
    write_rows(&folder.join("cells.csv"), &cell_rows(results))?;
    write_rows(&folder.join("reliability.csv"), &reliability_rows(results))?;
    write_whole(&folder.join("covariance.csv"), covariance(results)?)?;
    let plots = [
        ("intervals.svg", interval_plot(&estimates), "Profile intervals at 95 % (Wald where none)"),
        ("reliability.svg", reliability_plot(results), "Shares of successes by fitted probability"),
        ("residuals.svg", residual_plot(results), "Residuals by cell; dashed lines at 3"),
    ];
    for (name, svg, _) in &plots {
        write_whole(&folder.join(name), svg)?;
    }
    let mut page = Page::new("Calibration of the outcome model");
    page.paragraph(&summary(results));
    for note in notes {
        page.paragraph(note);
    }
    for problem in &results.problems {
        page.paragraph(&problem.text);
    }
    page.heading("Estimates");
    page.table(&table(&estimates));
    let [intervals, reliability, residuals] = &plots;
    page.image(&intervals.1, intervals.2);
    page.heading("Fit");
    page.table(&fit_table(results));
    page.table(&test_table(results));
    page.image(&reliability.1, reliability.2);
    page.image(&residuals.1, residuals.2);
    write_whole(&folder.join("report.html"), page.finish())
}

/// One sentence on how the fit ended.
#[must_use]
pub fn summary(results: &Results) -> String {
    format!(
        "{}; {} parameters from {} rows in {} cells by {}; anchor {}{}.",
        results.status.word(),
        results.parameters,
        results.measures.rows,
        results.measures.cells,
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
    let mut table = Table::new(["name", "estimate", "se", "Wald 95 %", "profile 95 %", "n", ""]);
    for line in estimates {
        let note = if line.standing == "estimated" { "" } else { &line.standing };
        table.row([
            line.name.clone(),
            number(line.estimate, 4),
            number(line.se, 4),
            ends(line.wald95_low, line.wald95_high),
            ends(line.profile95_low, line.profile95_high),
            line.n.to_string(),
            note.to_owned(),
        ]);
    }
    table
}

/// Measures of the fit for people.
#[must_use]
pub fn fit_table(results: &Results) -> Table {
    let m = &results.measures;
    let k = results.parameters as f64;
    let cells = m.log_likelihood + m.log_coefficients;
    let mut table = Table::new(["measure", "value"]);
    for (name, value) in [
        ("log-likelihood (rows)", format!("{:.6}", m.log_likelihood)),
        ("AIC (rows)", format!("{:.3}", 2.0 * k - 2.0 * m.log_likelihood)),
        ("log-likelihood (cells)", format!("{cells:.6}")),
        ("AIC (cells)", format!("{:.3}", 2.0 * k - 2.0 * cells)),
        ("deviance", format!("{:.4}", m.deviance)),
        ("Pearson", format!("{:.4}", m.pearson)),
        ("degrees of freedom", (m.cells as i64 - results.parameters as i64).to_string()),
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

/// Horizontal intervals with their names.
fn interval_plot(estimates: &[EstimateRow]) -> String {
    let drawn: Vec<(&EstimateRow, f64, [f64; 2])> = estimates
        .iter()
        .filter(|line| line.standing == "estimated")
        .filter_map(|line| {
            let value = line.estimate?;
            let low = line.profile95_low.or(line.wald95_low)?;
            let high = line.profile95_high.or(line.wald95_high)?;
            Some((line, value, [low, high]))
        })
        .collect();
    // Shared terms first where there are too many skills to draw.
    let skip = drawn.len().saturating_sub(MAX_INTERVALS);
    let drawn = &drawn[skip..];
    let least = drawn.iter().fold(0.0_f64, |m, d| m.min(d.2[0]));
    let high = drawn.iter().fold(1.0_f64, |m, d| m.max(d.2[1]));
    // A little room between names and intervals.
    let low = least - 0.02 * (high - least);
    let count = drawn.len().max(1) as f64;
    let view = View::stretched([low, high], [-1.0, count], 640.0, 18.0 * (count + 1.0))
        .with_margins([160.0, 10.0, 20.0, 10.0]);
    let mut svg = Svg::new(view);
    let step = ((high - low) / MAX_TICKS).ceil().max(1.0);
    for number in (low / step).ceil() as i64..=(high / step).floor() as i64 {
        let tick = number as f64 * step;
        svg.line([tick, -0.4], [tick, count - 0.4], &Style::line("#ddd", 1.0));
        svg.text([tick, -1.0], &format!("{tick}"), &Label::centred(11.0, "black"));
    }
    let names = Label::centred(12.0, "black").anchored(Anchor::End);
    for (i, (line, value, [from, to])) in drawn.iter().enumerate() {
        let y = count - 1.0 - i as f64;
        svg.text([low, y], &format!("{} ", line.name), &names);
        svg.line([*from, y], [*to, y], &Style::line("#1f5fa8", 1.6));
        svg.dot([*value, y], 3.0, &Style::filled("#1f5fa8"));
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
