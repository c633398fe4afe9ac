//! `cuebench run`: an experiment file to rows, a manifest and a table.

use super::Exit;
use super::threads::Threads;
use crate::experiment::drive::{Existing, Finished, Options, drive};
use crate::experiment::grid::Setting;
use crate::experiment::source::Source;
use crate::experiment::{GameExperiment, Overrides, game_of};
use crate::games::Games;
use crate::output::{note, print_json, print_text};
use crate::rollout::Stop;
use anyhow::Context as _;
use std::path::PathBuf;

/// Arguments of `cuebench run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Writes DIR/NAME.csv row by row, further files that the game brings along, and \
DIR/NAME.manifest.json. Ctrl-C ends the run after the blocks in flight: complete rows stay, and the \
exit code is 130. With --resume the same command goes on from there and ends with the same bytes \
as an uninterrupted run; rows that are there without it are refused, or written over with --force. \
One run at a time writes into a folder.\n\n\
results/README.md explains every column.")]
pub struct Args {
    /// The experiment, a TOML file.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// Folder for the results.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Master seed, in place of the file's.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Sets a parameter, in place of the grid's values for it; may be given more than once.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Go on where an interrupted run of the same experiment ended.
    #[arg(long)]
    resume: bool,
    /// Write over the rows of an earlier run.
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// One JSON object on standard output instead of the table.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Whatever is wrong with the experiment file, and files that cannot be written.
pub fn run(args: &Args, games: &Games) -> anyhow::Result<Exit> {
    let source = Source::read(&args.file)?;
    let overrides = Overrides { seed: args.seed, set: args.set.clone() };
    let name = game_of(&source)?;
    let game = games.get(name.get_ref());
    let game = game.map_err(|error| source.error(name.span(), format!("{error:#}")))?;
    game.run(&source, &overrides, args)
}

/// Runs a resolved experiment and tells how it ended: the last step for every game.
///
/// # Errors
/// See [`drive`].
pub fn carry_out<E: GameExperiment>(experiment: &E, args: &Args) -> anyhow::Result<Exit> {
    let options = Options {
        out: args.out.clone(),
        threads: args.threads.count(),
        existing: match (args.resume, args.force) {
            (true, _) => Existing::Resume,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        },
        inputs: inputs(args)?,
        stop: Stop::on_interrupt().context("Ctrl-C cannot be watched for")?,
    };
    let finished = drive(experiment, &options)?;
    if args.json {
        print_json(&as_json(experiment, &finished)).context("standard output")?;
    } else if let Some(report) = &finished.report {
        print_text(&report.text).context("standard output")?;
    }
    note(&summary::<E>(&finished));
    Ok(if finished.report.is_some() { Exit::Done } else { Exit::Interrupted })
}

/// The experiment's file, and the definition that it names.
fn inputs(args: &Args) -> anyhow::Result<Vec<PathBuf>> {
    #[derive(serde::Deserialize)]
    struct Named {
        definition: Option<PathBuf>,
    }
    let source = Source::read(&args.file)?;
    let definition = source.parse::<Named>()?.definition;
    Ok(definition.map(|path| source.beside(&path)).into_iter().chain([args.file.clone()]).collect())
}

fn as_json<E: GameExperiment>(experiment: &E, finished: &Finished) -> serde_json::Value {
    let files = finished.files.iter().map(
        |(path, rows)| serde_json::json!({ "path": path.display().to_string(), "rows": rows }),
    );
    serde_json::json!({
        "experiment": experiment.name(),
        "complete": finished.report.is_some(),
        "files": files.collect::<Vec<_>>(),
        "manifest": finished.manifest.display().to_string(),
        "seed": experiment.seed(),
        E::EPISODES: finished.episodes,
        "time_s": finished.seconds,
        "report": finished.report.as_ref().map(|report| &report.json),
    })
}

/// What the reader is told at the end, on standard error.
fn summary<E: GameExperiment>(finished: &Finished) -> String {
    let files =
        finished.files.iter().map(|(path, rows)| format!("{} ({rows} rows)", path.display()));
    let files = files.collect::<Vec<_>>().join(", ");
    let [done, all] = finished.units;
    if finished.report.is_none() {
        return format!(
            "interrupted after {done} of {all} units; complete rows are in {files}; \
             the same command with --resume goes on"
        );
    }
    let (episodes, seconds) = (finished.episodes, finished.seconds);
    let rate = episodes as f64 / seconds.max(1e-9);
    format!(
        "{episodes} {} in {seconds:.1} s ({rate:.0}/s); wrote {files} and {}",
        E::EPISODES,
        finished.manifest.display()
    )
}
