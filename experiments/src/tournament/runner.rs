//! Playing an event: workers fetch games, one thread writes what they bring.

use super::bench::{Bench, Hall, Starts};
use super::file::{Player, Tournament};
use super::games::{Match, Played, Seat, Seated, TournamentGame, milliseconds};
use super::ledger::{Ledger, replay_key};
use super::points::Points;
use super::schedule::{Fixture, Schedule};
use crate::output::rows::tournament::GameRow;
use crate::rollout::Stop;
use crate::stats::sprt::{Decision, Sequence, Sprt};
use anyhow::Context as _;
use cuebench_agents::external::bot::Bot;
use cuebench_agents::fault::Fault;
use cuebench_agents::spec::AgentSpec;
use serde_json::{Map, Value};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// How often a look at the progress is offered.
const TICK: Duration = Duration::from_millis(200);
/// Built-in agents that a worker keeps for later games.
const MAX_AGENTS: usize = 64;
/// Longest note in a row, characters.
const MAX_NOTE: usize = 300;

/// An event that is ready to be played.
pub struct Event<'a, G: TournamentGame> {
    /// The game.
    pub game: &'a G,
    /// The file.
    pub file: &'a Tournament,
    /// The bots in the file's order.
    pub players: &'a [Player],
    /// The schedule.
    pub schedule: &'a Schedule,
    /// The event's secret.
    pub salt: Option<u128>,
    /// Games at the same time.
    pub concurrency: usize,
    /// Where processes are started.
    pub hall: &'a Hall,
}

/// What is played already.
#[derive(Debug)]
pub struct Done {
    finished: Vec<u64>,
    attempts: HashMap<u64, u32>,
    /// Games of it.
    pub count: u64,
}

impl Done {
    /// Nothing yet, of `games` games.
    #[must_use]
    pub fn new(games: u64) -> Self {
        let words = usize::try_from(games.div_ceil(64)).unwrap_or(usize::MAX);
        Self { finished: vec![0; words], attempts: HashMap::new(), count: 0 }
    }

    fn place(index: u64) -> (usize, u64) {
        (usize::try_from(index / 64).unwrap_or(usize::MAX), 1 << (index % 64))
    }

    /// Notes a row. A void game counts as played unless it is to be retried.
    pub fn note(&mut self, row: &GameRow, retry_void: bool) {
        let (word, bit) = Self::place(row.game_index);
        let Some(word) = self.finished.get_mut(word) else { return };
        if row.result.is_none() && retry_void {
            self.count -= u64::from(*word & bit != 0);
            *word &= !bit;
            self.attempts.insert(row.game_index, row.attempt + 1);
            return;
        }
        self.count += u64::from(*word & bit == 0);
        *word |= bit;
    }

    /// Whether game `index` is played.
    #[must_use]
    pub fn contains(&self, index: u64) -> bool {
        let (word, bit) = Self::place(index);
        self.finished.get(word).is_some_and(|word| word & bit != 0)
    }

    fn attempt(&self, index: u64) -> u32 {
        self.attempts.get(&index).copied().unwrap_or(0)
    }
}

/// How playing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All games are played.
    Complete,
    /// The SPRT reached a decision.
    Decided,
    /// On request; the event can be resumed.
    Stopped,
}

/// What watches an event: the command line, or a test.
pub trait Audience {
    /// A game has been written.
    fn game(&mut self, row: &GameRow);
    /// Time has passed.
    fn tick(&mut self);
}

/// Plays what is not done yet, and keeps it. `test` has been fed with what is done.
///
/// # Errors
/// When a file cannot be written or threads cannot be had.
pub fn run<G: TournamentGame>(
    event: &Event<'_, G>,
    done: &Done,
    ledger: &mut Ledger,
    test: Option<&mut Blocks>,
    stop: &Stop,
    audience: &mut impl Audience,
) -> anyhow::Result<Ended> {
    if test.as_ref().is_some_and(|test| test.decided()) {
        return Ok(Ended::Decided);
    }
    let (next, starts, halt) = (AtomicU64::new(0), Starts::new(event.players.len()), Stop::new());
    let workers = event.concurrency.max(1);
    let (sender, receiver) = sync_channel(4 * workers);
    let asked = || stop.requested() || halt.requested();
    let (written, decided) = std::thread::scope(|scope| {
        for slot in 0..workers {
            let sender = sender.clone();
            let (next, starts, asked) = (&next, &starts, &asked);
            let work = move || Worker::new(event, done, starts, slot).work(next, asked, &sender);
            let thread = std::thread::Builder::new().name(format!("game {slot}"));
            thread.spawn_scoped(scope, work).context("no thread for a game")?;
        }
        drop(sender);
        let written = write(&receiver, ledger, test, &halt, audience);
        // Whatever happened, workers end: nobody listens any more.
        halt.request();
        written
    })?;
    ledger.sync()?;
    Ok(if decided {
        Ended::Decided
    } else if done.count + written == event.schedule.len() {
        Ended::Complete
    } else {
        Ended::Stopped
    })
}

