//! How often a reading of the rules changes a frame: the same frames once more with one reading
//! changed.

use super::setup::{NO_LIMIT, Setup};
use crate::experiment::grid::Setting;
use crate::stats::interval::wilson95;
use anyhow::{Context as _, anyhow, bail};
use cuebench_agents::referee::{Terms, play};
use cuebench_agents::roster::Roster as _;
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::chess_pool::game::ChessPool;
use cuebench_engine::game::{Seat, Seed};
use rayon::prelude::*;
use serde::Serialize;
use std::time::Duration;

/// Every reading and its alternative, as options of [`Setup::of`]; the other value is the usual one.
pub const ALTERNATIVES: [(&str, &str); 10] = [
    ("grid", "8x8"),
    ("no_meeting", "slop"),
    ("move_pocketed", "returned"),
    ("win_on_last_swap", "true"),
    ("foul_returns", "false"),
    ("cue_in_hand", "foul"),
    ("break_contact", "apex"),
    ("break_scratch_returns", "false"),
    ("break_foul_chooser", "opponent"),
    ("max_shots", NO_LIMIT),
];

/// What changing one reading does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The option.
    pub option: &'static str,
    /// Its other value.
    pub value: &'static str,
    /// Frames, each played under both values.
    pub frames: u64,
    /// Frames in which any answer was another, or the end.
    pub course_differs: u64,
    /// Frames with another winner, or a winner in place of a draw.
    pub winner_differs: u64,
    /// Wilson's 95 % interval of their share.
    pub winner_differs_low: f64,
    /// Its other end.
    pub winner_differs_high: f64,
    /// The breaker's points a frame here and under the other value; a draw counts one half.
    pub breaker_points: [f64; 2],
    /// Draws here and under the other value.
    pub draws: [u64; 2],
    /// Shots a frame here and under the other value.
    pub mean_shots: [f64; 2],
}

/// A frame as it went.
#[derive(PartialEq)]
struct Course {
    /// Every answer, as the record has it.
    answers: Option<String>,
    winner: Option<Seat>,
    shots: u32,
}

/// Plays `pairs` pairs of frames, each seat breaking one of two, under the usual rules and under
/// each alternative.
///
/// # Errors
/// When an agent cannot be made or fails.
pub fn measure(agents: [&AgentSpec; 2], pairs: u64, seed: u64) -> anyhow::Result<Vec<Change>> {
    let mut setups = vec![Setup::of(&[]).map_err(|error| anyhow!(error))?];
    for (name, value) in ALTERNATIVES {
        let setting = Setting { name: name.to_owned(), value: value.to_owned() };
        setups.push(Setup::of(&[setting]).map_err(|error| anyhow!(error))?);
    }
    let changes: Vec<Vec<Tally>> = (0..2 * pairs)
        .into_par_iter()
        .map(|frame| {
            let breaker = (frame % 2) as Seat;
            let pair_seed = seed.wrapping_add(frame / 2);
            let play = |setup: &Setup| {
                course(setup, agents, breaker, pair_seed).with_context(|| {
                    let [table, readings] = setup.settings();
                    format!("frame {frame}, seed {pair_seed}, {table} {readings}")
                })
            };
            let here = play(&setups[0])?;
            let others = setups[1..].iter();
            others.map(|setup| Ok(Tally::of(&here, &play(setup)?, breaker))).collect()
        })
        .collect::<anyhow::Result<_>>()?;
    let of = |(index, (option, value)): (usize, (&'static str, &'static str))| {
        let mut sum = Tally::default();
        changes.iter().for_each(|frame| sum.add(&frame[index]));
        sum.change(option, value)
    };
    Ok(ALTERNATIVES.into_iter().enumerate().map(of).collect())
}

