//! Options that name logs, and what is read from them.

use super::definition::Calibrated;
use super::family::Family;
use crate::shot_log::breaks::{self, BreakCounts};
use crate::shot_log::columns::Names;
use crate::shot_log::fault::Dropped;
use crate::shot_log::frames::Seen;
use crate::shot_log::shots::{self, Options, ShotLog};
use anyhow::bail;
use std::path::PathBuf;

/// The columns that can be mapped.
const COLUMNS: [&str; 13] = [
    "frame",
    "shot",
    "player",
    "opponent",
    "leave",
    "theta_deg",
    "l_ob_mm",
    "l_cb_mm",
    "call",
    "result",
    "count",
    "breaker",
    "outcome",
];

/// Where the data come from.
#[derive(Clone, Debug, clap::Args)]
pub struct LogOptions {
    /// The definition to calibrate; the shipped 8-ball definition without it.
    #[arg(long, value_name = "FILE")]
    pub definition: Option<PathBuf>,
    /// Logs of shots; several are merged. `-` is standard input; cells may be separated by commas,
    /// semicolons or tabs, and files packed by gzip.
    #[arg(long, value_name = "CSV", num_args = 1..)]
    pub shots: Vec<PathBuf>,
    /// Logs of breaks, likewise.
    #[arg(long, value_name = "CSV", num_args = 1..)]
    pub breaks: Vec<PathBuf>,
    /// Names of columns where they differ, as in --column player=shooter.
    #[arg(long, value_name = "OURS=THEIRS", value_delimiter = ',', value_parser = column)]
    pub column: Vec<(String, String)>,
    /// A column that is nothing of ours, although its name is near one of ours.
    #[arg(long, value_name = "COLUMN")]
    pub ignore: Vec<String>,
    /// Read cut angle and distances even where the log has a leave.
    #[arg(long)]
    pub geometry: bool,
    /// Drop bad rows and say how many and why.
    #[arg(long)]
    pub skip_bad: bool,
    /// Frames of different logs are different frames even if they have the same name.
    #[arg(long)]
    pub separate_frames: bool,
    /// Seed of everything random (the choice of frames held out).
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Logs {
    /// Shots.
    pub shots: ShotLog,
    /// Breaks, if there was a log of them.
    pub breaks: Option<BreakCounts>,
    /// Bad rows of both.
    pub dropped: Dropped,
}

fn column(text: &str) -> Result<(String, String), String> {
    let (ours, theirs) = text.split_once('=').ok_or("write it as OURS=THEIRS")?;
    let (ours, theirs) = (ours.trim(), theirs.trim());
    if !COLUMNS.contains(&ours) {
        return Err(format!("`{ours}` is no column of a log; there are: {}", COLUMNS.join(", ")));
    }
    Ok((ours.to_owned(), theirs.to_owned()))
}

impl LogOptions {
    /// Reads the definition.
    ///
    /// # Errors
    /// When it cannot be read or is not of the family.
    pub fn definition(&self) -> anyhow::Result<Calibrated> {
        Calibrated::read(self.definition.as_deref())
    }

    /// Reads the logs.
    ///
    /// # Errors
    /// When a log is unusable, or one is named twice.
    pub fn read(&self, family: &Family, hold_out: f64) -> anyhow::Result<Logs> {
        self.read_and_tell(family, hold_out, &mut |_| {})
    }

    /// As [`Self::read`], and tells every good row of a shot.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_and_tell(
        &self,
        family: &Family,
        hold_out: f64,
        tell: &mut dyn FnMut(Seen<'_>),
    ) -> anyhow::Result<Logs> {
        let files: Vec<&PathBuf> = self.shots.iter().chain(&self.breaks).collect();
        for (i, file) in files.iter().enumerate() {
            if files[..i].contains(file) {
                bail!("--shots, --breaks: the log {} is named twice", file.display());
            }
        }
        let options = Options {
            names: Names(self.column.clone(), self.ignore.clone()),
            skip_bad: self.skip_bad,
            geometry: self.geometry,
            hold_out,
            seed: self.seed,
            separate_frames: self.separate_frames,
        };
        let shots = shots::read_and_tell(&self.shots, &family.schema, &options, tell)?;
        let breaks = match &self.breaks[..] {
            [] => None,
            files => Some(breaks::read(
                files,
                &family.schema,
                &options.names,
                self.skip_bad,
                self.separate_frames,
            )?),
        };
        let mut dropped = shots.dropped.clone();
        if let Some(breaks) = &breaks {
            dropped.merge(&breaks.dropped);
        }
        Ok(Logs { shots, breaks, dropped })
    }
}
