//! Shots that were seen: a JSON object a line with `pockets balls angle power after`, where
//! `after` tells where the balls came to rest (null if fallen; nothing put back).

use super::line::{MAX_LINE_BYTES, NamedBalls};
use cuebench_agents::belief::Observed;
use cuebench_engine::shot::Stroke;
use cuebench_engine::table::{PocketSet, Table, TableSpec};
use serde::Deserialize;
use std::io::{self, BufRead, Read as _};

/// Most shots that are read.
pub const MAX_SHOTS: usize = 10_000;
/// Any values do to check where balls may lie.
const ANY_VALUES: (u32, u32) = (1000, 750);

/// Why a file of seen shots was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The input could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is no shot.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// There are more shots than one estimate takes.
    #[error("there are more than {MAX_SHOTS} shots; give fewer, a few dozen tell all there is")]
    TooMany,
}

/// A seen shot and the line it stands on, from 1.
#[derive(Clone, Copy, Debug)]
pub struct SeenShot {
    /// The line.
    pub line: usize,
    /// The shot.
    pub shot: Observed,
}

#[derive(Deserialize)]
struct Raw {
    pockets: PocketSet,
    balls: NamedBalls,
    angle: u32,
    power: u32,
    after: NamedBalls,
}

/// Reads all shots of `input`; blank lines are passed over, unknown keys ignored.
///
/// # Errors
/// [`ReadError`] with the line and what is wrong with it.
pub fn read_all(mut input: impl BufRead) -> Result<Vec<SeenShot>, ReadError> {
    let mut shots = Vec::new();
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let most = MAX_LINE_BYTES as u64 + 1;
        if input.by_ref().take(most).read_until(b'\n', &mut text)? == 0 {
            break;
        }
        if text.len() > MAX_LINE_BYTES {
            let reason = format!("longer than {MAX_LINE_BYTES} bytes; give one shot a line");
            return Err(ReadError::Line { line, reason });
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if shots.len() == MAX_SHOTS {
            return Err(ReadError::TooMany);
        }
        let shot = read(&text).map_err(|reason| ReadError::Line { line, reason })?;
        shots.push(SeenShot { line, shot });
    }
    Ok(shots)
}

/// Reads one line.
fn read(text: &[u8]) -> Result<Observed, String> {
    let raw: Raw = serde_json::from_slice(text)
        .map_err(|error| error.to_string().replace("line 1 column", "column"))?;
    let stroke = Stroke::new(raw.angle, raw.power).map_err(|error| error.to_string())?;
    let (cloth, restitution) = ANY_VALUES;
    let table = Table::new(TableSpec { pockets: raw.pockets, cloth, restitution })
        .map_err(|error| error.to_string())?;
    let names = raw.balls.names;
    let named = |slot| names.name(slot).to_owned();
    let before = raw.balls.balls;
    table.check(&before).map_err(|error| error.describe(named))?;
    if before.at[0].is_none() {
        return Err("there is no white (or cue) ball".to_owned());
    }
    if raw.after.names != names && !raw.after.order.is_empty() {
        return Err("`balls` and `after` name the balls in different ways".to_owned());
    }
    let after = raw.after.balls;
    for (slot, (was, is)) in before.at.iter().zip(&after.at).enumerate() {
        if was.is_none() && is.is_some() {
            let name = names.name(slot as u8);
            return Err(format!("ball `{name}` is in `after` but not in `balls`"));
        }
    }
    Ok(Observed { pockets: raw.pockets, before, stroke, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"pockets":"pool","balls":{"white":[600000,600000],"blue":[900000,600000]},"angle":0,"power":300,"after":{"white":[800000,600000],"blue":null},"id":4}"#;

    #[test]
    fn good_lines_are_read_and_blank_ones_passed_over() {
        let text = format!("{GOOD}\n\n{GOOD}");
        let shots = read_all(text.as_bytes()).unwrap();
        assert_eq!(shots.iter().map(|seen| seen.line).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(shots[0].shot.after.at[4], None);
    }

    #[test]
    fn reasons_name_the_line_and_what_is_wrong() {
        for (from, to, part) in [
            ("\"power\":300", "\"power\":0", "line 2: power 0"),
            ("\"angle\":0", "\"angle\":0.5", "line 2: invalid type: floating point"),
            ("900000,600000", "650000,600000", "white and blue overlap"),
            ("\"blue\":null", "\"pink\":[1,1]", "`pink` is in `after`"),
            ("\"white\":[600000,600000],", "", "no white"),
            (",\"after\"", ",\"later\"", "missing field `after`"),
        ] {
            let text = format!("{GOOD}\n{}\n", GOOD.replacen(from, to, 1));
            let error = read_all(text.as_bytes()).expect_err(from).to_string();
            assert!(error.contains(part), "{from}: {error}");
        }
        let long = " ".repeat(MAX_LINE_BYTES + 1);
        assert!(read_all(long.as_bytes()).is_err());
        assert!(read_all(&b"\xff\n"[..]).is_err());
    }
}
