//! The second game that ships: 9-ball as a definition.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_agents::frame::policies;
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::frame::{BLOCK_FRAMES, Definition, Exact, FrameSummary, Game, Sampler};
use cuebench_tests::workspace;

fn game(settings: &[(&str, &str)]) -> Game {
    let path = workspace().join("engine/games/nineball.yaml");
    let mut definition = Definition::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    settings.iter().for_each(|(name, value)| definition.set(name, value).unwrap());
    Game::compile(&definition).unwrap()
}

fn solve(game: &Game, agents: [&str; 2]) -> Exact {
    let specs: [AgentSpec; 2] = agents.map(|text| text.parse().unwrap());
    let [a, b] = policies(game, [&specs[0], &specs[1]]).unwrap();
    game.solve([&a, &b]).unwrap()
}

#[test]
fn nine_ball_checks_without_a_remark() {
    let review = game(&[]).review();
    assert!(review.warnings.is_empty() && review.not_modelled.is_empty(), "{review:#?}");
}

/// Sampled and exact values agree, for every pair of agents.
#[test]
fn nine_ball_solves_and_samples_alike() {
    let game = game(&[]);
    for agents in [["threshold", "gambler"], ["random", "optimal"], ["gambler", "random"]] {
        let specs: [AgentSpec; 2] = agents.map(|text| text.parse().unwrap());
        let [a, b] = policies(&game, [&specs[0], &specs[1]]).unwrap();
        let exact = game.solve([&a, &b]).unwrap();
        assert!(exact.residual < 1e-11, "{}", exact.residual);
        let sampler = Sampler::new(&game, [&a, &b]).unwrap();
        let mut sum = FrameSummary::default();
        (0..4).for_each(|block| sum.merge(&sampler.block(9, block, BLOCK_FRAMES)));
        let n = sum.frames as f64;
        let z = (sum.win_rate() - exact.p0_win) / (exact.p0_win * (1.0 - exact.p0_win) / n).sqrt();
        let z_shots = (sum.mean_shots() - exact.mean_shots) / sum.mean_shots_se();
        assert!(z.abs() < 4.0 && z_shots.abs() < 4.0, "{agents:?}: {z} {z_shots}");
    }
}

/// Rules in closed form: the 9 on the break wins at once; players who foul on every shot lose by the
/// third foul, in turn, so the seat that shoots first after the break loses.
#[test]
fn nine_ball_has_its_closed_forms() {
    let at_once = game(&[
        ("BREAK.nine", "1"),
        ("BREAK.pot", "0"),
        ("BREAK.dry", "0"),
        ("BREAK.scratch", "0"),
    ]);
    let exact = solve(&at_once, ["threshold", "threshold"]);
    assert_eq!((exact.p0_win, exact.mean_shots), (1.0, 0.0));
    assert_eq!(exact.break_and_run, 1.0);
    let fouls = game(&[("P_FOUL", "1"), ("SAFE_FOUL", "1")]);
    let exact = solve(&fouls, ["gambler", "gambler"]);
    // Seat 0 goes on after a pot on the break, seat 1 begins after a dry or scratched one.
    assert!((exact.p0_win - (0.02 + 0.30 + 0.10)).abs() < 1e-12, "{}", exact.p0_win);
    assert!((exact.mean_shots - 0.98 * 5.0).abs() < 1e-12, "{}", exact.mean_shots);
    assert!((exact.reason("three_fouls") - 0.98).abs() < 1e-12);
}

/// A push-out hands the other seat a choice, and whoever plays best never loses by having it.
#[test]
fn nine_ball_push_out_is_answered_by_the_other_seat() {
    let game = game(&[]);
    let random = solve(&game, ["random", "random"]);
    let mean = |name: &str| random.actions.iter().find(|a| a.action == name).unwrap().mean;
    assert!(mean("push_out") > 0.1);
    assert!((mean("push_out") - mean("take_table") - mean("give_back")).abs() < 1e-12);
    let best = solve(&game, ["optimal", "optimal"]).p0_win;
    assert!(solve(&game, ["optimal", "gambler"]).p0_win >= best - 1e-12);
    assert!(solve(&game, ["threshold", "optimal"]).p0_win <= best + 1e-12);
}
