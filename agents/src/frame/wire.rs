//! Frames of an outcome model in JSON.

use crate::external::protocol::Malformed;
use crate::wire::{Misread, Wire};
use cuebench_engine::frame::{ActionId, FrameState, Game, View};
use cuebench_engine::game::Seat;
use serde_json::{Map, Value, json};

impl Wire for Game {
    fn published(&self) -> Value {
        let parameters: Map<String, Value> = self
            .definition()
            .parameters()
            .into_iter()
            .map(|parameter| {
                let value = serde_json::to_value(&parameter.value).unwrap_or_default();
                (parameter.name, value)
            })
            .collect();
        json!({ "actions": self.actions(), "parameters": parameters })
    }

    fn public(&self) -> Value {
        json!({})
    }

    fn hidden(&self) -> &'static str {
        "the draws of every frame"
    }

    fn read(&self, view: &View<'_>, reply: &Map<String, Value>) -> Result<ActionId, Misread> {
        let action = reply.get("action").and_then(Value::as_str);
        let action = action.ok_or(Malformed::Field { field: "action", expected: "text" })?;
        view.action(action).ok_or_else(|| {
            let open = view.actions().join(", ");
            Misread::Value(format!("action {action:.40?} is not open; open: {open}"))
        })
    }

    fn write(&self, view: &View<'_>, action: &ActionId, out: &mut String) {
        let name = view.action_name(*action);
        // Plain identifiers, which nearly all are, need no escapes.
        if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            out.push('"');
            out.push_str(name);
            out.push('"');
        } else {
            out.push_str(&Value::from(name).to_string());
        }
    }

    fn recorded(&self, view: &View<'_>, written: &Value) -> Result<ActionId, String> {
        let name = written.as_str().ok_or_else(|| "an action is written as its name".to_owned())?;
        view.action(name).ok_or_else(|| {
            format!("action {name:.40?} is not open; open: {}", view.actions().join(", "))
        })
    }

    fn spoken(&self, view: &View<'_>, action: &ActionId) -> String {
        view.action_name(*action).to_owned()
    }

    fn revealed(&self, _: &FrameState, _: Seat) -> Map<String, Value> {
        Map::new()
    }
}
