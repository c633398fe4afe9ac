//! What a log says of whole frames: length, safeties, innings, who won, whether the breaker ran out;
//! and what was called from where.

use super::schema::{Call, POT_NO_POSITION, POT_POSITION, POT_SCRATCH};
use super::shots::Geometry;
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
    /// Whoever was named as the opponent of a player and did not shoot.
    pub opponent: Option<String>,
    /// Number of each shot and the place of its player.
    order: Vec<(u64, usize)>,
    /// The last shot: its number, player, call and result.
    last: Option<(u64, String, Call, usize)>,
}

/// Frames by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// The frames.
    pub frames: BTreeMap<String, Observed>,
    /// Shots and safeties of each player from each leave, where logs have leaves.
    pub calls: BTreeMap<String, BTreeMap<usize, [u64; 2]>>,
}

/// A good row of a log.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The frame, with the number of its file where files number their frames apart.
    pub frame: &'a str,
    /// The number of the shot.
    pub shot: &'a str,
    /// Who shoots.
    pub player: &'a str,
    /// Who waits, where the log says.
    pub opponent: &'a str,
    /// The leave, as an index of the schema.
    pub leave: Option<usize>,
    /// The geometry, where the log has it.
    pub geometry: Option<Geometry>,
    /// The call.
    pub call: Call,
    /// The result, as an index among those of the call.
    pub result: usize,
    /// How many such rows.
    pub count: u64,
}

impl Frames {
    /// Takes a row in. Rows without a frame tell only what was called.
    pub fn add(&mut self, seen: Seen<'_>) {
        if let Some(leave) = seen.leave {
            let player = match self.calls.get_mut(seen.player) {
                Some(player) => player,
                None => self.calls.entry(seen.player.to_owned()).or_default(),
            };
            player.entry(leave).or_default()[usize::from(seen.call == Call::Safety)] += seen.count;
        }
        if seen.frame.is_empty() {
            return;
        }
        let frame = match self.frames.get_mut(seen.frame) {
            Some(frame) => frame,
            None => self.frames.entry(seen.frame.to_owned()).or_default(),
        };
        frame.shots += seen.count;
        frame.safeties += if seen.call == Call::Safety { seen.count } else { 0 };
        let at = frame.players.iter().position(|player| player == seen.player);
        let at = at.unwrap_or_else(|| {
            frame.players.push(seen.player.to_owned());
            frame.players.len() - 1
        });
        if !seen.opponent.is_empty() && frame.opponent.is_none() {
            frame.opponent = Some(seen.opponent.to_owned());
        }
        let number = seen.shot.parse().unwrap_or(frame.shots);
        frame.order.push((number, at));
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

    /// Visits to the table, that of the break by `breaker` included.
    #[must_use]
    pub fn innings(&self, breaker: &str) -> u64 {
        let mut order = self.order.clone();
        order.sort_unstable();
        let mut at = self.players.iter().position(|player| player == breaker);
        let mut innings = 1;
        for (_, player) in order {
            innings += u64::from(at != Some(player));
            at = Some(player);
        }
        innings
    }

    /// Who played against `player`, as far as the frame tells.
    #[must_use]
    pub fn against(&self, player: &str) -> Option<&str> {
        let met = self.players.iter().map(String::as_str).chain(self.opponent.as_deref());
        met.into_iter().find(|other| *other != player)
    }
}
