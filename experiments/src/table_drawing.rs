//! A table from above and what happened on it: the one drawing that all games share.
//!
//! A game says how its balls look ([`Look`]) and what more it wants to see; rubber, cloth, pockets,
//! ways and contacts are drawn here.

use crate::output::svg::{Anchor, Label, Place, Style, Svg, View};
use cuebench_engine::shot::{Balls, Met, Outcome, Trace};
use cuebench_engine::table::{Geometry, PointShape, Segment};
use cuebench_engine::units::{BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};

const WIDTH_PX: f64 = 1_200.0;
/// Room around the playing area, µm: the pockets and their numbers.
const ROOM_UM: f64 = 130_000.0;
/// Height of a line of text above the table, pixels.
const LINE_PX: f64 = 20.0;
/// Straight pieces of a rounded point.
const ARC_STEPS: u32 = 10;
const RUBBER: &str = "#5b3a21";
const CLOTH: &str = "#3c8d5a";
const DROP: &str = "#1c1c1c";
const INK: &str = "#1a1a1a";
/// Jaws in order around the table, anticlockwise, two a pocket.
const AROUND: [[usize; 2]; 6] = [[1, 0], [2, 3], [4, 5], [11, 10], [9, 8], [6, 7]];

/// How a ball looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Its colour, and that of its way.
    pub colour: &'static str,
    /// Whether it has a white ring.
    pub ring: bool,
    /// What is written on or above it, in which colour.
    pub mark: Option<(Mark, String, &'static str)>,
}

/// Where a ball's name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// On the ball.
    On,
    /// Above it.
    Above,
}

impl Look {
    /// A plain ball.
    #[must_use]
    pub const fn plain(colour: &'static str) -> Self {
        Self { colour, ring: false, mark: None }
    }
}

/// A table in the drawing.
#[derive(Clone, Debug)]
pub struct TableDrawing {
    svg: Svg,
}

impl TableDrawing {
    /// Rubber, cloth, pockets with their lines and numbers; `text` stands above, line by line.
    #[must_use]
    pub fn new(geometry: &Geometry, text: &[String]) -> Self {
        let range = |length: i32| [-ROOM_UM, f64::from(length) + ROOM_UM];
        let above_px = if text.is_empty() { 0.0 } else { LINE_PX * (text.len() as f64 + 0.5) };
        let view = View::new(range(LENGTH_UM), range(WIDTH_UM), WIDTH_PX);
        let mut svg = Svg::new(view.with_margins([0.0, above_px, 0.0, 0.0]));
        let um_per_px = (f64::from(LENGTH_UM) + 2.0 * ROOM_UM) / WIDTH_PX;
        for (number, line) in text.iter().enumerate() {
            let up_px = above_px - LINE_PX * (number as f64 + 0.75);
            let at = [10.0 * um_per_px - ROOM_UM, range(WIDTH_UM)[1] + up_px * um_per_px];
            svg.text(at, line, &Label::centred(14.0, INK).anchored(Anchor::Start));
        }
        let (low, high) = ([-ROOM_UM; 2], [range(LENGTH_UM)[1], range(WIDTH_UM)[1]]);
        svg.rect(low, high, &Style::filled(RUBBER));
        svg.polygon(&outline(geometry), &Style::filled(CLOTH).outlined("black", 1.5));
        let mut drawing = Self { svg };
        for index in 0..geometry.pockets.len() {
            drawing.pocket(geometry, index);
        }
        drawing
    }

    /// A pocket: its drop, its fall and mouth lines, its number beyond them.
    fn pocket(&mut self, geometry: &Geometry, index: usize) {
        let pocket = &geometry.pockets[index];
        let [a, b] = [0, 1].map(|side| place(geometry.facings[2 * index + side].line.to));
        let [from, to] = [place(pocket.fall_line.from), place(pocket.fall_line.to)];
        self.svg.polygon(&[from, a, b, to], &Style::filled(DROP));
        self.segment(pocket.fall_line, &Style::line("white", 1.2));
        self.segment(pocket.mouth_line, &Style::line("white", 0.8).dashed(4.0, 4.0));
        let number = format!("{} {}", index + 1, pocket.pocket);
        let middle = |a: Place, b: Place| [f64::midpoint(a[0], b[0]), f64::midpoint(a[1], b[1])];
        let (back, front) = (middle(a, b), middle(from, to));
        let beyond = [0, 1].map(|axis| back[axis] + 0.8 * (back[axis] - front[axis]));
        self.svg.text(beyond, &number, &Label::centred(14.0, "white"));
    }

    fn segment(&mut self, segment: Segment, style: &Style) {
        self.svg.line(place(segment.from), place(segment.to), style);
    }

