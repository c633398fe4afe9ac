//! A shot of chess pool as an image: the board, pieces by letter and colour, where they lay and
//! came to rest, and the ways between.

use crate::output::svg::{Label, Style};
use crate::table_drawing::{Look, Mark, TableDrawing};
use cuebench_engine::chess_pool::board::Grid;
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
    (table, grid): (&Table, Grid),
    before: &Balls,
    launch: Launch,
    text: &[String],
) -> Result<String, ShotError> {
    let (outcome, trace) = table.trace(before, launch)?;
    let mut drawing = board(table.geometry(), grid, text);
    drawing.shot(before, (&outcome, &trace), &slots(), look);
    Ok(drawing.finish())
}

/// Draws the balls where they lie.
#[must_use]
pub fn draw_position((table, grid): (&Table, Grid), balls: &Balls, text: &[String]) -> String {
    let mut drawing = board(table.geometry(), grid, text);
    drawing.balls(balls, &slots(), look);
    drawing.finish()
}

fn slots() -> Vec<u8> {
    Ball::all().map(|ball| ball.slot() as u8).collect()
}

/// The table and the grid, without balls.
fn board(geometry: &Geometry, grid: Grid, text: &[String]) -> TableDrawing {
    let mut drawing = TableDrawing::new(geometry, text);
    let svg = drawing.surface();
    let style = Style::line("white", 1.0).dashed(4.0, 4.0).faded(0.5);
    let (length, width) = (f64::from(LENGTH_UM), f64::from(WIDTH_UM));
    let [along, across] = grid.space_um().map(f64::from);
    for file in 1..Grid::FILES {
        let x = f64::from(file) * along;
        svg.line([x, 0.0], [x, width], &style);
    }
    for rank in 1..grid.ranks() {
        let y = f64::from(rank) * across;
        svg.line([0.0, y], [length, y], &style);
    }
    let label = Label::centred(14.0, "white");
    for file in 0..Grid::FILES {
        let name = char::from(b'a' + file).to_string();
        svg.text([(f64::from(file) + 0.5) * along, -OUTSIDE_UM], &name, &label);
    }
    for rank in 0..grid.ranks() {
        let at = [-OUTSIDE_UM, (f64::from(rank) + 0.5) * across];
        svg.text(at, &(rank + 1).to_string(), &label);
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
