//! The registry of games: what `run`, `play`, `tournament`, `replay`, `check-bot` and `agents` share.
//!
//! To add a game, write its rules ([`cuebench_engine::game::Game`]), how it is written down
//! ([`Wire`]) and its agents ([`Roster`], which may be empty), implement [`Playable`] for it, and
//! add one line to [`Games::shipped`]: every command then knows it.

mod chess_pool;
mod frame;
mod frame_drawing;
pub mod race;

use crate::command::{Exit, check_bot, play, replay, run, tournament};
use crate::experiment::grid::Setting;
use crate::experiment::source::Source;
use crate::experiment::{Overrides, matches};
use crate::output::manifest::digest;
use crate::tournament::check::Step;
use crate::tournament::file::Tournament;
use anyhow::bail;
use cuebench_agents::record::{self, Record};
use cuebench_agents::roster::{Entry, Roster};
use cuebench_agents::spec::nearest;
use cuebench_agents::wire::Wire;
use cuebench_engine::game::Game;
use serde_json::{Map, Value};
use std::fs::File;
use std::marker::PhantomData;
use std::path::Path;

pub use frame::read_definition;

/// Name of the definition in the folder of an event.
pub const DEFINITION: &str = "definition.yaml";

/// A game that the command line can play.
pub trait Playable: Wire + Roster + 'static {
    /// The game under these options; files that they name lie in `home`.
    ///
    /// # Errors
    /// Unknown options, with the nearest known one, and values out of range: one line each.
    fn load(settings: &[Setting], home: &Path) -> anyhow::Result<Loaded<Self>>;

    /// A record as people read it, move by move. `players` sat in seats 0 and 1.
    ///
    /// # Errors
    /// When the record cannot have been played.
    fn narrate(&self, record: &Record, _players: [&str; 2]) -> anyhow::Result<String> {
        let mut text = String::new();
        record.replay(self, |step| {
            let view = self.view(step.before, step.seat);
            let action = self.spoken(&view, step.action);
            text += &format!("{:>4}. seat {}  {action}\n", step.number, step.seat);
        })?;
        Ok(text)
    }

    /// Drawings of a record, each with the name that its file gets.
    ///
    /// # Errors
    /// When the record cannot have been played.
    fn draw(&self, _: &Record) -> anyhow::Result<Vec<Drawing>> {
        Ok(vec![])
    }

    /// Whether `cuebench play` adds who won to the narration: not where the narration is a format of
    /// its own that says so and is read back.
    fn summary_follows() -> bool {
        true
    }

    /// What `cuebench play --json` says of a step beside the action and the state after it.
    fn explained(&self, _: &record::Step<'_, Self>) -> Map<String, Value> {
        Map::new()
    }

    /// Runs the experiment in `source`: a round robin of matches, unless the game has an experiment
    /// of its own.
    ///
    /// # Errors
    /// Whatever is wrong with the file, and files that cannot be written.
    fn experiment(
        source: &Source,
        overrides: &Overrides,
        args: &run::Args,
    ) -> anyhow::Result<Exit> {
        run::carry_out(&matches::resolve::<Self>(source, overrides)?, args)
    }
}

/// A drawing and the name of its file, without an ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// As in `seat0-04`.
    pub name: String,
    /// The SVG.
    pub svg: String,
}

/// A game with the files that it was made of.
#[derive(Clone, Debug)]
pub struct Loaded<G> {
    /// The game.
    pub game: G,
    /// Files by name and text: an event keeps them beside its results.
    pub sources: Vec<(&'static str, String)>,
}

impl<G: Wire> Loaded<G> {
    /// Everything that results depend on, for manifests: the options, and digests of the files.
    #[must_use]
    pub fn published(&self) -> Value {
        let mut published = self.game.published();
        for (_, text) in &self.sources {
            published["definition"] = digest(text).into();
        }
        published
    }
}

/// A game in the registry: what the commands ask of it, whichever it is.
pub trait Listed: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Its built-in agents under its usual options.
    ///
    /// # Errors
    /// When the game cannot be made.
    fn agents(&self) -> anyhow::Result<Vec<Entry>>;

