//! A bot for the snooker race in Rust (protocol 1): it hits the ball on, and hopes.
//!
//! Try it:
//! ```text
//! cargo build --example race_bot -p cuebench-agents
//! cuebench check-bot -- target/debug/examples/race_bot
//! ```

use serde_json::{Value, json};
use std::io::{self, BufRead as _, Write as _};

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let id = &message["id"];
        match message["type"].as_str() {
            Some("hello") => {
                say(&json!({ "type": "hello", "id": id, "name": "straight", "version": "1" }))?;
            }
            Some("new_game") => say(&json!({ "type": "ready", "id": id }))?,
            Some("move") => {
                let angle = aim(&message["state"]).unwrap_or(0);
                say(&json!({ "type": "move", "id": id, "angle": angle, "power": 300 }))?;
            }
            Some("quit") => break,
            // Notices that need not be understood.
            _ => {}
        }
    }
    Ok(())
}

/// Writes one line and flushes it: the commonest slip is no flush.
fn say(message: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{message}")?;
    out.flush()
}

/// The angle from the white to the ball on (to the first that is left, if any will do),
/// thousandths of a degree.
fn aim(state: &Value) -> Option<u32> {
    let balls = state["balls"].as_object()?;
    let on = state["ball_on"].as_str()?;
    let target = balls
        .iter()
        .find(|(name, at)| (*name == on || on == "any") && *name != "white" && !at.is_null())?;
    let at = |ball: &Value| Some((ball[0].as_f64()?, ball[1].as_f64()?));
    let ((x, y), (to_x, to_y)) = (at(&balls["white"])?, at(target.1)?);
    let degrees = (to_y - y).atan2(to_x - x).to_degrees();
    Some((degrees * 1000.0).round().rem_euclid(360_000.0) as u32)
}
