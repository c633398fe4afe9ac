//! `games.csv` and `replays.jsonl`: appended to line by line, each in one write, and picked up
//! again after whatever ended the run before.

use crate::output::rows::Row as _;
use crate::output::rows::tournament::GameRow;
use anyhow::{Context as _, bail};
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Name of the file of games.
pub const GAMES: &str = "games.csv";
/// Name of the file of strokes.
pub const REPLAYS: &str = "replays.jsonl";
/// Longest line that is believed to be one of ours, bytes.
const MAX_LINE: usize = 1 << 20;
/// Usual length of a row, bytes.
const LINE: usize = 512;
/// How often what was written is forced onto the disk.
const SYNC: Duration = Duration::from_secs(2);

/// Both files, open for appending.
#[derive(Debug)]
pub struct Ledger {
    games: File,
    replays: File,
    folder: PathBuf,
    synced: Instant,
}

impl Ledger {
    /// Opens the files in `folder`, whose rows have been read with `read_games`; a new one gets
    /// its header.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let open = |name: &str| {
            let path = folder.join(name);
            let file = OpenOptions::new().create(true).append(true).open(&path);
            file.with_context(|| path.display().to_string())
        };
        let mut games = open(GAMES)?;
        if games.metadata()?.len() == 0 {
            games.write_all(header().as_bytes()).context(GAMES)?;
        }
        let replays = open(REPLAYS)?;
        Ok(Self { games, replays, folder: folder.to_owned(), synced: Instant::now() })
    }

    /// Appends a game: first its strokes, so that a row never speaks of strokes that are not there.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn append(&mut self, game: &Lines) -> anyhow::Result<()> {
        if let Some(replay) = &game.replay {
            self.replays.write_all(replay.as_bytes()).with_context(|| self.path(REPLAYS))?;
        }
        self.games.write_all(&game.row).with_context(|| self.path(GAMES))?;
        if self.synced.elapsed() >= SYNC {
            self.sync()?;
        }
        Ok(())
    }

    /// Forces everything onto the disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn sync(&mut self) -> anyhow::Result<()> {
        self.replays.sync_data().with_context(|| self.path(REPLAYS))?;
        self.games.sync_data().with_context(|| self.path(GAMES))?;
        self.synced = Instant::now();
        Ok(())
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

/// A game as it will stand in both files, whole lines.
#[derive(Clone, Debug)]
pub struct Lines {
    row: Vec<u8>,
    replay: Option<String>,
}

impl Lines {
    /// The lines of a game whose strokes are `replay`, if they are kept.
    ///
    /// # Errors
    /// Never for a row of games.
    pub fn new(row: &GameRow, replay: Option<String>) -> anyhow::Result<Self> {
        let replay = replay.map(|replay| replay + "\n");
        Ok(Self { row: line_of(row)?, replay })
    }
}

/// The first line of the file of games.
fn header() -> String {
    let names: Vec<&str> = GameRow::KIND.columns.iter().map(|column| column.name).collect();
    names.join(",") + "\n"
}

fn line_of(row: &GameRow) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .buffer_capacity(LINE)
        .from_writer(Vec::with_capacity(LINE));
    writer.serialize(row)?;
    Ok(writer.into_inner()?)
}

/// The strokes' key of a game.
#[must_use]
pub fn replay_key(game_index: u64, attempt: u32) -> String {
    format!("{game_index}.{attempt}")
}

/// Hands on every row of a file of games, and returns the length of what is whole. Lines at the
/// end that are torn or were never written out are left out.
///
/// # Errors
/// When the file cannot be read, is of another kind, or has a broken line before whole ones.
pub fn scan(
    path: &Path,
    mut row: impl FnMut(GameRow) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let place = || path.display().to_string();
    let mut reader = BufReader::new(File::open(path).with_context(place)?);
    let (mut line, mut parser) = (Vec::new(), LineParser::new());
    let (mut whole, mut number, mut broken) = (0_u64, 0_u64, None);
    loop {
        line.clear();
        let read = read_line(&mut reader, &mut line).with_context(place)?;
        if read == 0 {
            return Ok(whole);
        }
        number += 1;
        if number == 1 {
            if line == header().as_bytes() {
                whole = read;
                continue;
            }
            if line.ends_with(b"\n") {
                bail!("{}: line 1 is not the header of a file of games", place());
            }
            return Ok(0);
        }
        match parser.parse(&line) {
            Some(parsed) => {
                if let Some(broken) = broken {
                    bail!("{}: line {broken} is no game; remove or mend it", place());
                }
                row(parsed).with_context(|| format!("{}: line {number}", place()))?;
                whole += read;
            }
            None => broken = broken.or(Some(number)),
        }
    }
}

