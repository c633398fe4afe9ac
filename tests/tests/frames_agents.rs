//! What every agent of frames must do, whoever it is.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_agents::frame::{known_agents, policies};
use cuebench_agents::record::Record;
use cuebench_agents::referee::{Terms, play as referee};
use cuebench_agents::roster::Roster as _;
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::frame::{Definition, FramePlay, Game};
use cuebench_engine::game::{Game as _, Seed};
use cuebench_engine::rng::{Purpose, stream};
use std::time::Duration;

/// Frames a pairing.
const FRAMES: u64 = 2_000;

/// Plays frames; wins of seat 0, and the records.
fn play(game: &Game, texts: [&AgentSpec; 2], frames: u64) -> (u64, Vec<String>) {
    let [mut one, mut two] =
        [0, 1].map(|seat| game.player(texts[seat], seat, Some(texts[1 - seat])).unwrap());
    let (mut wins, mut records) = (0, Vec::new());
    let terms = Terms { record: true, ..Terms::free(Duration::from_secs(1)) };
    for seed in 0..frames {
        let played = referee(game, Seed::open(seed), [one.as_mut(), two.as_mut()], &terms);
        assert!(played.seats.iter().all(|seated| seated.fault.is_none()));
        wins += u64::from(played.points(0) == Some(1.0));
        records.push(played.record.unwrap());
    }
    (wins, records)
}

/// Against a partner that mixes, in both seats: only open actions, the same choices again, and as
/// many wins as the exact values say.
#[test]
fn every_agent_plays_by_the_rules_and_to_its_value() {
    let game = Game::compile(&Definition::shipped().unwrap()).unwrap();
    let partner: AgentSpec = "random".parse().unwrap();
    for name in known_agents(&game) {
        let agent: AgentSpec = name.parse().unwrap();
        for texts in [[&agent, &partner], [&partner, &agent]] {
            let (wins, records) = play(&game, texts, FRAMES);
            assert_eq!(play(&game, texts, 50).1, records[..50]);
            let record: Record = serde_json::from_str(&records[7]).unwrap();
            let end = record.replay(&game, |_| ()).unwrap();
            assert!(game.verdict(&end).is_some(), "the record leads to the end of the frame");
            let [a, b] = policies(&game, texts).unwrap();
            let p = game.solve([&a, &b]).unwrap().p0_win;
            let n = FRAMES as f64;
            let z = (wins as f64 - n * p) / (n * p * (1.0 - p)).sqrt();
            assert!(z.abs() < 4.0, "{} against {}: {z}", texts[0], texts[1]);
        }
    }
}

/// The public state that bots are sent.
#[test]
fn the_view_is_the_state_of_the_protocol() {
    let mut definition = Definition::shipped().unwrap();
    definition.set("skill", "2.5,1.5").unwrap();
    let game = Game::compile(&definition).unwrap();
    let frame = FramePlay::new(&game, stream(1, Purpose::Test, 0));
    let view = frame.view().unwrap();
    let state = serde_json::to_value(view).unwrap();
    for key in ["shooter", "leave", "group", "left", "target", "skills", "parameters", "actions"] {
        assert!(!state[key].is_null(), "{key} in {state}");
    }
    assert_eq!(state["skills"], serde_json::json!([2.5, 1.5]));
    assert_eq!(state["actions"], serde_json::json!(["call_shot", "call_safety"]));
    assert_eq!(state["group"], serde_json::json!(["open", "open"]));
    assert_eq!(state["target"], "open");
    assert_eq!(state["parameters"]["D.hard"], 3.0);
    assert_eq!(state["shooter"], view.seat());
    for hidden in ["called", "result"] {
        assert!(state[hidden].is_null(), "{hidden} can no longer matter");
    }
}

/// A frame costs little beside what its agents think.
#[test]
fn stepping_through_a_frame_is_cheap() {
    let game = Game::compile(&Definition::shipped().unwrap()).unwrap();
    let agent: AgentSpec = "threshold".parse().unwrap();
    let began = std::time::Instant::now();
    let (_, records) = play(&game, [&agent, &agent], FRAMES);
    let each = began.elapsed() / FRAMES as u32;
    assert_eq!(records.len() as u64, FRAMES);
    // Unoptimised and on a busy machine: this only catches work that grew by orders of magnitude.
    assert!(each < std::time::Duration::from_millis(5), "{each:?}");
}
