//! A small drawing surface: lines, circles, arcs and text in the caller's units, y upward, written
//! as SVG. The same calls give the same bytes: every number is rounded to hundredths of a pixel.
//!
//! ```
//! use cuebench_experiments::output::svg::{Style, Svg, View};
//!
//! let table = View::new([0.0, 2_540_000.0], [0.0, 1_270_000.0], 800.0).with_margin(20.0);
//! let mut svg = Svg::new(table);
//! svg.rect([0.0, 0.0], [2_540_000.0, 1_270_000.0], &Style::filled("#2e7d4f"));
//! svg.circle([635_000.0, 635_000.0], 28_500.0, &Style::filled("white").outlined("black", 1.0));
//! assert!(svg.finish().starts_with("<svg "));
//! ```

use std::fmt::Write as _;

/// A place in the caller's units: x to the right, y upward.
pub type Place = [f64; 2];

/// Which part of the caller's plane is drawn, and how large. Both axes have the same scale unless
/// [`View::stretched`] made it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    x: [f64; 2],
    y: [f64; 2],
    px_per_x: f64,
    px_per_y: f64,
    /// Left, top, right, bottom, pixels.
    margin_px: [f64; 4],
}

impl View {
    /// The rectangle `x` by `y` (least and greatest), `width_px` pixels wide, at equal scale on
    /// both axes. An empty range is drawn as if it were one unit wide.
    #[must_use]
    pub fn new(x: [f64; 2], y: [f64; 2], width_px: f64) -> Self {
        let scale = width_px / length(x);
        Self { x, y, px_per_x: scale, px_per_y: scale, margin_px: [0.0; 4] }
    }

    /// The rectangle `x` by `y`, drawn `width_px` by `height_px` pixels: for plots.
    #[must_use]
    pub fn stretched(x: [f64; 2], y: [f64; 2], width_px: f64, height_px: f64) -> Self {
        let px_per_y = height_px / length(y);
        Self { px_per_y, ..Self::new(x, y, width_px) }
    }

    /// The same view with `margin_px` pixels around it.
    #[must_use]
    pub const fn with_margin(self, margin_px: f64) -> Self {
        self.with_margins([margin_px; 4])
    }

    /// The same view with margins to the left, top, right and bottom, pixels.
    #[must_use]
    pub const fn with_margins(self, margin_px: [f64; 4]) -> Self {
        Self { margin_px, ..self }
    }

    /// Where `place` lies in the image, pixels from the upper left corner.
    #[must_use]
    pub fn pixel(&self, place: Place) -> [f64; 2] {
        let [left, top, ..] = self.margin_px;
        [
            left + (place[0] - self.x[0]) * self.px_per_x,
            top + (self.y[0] + length(self.y) - place[1]) * self.px_per_y,
        ]
    }

    /// Width and height of the image with its margins, pixels.
    #[must_use]
    pub fn size_px(&self) -> [f64; 2] {
        let [left, top, right, bottom] = self.margin_px;
        [
            left + length(self.x) * self.px_per_x + right,
            top + length(self.y) * self.px_per_y + bottom,
        ]
    }
}

fn length([low, high]: [f64; 2]) -> f64 {
    if high > low { high - low } else { 1.0 }
}

/// How a shape is drawn: colours as SVG names them, widths in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// Colour inside, or none.
    pub fill: Option<String>,
    /// Colour of the outline, or none.
    pub stroke: Option<String>,
    /// Width of the outline, pixels.
    pub width_px: f64,
    /// Lengths of dash and gap, pixels; none for a solid line.
    pub dash_px: Option<[f64; 2]>,
    /// 0 (invisible) to 1.
    pub opacity: f64,
}

impl Style {
    /// An outline only.
    #[must_use]
    pub fn line(colour: &str, width_px: f64) -> Self {
        Self { fill: None, stroke: Some(colour.into()), width_px, dash_px: None, opacity: 1.0 }
    }

    /// An area only.
    #[must_use]
    pub fn filled(colour: &str) -> Self {
        Self { fill: Some(colour.into()), stroke: None, width_px: 0.0, dash_px: None, opacity: 1.0 }
    }

    /// The same with an outline.
    #[must_use]
    pub fn outlined(self, colour: &str, width_px: f64) -> Self {
        Self { stroke: Some(colour.into()), width_px, ..self }
    }

