//! One thread that plays games of an event, with the agents and processes it keeps.

use super::bench::{Bench, Starts};
use super::done::Done;
use super::event::Event;
use super::file::Player;
use super::ledger::replay_key;
use super::points::Points;
use super::schedule::Fixture;
use crate::games::Playable;
use crate::output::rows::tournament::GameRow;
use cuebench_agents::clock::milliseconds;
use cuebench_agents::external::player::BotPlayer;
use cuebench_agents::fault::Fault;
use cuebench_agents::player::{Absent, Player as Sits};
use cuebench_agents::referee::{Played, Seated, Terms, play};
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::game::Seed;
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
pub struct Worker<'a, G: Playable> {
    event: &'a Event<'a, G>,
    done: &'a Done,
    bench: Bench<'a>,
    agents: BTreeMap<([usize; 2], usize), Box<dyn Sits<G>>>,
}

impl<'a, G: Playable> Worker<'a, G> {
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
        let ready = self.bench.seat(fixture.seats());
        // A panic is a defect, but one game's: the event goes on, and the game can be retried.
        let played = catch_unwind(AssertUnwindSafe(|| self.play(&fixture, ready)));
        let played = played.unwrap_or_else(|_| {
            self.agents.clear();
            Outcome::void("the harness panicked; please report it")
        });
        let versions = fixture.bots.map(|bot| self.bench.version(bot));
        self.bench.clear();
        let attempt = self.done.attempt(fixture.index);
        let replay = played.record.as_ref().map(|record| self.line(&fixture, attempt, record));
        let row = self.row(&fixture, attempt, played, versions, begun.elapsed());
        Finished { row, replay }
    }

    fn play(&mut self, fixture: &Fixture, ready: [Result<(), Fault>; 2]) -> Outcome {
        let seats = fixture.seats();
        let specs: [Option<&AgentSpec>; 2] = seats.map(|bot| match &self.event.players[bot] {
            Player::Agent(spec) => Some(spec),
            Player::Command(_) => None,
        });
        if self.agents.len() > MAX_AGENTS {
            self.agents.clear();
        }
        for seat in 0..2 {
            if let (Some(spec), Entry::Vacant(place)) =
                (specs[seat], self.agents.entry((seats, seat)))
            {
                match self.event.game.player(spec, seat, specs[1 - seat]) {
                    Ok(agent) => drop(place.insert(agent)),
                    Err(error) => return Outcome::void(&error.to_string()),
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
        let mut nobody = ready.map(|ready| {
            let fault = ready.err();
            let missing = || Fault::Void("nobody sits there".to_owned());
            (fault.is_some(), Absent(fault.unwrap_or_else(missing)))
        });
        let [empty_one, empty_two] = &mut nobody;
        let players = [seat(one, bot_one, empty_one), seat(two, bot_two, empty_two)];
        let game_id = format!("{}/{}", self.event.file.event, fixture.index);
        let terms = Terms {
            game_id: &game_id,
            clock: self.event.file.limits.clock(),
            free: false,
            together: self.event.file.together,
            record: true,
        };
        let seed = Seed::salted(fixture.seed, self.event.salt);
        Outcome::of(play(self.event.game, seed, players, &terms))
    }

    /// The line of strokes: the record, with which game it is before it.
    fn line(&self, fixture: &Fixture, attempt: u32, record: &str) -> String {
        let Fixture { index, .. } = fixture;
        let bots = fixture.seats().map(|bot| self.event.file.bots[bot].id.as_str());
        // Ids hold nothing that needs an escape, and a record begins with its opening brace.
        let [one, two] = bots;
        let rest = record.strip_prefix('{').unwrap_or(record);
        format!(
            "{{\"game_index\":{index},\"attempt\":{attempt},\"bots\":[\"{one}\",\"{two}\"],{rest}"
        )
    }

    fn row(
        &self,
        fixture: &Fixture,
        attempt: u32,
        played: Outcome,
        [version_a, version_b]: [String; 2],
        wall: Duration,
    ) -> GameRow {
        let Outcome { mut seats, mut result, decided_by, record } = played;
        if fixture.order == 1 {
            seats.reverse();
            result = result.map(Points::other);
        }
        let digests = seats[0].digest.zip(seats[1].digest);
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
            strokes_a: Some(a.strokes),
            strokes_b: Some(b.strokes),
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
            digest: digests.map(|(a, b)| format!("{a:016x}{b:016x}")),
            replay: record.map(|_| replay_key(fixture.index, attempt)),
        }
    }
}

/// A game as its row tells it.
struct Outcome {
    seats: [Seated; 2],
    result: Option<Points>,
    decided_by: String,
    record: Option<String>,
}

impl Outcome {
    fn of<G: Playable>(played: Played<G>) -> Self {
        let result = played.points(0).map(|points| match points {
            1.0 => Points::Win,
            0.0 => Points::Loss,
            _ => Points::Draw,
        });
        let Played { seats, verdict, record, .. } = played;
        let decided_by = verdict.map_or_else(String::new, |verdict| verdict.decided_by);
        Self { seats, result, decided_by, record }
    }

    /// A game that the harness could not play.
    fn void(why: &str) -> Self {
        let fault = Some(Fault::Void(why.to_owned()));
        let seated = Seated { fault, ..Seated::default() };
        Self {
            seats: [seated.clone(), seated],
            result: None,
            decided_by: String::new(),
            record: None,
        }
    }
}

/// Who sits in a seat.
fn seat<'s, G: Playable>(
    agent: Option<&'s mut Box<dyn Sits<G>>>,
    bot: Option<&'s mut BotPlayer>,
    (empty, nobody): &'s mut (bool, Absent),
) -> &'s mut dyn Sits<G> {
    match (empty, agent, bot) {
        (false, Some(agent), _) => agent.as_mut(),
        (false, None, Some(bot)) => bot,
        _ => nobody,
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
