//! One shot a line: a record on its own.

use crate::chess_pool::events::{Fall, events};
use crate::chess_pool::keys::{check_inner_keys, check_keys};
use crate::chess_pool::setup::changed;
use anyhow::{Context as _, anyhow};
use cuebench_engine::chess_pool::call::Call;
use cuebench_engine::chess_pool::judge::Verdict;
use cuebench_engine::chess_pool::options::Options;
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::chess_pool::position::Position;
use cuebench_engine::chess_pool::recorded::judge;
use cuebench_engine::table::Table;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The keys of a record.
const KEYS: [&str; 8] =
    ["id", "position", "shooter", "call", "contacts", "pocketed", "shot", "options"];

/// One shot as people record it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    #[serde(rename = "id")]
    _id: Option<Value>,
    position: Position,
    shooter: Side,
    call: Call,
    contacts: Option<Vec<[Ball; 2]>>,
    pocketed: Option<Vec<Fall>>,
    shot: Option<String>,
    options: Option<Map<String, Value>>,
}

/// The record's id, and its verdict with the reasons.
pub fn judge_line(
    line: &[u8],
    table: &Table,
    options: &Options,
) -> (Value, anyhow::Result<(Verdict, Vec<String>)>) {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return (Value::Null, Err(anyhow!("not a line of JSON: {error}"))),
    };
    let id = value.get("id").cloned().unwrap_or_default();
    let known = check_keys(&value, "", &KEYS).and_then(|()| check_inner_keys(&value));
    // From the text, not the value: a key that stands twice must be seen.
    let verdict = known
        .map_err(|error| anyhow!(error))
        .and_then(|()| {
            serde_json::from_slice(line).map_err(|error| anyhow!("not a record of a shot: {error}"))
        })
        .and_then(|record| judge_record(record, table, options));
    (id, verdict)
}

fn judge_record(
    record: Record,
    table: &Table,
    options: &Options,
) -> anyhow::Result<(Verdict, Vec<String>)> {
    let options = match record.options {
        None => *options,
        Some(given) => changed(options, given).map_err(|error| anyhow!("options: {error}"))?,
    };
    let notes = events(record.contacts, record.pocketed, record.shot.as_deref())?
        .context("missing field `contacts`; give `contacts` and `pocketed`, or `shot`")?;
    let pocketed: Vec<Ball> = notes.falls.iter().map(|(ball, _)| *ball).collect();
    let mut reasons = Vec::new();
    let verdict = judge(
        (table, &record.position.0),
        (record.shooter, record.call),
        (&notes.contacts, &pocketed),
        &options,
        |reason| reasons.push(reason.to_string()),
    )?;
    Ok((verdict, reasons))
}
