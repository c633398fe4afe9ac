//! A game as people read it: the text that [`super::super::playthrough`] writes.

use super::super::setup::Setup;
use super::{Entry, GameFile, Happened, Said, is_comment};
use crate::experiment::grid::Setting;
use anyhow::{Context as _, anyhow, bail};
use cuebench_engine::chess_pool::call::Call;
use cuebench_engine::chess_pool::frame::Seat;
use cuebench_engine::chess_pool::notation::{Notes, parse};
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::shot::Balls;
use cuebench_engine::units::Point;
use serde_json::Value;

/// A game that is being read.
struct Reading {
    settings: Vec<Setting>,
    breaker: Seat,
    entries: Vec<Entry>,
    ending: Option<(usize, String)>,
    /// What the last answer's shot did, as far as it is read.
    notes: Option<Notes>,
    after: Option<Balls>,
}

pub fn read(text: &str, settings: &[Setting]) -> anyhow::Result<GameFile> {
    let mut reading = Reading {
        settings: settings.to_vec(),
        breaker: 0,
        entries: vec![],
        ending: None,
        notes: None,
        after: None,
    };
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if !is_comment(line) {
            let number = index + 1;
            let word = line.split(' ').next().unwrap_or_default();
            if !["set", "|", "@", "=", "end:"].contains(&word) {
                reading.close()?;
            }
            reading.line(line, number).with_context(|| format!("line {number}"))?;
        }
    }
    reading.close()?;
    Ok(GameFile {
        setup: Setup::of(&reading.settings).map_err(|error| anyhow!("set: {error}"))?,
        breaker: reading.breaker,
        entries: reading.entries,
        ending: reading.ending,
    })
}

impl Reading {
    fn line(&mut self, line: &str, number: usize) -> anyhow::Result<()> {
        if self.ending.is_some() {
            bail!("nothing follows the end of a game");
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "set" => self.set(rest),
            "|" => fill(&mut self.notes, self.entries.last(), parse(rest)?),
            "@" => fill(&mut self.after, self.entries.last(), places(rest)?),
            "=" => match self.entries.last_mut() {
                Some(Entry { verdict: verdict @ None, said, .. }) if said.is_shot() => {
                    *verdict = Some(rest.to_owned());
                    Ok(())
                }
                _ => bail!("a verdict follows a shot"),
            },
            "end:" => {
                self.ending = Some((number, rest.to_owned()));
                Ok(())
            }
            _ => {
                self.entries.push(entry(line, number)?);
                Ok(())
            }
        }
    }

    fn set(&mut self, rest: &str) -> anyhow::Result<()> {
        if !self.entries.is_empty() {
            bail!("set stands before the first answer");
        }
        for word in rest.split_whitespace() {
            let setting: Setting = word.parse().map_err(|error| anyhow!("set {word}: {error}"))?;
            if setting.name == "breaker" {
                self.breaker = seat(&setting.value)?;
            } else {
                self.settings.push(setting);
            }
        }
        Ok(())
    }

    /// Gives the last answer what its shot did.
    fn close(&mut self) -> anyhow::Result<()> {
        let Some(last) = self.entries.last_mut() else { return Ok(()) };
        last.happened = match (self.notes.take(), self.after.take()) {
            (Some(notes), Some(after)) => Some(Happened { notes, after }),
            (None, None) => None,
            (Some(_), None) => bail!("line {}: `|` without `@`, the places of rest", last.line),
            (None, Some(_)) => bail!("line {}: `@` without `|`, what happened", last.line),
        };
        Ok(())
    }
}

impl Said {
    const fn is_shot(&self) -> bool {
        matches!(self, Self::Break { .. } | Self::Shot { .. })
    }
}

/// Keeps `value` for the last answer, if that is a shot and has none yet.
fn fill<T>(place: &mut Option<T>, last: Option<&Entry>, value: T) -> anyhow::Result<()> {
    match last {
        Some(entry) if entry.said.is_shot() && place.is_none() => {
            *place = Some(value);
            Ok(())
        }
        _ => bail!("what happened follows a shot, once"),
    }
}

fn seat(text: &str) -> anyhow::Result<Seat> {
    match text {
        "0" => Ok(0),
        "1" => Ok(1),
        _ => bail!("`{text}` is no seat; the seats are 0 and 1"),
    }
}

/// `O:619017,523326 1:...`
fn places(text: &str) -> anyhow::Result<Balls> {
    let mut balls = Balls::default();
    for word in text.split_whitespace() {
        let (name, at) = word.split_once(':').with_context(|| format!("`{word}` is no place"))?;
        let ball: Ball = if name == "O" { Ball::CUE } else { name.parse()? };
        if balls.at[ball.slot()].replace(point(at)?).is_some() {
            bail!("{name} stands twice");
        }
    }
    Ok(balls)
}

fn point(text: &str) -> anyhow::Result<Point> {
    let read = || {
        let (x, y) = text.split_once(',')?;
        Some(Point::new(x.parse().ok()?, y.parse().ok()?))
    };
    read().with_context(|| format!("`{text}` is no place; write x,y in whole micrometres"))
}

/// `3. seat 0 move 1x12 cue 1,2 angle 3 power 4`; the number, the seat and the stroke may be
/// left out.
fn entry(line: &str, number: usize) -> anyhow::Result<Entry> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if words.first().is_some_and(|word| word.strip_suffix('.').is_some_and(is_number)) {
        words.remove(0);
    }
    let mut who = None;
    if let ["seat", text, ..] = words[..] {
        who = Some(seat(text)?);
        words.drain(..2);
    }
    let said = match words[..] {
        ["side", "solids"] => Said::Side(Side::Solids),
        ["side", "stripes"] => Said::Side(Side::Stripes),
        ["king", ball] => Said::King(ball.parse()?),
        ["break", ref rest @ ..] => {
            let (cue, stroke) = stroke(rest)?;
            Said::Break { cue: cue.context("a break names the place of the cue ball")?, stroke }
        }
        ["slop", ref rest @ ..] => {
            let (cue, stroke) = stroke(rest)?;
            Said::Shot { call: Call::Slop, cue, stroke }
        }
        ["move", pair, ref rest @ ..] => {
            let (cue, stroke) = stroke(rest)?;
            Said::Shot { call: called(pair)?, cue, stroke }
        }
        _ => bail!(
            "not a line of a game; write `set`, an answer (break, side, move, slop, king), `|`, `@`, \
             `=`, `end:` or a comment that begins with #"
        ),
    };
    Ok(Entry { line: number, id: Value::Null, seat: who, said, happened: None, verdict: None })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn called(pair: &str) -> anyhow::Result<Call> {
    let (capturer, target) =
        pair.split_once('x').with_context(|| format!("`{pair}` is no move; write it as 1x12"))?;
    Ok(Call::Move { capturer: capturer.parse()?, target: target.parse()? })
}

/// `[cue X,Y] [angle A power P]`
fn stroke(words: &[&str]) -> anyhow::Result<(Option<Point>, Option<[u32; 2]>)> {
    let (cue, rest) = match words {
        ["cue", at, rest @ ..] => (Some(point(at)?), rest),
        rest => (None, rest),
    };
    let whole =
        |text: &str| text.parse::<u32>().with_context(|| format!("`{text}` is no whole number"));
    match rest {
        [] => Ok((cue, None)),
        ["angle", angle, "power", power] => Ok((cue, Some([whole(angle)?, whole(power)?]))),
        _ => bail!("`{}`: write [cue X,Y] [angle A power P]", words.join(" ")),
    }
}
