//! What holds in every frame of chess pool, whoever plays: checked at every step of random frames
//! under random readings of the rules.

use cuebench_agents::player::Player;
use cuebench_agents::record::Record;
use cuebench_agents::referee::{Played, Terms, play};
use cuebench_agents::roster::Roster as _;
use cuebench_engine::chess_pool::action::{Action, Phase};
use cuebench_engine::chess_pool::board::Grid;
use cuebench_engine::chess_pool::call::on_table;
use cuebench_engine::chess_pool::frame::{Rules, State};
use cuebench_engine::chess_pool::game::ChessPool;
use cuebench_engine::chess_pool::notation::{of_outcome, parse};
use cuebench_engine::chess_pool::options::{
    BreakContact, InHand, NoMeeting, Options, Pocketed, SideChooser,
};
use cuebench_engine::chess_pool::piece::{Ball, BallSet};
use cuebench_engine::chess_pool::play::{Event, LastShot};
use cuebench_engine::chess_pool::rack::LONG_STRING_UM;
use cuebench_engine::chess_pool::reason::Reason;
use cuebench_engine::game::Seed;
use cuebench_engine::shot::{Outcome, Stroke};
use cuebench_engine::table::Table;
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// One answer and what it did, as judging it again tells.
struct Step<'a> {
    seat: usize,
    before: &'a State,
    action: &'a Action,
    event: &'a Event,
    shot: &'a LastShot,
    reasons: &'a [Reason],
    after: &'a State,
}

/// Pieces come back only as the rules say: what is on the table after an answer.
fn check_pieces(step: &Step<'_>) {
    let [before, after] = [step.before, step.after].map(|state| on_table(state.balls()));
    let [before, after] = [before, after].map(|set| set.intersection(BallSet::OBJECT_BALLS));
    let (removed, returned) = match step.event {
        Event::Break(verdict) => (verdict.removed, verdict.returned),
        Event::Shot(verdict) => (verdict.removed, verdict.returned),
        Event::Side | Event::King => (BallSet::EMPTY, BallSet::EMPTY),
    };
    assert!(!removed.contains(Ball::KING), "the 8 never leaves the game");
    assert!(removed.intersection(returned).is_empty());
    let (kings, rest) = (after.contains(Ball::KING), after.without(Ball::KING));
    match *step.action {
        Action::King { replace } => {
            assert_eq!(rest, before.without(Ball::KING).without(replace));
            let place = step.before.balls().at[replace.slot()];
            assert_eq!(step.after.balls().at[Ball::KING.slot()], place);
        }
        _ => {
            let mut left = before.without(Ball::KING).difference(removed);
            // A last swap that wins is made at once.
            if step.after.winner().is_some() && left.difference(rest).len() == 1 && kings {
                left = rest;
            }
            assert_eq!(rest, left);
        }
    }
    for ball in returned.iter() {
        // A piece that is put back is on the table when one makes way for the 8. With the last
        // swap it may be the one: then the 8 stands where the piece was put.
        let last_swap = step.after.winner().is_some() && !after.contains(ball);
        let there = if last_swap { Ball::KING } else { ball };
        let at = step.after.balls().at[there.slot()].expect("back on the table");
        assert_eq!(at.y_um, LONG_STRING_UM, "{ball} is put back on the long string");
    }
}

fn check_state(table: &Table, state: &State) {
    table.check(state.balls()).expect("no overlap, nothing off the table");
    let on = on_table(state.balls());
    if state.phase() == Phase::Shot {
        assert!(on.contains(Ball::KING), "the 8 is on the table between turns");
    }
    if state.phase() != Phase::Over {
        assert_eq!(on.contains(Ball::CUE), !state.cue_in_hand());
    }
    let text = serde_json::to_string(state).expect("a state is JSON");
    let read: State = serde_json::from_str(&text).expect(&text);
    assert_eq!(&read, state, "a state reads back as it was written");
}

fn check_turn(table: &Table, step: &Step<'_>, breaker: usize) {
    if let Event::Break(_) | Event::Shot(_) = step.event {
        let shots = step.after.shots();
        assert_eq!(shots, step.before.shots() + 1);
        assert_eq!(step.seat, breaker ^ (shots as usize - 1) & 1, "one shot, then the other");
        let shot = step.shot.finished();
        shot.check(table, &step.shot.before).expect("a shot that can have happened");
        let notes = parse(&of_outcome(&step.shot.outcome)).expect("a record that is read back");
        let pairs = |contacts: &[[Ball; 2]]| -> Vec<[Ball; 2]> {
            contacts.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect()
        };
        assert_eq!(pairs(&notes.contacts), pairs(shot.contacts));
        assert!(!step.shot.outcome.capped, "no shot needs the event cap");
        assert!(step.reasons.len() >= usize::from(shots > 0));
    }
}

fn agent(text: &str) -> Box<dyn Player<ChessPool>> {
    let game = ChessPool::new(Rules::default(), 1000, 750).expect("a table");
    game.player(&text.parse().expect("a spec"), 0, None).expect("an agent")
}

/// Plays a frame and keeps its record.
fn recorded(game: &ChessPool, seed: u64, agents: [&str; 2]) -> (Played<ChessPool>, Record) {
    let [mut one, mut other] = agents.map(agent);
    let terms = Terms { record: true, ..Terms::free(Duration::from_secs(1)) };
    let mut played = play(game, Seed::open(seed), [one.as_mut(), other.as_mut()], &terms);
    let text = played.record.take().expect("a record");
    (played, serde_json::from_str(&text).expect("a record is JSON"))
}

