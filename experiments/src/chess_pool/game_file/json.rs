//! A game as lines of JSON.

use super::super::events::{Fall, events};
use super::super::keys::{check_inner_keys, check_keys};
use super::super::setup::{NO_LIMIT, Setup};
use super::{Entry, GameFile, Happened, Said, is_comment};
use crate::experiment::grid::Setting;
use anyhow::{Context as _, anyhow, bail};
use cuebench_engine::chess_pool::call::Call;
use cuebench_engine::chess_pool::frame::Seat;
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::chess_pool::position::Position;
use cuebench_engine::units::Point;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The keys of an answer's line.
const KEYS: [&str; 12] = [
    "id", "seat", "cue", "call", "side", "replace", "angle", "power", "contacts", "pocketed",
    "shot", "after",
];

/// The first line, which may be left out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    #[serde(rename = "game")]
    _game: Name,
    #[serde(default)]
    breaker: Seat,
    #[serde(default)]
    options: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
enum Name {
    #[serde(rename = "chess-pool")]
    ChessPool,
}

/// Any other line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    id: Value,
    seat: Option<Seat>,
    cue: Option<Point>,
    call: Option<Call>,
    side: Option<Side>,
    replace: Option<Ball>,
    angle: Option<u32>,
    power: Option<u32>,
    contacts: Option<Vec<[Ball; 2]>>,
    pocketed: Option<Vec<Fall>>,
    shot: Option<String>,
    after: Option<Position>,
}

pub fn read(text: &str, settings: &[Setting]) -> anyhow::Result<GameFile> {
    let mut lines =
        text.lines().enumerate().filter(|(_, line)| !is_comment(line.trim())).peekable();
    let mut file = GameFile {
        setup: Setup::of(settings).map_err(|error| anyhow!(error))?,
        breaker: 0,
        entries: vec![],
        ending: None,
    };
    if let Some((index, line)) =
        lines.next_if(|(_, line)| value(line).is_ok_and(|value| value.get("game").is_some()))
    {
        head(line, settings, &mut file).with_context(|| format!("line {}", index + 1))?;
    }
    for (index, line) in lines {
        let place = || format!("line {}", index + 1);
        file.entries.push(entry(line, index + 1).with_context(place)?);
    }
    Ok(file)
}

fn value(line: &str) -> anyhow::Result<Value> {
    serde_json::from_str(line).map_err(|error| anyhow!("not a line of JSON: {error}"))
}

fn head(line: &str, settings: &[Setting], file: &mut GameFile) -> anyhow::Result<()> {
    check_keys(&value(line)?, "", &["game", "breaker", "options"]).map_err(|e| anyhow!(e))?;
    let head: Head = serde_json::from_str(line)?;
    if head.breaker > 1 {
        bail!("breaker: a seat is 0 or 1");
    }
    file.breaker = head.breaker;
    let mut all = settings.to_vec();
    for (name, value) in head.options {
        let value = match value {
            Value::String(text) => text,
            Value::Null => NO_LIMIT.to_owned(),
            other => other.to_string(),
        };
        all.push(Setting { name, value });
    }
    file.setup = Setup::of(&all).map_err(|error| anyhow!("options: {error}"))?;
    Ok(())
}

fn entry(line: &str, number: usize) -> anyhow::Result<Entry> {
    let value = value(line)?;
    check_keys(&value, "", &KEYS)
        .and_then(|()| check_inner_keys(&value))
        .map_err(|error| anyhow!(error))?;
    // From the text, not the value: a key that stands twice must be seen.
    let line: Line = serde_json::from_str(line).context("not a line of a game")?;
    let notes = events(line.contacts, line.pocketed, line.shot.as_deref())?;
    let happened = match (notes, line.after) {
        (Some(notes), Some(Position(after))) => Some(Happened { notes, after }),
        (None, None) => None,
        (Some(_), None) => bail!("missing field `after`: where the balls came to rest"),
        (None, Some(_)) => {
            bail!("`after` without what happened: `contacts` and `pocketed`, or `shot`")
        }
    };
    let stroke = match (line.angle, line.power) {
        (Some(angle), Some(power)) => Some([angle, power]),
        (None, None) => None,
        _ => bail!("give both `angle` and `power`, or neither"),
    };
    let shot = line.cue.is_some() || stroke.is_some() || happened.is_some();
    let said = match (line.call, line.side, line.replace, line.cue) {
        (Some(call), None, None, cue) => Said::Shot { call, cue, stroke },
        (None, None, None, Some(cue)) => Said::Break { cue, stroke },
        (None, Some(side), None, None) if !shot => Said::Side(side),
        (None, None, Some(ball), None) if !shot => Said::King(ball),
        _ => bail!(
            "not an answer; give `cue` for the break, `side`, `call` for a shot, or `replace`, with \
             what happened for the break and a shot"
        ),
    };
    Ok(Entry { line: number, id: line.id, seat: line.seat, said, happened, verdict: None })
}