    /// The same with a dashed outline.
    #[must_use]
    pub fn dashed(self, dash_px: f64, gap_px: f64) -> Self {
        Self { dash_px: Some([dash_px, gap_px]), ..self }
    }

    /// The same, `opacity` between 0 (invisible) and 1.
    #[must_use]
    pub fn faded(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    fn attributes(&self) -> String {
        let mut text = format!(r#" fill="{}""#, escape(self.fill.as_deref().unwrap_or("none")));
        if let Some(stroke) = &self.stroke {
            // Writing to a String cannot fail, here and below.
            let _ = write!(
                text,
                r#" stroke="{}" stroke-width="{}""#,
                escape(stroke),
                number(self.width_px)
            );
        }
        if let Some([dash, gap]) = self.dash_px {
            let _ = write!(text, r#" stroke-dasharray="{} {}""#, number(dash), number(gap));
        }
        if self.opacity < 1.0 {
            let _ = write!(text, r#" opacity="{}""#, number(self.opacity));
        }
        text
    }
}

/// Which end of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// The text is centred there.
    Middle,
    /// The text ends there.
    End,
}

/// How a text is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Height of the letters, pixels.
    pub size_px: f64,
    /// Colour.
    pub colour: String,
    /// Which end stands at the place.
    pub anchor: Anchor,
    /// Turned anticlockwise around its place, degrees.
    pub turn_deg: f64,
}

impl Label {
    /// An upright text centred on its place.
    #[must_use]
    pub fn centred(size_px: f64, colour: &str) -> Self {
        Self { size_px, colour: colour.into(), anchor: Anchor::Middle, turn_deg: 0.0 }
    }

    /// The same with another anchor.
    #[must_use]
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// The same, turned anticlockwise.
    #[must_use]
    pub fn turned(self, turn_deg: f64) -> Self {
        Self { turn_deg, ..self }
    }
}

/// A drawing in the making.
#[derive(Clone, Debug)]
pub struct Svg {
    view: View,
    body: String,
}

impl Svg {
    /// An empty drawing on a white ground.
    #[must_use]
    pub fn new(view: View) -> Self {
        Self { view, body: String::new() }
    }

    /// The view it draws in.
    #[must_use]
    pub const fn view(&self) -> &View {
        &self.view
    }

    /// A straight line.
    pub fn line(&mut self, from: Place, to: Place, style: &Style) {
        self.polyline(&[from, to], style);
    }

    /// Straight lines from place to place.
    pub fn polyline(&mut self, places: &[Place], style: &Style) {
        self.path("polyline", places, style);
    }

    /// A closed polygon.
    pub fn polygon(&mut self, places: &[Place], style: &Style) {
        self.path("polygon", places, style);
    }

    /// A rectangle given by two opposite corners.
    pub fn rect(&mut self, one: Place, other: Place, style: &Style) {
        self.polygon(&[one, [other[0], one[1]], other, [one[0], other[1]]], style);
    }

    /// A circle whose radius is in the caller's units (of the x axis).
    pub fn circle(&mut self, centre: Place, radius: f64, style: &Style) {
        self.dot(centre, radius * self.view.px_per_x, style);
    }

    /// A circle whose radius is in pixels.
    pub fn dot(&mut self, centre: Place, radius_px: f64, style: &Style) {
        let [x, y] = self.view.pixel(centre);
        self.element(format_args!(
            r#"<circle cx="{}" cy="{}" r="{}"{}/>"#,
            number(x),
            number(y),
            number(radius_px),
            style.attributes()
        ));
    }

    /// The arc around `centre` from angle `from_deg` anticlockwise to `to_deg` (degrees from +x).
    pub fn arc(&mut self, centre: Place, radius: f64, from_deg: f64, to_deg: f64, style: &Style) {
        let sweep = (to_deg - from_deg).rem_euclid(360.0);
        let at = |deg: f64| {
            let (sin, cos) = libm::sincos(deg.to_radians());
            self.view.pixel([centre[0] + radius * cos, centre[1] + radius * sin])
        };
        let ([x0, y0], [x1, y1]) = (at(from_deg), at(to_deg));
        let radius = number(radius * self.view.px_per_x);
        let large = u8::from(sweep > 180.0);
        self.element(format_args!(
            r#"<path d="M {} {} A {radius} {radius} 0 {large} 0 {} {}"{}/>"#,
            number(x0),
            number(y0),
            number(x1),
            number(y1),
            style.attributes()
        ));
    }

    /// A text; any characters are allowed.
    pub fn text(&mut self, at: Place, text: &str, label: &Label) {
        let [x, y] = self.view.pixel(at);
        let (x, y) = (number(x), number(y));
        let anchor = match label.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let turn = match number(-label.turn_deg) {
            turn if turn == "0" => String::new(),
            turn => format!(r#" transform="rotate({turn} {x} {y})""#),
        };
        self.element(format_args!(
            r#"<text x="{x}" y="{y}" font-size="{}" fill="{}" text-anchor="{anchor}" dy="0.35em"{turn}>{}</text>"#,
            number(label.size_px),
            escape(&label.colour),
            escape(text)
        ));
    }

    /// The finished image, one element a line.
    #[must_use]
    pub fn finish(self) -> String {
        let [width, height] = self.view.size_px().map(number);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            self.body
        )
    }

    fn path(&mut self, kind: &str, places: &[Place], style: &Style) {
        let mut points = String::new();
        for (i, &place) in places.iter().enumerate() {
            let [x, y] = self.view.pixel(place);
            let gap = if i == 0 { "" } else { " " };
            let _ = write!(points, "{gap}{},{}", number(x), number(y));
        }
        self.element(format_args!(r#"<{kind} points="{points}"{}/>"#, style.attributes()));
    }

    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.body, "{element}");
    }
}

/// Finished drawings of one size, one below the other, as one drawing.
#[must_use]
pub fn stacked(drawings: &[String]) -> String {
    let size = |name: &str| -> f64 {
        let text = drawings.first().and_then(|first| first.split_once(name));
        text.and_then(|(_, rest)| rest.split('"').nth(1))
            .and_then(|n| n.parse().ok())
            .unwrap_or(0.0)
    };
    let (width, height) = (size(" width="), size(" height="));
    let total = number(height * drawings.len() as f64);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{total}\" \
         viewBox=\"0 0 {0} {total}\">\n",
        number(width)
    );
    for (index, drawing) in drawings.iter().enumerate() {
        let top = number(height * index as f64);
        text += &drawing.replacen("<svg ", &format!("<svg y=\"{top}\" "), 1);
    }
    text + "</svg>\n"
}

/// Hundredths, without trailing zeros nor a negative zero. A number that is not finite is drawn
/// at 0, so that an image is always well formed.
fn number(value: f64) -> String {
    let hundredths = if value.is_finite() { (value * 100.0).round() } else { 0.0 };
    format!("{}", (hundredths + 0.0) / 100.0)
}

/// A text as XML and HTML write it.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no way to write the other control characters.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y_points_upward_and_margins_count() {
        let view = View::new([0.0, 10.0], [0.0, 5.0], 100.0).with_margins([1.0, 2.0, 3.0, 4.0]);
        assert_eq!(view.pixel([0.0, 0.0]), [1.0, 52.0]);
        assert_eq!(view.pixel([10.0, 5.0]), [101.0, 2.0]);
        assert_eq!(view.size_px(), [104.0, 56.0]);
    }

    #[test]
    fn a_quarter_arc_and_its_complement_take_the_right_flags() {
        let mut svg = Svg::new(View::new([-1.0, 1.0], [-1.0, 1.0], 2.0));
        svg.arc([0.0, 0.0], 1.0, 0.0, 90.0, &Style::line("black", 1.0));
        svg.arc([0.0, 0.0], 1.0, 90.0, 360.0, &Style::line("black", 1.0));
        assert!(svg.body.contains(r#"d="M 2 1 A 1 1 0 0 0 1 0""#), "{}", svg.body);
        assert!(svg.body.contains(r#"d="M 1 0 A 1 1 0 1 0 2 1""#), "{}", svg.body);
    }

    #[test]
    fn texts_and_odd_numbers_stay_well_formed() {
        let mut svg = Svg::new(View::new([0.0, 1.0], [0.0, 1.0], 10.0));
        svg.text([f64::NAN, 0.5], "a<b & \"c\"\u{7}", &Label::centred(8.0, "black").turned(90.0));
        let image = svg.finish();
        assert!(image.contains("a&lt;b &amp; &quot;c&quot; "), "{image}");
        assert!(image.contains(r#"x="0" y="5""#) && image.contains("rotate(-90 0 5)"), "{image}");
    }
}
