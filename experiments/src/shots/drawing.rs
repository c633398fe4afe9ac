//! Drawings of tables and shots.

use super::line::Shot;
use super::names::NameSet;
use crate::output::svg::Style;
use crate::table_drawing::{Look, Mark, TableDrawing, place};
use cuebench_engine::shot::{Outcome, Trace};
use cuebench_engine::table::Geometry;

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
    let mut drawing = TableDrawing::new(geometry, &[]);
    for pocket in &geometry.pockets {
        drawing.surface().dot(place(pocket.aim), 3.0, &Style::filled("white"));
    }
    drawing.finish()
}

/// The drawing of a shot: balls before (pale, dashed) and after, ways, contacts.
#[must_use]
pub fn shot(shot: &Shot, outcome: &Outcome, trace: &Trace) -> String {
    let mut drawing = TableDrawing::new(shot.table.geometry(), &[]);
    let look = |slot| Look {
        ring: shot.names == NameSet::Pool && slot > 8,
        mark: Some((Mark::Above, shot.names.name(slot).to_owned(), "white")),
        ..Look::plain(colour(shot.names, slot))
    };
    drawing.shot(&shot.balls, (outcome, trace), &shot.order, look);
    drawing.finish()
}

/// The colour of the ball in `slot`.
#[must_use]
pub fn colour(names: NameSet, slot: u8) -> &'static str {
    let slot = usize::from(slot);
    match names {
        NameSet::Race => RACE[slot.min(6)],
        NameSet::Pool => POOL[if slot > 8 { slot - 8 } else { slot }],
    }
}
