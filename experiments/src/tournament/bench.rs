//! Where the bots of an event sit: how their processes are started, and which of them one worker
//! keeps for its next games. A worker keeps at most the two bots of its game.

use super::file::{BotTable, Player, Tournament};
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
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Failures to start in a row after which a bot is no longer tried, if it ever started.
const PATIENCE: u32 = 3;
/// Variables that a bot inherits.
const INHERITED: [&str; 9] =
    ["PATH", "LANG", "LC_ALL", "TZ", "SystemRoot", "SYSTEMROOT", "PATHEXT", "COMSPEC", "WINDIR"];

/// What all processes of an event have in common.
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
    pub fn plan(&self, bot: &BotTable, command: &[String], slot: usize) -> Plan {
        let name = format!("{}.{slot}", bot.id);
        let work = self.folder.join("work").join(&name);
        let mut words: Vec<OsString> = self.prefix.iter().map(OsString::from).collect();
        words.extend(command.iter().enumerate().map(|(place, word)| self.word(word, place == 0)));
        Plan {
            command: words,
            environment: self.environment(bot, &work),
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

    fn environment(&self, bot: &BotTable, work: &Path) -> Vec<(OsString, OsString)> {
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
        let given = bot.env.iter().map(|(name, value)| (name.into(), value.into()));
        inherited.chain(own).chain(given).collect()
    }

    /// Starts `bot` and says hello.
    ///
    /// # Errors
    /// The fault that keeps it from playing.
    pub fn start(
        &self,
        game: &str,
        bot: &BotTable,
        command: &[String],
        slot: usize,
    ) -> Result<Bot, Fault> {
        Bot::greet(Box::new(self.process(bot, command, slot)?), game, self.start)
    }

    /// Starts a process of `bot`.
    ///
    /// # Errors
    /// The fault that keeps it from starting.
    pub fn process(
        &self,
        bot: &BotTable,
        command: &[String],
        slot: usize,
    ) -> Result<Process, Fault> {
        let plan = self.plan(bot, command, slot);
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
fn on_path(name: &str) -> bool {
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

/// Which bots of an event could be started; shared by all workers.
#[derive(Debug)]
pub struct Starts(Mutex<Vec<Record>>);

#[derive(Clone, Debug, Default)]
struct Record {
    ever: bool,
    failures: u32,
    given_up: Option<Fault>,
}

impl Starts {
    /// A clean record for `bots` bots.
    #[must_use]
    pub fn new(bots: usize) -> Self {
        Self(Mutex::new(vec![Record::default(); bots]))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Record>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fault for which a bot is no longer tried.
    fn given_up(&self, bot: usize) -> Option<Fault> {
        self.lock()[bot].given_up.clone()
    }

    fn note(&self, bot: usize, failure: Option<&Fault>) {
        let record = &mut self.lock()[bot];
        let Some(fault) = failure else {
            *record = Record { ever: true, failures: 0, given_up: None };
            return;
        };
        if matches!(fault, Fault::Void(_)) {
            return;
        }
        record.failures += 1;
        if record.given_up.is_none() && (!record.ever || record.failures >= PATIENCE) {
            record.given_up = Some(not_played(fault));
        }
    }
}

/// The same fault for games that are not played any more.
fn not_played(fault: &Fault) -> Fault {
    let text = |text: &str| format!("not played, for it could not be started before: {text}");
    match fault {
        Fault::Timeout(why) => Fault::Timeout(text(why)),
        Fault::Protocol(why) => Fault::Protocol(text(why)),
        Fault::Crash(why) => Fault::Crash(text(why)),
        other => other.clone(),
    }
}

/// The processes that one worker keeps.
pub struct Bench<'a> {
    hall: &'a Hall,
    file: &'a Tournament,
    players: &'a [Player],
    starts: &'a Starts,
    slot: usize,
    bots: BTreeMap<usize, Bot>,
}

impl<'a> Bench<'a> {
    /// The empty bench of worker `slot`.
    #[must_use]
    pub fn new(
        hall: &'a Hall,
        file: &'a Tournament,
        players: &'a [Player],
        starts: &'a Starts,
        slot: usize,
    ) -> Self {
        Self { hall, file, players, starts, slot, bots: BTreeMap::new() }
    }

    /// Gets the bots of a game ready: everybody else leaves first.
    ///
    /// # Errors
    /// One a bot, in the order of `pair`: the fault that keeps it from playing.
    pub fn seat(&mut self, pair: [usize; 2]) -> [Result<(), Fault>; 2] {
        let left: Vec<usize> = self.bots.keys().copied().filter(|id| !pair.contains(id)).collect();
        for bot in left.iter().filter_map(|id| self.bots.remove(id)) {
            let _ = bot.quit();
        }
        pair.map(|bot| self.ready(bot))
    }

    fn ready(&mut self, bot: usize) -> Result<(), Fault> {
        let Player::Command(command) = &self.players[bot] else { return Ok(()) };
        if self.bots.contains_key(&bot) {
            return Ok(());
        }
        if let Some(fault) = self.starts.given_up(bot) {
            return Err(fault);
        }
        let started = self.hall.start(&self.file.game, &self.file.bots[bot], command, self.slot);
        self.starts.note(bot, started.as_ref().err());
        self.bots.insert(bot, started?);
        Ok(())
    }

    /// The processes of both bots of a game, as far as they have any.
    pub fn pair(&mut self, pair: [usize; 2]) -> [Option<&mut Bot>; 2] {
        let mut found = [None, None];
        for (&id, bot) in &mut self.bots {
            if let Some(place) = pair.iter().position(|&wanted| wanted == id) {
                found[place] = Some(bot);
            }
        }
        found
    }

    /// After a game: processes that cannot be used again leave.
    pub fn clear(&mut self) {
        let restart = |id: &usize| self.file.bots[*id].restart;
        let leaving: Vec<usize> = self
            .bots
            .iter()
            .filter(|(id, bot)| bot.spent() || restart(id))
            .map(|(&id, _)| id)
            .collect();
        for bot in leaving.iter().filter_map(|id| self.bots.remove(id)) {
            let _ = bot.quit();
        }
    }

    /// The version that a process gave.
    #[must_use]
    pub fn version(&self, bot: usize) -> String {
        match self.players[bot] {
            Player::Agent(_) => env!("CARGO_PKG_VERSION").to_owned(),
            Player::Command(_) => {
                self.bots.get(&bot).map_or_else(String::new, |bot| bot.version().to_owned())
            }
        }
    }
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        while let Some((_, bot)) = self.bots.pop_first() {
            let _ = bot.quit();
        }
    }
}
