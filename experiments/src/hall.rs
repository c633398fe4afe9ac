//! Where bots sit: how their processes are started and what keeps them in bounds.

use crate::bot_process;
use anyhow::Context as _;
use cuebench_agents::external::bot::Bot;
use cuebench_agents::external::launch::Launch;
use cuebench_agents::external::leash::Leash;
use cuebench_agents::external::limits::Limits;
use cuebench_agents::external::process::{Plan, Process};
use cuebench_agents::external::watch::Watch;
use cuebench_agents::fault::Fault;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Variables that a bot inherits.
const INHERITED: [&str; 9] =
    ["PATH", "LANG", "LC_ALL", "TZ", "SystemRoot", "SYSTEMROOT", "PATHEXT", "COMSPEC", "WINDIR"];

/// A bot as it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its id, which its files are called by.
    pub id: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Variables of its own.
    pub env: BTreeMap<String, String>,
}

/// What all processes of an event, an experiment or a check have in common.
#[derive(Clone, Debug)]
pub struct Hall {
    /// Folder that relative paths of commands start from.
    pub home: PathBuf,
    /// The event's folder, absolute.
    pub folder: PathBuf,
    /// Words before every command: a sandbox.
    pub prefix: Vec<String>,
    /// Words that lead to the last steps of a start; see [`Plan::launcher`].
    pub launcher: Option<Vec<OsString>>,
    /// Whether the event's files are hidden from bots.
    pub hide: bool,
    /// Limits of a process.
    pub limits: Limits,
    /// Time to say hello and to get ready.
    pub start: Duration,
    /// The watch over memory and processes.
    pub watch: Option<Watch>,
    /// The leash that ends bots of a harness that was killed.
    pub leash: Option<Leash>,
    /// Whether bots may run while it is not their turn.
    pub ponder: bool,
}

impl Hall {
    /// How to start a process of `bot` in slot `slot`.
    #[must_use]
    pub fn plan(&self, bot: &Command, slot: usize) -> Plan {
        let name = format!("{}.{slot}", bot.id);
        let work = self.folder.join("work").join(&name);
        let mut words: Vec<OsString> = self.prefix.iter().map(OsString::from).collect();
        words.extend(bot.words.iter().enumerate().map(|(place, word)| self.word(word, place == 0)));
        Plan {
            command: words,
            environment: self.environment(&bot.env, &work),
            stderr: self.folder.join("stderr").join(format!("{name}.txt")),
            launch: Launch {
                limits: self.limits.clone(),
                hidden: self.hide.then(|| self.folder.clone()),
                work,
            },
            launcher: self.launcher.clone(),
            watch: self.watch.clone(),
            leash: self.leash.clone(),
            ponder: self.ponder,
        }
    }

    /// A word of a command. Bots run in a folder of their own, so a word that names a file or
    /// folder beside the tournament file becomes its full path; a program without any slash is
    /// looked for by `PATH` first.
    fn word(&self, word: &str, program: bool) -> OsString {
        let beside = self.home.join(word);
        let plain = program && !word.contains(std::path::is_separator);
        if word.starts_with('-') || (plain && on_path(word)) || !beside.exists() {
            return word.into();
        }
        beside.into()
    }

    fn environment(
        &self,
        env: &BTreeMap<String, String>,
        work: &Path,
    ) -> Vec<(OsString, OsString)> {
        let inherited = INHERITED
            .iter()
            .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
        let own = [
            ("HOME", work.into()),
            ("TMPDIR", work.into()),
            ("TEMP", work.into()),
            ("TMP", work.into()),
            ("CUEBENCH_BOT_HOME", self.home.clone().into()),
        ]
        .map(|(name, value): (&str, OsString)| (name.into(), value));
        let given = env.iter().map(|(name, value)| (name.into(), value.into()));
        inherited.chain(own).chain(given).collect()
    }

    /// Starts `bot` and says hello.
    ///
    /// # Errors
    /// The fault that keeps it from playing.
    pub fn start(&self, game: &str, bot: &Command, slot: usize) -> Result<Bot, Fault> {
        Bot::greet(Box::new(self.process(bot, slot)?), game, self.start)
    }

    /// Starts a process of `bot`.
    ///
    /// # Errors
    /// The fault that keeps it from starting.
    pub fn process(&self, bot: &Command, slot: usize) -> Result<Process, Fault> {
        let plan = self.plan(bot, slot);
        let program = &plan.command[0];
        if !startable(program) {
            let program = program.to_string_lossy();
            return Err(Fault::Crash(format!("cannot be started: `{program}` is not there")));
        }
        Process::start(&plan).map_err(|error| no_start(&error))
    }
}

/// A bot that is not there or not a program is to blame itself; for want of memory, processes or
/// files the harness is.
fn no_start(error: &std::io::Error) -> Fault {
    use std::io::ErrorKind::{InvalidInput, NotFound, PermissionDenied};
    let text = format!("cannot be started: {error}");
    match error.kind() {
        NotFound | PermissionDenied | InvalidInput => Fault::Crash(text),
        _ => Fault::Void(text),
    }
}

/// Whether a program of this name is in a folder of `PATH`.
pub(crate) fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let suffixes: &[&str] = if cfg!(windows) { &["", ".exe", ".bat", ".cmd"] } else { &[""] };
    std::env::split_paths(&path).any(|folder| {
        suffixes.iter().any(|suffix| folder.join(format!("{name}{suffix}")).is_file())
    })
}

/// Whether there is anything to start.
fn startable(program: &OsString) -> bool {
    Path::new(program).is_file() || program.to_str().is_some_and(on_path)
}

impl Hall {
    /// A hall for bots that play outside tournaments: no event to hide, the usual limits. Relative
    /// paths of commands start from `home`; working folders and standard errors go to `folder`.
    ///
    /// # Errors
    /// When the folder cannot be made or the watch not be started.
    pub fn plain(home: &Path, folder: &Path) -> anyhow::Result<Self> {
        for below in ["stderr", "work"] {
            let below = folder.join(below);
            std::fs::create_dir_all(&below).with_context(|| below.display().to_string())?;
        }
        // The watch must know the leash, or it takes it for a bot's.
        let leash = Leash::start(bot_process::leash()?).context("the leash of the bots")?;
        let absolute =
            |path: &Path| std::path::absolute(path).with_context(|| path.display().to_string());
        Ok(Self {
            home: absolute(home)?,
            folder: absolute(folder)?,
            prefix: vec![],
            launcher: bot_process::launcher()?,
            hide: false,
            limits: Limits::default(),
            start: Duration::from_secs(10),
            watch: Some(Watch::start().context("no thread for the watch")?),
            leash: Some(leash),
            ponder: true,
        })
    }
}

/// A folder for one check or one game, removed at its end.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new folder among the system's temporary ones.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> anyhow::Result<Self> {
        let mut name = [0; 8];
        getrandom::fill(&mut name).context("random bytes of the system")?;
        let name = format!("cuebench-{:016x}", u64::from_le_bytes(name));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(Self(path))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What a bot left behind there is of no use to anybody; a rest does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
