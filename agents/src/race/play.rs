//! Plays tables and matches with agents. Time is read from a stopwatch that the caller hands in,
//! so that simulated games can charge none.

use super::agent::{RaceAgent, RaceEnd, RaceReport, RaceStart};
use crate::clock::Clock;
use crate::fault::Fault;
use cuebench_engine::rng::{Purpose, salted, stream};
use cuebench_engine::shot::{Balls, Launch, Outcome, Stroke};
use cuebench_engine::snooker::{CLOCK_MS, MatchOutcome, SeatResult, SeatTable, Setup, decide};
use rand::Rng as _;
use std::time::Duration;

/// Reads the time since any fixed moment.
pub type Stopwatch<'a> = dyn FnMut() -> Duration + 'a;

/// A stopwatch that stands still: thinking is free.
#[must_use]
pub const fn no_time() -> Duration {
    Duration::ZERO
}

/// One stroke of a table that is being played.
#[derive(Debug)]
pub struct Shot<'a> {
    /// The table after the stroke.
    pub table: &'a SeatTable,
    /// Where the balls lay before it.
    pub before: &'a Balls,
    /// What the agent meant.
    pub stroke: Stroke,
    /// What left the cue, aiming noise included.
    pub launch: Launch,
    /// What happened on the table, before any ball was put back.
    pub outcome: &'a Outcome,
}

/// A table that has been played to its close.
#[derive(Clone, Debug)]
pub struct TableGame {
    /// What the seat has.
    pub result: SeatResult,
    /// Strokes that were fouls.
    pub fouls: u32,
    /// What the agent tells of its work.
    pub report: RaceReport,
    /// The table as it closed.
    pub table: SeatTable,
}

/// The seed of agents' own draws in the game of `setup`: the same for both seats, and no key to
/// its layout or hidden values.
#[must_use]
pub fn agent_seed(setup: &Setup) -> u64 {
    stream(salted(setup.seed, setup.salt), Purpose::Agent, 0).next_u64()
}

