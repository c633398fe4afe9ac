//! A shot of chess pool as an image: the table with its 8 x 4 grid, pieces by letter and colour,
//! where they lay and came to rest, and the ways between.

use crate::output::svg::{Anchor, Label, Place, Style, Svg, View};
use cuebench_engine::chess_pool::board::{FILES, RANKS, SPACE_UM};
use cuebench_engine::chess_pool::piece::{Ball, Kind, Side};
use cuebench_engine::shot::{Balls, Launch, Met, ShotError, Trace};
use cuebench_engine::table::{Geometry, Table};
use cuebench_engine::units::{BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};

/// Width of the playing area in the image, pixels.
const WIDTH_PX: f64 = 1016.0;
/// Left, top, right, bottom, pixels: room for rails, files, ranks and the text.
const MARGINS_PX: [f64; 4] = [44.0, 72.0, 44.0, 60.0];
const CLOTH: &str = "#2f7f55";
const RUBBER: &str = "#1d4d35";
const LINES: &str = "#ffffff";
const INK: &str = "#1a1a1a";

/// Draws the shot `launch` of the balls `before` on `table`, with lines of text above it.
///
/// # Errors
/// When the engine refuses the position.
pub fn draw_shot(
    table: &Table,
    before: &Balls,
    launch: Launch,
    text: &[String],
) -> Result<String, ShotError> {
    let (outcome, trace) = table.trace(before, launch)?;
    let mut svg = blank(table.geometry(), text);
    for ball in Ball::all() {
        if let Some(from) = before.at[ball.slot()] {
            draw_way(&mut svg, ball, from, outcome.balls.at[ball.slot()], &trace);
        }
    }
    for ball in Ball::all() {
        match (before.at[ball.slot()], outcome.balls.at[ball.slot()]) {
            (Some(from), to) if to != Some(from) => draw_ball(&mut svg, ball, from, 0.45),
            _ => {}
        }
    }
    for ball in Ball::all() {
        if let Some(at) = outcome.balls.at[ball.slot()] {
            draw_ball(&mut svg, ball, at, 1.0);
        }
    }
    Ok(svg.finish())
}

/// Draws the balls where they lie.
#[must_use]
pub fn draw_position(table: &Table, balls: &Balls, text: &[String]) -> String {
    let mut svg = blank(table.geometry(), text);
    for ball in Ball::all() {
        if let Some(at) = balls.at[ball.slot()] {
            draw_ball(&mut svg, ball, at, 1.0);
        }
    }
    svg.finish()
}

fn place(point: Point) -> Place {
    [f64::from(point.x_um), f64::from(point.y_um)]
}

/// The table and the grid, without balls.
fn blank(geometry: &Geometry, text: &[String]) -> Svg {
    let (length, width) = (f64::from(LENGTH_UM), f64::from(WIDTH_UM));
    let view = View::new([0.0, length], [0.0, width], WIDTH_PX).with_margins(MARGINS_PX);
    let mut svg = Svg::new(view);
    let beyond = 60_000.0;
    svg.rect([-beyond, -beyond], [length + beyond, width + beyond], &Style::filled(CLOTH));
    draw_grid(&mut svg);
    draw_rubber(&mut svg, geometry);
    let um_per_px = length / WIDTH_PX;
    for (i, line) in text.iter().enumerate() {
        let at = [-beyond, width + beyond + um_per_px * (38.0 - 16.0 * i as f64)];
        svg.text(at, line, &Label::centred(13.0, INK).anchored(Anchor::Start));
    }
    svg
}

fn draw_grid(svg: &mut Svg) {
    let style = Style::line(LINES, 1.0).dashed(4.0, 4.0).faded(0.5);
    let (length, width) = (f64::from(LENGTH_UM), f64::from(WIDTH_UM));
    let at = |index: u8| f64::from(index) * f64::from(SPACE_UM);
    for file in 1..FILES {
        svg.line([at(file), 0.0], [at(file), width], &style);
    }
    for rank in 1..RANKS {
        svg.line([0.0, at(rank)], [length, at(rank)], &style);
    }
    let middle = f64::from(SPACE_UM) / 2.0;
    let outside = 95_000.0;
    let label = Label::centred(14.0, INK);
    for file in 0..FILES {
        let name = char::from(b'a' + file).to_string();
        svg.text([at(file) + middle, -outside], &name, &label);
    }
    for rank in 0..RANKS {
        svg.text([-outside, at(rank) + middle], &(rank + 1).to_string(), &label);
    }
}

fn draw_rubber(svg: &mut Svg, geometry: &Geometry) {
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
        let fall = pocket.fall_line;
        svg.line(place(fall.from), place(fall.to), &Style::line(INK, 2.0).dashed(2.0, 2.0));
    }
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
        let colour = if ball == Ball::CUE { "#ffffff" } else { colour(ball) };
        svg.polyline(&places, &Style::line(colour, 2.0).faded(0.8));
    }
}

/// A ball: its colour, a white ring for stripes, its letter.
fn draw_ball(svg: &mut Svg, ball: Ball, at: Point, opacity: f64) {
    let radius = f64::from(BALL_RADIUS_UM);
    let stripes = ball.side() == Some(Side::Stripes);
    let fill = if stripes || ball == Ball::CUE { "#ffffff" } else { colour(ball) };
    let style = Style::filled(fill).outlined(INK, 1.0).faded(opacity);
    svg.circle(place(at), radius, &style);
    if stripes {
        svg.circle(place(at), radius * 0.8, &Style::filled(colour(ball)).faded(opacity));
    }
    if ball != Ball::CUE {
        let ink = if matches!(ball.kind(), Some(Kind::Rook)) { INK } else { "#ffffff" };
        svg.text(place(at), &ball.letter().to_string(), &Label::centred(13.0, ink));
    }
}

/// The colour of a piece: yellow rooks, blue knights, red bishops, violet queens, the king black.
const fn colour(ball: Ball) -> &'static str {
    match ball.kind() {
        Some(Kind::Rook) => "#f2c11d",
        Some(Kind::Knight) => "#1f5fbf",
        Some(Kind::Bishop) => "#c8281e",
        Some(Kind::Queen) => "#6f2f9f",
        Some(Kind::King) => "#111111",
        None => "#ffffff",
    }
}