fn course(
    setup: &Setup,
    agents: [&AgentSpec; 2],
    breaker: Seat,
    seed: u64,
) -> anyhow::Result<Course> {
    let game = ChessPool { table: setup.table, rules: setup.rules, breaker };
    let mut one = game.player(agents[0], 0, Some(agents[1]))?;
    let mut other = game.player(agents[1], 1, Some(agents[0]))?;
    let terms = Terms { record: true, ..Terms::free(Duration::from_secs(3600)) };
    let played = play(&game, Seed::open(seed), [one.as_mut(), other.as_mut()], &terms);
    for (seat, seated) in played.seats.iter().enumerate() {
        if let Some(fault) = &seated.fault {
            bail!("seat {seat} fails: {fault}");
        }
    }
    let frame = played.state.frame();
    Ok(Course { answers: played.record, winner: frame.winner(), shots: frame.shots() })
}

/// Frames compared: whole numbers, so that their order does not matter.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    frames: u64,
    course_differs: u64,
    winner_differs: u64,
    /// The breaker's points, twice.
    points: [u64; 2],
    draws: [u64; 2],
    shots: [u64; 2],
}

impl Tally {
    fn of(here: &Course, other: &Course, breaker: Seat) -> Self {
        let both = [here, other];
        let points =
            |winner: Option<Seat>| winner.map_or(1, |winner| if winner == breaker { 2 } else { 0 });
        Self {
            frames: 1,
            course_differs: u64::from(here != other),
            winner_differs: u64::from(here.winner != other.winner),
            points: both.map(|course| points(course.winner)),
            draws: both.map(|course| u64::from(course.winner.is_none())),
            shots: both.map(|course| u64::from(course.shots)),
        }
    }

    fn add(&mut self, next: &Self) {
        self.frames += next.frames;
        self.course_differs += next.course_differs;
        self.winner_differs += next.winner_differs;
        for side in 0..2 {
            self.points[side] += next.points[side];
            self.draws[side] += next.draws[side];
            self.shots[side] += next.shots[side];
        }
    }

    fn change(self, option: &'static str, value: &'static str) -> Change {
        let frames = self.frames as f64;
        let [low, high] = wilson95(self.winner_differs as f64, frames);
        Change {
            option,
            value,
            frames: self.frames,
            course_differs: self.course_differs,
            winner_differs: self.winner_differs,
            winner_differs_low: low,
            winner_differs_high: high,
            breaker_points: self.points.map(|points| points as f64 / (2.0 * frames)),
            draws: self.draws,
            mean_shots: self.shots.map(|shots| shots as f64 / frames),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuebench_engine::chess_pool::options::Options;

    fn spec(text: &str) -> AgentSpec {
        text.parse().expect("a spec")
    }

    #[test]
    fn every_reading_has_its_alternative() {
        let usual = serde_json::to_value(Options::default()).expect("JSON");
        let mut names: Vec<&str> = ALTERNATIVES.iter().map(|(name, _)| *name).collect();
        for (name, value) in &ALTERNATIVES[..9] {
            let here = &usual[*name];
            assert!(!here.is_null() && here.to_string().trim_matches('"') != *value, "{name}");
        }
        names.retain(|name| *name != "max_shots");
        assert_eq!(names.len(), usual.as_object().map_or(0, serde_json::Map::len));
    }

    /// A fifth of the frames of players at random draw at 200 shots or not at all; the counts of a
    /// frame compared with itself are none.
    #[test]
    fn the_same_frames_are_compared_in_any_number_of_threads() {
        let agents = [&spec("random:aimed=1"), &spec("random")];
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        let changes = one.install(|| measure(agents, 6, 1)).expect("frames");
        assert_eq!(changes, measure(agents, 6, 1).expect("frames"));
        for change in &changes {
            assert_eq!(change.frames, 12);
            assert!(change.winner_differs <= change.course_differs, "{change:?}");
            assert_eq!(change.breaker_points[0], changes[0].breaker_points[0]);
        }
        let grid = &changes[0];
        assert!(grid.course_differs > 0, "legal calls differ on the two grids: {grid:?}");
        let setup = Setup::of(&[]).expect("the usual");
        let [here, again] = [(); 2].map(|()| course(&setup, agents, 0, 3).expect("a frame"));
        let tally = Tally::of(&here, &again, 0);
        assert_eq!([tally.course_differs, tally.winner_differs], [0, 0]);
    }
}
