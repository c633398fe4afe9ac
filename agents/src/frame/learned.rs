//! Tabular Q-learning by self-play (Watkins 1989): both seats learn one table of what each action
//! is worth to seat 0, which one maximises and the other minimises.
//!
//! The learner sees frames only as a player does, one state after the other; it never looks at
//! the probabilities.

use cuebench_engine::frame::{ActionId, FramePlay, Game, Policy, View};
use cuebench_engine::rng::{Purpose, stream};
use rand::RngExt as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The first line of a table's file.
const FORMAT: &str = "cuebench frame table 1";
/// Share of choices that are made at random while learning.
const EXPLORE: f64 = 0.2;
/// A value moves towards the n-th observation by `1 / n^SLOWING`, but never by less than `FLOOR`.
const SLOWING: f64 = 0.75;
const FLOOR: f64 = 1e-5;
/// An episode that is longer is broken off, choices.
const MAX_CHOICES: u32 = 100_000;
/// The largest table that is read, bytes.
pub const MAX_TABLE_BYTES: u64 = 64 << 20;

/// What was learned: the action to take at each state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedTable {
    format: String,
    /// The definition's name.
    pub game: String,
    /// Episodes of training.
    pub episodes: u64,
    /// The seed of the training.
    pub seed: u64,
    /// Settings under which it was trained, by name.
    pub parameters: BTreeMap<String, String>,
    /// Names of the values that a state is known by, in order.
    columns: Vec<String>,
    /// State to action.
    states: BTreeMap<String, String>,
}

/// Why a table cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The text is no table.
    #[error("not a learned table: {0}; make one with `cuebench learn frames`")]
    Text(String),
    /// The table is of another game.
    #[error(
        "the table was learned on another game ({0}); train on this one with `cuebench learn frames`"
    )]
    OtherGame(String),
}

impl LearnedTable {
    /// Reads a table.
    ///
    /// # Errors
    /// When the text is no table.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let table: Self =
            serde_json::from_str(text).map_err(|error| TableError::Text(error.to_string()))?;
        if table.format != FORMAT {
            return Err(TableError::Text(format!("its format is `{}`", table.format)));
        }
        Ok(table)
    }

    /// The table as text, the same bytes for the same table.
    ///
    /// # Errors
    /// Never for a table that was learned or read.
    pub fn text(&self) -> Result<String, TableError> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n").map_err(|error| TableError::Text(error.to_string()))
    }

    /// How many states it knows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether it knows no state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// What the table does for `seat` of `game`, which may have other numbers than the game it
    /// was learned on but must have the same states.
    ///
    /// # Errors
    /// When a state or its action is not in the table.
    pub fn policy(&self, game: &Game, seat: usize) -> Result<Policy, TableError> {
        if game.columns() != self.columns {
            return Err(TableError::OtherGame("its states are known by other values".to_owned()));
        }
        game.policy_from(seat, |view| {
            let key = view.key();
            let action = self.states.get(&key);
            let action =
                action.ok_or_else(|| TableError::OtherGame(format!("it has no state `{key}`")))?;
            view.action(action)
                .ok_or_else(|| TableError::OtherGame(format!("`{action}` is not open at `{key}`")))
        })
    }
}

/// One state's values.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// Worth of each action to seat 0, and how often it was tried.
    actions: Vec<(f64, u32)>,
}

impl Entry {
    /// The action that is best for `seat`, the first of equals, and its worth.
    fn best(&self, seat: usize) -> (usize, f64) {
        let mut best = (0, self.actions[0].0);
        for (i, &(worth, _)) in self.actions.iter().enumerate().skip(1) {
            if (seat == 0 && worth > best.1) || (seat == 1 && worth < best.1) {
                best = (i, worth);
            }
        }
        best
    }

    fn learn(&mut self, action: usize, target: f64) {
        let (worth, tries) = &mut self.actions[action];
        *tries = tries.saturating_add(1);
        *worth += rate(*tries) * (target - *worth);
    }
}

fn rate(tries: u32) -> f64 {
    libm::pow(f64::from(tries), -SLOWING).max(FLOOR)
}

/// Learns a table from `episodes` frames of self-play; `progress` is told of every thousandth.
/// The same seed gives the same table. Frames must be able to end under random play.
#[must_use]
pub fn learn(game: &Game, episodes: u64, seed: u64, mut progress: impl FnMut(u64)) -> LearnedTable {
    let views: Vec<View<'_>> = game.views().collect();
    let size = views.iter().map(|view| view.state().index() + 1).max().unwrap_or(0);
    let mut table: Vec<Entry> = vec![Entry::default(); size];
    for view in &views {
        table[view.state().index()].actions = vec![(0.5, 0); view.action_count()];
    }
    let mut explore = stream(seed, Purpose::Learning, 0);
    let mut play = FramePlay::new(game, stream(seed, Purpose::Learning, 1));
    for episode in 0..episodes {
        if episode % 1000 == 999 {
            progress(1000);
        }
        play.restart();
        for _ in 0..MAX_CHOICES {
            let Some(view) = play.view() else { break };
            let state = view.state().index();
            let action = if explore.random::<f64>() < EXPLORE {
                explore.random_range(0..view.action_count())
            } else {
                table[state].best(view.seat()).0
            };
            play.apply(view.action_at(action).unwrap_or_else(ActionId::first));
            let target = match (play.view(), play.result()) {
                (Some(next), _) => table[next.state().index()].best(next.seat()).1,
                (None, end) => match end.and_then(|end| end.winner) {
                    Some(0) => 1.0,
                    Some(_) => 0.0,
                    None => 0.5,
                },
            };
            table[state].learn(action, target);
        }
    }
    let states = views.iter().map(|view| {
        let (best, _) = table[view.state().index()].best(view.seat());
        (view.key(), view.actions()[best].to_owned())
    });
    let parameters = game.definition().parameters();
    LearnedTable {
        format: FORMAT.to_owned(),
        game: game.definition().name().to_owned(),
        episodes,
        seed,
        parameters: parameters.into_iter().map(|p| (p.name, p.value.to_string())).collect(),
        columns: game.columns(),
        states: states.collect(),
    }
}
