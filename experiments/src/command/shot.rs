//! `cuebench shot`: plays the shots of standard input, one JSON object a line.

use super::Exit;
use super::threads::Threads;
use crate::output::write::write_whole;
use crate::shots::answer::{answer, refused};
use crate::shots::drawing;
use crate::shots::line::{MAX_LINE_BYTES, Shot, read};
use anyhow::{Context as _, ensure};
use rayon::prelude::*;
use std::io::{self, BufRead, Write as _};
use std::path::{Path, PathBuf};

/// Lines that are played at once.
const BATCH: usize = 4_096;

/// Arguments of `cuebench shot`.
#[derive(Debug, clap::Args)]
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
    let mut lines = Lines { input: io::stdin().lock(), number: 0 };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut refusals = 0_u64;
    let mut svg = args.svg.as_deref();
    loop {
        let batch = lines.batch().context("standard input")?;
        if batch.is_empty() {
            break;
        }
        if let Some(path) = svg
            && let Some(shot) = batch.iter().find_map(|line| read(line).ok())
        {
            draw(&shot, path)?;
            svg = None;
        }
        let answers: Vec<(bool, Vec<u8>)> =
            pool.install(|| batch.par_iter().map(|line| respond(line, args.trace)).collect());
        for (refused, text) in answers {
            refusals += u64::from(refused);
            out.write_all(&text).context("standard output")?;
        }
    }
    out.flush().context("standard output")?;
    ensure!(svg.is_none(), "--svg: there is no shot to draw on standard input");
    ensure!(
        refusals == 0,
        "{refusals} of {} lines are no shots; their answers say why under `error`",
        lines.number
    );
    Ok(Exit::Done)
}

/// Draws a shot into the file `path`.
fn draw(shot: &Shot, path: &Path) -> anyhow::Result<()> {
    let (outcome, trace) = shot.table.trace(&shot.balls, shot.stroke.into())?;
    write_whole(path, drawing::shot(shot, &outcome, &trace))
}

/// The answer to a line, and whether it is a refusal.
fn respond(line: &[u8], trace: bool) -> (bool, Vec<u8>) {
    let (refused, value) = match read(line) {
        Ok(shot) => (false, answer(&shot, trace)),
        Err(refusal) => (true, refused(&refusal)),
    };
    let mut text = value.to_string().into_bytes();
    text.push(b'\n');
    (refused, text)
}

/// Lines of untrusted length.
struct Lines<R> {
    input: R,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// Up to [`BATCH`] lines that are not blank.
    fn batch(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut batch = Vec::new();
        while batch.len() < BATCH {
            match self.line()? {
                None => break,
                Some(line) if line.iter().all(u8::is_ascii_whitespace) => {}
                Some(line) => {
                    self.number += 1;
                    batch.push(line);
                }
            }
        }
        Ok(batch)
    }

    /// The next line without its end; of a line that is too long, just enough to see that it is.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let mut any = false;
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(any.then_some(line));
            }
            any = true;
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let room = (MAX_LINE_BYTES + 1).saturating_sub(line.len());
            line.extend_from_slice(&part[..part.len().min(room)]);
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }
}
