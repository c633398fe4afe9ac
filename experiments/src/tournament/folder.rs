//! The folder of an event: what is in it, who may write it, and whether it can be gone on with.

use super::file::Tournament;
use super::ledger::GAMES;
use super::results::Results;
use super::secret;
use crate::output::manifest::{Build, Manifest, command_line, difference, digest};
use crate::output::rows::Row;
use crate::output::write::write_whole;
use anyhow::{Context as _, bail};
use serde_json::Value;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The folder, locked for this process.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    experiment: Value,
    /// Held until the end; the system lets go of it whatever happens.
    _lock: File,
}

impl Folder {
    /// Opens the folder for the event that `experiment` describes, and makes it if need be.
    ///
    /// # Errors
    /// When it holds games and `resume` is not asked for, or games of another event, or another
    /// process writes it.
    pub fn open(path: &Path, experiment: Value, resume: bool) -> anyhow::Result<Self> {
        let place = || path.display().to_string();
        for below in ["stderr", "work"] {
            std::fs::create_dir_all(path.join(below)).with_context(place)?;
        }
        let lock = File::create(path.join(".lock")).with_context(place)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("{}: another tournament runs there", place()),
            Err(TryLockError::Error(error)) => return Err(error).with_context(place),
        }
        let path = path.canonicalize().with_context(place)?;
        let played = path.join(GAMES).exists();
        if played && !resume {
            bail!("{}: holds games already; go on with --resume or choose another --out", place());
        }
        let folder = Self { path, experiment, _lock: lock };
        if let (true, Some(was)) = (played, Manifest::read(&folder.file("manifest.json"))?)
            && let Some(difference) = difference(&folder.experiment, &was.experiment)
        {
            bail!(
                "{}: holds games of another event: {difference}; mend the file or choose another \
                 --out",
                place()
            );
        }
        Ok(folder)
    }

    /// Where it is, absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes the manifest. The secret is published once the event is over.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_manifest(&self, state: &State<'_>) -> anyhow::Result<()> {
        let path = self.file("manifest.json");
        let before = Manifest::read(&path).ok().flatten().map_or(0.0, |was| was.wall_time_s);
        let games = [(GAMES.to_owned(), state.games.into())].into_iter().collect();
        let manifest = Manifest {
            command: command_line(),
            experiment: self.experiment.clone(),
            digest: digest(self.experiment.to_string()),
            seed: state.file.seeds[0],
            build: Build::this(),
            threads: state.concurrency,
            complete: state.complete,
            rows: games,
            wall_time_s: before + state.wall_time_s,
        };
        let mut value = serde_json::to_value(manifest)?;
        value["files_hidden_from_bots"] = state.hidden.into();
        if state.complete {
            value["salt"] = state.salt.map(secret::written).into();
        }
        write_whole(&path, serde_json::to_string_pretty(&value)? + "\n")
    }
}

/// What a manifest says beside the event itself.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// The event's file.
    pub file: &'a Tournament,
    /// Games at the same time.
    pub concurrency: usize,
    /// Rows written.
    pub games: u64,
    /// Whether the event is over.
    pub complete: bool,
    /// Its secret.
    pub salt: Option<u128>,
    /// Whether bots could not read the event's files; empty without bots that are processes.
    pub hidden: Option<bool>,
    /// Time of this run.
    pub wall_time_s: f64,
}

/// Writes ratings, pairs and summary into `folder`.
///
/// # Errors
/// When a file cannot be written.
pub fn write_results(folder: &Path, results: &Results) -> anyhow::Result<()> {
    write_rows(&folder.join("ratings.csv"), &results.ratings)?;
    write_rows(&folder.join("pairs.csv"), &results.pairs)?;
    write_whole(&folder.join("summary.json"), serde_json::to_string_pretty(results)? + "\n")
}

fn write_rows<R: Row>(path: &Path, rows: &[R]) -> anyhow::Result<()> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(R::KIND.columns.iter().map(|column| column.name))?;
    for row in rows {
        writer.serialize(row)?;
    }
    write_whole(path, writer.into_inner()?)
}
