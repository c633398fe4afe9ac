//! One thread that plays games of an event, with the agents and processes it keeps.

use super::bench::{Bench, Starts};
use super::done::Done;
use super::event::Event;
use super::file::Player;
use super::games::{Match, Played, Seat, Seated, TournamentGame, milliseconds};
use super::ledger::replay_key;
use super::points::Points;
use super::schedule::Fixture;
use crate::output::rows::tournament::GameRow;
use cuebench_agents::external::bot::Bot;
use cuebench_agents::fault::Fault;
use cuebench_agents::spec::AgentSpec;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Built-in agents that a worker keeps for later games.
const MAX_AGENTS: usize = 64;
/// Longest note in a row, characters.
const MAX_NOTE: usize = 300;

/// A game that was played, as it will be written.
pub struct Finished {
    /// Its row.
    pub row: GameRow,
    /// Its line of strokes.
    pub replay: Option<String>,
}

/// One of the threads that play.
pub struct Worker<'a, G: TournamentGame> {
    event: &'a Event<'a, G>,
    done: &'a Done,
    bench: Bench<'a>,
    agents: BTreeMap<([usize; 2], usize), G::Agent>,
}

impl<'a, G: TournamentGame> Worker<'a, G> {
    /// Worker number `slot` of an event.
    #[must_use]
    pub fn new(event: &'a Event<'a, G>, done: &'a Done, starts: &'a Starts, slot: usize) -> Self {
        let bench = Bench::new(event.hall, event.file, event.players, starts, slot);
        Self { event, done, bench, agents: BTreeMap::new() }
    }

    /// Plays the games whose numbers `next` gives until it gives none or there are none, and
    /// hands them to `keep`.
    pub fn work(mut self, next: impl Fn() -> Option<u64>, keep: impl Fn(Finished)) {
        while let Some(index) = next()
            && let Some(fixture) = self.event.schedule.game(index)
        {
            if !self.done.contains(index) {
                keep(self.finish(fixture));
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
        let line = Line {
            game_index: fixture.index,
            attempt,
            seed: fixture.seed,
            bots: fixture.seats().map(|bot| self.event.file.bots[bot].id.as_str()),
            strokes: &played.replay,
        };
        // Only a map with keys that are no text could fail.
        serde_json::to_string(&line).ok()
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

/// One line of the file of strokes.
#[derive(Serialize)]
struct Line<'a> {
    game_index: u64,
    attempt: u32,
    seed: u64,
    bots: [&'a str; 2],
    #[serde(flatten)]
    strokes: &'a Map<String, Value>,
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
