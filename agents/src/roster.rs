//! Texts such as `search:sims=333` to players, for every game: one table of names, options, units
//! and defaults.

use crate::player::Player;
use crate::spec::{AgentSpec, SpecError};
use cuebench_engine::game::{Game, Seat};
use serde::Serialize;
use std::str::FromStr;

/// A built-in agent of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it does, in one sentence.
    pub about: String,
    /// Its options.
    pub options: &'static [Opt],
}

impl Entry {
    /// An agent with these options.
    #[must_use]
    pub fn new(name: &str, about: &str, options: &'static [Opt]) -> Self {
        Self { name: name.to_owned(), about: about.to_owned(), options }
    }
}

/// An option of an agent, written `name=value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Opt {
    /// Its name.
    pub name: &'static str,
    /// What a value is: its unit and range, as in "a chance from 0 to 1".
    pub value: &'static str,
    /// The value unless given.
    pub default: &'static str,
}

impl Opt {
    /// An option whose values are `value`.
    #[must_use]
    pub const fn new(name: &'static str, value: &'static str, default: &'static str) -> Self {
        Self { name, value, default }
    }

    /// The number that `spec` gives for it, or its default, within `range`.
    ///
    /// # Errors
    /// [`SpecError::BadValue`] for text that is no number and for numbers out of range.
    pub fn number<T>(&self, spec: &AgentSpec, range: [T; 2]) -> Result<T, SpecError>
    where
        T: FromStr + PartialOrd + ToString,
    {
        let given = spec.options.iter().rev().find(|(key, _)| key == self.name);
        let text = given.map_or(self.default, |(_, value)| value.as_deref().unwrap_or_default());
        let number: Option<T> = text.parse().ok();
        number
            .filter(|number| *number >= range[0] && *number <= range[1])
            .ok_or_else(|| spec.bad_value(self.name, text, self.value))
    }
}

/// The least estimated chance from which `threshold` attacks: the same name and unit in every game.
pub const TAU: Opt = Opt::new("tau", "a chance from 0 to 1", "0.5");

/// Simulated shots for each answer.
pub const SIMS_EXPECTED: &str = "a number of simulations from 1 to 1000000000";
/// The most simulations that may be asked for.
pub const MAX_SIMS: u64 = 1_000_000_000;

/// A game with built-in agents.
pub trait Roster: Game {
    /// Every built-in agent, in the order in which they are listed.
    fn entries(&self) -> Vec<Entry>;

    /// The player that `spec` describes, for `seat`. `opponent` is the other seat's agent, where
    /// that is a built-in one: some agents answer it.
    ///
    /// # Errors
    /// [`SpecError`] for unknown names and options, with the nearest known one, for bad values and
    /// for agents that cannot be had for this game.
    fn player(
        &self,
        spec: &AgentSpec,
        seat: Seat,
        opponent: Option<&AgentSpec>,
    ) -> Result<Box<dyn Player<Self>>, SpecError>;

    /// The agent that processes are checked against.
    fn sparring(&self) -> &'static str {
        "random"
    }

    /// The entry of `spec`, with its options checked by name. Words without a value are left to
    /// the agent where it takes any.
    ///
    /// # Errors
    /// [`SpecError`] for an unknown name or option.
    fn entry(&self, spec: &AgentSpec, words: &[&str]) -> Result<Entry, SpecError> {
        let entries = self.entries();
        let Some(entry) = entries.iter().find(|entry| entry.name == spec.name) else {
            let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            return Err(spec.unknown(&names));
        };
        let known: Vec<&str> =
            entry.options.iter().map(|option| option.name).chain(words.iter().copied()).collect();
        spec.only(&known)?;
        Ok(entry.clone())
    }
}
