//! `games.csv` and `replays.jsonl`: appended to line by line, each in one write, and picked up
//! again after whatever ended the run before.

use crate::input::csv::{self, Cells};
use crate::output::lock::FolderLock;
use crate::output::row_log::{self, RowLog, Scanned, Sheet};
use crate::output::rows::tournament::GameRow;
use crate::output::rows::{Row as _, lines_of};
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::path::Path;

/// Name of the file of games.
pub const GAMES: &str = "games.csv";
/// Name of the file of strokes.
pub const REPLAYS: &str = "replays.jsonl";
/// Both files, open for appending.
#[derive(Debug)]
pub struct Ledger(RowLog);

impl Ledger {
    /// Opens the files in the locked folder where [`recover`] found their ends.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn open(lock: &FolderLock, whole: Whole) -> anyhow::Result<Self> {
        let sheet =
            |name: &str, header: String, whole| Sheet { name: name.to_owned(), header, whole };
        let replays = sheet(REPLAYS, String::new(), whole.replays);
        let games = sheet(GAMES, GameRow::KIND.header(), whole.games);
        Ok(Self(RowLog::open(lock, &[replays, games])?))
    }

    /// Appends a game: first its strokes, so that a row never speaks of strokes that are not there.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn append(&mut self, game: &Lines) -> anyhow::Result<()> {
        self.0.append([game.replay.as_deref().unwrap_or_default().as_bytes(), &game.row])
    }

    /// Forces everything onto the disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn sync(&mut self) -> anyhow::Result<()> {
        self.0.sync()
    }
}

/// Bytes that are whole in the two files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    games: u64,
    replays: u64,
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
        Ok(Self { row: lines_of(std::slice::from_ref(row))?, replay })
    }
}

/// The strokes' key of a game.
#[must_use]
pub fn replay_key(game_index: u64, attempt: u32) -> String {
    format!("{game_index}.{attempt}")
}

/// Hands on every row of a file of games. Only one torn last line is left out: any other line that
/// is no game is an error, and nothing is dropped.
///
/// # Errors
/// When the file cannot be read, is of another kind, or has lines that are no games; the first of
/// them is named with its reason.
pub fn scan(
    path: &Path,
    mut row: impl FnMut(GameRow) -> anyhow::Result<()>,
) -> anyhow::Result<Scanned> {
    let mut cells = Cells::exact();
    row_log::read(path, &GameRow::KIND.header(), |line| {
        let split = cells.split(line.text).map_err(anyhow::Error::from);
        match split.and_then(|()| cells.row()) {
            Ok(game) => {
                row(game).with_context(|| format!("{}: line {}", path.display(), line.number))?;
                Ok(Ok(()))
            }
            Err(reason) => Ok(Err(reason.to_string())),
        }
    })
}

/// Whether a file begins like a file of games.
///
/// # Errors
/// When it cannot be read.
pub fn is_games_file(path: &Path) -> anyhow::Result<bool> {
    let mut lines = csv::Lines::open(path)?;
    lines.advance()?;
    Ok(lines.line() == GameRow::KIND.header().trim_end().as_bytes())
}

/// The strokes of game `game_index`, of its last attempt.
///
/// # Errors
/// When the file cannot be read.
pub fn find_replay(path: &Path, game_index: u64) -> anyhow::Result<Option<serde_json::Value>> {
    let place = || path.display().to_string();
    let beginning = format!("{{\"game_index\":{game_index},");
    let mut found = None;
    row_log::read(path, "", |line| {
        if line.text.starts_with(beginning.as_bytes()) {
            found = Some(serde_json::from_slice(line.text).with_context(place)?);
        }
        Ok(Ok(()))
    })?;
    Ok(found)
}

