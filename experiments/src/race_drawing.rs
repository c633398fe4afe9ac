//! A stroke of the race as an image: the table with its rubber, where the balls lay and came to
//! rest, and the ways between.

use crate::output::svg::{Anchor, Label, Place, Style, Svg, View};
use cuebench_engine::shot::{Balls, Launch, Met, ShotError, Trace};
use cuebench_engine::snooker::Ball;
use cuebench_engine::table::{Geometry, Table};
use cuebench_engine::units::{BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};

/// Width of the playing area in the image, pixels.
const WIDTH_PX: f64 = 1100.0;
/// Left, top, right, bottom, pixels.
const MARGINS_PX: [f64; 4] = [50.0, 80.0, 50.0, 50.0];
/// How far the cloth is drawn beyond the noses, µm: the depth of a pocket.
const BEYOND_UM: f64 = 80_000.0;
const CLOTH: &str = "#2f7f55";
const RUBBER: &str = "#1d4d35";
const INK: &str = "#1a1a1a";

/// Draws the shot `launch` with `before` on `table`; `text` stands above it, line by line.
///
/// # Errors
/// When the engine refuses the position.
pub fn draw_stroke(
    table: &Table,
    before: &Balls,
    launch: Launch,
    text: &[String],
) -> Result<String, ShotError> {
    let (outcome, trace) = table.trace(before, launch)?;
    let mut svg = blank(table.geometry(), text);
    let on_table = || {
        let lay = |ball: Ball| before.at[ball.slot()].map(|from| (ball, from));
        Ball::ALL.into_iter().filter_map(lay)
    };
    for (ball, from) in on_table() {
        draw_way(&mut svg, ball, from, outcome.balls.at[ball.slot()], &trace);
    }
    for (ball, from) in on_table() {
        if outcome.balls.at[ball.slot()] != Some(from) {
            draw_ball(&mut svg, ball, from, 0.4);
        }
    }
    for ball in Ball::ALL {
        if let Some(at) = outcome.balls.at[ball.slot()] {
            draw_ball(&mut svg, ball, at, 1.0);
        }
    }
    Ok(svg.finish())
}

fn place(point: Point) -> Place {
    [f64::from(point.x_um), f64::from(point.y_um)]
}

fn blank(geometry: &Geometry, text: &[String]) -> Svg {
    let (length, width) = (f64::from(LENGTH_UM), f64::from(WIDTH_UM));
    let mut svg =
        Svg::new(View::new([0.0, length], [0.0, width], WIDTH_PX).with_margins(MARGINS_PX));
    let corner = [length + BEYOND_UM, width + BEYOND_UM];
    svg.rect([-BEYOND_UM, -BEYOND_UM], corner, &Style::filled(CLOTH));
    let line = Style::line(RUBBER, 3.0);
    for rail in &geometry.rails {
        svg.line(place(rail.nose.from), place(rail.nose.to), &line);
    }
    for point in &geometry.points {
        svg.circle(place(point.centre), f64::from(point.radius_um), &Style::filled(RUBBER));
    }
    for facing in &geometry.facings {
        svg.line(place(facing.line.from), place(facing.line.to), &line);
    }
    for pocket in &geometry.pockets {
        let drop = Style::line(INK, 2.0).dashed(2.0, 2.0);
        svg.line(place(pocket.fall_line.from), place(pocket.fall_line.to), &drop);
    }
    let um_per_px = length / WIDTH_PX;
    for (number, line) in text.iter().enumerate() {
        let above = BEYOND_UM + um_per_px * (34.0 - 17.0 * number as f64);
        let label = Label::centred(14.0, INK).anchored(Anchor::Start);
        svg.text([-BEYOND_UM, width + above], line, &label);
    }
    svg
}

/// The way of a ball: straight pieces from event to event.
fn draw_way(svg: &mut Svg, ball: Ball, from: Point, to: Option<Point>, trace: &Trace) {
    let mut places = vec![place(from)];
    for event in &trace.events {
        if usize::from(event.ball) == ball.slot() {
            places.push(place(event.before[0].at));
        } else if event.met == Met::Ball(ball.slot() as u8) {
            places.push(place(event.before[1].at));
        }
    }
    places.extend(to.map(place));
    places.dedup();
    if places.len() > 1 {
        svg.polyline(&places, &Style::line(colour(ball), 2.0).faded(0.8));
    }
}

fn draw_ball(svg: &mut Svg, ball: Ball, at: Point, opacity: f64) {
    let style = Style::filled(colour(ball)).outlined(INK, 1.0).faded(opacity);
    svg.circle(place(at), f64::from(BALL_RADIUS_UM), &style);
}

const fn colour(ball: Ball) -> &'static str {
    match ball {
        Ball::White => "#ffffff",
        Ball::Yellow => "#f5d000",
        Ball::Green => "#00b050",
        Ball::Brown => "#7b4a1e",
        Ball::Blue => "#1f5fd0",
        Ball::Pink => "#ff8fb3",
        Ball::Black => "#111111",
    }
}
