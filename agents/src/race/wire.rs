//! The race in JSON.

use crate::external::protocol::{self, Malformed};
use crate::wire::{Misread, Wire};
use cuebench_engine::game::{Game as _, Seat, Seed};
use cuebench_engine::snooker::{Action, PublicView, Race, RaceState, SeatResult, TableOption};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

impl Wire for Race {
    fn published(&self) -> Value {
        let mut options = serde_json::to_value(self.options).unwrap_or_default();
        if let Some(noise) = self.noise {
            options["noise"] = serde_json::to_value(noise).unwrap_or_default();
        }
        options
    }

    fn public(&self) -> Value {
        let start = self.start(Seed::open(0));
        json!({ "board": { "geometry": start.table(0).table().geometry() } })
    }

    fn hidden(&self) -> &'static str {
        match (self.options.table, self.noise) {
            (TableOption::Hidden, None) => "cloth speed and restitution",
            (TableOption::Hidden, Some(_)) => "cloth speed, restitution and aiming noise",
            (TableOption::Known, Some(_)) => "aiming noise",
            (TableOption::Known, None) => "",
        }
    }

    fn read(&self, _: &PublicView, reply: &Map<String, Value>) -> Result<Action, Misread> {
        let whole = |field: &'static str, range: &str| -> Result<u32, Misread> {
            let number = match reply.get(field) {
                Some(number @ Value::Number(_)) => number,
                _ => return Err(Malformed::Field { field, expected: "number" }.into()),
            };
            protocol::whole(number)
                .and_then(|number| u32::try_from(number).ok())
                .ok_or_else(|| Misread::Value(format!("{field} {number}: a whole number {range}")))
        };
        Ok(Action { angle: whole("angle", "0..359999")?, power: whole("power", "1..1000")? })
    }

    fn write(&self, _: &PublicView, action: &Action, out: &mut String) {
        let Action { angle, power } = action;
        // Writing to a String cannot fail.
        let _ = write!(out, "[{angle},{power}]");
    }

    fn recorded(&self, _: &PublicView, written: &Value) -> Result<Action, String> {
        let [angle, power] = serde_json::from_value(written.clone())
            .map_err(|_| "a stroke is written as [angle, power]".to_owned())?;
        Ok(Action { angle, power })
    }

    fn spoken(&self, _: &PublicView, action: &Action) -> String {
        format!("angle {}, power {}", action.angle, action.power)
    }

    fn revealed(&self, state: &RaceState, seat: Seat) -> Map<String, Value> {
        let SeatResult { score, strokes, time_ms, closed } = state.result(seat);
        let values = serde_json::to_value(state.table(seat).values()).unwrap_or_default();
        let told = [
            ("table", values),
            ("score", score.into()),
            ("strokes", strokes.into()),
            ("used_ms", time_ms.into()),
            ("closed", closed.name().into()),
            ("fouls", state.fouls(seat).into()),
        ];
        told.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }
}
