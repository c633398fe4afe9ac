//! `cuebench judge`: verdicts on shots of chess pool, from records instead of physics.

use super::Exit;
use crate::output::print_json;
use anyhow::{Context as _, anyhow, bail};
use cuebench_engine::chess_pool::call::Call;
use cuebench_engine::chess_pool::judge::{Verdict, judge};
use cuebench_engine::chess_pool::options::Options;
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::chess_pool::position::Position;
use cuebench_engine::table::Pocket;
use cuebench_engine::units::{BALL_RADIUS_UM, LENGTH_UM, WIDTH_UM};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::PathBuf;

/// The greatest length of one record, bytes.
const MAX_LINE: u64 = 1 << 20;

/// The greatest number of contacts of one shot.
const MAX_CONTACTS: usize = 10_000;

/// Arguments of `cuebench judge`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// File with one record a line; standard input when it is left out.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// A reading of the rules, as NAME=VALUE; can be given again. A record's own `options` go
    /// before it.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// JSON lines on standard output, which is the only form.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
A record is one line:
  {\"id\":\"a\",\"position\":{\"cue\":[635000,635000],\"1\":[900000,635000],\"12\":[1300000,635000],
   \"8\":[2000000,300000]},\"shooter\":\"solids\",\"call\":{\"kind\":\"move\",\"capturer\":\"1\",\"target\":\"12\"},
   \"contacts\":[[\"cue\",\"1\"],[\"1\",\"12\"]],\"pocketed\":[{\"ball\":\"12\",\"pocket\":\"tr\"}]}
Places are whole micrometres, contacts and falls in order of time. A line that cannot be judged is
answered by an object with `error`; the rest goes on, and the exit code is 2 at the end.
Options and defaults: no_meeting=slop|move, move_pocketed=removed|returned, win_on_last_swap=false,
foul_returns=true, cue_in_hand=scratch|foul (and, for the break, break_contact=any|apex,
break_scratch_returns=true, break_foul_chooser=breaker|opponent).";

/// One shot as people record it.
#[derive(Debug, Deserialize)]
struct Record {
    position: Position,
    shooter: Side,
    call: Call,
    contacts: Vec<[Ball; 2]>,
    pocketed: Vec<Fall>,
    options: Option<serde_json::Map<String, Value>>,
}

/// A ball in a pocket.
#[derive(Debug, Deserialize)]
struct Fall {
    ball: Ball,
    #[serde(rename = "pocket")]
    _pocket: Pocket,
}

/// The answer to a record that can be judged.
#[derive(Debug, Serialize)]
struct Judgement {
    id: Value,
    #[serde(flatten)]
    verdict: Verdict,
    reasons: Vec<String>,
}

/// The answer to a line that cannot be judged.
#[derive(Debug, Serialize)]
struct Refusal {
    id: Value,
    line: u64,
    error: String,
}

/// Runs the command.
///
/// # Errors
/// When input or output fails or an option is unknown; at the end, when any line was refused.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let options = read_options(&args.options)?;
    let (lines, refused) = match &args.file {
        None => judge_lines(io::stdin().lock(), &options)?,
        Some(path) => {
            let file = File::open(path).with_context(|| path.display().to_string())?;
            judge_lines(BufReader::new(file), &options)?
        }
    };
    match refused {
        0 => Ok(Exit::Done),
        _ => bail!("{refused} of {lines} records could not be judged; see `error` in the output"),
    }
}

fn read_options(texts: &[String]) -> anyhow::Result<Options> {
    let mut given = serde_json::Map::new();
    for text in texts {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| anyhow!("--option {text}: write it as NAME=VALUE"))?;
        let value = serde_json::from_str(value)
            .ok()
            .filter(Value::is_boolean)
            .unwrap_or_else(|| value.into());
        given.insert(name.to_owned(), value);
    }
    changed(&Options::default(), given).context("--option")
}

/// `options` with the readings of `given` in place of its own.
fn changed(options: &Options, given: serde_json::Map<String, Value>) -> anyhow::Result<Options> {
    let mut all = serde_json::to_value(options)?;
    if let Value::Object(all) = &mut all {
        all.extend(given);
    }
    Ok(serde_json::from_value(all)?)
}

/// Judges line by line; the numbers of records and of refusals.
fn judge_lines(mut input: impl BufRead, options: &Options) -> anyhow::Result<(u64, u64)> {
    let (mut records, mut refused) = (0, 0);
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let length = input.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line)? as u64;
        if length == 0 {
            break;
        }
        let long = length > MAX_LINE && !line.ends_with(b"\n");
        if long {
            skip_line(&mut input)?;
        } else if line.trim_ascii().is_empty() {
            continue;
        }
        records += 1;
        let (id, answer) = if long {
            (Value::Null, Err(anyhow!("the line is longer than {MAX_LINE} bytes")))
        } else {
            judge_line(&line, options)
        };
        match answer {
            Ok((verdict, reasons)) => print_json(&Judgement { id, verdict, reasons }),
            Err(error) => {
                refused += 1;
                print_json(&Refusal { id, line: number, error: format!("{error:#}") })
            }
        }
        .context("standard output")?;
    }
    Ok((records, refused))
}

/// Reads to the end of a line that is too long to keep.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, ended) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(index) => (index + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if ended {
            return Ok(());
        }
    }
}

/// The record's id, and its verdict with the reasons.
fn judge_line(line: &[u8], options: &Options) -> (Value, anyhow::Result<(Verdict, Vec<String>)>) {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return (Value::Null, Err(anyhow!("not a line of JSON: {error}"))),
    };
    let id = value.get("id").cloned().unwrap_or_default();
    // From the text, not the value: a key that stands twice must be seen.
    let verdict = serde_json::from_slice(line)
        .map_err(|error| anyhow!("not a record of a shot: {error}"))
        .and_then(|record| judge_record(record, options));
    (id, verdict)
}

fn judge_record(record: Record, options: &Options) -> anyhow::Result<(Verdict, Vec<String>)> {
    let options = match record.options {
        None => *options,
        Some(given) => changed(options, given).context("options")?,
    };
    check_places(&record.position)?;
    if record.contacts.len() > MAX_CONTACTS {
        bail!("contacts: {} of them; at most {MAX_CONTACTS} are read", record.contacts.len());
    }
    let pocketed: Vec<Ball> = record.pocketed.iter().map(|fall| fall.ball).collect();
    let mut reasons = Vec::new();
    let verdict = judge(
        &record.position.0,
        (record.shooter, record.call),
        (&record.contacts, &pocketed),
        &options,
        |reason| reasons.push(reason.to_string()),
    )?;
    Ok((verdict, reasons))
}

/// Every centre lies on the playing area, or in the jaws less than a radius outside it.
fn check_places(position: &Position) -> anyhow::Result<()> {
    let near = |um: i32, most: i32| (-BALL_RADIUS_UM..=most + BALL_RADIUS_UM).contains(&um);
    for ball in Ball::all() {
        let Some(at) = position.0.at[ball.slot()] else { continue };
        if !near(at.x_um, LENGTH_UM) || !near(at.y_um, WIDTH_UM) {
            bail!("position: {ball} at [{}, {}] lies off the table", at.x_um, at.y_um);
        }
    }
    Ok(())
}
