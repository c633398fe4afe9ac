//! Tables of wins, draws and losses from anywhere.

use crate::input::csv::{Cells, Lines};
use anyhow::{Context as _, bail, ensure};
use std::path::Path;

/// Most lines that are read.
const MAX_LINES: usize = 1_000_000;
/// Names under which each column is known, in lower case.
const NAMES: [(&str, &[&str]); 5] = [
    (
        "first bot",
        &[
            "a", "bot_a", "player_a", "team_a", "agent_a", "name_a", "first", "player", "player1",
            "player_1", "bot", "bot1", "bot_1", "home", "white", "row", "team", "name", "i",
        ],
    ),
    (
        "second bot",
        &[
            "b", "bot_b", "player_b", "team_b", "agent_b", "name_b", "second", "opponent",
            "player2", "player_2", "bot2", "bot_2", "away", "black", "column", "col", "j",
        ],
    ),
    ("wins", &["wins", "win", "w", "won", "wins_a"]),
    ("draws", &["draws", "draw", "d", "drawn", "ties", "tie", "t"]),
    ("losses", &["losses", "loss", "l", "lost", "wins_b"]),
];

/// One line: the bots, and wins, draws and losses of the first.
pub type Line = (String, String, [u64; 3]);

/// Reads a table: columns found by name or, without a header, in the order first bot, second bot,
/// wins, draws, losses (draws may be missing).
///
/// # Errors
/// With the line and what should be there.
pub fn read(path: &Path) -> anyhow::Result<Vec<Line>> {
    let mut input = Lines::open(path)?;
    let (mut cells, mut columns, mut lines) = (Cells::new(), None, Vec::new());
    while let Some(number) = input.advance()? {
        if input.line().starts_with(b"#") {
            continue;
        }
        let place = || format!("line {number}");
        input.split(&mut cells).with_context(place)?;
        if columns.is_none() {
            let (found, header) = Columns::of(&cells)?;
            columns = Some(found);
            if header {
                continue;
            }
        }
        ensure!(lines.len() < MAX_LINES, "more than {MAX_LINES} lines");
        if let Some(columns) = &columns {
            lines.push(columns.line(&cells).with_context(place)?);
        }
    }
    ensure!(!lines.is_empty(), "no line of wins, draws and losses");
    Ok(lines)
}

/// Which column holds what; no draws if there is none for them.
struct Columns([Option<usize>; 5]);

impl Columns {
    /// The columns by the first line, and whether that is a header.
    fn of(first: &Cells) -> anyhow::Result<(Self, bool)> {
        let numbers = first.iter().skip(2).all(|field| field.parse::<u64>().is_ok());
        if numbers && first.len() >= 4 {
            return match first.len() {
                4 => Ok((Self([Some(0), Some(1), Some(2), None, Some(3)]), false)),
                5 => Ok((Self([Some(0), Some(1), Some(2), Some(3), Some(4)]), false)),
                n => bail!("{n} columns without a header; give a,b,wins,draws,losses"),
            };
        }
        let names: Vec<String> = first.iter().map(str::to_lowercase).collect();
        let find = |known: &[&str]| names.iter().position(|name| known.contains(&&**name));
        let columns = NAMES.map(|(_, known)| find(known));
        for ((what, known), column) in NAMES.iter().zip(&columns) {
            if column.is_none() && *what != "draws" {
                bail!("no column for the {what}; call it `{}`", known[0]);
            }
        }
        Ok((Self(columns), true))
    }

    fn line(&self, cells: &Cells) -> anyhow::Result<Line> {
        let field = |column: usize| cells.get(column);
        let name = |place: usize| {
            let name = self.0[place].map(field).unwrap_or_default();
            ensure!(!name.is_empty(), "the {} has no name", NAMES[place].0);
            anyhow::Ok(name.to_owned())
        };
        let count = |place: usize| match self.0[place] {
            None => anyhow::Ok(0),
            Some(column) => {
                let text = field(column);
                let count: Option<u64> = text.parse().ok();
                // A total of many lines must not overflow either.
                let fits = count.filter(|&count| count <= 1 << 40);
                fits.with_context(|| format!("{}: `{text}` is no count", NAMES[place].0))
            }
        };
        let (a, b) = (name(0)?, name(1)?);
        ensure!(a != b, "`{a}` plays itself");
        Ok((a, b, [count(2)?, count(3)?, count(4)?]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> anyhow::Result<Vec<Line>> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        read(file.path())
    }

    fn line(a: &str, b: &str, wdl: [u64; 3]) -> Line {
        (a.to_owned(), b.to_owned(), wdl)
    }

    #[test]
    fn columns_are_found_by_name_or_place() {
        let expected = vec![line("x", "y", [3, 1, 2])];
        for text in [
            "a,b,wins,draws,losses\nx,y,3,1,2\n",
            "Losses, Player, Opponent, Ties, W\n2, x, y, 1, 3\n",
            "x,y,3,1,2",
        ] {
            assert_eq!(of(text).expect("reads"), expected, "{text}");
        }
        assert_eq!(of("x,y,3,2\n").expect("reads"), [line("x", "y", [3, 0, 2])]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "no line"),
            ("a,b,wins,draws\n", "losses"),
            ("a,b,wins,losses\nx,y,3,-1\n", "line 2"),
            ("a,b,wins,losses\nx,x,3,1\n", "plays itself"),
        ] {
            let error = format!("{:#}", of(text).expect_err("refused"));
            assert!(error.contains(part), "{error}");
        }
    }
}