    /// `cuebench run`.
    ///
    /// # Errors
    /// See [`Playable::experiment`].
    fn run(&self, source: &Source, overrides: &Overrides, args: &run::Args)
    -> anyhow::Result<Exit>;

    /// `cuebench play`.
    ///
    /// # Errors
    /// See [`play::play`].
    fn play(&self, args: &play::Args) -> anyhow::Result<Exit>;

    /// `cuebench tournament`.
    ///
    /// # Errors
    /// See [`tournament::play`].
    fn tournament(
        &self,
        args: &tournament::Args,
        file: &Tournament,
        home: &Path,
    ) -> anyhow::Result<Exit>;

    /// `cuebench replay`.
    ///
    /// # Errors
    /// See [`replay::show`].
    fn replay(&self, args: &replay::Args, file: &Tournament) -> anyhow::Result<Exit>;

    /// `cuebench check-bot`.
    ///
    /// # Errors
    /// See [`check_bot::check`].
    fn check_bot(
        &self,
        args: &check_bot::Args,
        transcript: Option<File>,
    ) -> anyhow::Result<Vec<Step>>;
}

/// A game as an entry of the registry.
pub struct Kind<G>(PhantomData<fn() -> G>);

impl<G: Playable> Kind<G> {
    /// The entry.
    pub const ENTRY: &'static dyn Listed = &Self(PhantomData);
}

impl<G: Playable> Listed for Kind<G> {
    fn name(&self) -> &'static str {
        <G as Game>::NAME
    }

    fn agents(&self) -> anyhow::Result<Vec<Entry>> {
        Ok(G::load(&[], Path::new(""))?.game.entries())
    }

    fn run(
        &self,
        source: &Source,
        overrides: &Overrides,
        args: &run::Args,
    ) -> anyhow::Result<Exit> {
        G::experiment(source, overrides, args)
    }

    fn play(&self, args: &play::Args) -> anyhow::Result<Exit> {
        play::play::<G>(args)
    }

    fn tournament(
        &self,
        args: &tournament::Args,
        file: &Tournament,
        home: &Path,
    ) -> anyhow::Result<Exit> {
        tournament::play::<G>(args, file, home)
    }

    fn replay(&self, args: &replay::Args, file: &Tournament) -> anyhow::Result<Exit> {
        replay::show::<G>(args, file)
    }

    fn check_bot(
        &self,
        args: &check_bot::Args,
        transcript: Option<File>,
    ) -> anyhow::Result<Vec<Step>> {
        check_bot::check::<G>(args, transcript)
    }
}

/// The games that a command line knows.
#[derive(Clone)]
pub struct Games(Vec<&'static dyn Listed>);

impl Games {
    /// The games that ship.
    #[must_use]
    pub fn shipped() -> Self {
        Self(vec![
            Kind::<cuebench_engine::snooker::Race>::ENTRY,
            Kind::<cuebench_engine::frame::Game>::ENTRY,
            Kind::<cuebench_engine::chess_pool::game::ChessPool>::ENTRY,
        ])
    }

    /// These and one more.
    #[must_use]
    pub fn with<G: Playable>(mut self) -> Self {
        self.0.push(Kind::<G>::ENTRY);
        self
    }

    /// Their names.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|game| game.name()).collect()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Listed> + '_ {
        self.0.iter().copied()
    }

    /// The game called `name`.
    ///
    /// # Errors
    /// For a name that no game has, with the nearest one.
    pub fn get(&self, name: &str) -> anyhow::Result<&'static dyn Listed> {
        if let Some(game) = self.iter().find(|game| game.name() == name) {
            return Ok(game);
        }
        let names = self.names();
        let near = nearest(name, &names)
            .map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        bail!("unknown game `{name}`{near}; known: {}", names.join(", "))
    }
}
