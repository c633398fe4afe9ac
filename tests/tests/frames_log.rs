//! The log of a frame that a player reads.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_engine::frame::{Definition, FramePlay, Game, Teller};
use cuebench_engine::rng::{Purpose, stream};
use cuebench_experiments::frame_log::frame_log;
use rand::RngExt as _;
use std::collections::BTreeMap;

fn shipped() -> Game {
    Game::compile(&Definition::shipped().unwrap()).unwrap()
}

/// A told frame is the frame that was played: the same states, shots and end for 300 frames.
#[test]
fn a_told_frame_is_the_frame_that_was_played() {
    let game = shipped();
    let teller = Teller::new(&game).unwrap();
    let mut outcomes: BTreeMap<String, u32> = BTreeMap::new();
    for index in 0..300 {
        let rng = || stream(8, Purpose::Frames, index);
        let mut choices = stream(8, Purpose::Agent, index);
        let (mut play, mut story) = (FramePlay::new(&game, rng()), teller.begin(rng()));
        let opening = story.told();
        assert_eq!((opening.len(), opening[0].model), (1, "break"));
        while let Some(view) = play.view() {
            assert_eq!(story.view().unwrap().state(), view.state());
            let action = view.action_at(choices.random_range(0..view.action_count())).unwrap();
            play.apply(action);
            story.apply(action);
            let [told] = story.told() else { panic!("one outcome a shot") };
            assert!(told.chance > 0.0 && told.chance < 1.0, "{told:?}");
            *outcomes.entry(told.outcome.to_owned()).or_default() += 1;
        }
        assert!(story.view().is_none() && story.shots() == play.shots());
        assert_eq!(story.result(), play.result());
    }
    // Outcomes that lead to one state, such as a scratch with and without the ball, are told apart.
    assert!(outcomes["pot_scratch"] > 20 && outcomes["miss_scratch"] > 20, "{outcomes:?}");
}

/// Outcomes that the played game folds together come as often as they should.
#[test]
fn folded_outcomes_are_told_with_their_own_chances() {
    let game = shipped();
    let teller = Teller::new(&game).unwrap();
    let (mut shots, mut scratched, mut wanted) = (0.0, 0.0, 0.0);
    for index in 0..3_000 {
        let mut story = teller.begin(stream(3, Purpose::Frames, index));
        while let Some(view) = story.view() {
            story.apply(view.action("call_shot").unwrap());
            let told = &story.told()[0];
            let pot = told.inputs.iter().find(|(name, _)| *name == "p_pot").unwrap();
            wanted += 0.03 * pot.1.number().unwrap();
            shots += 1.0;
            scratched += f64::from(u8::from(told.outcome == "pot_scratch"));
        }
    }
    let z = (scratched - wanted) / f64::sqrt(wanted);
    assert!(z.abs() < 4.0, "{scratched} of {shots}, wanted {wanted}");
}

/// Break, call, difficulty, chance, outcome, leave, who is next, ball in hand, end.
#[test]
fn the_log_of_a_frame_reads_like_one() {
    let game = shipped();
    let mut seen = Vec::new();
    for index in 0..20 {
        let rng = || stream(1, Purpose::Frames, index);
        let mut play = FramePlay::new(&game, rng());
        let mut actions = Vec::new();
        while let Some(view) = play.view() {
            let name = if actions.len() % 3 == 2 { "call_safety" } else { "call_shot" };
            actions.push(name);
            play.apply(view.action(name).unwrap());
        }
        let lines = frame_log(&game, rng(), actions.iter().copied()).unwrap();
        assert_eq!(lines.len(), actions.len() + 2);
        assert!(
            lines[0].starts_with("break") && lines[0].contains(" is at the table"),
            "{lines:#?}"
        );
        assert!(lines.last().unwrap().contains(" wins after "), "{lines:#?}");
        assert!(frame_log(&game, rng(), ["call_shot"; 999]).is_err());
        assert!(frame_log(&game, rng(), ["call_shoot"]).unwrap_err().to_string().contains("shoot"));
        seen.extend(lines);
    }
    for part in [
        "legal pot (55.0 %)",
        "call shot (difficulty 1.5, pot 62.2 %, pos 37.8 %): pot position (22.8 %)",
        "call safety (good 62.2 %): safe good (59.1 %); leave very hard",
        "goes on",
        "is next",
        "leave easy",
        "ball in hand anywhere",
        "ball in hand behind the head string",
        "eight legal",
    ] {
        assert!(seen.iter().any(|line| line.contains(part)), "{part} in {seen:#?}");
    }
    let unfinished = frame_log(&game, stream(1, Purpose::Frames, 0), []).unwrap();
    assert!(unfinished[1].contains("not played to its end"));
}
