//! A shot of chess pool as an image: the 8 x 4 grid, pieces by letter and colour, where they lay and
//! came to rest, and the ways between.

use crate::output::svg::{Label, Style};
use crate::table_drawing::{Look, Mark, TableDrawing};
use cuebench_engine::chess_pool::board::{FILES, RANKS, SPACE_UM};
use cuebench_engine::chess_pool::piece::{Ball, Kind, Side};
use cuebench_engine::shot::{Balls, Launch, ShotError};
use cuebench_engine::table::{Geometry, Table};
use cuebench_engine::units::{LENGTH_UM, WIDTH_UM};

/// How far from the playing area files and ranks are named, µm.
const OUTSIDE_UM: f64 = 95_000.0;

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
    let mut drawing = board(table.geometry(), text);
    drawing.shot(before, (&outcome, &trace), &slots(), look);
    Ok(drawing.finish())
}

/// Draws the balls where they lie.
#[must_use]
pub fn draw_position(table: &Table, balls: &Balls, text: &[String]) -> String {
    let mut drawing = board(table.geometry(), text);
    drawing.balls(balls, &slots(), look);
    drawing.finish()
}

fn slots() -> Vec<u8> {
    Ball::all().map(|ball| ball.slot() as u8).collect()
}

/// The table and the grid, without balls.
fn board(geometry: &Geometry, text: &[String]) -> TableDrawing {
    let mut drawing = TableDrawing::new(geometry, text);
    let svg = drawing.surface();
    let style = Style::line("white", 1.0).dashed(4.0, 4.0).faded(0.5);
    let (length, width) = (f64::from(LENGTH_UM), f64::from(WIDTH_UM));
    let at = |index: u8| f64::from(index) * f64::from(SPACE_UM);
    for file in 1..FILES {
        svg.line([at(file), 0.0], [at(file), width], &style);
    }
    for rank in 1..RANKS {
        svg.line([0.0, at(rank)], [length, at(rank)], &style);
    }
    let middle = f64::from(SPACE_UM) / 2.0;
    let label = Label::centred(14.0, "white");
    for file in 0..FILES {
        let name = char::from(b'a' + file).to_string();
        svg.text([at(file) + middle, -OUTSIDE_UM], &name, &label);
    }
    for rank in 0..RANKS {
        svg.text([-OUTSIDE_UM, at(rank) + middle], &(rank + 1).to_string(), &label);
    }
    drawing
}

/// A ball: its colour, a white ring for stripes, its letter.
fn look(slot: u8) -> Look {
    let ball = Ball::all().find(|ball| ball.slot() == usize::from(slot));
    let Some(ball) = ball.filter(|&ball| ball != Ball::CUE) else { return Look::plain("#ffffff") };
    let ink = if ball.kind() == Some(Kind::Rook) { "#1a1a1a" } else { "white" };
    Look {
        ring: ball.side() == Some(Side::Stripes),
        mark: Some((Mark::On, ball.letter().to_string(), ink)),
        ..Look::plain(colour(ball))
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
