//! The learning curve as SVG.

pub use crate::output::rows::learn::CurveRow;

use crate::output::svg::{Anchor, Label, Style, Svg, View};

/// Size of the plot, pixels.
const SIZE_PX: [f64; 2] = [900.0, 420.0];
const MARGINS_PX: [f64; 4] = [70.0, 50.0, 70.0, 60.0];
const STROKES_COLOUR: &str = "#1f5fa8";
const ERROR_COLOUR: &str = "#b3541e";
const GREY: &str = "#888";

/// The curve as a picture: strokes to clear on the left axis, the value's held-out error on the
/// right one, over tables played.
#[must_use]
pub fn draw(rows: &[CurveRow], title: &str) -> String {
    let tables = rows.last().map_or(1.0, |row| row.tables as f64);
    let strokes: Vec<[f64; 2]> =
        rows.iter().map(|row| [row.tables as f64, row.mean_strokes]).collect();
    let errors: Vec<[f64; 2]> = rows
        .iter()
        .filter_map(|row| row.held_out_rmse.map(|rmse| [row.tables as f64, rmse]))
        .collect();
    let most = |line: &[[f64; 2]], least: f64| line.iter().map(|p| p[1]).fold(least, f64::max);
    let (low, high) = (5.5, most(&strokes, 6.5).ceil());
    let top = most(&errors, 0.5);
    let view = View::stretched([0.0, tables], [low, high], SIZE_PX[0], SIZE_PX[1])
        .with_margins(MARGINS_PX);
    let mut svg = Svg::new(view);
    svg.rect([0.0, low], [tables, high], &Style::line(GREY, 1.0));
    for tick in 0..=4 {
        let share = f64::from(tick) / 4.0;
        let y = low + share * (high - low);
        svg.line([0.0, y], [tables, y], &Style::line(GREY, 0.5).faded(0.5));
        let left = Label::centred(13.0, STROKES_COLOUR).anchored(Anchor::End);
        svg.text([-0.01 * tables, y], &format!("{y:.2}"), &left);
        let right = Label::centred(13.0, ERROR_COLOUR).anchored(Anchor::Start);
        svg.text([1.01 * tables, y], &format!("{:.2}", share * top), &right);
        let below = low - 0.05 * (high - low);
        let label = format!("{:.0}", share * tables);
        svg.text([share * tables, below], &label, &Label::centred(13.0, "#333"));
    }
    let scaled: Vec<_> = errors.iter().map(|[x, e]| [*x, low + e / top * (high - low)]).collect();
    svg.polyline(&scaled, &Style::line(ERROR_COLOUR, 1.5).dashed(6.0, 4.0));
    svg.polyline(&strokes, &Style::line(STROKES_COLOUR, 2.0));
    svg.text([tables / 2.0, high + 0.06 * (high - low)], title, &Label::centred(16.0, "#222"));
    let caption = "tables played; solid: mean strokes to clear (left), dashed: held-out error of the value, strokes (right)";
    let under = low - 0.11 * (high - low);
    svg.text([tables / 2.0, under], caption, &Label::centred(13.0, "#333"));
    svg.finish()
}