/// Whether a file begins like a file of games.
///
/// # Errors
/// When it cannot be read.
pub fn is_games_file(path: &Path) -> std::io::Result<bool> {
    let mut line = Vec::new();
    read_line(&mut BufReader::new(File::open(path)?), &mut line)?;
    Ok(line == header().as_bytes())
}

/// The strokes of game `game_index`, of its last attempt.
///
/// # Errors
/// When the file cannot be read.
pub fn find_replay(path: &Path, game_index: u64) -> anyhow::Result<Option<serde_json::Value>> {
    let place = || path.display().to_string();
    let mut reader = BufReader::new(File::open(path).with_context(place)?);
    let beginning = format!("{{\"game_index\":{game_index},");
    let (mut line, mut found) = (Vec::new(), None);
    loop {
        line.clear();
        if read_line(&mut reader, &mut line).with_context(place)? == 0 {
            return Ok(found);
        }
        if line.starts_with(beginning.as_bytes()) {
            found = Some(serde_json::from_slice(&line).with_context(place)?);
        }
    }
}

/// Reads up to and with the next newline; of overlong lines only the beginning is kept.
fn read_line(reader: &mut impl std::io::BufRead, line: &mut Vec<u8>) -> std::io::Result<u64> {
    let mut read = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let end = buffer.iter().position(|&b| b == b'\n').map(|at| at + 1);
        let taken = end.unwrap_or(buffer.len());
        line.extend_from_slice(&buffer[..taken.min((MAX_LINE + 1).saturating_sub(line.len()))]);
        reader.consume(taken);
        read += taken as u64;
        if end.is_some() || taken == 0 {
            return Ok(read);
        }
    }
}

