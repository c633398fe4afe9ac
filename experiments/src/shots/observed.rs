//! Shots that were seen: a JSON object a line with `pockets balls angle power after`, where
//! `after` tells where the balls came to rest (null if fallen; nothing put back).

use super::line::{MAX_LINE_BYTES, NamedBalls, too_long};
use crate::stats::table_values::MOST_SIGMAS;
use cuebench_agents::belief::Observed;
use cuebench_agents::lines::LineReader;
use cuebench_engine::shot::{Balls, BallsError, MAX_OVERLAP_UM, Stroke};
use cuebench_engine::table::{PocketSet, Table, TableSpec};
use cuebench_engine::units::{BALL_DIAMETER_UM, LENGTH_UM, WIDTH_UM};
use serde::Deserialize;
use std::io::{self, BufRead};

/// Most shots that are read.
pub const MAX_SHOTS: usize = 10_000;
/// How far outside the playing area a centre can come to rest, at most, µm: in a pocket.
const POCKET_UM: i32 = 100_000;
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
        line: u64,
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
    pub line: u64,
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

/// Reads all shots of `input`, seen with a normal error of standard deviation `noise_um` in each
/// coordinate of `after`; blank lines are passed over, unknown keys ignored.
///
/// # Errors
/// [`ReadError`] with the line and what is wrong with it.
pub fn read_all(input: impl BufRead, noise_um: f64) -> Result<Vec<SeenShot>, ReadError> {
    let mut shots = Vec::new();
    let mut lines = LineReader::new(input, MAX_LINE_BYTES);
    while let Some(line) = lines.advance()? {
        if line.is_blank() {
            continue;
        }
        let refuse = |reason| ReadError::Line { line: line.number, reason };
        if line.too_long {
            return Err(refuse(too_long().reason));
        }
        if shots.len() == MAX_SHOTS {
            return Err(ReadError::TooMany);
        }
        let shot = read(line.text, noise_um).map_err(refuse)?;
        shots.push(SeenShot { line: line.number, shot });
    }
    Ok(shots)
}

/// Reads one line.
fn read(text: &[u8], noise_um: f64) -> Result<Observed, String> {
    let raw: Raw = serde_json::from_slice(text).map_err(|error| super::line::reason(&error))?;
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
    for (slot, was) in before.at.iter().enumerate() {
        if was.is_some() && !raw.after.order.contains(&(slot as u8)) {
            let name = names.name(slot as u8);
            return Err(format!(
                "ball `{name}` is in `balls` but not in `after`; give its place there, or null if \
                 it fell"
            ));
        }
    }
    check_after(&table, &after, noise_um).map_err(|error| {
        let reason = error.describe(named);
        let about =
            if noise_um > 0.0 { format!(", noise of {noise_um} µm aside") } else { String::new() };
        format!("`after`: {reason}{about}")
    })?;
    Ok(Observed { pockets: raw.pockets, before, stroke, after })
}

/// Whether balls can have come to rest where they were seen. With noise, places are refused that
/// no error of up to [`MOST_SIGMAS`] in each coordinate explains.
fn check_after(table: &Table, after: &Balls, noise_um: f64) -> Result<(), BallsError> {
    if noise_um == 0.0 {
        return table.check(after);
    }
    let room_um = (MOST_SIGMAS * noise_um).ceil() as i32;
    let on_table =
        |value: i32, far: i32| (-POCKET_UM - room_um..=far + POCKET_UM + room_um).contains(&value);
    for (slot, at) in after.on_table() {
        let ball = slot as u8;
        if !on_table(at.x_um, LENGTH_UM) || !on_table(at.y_um, WIDTH_UM) {
            return Err(BallsError::OffTable { ball, at });
        }
        for (other, beside) in after.on_table().filter(|(other, _)| *other > slot) {
            let distance = at.distance_squared_um2(beside).isqrt() as i32;
            // Both balls may be off in both coordinates.
            let overlap_um = BALL_DIAMETER_UM - distance - 3 * room_um;
            if overlap_um > MAX_OVERLAP_UM {
                return Err(BallsError::Overlap { a: ball, b: other as u8, overlap_um });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"pockets":"pool","balls":{"white":[600000,600000],"blue":[900000,600000]},"angle":0,"power":300,"after":{"white":[800000,600000],"blue":null},"id":4}"#;

    #[test]
    fn good_lines_are_read_and_blank_ones_passed_over() {
        let text = format!("{GOOD}\n\n{GOOD}");
        let shots = read_all(text.as_bytes(), 0.0).unwrap();
        assert_eq!(shots.iter().map(|seen| seen.line).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(shots[0].shot.after.at[4], None);
    }

    #[test]
    fn reasons_name_the_line_and_what_is_wrong() {
        for (from, to, part) in [
            ("\"power\":300", "\"power\":0", "line 2: power 0"),
            (
                "\"angle\":0",
                "\"angle\":0.5",
                "line 2: invalid type: the number `0.5`, expected a whole number",
            ),
            ("900000,600000", "650000,600000", "white and blue overlap"),
            ("\"blue\":null", "\"pink\":[1,1]", "`pink` is in `after`"),
            ("\"white\":[600000,600000],", "", "no white"),
            (",\"after\"", ",\"later\"", "missing field `after`"),
            (",\"blue\":null", "", "`blue` is in `balls` but not in `after`"),
            ("\"blue\":null", "\"blue\":[800000,600000]", "`after`: balls white and blue overlap"),
            (
                "\"blue\":null",
                "\"blue\":[800000,2600000]",
                "`after`: ball blue at (800000, 2600000)",
            ),
        ] {
            let text = format!("{GOOD}\n{}\n", GOOD.replacen(from, to, 1));
            for noise_um in [0.0, 1_000.0] {
                let error = read_all(text.as_bytes(), noise_um).expect_err(from).to_string();
                assert!(error.contains(part), "{from}: {error}");
            }
        }
        let near = GOOD.replace("\"blue\":null", "\"blue\":[850000,600000]");
        assert!(read_all(near.as_bytes(), 0.0).is_err());
        assert!(read_all(near.as_bytes(), 1_000.0).is_ok());
        let long = " ".repeat(MAX_LINE_BYTES + 1);
        assert!(read_all(long.as_bytes(), 0.0).is_err());
        assert!(read_all(&b"\xff\n"[..], 0.0).is_err());
    }
}