/// Writes what the workers bring, until they are through. Returns how many games were written
/// and whether the SPRT was decided.
fn write(
    receiver: &Receiver<Finished>,
    ledger: &mut Ledger,
    mut test: Option<&mut Blocks>,
    halt: &Stop,
    audience: &mut impl Audience,
) -> anyhow::Result<(u64, bool)> {
    let (mut written, mut ticked) = (0, Instant::now());
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(Finished { row, replay }) => {
                ledger.append(&row, replay.as_deref())?;
                written += 1;
                if let Some(test) = test.as_deref_mut() {
                    test.note(&row);
                    if test.advance()? != Decision::Continue {
                        halt.request();
                    }
                }
                audience.game(&row);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Ok((written, test.is_some_and(|test| test.decided())));
            }
        }
        if ticked.elapsed() >= TICK {
            audience.tick();
            ticked = Instant::now();
        }
    }
}

struct Finished {
    row: GameRow,
    replay: Option<String>,
}

/// One of the threads that play.
struct Worker<'a, G: TournamentGame> {
    event: &'a Event<'a, G>,
    done: &'a Done,
    bench: Bench<'a>,
    agents: BTreeMap<([usize; 2], usize), G::Agent>,
}

impl<'a, G: TournamentGame> Worker<'a, G> {
    fn new(event: &'a Event<'a, G>, done: &'a Done, starts: &'a Starts, slot: usize) -> Self {
        let bench = Bench::new(event.hall, event.file, event.players, starts, slot);
        Self { event, done, bench, agents: BTreeMap::new() }
    }

    fn work(mut self, next: &AtomicU64, asked: &impl Fn() -> bool, sender: &SyncSender<Finished>) {
        while !asked() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(fixture) = self.event.schedule.game(index) else { return };
            if !self.done.contains(index) && sender.send(self.finish(fixture)).is_err() {
                return;
            }
        }
    }

    /// Plays a game and puts it down.
    fn finish(&mut self, fixture: Fixture) -> Finished {
        let begun = Instant::now();
        let seats = fixture.seats();
        let ready = self.bench.seat(seats);
        let game_id = format!("{}/{}", self.event.file.event, fixture.index);
        let game = Match {
            fixture,
            game_id: &game_id,
            salt: self.event.salt,
            clock: self.event.file.limits.clock(),
        };
        // A panic is a defect, but one game's: the event goes on, and the game can be retried.
        let played = catch_unwind(AssertUnwindSafe(|| self.play(&game, ready)));
        let played = played.unwrap_or_else(|_| {
            self.agents.clear();
            Played::void("the harness panicked; please report it")
        });
        let versions = fixture.bots.map(|bot| self.bench.version(bot));
        self.bench.clear();
        let attempt = self.done.attempt(fixture.index);
        let replay = self.record(&fixture, attempt, &played);
        let wall = begun.elapsed();
        let row = self.row(&fixture, attempt, played, versions, wall, replay.is_some());
        Finished { row, replay }
    }

    fn play(&mut self, game: &Match<'_>, ready: [Result<(), Fault>; 2]) -> Played {
        let seats = game.fixture.seats();
        let specs: [Option<&AgentSpec>; 2] = seats.map(|bot| match &self.event.players[bot] {
            Player::Agent(spec) => Some(spec),
            Player::Command(_) => None,
        });
        if self.agents.len() > MAX_AGENTS {
            self.agents.clear();
        }
        for seat in 0..2 {
            if let (Some(_), Entry::Vacant(place)) = (specs[seat], self.agents.entry((seats, seat)))
            {
                match self.event.game.agent(specs, seat) {
                    Ok(agent) => drop(place.insert(agent)),
                    Err(error) => return Played::void(&error.to_string()),
                }
            }
        }
        let [mut one, mut two] = [None, None];
        for (&(pair, seat), agent) in &mut self.agents {
            match seat {
                0 if pair == seats => one = Some(agent),
                1 if pair == seats => two = Some(agent),
                _ => {}
            }
        }
        let [bot_one, bot_two] = self.bench.pair(seats);
        let [ready_one, ready_two] = ready;
        let seated = [seat(one, bot_one, ready_one), seat(two, bot_two, ready_two)];
        self.event.game.play(game, seated)
    }

    /// The line of strokes.
    fn record(&self, fixture: &Fixture, attempt: u32, played: &Played) -> Option<String> {
        if played.replay.is_empty() {
            return None;
        }
        let mut line = Map::new();
        line.insert("game_index".to_owned(), fixture.index.into());
        line.insert("attempt".to_owned(), attempt.into());
        line.insert("seed".to_owned(), fixture.seed.into());
        let names = fixture.seats().map(|bot| self.event.file.bots[bot].id.as_str());
        line.insert("bots".to_owned(), names.as_slice().into());
        line.extend(played.replay.clone());
        Some(Value::Object(line).to_string())
    }

    fn row(
        &self,
        fixture: &Fixture,
        attempt: u32,
        played: Played,
        [version_a, version_b]: [String; 2],
        wall: Duration,
        kept: bool,
    ) -> GameRow {
        let Played { mut seats, mut result, decided_by, digests, .. } = played;
        let mut digests = digests;
        if fixture.order == 1 {
            seats.reverse();
            result = result.map(Points::other);
            digests = digests.map(|[one, two]| [two, one]);
        }
        let [a, b] = seats;
        let name = |place: usize| self.event.file.bots[fixture.bots[place]].id.clone();
        GameRow {
            event: self.event.file.event.clone(),
            game_index: fixture.index,
            pair: fixture.pair,
            seed: fixture.seed,
            order: fixture.order,
            attempt,
            bot_a: name(0),
            bot_b: name(1),
            version_a,
            version_b,
            result,
            reason_a: a.reason().to_owned(),
            reason_b: b.reason().to_owned(),
            score_a: a.score,
            score_b: b.score,
            strokes_a: a.strokes,
            strokes_b: b.strokes,
            time_ms_a: milliseconds(a.time),
            time_ms_b: milliseconds(b.time),
            decided_by,
            cpu_ms_a: a.cpu_ms,
            cpu_ms_b: b.cpu_ms,
            overrun_ms_a: overrun(&a),
            overrun_ms_b: overrun(&b),
            wall_ms: milliseconds(wall),
            note_a: note(a.fault.as_ref()),
            note_b: note(b.fault.as_ref()),
            digest: digests.map(|[a, b]| format!("{a:016x}{b:016x}")),
            replay: kept.then(|| replay_key(fixture.index, attempt)),
        }
    }
}