/// Plays the table of `setup` to its close with `agent` in `seat`. `watch` is read before and
/// after each of the agent's answers; its time counts against the clock of `setup`. `on_shot` sees
/// every stroke.
///
/// # Errors
/// A [`Fault`] of the agent, or [`Fault::Void`] when the table cannot be played.
pub fn play_table(
    agent: &mut dyn RaceAgent,
    setup: &Setup,
    seat: u8,
    watch: &mut Stopwatch<'_>,
    on_shot: &mut dyn FnMut(&Shot<'_>),
) -> Result<TableGame, Fault> {
    let void = |error: &dyn std::fmt::Display| Fault::Void(error.to_string());
    let mut table = SeatTable::new(*setup).map_err(|error| void(&error))?;
    let limit_ms = setup.clock_ms.unwrap_or(CLOCK_MS);
    agent.new_game(&RaceStart {
        seat,
        options: setup.options,
        noise: setup.noise,
        clock_ms: limit_ms,
        agent_seed: agent_seed(setup),
        true_values: agent.wants_true_values().then(|| table.values()),
    })?;
    let (mut used, mut fouls) = (Duration::ZERO, 0);
    let mut outcome = Outcome::default();
    while table.closed().is_none() {
        let left_ms = limit_ms.saturating_sub(used.as_millis() as u64);
        let clock = Clock { time_left_ms: left_ms, opponent_time_left_ms: limit_ms };
        let view = table.observe();
        let before = watch();
        let stroke = agent.choose(&view, clock)?;
        used += watch().saturating_sub(before);
        let (before, strokes, launch) = (*table.balls(), table.strokes(), table.launch(stroke));
        table
            .step_at(stroke.into(), used.as_millis() as u64, &mut outcome)
            .map_err(|error| void(&error))?;
        if table.strokes() > strokes {
            fouls += u32::from(!table.last_fouls().is_empty());
            let (table, before, outcome) = (&table, &before, &outcome);
            on_shot(&Shot { table, before, stroke, launch, outcome });
        }
    }
    let result = table.result().ok_or_else(|| void(&"the table did not close"))?;
    Ok(TableGame { result, fouls, report: agent.report(), table })
}

/// Tells both agents how their match ended, and who won.
pub fn finish_match(agents: [&mut dyn RaceAgent; 2], games: [&TableGame; 2]) -> MatchOutcome {
    let outcome = decide(games.map(|game| &game.result));
    for (seat, (agent, game)) in agents.into_iter().zip(games).enumerate() {
        let points = if seat == 0 { outcome.points() } else { 1.0 - outcome.points() };
        agent.game_over(&RaceEnd {
            points: Some(points),
            seat: game.result,
            table: game.table.values(),
        });
    }
    outcome
}

/// Plays the match of `setup`: `agents[0]` in seat 0, each its own copy of the table. `watch` and
/// `on_shot` are as in [`play_table`].
///
/// # Errors
/// As [`play_table`].
pub fn play_match(
    [first, second]: [&mut dyn RaceAgent; 2],
    setup: &Setup,
    watch: &mut Stopwatch<'_>,
    on_shot: &mut dyn FnMut(u8, &Shot<'_>),
) -> Result<([TableGame; 2], MatchOutcome), Fault> {
    let a = play_table(first, setup, 0, watch, &mut |shot| on_shot(0, shot))?;
    let b = play_table(second, setup, 1, watch, &mut |shot| on_shot(1, shot))?;
    let outcome = finish_match([first, second], [&a, &b]);
    Ok(([a, b], outcome))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::race_agent;
    use crate::spec::AgentSpec;
    use cuebench_engine::snooker::Closed;

    fn agent(text: &str) -> Box<dyn RaceAgent> {
        race_agent(&text.parse::<AgentSpec>().expect("a text")).expect("an agent")
    }

    fn setup(seed: u64) -> Setup {
        Setup { clock_ms: Some(CLOCK_MS), ..Setup::new(seed) }
    }

    #[test]
    fn swapping_the_seats_mirrors_the_match() {
        for seed in 1..=5 {
            let (mut a, mut b) = (agent("random"), agent("first_hit"));
            let play = |x: &mut dyn RaceAgent, y: &mut dyn RaceAgent| {
                let played = play_match([x, y], &setup(seed), &mut no_time, &mut |_, _| ());
                let ([one, other], outcome) = played.expect("a match");
                (one.result, other.result, outcome.points())
            };
            let (one, other, points) = play(a.as_mut(), b.as_mut());
            let (other_again, one_again, mirrored) = play(b.as_mut(), a.as_mut());
            assert_eq!((one, other), (one_again, other_again));
            assert!((points + mirrored - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn agents_play_until_the_table_closes() {
        for name in ["random", "first_hit:power=500"] {
            let mut agent = agent(name);
            let game = play_table(agent.as_mut(), &setup(3), 0, &mut no_time, &mut |_| ())
                .expect("played");
            assert_ne!(game.result.closed, Closed::Time, "{name}");
            assert_eq!(game.table.result(), Some(game.result), "{name}");
        }
    }

    #[test]
    fn time_is_charged_and_closes_the_table() {
        let mut seconds = 0;
        let mut watch = || {
            seconds += 7;
            Duration::from_secs(seconds)
        };
        let game = play_table(agent("random").as_mut(), &setup(1), 0, &mut watch, &mut |_| ())
            .expect("played");
        let SeatResult { strokes, time_ms, closed, .. } = game.result;
        assert_eq!((strokes, time_ms, closed), (4, CLOCK_MS, Closed::Time));
    }

    /// Timing, so not part of every run: `cargo test --release -p cuebench-agents -- --ignored
    /// --nocapture rate`. `random` plays at 80 % or more of the rate at which the engine alone
    /// replays the same strokes, `threshold` at 50 %; both are taken at their best of ten.
    #[test]
    #[ignore = "measures time"]
    fn rate_against_the_engine_alone() {
        for (name, least) in [("random", 0.8), ("threshold", 0.5)] {
            let share = rate_against_the_engine(name);
            assert!(share >= least, "{name}: {share}");
        }
    }

    fn rate_against_the_engine(name: &str) -> f64 {
        let mut agent = agent(name);
        let mut strokes = vec![];
        for seed in 0..400 {
            play_table(agent.as_mut(), &setup(seed), 0, &mut no_time, &mut |shot| {
                strokes.push((*shot.table.table(), *shot.before, shot.launch));
            })
            .expect("played");
        }
        let (mut playing, mut replaying) = (Duration::MAX, Duration::MAX);
        let mut outcome = Outcome::default();
        for _ in 0..10 {
            let begun = std::time::Instant::now();
            for seed in 0..400 {
                play_table(agent.as_mut(), &setup(seed), 0, &mut no_time, &mut |_| ())
                    .expect("played");
            }
            playing = playing.min(begun.elapsed());
            let begun = std::time::Instant::now();
            for (table, before, launch) in &strokes {
                table.launch_into(before, *launch, &mut outcome).expect("replayed");
            }
            replaying = replaying.min(begun.elapsed());
        }
        let share = replaying.as_secs_f64() / playing.as_secs_f64();
        println!("{name}: {} strokes, {share:.3} of the engine's rate", strokes.len());
        share
    }
}
