//! The tournament file: what may be written in it, and the event that it describes.

use super::schedule::Format;
use crate::hall::Command;
use crate::stats::sprt::{Model, Sprt, SprtError};
use cuebench_agents::external::limits::Limits;
use cuebench_agents::spec::{AgentSpec, SpecError};
use cuebench_agents::words::plain;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Longest tournament file that is read, bytes.
pub const MAX_FILE: u64 = 1 << 20;
/// Longest name of an event or a bot.
const MAX_NAME: usize = 64;
/// Games at the same time: each takes a thread and up to two processes.
pub const CONCURRENCY: std::ops::RangeInclusive<usize> = 1..=256;
/// Most bots of an event.
const MAX_BOTS: usize = 500;

/// The file as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// Name of the event and of its folder.
    pub event: String,
    /// `snooker-race`, `frame` or `chess-pool`.
    pub game: String,
    /// Who plays whom.
    #[serde(default)]
    pub format: Format,
    /// First and last seed.
    pub seeds: [u64; 2],
    /// Games at the same time; one for each core but at most four if left out.
    #[serde(default, skip_serializing)]
    pub concurrency: Option<usize>,
    /// Where the seats do not touch each other, as in the race: whether processes play at the same
    /// time, each clock running from the common start (the default), or one after the other, which
    /// is fairer where there are fewer than two cores for a game.
    #[serde(default = "yes")]
    pub together: bool,
    /// Seeds, from the first, that are played with the seats swapped too, to check that a game
    /// with one order is the same either way round.
    #[serde(default)]
    pub mirror: u64,
    /// The game's own options.
    #[serde(default)]
    pub options: toml::Table,
    /// What a bot may use.
    #[serde(default)]
    pub limits: EventLimits,
    /// Stop as soon as one of two hypotheses is accepted.
    pub sprt: Option<SprtTable>,
    /// The bots.
    #[serde(rename = "bot", default)]
    pub bots: Vec<BotTable>,
}

/// `[limits]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventLimits {
    /// A seat's time for a game, s.
    pub clock_s: f64,
    /// Time to say hello and to get ready, s.
    pub start_s: f64,
    /// Resident memory of a bot's processes together, MiB.
    pub memory_mib: u64,
    /// Processes of a bot.
    pub processes: u32,
    /// CPU time of a game of all processes of a bot, s; 0: none.
    pub cpu_s: u64,
    /// Open files of a process.
    pub files: u64,
    /// Size of a file that a bot writes, MiB.
    pub file_mib: u64,
    /// Whether a bot may run while it is not its turn.
    pub ponder: bool,
}

impl Default for EventLimits {
    fn default() -> Self {
        let Limits { memory_mib, processes, cpu_s, files, file_mib } = Limits::default();
        let (clock_s, start_s, ponder) = (30.0, 10.0, false);
        Self { clock_s, start_s, memory_mib, processes, cpu_s, files, file_mib, ponder }
    }
}

impl EventLimits {
    /// A seat's time for a game.
    #[must_use]
    pub fn clock(&self) -> Duration {
        Duration::from_millis((self.clock_s * 1000.0).round() as u64)
    }

    /// Time to say hello and to get ready.
    #[must_use]
    pub fn start(&self) -> Duration {
        Duration::from_millis((self.start_s * 1000.0).round() as u64)
    }

    /// The part that a process is started with.
    #[must_use]
    pub const fn of_process(&self) -> Limits {
        let &Self { memory_mib, processes, cpu_s, files, file_mib, .. } = self;
        Limits { memory_mib, processes, cpu_s, files, file_mib }
    }
}

/// `[sprt]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtTable {
    /// Elo of the first bot against the second under H0.
    pub elo0: f64,
    /// And under H1.
    pub elo1: f64,
    /// Seeds after which an undecided test ends. They count from the first seed.
    pub max_seeds: u64,
    /// What the Elo means.
    #[serde(default)]
    pub model: Model,
    /// Chance of accepting H1 wrongly.
    #[serde(default = "five_percent")]
    pub alpha: f64,
    /// Chance of accepting H0 wrongly.
    #[serde(default = "five_percent")]
    pub beta: f64,
}

