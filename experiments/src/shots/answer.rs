//! The answer to a shot, as a line of JSON.

use super::line::{Refusal, Shot};
use super::names::NameSet;
use cuebench_engine::shot::{Met, Outcome, Sight, Trace, TraceEvent};
use serde_json::{Map, Value, json};

/// Plays a shot and tells what happened; with every event if `trace`.
#[must_use]
pub fn answer(shot: &Shot, trace: bool) -> Value {
    let played = if trace {
        shot.table.trace(&shot.balls, shot.stroke.into()).map(|(o, t)| (o, Some(t)))
    } else {
        shot.table.simulate(&shot.balls, shot.stroke).map(|outcome| (outcome, None))
    };
    match played {
        Ok((outcome, trace)) => told(shot, &outcome, trace.as_ref()),
        Err(error) => refused(&Refusal { id: shot.id.clone(), reason: error.to_string() }),
    }
}

/// The answer to a line that is no shot.
#[must_use]
pub fn refused(refusal: &Refusal) -> Value {
    json!({ "id": refusal.id, "error": refusal.reason })
}

fn told(shot: &Shot, outcome: &Outcome, trace: Option<&Trace>) -> Value {
    let names = shot.names;
    let balls: Map<String, Value> = shot
        .order
        .iter()
        .map(|&slot| (names.name(slot).to_owned(), json!(outcome.balls.at[usize::from(slot)])))
        .collect();
    let potted: Vec<Value> = outcome
        .falls
        .iter()
        .map(|fall| {
            json!({ "ball": names.name(fall.ball), "pocket": fall.pocket, "t": seconds(fall.time_ns) })
        })
        .collect();
    let mut answer = json!({
        "id": shot.id,
        "balls": balls,
        "potted": potted,
        "first_hit": outcome.first_hit.map(|slot| names.name(slot)),
        "duration": seconds(outcome.duration_ns),
        "n_events": outcome.events,
        "capped": outcome.capped,
    });
    if let Some(trace) = trace {
        let events: Vec<Value> =
            trace.events.iter().map(|event| told_event(event, names)).collect();
        answer["events"] = events.into();
    }
    answer
}

fn told_event(event: &TraceEvent, names: NameSet) -> Value {
    let mut told = json!({ "t": seconds(event.time_ns), "event": event.met.kind() });
    told["ball"] = json!(names.name(event.ball));
    if let Some(surface) = event.met.surface() {
        told["surface"] = json!(surface);
    }
    told["at"] = json!(event.before[0].at);
    told["before"] = json!(event.before[0].velocity);
    told["after"] = json!(event.after[0].velocity);
    if let Met::Ball(other) = event.met {
        let [before, after]: [Sight; 2] = [event.before[1], event.after[1]];
        told["other"] = json!(names.name(other));
        told["other_at"] = json!(before.at);
        told["other_before"] = json!(before.velocity);
        told["other_after"] = json!(after.velocity);
    }
    told
}

fn seconds(time_ns: u64) -> f64 {
    time_ns as f64 / 1e9
}
