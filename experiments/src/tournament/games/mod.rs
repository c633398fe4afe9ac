//! The seam between a tournament and the games that can be played in it: one file a game.

pub mod chess_pool;
pub mod frame;
mod frame_drawing;
pub mod race;

use super::points::Points;
use super::schedule::Fixture;
use cuebench_agents::external::bot::Bot;
use cuebench_agents::external::protocol::{Malformed, Reply};
use cuebench_agents::fault::Fault;
use cuebench_agents::spec::AgentSpec;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// What a tournament must know of a game.
pub trait TournamentGame: Sync {
    /// A built-in agent of this game.
    type Agent: Send;

    /// The game's name, as in tournament files and in the protocol.
    fn name(&self) -> &'static str;

    /// Games of a pair on each seed: 2 where the order of the seats matters, else 1.
    fn orders(&self) -> u8;

    /// Everything about the game that the results of an event depend on.
    fn published(&self) -> Value;

    /// Files that the game was made of, by name and text: an event keeps them beside its results.
    fn sources(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// Refuses a built-in agent that does not exist.
    ///
    /// # Errors
    /// With the nearest name.
    fn check(&self, spec: &AgentSpec) -> anyhow::Result<()>;

    /// The agent for `seat` of a game between `specs`, of which one may be a process.
    ///
    /// # Errors
    /// When it cannot be made for that game.
    fn agent(&self, specs: [Option<&AgentSpec>; 2], seat: usize) -> anyhow::Result<Self::Agent>;

    /// Plays one game between two seats. Faults of the seats are part of what was played.
    fn play(&self, game: &Match<'_>, seats: [Seat<'_, Self::Agent>; 2]) -> Played;

    /// Announces a game to a process in seat 0, as at the start of one.
    ///
    /// # Errors
    /// The fault that keeps it from playing.
    fn announce(&self, bot: &mut Bot, game_id: &str, clock: Duration) -> Result<(), Fault>;

    /// Asks a process for the first move of a game and says what it was.
    ///
    /// # Errors
    /// What is wrong with the move or the bot.
    fn probe(&self, bot: &mut Bot, clock: Duration) -> Result<String, Fault>;

    /// A built-in agent for a process to be checked against.
    fn sparring(&self) -> &'static str;

    /// Shows a kept game: text for people, and a drawing if one is asked for.
    ///
    /// # Errors
    /// When the record is not of this game.
    fn show(&self, replay: &Value, svg: bool) -> anyhow::Result<Shown>;
}

/// One game to be played.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// Which one.
    pub fixture: Fixture,
    /// Unique name of the game in its event.
    pub game_id: &'a str,
    /// The event's secret, on which everything hidden depends.
    pub salt: Option<u128>,
    /// A seat's time for the whole game.
    pub clock: Duration,
}

/// Who sits in a seat.
pub enum Seat<'a, A> {
    /// A built-in agent.
    Agent(&'a mut A),
    /// A process.
    Bot(&'a mut Bot),
    /// Nobody: the process could not be started.
    Empty(Fault),
}

impl<A> Seat<'_, A> {
    /// Lets a process rest while it is the other seat's turn.
    pub fn rest(&mut self) {
        if let Seat::Bot(bot) = self {
            bot.rest();
        }
    }
}

/// One seat's part of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seated {
    /// What ended it, unless it was the game itself.
    pub fault: Option<Fault>,
    /// Whether the fault came before its first move was asked for.
    pub absent: bool,
    /// Its score.
    pub score: Option<i32>,
    /// Its strokes.
    pub strokes: Option<u32>,
    /// Time on its clock.
    pub time: Duration,
    /// Time by which it overran its clock.
    pub overrun: Option<Duration>,
    /// CPU time of its process, ms.
    pub cpu_ms: Option<u64>,
}

impl Seated {
    /// Whether it broke off: it then loses to a seat that did not.
    #[must_use]
    pub fn forfeits(&self) -> bool {
        match &self.fault {
            None => false,
            Some(Fault::Timeout(_)) => self.absent,
            Some(_) => true,
        }
    }