/// Who sits in a seat.
fn seat<'s, A>(
    agent: Option<&'s mut A>,
    bot: Option<&'s mut Bot>,
    ready: Result<(), Fault>,
) -> Seat<'s, A> {
    match (ready, agent, bot) {
        (Err(fault), ..) => Seat::Empty(fault),
        (Ok(()), Some(agent), _) => Seat::Agent(agent),
        (Ok(()), None, Some(bot)) => Seat::Bot(bot),
        (Ok(()), None, None) => Seat::Empty(Fault::Void("nobody sits there".to_owned())),
    }
}

/// An overrun in whole milliseconds, rounded up: a late answer is never late by nothing.
fn overrun(seat: &Seated) -> Option<u64> {
    seat.overrun.map(|over| over.as_micros().div_ceil(1000) as u64)
}

/// What went wrong, in one short line.
fn note(fault: Option<&Fault>) -> String {
    let text = fault.map(Fault::to_string).unwrap_or_default();
    let text = text.split_once(": ").map_or("", |(_, text)| text);
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_NOTE).collect()
}

/// The blocks of an SPRT: games as they come, taken in schedule order.
#[derive(Debug)]
pub struct Blocks {
    sequence: Sequence,
    first_seed: u64,
    orders: u8,
    next: u64,
    waiting: BTreeMap<u64, [Option<Option<Points>>; 2]>,
}

impl Blocks {
    /// A test on blocks of `orders` games a seed, the first of which is `first_seed`.
    #[must_use]
    pub fn new(test: Sprt, first_seed: u64, orders: u8) -> Self {
        let sequence = Sequence::new(test, 2 * usize::from(orders) + 1);
        Self { sequence, first_seed, orders, next: 0, waiting: BTreeMap::new() }
    }

    /// Notes a game; a later attempt takes the place of an earlier one.
    pub fn note(&mut self, row: &GameRow) {
        let Some(number) = row.seed.checked_sub(self.first_seed) else { return };
        if number >= self.next && row.order < self.orders {
            self.waiting.entry(number).or_default()[usize::from(row.order)] = Some(row.result);
        }
    }

    /// Feeds the test with every block whose turn it is. Blocks with a void game are left out.
    ///
    /// # Errors
    /// Never for the models that a tournament file takes.
    pub fn advance(&mut self) -> anyhow::Result<Decision> {
        while !self.decided()
            && let Some(&games) = self.waiting.get(&self.next)
        {
            let games = &games[..usize::from(self.orders)];
            if games.iter().any(Option::is_none) {
                break;
            }
            let points: Option<Vec<Points>> = games.iter().map(|game| game.flatten()).collect();
            if let Some(points) = points {
                let halves = points.iter().map(|points| usize::from(points.halves())).sum();
                self.sequence.push(halves)?;
            }
            self.waiting.remove(&self.next);
            self.next += 1;
        }
        Ok(self.sequence.decision())
    }

    /// Whether the test has stopped.
    #[must_use]
    pub fn decided(&self) -> bool {
        self.sequence.decision() != Decision::Continue
    }

    /// The test so far.
    #[must_use]
    pub const fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// The number of seeds, from the first, that the test has seen.
    #[must_use]
    pub const fn seeds(&self) -> u64 {
        self.next
    }
}
