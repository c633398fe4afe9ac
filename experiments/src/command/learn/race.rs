//! `cuebench learn race`: trains the learned policy of the snooker race.

use crate::command::Exit;
use crate::experiment::source::Source;
use crate::learn::race::config::LearnConfig;
use crate::learn::race::curve::{self, CurveRow};
use crate::learn::race::dataset::Dataset;
use crate::learn::race::session::{End, Event, Session, Trained};
use crate::learn::race::{checkpoint, measure};
use crate::output::progress::Progress;
use crate::output::rows::text_of;
use crate::output::write::{keep_apart, write_whole};
use crate::output::{note, print_json};
use crate::rollout::Stop;
use anyhow::{Context as _, ensure};
use cuebench_engine::snooker::AimNoise;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Tables of a training that is told no end.
const DEFAULT_TABLES: u64 = 10_000;

/// Arguments of `cuebench learn race`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Aiming noise of the training tables: none, olympiad, or DEGREES,METRES_PER_SECOND.
    #[arg(long, default_value = "none")]
    noise: String,
    /// Seed: the same seed and settings give the same weights.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// End after the round in which so many minutes have been spent.
    #[arg(long, value_name = "M", conflicts_with = "tables")]
    minutes: Option<f64>,
    /// End after the round in which so many tables have been played [default: 10000].
    #[arg(long, value_name = "N")]
    tables: Option<u64>,
    /// Settings as TOML, in place of the defaults.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The weights; curve, picture, reliability table and checkpoint are written beside them.
    #[arg(long, value_name = "FILE", default_value = "out/learned-race.safetensors")]
    out: PathBuf,
    /// Go on from the checkpoint beside the weights, which an interrupted training leaves in place
    /// of weights.
    #[arg(long)]
    resume: bool,
    /// Write positions, candidates and labels as CSV.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    dataset: Option<PathBuf>,
    /// Threads [default: one a core]; the weights do not depend on them.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Bad arguments, settings or checkpoints, and files that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let noise = AimNoise::parse(&args.noise).context("--noise")?;
    let config = settings(args.config.as_deref())?;
    let end = end(args)?;
    let asked = checkpoint::asked(&config, &args.noise, args.seed)?;
    let place = checkpoint::path_beside(&args.out);
    let files = Files::beside(&args.out);
    let inputs = args.config.as_deref();
    keep_apart(files.all().into_iter().chain([&*place]).chain(args.dataset.as_deref()), inputs)?;
    let progress = match args.resume && place.exists() {
        true => checkpoint::load(&place, &asked)?,
        // A training that was stopped before its first checkpoint begins anew.
        false => Session::start(args.seed),
    };
    let dataset = args.dataset.as_deref().map(Dataset::create).transpose()?;
    let stop = Stop::on_interrupt().context("the interrupt cannot be caught")?;
    let bar = bar(&end, &config, progress.rounds);
    let session = Session {
        config: &config,
        noise,
        seed: args.seed,
        end,
        checkpoint: (&place, &asked),
        dataset,
    };
    let mut report = |event: Event<'_>| watch(&bar, event);
    let trained = pool(args.threads)?.install(|| session.run(progress, &stop, &mut report))?;
    drop(bar);
    if trained.stopped {
        let rounds = trained.progress.rounds;
        note(&format!(
            "stopped after {rounds} rounds, which {} keeps; no weights were written; the same \
             command with --resume goes on",
            place.display()
        ));
        return Ok(Exit::Interrupted);
    }
    finish(args, &config, &trained, &files)?;
    Ok(Exit::Done)
}

/// What is written at the end of a training.
struct Files {
    weights: PathBuf,
    curve: PathBuf,
    picture: PathBuf,
    reliability: PathBuf,
}

impl Files {
    fn beside(out: &Path) -> Self {
        let stem = out.file_stem().unwrap_or_default().to_string_lossy();
        let named = |suffix: &str| out.with_file_name(format!("{stem}{suffix}"));
        Self {
            weights: out.to_owned(),
            curve: named("-curve.csv"),
            picture: named("-curve.svg"),
            reliability: named("-reliability.csv"),
        }
    }

