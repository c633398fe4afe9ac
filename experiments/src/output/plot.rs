//! Plots on the drawing surface of [`svg`](super::svg): axes with round ticks, lines, points with
//! intervals, bands and cells, and a legend.
//!
//! ```
//! use cuebench_experiments::output::plot::{Axis, PALETTE, Plot};
//!
//! let points = [[0.0, 0.5], [1.0, 0.73], [2.0, 0.88]];
//! let x = Axis::over("skill difference", points.iter().map(|p| p[0]));
//! let mut plot = Plot::new("Win rate", x, Axis::new("win rate", [0.0, 1.0]));
//! plot.line("model", PALETTE[0], &points);
//! assert!(plot.finish().contains("win rate"));
//! ```

use super::svg::{Anchor, Label, Place, Style, Svg, View};

/// Colours that people with any colour vision tell apart (Okabe and Ito 2008).
pub const PALETTE: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

const WIDTH_PX: f64 = 640.0;
const HEIGHT_PX: f64 = 400.0;
const MARGINS_PX: [f64; 4] = [70.0, 40.0, 20.0, 55.0];
const TEXT_PX: f64 = 12.0;
const TICKS: f64 = 6.0;

/// One axis: what it shows, and from where to where.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    label: String,
    range: [f64; 2],
}

impl Axis {
    /// An axis over `range`; an empty or broken range becomes one of length 1.
    #[must_use]
    pub fn new(label: &str, range: [f64; 2]) -> Self {
        let [low, high] = range.map(|end| if end.is_finite() { end } else { 0.0 });
        let range = if high > low { [low, high] } else { [low - 0.5, low + 0.5] };
        Self { label: label.to_owned(), range }
    }

    /// An axis that holds all finite `values`, with a little room at both ends.
    #[must_use]
    pub fn over(label: &str, values: impl IntoIterator<Item = f64>) -> Self {
        let finite = values.into_iter().filter(|value| value.is_finite());
        let ends = finite.fold(None, |ends: Option<[f64; 2]>, value| {
            Some(ends.map_or([value; 2], |[low, high]| [low.min(value), high.max(value)]))
        });
        let [low, high] = ends.unwrap_or([0.0, 1.0]);
        let room = 0.04 * (high - low);
        Self::new(label, [low - room, high + room])
    }

    /// Round values inside the range, and how many decimals tell them apart.
    fn ticks(&self) -> (Vec<f64>, usize) {
        let [low, high] = self.range;
        let raw = (high - low) / TICKS;
        let power = raw.log10().floor();
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|digit| digit * 10_f64.powf(power))
            .find(|&step| step >= raw * (1.0 - 1e-9))
            .unwrap_or(raw);
        let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        // The count is bounded by the choice of the step.
        ((first..=last.min(first + 50)).map(|i| i as f64 * step).collect(), decimals)
    }
}

/// A point with the interval around its height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Place on the x axis.
    pub x: f64,
    /// Height.
    pub y: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A plot in the making. Later marks lie over earlier ones.
#[derive(Clone, Debug)]
pub struct Plot {
    svg: Svg,
    title: String,
    x: Axis,
    y: Axis,
    legend: Vec<(String, String)>,
}