const fn yes() -> bool {
    true
}

const fn five_percent() -> f64 {
    0.05
}

impl SprtTable {
    /// The test.
    ///
    /// # Errors
    /// When its numbers make no sense.
    pub fn test(&self) -> Result<Sprt, SprtError> {
        Sprt::new([self.elo0, self.elo1], self.alpha, self.beta, self.model)
    }
}

/// `[[bot]]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotTable {
    /// The organiser's name for it, unique.
    pub id: String,
    /// Program and arguments, for a bot that runs as a process.
    pub command: Option<Vec<String>>,
    /// An agent of the roster, for a built-in one.
    pub agent: Option<String>,
    /// Whether the process is started anew for every game.
    #[serde(default)]
    pub restart: bool,
    /// Further variables of its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// How a bot plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Player {
    /// Built in.
    Agent(AgentSpec),
    /// As a process.
    Command(Command),
}

/// Why a tournament file was refused.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Not TOML, an unknown key or a value of the wrong type; with line and column.
    #[error("{0}")]
    Toml(String),
    /// A name that cannot name a folder or a column.
    #[error("{what} `{name}`: use 1 to 64 letters, digits, `-`, `_` or `.`, not first a dot")]
    Name {
        /// What is named.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Two bots of the same name.
    #[error("two bots have the id `{0}`; give each its own")]
    Twice(String),
    /// A value outside its range.
    #[error("{0}")]
    Value(String),
    /// A built-in agent that does not parse.
    #[error("bot `{id}`: {error}")]
    Agent {
        /// The bot.
        id: String,
        /// What is wrong.
        error: Box<SpecError>,
    },
    /// A test that makes no sense.
    #[error("[sprt]")]
    Sprt(#[from] SprtError),
}

impl Tournament {
    /// Reads a file.
    ///
    /// # Errors
    /// [`FileError`] with the place and the remedy.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let file: Self = toml::from_str(text).map_err(|error| {
            let lines: Vec<&str> = error.message().lines().collect();
            let at = error.span().map_or_else(String::new, |span| {
                let before = text.get(..span.start).unwrap_or(text);
                format!("line {}: ", before.matches('\n').count() + 1)
            });
            FileError::Toml(format!("{at}{}", plain(&lines.join(" "))))
        })?;
        file.check()?;
        Ok(file)
    }

    fn check(&self) -> Result<(), FileError> {
        name("event", &self.event)?;
        let mut ids = BTreeSet::new();
        for bot in &self.bots {
            name("bot", &bot.id)?;
            if !ids.insert(&bot.id) {
                return Err(FileError::Twice(bot.id.clone()));
            }
            bot.player()?;
        }
        let value = |wrong: bool, text: &str| {
            if wrong { Err(FileError::Value(text.to_owned())) } else { Ok(()) }
        };
        let bots = self.bots.len();
        value(bots < 2, "give at least two [[bot]] tables")?;
        value(bots > MAX_BOTS, "at most 500 bots can play in one event")?;
        value(self.format == Format::Match && bots != 2, "format = \"match\" takes two bots")?;
        let [first, last] = self.seeds;
        value(first > last, "seeds = [first, last]: the first must not exceed the last")?;
        value(last - first >= 1 << 40, "seeds: at most 2^40 of them")?;
        let threads = self.concurrency.is_some_and(|games| !CONCURRENCY.contains(&games));
        value(threads, "concurrency must be from 1 to 256")?;
        let limits = &self.limits;
        let time = |seconds: f64| !(seconds > 0.0 && seconds <= 86_400.0);
        value(time(limits.clock_s), "limits.clock_s: more than 0, at most 86400 seconds")?;
        value(time(limits.start_s), "limits.start_s: more than 0, at most 86400 seconds")?;
        value(limits.clock().is_zero() || limits.start().is_zero(), "limits: at least 1 ms")?;
        value(limits.memory_mib == 0, "limits.memory_mib must be at least 1")?;
        value(limits.memory_mib > 1 << 30, "limits.memory_mib: at most 2^30")?;
        value(limits.cpu_s > 1 << 30, "limits.cpu_s: at most 2^30")?;
        value(limits.processes == 0, "limits.processes must be at least 1")?;
        value(limits.files < 8, "limits.files must be at least 8")?;
        if let Some(sprt) = &self.sprt {
            value(bots != 2, "[sprt] compares two bots; leave it out or give two [[bot]] tables")?;
            value(sprt.max_seeds == 0, "sprt.max_seeds must be at least 1")?;
            value(sprt.max_seeds > 1 << 40, "sprt.max_seeds: at most 2^40")?;
            let test = sprt.test()?;
            value(
                test.model() == Model::Bayesian,
                "sprt.model: a tournament takes logistic or normalized",
            )?;
        }
        Ok(())
    }

    /// The number of seeds: with an SPRT its maximum, else those of the file.
    #[must_use]
    pub fn seed_count(&self) -> u64 {
        let [first, last] = self.seeds;
        self.sprt.as_ref().map_or(last - first + 1, |sprt| sprt.max_seeds)
    }
}

