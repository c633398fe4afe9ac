//! Records: a game is its seed and its actions, and can be played again from them.
//!
//! A record is one JSON object: `seed` (public), `hidden` (the hidden part of the seed as 16
//! hexadecimal digits, where it differs), `moves` (`[seat, time_ms, action]` in the order in which
//! they were played; where the seats do not touch each other, those of seat 0 first) and
//! `broke_off` (`[seat, "timeout" or "fault", time_ms]`), if any seat did.

use crate::wire::Wire;
use cuebench_engine::game::{Forfeit, Game, Seat, Seed};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write as _;

/// A record as it is read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The public seed.
    pub seed: u64,
    /// The hidden part of the seed, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hexadecimal")]
    pub hidden: Option<u64>,
    /// The moves in their order.
    pub moves: Vec<(Seat, u64, Value)>,
    /// Seats that broke off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broke_off: Vec<(Seat, Forfeit, u64)>,
}

/// Why a record cannot be played again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {number}: {why}")]
pub struct ReplayError {
    /// The move, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub why: String,
}

/// One move of a replay.
#[derive(Debug)]
pub struct Step<'a, G: Game> {
    /// From 1.
    pub number: usize,
    /// Who moved.
    pub seat: Seat,
    /// The clock of the seat after the move, ms.
    pub time_ms: u64,
    /// The state before.
    pub before: &'a G::State,
    /// The move.
    pub action: &'a G::Action,
    /// The state after.
    pub after: &'a G::State,
}

impl Record {
    /// The seed with its hidden part.
    #[must_use]
    pub fn seed(&self) -> Seed {
        Seed { public: self.seed, hidden: self.hidden.unwrap_or(self.seed) }
    }

    /// Plays the record again; `watch` sees every move.
    ///
    /// # Errors
    /// [`ReplayError`] for the first move that cannot have been played.
    pub fn replay<G: Wire>(
        &self,
        game: &G,
        mut watch: impl FnMut(&Step<'_, G>),
    ) -> Result<G::State, ReplayError> {
        let mut state = game.start(self.seed());
        for (index, (seat, time_ms, written)) in self.moves.iter().enumerate() {
            let number = index + 1;
            let fault = |why: String| ReplayError { number, why };
            if !game.turn(&state).allows(*seat) {
                return Err(fault(format!("it is not the turn of seat {seat}")));
            }
            let action = game.recorded(&game.view(&state, *seat), written).map_err(fault)?;
            let before = state.clone();
            game.play(&mut state, *seat, &action, *time_ms)
                .map_err(|refusal| fault(refusal.to_string()))?;
            watch(&Step {
                number,
                seat: *seat,
                time_ms: *time_ms,
                before: &before,
                action: &action,
                after: &state,
            });
        }
        for &(seat, why, time_ms) in &self.broke_off {
            game.forfeit(&mut state, seat, why, time_ms);
        }
        Ok(state)
    }
}

/// Writes a record while its game is played, or nothing where none is wanted.
pub(crate) struct Writer {
    wanted: bool,
    moves: String,
    broke_off: String,
}

impl Writer {
    pub(crate) const fn new(wanted: bool) -> Self {
        Self { wanted, moves: String::new(), broke_off: String::new() }
    }

    pub(crate) fn mark(&self) -> usize {
        self.moves.len()
    }

    pub(crate) fn back_to(&mut self, mark: usize) {
        self.moves.truncate(mark);
    }

    pub(crate) fn action(&mut self, seat: Seat, time_ms: u64, write: impl FnOnce(&mut String)) {
        if self.wanted {
            separate(&mut self.moves);
            // Writing to a String cannot fail, here and below.
            let _ = write!(self.moves, "[{seat},{time_ms},");
            write(&mut self.moves);
            self.moves.push(']');
        }
    }

    pub(crate) fn broke_off(&mut self, seat: Seat, why: Forfeit, time_ms: u64) {
        if self.wanted {
            separate(&mut self.broke_off);
            let _ = write!(self.broke_off, "[{seat},\"{}\",{time_ms}]", why.name());
        }
    }

    /// Adds what another seat did.
    pub(crate) fn append(&mut self, other: &mut Self) {
        for (own, others) in
            [(&mut self.moves, &mut other.moves), (&mut self.broke_off, &mut other.broke_off)]
        {
            if !others.is_empty() {
                separate(own);
                own.push_str(others);
            }
        }
    }

    pub(crate) fn finish(self, seed: Seed) -> String {
        let mut out = format!("{{\"seed\":{}", seed.public);
        if seed.hidden != seed.public {
            let _ = write!(out, ",\"hidden\":\"{:016x}\"", seed.hidden);
        }
        let _ = write!(out, ",\"moves\":[{}]", self.moves);
        if !self.broke_off.is_empty() {
            let _ = write!(out, ",\"broke_off\":[{}]", self.broke_off);
        }
        out.push('}');
        out
    }
}

fn separate(list: &mut String) {
    if !list.is_empty() {
        list.push(',');
    }
}

/// 64 bits as 16 hexadecimal digits: every reader of JSON keeps them whole.
mod hexadecimal {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(word: &Option<u64>, to: S) -> Result<S::Ok, S::Error> {
        match word {
            None => to.serialize_none(),
            Some(word) => to.serialize_str(&format!("{word:016x}")),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
        let text = String::deserialize(from)?;
        if text.len() != 16 {
            return Err(D::Error::custom("`hidden` has 16 hexadecimal digits"));
        }
        u64::from_str_radix(&text, 16)
            .map(Some)
            .map_err(|_| D::Error::custom("`hidden` has 16 hexadecimal digits"))
    }
}
