//! Experiments: a TOML file becomes a list of blocks, and the blocks become rows.
//!
//! [`GameExperiment`] is what a game brings along; [`drive::drive`] does the rest for all of them:
//! threads, order, progress, files that grow by whole rows, interruption, `--resume`, the manifest
//! and the summary at the end.
//!
//! An experiment is a sequence of *units*, and each unit writes the same number of rows to each of
//! the experiment's files: a pairing at one point of the grid (one row), a match (one row, and two
//! of tables), a frame. A unit is played in one or more *blocks*, which is what threads share.
//! What has been done can therefore be read off the files: the summary at the end is made from the
//! rows alone, so a resumed run and an uninterrupted one cannot differ.
//!
//! A game without an experiment of its own gets [`mod@matches`]: a round robin of its agents.

pub mod chess_pool;
pub mod drive;
pub mod frame;
pub mod grid;
pub mod matches;
pub mod race;
pub mod source;

use crate::contender::{Contender, Written};
use crate::output::rows::{Kind, Row};
use anyhow::Context as _;
use cuebench_agents::spec::AgentSpec;
use grid::Setting;
use serde::Deserialize;
use source::{Source, SourceError};

/// The name of the game that the file is about; its other keys are not looked at.
///
/// # Errors
/// Broken TOML, or no `game`.
pub fn game_of(source: &Source) -> Result<toml::Spanned<String>, SourceError> {
    #[derive(Deserialize)]
    struct Head {
        game: toml::Spanned<String>,
    }
    source.parse::<Head>().map(|head| head.game)
}

/// What the command line says beside the file.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--seed`, in place of the file's.
    pub seed: Option<u64>,
    /// `--set`, in place of the grid's values of these parameters.
    pub set: Vec<Setting>,
}

/// The name of an experiment, which its files are called by: the one in the file, else the file's
/// own name without its ending.
///
/// # Errors
/// When it is not made of letters, digits, `-`, `_` and `.`, or begins with a `.`.
pub fn name(source: &Source, given: Option<&toml::Spanned<String>>) -> Result<String, SourceError> {
    let span = given.map_or(0..0, toml::Spanned::span);
    let name = match given {
        Some(name) => name.get_ref().clone(),
        None => source.path().file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(plain) {
        let remedy = "give name = \"…\" of at most 100 letters, digits, `-`, `_` and `.`";
        return Err(source.error(span, format!("`{name}` cannot name files: {remedy}")));
    }
    Ok(name)
}

/// The contenders of an experiment file, in the file's order.
///
/// # Errors
/// By line and column: a contender that cannot be, that `check` refuses, or that stands twice; none
/// or more than `most`.
pub fn contenders(
    source: &Source,
    written: &toml::Spanned<Vec<toml::Spanned<Written>>>,
    most: usize,
    check: impl Fn(&AgentSpec) -> Result<(), String>,
) -> Result<Vec<Contender>, SourceError> {
    let mut contenders: Vec<Contender> = vec![];
    for written in written.get_ref() {
        let at = |error: String| source.error(written.span(), error);
        let contender = written.get_ref().contender().map_err(at)?;
        if let Contender::Agent(spec) = &contender {
            check(spec).map_err(at)?;
        }
        let name = contender.to_string();
        if contenders.iter().any(|other| other.to_string() == name) {
            return Err(at(format!("agent `{name}` is named twice; its rows would be the same")));
        }
        contenders.push(contender);
    }
    if contenders.is_empty() || contenders.len() > most {
        let message = format!("agents: give 1 to {most}, as in [\"search\", \"threshold\"]");
        return Err(source.error(written.span(), message));
    }
    Ok(contenders)
}

/// Who plays, for manifests: agents as their texts, processes with their commands.
#[must_use]
pub fn named(contenders: &[Contender]) -> serde_json::Value {
    contenders
        .iter()
        .map(|contender| match contender {
            Contender::Agent(spec) => serde_json::Value::from(spec.to_string()),
            Contender::Command(command) => {
                serde_json::json!({ "id": command.id, "command": command.words })
            }
        })
        .collect()
}

/// Digests of the files that agents are made of, such as `learned:FILE`: every option without a
/// value that names a file.
#[must_use]
pub fn agent_files(contenders: &[Contender]) -> serde_json::Map<String, serde_json::Value> {
    let agents = contenders.iter().filter_map(|contender| match contender {
        Contender::Agent(spec) => Some(spec),
        Contender::Command(_) => None,
    });
    let words = agents.flat_map(|agent| &agent.options).filter(|(_, value)| value.is_none());
    let digest = |(word, _): &(String, _)| {
        let bytes = std::fs::read(word).ok()?;
        Some((word.clone(), crate::output::manifest::digest(bytes).into()))
    };
    words.filter_map(digest).collect()
}

/// One of an experiment's CSV files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsOf {
    /// What stands between the experiment's name and `.csv`: empty, or as in `-tables`.
    pub suffix: &'static str,
    /// What its rows are.
    pub kind: Kind,
    /// Rows that each unit writes to it; at least one.
    pub per_unit: u64,
}

