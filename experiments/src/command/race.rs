//! `cuebench race`: one seat's table, played from strokes on standard input.

use super::Exit;
use super::race_options::RaceOptions;
use crate::output::{note, print_json, print_text};
use anyhow::{Context as _, anyhow, bail, ensure};
use cuebench_agents::clock::milliseconds;
use cuebench_agents::lines::LineReader;
use cuebench_agents::spec::did_you_mean;
use cuebench_agents::words::plain;
use cuebench_engine::game::Seed;
use cuebench_engine::shot::{Balls, Outcome};
use cuebench_engine::snooker::{
    Action, Ball, PublicView, SeatTable, TableValues, named, table_values,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The greatest length of a stroke's line, bytes.
const MAX_LINE: usize = 1 << 20;
/// The greatest length of a position's file, bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Arguments of `cuebench race`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The race: layout, hidden values and aiming noise follow from it. With --position it may be
    /// left out, and is 0 then.
    #[arg(long, value_name = "S", required_unless_present = "position")]
    seed: Option<u64>,
    #[command(flatten)]
    options: RaceOptions,
    /// Start from the balls in this file instead of the seed's layout.
    #[arg(long, value_name = "FILE")]
    position: Option<PathBuf>,
    /// Seconds from the start in which the table must be played, as in a match; a stroke after them
    /// does not count and closes the table. No clock runs without it.
    #[arg(long, value_name = "S", value_parser = seconds)]
    clock: Option<f64>,
    /// Print the state before the first stroke too.
    #[arg(long)]
    start: bool,
    /// One JSON object a stroke on standard output.
    #[arg(long)]
    json: bool,
}

/// The keys of a stroke.
const STROKE_KEYS: [&str; 2] = ["angle", "power"];

const AFTER_HELP: &str = "\
Strokes are read from standard input, one a line: {\"angle\":90000,\"power\":500} or, shorter,
[90000,500]: angle in thousandths of a degree anticlockwise from +x, 0 to 359999, then power, 1 to
1000 (the white leaves at 6000 µm/s times this). Other keys are refused. After each the public
state is printed. A stroke that cannot be played is refused with the reason, the table stays as it
was, the rest goes on, and the exit code is 2 at the end. With --clock the time runs from the start.

A position is JSON: {\"balls\":{\"white\":[635000,635000],\"yellow\":[1270000,400000]},\"cloth\":1000,
\"restitution\":750}, in whole micrometres, mm/s² and thousandths. Its places are the starting
positions, colours left out have gone, and values left out follow from the seed.";

/// A position as it stands in a file.
#[derive(Deserialize)]
struct Position {
    #[serde(with = "named")]
    balls: Balls,
    cloth: Option<u32>,
    restitution: Option<u32>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The state after a line of input.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    view: &'a PublicView,
    /// Why the stroke was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// When the position is not valid or input or output fails; at the end, when a stroke was refused.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut table = table(args)?;
    let begun = Instant::now();
    if args.start {
        print(&table.observe(), None, args.json)?;
    }
    let mut input = LineReader::new(io::stdin().lock(), MAX_LINE);
    let (mut strokes, mut refused) = (0_u64, 0_u64);
    while let Some(line) = next_line(&mut input)? {
        strokes += 1;
        let time_ms = args.clock.map_or(0, |_| milliseconds(begun.elapsed()));
        let played = line.and_then(|line| play(&mut table, &line, time_ms));
        let error = played.err().map(|error| plain(&format!("{error:#}")));
        if let Some(error) = &error {
            refused += 1;
            note(&format!("stroke {strokes} refused: {error}"));
        }
        print(&table.observe(), error, args.json)?;
    }
    ensure!(refused == 0, "{refused} of {strokes} strokes were refused");
    Ok(Exit::Done)
}

fn table(args: &Args) -> anyhow::Result<SeatTable> {
    let seed = args.seed.unwrap_or(0);
    let clock_ms = args.clock.map(|seconds| (seconds * 1000.0).round() as u64);
    let setup = args.options.race(clock_ms).setup(Seed::open(seed));
    let Some(path) = &args.position else { return Ok(SeatTable::new(setup)) };
    let Position { balls, cloth, restitution, rest } = read_position(path)?;
    for key in rest.keys() {
        note(&format!("{}: `{key}` is ignored", path.display()));
    }
    let drawn = table_values(setup.seed, &setup.options);
    let values = TableValues {
        cloth: cloth.unwrap_or(drawn.cloth),
        restitution: restitution.unwrap_or(drawn.restitution),
    };
    SeatTable::from_position(setup, balls, values)
        .with_context(|| format!("{}: not a position of the race", path.display()))
}

fn read_position(path: &Path) -> anyhow::Result<Position> {
    let mut bytes = vec![];
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .with_context(|| format!("{}: cannot be read", path.display()))?;
    ensure!(
        bytes.len() as u64 <= MAX_BYTES,
        "{}: larger than {MAX_BYTES} bytes; is it the right file?",
        path.display()
    );
    serde_json::from_slice(&bytes).with_context(|| {
        format!(
            "{}: not a position; write {{\"balls\":{{\"white\":[x,y],..}}}} with whole micrometres",
            path.display()
        )
    })
}

/// The next line that is not blank, an error if it is no text or too long to be a stroke; `None`
/// at the end.
fn next_line(
    input: &mut LineReader<impl BufRead>,
) -> anyhow::Result<Option<anyhow::Result<String>>> {
    while let Some(line) = input.advance().context("standard input cannot be read")? {
        if line.too_long {
            let error = anyhow!("longer than {MAX_LINE} bytes; write one stroke a line");
            return Ok(Some(Err(error)));
        }
        if !line.is_blank() {
            return Ok(Some(String::from_utf8(line.text.to_vec()).context("not UTF-8 text")));
        }
    }
    Ok(None)
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "give a number of seconds".to_owned())?;
    let fits = (0.001..=86_400.0).contains(&seconds);
    if fits { Ok(seconds) } else { Err("give 0.001 to 86400 seconds".to_owned()) }
}

