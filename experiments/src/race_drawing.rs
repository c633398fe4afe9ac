//! A stroke of the race as an image: where the balls lay and came to rest, and the ways between.

use crate::shots::drawing::colour;
use crate::shots::names::NameSet;
use crate::table_drawing::{Look, TableDrawing};
use cuebench_engine::shot::{Balls, Launch, ShotError};
use cuebench_engine::snooker::Ball;
use cuebench_engine::table::Table;

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
    let mut drawing = TableDrawing::new(table.geometry(), text);
    let slots = Ball::ALL.map(|ball| ball.slot() as u8);
    drawing.shot(before, (&outcome, &trace), &slots, look);
    Ok(drawing.finish())
}

fn look(slot: u8) -> Look {
    Look::plain(colour(NameSet::Race, slot))
}