/// Plays a frame and checks every step of it, and that its record leads to the same end.
fn play_checked(game: &ChessPool, seed: u64, agents: [&str; 2]) {
    let (played, record) = recorded(game, seed, agents);
    assert!(played.seats.iter().all(|seated| seated.fault.is_none()));
    let mut last = State::new(game.rules, game.breaker);
    let end = record.replay(game, |step| {
        let (before, after) = (step.before.frame(), step.after.frame());
        assert_eq!(before, &last);
        let (mut again, mut shot, mut reasons) = (*before, LastShot::default(), vec![]);
        let event = again
            .apply_explained(&game.table, step.action, &mut shot, |reason| reasons.push(reason))
            .expect("legal again");
        assert_eq!(&again, after);
        let told = Step {
            seat: step.seat,
            before,
            action: step.action,
            event: &event,
            shot: &shot,
            reasons: &reasons,
            after,
        };
        check_pieces(&told);
        check_state(&game.table, after);
        check_turn(&game.table, &told, game.breaker);
        last = *after;
    });
    assert_eq!(end.expect("it replays").frame(), played.state.frame());
    assert_eq!(last.phase(), Phase::Over);
    let most = game.rules.max_shots.expect("a limit");
    assert!(last.winner().is_some() || last.shots() == most);
    assert!(last.shots() <= most);
}

fn readings() -> impl Strategy<Value = Options> {
    (any::<[bool; 9]>()).prop_map(|on| Options {
        grid: if on[8] { Grid::EightByFour } else { Grid::EightByEight },
        break_contact: if on[0] { BreakContact::Any } else { BreakContact::Apex },
        break_scratch_returns: on[1],
        break_foul_chooser: if on[2] { SideChooser::Breaker } else { SideChooser::Opponent },
        no_meeting: if on[3] { NoMeeting::Move } else { NoMeeting::Slop },
        move_pocketed: if on[4] { Pocketed::Removed } else { Pocketed::Returned },
        win_on_last_swap: on[5],
        foul_returns: on[6],
        cue_in_hand: if on[7] { InHand::Scratch } else { InHand::Foul },
    })
}

const PLAYERS: [&str; 4] = ["random", "random:aimed=0.5", "random:aimed=1", "threshold"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Six frames a case: 2400 in all.
    #[test]
    fn every_step_of_random_frames_keeps_the_rules(
        options in readings(),
        max_shots in 1_u32..60,
        cloth in 500_u32..1500,
        restitution in 600_u32..900,
        players in [0..PLAYERS.len(), 0..PLAYERS.len()],
        seed in any::<u64>(),
    ) {
        let rules = Rules { options, max_shots: Some(max_shots) };
        let game = ChessPool::new(rules, cloth, restitution).expect("a table");
        let agents = players.map(|player| PLAYERS[player]);
        for i in 0..6 {
            let game = ChessPool { breaker: (i % 2) as usize, ..game };
            play_checked(&game, seed.wrapping_add(i), agents);
        }
    }
}

/// 100 000 frames under the usual rules; run it with `cargo test --release -- --ignored`.
#[test]
#[ignore = "100 000 frames: some minutes in a release build"]
fn a_hundred_thousand_frames_keep_the_rules() {
    let game = ChessPool::new(Rules::default(), 1000, 750).expect("a table");
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for seed in (thread..100_000).step_by(threads as usize) {
                    let game = ChessPool { breaker: (seed % 2) as usize, ..game };
                    let player = (seed / 2 % 3) as usize;
                    play_checked(&game, seed, [PLAYERS[player], PLAYERS[2]]);
                }
            });
        }
    });
}

/// Random against random plays at no less than four fifths of the rate at which the engine alone
/// plays the same shots; run it with `cargo test --release -- --ignored`.
#[test]
#[ignore = "a measurement: it wants a release build and a quiet machine"]
fn rules_and_agents_cost_little_beside_the_shots() {
    let game = ChessPool::new(Rules::default(), 1000, 750).expect("a table");
    let table = game.table;
    let [mut one, mut other] = [agent("random"), agent("random")];
    let game_of = |seed: u64| ChessPool { breaker: (seed % 2) as usize, ..game };
    let mut strokes = vec![];
    for seed in 0..500 {
        let (_, record) = recorded(&game_of(seed), seed, ["random", "random"]);
        let replayed = record.replay(&game_of(seed), |step| match *step.action {
            Action::Break { angle, power, .. } | Action::Shot { angle, power, .. } => {
                let stroke = Stroke::new(angle, power).expect("legal");
                strokes.push((step.after.last_shot().before, stroke));
            }
            Action::Side { .. } | Action::King { .. } => {}
        });
        replayed.expect("it replays");
    }
    // The best of several runs, taken in turns, so that a busy moment falls on neither alone.
    let (mut played, mut alone) = (f64::INFINITY, f64::INFINITY);
    let mut outcome = Outcome::default();
    for _ in 0..7 {
        let begun = Instant::now();
        for seed in 0..500 {
            let terms = Terms::free(Duration::from_secs(1));
            let game = game_of(seed);
            play(&game, Seed::open(seed), [one.as_mut(), other.as_mut()], &terms);
        }
        played = played.min(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        for (balls, stroke) in &strokes {
            table.simulate_into(balls, *stroke, &mut outcome).expect("a shot");
        }
        alone = alone.min(begun.elapsed().as_secs_f64());
    }
    let share = alone / played;
    let rate = strokes.len() as f64 / played;
    println!("{rate:.0} shots/s, {share:.3} of the engine's rate on the same shots");
    assert!(share >= 0.8, "{share:.3}");
}