fn play(table: &mut SeatTable, line: &str, time_ms: u64) -> anyhow::Result<()> {
    if let Ok(object) = serde_json::from_str::<Map<String, Value>>(line)
        && let Some(key) = object.keys().find(|key| !STROKE_KEYS.contains(&key.as_str()))
    {
        let near = did_you_mean(key, &STROKE_KEYS);
        bail!("unknown key `{key}`{near}; a stroke has `angle` and `power` alone");
    }
    let action: Action = serde_json::from_str(line).context(
        "not a stroke; write {\"angle\":0..359999,\"power\":1..1000} or [angle,power] with whole \
         numbers",
    )?;
    table.step_at(action, time_ms, &mut Outcome::default())?;
    Ok(())
}

fn print(view: &PublicView, error: Option<String>, json: bool) -> anyhow::Result<()> {
    if json {
        print_json(&Line { view, error }).context("standard output")
    } else {
        print_text(&as_text(view, error.as_deref())).context("standard output")
    }
}

/// The state for the reader: what the stroke did, then where the balls are.
fn as_text(view: &PublicView, error: Option<&str>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = match error {
        Some(error) => writeln!(text, "refused: {error}"),
        None if view.strokes == 0 => writeln!(text, "start"),
        None => writeln!(text, "stroke {}: {}", view.strokes, what_happened(view)),
    };
    let on = view.ball_on.map_or("none", |on| on.name());
    let _ = write!(text, "  score {}, strokes {}, ball on {on}", view.score, view.strokes);
    if let Some(closed) = view.closed {
        let _ = write!(text, ", closed: {}", closed.name());
    }
    if let Some(TableValues { cloth, restitution }) = view.table {
        let _ = write!(text, ", cloth {cloth} mm/s², restitution {restitution}/1000");
    }
    text.push_str("\n ");
    for ball in Ball::ALL {
        let _ = match view.balls.at[ball.slot()] {
            Some(at) => write!(text, " {ball} {},{}", at.x_um, at.y_um),
            None => write!(text, " {ball} -"),
        };
    }
    text.push('\n');
    text
}

fn what_happened(view: &PublicView) -> String {
    let mut parts = vec![match view.first_hit {
        Some(ball) => format!("hit {ball} first"),
        None => "hit no ball".to_owned(),
    }];
    if !view.potted.is_empty() {
        let names: Vec<_> = view.potted.iter().map(|ball| ball.name()).collect();
        parts.push(format!("potted {}", names.join(", ")));
    }
    if !view.fouls.is_empty() {
        let names: Vec<_> = view.fouls.iter().map(|foul| foul.name()).collect();
        parts.push(format!("foul ({}), penalty {}", names.join(", "), view.penalty));
    }
    parts.join("; ")
}