/// How much of both files in `folder` is whole: rows that are, and strokes that rows speak of.
/// Hands on every row.
///
/// # Errors
/// When a file cannot be read.
pub fn recover(
    folder: &Path,
    mut row: impl FnMut(GameRow) -> anyhow::Result<()>,
) -> anyhow::Result<Whole> {
    #[derive(serde::Deserialize)]
    struct Key {
        game_index: u64,
        attempt: u32,
    }
    let mut keys = BTreeSet::new();
    let games = scan(&folder.join(GAMES), |game| {
        keys.insert((game.game_index, game.attempt));
        row(game)
    })?;
    // Strokes are written before their row, so the end can be too much: everything after the last
    // strokes that a row speaks of.
    let mut replays = 0;
    row_log::read(&folder.join(REPLAYS), "", |line| {
        let key: Option<Key> = serde_json::from_slice(line.text).ok();
        if key.is_some_and(|key| keys.contains(&(key.game_index, key.attempt))) {
            replays = line.end;
        }
        Ok(Ok(()))
    })?;
    Ok(Whole { games: games.whole, replays })
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

    fn opened(folder: &Path) -> (Vec<u64>, Ledger) {
        let mut found = Vec::new();
        let whole = recover(folder, |game| {
            assert_eq!(game, row(game.game_index));
            found.push(game.game_index);
            Ok(())
        });
        let lock = FolderLock::take(folder, "test").expect("free");
        (found, Ledger::open(&lock, whole.expect("recovers")).expect("opens"))
    }

    /// Cut at every byte, a file of games gives back the games that were whole, and both files
    /// can be appended to again.
    #[test]
    fn a_file_cut_anywhere_is_picked_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, mut ledger) = opened(folder.path());
        (0..3).for_each(|index| ledger.append(&lines(index)).expect("written"));
        let games = std::fs::read(folder.path().join(GAMES)).expect("there");
        let replays = std::fs::read(folder.path().join(REPLAYS)).expect("there");
        for length in (0..=games.len()).step_by(7).chain([games.len()]) {
            std::fs::write(folder.path().join(GAMES), &games[..length]).expect("written");
            std::fs::write(folder.path().join(REPLAYS), &replays).expect("written");
            let (found, mut ledger) = opened(folder.path());
            let newlines = games[..length].iter().filter(|&&b| b == b'\n').count();
            assert_eq!(found.len(), newlines.saturating_sub(1));
            let kept = std::fs::read_to_string(folder.path().join(REPLAYS)).expect("there");
            assert_eq!(kept.lines().count(), found.len());
            for index in found.len() as u64..3 {
                ledger.append(&lines(index)).expect("written");
            }
            assert_eq!(std::fs::read(folder.path().join(GAMES)).expect("there"), games);
            assert_eq!(std::fs::read(folder.path().join(REPLAYS)).expect("there"), replays);
        }
    }

    /// Lines that are no games are named with their line, wherever they stand, and stay.
    #[test]
    fn only_one_torn_last_line_may_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, mut ledger) = opened(folder.path());
        (0..2).for_each(|index| ledger.append(&lines(index)).expect("written"));
        let path = folder.path().join(GAMES);
        let mut text = std::fs::read_to_string(&path).expect("there");
        let bad = text.lines().nth(1).expect("a row").replace(",0.5,", ",1-0,") + "\n";
        text += &bad.repeat(600);
        for end in ["", "e,602,0"] {
            std::fs::write(&path, text.clone() + end).expect("written");
            let error = recover(folder.path(), |_| Ok(())).expect_err("bad rows").to_string();
            for part in ["line 4 is no row", "column `result`", "599 more"] {
                assert!(error.contains(part), "{error}");
            }
            assert_eq!(std::fs::read_to_string(&path).expect("there"), text.clone() + end);
        }
        for (cells, part) in [("e,1,2\n", "3 cells"), ("e,\"1\n", "does not end")] {
            std::fs::write(&path, GameRow::KIND.header() + cells).expect("written");
            let error = scan(&path, |_| Ok(())).expect_err("no game").to_string();
            assert!(error.contains("line 2 is no row") && error.contains(part), "{error}");
        }
    }

    #[test]
    fn windows_line_ends_and_a_byte_order_mark_are_read_and_gone_on_with() {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, mut ledger) = opened(folder.path());
        (0..3).for_each(|index| ledger.append(&lines(index)).expect("written"));
        let path = folder.path().join(GAMES);
        let text = std::fs::read_to_string(&path).expect("there").replace('\n', "\r\n");
        for mark in ["", "\u{feff}"] {
            std::fs::write(&path, mark.to_owned() + &text + "e,3").expect("written");
            assert!(is_games_file(&path).expect("read"));
            let torn = scan(&path, |_| Ok(())).expect("read").torn;
            assert_eq!(torn, Some(5));
            let (found, mut ledger) = opened(folder.path());
            assert_eq!(found, [0, 1, 2]);
            ledger.append(&lines(3)).expect("written");
            assert_eq!(opened(folder.path()).0, [0, 1, 2, 3]);
        }
        std::fs::write(&path, "garbage").expect("written");
        let error = recover(folder.path(), |_| Ok(())).expect_err("no file of games");
        assert!(format!("{error:#}").contains("line 1"), "{error:#}");
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "garbage");
    }
}
