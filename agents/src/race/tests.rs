//! Tables and matches of built-in agents, played by the referee.

use crate::player::Player;
use crate::referee::{Played, Terms, play, play_alone};
use crate::roster::Roster as _;
use cuebench_engine::game::Seed;
use cuebench_engine::shot::{Outcome, Stroke};
use cuebench_engine::snooker::{Action, Closed, Race, RaceState, TableOption};
use std::time::Duration;

const CLOCK: Duration = Duration::from_secs(30);

/// The race of one seat on known tables.
pub(super) fn known() -> Race {
    let mut race = Race { alone: true, ..Race::default() };
    race.options.table = TableOption::Known;
    race
}

pub(super) fn agent(text: &str) -> Box<dyn Player<Race>> {
    Race::default().player(&text.parse().expect("a text"), 0, None).expect("an agent")
}

/// The table of `seed` as an agent plays it to its close.
pub(super) fn alone(text: &str, race: &Race, seed: u64) -> Played<Race> {
    let race = Race { alone: true, ..*race };
    let played = play_alone(&race, Seed::open(seed), agent(text).as_mut(), &Terms::free(CLOCK));
    assert_eq!(played.seats[0].fault, None, "{text}");
    played
}

fn results(state: &RaceState) -> [cuebench_engine::snooker::SeatResult; 2] {
    [state.result(0), state.result(1)]
}

#[test]
fn swapping_the_seats_mirrors_the_match() {
    let race = Race::default();
    for seed in 1..=5 {
        let (mut a, mut b) = (agent("random"), agent("first_hit"));
        let terms = Terms::free(CLOCK);
        let one = play(&race, Seed::open(seed), [a.as_mut(), b.as_mut()], &terms);
        let other = play(&race, Seed::open(seed), [b.as_mut(), a.as_mut()], &terms);
        let [x, y] = results(&one.state);
        assert_eq!([y, x], results(&other.state));
        assert_eq!(one.points(0).map(|p| 1.0 - p), other.points(0));
        assert_eq!(one.seats[0].digest, other.seats[1].digest);
    }
}

#[test]
fn agents_play_until_the_table_closes() {
    for name in ["random", "first_hit:power=500"] {
        let played = alone(name, &Race::default(), 3);
        let closed = played.state.table(0).closed();
        assert!(closed.is_some_and(|closed| closed != Closed::Time), "{name}");
    }
}

#[test]
fn a_clock_that_runs_out_closes_the_table_with_its_score() {
    struct Slow(Box<dyn Player<Race>>);
    impl Player<Race> for Slow {
        fn new_game(
            &mut self,
            start: &crate::player::Start<'_, Race>,
        ) -> Result<(), crate::fault::Fault> {
            self.0.new_game(start)
        }
        fn choose(
            &mut self,
            race: &Race,
            view: &cuebench_engine::snooker::PublicView,
            clock: crate::clock::Clock,
        ) -> Result<Action, crate::fault::Fault> {
            std::thread::sleep(Duration::from_millis(40));
            self.0.choose(race, view, clock)
        }
    }
    let race = Race { alone: true, clock_ms: Some(100), ..Race::default() };
    let terms = Terms { free: false, ..Terms::free(Duration::from_millis(100)) };
    let played = play_alone(&race, Seed::open(1), &mut Slow(agent("random")), &terms);
    let result = played.state.result(0);
    assert_eq!((result.closed, result.time_ms), (Closed::Time, 100));
    assert!((1..=2).contains(&result.strokes), "{result:?}");
    assert_eq!(played.seats[0].reason(), "timeout");
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
    let race = Race { alone: true, ..Race::default() };
    let terms = Terms { record: true, ..Terms::free(CLOCK) };
    let mut player = agent(name);
    let mut strokes = vec![];
    for seed in 0..400 {
        let played = play_alone(&race, Seed::open(seed), player.as_mut(), &terms);
        let text = played.record.expect("a record");
        let record: crate::record::Record = serde_json::from_str(&text).expect("a record");
        record
            .replay(&race, |step| {
                let table = step.before.table(0);
                let Action { angle, power } = *step.action;
                let stroke = Stroke::new(angle, power).expect("a stroke");
                strokes.push((*table.table(), *table.balls(), table.launch(stroke)));
            })
            .expect("it replays");
    }
    let (mut playing, mut replaying) = (Duration::MAX, Duration::MAX);
    let mut outcome = Outcome::default();
    for _ in 0..10 {
        let begun = std::time::Instant::now();
        for seed in 0..400 {
            play_alone(&race, Seed::open(seed), player.as_mut(), &Terms::free(CLOCK));
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
