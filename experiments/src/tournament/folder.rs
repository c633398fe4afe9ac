//! The folder of an event: what is in it, who may write it, and whether it can be gone on with.

use super::file::Tournament;
use super::ledger::{GAMES, REPLAYS};
use super::results::Results;
use super::secret;
use crate::output::lock::FolderLock;
use crate::output::manifest::{Build, Manifest, command_line, difference, digest};
use crate::output::rows::text_of;
use crate::output::write::write_whole;
use anyhow::{Context as _, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Files that an event writes into its folder.
pub const FILES: [&str; 6] =
    [GAMES, REPLAYS, "manifest.json", "ratings.csv", "pairs.csv", "summary.json"];
/// In the manifest: games of a pair on each seed.
pub const ORDERS: &str = "games_per_seed";
/// In the manifest: the machine's greatest load during the last run.
pub const LOAD: &str = "greatest_load";

/// The folder, locked for this process.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    experiment: Value,
    lock: FolderLock,
}

impl Folder {
    /// Opens the folder for `event`, which `experiment` describes, and makes it if need be.
    ///
    /// # Errors
    /// When it holds games and `resume` is not asked for, or games of another event, or another
    /// process writes it.
    pub fn open(path: &Path, event: &str, experiment: Value, resume: bool) -> anyhow::Result<Self> {
        let place = || path.display().to_string();
        let lock = FolderLock::take(path, &format!("tournament {event}"))?;
        for below in ["stderr", "work"] {
            std::fs::create_dir_all(path.join(below)).with_context(place)?;
        }
        let path = path.canonicalize().with_context(place)?;
        let played = path.join(GAMES).exists();
        if played && !resume {
            bail!("{}: holds games already; go on with --resume or choose another --out", place());
        }
        let folder = Self { path, experiment, lock };
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

    /// The right to write into it.
    #[must_use]
    pub fn lock(&self) -> &FolderLock {
        &self.lock
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
        value[ORDERS] = state.orders.into();
        value[LOAD] = state.load.into();
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
    /// Games of a pair on each seed.
    pub orders: u8,
    /// The machine's greatest load during this run, if it is known.
    pub load: Option<f64>,
    /// Time of this run.
    pub wall_time_s: f64,
}

/// Writes ratings, pairs and summary into `folder`.
///
/// # Errors
/// When a file cannot be written.
pub fn write_results(folder: &Path, results: &Results) -> anyhow::Result<()> {
    write_whole(&folder.join("ratings.csv"), text_of(&results.ratings)?)?;
    write_whole(&folder.join("pairs.csv"), text_of(&results.pairs)?)?;
    write_whole(&folder.join("summary.json"), serde_json::to_string_pretty(results)? + "\n")
}