impl Plot {
    /// A plot without marks.
    #[must_use]
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        let view = View::stretched(x.range, y.range, WIDTH_PX, HEIGHT_PX).with_margins(MARGINS_PX);
        let mut plot = Self { svg: Svg::new(view), title: title.to_owned(), x, y, legend: vec![] };
        plot.grid();
        plot
    }

    /// A line through `points`. An empty `name` stands in no legend, here and below.
    pub fn line(&mut self, name: &str, colour: &str, points: &[Place]) {
        self.svg.polyline(points, &Style::line(colour, 1.8));
        self.name(name, colour);
    }

    /// A dashed line, for references.
    pub fn dashed(&mut self, name: &str, colour: &str, points: &[Place]) {
        self.svg.polyline(points, &Style::line(colour, 1.2).dashed(5.0, 4.0));
        self.name(name, colour);
    }

    /// Dots.
    pub fn points(&mut self, name: &str, colour: &str, points: &[Place]) {
        for &point in points {
            self.svg.dot(point, 3.0, &Style::filled(colour));
        }
        self.name(name, colour);
    }

    /// Dots with their intervals.
    pub fn intervals(&mut self, name: &str, colour: &str, points: &[Interval]) {
        for &Interval { x, y, low, high } in points {
            self.svg.line([x, low], [x, high], &Style::line(colour, 1.2));
            self.svg.dot([x, y], 3.0, &Style::filled(colour));
        }
        self.name(name, colour);
    }

    /// The area between two curves: x, lower and upper end.
    pub fn band(&mut self, name: &str, colour: &str, points: &[[f64; 3]]) {
        let lower = points.iter().map(|&[x, low, _]| [x, low]);
        let upper = points.iter().rev().map(|&[x, _, high]| [x, high]);
        let outline: Vec<Place> = lower.chain(upper).collect();
        self.svg.polygon(&outline, &Style::filled(colour).faded(0.25));
        self.name(name, colour);
    }

    /// A filled rectangle between two opposite corners, `opacity` between 0 and 1: a cell of a
    /// histogram or of a map.
    pub fn cell(&mut self, colour: &str, one: Place, other: Place, opacity: f64) {
        self.svg.rect(one, other, &Style::filled(colour).faded(opacity));
    }

    /// A text centred on a place.
    pub fn text(&mut self, at: Place, text: &str) {
        self.svg.text(at, text, &Label::centred(TEXT_PX, "black"));
    }

    /// The finished image.
    #[must_use]
    pub fn finish(mut self) -> String {
        let ([left, right], [bottom, top]) = (self.x.range, self.y.range);
        self.svg.rect([left, bottom], [right, top], &Style::line("black", 1.0));
        let legend = std::mem::take(&mut self.legend);
        for (line, (name, colour)) in legend.iter().enumerate() {
            let y = top - self.per_px(1) * (16.0 + 16.0 * line as f64);
            let x = left + self.per_px(0) * 14.0;
            self.svg.dot([x, y], 4.0, &Style::filled(colour));
            let label = Label::centred(TEXT_PX, "black").anchored(Anchor::Start);
            self.svg.text([x + self.per_px(0) * 9.0, y], name, &label);
        }
        self.svg.finish()
    }

    fn name(&mut self, name: &str, colour: &str) {
        if !name.is_empty() {
            self.legend.push((name.to_owned(), colour.to_owned()));
        }
    }

    /// Length of a pixel in the units of the x (0) or y (1) axis.
    fn per_px(&self, axis: usize) -> f64 {
        let ([low, high], px) = match axis {
            0 => (self.x.range, WIDTH_PX),
            _ => (self.y.range, HEIGHT_PX),
        };
        (high - low) / px
    }

    /// Grid lines, their numbers, the labels of the axes and the title.
    fn grid(&mut self) {
        let ([left, right], [bottom, top]) = (self.x.range, self.y.range);
        let (across, up) = (self.per_px(0), self.per_px(1));
        let (line, label) = (Style::line("#dddddd", 1.0), Label::centred(TEXT_PX, "black"));
        let (ticks, decimals) = self.x.ticks();
        for x in ticks {
            self.svg.line([x, bottom], [x, top], &line);
            self.svg.text([x, bottom - 14.0 * up], &format!("{x:.decimals$}"), &label);
        }
        let (ticks, decimals) = self.y.ticks();
        for y in ticks {
            self.svg.line([left, y], [right, y], &line);
            let label = label.clone().anchored(Anchor::End);
            self.svg.text([left - 6.0 * across, y], &format!("{y:.decimals$}"), &label);
        }
        let middle = [(left + right) / 2.0, (bottom + top) / 2.0];
        self.svg.text([middle[0], bottom - 38.0 * up], &self.x.label, &label);
        let turned = label.clone().turned(90.0);
        self.svg.text([left - 55.0 * across, middle[1]], &self.y.label, &turned);
        self.svg.text([middle[0], top + 18.0 * up], &self.title, &Label::centred(15.0, "black"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(low: f64, high: f64) -> Vec<String> {
        let (ticks, decimals) = Axis::new("", [low, high]).ticks();
        ticks.iter().map(|tick| format!("{tick:.decimals$}")).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(ticks(-3.0, 9.0), ["-2", "0", "2", "4", "6", "8"]);
        assert_eq!(ticks(1200.0, 1800.0), ["1200", "1300", "1400", "1500", "1600", "1700", "1800"]);
        assert_eq!(ticks(0.0012, 0.0019).len(), 4);
    }

    #[test]
    fn odd_ranges_still_make_an_axis() {
        assert_eq!(Axis::over("", []).range.map(f64::round), [0.0, 1.0]);
        assert_eq!(Axis::over("", [4.0, f64::NAN]).range, [3.5, 4.5]);
        assert!(ticks(f64::NEG_INFINITY, f64::INFINITY).len() < 20);
        assert!(ticks(0.0, 1e300).len() < 20 && ticks(1.0, 1.0 + 1e-12).len() < 60);
    }

    #[test]
    fn marks_and_names_reach_the_image() {
        let mut plot = Plot::new("t", Axis::new("x", [0.0, 1.0]), Axis::new("y", [0.0, 1.0]));
        plot.intervals("seen", PALETTE[1], &[Interval { x: 0.5, y: 0.5, low: 0.25, high: 1.0 }]);
        plot.band("", PALETTE[0], &[[0.0, 0.0, 0.1], [1.0, 0.2, 0.3]]);
        let image = plot.finish();
        assert!(image.contains(r#"<polyline points="390,340 390,40""#), "{image}");
        assert!(image.contains(">seen</text>") && image.contains("polygon"), "{image}");
    }
}
