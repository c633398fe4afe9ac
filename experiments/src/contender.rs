//! Who plays in an experiment or a match: built-in agents and bots that run as processes, on the
//! same seeds and tables.

use crate::games::Playable;
use crate::hall::{Command, Hall, Scratch};
use crate::preflight;
use anyhow::Context as _;
use cuebench_agents::external::player::BotPlayer;
use cuebench_agents::fault::Fault;
use cuebench_agents::player::{Absent, Player};
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::game::Seat;
use serde::Deserialize;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What stands before the words of a command on the command line.
const COMMAND: &str = "cmd:";

/// Somebody who can be named in an experiment file or after `--agents`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contender {
    /// A built-in agent.
    Agent(AgentSpec),
    /// A process.
    Command(Command),
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(spec) => spec.fmt(f),
            Self::Command(command) => f.write_str(&command.id),
        }
    }
}

impl FromStr for Contender {
    type Err = String;

    /// An agent's text, or `cmd:` and the words of a command parted by blanks.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some(command) = text.strip_prefix(COMMAND) else {
            return text
                .parse()
                .map(Self::Agent)
                .map_err(|error: cuebench_agents::spec::SpecError| error.to_string());
        };
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err("`cmd:` needs a program, as in `cmd:python3 mine.py`".to_owned());
        }
        Ok(Self::Command(Command { id: text.to_owned(), words, env: Default::default() }))
    }
}

/// A contender as an experiment file writes it: `"threshold"`, or
/// `{ id = "mine", command = ["python3", "mine.py"] }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "an agent's text, or { id = \"…\", command = [\"PROGRAM\", …] }")]
pub enum Written {
    /// An agent's text.
    Text(String),
    /// A process.
    Process(Process),
}

/// A process as an experiment file writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Process {
    id: String,
    command: Vec<String>,
    #[serde(default)]
    env: std::collections::BTreeMap<String, String>,
}

impl Written {
    /// Who it is.
    ///
    /// # Errors
    /// For an agent's text that does not parse, an empty command, and an id that cannot name files.
    pub fn contender(&self) -> Result<Contender, String> {
        match self {
            Self::Text(text) if text.chars().any(char::is_control) => {
                Err("an agent's text holds a control character".to_owned())
            }
            Self::Text(text) => text.parse(),
            Self::Process(Process { id, command, env }) => {
                let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
                let fits = (1..=64).contains(&id.len()) && id.chars().all(plain);
                if !fits || id.starts_with('.') {
                    let remedy = "use 1 to 64 letters, digits, `-`, `_` or `.`, not first a dot";
                    return Err(format!("id `{id:.64}`: {remedy}"));
                }
                if command.is_empty() {
                    return Err(format!("`{id}`: the command is empty; name a program"));
                }
                let (id, words, env) = (id.clone(), command.clone(), env.clone());
                Ok(Contender::Command(Command { id, words, env }))
            }
        }
    }
}

/// Contenders with what they need to play; shared by all threads.
#[derive(Debug)]
pub struct Stable {
    contenders: Vec<Contender>,
    /// Processes between two games, by contender.
    idle: Vec<Mutex<Vec<Idle>>>,
    /// Where processes are started, if there are any.
    hall: Option<(Hall, Scratch)>,
    started: AtomicUsize,
}

/// A process that waits for its next game.
struct Idle(BotPlayer);

impl fmt::Debug for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.bot().name())
    }
}

/// Somebody who sits at the table.
pub enum Sitting<G: Playable> {
    /// A built-in agent.
    Agent(Box<dyn Player<G>>),
    /// A process.
    Bot(BotPlayer),
    /// A process that could not be started.
    Nobody(Absent),
}

impl<G: Playable> Sitting<G> {
    /// As a player.
    pub fn player(&mut self) -> &mut dyn Player<G> {
        match self {
            Self::Agent(agent) => agent.as_mut(),
            Self::Bot(bot) => bot,
            Self::Nobody(absent) => absent,
        }
    }
}

impl Stable {
    /// The stable of `contenders`; relative paths of commands start from `home`.
    ///
    /// # Errors
    /// When there are processes and they cannot be watched over, or a program is not there.
    pub fn new(contenders: Vec<Contender>, home: &Path) -> anyhow::Result<Self> {
        let mut hall = None;
        for contender in &contenders {
            if let Contender::Command(command) = contender {
                preflight::look(&[], &command.words, home)
                    .with_context(|| contender.to_string())?;
            }
        }
        if contenders.iter().any(|contender| matches!(contender, Contender::Command(_))) {
            let scratch = Scratch::new()?;
            hall = Some((Hall::plain(home, scratch.path())?, scratch));
        }
        let idle = contenders.iter().map(|_| Mutex::default()).collect();
        Ok(Self { contenders, idle, hall, started: AtomicUsize::new(0) })
    }

    /// The contenders.
    #[must_use]
    pub fn contenders(&self) -> &[Contender] {
        &self.contenders
    }

    /// The built-in agent in this place, if it is one.
    #[must_use]
    pub fn agent(&self, who: usize) -> Option<&AgentSpec> {
        match &self.contenders[who] {
            Contender::Agent(spec) => Some(spec),
            Contender::Command(_) => None,
        }
    }

    /// Whether any contender is a process.
    #[must_use]
    pub const fn has_processes(&self) -> bool {
        self.hall.is_some()
    }

    /// Contender `who` sits down in `seat` of a game against `opponent`.
    ///
    /// # Errors
    /// When a built-in agent cannot be had for this game. A process that does not start is a fault
    /// of its own game.
    pub fn sit<G: Playable>(
        &self,
        game: &G,
        who: usize,
        seat: Seat,
        opponent: Option<usize>,
    ) -> anyhow::Result<Sitting<G>> {
        Ok(match &self.contenders[who] {
            Contender::Agent(spec) => {
                let opponent = opponent.and_then(|other| self.agent(other));
                Sitting::Agent(game.player(spec, seat, opponent)?)
            }
            Contender::Command(command) => self.start::<G>(who, command),
        })
    }

    fn start<G: Playable>(&self, who: usize, command: &Command) -> Sitting<G> {
        let idle = self.idle[who].lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(Idle(bot)) = idle {
            return Sitting::Bot(bot);
        }
        let Some((hall, _)) = &self.hall else {
            return Sitting::Nobody(Absent(Fault::Void("there is no hall for bots".to_owned())));
        };
        // Files of a bot are called by its id and a number; an id from the command line is no name.
        let slot = self.started.fetch_add(1, Ordering::Relaxed);
        let command = Command { id: format!("bot{who}"), ..command.clone() };
        match hall.start(G::NAME, &command, slot) {
            Ok(bot) => Sitting::Bot(BotPlayer::new(bot)),
            Err(fault) => Sitting::Nobody(Absent(fault)),
        }
    }

    /// Whoever sat there gets up: a process is kept for its next game if it can play one.
    pub fn rise<G: Playable>(&self, who: usize, sitting: Sitting<G>) {
        if let Sitting::Bot(bot) = sitting
            && !bot.bot().spent()
        {
            self.idle[who].lock().unwrap_or_else(PoisonError::into_inner).push(Idle(bot));
        }
    }
}

impl Drop for Stable {
    fn drop(&mut self) {
        for idle in &mut self.idle {
            let bots = idle.get_mut().unwrap_or_else(PoisonError::into_inner);
            for Idle(bot) in bots.drain(..) {
                let _ = bot.quit();
            }
        }
    }
}
