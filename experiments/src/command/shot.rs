//! `cuebench shot`: plays the shots of standard input, one JSON object a line.

use super::Exit;
use super::threads::Threads;
use crate::output::write::{keep_apart, write_whole};
use crate::shots::answer::{answer, refused};
use crate::shots::drawing;
use crate::shots::line::{MAX_LINE_BYTES, Shot, read, too_long};
use anyhow::{Context as _, ensure};
use cuebench_agents::lines::LineReader;
use rayon::prelude::*;
use std::io::{self, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};

/// Lines that are played at once, at most.
const BATCH: usize = 4_096;
/// What is read ahead, bytes.
const BUFFER: usize = 1 << 20;

const AFTER_HELP: &str = "\
A shot is one line:
  {\"id\":\"a\",\"pockets\":\"snooker\",\"cloth\":1000,\"restitution\":750,
   \"balls\":{\"white\":[635000,635000],\"blue\":[900000,635000],\"pink\":null},\"angle\":0,\"power\":300}
pockets is snooker or pool; cloth is in mm/s² (700 to 1300), restitution in thousandths (600 to 900);
places are whole micrometres from the bottom left corner, null for a ball that is off the table; the
balls are white yellow green brown blue pink black, or cue and 1 to 15; angle is in thousandths of a
degree anticlockwise from +x (0 to 359999), power from 1 to 1000. id may be text or a number and comes
back; other keys are ignored. Each line is answered at once by one line. A line that is no shot is
answered by an object with `error`; the rest goes on, and the exit code is 2 at the end.";

/// Arguments of `cuebench shot`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Tell every event with time, participants, velocities before and after (µm/s).
    #[arg(long)]
    trace: bool,
    /// Also draws the first shot: table, balls before and after, paths, contacts.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Answers are always JSON, one object a line; this changes nothing.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When a line was refused (the others are answered), or input or output fails.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.count()).build()?;
    keep_apart(args.svg.as_deref(), [])?;
    let input = BufReader::with_capacity(BUFFER, io::stdin().lock());
    let mut lines = LineReader::new(input, MAX_LINE_BYTES);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (mut played, mut refusals) = (0_u64, 0_u64);
    let mut svg = args.svg.as_deref();
    loop {
        let batch = batch(&mut lines).context("standard input")?;
        if batch.is_empty() {
            break;
        }
        if let Some(path) = svg
            && let Some(shot) = batch.iter().flatten().find_map(|line| read(line).ok())
        {
            draw(&shot, path)?;
            svg = None;
        }
        let answers: Vec<(bool, Vec<u8>)> =
            pool.install(|| batch.par_iter().map(|line| respond(line, args.trace)).collect());
        for (refused, text) in answers {
            played += 1;
            refusals += u64::from(refused);
            out.write_all(&text).context("standard output")?;
        }
        // Whoever sent these lines may wait for the answers before sending more.
        out.flush().context("standard output")?;
    }
    ensure!(svg.is_none(), "--svg: there is no shot to draw on standard input");
    ensure!(
        refusals == 0,
        "{refusals} of {played} lines are no shots; their answers say why under `error`"
    );
    Ok(Exit::Done)
}

/// Draws a shot into the file `path`.
fn draw(shot: &Shot, path: &Path) -> anyhow::Result<()> {
    let (outcome, trace) = shot.table.trace(&shot.balls, shot.stroke.into())?;
    write_whole(path, drawing::shot(shot, &outcome, &trace))
}

/// Lines that have come by now and are not blank, at least one unless the input has ended; nothing
/// for one that is too long.
fn batch<R: Read>(lines: &mut LineReader<BufReader<R>>) -> io::Result<Vec<Option<Vec<u8>>>> {
    let mut batch = Vec::new();
    while batch.is_empty() || (batch.len() < BATCH && lines.input().buffer().contains(&b'\n')) {
        match lines.advance()? {
            None => break,
            Some(line) if line.is_blank() => {}
            Some(line) => batch.push((!line.too_long).then(|| line.text.to_vec())),
        }
    }
    Ok(batch)
}

/// The answer to a line, and whether it is a refusal.
fn respond(line: &Option<Vec<u8>>, trace: bool) -> (bool, Vec<u8>) {
    let (refused, value) = match line.as_deref().map_or_else(|| Err(too_long()), read) {
        Ok(shot) => (false, answer(&shot, trace)),
        Err(refusal) => (true, refused(&refusal)),
    };
    let mut text = value.to_string().into_bytes();
    text.push(b'\n');
    (refused, text)
}