/// Reads single lines as rows. One parser serves a whole file: making one takes twenty times as
/// long as a line does.
struct LineParser {
    core: csv_core::Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl LineParser {
    fn new() -> Self {
        // `csv_core::Reader::default()` is a reader that reads nothing.
        Self { core: csv_core::Reader::new(), text: Vec::new(), ends: Vec::new() }
    }

    /// A whole line as a row.
    fn parse(&mut self, line: &[u8]) -> Option<GameRow> {
        self.core.reset();
        self.text.resize(line.len(), 0);
        self.ends.resize(GameRow::KIND.columns.len() + 1, 0);
        let (read, _, _, fields) = self.core.read_record(line, &mut self.text, &mut self.ends);
        // Anything else is a line that does not end or has too many fields.
        let csv_core::ReadRecordResult::Record = read else { return None };
        let mut record = csv::StringRecord::with_capacity(line.len(), fields);
        let mut start = 0;
        for &end in &self.ends[..fields] {
            record.push_field(std::str::from_utf8(self.text.get(start..end)?).ok()?);
            start = end;
        }
        record.deserialize(None).ok()
    }
}

/// Cuts both files in `folder` back to what is whole: rows that are, and strokes that rows speak
/// of. Hands on every row.
///
/// # Errors
/// When a file cannot be read or cut.
pub fn recover(
    folder: &Path,
    mut row: impl FnMut(GameRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let games = folder.join(GAMES);
    let mut keys = BTreeSet::new();
    if games.exists() {
        let whole = scan(&games, |game| {
            keys.insert((game.game_index, game.attempt));
            row(game)
        })?;
        cut(&games, whole)?;
    }
    let replays = folder.join(REPLAYS);
    if replays.exists() {
        let whole = whole_replays(&replays, &keys)?;
        cut(&replays, whole)?;
    }
    Ok(())
}

/// Strokes are written before their row, one game at a time, so only the end can be too much.
fn whole_replays(path: &Path, keys: &BTreeSet<(u64, u32)>) -> anyhow::Result<u64> {
    #[derive(serde::Deserialize)]
    struct Key {
        game_index: u64,
        attempt: u32,
    }
    let mut reader = BufReader::new(File::open(path)?);
    let (mut line, mut whole) = (Vec::new(), 0);
    loop {
        line.clear();
        let read = read_line(&mut reader, &mut line)?;
        let key: Option<Key> = serde_json::from_slice(&line).ok();
        match key {
            Some(key) if keys.contains(&(key.game_index, key.attempt)) && line.ends_with(b"\n") => {
                whole += read;
            }
            _ => return Ok(whole),
        }
    }
}

fn cut(path: &Path, length: u64) -> anyhow::Result<()> {
    let file = OpenOptions::new().write(true).open(path);
    let file = file.with_context(|| path.display().to_string())?;
    if file.metadata()?.len() > length {
        file.set_len(length).with_context(|| path.display().to_string())?;
        file.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::points::Points;

    fn row(game_index: u64) -> GameRow {
        GameRow {
            event: "e".to_owned(),
            game_index,
            pair: 0,
            seed: game_index,
            order: 0,
            attempt: 0,
            bot_a: "a".to_owned(),
            bot_b: "b".to_owned(),
            version_a: String::new(),
            version_b: "1, \"x\"".to_owned(),
            result: Some(Points::Draw),
            reason_a: "play".to_owned(),
            reason_b: "play".to_owned(),
            score_a: Some(-4),
            score_b: None,
            strokes_a: None,
            strokes_b: None,
            time_ms_a: 1,
            time_ms_b: 2,
            decided_by: "draw".to_owned(),
            cpu_ms_a: None,
            cpu_ms_b: None,
            overrun_ms_a: None,
            overrun_ms_b: None,
            wall_ms: 3,
            note_a: String::new(),
            note_b: String::new(),
            digest: None,
            replay: Some(replay_key(game_index, 0)),
        }
    }

    fn replay(index: u64) -> String {
        format!("{{\"game_index\":{index},\"attempt\":0}}")
    }

    fn lines(index: u64) -> Lines {
        Lines::new(&row(index), Some(replay(index))).expect("lines")
    }

    fn written(folder: &Path, games: u64) {
        let mut ledger = Ledger::open(folder).expect("opens");
        for index in 0..games {
            ledger.append(&lines(index)).expect("written");
        }
    }

    fn recovered(folder: &Path) -> Vec<u64> {
        let mut found = Vec::new();
        recover(folder, |game| {
            assert_eq!(game, row(game.game_index));
            found.push(game.game_index);
            Ok(())
        })
        .expect("recovers");
        found
    }

    /// Cut at every byte, a file of games gives back the games that were whole, and both files
    /// can be appended to again.
    #[test]
    fn a_file_cut_anywhere_is_picked_up() {
        let folder = tempfile::tempdir().expect("a folder");
        written(folder.path(), 3);
        let games = std::fs::read(folder.path().join(GAMES)).expect("there");
        let replays = std::fs::read(folder.path().join(REPLAYS)).expect("there");
        for length in (0..=games.len()).step_by(7).chain([games.len()]) {
            std::fs::write(folder.path().join(GAMES), &games[..length]).expect("written");
            std::fs::write(folder.path().join(REPLAYS), &replays).expect("written");
            let found = recovered(folder.path());
            let newlines = games[..length].iter().filter(|&&b| b == b'\n').count();
            assert_eq!(found.len(), newlines.saturating_sub(1));
            let kept = std::fs::read_to_string(folder.path().join(REPLAYS)).expect("there");
            assert_eq!(kept.lines().count(), found.len());
            let mut ledger = Ledger::open(folder.path()).expect("opens");
            for index in found.len() as u64..3 {
                ledger.append(&lines(index)).expect("written");
            }
            assert_eq!(std::fs::read(folder.path().join(GAMES)).expect("there"), games);
            assert_eq!(std::fs::read(folder.path().join(REPLAYS)).expect("there"), replays);
        }
    }

    /// After a power loss a file may end in zeros.
    #[test]
    fn an_end_of_zeros_is_cut_off_and_a_hole_is_not_papered_over() {
        let folder = tempfile::tempdir().expect("a folder");
        written(folder.path(), 2);
        let path = folder.path().join(GAMES);
        let games = std::fs::read(&path).expect("there");
        let zeros = [games.clone(), vec![0; 5000], b"\n\0\n".to_vec()].concat();
        std::fs::write(&path, zeros).expect("written");
        assert_eq!(recovered(folder.path()), [0, 1]);
        assert_eq!(std::fs::read(&path).expect("there"), games);
        let hole =
            [games.clone(), b"half a row\n".to_vec(), line_of(&row(2)).expect("ok")].concat();
        std::fs::write(&path, hole).expect("written");
        let error = recover(folder.path(), |_| Ok(())).expect_err("a hole").to_string();
        assert!(error.contains("line 4"), "{error}");
    }
}