impl BotTable {
    /// How it plays.
    ///
    /// # Errors
    /// When it has neither or both of `agent` and `command`, or an agent that does not parse.
    pub fn player(&self) -> Result<Player, FileError> {
        let id = &self.id;
        match (&self.agent, &self.command) {
            (Some(agent), None) => agent
                .parse()
                .map(Player::Agent)
                .map_err(|error| FileError::Agent { id: id.clone(), error: Box::new(error) }),
            (None, Some(command)) if !command.is_empty() => Ok(Player::Command(Command {
                id: id.clone(),
                words: command.clone(),
                env: self.env.clone(),
            })),
            _ => Err(FileError::Value(format!(
                "bot `{id}`: give either agent = \"NAME\" or command = [\"PROGRAM\", ..]"
            ))),
        }
    }
}

fn name(what: &'static str, name: &str) -> Result<(), FileError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if (1..=MAX_NAME).contains(&name.len()) && name.chars().all(fits) && !name.starts_with('.') {
        return Ok(());
    }
    let name = name.chars().take(MAX_NAME).collect();
    Err(FileError::Name { what, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
event = "club-night"
game = "snooker-race"
seeds = [1, 200]
concurrency = 2
[options]
table = "hidden"
[limits]
clock_s = 30
start_s = 0.5
[sprt]
elo0 = 0
elo1 = 30
max_seeds = 5000
[[bot]]
id = "mine"
command = ["python3", "mine.py"]
[[bot]]
id = "house"
agent = "threshold:tau=0.5"
"#;

    #[test]
    fn a_file_reads_as_the_page_says() {
        let file = Tournament::parse(FILE).expect("valid");
        assert_eq!((file.format, file.seed_count()), (Format::RoundRobin, 5000));
        assert_eq!(file.limits.start(), Duration::from_millis(500));
        assert_eq!(file.limits.memory_mib, 2048);
        assert!(matches!(file.bots[0].player(), Ok(Player::Command(_))));
        assert!(matches!(file.bots[1].player(), Ok(Player::Agent(_))));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (from, to, part) in [
            ("seeds = [1, 200]", "seeds = [9, 2]", "first must not exceed"),
            ("seeds = [1, 200]", "seed = [1, 2]", "line 4"),
            ("event = \"club-night\"", "event = \"../x\"", "event `../x`"),
            ("id = \"house\"", "id = \"mine\"", "two bots have the id `mine`"),
            ("agent = \"threshold:tau=0.5\"", "", "bot `house`: give either"),
            ("clock_s = 30", "clock_s = 0", "limits.clock_s"),
            ("clock_s = 30", "clock_s = nan", "limits.clock_s"),
            ("max_seeds = 5000", "", "max_seeds"),
            ("elo1 = 30", "elo1 = -30", "[sprt]"),
            ("concurrency = 2", "concurrency = 0", "concurrency"),
            ("concurrency = 2", "concurrency = 1000000000", "concurrency"),
        ] {
            assert!(FILE.contains(from), "{from}");
            let error =
                Tournament::parse(&FILE.replace(from, to)).expect_err("refused").to_string();
            assert!(error.contains(part) && !error.contains('\n'), "{error}");
        }
    }
}
