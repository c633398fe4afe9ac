//! What an agent sees: everything, as chess pool hides nothing.

use super::call::{Call, Calls};
use super::frame::State;
use super::piece::Side;
use super::record::StateRecord;
use crate::table::Table;
use serde::Serialize;

/// A frame between two answers, and the table it is played on. As JSON it is the `state` that
/// bots are sent: [`StateRecord`] with the side to shoot, the legal calls, and the table's values.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The frame.
    pub state: &'a State,
    /// The table.
    pub table: &'a Table,
}

#[derive(Serialize)]
struct ViewRecord {
    #[serde(flatten)]
    state: StateRecord,
    shooter: Option<Side>,
    calls: Option<Vec<Call>>,
    table: Values,
}

#[derive(Serialize)]
struct Values {
    cloth: u32,
    restitution: u32,
}

impl View<'_> {
    /// The side of the player who is asked, once sides are chosen.
    #[must_use]
    pub fn shooter(&self) -> Option<Side> {
        self.state.side_of(self.state.to_move())
    }
}

impl Serialize for View<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let spec = self.table.spec();
        let (shooter, grid) = (self.shooter(), self.state.rules().options.grid);
        ViewRecord {
            state: self.state.into(),
            shooter,
            calls: shooter
                .map(|side| Calls::of(self.state.balls(), side, grid).as_slice().to_vec()),
            table: Values { cloth: spec.cloth, restitution: spec.restitution },
        }
        .serialize(serializer)
    }
}