    /// The surface, in µm of the table, for what a game draws of its own.
    pub fn surface(&mut self) -> &mut Svg {
        &mut self.svg
    }

    /// The balls of the slots `slots` where they lie.
    pub fn balls(&mut self, balls: &Balls, slots: &[u8], look: impl Fn(u8) -> Look) {
        for &slot in slots {
            if let Some(at) = balls.at[usize::from(slot)] {
                self.ball(at, &look(slot));
            }
        }
    }

    /// A shot of the balls of `slots`: where they lay (pale, dashed), their ways with every
    /// contact, and where they came to rest.
    pub fn shot(
        &mut self,
        before: &Balls,
        (outcome, trace): (&Outcome, &Trace),
        slots: &[u8],
        look: impl Fn(u8) -> Look,
    ) {
        for &slot in slots {
            let Some(start) = before.at[usize::from(slot)] else { continue };
            let Look { colour, .. } = look(slot);
            let way = way(slot, start, outcome, trace);
            if way.len() < 2 {
                continue;
            }
            self.ghost(start, colour);
            self.svg.polyline(&way, &Style::line("black", 3.5).faded(0.35));
            self.svg.polyline(&way, &Style::line(colour, 2.0));
        }
        for event in &trace.events {
            let mark = match event.met {
                Met::Ball(_) => "#ff3b30",
                Met::Rail(_) => "#ffd60a",
                Met::Point(_) | Met::Facing(_) => "#ff9f0a",
                Met::Mouth(_) | Met::Fall(_) | Met::Drop(_) | Met::Stop => continue,
            };
            let style = Style::filled(mark).outlined("black", 0.8);
            self.svg.dot(place(event.before[0].at), 3.0, &style);
        }
        self.balls(&outcome.balls, slots, look);
    }

    fn ghost(&mut self, at: Point, colour: &str) {
        let radius = f64::from(BALL_RADIUS_UM);
        self.svg.circle(place(at), radius, &Style::filled(colour).faded(0.3));
        self.svg.circle(place(at), radius, &Style::line("white", 1.0).dashed(3.0, 3.0));
    }

    fn ball(&mut self, at: Point, look: &Look) {
        let (centre, radius) = (place(at), f64::from(BALL_RADIUS_UM));
        let outer = if look.ring { "white" } else { look.colour };
        self.svg.circle(centre, radius, &Style::filled(outer).outlined("black", 1.2));
        if look.ring {
            self.svg.circle(centre, radius * 0.78, &Style::filled(look.colour));
        }
        if let Some((mark, name, ink)) = &look.mark {
            let above = if *mark == Mark::Above { 1.5 * radius } else { 0.0 };
            self.svg.text([centre[0], centre[1] + above], name, &Label::centred(12.0, ink));
        }
    }

    /// The finished image.
    #[must_use]
    pub fn finish(self) -> String {
        self.svg.finish()
    }
}

/// Where a ball went: straight from event to event.
fn way(slot: u8, start: Point, outcome: &Outcome, trace: &Trace) -> Vec<Place> {
    let mut way = vec![place(start)];
    for event in &trace.events {
        if event.ball == slot {
            way.push(place(event.before[0].at));
        } else if event.met == Met::Ball(slot) {
            way.push(place(event.before[1].at));
        }
    }
    way.extend(outcome.balls.at[usize::from(slot)].map(place));
    way.dedup();
    way
}

/// The edge of the rubber, with its rounded points.
fn outline(geometry: &Geometry) -> Vec<Place> {
    let mut outline = Vec::new();
    for [into, out] in AROUND {
        outline.extend(arc(&geometry.points[into]));
        outline.push(place(geometry.facings[into].line.to));
        outline.push(place(geometry.facings[out].line.to));
        outline.extend(arc(&geometry.points[out]).into_iter().rev());
    }
    outline
}

/// A rounded point from its nose to its facing.
fn arc(point: &PointShape) -> Vec<Place> {
    let [x, y] = place(point.centre);
    let angle = |at: Point| libm::atan2(f64::from(at.y_um) - y, f64::from(at.x_um) - x);
    let from = angle(point.nose_tangent);
    let turn = angle(point.facing_tangent) - from;
    let full = 2.0 * std::f64::consts::PI;
    let turn = turn - full * (turn / full).round();
    let radius = f64::from(point.radius_um);
    (0..=ARC_STEPS)
        .map(|step| {
            let angle = from + turn * f64::from(step) / f64::from(ARC_STEPS);
            [x + radius * libm::cos(angle), y + radius * libm::sin(angle)]
        })
        .collect()
}

/// A point of the table on the surface.
#[must_use]
pub fn place(at: Point) -> Place {
    [f64::from(at.x_um), f64::from(at.y_um)]
}
