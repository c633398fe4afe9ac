//! What a log says of whole frames: length, safeties, who won, whether the breaker ran out.

use super::schema::{Call, POT_NO_POSITION, POT_POSITION, POT_SCRATCH};
use std::collections::BTreeMap;

/// One frame as far as it was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Shots and safeties.
    pub shots: u64,
    /// Safeties.
    pub safeties: u64,
    /// Players in the order in which they were met.
    pub players: Vec<String>,
    /// The last shot: its number, player, call and result.
    last: Option<(u64, String, Call, usize)>,
}

/// Frames by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// The frames.
    pub frames: BTreeMap<String, Observed>,
}

/// A good row of a log.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The frame.
    pub frame: &'a str,
    /// The number of the shot.
    pub shot: &'a str,
    /// Who shoots.
    pub player: &'a str,
    /// The call.
    pub call: Call,
    /// The result, as an index among those of the call.
    pub result: usize,
    /// How many such rows.
    pub count: u64,
}

impl Frames {
    /// Takes a row in. Rows without a frame are left out.
    pub fn add(&mut self, seen: Seen<'_>) {
        if seen.frame.is_empty() {
            return;
        }
        let frame = self.frames.entry(seen.frame.to_owned()).or_default();
        frame.shots += seen.count;
        frame.safeties += if seen.call == Call::Safety { seen.count } else { 0 };
        if !frame.players.iter().any(|player| player == seen.player) {
            frame.players.push(seen.player.to_owned());
        }
        let number = seen.shot.parse().unwrap_or(frame.shots);
        if frame.last.as_ref().is_none_or(|last| number >= last.0) {
            frame.last = Some((number, seen.player.to_owned(), seen.call, seen.result));
        }
    }
}

impl Observed {
    /// Who won between the two `players`, if the last shot tells: a clean pot wins, a pot with a
    /// scratch loses.
    #[must_use]
    pub fn winner<'a>(&self, players: [&'a str; 2]) -> Option<&'a str> {
        let (_, player, call, result) = self.last.as_ref()?;
        let at = players.iter().position(|p| p == player)?;
        match (call, *result) {
            (Call::Shot, POT_POSITION | POT_NO_POSITION) => Some(players[at]),
            (Call::Shot, POT_SCRATCH) => Some(players[1 - at]),
            _ => None,
        }
    }
}
