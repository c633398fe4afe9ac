//! `cuebench judge`: verdicts on shots and games of chess pool, from records instead of physics.

pub mod game;
mod record;

use super::Exit;
use crate::chess_pool::setup::Setup;
use crate::experiment::grid::Setting;
use crate::output::print_json;
use anyhow::{Context as _, anyhow, bail};
use cuebench_agents::lines::LineReader;
use cuebench_agents::words::plain;
use cuebench_engine::chess_pool::judge::Verdict;
use record::judge_line;
use serde::Serialize;
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

/// The greatest length of one record, bytes.
const MAX_LINE: usize = 1 << 20;

/// Arguments of `cuebench judge`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// File with one record a line; standard input when it is left out.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Referees a whole game: a file of lines, one answer or shot each, with the state carried along.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    game: Option<PathBuf>,
    /// A reading of the rules, as NAME=VALUE; can be given again. Options that the file
    /// itself names go before it.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<Setting>,
    /// JSON lines on standard output: the only form of verdicts on single shots.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
A record is one line:
  {\"id\":\"a\",\"position\":{\"cue\":[635000,635000],\"1\":[900000,635000],\"12\":[1300000,635000],
   \"8\":[2000000,300000]},\"shooter\":\"solids\",\"call\":{\"kind\":\"move\",\"capturer\":\"1\",\"target\":\"12\"},
   \"contacts\":[[\"cue\",\"1\"],[\"1\",\"12\"]],\"pocketed\":[{\"ball\":\"12\",\"pocket\":\"tr\"}]}
Places are whole micrometres, contacts and falls in order of time; a ball may stand as a number.
\"shot\":\"O-1-12, 12>tr\" may stand for both lists, and \"options\":{\"no_meeting\":\"slop\"} for
readings of this record. A line that cannot be judged is answered by an object with `error`; the
rest goes on, and the exit code is 2 at the end. Readings and their defaults: grid=8x4|8x8,
no_meeting=move|slop, move_pocketed=removed|returned, win_on_last_swap=false, foul_returns=true,
cue_in_hand=scratch|foul (and, for the break, break_contact=any|apex, break_scratch_returns=true,
break_foul_chooser=breaker|opponent).

A game (--game FILE) is either the text that `cuebench play` writes, or lines like these, with
comments that begin with #:
  {\"game\":\"chess-pool\",\"breaker\":0,\"options\":{\"grid\":\"8x4\",\"max_shots\":\"off\"}}   (optional)
  {\"cue\":[600000,635000],\"shot\":\"O-1-2, 1-10\",\"after\":{\"cue\":[…],\"1\":[…],…}}          the break
  {\"side\":\"solids\"}
  {\"call\":{\"kind\":\"slop\"},\"contacts\":[…],\"pocketed\":[…],\"after\":{…}}
  {\"replace\":\"4\"}                                              makes way for the 8
`after` says where the balls came to rest, before any is taken off or put back; `cue` where the cue
ball was placed when it was in hand. `angle` and `power` in place of what happened are played on the
engine; `seat` is checked. The first line that cannot be ends the game with exit code 2.";

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
    if let Some(path) = &args.game {
        return game::run(path, &args.options, args.json);
    }
    let setup = read_options(&args.options)?;
    let (lines, refused) = match &args.file {
        None => judge_lines(io::stdin().lock(), &setup)?,
        Some(path) => {
            let file = File::open(path).with_context(|| path.display().to_string())?;
            judge_lines(BufReader::new(file), &setup)?
        }
    };
    match refused {
        0 => Ok(Exit::Done),
        _ => bail!("{refused} of {lines} records could not be judged; see `error` in the output"),
    }
}

fn read_options(settings: &[Setting]) -> anyhow::Result<Setup> {
    Setup::of(settings).map_err(|error| anyhow!("--option: {error}"))
}

/// Judges line by line; the numbers of records and of refusals.
fn judge_lines(input: impl BufRead, setup: &Setup) -> anyhow::Result<(u64, u64)> {
    let (mut records, mut refused) = (0, 0);
    let mut lines = LineReader::new(input, MAX_LINE);
    while let Some(line) = lines.advance()? {
        if line.is_blank() {
            continue;
        }
        records += 1;
        let (id, answer) = if line.too_long {
            (Value::Null, Err(anyhow!("the line is longer than {MAX_LINE} bytes")))
        } else {
            judge_line(line.text, &setup.table, &setup.rules.options)
        };
        match answer {
            Ok((verdict, reasons)) => print_json(&Judgement { id, verdict, reasons }),
            Err(error) => {
                refused += 1;
                let error = plain(&format!("{error:#}"));
                print_json(&Refusal { id, line: line.number, error })
            }
        }
        .context("standard output")?;
    }
    Ok((records, refused))
}
