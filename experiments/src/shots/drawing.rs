//! Drawings of tables and shots.

use super::line::Shot;
use super::names::NameSet;
use crate::output::svg::{Label, Place, Style, Svg, View};
use cuebench_engine::shot::{Met, Outcome, Trace};
use cuebench_engine::table::{Geometry, PointShape, Segment};
use cuebench_engine::units::{BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};

const WIDTH_PX: f64 = 1_200.0;
/// Room around the playing area, µm: the pockets and their numbers.
const ROOM_UM: f64 = 130_000.0;
/// Straight pieces of a rounded point.
const ARC_STEPS: u32 = 10;
const RUBBER: &str = "#5b3a21";
const CLOTH: &str = "#3c8d5a";
const DROP: &str = "#1c1c1c";
/// Jaws in order around the table, anticlockwise, two a pocket.
const AROUND: [[usize; 2]; 6] = [[1, 0], [2, 3], [4, 5], [11, 10], [9, 8], [6, 7]];
/// Colours of the race balls, by slot.
const RACE: [&str; 7] =
    ["#ffffff", "#f4d000", "#0a6b2c", "#7b4a1e", "#1f4fd8", "#f29ac0", "#111111"];
/// Colours of the pool balls: cue, then one for each of 1 to 8; 9 to 15 repeat.
const POOL: [&str; 9] = [
    "#ffffff", "#f4d000", "#1f4fd8", "#d03028", "#6a3d9a", "#f08020", "#0a6b2c", "#7c2230",
    "#111111",
];

/// The drawing of a table.
#[must_use]
pub fn table(geometry: &Geometry) -> String {
    let mut svg = ground(geometry);
    for pocket in &geometry.pockets {
        svg.dot(place(pocket.aim), 3.0, &Style::filled("white"));
    }
    svg.finish()
}

/// The drawing of a shot: balls before (pale, dashed) and after, paths, contacts.
#[must_use]
pub fn shot(shot: &Shot, outcome: &Outcome, trace: &Trace) -> String {
    let mut svg = ground(shot.table.geometry());
    let radius = f64::from(BALL_RADIUS_UM);
    for &slot in &shot.order {
        let Some(start) = shot.balls.at[usize::from(slot)] else { continue };
        let colour = colour(shot.names, slot);
        svg.circle(place(start), radius, &Style::filled(colour).faded(0.3));
        svg.circle(place(start), radius, &Style::line("white", 1.0).dashed(3.0, 3.0));
        let path = path(slot, start, outcome, trace);
        if path.len() > 1 {
            svg.polyline(&path, &Style::line("black", 3.5).faded(0.35));
            svg.polyline(&path, &Style::line(colour, 2.0));
        }
    }
    for event in &trace.events {
        let mark = match event.met {
            Met::Ball(_) => "#ff3b30",
            Met::Rail(_) => "#ffd60a",
            Met::Point(_) | Met::Facing(_) => "#ff9f0a",
            Met::Mouth(_) | Met::Fall(_) | Met::Drop(_) | Met::Stop => continue,
        };
        svg.dot(place(event.before[0].at), 3.0, &Style::filled(mark).outlined("black", 0.8));
    }
    for &slot in &shot.order {
        let Some(end) = outcome.balls.at[usize::from(slot)] else { continue };
        let style = Style::filled(colour(shot.names, slot)).outlined("black", 1.2);
        svg.circle(place(end), radius, &style);
        let above = [f64::from(end.x_um), f64::from(end.y_um) + 1.5 * radius];
        svg.text(above, shot.names.name(slot), &Label::centred(12.0, "white"));
    }
    svg.finish()
}

/// Where a ball went: straight from event to event.
fn path(slot: u8, start: Point, outcome: &Outcome, trace: &Trace) -> Vec<Place> {
    let mut path = vec![place(start)];
    for event in &trace.events {
        if event.ball == slot {
            path.push(place(event.before[0].at));
        } else if event.met == Met::Ball(slot) {
            path.push(place(event.before[1].at));
        }
    }
    path.extend(outcome.balls.at[usize::from(slot)].map(place));
    path.dedup();
    path
}

fn colour(names: NameSet, slot: u8) -> &'static str {
    let slot = usize::from(slot);
    match names {
        NameSet::Race => RACE[slot.min(6)],
        NameSet::Pool => POOL[if slot > 8 { slot - 8 } else { slot }],
    }
}

/// Rubber, cloth, pockets with their lines and numbers.
fn ground(geometry: &Geometry) -> Svg {
    let range = |length: i32| [-ROOM_UM, f64::from(length) + ROOM_UM];
    let mut svg = Svg::new(View::new(range(LENGTH_UM), range(WIDTH_UM), WIDTH_PX));
    let (low, high) = ([-ROOM_UM; 2], [range(LENGTH_UM)[1], range(WIDTH_UM)[1]]);
    svg.rect(low, high, &Style::filled(RUBBER));
    svg.polygon(&outline(geometry), &Style::filled(CLOTH).outlined("black", 1.5));
    for (index, pocket) in geometry.pockets.iter().enumerate() {
        let [a, b] = [0, 1].map(|side| place(geometry.facings[2 * index + side].line.to));
        let fall = [place(pocket.fall_line.from), place(pocket.fall_line.to)];
        svg.polygon(&[fall[0], a, b, fall[1]], &Style::filled(DROP));
        draw(&mut svg, pocket.fall_line, &Style::line("white", 1.2));
        draw(&mut svg, pocket.mouth_line, &Style::line("white", 0.8).dashed(4.0, 4.0));
        let number = format!("{} {}", index + 1, pocket.pocket);
        let at = [beside(a, b, 0), beside(a, b, 1)];
        svg.text(at, &number, &Label::centred(14.0, "white"));
    }
    svg
}

/// The middle of `a` and `b`.
fn beside(a: Place, b: Place, axis: usize) -> f64 {
    f64::midpoint(a[axis], b[axis])
}

fn draw(svg: &mut Svg, segment: Segment, style: &Style) {
    svg.line(place(segment.from), place(segment.to), style);
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

fn place(at: Point) -> Place {
    [f64::from(at.x_um), f64::from(at.y_um)]
}