    fn all(&self) -> [&Path; 4] {
        [&self.weights, &self.curve, &self.picture, &self.reliability].map(PathBuf::as_path)
    }
}

fn settings(file: Option<&Path>) -> anyhow::Result<LearnConfig> {
    let config: LearnConfig = match file {
        None => LearnConfig::default(),
        Some(path) => Source::read(path)?.parse()?,
    };
    let counts = [config.batch, config.piece, config.truths, config.window_rounds];
    let positive = counts.iter().all(|&count| count > 0) && config.tables_per_round > 0;
    ensure!(positive && config.sims > 0, "a count of the settings is 0; give at least 1");
    Ok(config)
}

fn end(args: &Args) -> anyhow::Result<End> {
    match (args.minutes, args.tables) {
        (Some(minutes), _) => {
            let time = Duration::try_from_secs_f64(minutes * 60.0).ok();
            let time = time.filter(|time| !time.is_zero());
            time.map(End::Time).with_context(|| format!("--minutes {minutes}: give a time above 0"))
        }
        (None, Some(0)) => anyhow::bail!("--tables 0: give at least 1"),
        (None, tables) => Ok(End::Tables(tables.unwrap_or(DEFAULT_TABLES))),
    }
}

fn pool(threads: Option<usize>) -> anyhow::Result<rayon::ThreadPool> {
    ensure!(threads != Some(0), "--threads 0: give at least 1");
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .context("the threads cannot be started")
}

fn bar(end: &End, config: &LearnConfig, rounds: u64) -> Progress {
    let done = rounds * config.tables_per_round;
    let total = match end {
        End::Tables(tables) => *tables,
        // How many tables fit into the time is not known before.
        End::Time(_) => done + DEFAULT_TABLES,
    };
    Progress::start(total, done, "tables")
}

fn watch(bar: &Progress, event: Event<'_>) {
    match event {
        Event::Tables(tables) => bar.add(tables),
        Event::Round(row) => {
            let text = words(row);
            if std::io::stderr().is_terminal() {
                bar.say(text);
            } else {
                // Standard error may be closed; training goes on.
                let _ = writeln!(std::io::stderr().lock(), "{text}");
            }
        }
    }
}

fn words(row: &CurveRow) -> String {
    let error = row.held_out_rmse.map_or_else(|| "-".to_owned(), |rmse| format!("{rmse:.3}"));
    format!(
        "round {}: loss {:.3}, held-out error {error}, {:.2} strokes, {:.0} % cleared, hip pots {:.0} %",
        row.round,
        row.value_loss,
        row.mean_strokes,
        100.0 * row.cleared,
        100.0 * row.hip_pots
    )
}

/// Writes everything beside the weights.
fn finish(
    args: &Args,
    config: &LearnConfig,
    trained: &Trained,
    files: &Files,
) -> anyhow::Result<()> {
    let progress = &trained.progress;
    let made = serde_json::json!({
        "command": "learn race", "noise": args.noise, "seed": args.seed,
        "rounds": progress.rounds, "tables": progress.rounds * config.tables_per_round,
        "version": env!("CARGO_PKG_VERSION"),
    });
    let model = &progress.fit.model;
    write_whole(&files.weights, model.to_bytes(&made.to_string())?)?;
    let held_out: Vec<_> = trained.held_out.iter().collect();
    let rows = measure::reliability(measure::predictions(model, &held_out, config));
    write_whole(&files.curve, text_of(&progress.curve)?)?;
    let title = format!("learn race, noise {}, seed {}", args.noise, args.seed);
    write_whole(&files.picture, curve::draw(&progress.curve, &title))?;
    write_whole(&files.reliability, text_of(&rows)?)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        drop(out);
        print_json(&serde_json::json!({
            "out": args.out, "made": made,
            "last": progress.curve.last(), "reliability": rows,
        }))
        .context("standard output")?;
    } else {
        writeln!(out, "weights: {}", args.out.display()).context("standard output")?;
        if let Some(row) = progress.curve.last() {
            writeln!(out, "{}", words(row)).context("standard output")?;
        }
    }
    Ok(())
}
