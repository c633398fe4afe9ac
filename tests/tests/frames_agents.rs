//! What every agent of frames must do, whoever it is.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_agents::clock::Clock;
use cuebench_agents::frame::{FrameOver, FrameStart, frame_agent, known_agents, policies};
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::frame::{Definition, FramePlay, Game};
use cuebench_engine::rng::{Purpose, stream};

/// Frames a pairing.
const FRAMES: u64 = 2_000;

/// Plays frames step by step; wins of seat 0, and a word for every choice.
fn play(game: &Game, texts: [&AgentSpec; 2], frames: u64) -> (u64, Vec<u8>) {
    let mut agents =
        [0, 1].map(|seat| frame_agent(game, texts[seat], seat, Some(texts[1 - seat])).unwrap());
    let (mut wins, mut choices) = (0, Vec::new());
    for index in 0..frames {
        for (seat, agent) in agents.iter_mut().enumerate() {
            let start = FrameStart { seat: seat as u8, game, clock_ms: 1_000, agent_seed: index };
            agent.new_game(&start).unwrap();
        }
        let mut frame = FramePlay::new(game, stream(4, Purpose::Test, index));
        while let Some(view) = frame.view() {
            let action = agents[view.seat()].choose(&view, Clock::both(1_000)).unwrap();
            let name = view.action_name(action);
            assert!(view.actions().contains(&name), "{name} is not open");
            choices.push(name.len() as u8);
            frame.apply(action);
        }
        let end = frame.result().unwrap();
        wins += u64::from(end.winner == Some(0));
        for (seat, agent) in agents.iter_mut().enumerate() {
            let points = f64::from(u8::from(end.winner == Some(seat as u8)));
            agent.game_over(&FrameOver { points, reason: &end.reason });
        }
    }
    (wins, choices)
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
            let (wins, choices) = play(&game, texts, FRAMES);
            assert_eq!(play(&game, texts, 50).1, choices[..play(&game, texts, 50).1.len()]);
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
    let (_, choices) = play(&game, [&agent, &agent], FRAMES);
    let each = began.elapsed() / FRAMES as u32;
    assert!(choices.len() as u64 > 10 * FRAMES);
    // Unoptimised and on a busy machine: this only catches work that grew by orders of magnitude.
    assert!(each < std::time::Duration::from_millis(5), "{each:?}");
}