impl RowsOf {
    /// A file `NAME{suffix}.csv` with `per_unit` rows of type `R` for each unit.
    #[must_use]
    pub const fn new<R: Row>(suffix: &'static str, per_unit: u64) -> Self {
        Self { suffix, kind: R::KIND, per_unit }
    }
}

/// An experiment of one game, resolved and checked: nothing about it can be wrong any more except
/// what happens while it is played.
pub trait GameExperiment: Sync {
    /// What a block returns: small, and merged in the order of blocks.
    type Block: Send;

    /// What is counted by the progress bar, in the plural: `frames`, `tables`.
    const EPISODES: &'static str;

    /// The name its files are called by.
    fn name(&self) -> &str;

    /// The master seed.
    fn seed(&self) -> u64;

    /// Everything that determines the rows, for the manifest: `--resume` goes on only if this is
    /// the same. Contents of other files stand in it as digests
    /// ([`manifest::digest`](crate::output::manifest::digest)).
    fn resolved(&self) -> serde_json::Value;

    /// The files it writes row by row; the first is the main one.
    fn files(&self) -> Vec<RowsOf>;

    /// Number of units.
    fn units(&self) -> u64;

    /// Number of blocks of a unit, at least one.
    fn blocks(&self, _unit: u64) -> u64 {
        1
    }

    /// Number of episodes in a block.
    fn episodes(&self, _unit: u64, _block: u64) -> u64 {
        1
    }

    /// Plays a block: a pure function of the experiment, the unit and the block.
    ///
    /// # Errors
    /// When it cannot be played; the run ends then, with the rows of the units before.
    fn play(&self, unit: u64, block: u64) -> anyhow::Result<Self::Block>;

    /// Adds the next block of the same unit to what was played of it so far.
    fn merge(&self, total: &mut Self::Block, next: Self::Block);

    /// The rows of a finished unit, exactly as many for each file as [`RowsOf::per_unit`] says.
    ///
    /// # Errors
    /// When they cannot be made.
    fn rows(&self, unit: u64, total: Self::Block, rows: &mut UnitRows) -> anyhow::Result<()>;

    /// What stands at the end of a complete run, made from the written rows alone: a table for the
    /// reader, the same as JSON, and further files.
    ///
    /// # Errors
    /// When the rows cannot be read back or further files not be written.
    fn report(&self, written: &mut drive::Written<'_>) -> anyhow::Result<Report>;
}

/// The rows of one unit on their way to the files.
#[derive(Debug)]
pub struct UnitRows {
    files: Vec<(RowsOf, csv::Writer<Vec<u8>>, u64)>,
}

impl UnitRows {
    fn new(files: &[RowsOf]) -> Self {
        let writer = || csv::WriterBuilder::new().has_headers(false).from_writer(vec![]);
        Self { files: files.iter().map(|&file| (file, writer(), 0)).collect() }
    }

    /// Adds a row to the file with this place in [`GameExperiment::files`].
    ///
    /// # Errors
    /// When the row is not of the file's kind.
    pub fn push<R: Row>(&mut self, file: usize, row: &R) -> anyhow::Result<()> {
        let (rows_of, writer, count) =
            self.files.get_mut(file).with_context(|| format!("no file {file}"))?;
        anyhow::ensure!(rows_of.kind == R::KIND, "a {} row in file {file}", R::KIND.name);
        *count += 1;
        Ok(writer.serialize(row)?)
    }

    /// The bytes for each file, in order.
    fn finish(self) -> anyhow::Result<Vec<Vec<u8>>> {
        self.files
            .into_iter()
            .map(|(rows_of, writer, count)| {
                let (kind, expected) = (rows_of.kind.name, rows_of.per_unit);
                anyhow::ensure!(count == expected, "{count} {kind} rows, not {expected}");
                let bytes = writer.into_inner()?;
                let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
                anyhow::ensure!(lines == count, "a {kind} row holds a line break");
                Ok(bytes)
            })
            .collect()
    }
}

/// The end of a complete run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// For the reader, usually a [`Table`](crate::output::table::Table).
    pub text: String,
    /// The same for machines, printed under the key `report` with `--json`.
    pub json: serde_json::Value,
}