    /// The word for how its game ended.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.fault.as_ref().map_or("play", Fault::reason)
    }
}

/// A game that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The seats, 0 first.
    pub seats: [Seated; 2],
    /// Points of seat 0; `None` when the game is void.
    pub result: Option<Points>,
    /// What decided.
    pub decided_by: String,
    /// All that each seat did, if the game depends on nothing else.
    pub digests: Option<[u64; 2]>,
    /// What is needed to show the game again.
    pub replay: Map<String, Value>,
}

impl Played {
    /// A game that the harness could not play.
    #[must_use]
    pub fn void(why: &str) -> Self {
        let fault = Some(Fault::Void(why.to_owned()));
        let seated = Seated { fault, ..Seated::default() };
        Self {
            seats: [seated.clone(), seated],
            result: None,
            decided_by: String::new(),
            digests: None,
            replay: Map::new(),
        }
    }
}

/// A kept game, shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// For people.
    pub text: String,
    /// A drawing.
    pub svg: Option<String>,
}

/// The result when a seat broke off: the other wins; `None` when neither or both did.
#[must_use]
pub fn forfeit(seats: [&Seated; 2]) -> Option<Points> {
    match seats.map(Seated::forfeits) {
        [true, false] => Some(Points::Loss),
        [false, true] => Some(Points::Win),
        _ => None,
    }
}

/// Whether the harness itself failed in one of the seats.
#[must_use]
pub fn void(seats: [&Seated; 2]) -> bool {
    seats.iter().any(|seat| matches!(seat.fault, Some(Fault::Void(_))))
}

/// A seat's clock: the sum of its waits.
#[derive(Clone, Copy, Debug)]
pub struct SeatClock {
    limit: Duration,
    used: Duration,
}

impl SeatClock {
    /// A clock with `limit` on it.
    #[must_use]
    pub const fn new(limit: Duration) -> Self {
        Self { limit, used: Duration::ZERO }
    }

    /// What is left.
    #[must_use]
    pub const fn left(&self) -> Duration {
        self.limit.saturating_sub(self.used)
    }

    /// What is left, ms, as bots and agents are told.
    #[must_use]
    pub fn left_ms(&self) -> u64 {
        milliseconds(self.left())
    }

    /// What is used up, at most the limit.
    #[must_use]
    pub fn used(&self) -> Duration {
        self.used.min(self.limit)
    }

    /// Charges a wait.
    ///
    /// # Errors
    /// [`Fault::Timeout`] when it ended after the limit.
    pub fn charge(&mut self, wait: Duration) -> Result<(), Fault> {
        self.used += wait;
        if self.used <= self.limit {
            return Ok(());
        }
        let over = milliseconds(self.used - self.limit);
        Err(Fault::Timeout(format!("the clock was overrun by {over} ms")))
    }

    /// Runs `think` and charges the time it took.
    ///
    /// # Errors
    /// Its fault, or [`Fault::Timeout`].
    pub fn time<T>(&mut self, think: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
        let begun = Instant::now();
        let thought = think();
        self.charge(begun.elapsed())?;
        thought
    }
}

/// Whole milliseconds.
#[must_use]
pub fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// CPU time between two readings, ms.
#[must_use]
pub fn cpu_between(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    Some(after?.saturating_sub(before?))
}

/// The fault of a reply without a field of this game; fields of other games show which bot it is.
#[must_use]
pub fn wrong_fields(reply: &Reply, error: &Malformed) -> Fault {
    const KNOWN: [&str; 4] = ["action", "angle", "call", "cue"];
    let has: Vec<&str> =
        KNOWN.into_iter().filter(|field| reply.fields.contains_key(*field)).collect();
    let also = if has.is_empty() { String::new() } else { format!("; it has {}", has.join(", ")) };
    Fault::Protocol(format!("{error}{also}"))
}
