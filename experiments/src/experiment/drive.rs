//! Runs any [`GameExperiment`]: threads, rows in order, progress, interruption, resuming.

use super::{GameExperiment, Report, RowsOf, UnitRows};
use crate::input::csv;
use crate::output::lock::FolderLock;
use crate::output::manifest::{Build, Manifest, command_line, difference, digest};
use crate::output::progress::Progress;
use crate::output::row_log::{self, RowLog, Sheet};
use crate::output::rows::{Row, text_of};
use crate::output::write::{keep_apart, write_whole};
use crate::rollout::{self, Ended, Failure, Stop};
use anyhow::{Context as _, bail, ensure};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How a run is to be done; nothing of this changes its rows.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder of the files.
    pub out: PathBuf,
    /// Threads, at least one.
    pub threads: usize,
    /// What becomes of files that are there.
    pub existing: Existing,
    /// Files that the experiment was read from, which are not to be written over.
    pub inputs: Vec<PathBuf>,
    /// Ends the run early.
    pub stop: Stop,
}

/// What becomes of the rows of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// There must be none.
    Refuse,
    /// The run goes on where they end.
    Resume,
    /// They are written over.
    Replace,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The files and their rows.
    pub files: Vec<(PathBuf, u64)>,
    /// The manifest.
    pub manifest: PathBuf,
    /// Units done, of how many.
    pub units: [u64; 2],
    /// The end of the run if it was reached, else nothing.
    pub report: Option<Report>,
    /// Episodes played now, not counting those of an earlier run.
    pub episodes: u64,
    /// Time of this run, seconds.
    pub seconds: f64,
}

