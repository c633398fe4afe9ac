//! Chess pool in JSON.

use crate::external::protocol::{self, Malformed};
use crate::wire::{Misread, Wire};
use crate::words::plain;
use cuebench_engine::chess_pool::action::{Action, Phase};
use cuebench_engine::chess_pool::call::Call;
use cuebench_engine::chess_pool::game::{ChessPool, ChessPoolState};
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::chess_pool::view::View;
use cuebench_engine::game::Seat;
use cuebench_engine::units::Point;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct BreakReply {
    cue: Point,
    angle: u32,
    power: u32,
}

#[derive(Deserialize)]
struct ShotReply {
    call: Call,
    angle: u32,
    power: u32,
    cue: Option<Point>,
}

#[derive(Deserialize)]
struct SideReply {
    side: Side,
}

#[derive(Deserialize)]
struct KingReply {
    replace: Ball,
}

impl Wire for ChessPool {
    fn published(&self) -> Value {
        let spec = self.table.spec();
        let mut options = serde_json::to_value(self.rules.options).unwrap_or_default();
        options["cloth"] = spec.cloth.into();
        options["restitution"] = spec.restitution.into();
        options["max_shots"] = self.rules.max_shots.into();
        options
    }

    fn public(&self) -> Value {
        json!({ "board": { "geometry": self.table.geometry() } })
    }

    fn hidden(&self) -> &'static str {
        ""
    }

    fn read(&self, view: &View<'_>, reply: &Map<String, Value>) -> Result<Action, Misread> {
        match view.state.phase() {
            Phase::Break => {
                let BreakReply { cue, angle, power } = fields(reply, &["cue", "angle", "power"])?;
                Ok(Action::Break { cue, angle, power })
            }
            Phase::Side => {
                let SideReply { side } = fields(reply, &["side"])?;
                Ok(Action::Side { side })
            }
            Phase::Shot => {
                let ShotReply { call, angle, power, cue } =
                    fields(reply, &["call", "angle", "power"])?;
                Ok(Action::Shot { call, angle, power, cue })
            }
            Phase::King => {
                let KingReply { replace } = fields(reply, &["replace"])?;
                Ok(Action::King { replace })
            }
            Phase::Over => Err(Misread::Value("the frame is over".to_owned())),
        }
    }

    fn write(&self, _: &View<'_>, action: &Action, out: &mut String) {
        // Only a map with keys that are no text could fail.
        out.push_str(&serde_json::to_string(action).unwrap_or_default());
    }

    fn recorded(&self, _: &View<'_>, written: &Value) -> Result<Action, String> {
        serde_json::from_value(written.clone()).map_err(|error| plain(&error.to_string()))
    }

    fn revealed(&self, _: &ChessPoolState, _: Seat) -> Map<String, Value> {
        Map::new()
    }
}

/// A missing field is no reply, a wrong value is illegal.
fn fields<T: DeserializeOwned>(
    reply: &Map<String, Value>,
    needed: &[&'static str],
) -> Result<T, Misread> {
    if let Some(field) = needed.iter().find(|field| !reply.contains_key(**field)) {
        return Err(Malformed::Field { field, expected: "value" }.into());
    }
    let whole: Map<String, Value> =
        reply.iter().map(|(name, value)| (name.clone(), whole(value))).collect();
    serde_json::from_value(Value::Object(whole))
        .map_err(|error| Misread::Value(plain(&error.to_string())))
}

/// Whole numbers may be written as floats (`90000.0`, `-0`).
fn whole(value: &Value) -> Value {
    match value {
        Value::Number(_) => protocol::whole(value).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(whole).collect(),
        other => other.clone(),
    }
}
