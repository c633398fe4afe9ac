//! What holds in every frame of chess pool, whoever plays: checked at every step of random frames
//! under random readings of the rules.

use cuebench_agents::chess_pool::{
    Frame, FrameResult, Step, chess_pool_agent, play_frame, watch_frame,
};
use cuebench_engine::chess_pool::action::{Action, Phase};
use cuebench_engine::chess_pool::call::on_table;
use cuebench_engine::chess_pool::frame::{Rules, State};
use cuebench_engine::chess_pool::options::{
    BreakContact, InHand, NoMeeting, Options, Pocketed, SideChooser,
};
use cuebench_engine::chess_pool::piece::{Ball, BallSet};
use cuebench_engine::chess_pool::play::{Event, pool_table};
use cuebench_engine::chess_pool::rack::LONG_STRING_UM;
use cuebench_engine::shot::{Outcome, Stroke};
use cuebench_engine::table::Table;
use proptest::prelude::*;
use std::time::Instant;

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
        // With the last swap a piece that was just put back may make way for the 8.
        if step.after.winner().is_some() && !after.contains(ball) {
            continue;
        }
        let at = step.after.balls().at[ball.slot()].expect("back on the table");
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

fn check_turn(step: &Step<'_>, breaker: usize) {
    if let Event::Break(_) | Event::Shot(_) = step.event {
        let shots = step.after.shots();
        assert_eq!(shots, step.before.shots() + 1);
        assert_eq!(step.seat, breaker ^ (shots as usize - 1) & 1, "one shot, then the other");
        assert!(!step.shot.outcome.capped, "no shot needs the event cap");
        assert!(step.reasons.len() >= usize::from(shots > 0));
    }
}

/// Plays a frame and checks every step of it.
fn play_checked(frame: &Frame<'_>, agents: [&str; 2]) -> FrameResult {
    let [mut one, mut other] =
        agents.map(|text| chess_pool_agent(&text.parse().expect("a spec")).expect("an agent"));
    let mut last = State::new(frame.rules, frame.breaker);
    let result = watch_frame(frame, [one.as_mut(), other.as_mut()], |step| {
        assert_eq!(step.before, &last);
        check_pieces(step);
        check_state(frame.table, step.after);
        check_turn(step, frame.breaker);
        last = *step.after;
    });
    assert_eq!(result.fault, None);
    assert_eq!(last.phase(), Phase::Over);
    assert!(result.winner.is_some() || result.shots == frame.rules.max_shots);
    assert!(result.shots <= frame.rules.max_shots);
    result
}

fn readings() -> impl Strategy<Value = Options> {
    (any::<[bool; 8]>()).prop_map(|on| Options {
        break_contact: if on[0] { BreakContact::Any } else { BreakContact::Apex },
        break_scratch_returns: on[1],
        break_foul_chooser: if on[2] { SideChooser::Breaker } else { SideChooser::Opponent },
        no_meeting: if on[3] { NoMeeting::Slop } else { NoMeeting::Move },
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
        let table = pool_table(cloth, restitution).expect("a table");
        let rules = Rules { options, max_shots };
        let agents = players.map(|player| PLAYERS[player]);
        for i in 0..6 {
            let agent_seed = seed.wrapping_add(i);
            let frame = Frame { table: &table, rules, breaker: (i % 2) as usize, agent_seed };
            play_checked(&frame, agents);
        }
    }
}

/// 100 000 frames under the usual rules; run it with `cargo test --release -- --ignored`.
#[test]
#[ignore = "100 000 frames: some minutes in a release build"]
fn a_hundred_thousand_frames_keep_the_rules() {
    let table = pool_table(1000, 750).expect("a table");
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let table = &table;
            scope.spawn(move || {
                for agent_seed in (thread..100_000).step_by(threads as usize) {
                    let rules = Rules::default();
                    let breaker = (agent_seed % 2) as usize;
                    let frame = Frame { table, rules, breaker, agent_seed };
                    let player = (agent_seed / 2 % 3) as usize;
                    play_checked(&frame, [PLAYERS[player], PLAYERS[2]]);
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
    let table = pool_table(1000, 750).expect("a table");
    let agent = || chess_pool_agent(&"random".parse().expect("a spec")).expect("an agent");
    let [mut one, mut other] = [agent(), agent()];
    let frame = |agent_seed: u64| Frame {
        table: &table,
        rules: Rules::default(),
        breaker: (agent_seed % 2) as usize,
        agent_seed,
    };
    let mut strokes = vec![];
    for seed in 0..500 {
        watch_frame(&frame(seed), [one.as_mut(), other.as_mut()], |step| match *step.action {
            Action::Break { angle, power, .. } | Action::Shot { angle, power, .. } => {
                let stroke = Stroke::new(angle, power).expect("legal");
                strokes.push((step.shot.before, stroke));
            }
            Action::Side { .. } | Action::King { .. } => {}
        });
    }
    // The best of several runs, taken in turns, so that a busy moment falls on neither alone.
    let (mut played, mut alone) = (f64::INFINITY, f64::INFINITY);
    let mut outcome = Outcome::default();
    for _ in 0..7 {
        let begun = Instant::now();
        for seed in 0..500 {
            play_frame(&frame(seed), [one.as_mut(), other.as_mut()]);
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