/// Runs `experiment`, or what is left of it.
///
/// # Errors
/// When a file cannot be read or written, another run writes into the folder, there are rows that
/// are neither to be resumed nor replaced, a resumed experiment is not the one that was begun, or
/// a block fails. Complete rows stay.
pub fn drive<E: GameExperiment>(experiment: &E, options: &Options) -> anyhow::Result<Finished> {
    let begun = Instant::now();
    let files: Vec<(PathBuf, RowsOf)> = experiment
        .files()
        .into_iter()
        .map(|file| (path_of(experiment, &options.out, file.suffix), file))
        .collect();
    let manifest_path = options.out.join(format!("{}.manifest.json", experiment.name()));
    let outputs = files.iter().map(|(path, _)| path.as_path()).chain([&*manifest_path]);
    keep_apart(outputs, options.inputs.iter().map(PathBuf::as_path))?;
    let mut manifest = manifest_of(experiment, options);
    let lock = FolderLock::take(&options.out, &format!("run {}", experiment.name()))?;
    let done = match options.existing {
        Existing::Refuse => refuse(&files, &manifest_path)?,
        Existing::Replace => 0,
        Existing::Resume => {
            let done;
            (done, manifest.wall_time_s) = resumable(&files, &manifest, &manifest_path)?;
            done.min(experiment.units())
        }
    };
    let earlier_s = manifest.wall_time_s;
    let mut record = |units: u64, complete: bool, more: &[(PathBuf, u64)]| {
        manifest.complete = complete;
        manifest.wall_time_s = earlier_s + begun.elapsed().as_secs_f64();
        let rows = files.iter().map(|(path, file)| (path.clone(), units * file.per_unit));
        let rows: Vec<_> = rows.chain(more.iter().cloned()).collect();
        manifest.rows = rows.iter().map(|(path, rows)| (file_name(path), (*rows).into())).collect();
        manifest.write(&manifest_path).map(|()| rows)
    };
    let mut log = open(&lock, &files, done)?;
    record(done, false, &[])?;
    let played = play(experiment, options, done, &mut log);
    let synced = log.sync();
    let Played { units, episodes } = match played {
        Ok(played) => played,
        Err((units, error)) => {
            record(units, false, &[])?;
            return Err(error);
        }
    };
    synced?;
    let mut written =
        Written { experiment: experiment.name(), options, files: &files, more: vec![] };
    let complete = units == experiment.units();
    let report = complete.then(|| experiment.report(&mut written)).transpose()?;
    let files = record(units, complete, &written.more)?;
    Ok(Finished {
        files,
        manifest: manifest_path,
        units: [units, experiment.units()],
        report,
        episodes,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

fn path_of<E: GameExperiment>(experiment: &E, out: &Path, suffix: &str) -> PathBuf {
    out.join(format!("{}{suffix}.csv", experiment.name()))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn manifest_of<E: GameExperiment>(experiment: &E, options: &Options) -> Manifest {
    let resolved = experiment.resolved();
    Manifest {
        command: command_line(),
        digest: digest(resolved.to_string()),
        experiment: resolved,
        seed: experiment.seed(),
        build: Build::this(),
        threads: options.threads,
        complete: false,
        rows: serde_json::Map::new(),
        wall_time_s: 0.0,
    }
}

/// Refuses a folder that holds a file of this experiment.
fn refuse(files: &[(PathBuf, RowsOf)], manifest: &Path) -> anyhow::Result<u64> {
    let mut paths = files.iter().map(|(path, _)| path.as_path()).chain([manifest]);
    match paths.find(|path| path.exists()) {
        None => Ok(0),
        Some(path) => bail!(
            "{}: is there already; go on with --resume, write it anew with --force, or choose \
             another --out",
            path.display()
        ),
    }
}

/// Units that are complete in every file, and the time that they took.
fn resumable(
    files: &[(PathBuf, RowsOf)],
    manifest: &Manifest,
    path: &Path,
) -> anyhow::Result<(u64, f64)> {
    let Some(before) = Manifest::read(path)? else {
        let there = files.iter().find(|(file, _)| file.exists());
        let Some((file, _)) = there else { return Ok((0, 0.0)) };
        bail!(
            "{}: has no manifest {}, so nobody knows what it belongs to; write it anew with --force",
            file.display(),
            path.display()
        );
    };
    if before.digest != manifest.digest {
        let difference = difference(&manifest.experiment, &before.experiment)
            .unwrap_or_else(|| "the digests differ".to_owned());
        bail!(
            "{}: belongs to another experiment ({difference}); restore it, or write it anew with \
             --force",
            path.display()
        );
    }
    let mut units = u64::MAX;
    for (path, file) in files {
        let (rows, _) = whole(path, file, u64::MAX)?;
        units = units.min(rows / file.per_unit.max(1));
    }
    Ok((units, before.wall_time_s))
}

/// The complete rows of a file, at most `most`, and the bytes that they and the header take.
fn whole(path: &Path, file: &RowsOf, most: u64) -> anyhow::Result<(u64, u64)> {
    let columns = file.kind.columns.len();
    let (mut cells, mut rows, mut whole) = (csv::Cells::exact(), 0, 0);
    row_log::read(path, &file.kind.header(), |line| {
        if let Err(reason) = cells.split(line.text) {
            return Ok(Err(reason.to_string()));
        }
        if cells.len() != columns {
            return Ok(Err(format!("{} cells, not {columns}", cells.len())));
        }
        if rows < most {
            (rows, whole) = (rows + 1, line.end);
        }
        Ok(Ok(()))
    })?;
    Ok((rows, whole))
}

/// The files with the rows of their first units.
fn open(lock: &FolderLock, files: &[(PathBuf, RowsOf)], units: u64) -> anyhow::Result<RowLog> {
    let sheet = |(path, file): &(PathBuf, RowsOf)| {
        let whole = if units == 0 { 0 } else { whole(path, file, units * file.per_unit)?.1 };
        Ok(Sheet { name: file_name(path), header: file.kind.header(), whole })
    };
    RowLog::open(lock, &files.iter().map(sheet).collect::<anyhow::Result<Vec<_>>>()?)
}

struct Played {
    /// Units whose rows are written, with those of earlier runs.
    units: u64,
    episodes: u64,
}

/// Where the blocks of each unit begin in the one list of blocks.
struct Blocks(Vec<u64>);

impl Blocks {
    fn of<E: GameExperiment>(experiment: &E) -> Self {
        let mut starts = vec![0];
        let mut next = 0;
        for unit in 0..experiment.units() {
            next += experiment.blocks(unit).max(1);
            starts.push(next);
        }
        Self(starts)
    }

    fn start(&self, unit: u64) -> u64 {
        self.0[unit as usize]
    }

    fn end(&self) -> u64 {
        *self.0.last().unwrap_or(&0)
    }

    /// The unit of a block, and the block's place in it.
    fn find(&self, index: u64) -> (u64, u64) {
        let unit = self.0.partition_point(|&start| start <= index) as u64 - 1;
        (unit, index - self.start(unit))
    }
}

/// Plays from unit `done` on. A failure comes with the number of units whose rows are written.
fn play<E: GameExperiment>(
    experiment: &E,
    options: &Options,
    done: u64,
    log: &mut RowLog,
) -> Result<Played, (u64, anyhow::Error)> {
    let files = experiment.files();
    let blocks = Blocks::of(experiment);
    let episodes_of = |index| {
        let (unit, block) = blocks.find(index);
        experiment.episodes(unit, block)
    };
    let before: u64 = (0..blocks.start(done)).map(episodes_of).sum();
    let after: u64 = (blocks.start(done)..blocks.end()).map(episodes_of).sum();
    let progress = Progress::start(before + after, before, E::EPISODES);
    let mut played = Played { units: done, episodes: 0 };
    let mut total: Option<E::Block> = None;
    let ended = rollout::run(
        blocks.start(done)..blocks.end(),
        options.threads,
        &options.stop,
        |index| {
            let (unit, block) = blocks.find(index);
            experiment.play(unit, block)
        },
        |index, next| {
            let episodes = episodes_of(index);
            progress.add(episodes);
            played.episodes += episodes;
            let whole = match total.take() {
                None => next,
                Some(mut whole) => {
                    experiment.merge(&mut whole, next);
                    whole
                }
            };
            if index + 1 < blocks.start(played.units + 1) {
                total = Some(whole);
                return Ok(());
            }
            let mut rows = UnitRows::new(&files);
            experiment.rows(played.units, whole, &mut rows)?;
            log.append(rows.finish()?.iter().map(Vec::as_slice))?;
            played.units += 1;
            Ok(())
        },
    );
    match ended {
        Ok(Ended::Complete | Ended::Stopped { .. }) => Ok(played),
        Err(failure) => Err((played.units, explained(failure))),
    }
}

fn explained(failure: Failure<anyhow::Error>) -> anyhow::Error {
    match failure {
        Failure::Block { error, .. } | Failure::Delivery { error, .. } => error,
        other => anyhow::Error::msg(other.to_string()),
    }
}

/// The files of a complete run, for its report.
#[derive(Debug)]
pub struct Written<'a> {
    experiment: &'a str,
    options: &'a Options,
    files: &'a [(PathBuf, RowsOf)],
    more: Vec<(PathBuf, u64)>,
}

impl Written<'_> {
    /// The rows of the file with this place in [`GameExperiment::files`], one by one.
    ///
    /// # Errors
    /// When the file cannot be read; each row may fail too.
    pub fn rows<R: Row>(
        &self,
        file: usize,
    ) -> anyhow::Result<impl Iterator<Item = anyhow::Result<R>>> {
        let (path, rows_of) = self.files.get(file).with_context(|| format!("no file {file}"))?;
        ensure!(rows_of.kind == R::KIND, "file {file} has no {} rows", R::KIND.name);
        csv::rows(path)
    }

    /// Writes a further CSV file, `NAME{suffix}.csv`, whole.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_rows<R: Row>(&mut self, suffix: &str, rows: &[R]) -> anyhow::Result<()> {
        let path = self.options.out.join(format!("{}{suffix}.csv", self.experiment));
        write_whole(&path, text_of(rows)?)?;
        self.more.push((path, rows.len() as u64));
        Ok(())
    }

    /// Writes any other file, such as a drawing, whole: `NAME{suffix}`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_file(&mut self, suffix: &str, bytes: &[u8]) -> anyhow::Result<()> {
        write_whole(&self.options.out.join(format!("{}{suffix}", self.experiment)), bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::rows::row;
    use crate::output::table::Table;
    use cuebench_engine::rng::{Purpose, stream};
    use rand::Rng as _;
    use std::fs;

    row! {
        /// A unit of the fake game.
        pub struct CoinRow as "coin" {
            /// Number of the unit.
            unit: u64,
            /// Heads thrown.
            heads: u64,
        }
    }

    row! {
        /// Half a unit of the fake game.
        pub struct HalfRow as "half" {
            /// Number of the unit.
            unit: u64,
            /// First or second half.
            half: u8,
        }
    }

    /// Throws coins: unit `u` has `u + 1` blocks of 64 coins each.
    struct Coins {
        units: u64,
        seed: u64,
        /// Asks to stop in this unit.
        stop_in: Option<(u64, Stop)>,
        /// Fails in this unit.
        fail_in: Option<u64>,
    }

    impl GameExperiment for Coins {
        type Block = u64;
        const EPISODES: &'static str = "coins";

        fn name(&self) -> &str {
            "coins"
        }
        fn seed(&self) -> u64 {
            self.seed
        }
        fn resolved(&self) -> serde_json::Value {
            serde_json::json!({ "game": "coins", "units": self.units, "seed": self.seed })
        }
        fn files(&self) -> Vec<RowsOf> {
            vec![RowsOf::new::<CoinRow>("", 1), RowsOf::new::<HalfRow>("-halves", 2)]
        }
        fn units(&self) -> u64 {
            self.units
        }
        fn blocks(&self, unit: u64) -> u64 {
            unit + 1
        }
        fn episodes(&self, _unit: u64, _block: u64) -> u64 {
            64
        }
        fn play(&self, unit: u64, block: u64) -> anyhow::Result<u64> {
            ensure!(self.fail_in != Some(unit), "the coin of unit {unit} is lost");
            if let Some((_, stop)) = self.stop_in.as_ref().filter(|(at, _)| *at == unit) {
                stop.request();
            }
            let mut rng = stream(self.seed, Purpose::Test, unit * 1_000 + block);
            Ok(u64::from(rng.next_u64().count_ones()))
        }
        fn merge(&self, total: &mut u64, next: u64) {
            *total += next;
        }
        fn rows(&self, unit: u64, heads: u64, rows: &mut UnitRows) -> anyhow::Result<()> {
            rows.push(0, &CoinRow { unit, heads })?;
            (0..2).try_for_each(|half| rows.push(1, &HalfRow { unit, half }))
        }
        fn report(&self, written: &mut Written<'_>) -> anyhow::Result<Report> {
            let mut table = Table::new(["heads"]);
            let mut heads = 0;
            for row in written.rows::<CoinRow>(0)? {
                heads += row?.heads;
            }
            table.row([heads.to_string()]);
            written.add_rows("-summary", &[CoinRow { unit: self.units, heads }])?;
            Ok(Report { text: table.to_string(), json: heads.into() })
        }
    }

    fn coins(units: u64) -> Coins {
        Coins { units, seed: 5, stop_in: None, fail_in: None }
    }

    fn options(out: &Path, threads: usize, existing: Existing) -> Options {
        Options { out: out.to_owned(), threads, existing, inputs: vec![], stop: Stop::new() }
    }

    /// The bytes of every file but the manifest and the lock.
    fn bytes(out: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(out).expect("listed").map(|entry| entry.expect("entry").path());
        let mut files: Vec<_> = entries
            .filter(|path| !file_name(path).ends_with(".manifest.json"))
            .filter(|path| file_name(path) != crate::output::lock::LOCK)
            .map(|path| (file_name(&path), fs::read_to_string(&path).expect("read")))
            .collect();
        files.sort();
        files
    }

    fn uninterrupted(units: u64) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().expect("a folder");
        let finished =
            drive(&coins(units), &options(folder.path(), 1, Existing::Refuse)).expect("runs");
        assert_eq!(finished.units, [units, units]);
        bytes(folder.path())
    }

    #[test]
    fn files_have_the_same_bytes_at_any_number_of_threads() {
        let expected = uninterrupted(30);
        assert_eq!(expected.len(), 3);
        assert_eq!(expected[2].1.lines().count(), 31);
        for threads in [1, 2, 7] {
            let folder = tempfile::tempdir().expect("a folder");
            drive(&coins(30), &options(folder.path(), threads, Existing::Refuse)).expect("runs");
            assert_eq!(bytes(folder.path()), expected);
        }
    }

    #[test]
    fn a_stopped_run_leaves_whole_rows_and_resumes_to_the_same_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut options = options(folder.path(), 2, Existing::Refuse);
        let stopping = Coins { stop_in: Some((12, options.stop.clone())), ..coins(30) };
        let finished = drive(&stopping, &options).expect("stops");
        assert!(finished.report.is_none() && (1..30).contains(&finished.units[0]));
        let rows = bytes(folder.path());
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1].1.lines().count() as u64, 1 + finished.units[0]);
        options.stop = Stop::new();
        options.existing = Existing::Resume;
        let finished = drive(&coins(30), &options).expect("resumes");
        assert!(finished.report.is_some());
        assert_eq!(bytes(folder.path()), uninterrupted(30));
    }

    #[test]
    fn torn_files_resume_to_the_same_bytes_wherever_they_are_torn() {
        let expected = uninterrupted(6);
        let folder = tempfile::tempdir().expect("a folder");
        drive(&coins(6), &options(folder.path(), 1, Existing::Refuse)).expect("runs");
        for (name, whole) in &expected {
            for torn in 0..whole.len() {
                fs::write(folder.path().join(name), &whole[..torn]).expect("torn");
                drive(&coins(6), &options(folder.path(), 2, Existing::Resume)).expect("resumes");
                assert_eq!(bytes(folder.path()), expected, "{name} torn at {torn}");
            }
        }
    }

    #[test]
    fn another_experiment_is_not_resumed() {
        let folder = tempfile::tempdir().expect("a folder");
        let resume = options(folder.path(), 1, Existing::Resume);
        drive(&coins(3), &resume).expect("begins where nothing is");
        let before = bytes(folder.path());
        let error = drive(&coins(4), &resume).expect_err("refused").to_string();
        assert!(error.contains("`units` is 4, was 3"), "{error}");
        fs::remove_file(folder.path().join("coins.manifest.json")).expect("removed");
        let error = drive(&coins(3), &resume).expect_err("refused").to_string();
        assert!(error.contains("has no manifest"), "{error}");
        assert_eq!(bytes(folder.path()), before);
    }

    #[test]
    fn rows_that_are_there_are_refused_unless_they_are_to_be_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        drive(&coins(3), &options(folder.path(), 1, Existing::Refuse)).expect("runs");
        let before = bytes(folder.path());
        let error = drive(&coins(4), &options(folder.path(), 1, Existing::Refuse));
        let error = error.expect_err("refused").to_string();
        assert!(error.contains("--resume") && error.contains("--force"), "{error}");
        assert_eq!(bytes(folder.path()), before);
        drive(&coins(4), &options(folder.path(), 1, Existing::Replace)).expect("runs");
        assert_eq!(bytes(folder.path()), uninterrupted(4));
    }

    #[test]
    fn a_failure_keeps_the_rows_before_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let failing = Coins { fail_in: Some(4), ..coins(9) };
        let error =
            drive(&failing, &options(folder.path(), 3, Existing::Refuse)).expect_err("fails");
        assert_eq!(error.to_string(), "the coin of unit 4 is lost");
        assert_eq!(bytes(folder.path())[0].1.lines().count(), 1 + 2 * 4);
        let path = folder.path().join("coins.manifest.json");
        let manifest = Manifest::read(&path).expect("read").expect("there");
        assert!(!manifest.complete);
        assert_eq!(manifest.rows["coins.csv"], 4);
    }
}
