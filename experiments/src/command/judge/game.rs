//! A whole game: `--game`.

use crate::chess_pool::game_file::read;
use crate::chess_pool::referee::{Referee, ending};
use crate::command::Exit;
use crate::experiment::grid::Setting;
use crate::output::{print_json, print_text};
use anyhow::Context as _;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// The greatest length of a game's file, bytes.
const MOST_BYTES: u64 = 1 << 28;

/// The answer to a line that cannot be.
#[derive(Debug, Serialize)]
struct Refusal<'a> {
    line: usize,
    id: &'a Value,
    error: String,
}

/// Referees the game in `path`, to its end or to the first line that cannot be.
pub fn run(path: &Path, settings: &[Setting], json: bool) -> anyhow::Result<Exit> {
    let file = read(&text_of(path)?, settings).with_context(|| path.display().to_string())?;
    let mut referee = Referee::new(&file.setup, file.breaker);
    for entry in &file.entries {
        match referee.enter(entry) {
            Ok(ruling) if json => print_json(&ruling),
            Ok(ruling) => print_text(&ruling.to_string()),
            Err(error) => {
                if json {
                    let (line, id) = (entry.line, &entry.id);
                    print_json(&Refusal { line, id, error: format!("{error:#}") })
                        .context("standard output")?;
                }
                return Err(error.context(format!("{}: line {}", path.display(), entry.line)));
            }
        }
        .context("standard output")?;
    }
    if let Some((line, said)) = &file.ending {
        let place = || format!("{}: line {line}", path.display());
        referee.check_ending(said).with_context(place)?;
    }
    if !json {
        print_text(&format!("{}\n", ending(referee.state()))).context("standard output")?;
    }
    Ok(Exit::Done)
}

/// The text of a file that is no longer than any game.
pub fn text_of(path: &Path) -> anyhow::Result<String> {
    let place = || path.display().to_string();
    let length = std::fs::metadata(path).with_context(place)?.len();
    anyhow::ensure!(length <= MOST_BYTES, "{}: longer than {MOST_BYTES} bytes", path.display());
    std::fs::read_to_string(path).with_context(place)
}
