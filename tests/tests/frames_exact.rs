//! Exact values of the shipped definition against figures computed elsewhere (30-digit
//! arithmetic, a model checker's exact rationals), and of small games against closed forms.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_agents::frame::policies;
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::frame::{Definition, Exact, Game, Sampler};

fn game(settings: &[(&str, &str)]) -> Game {
    let mut definition = Definition::shipped().unwrap();
    settings.iter().for_each(|(name, value)| definition.set(name, value).unwrap());
    Game::compile(&definition).unwrap()
}

fn solve(game: &Game, agents: [&str; 2]) -> Exact {
    let specs: [AgentSpec; 2] = agents.map(|text| text.parse().unwrap());
    let [a, b] = policies(game, [&specs[0], &specs[1]]).unwrap();
    game.solve([&a, &b]).unwrap()
}

fn near(value: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!((value - wanted).abs() <= tolerance, "{what}: {value}, not {wanted}");
}

#[test]
fn published_pairings() {
    for (agents, skills, win, shots, attacks, safeties, switches) in [
        (
            ["threshold", "threshold"],
            "2,2",
            0.491063643740,
            26.4518478243,
            15.58956,
            10.86229,
            15.69610,
        ),
        (
            ["threshold", "always_attack"],
            "2,2",
            0.536933174837,
            21.0529969865,
            18.60055,
            2.45245,
            10.27045,
        ),
        (
            ["threshold", "threshold"],
            "3,1",
            0.968421196423,
            14.9285256217,
            10.49797,
            4.43056,
            6.89239,
        ),
        (["optimal", "optimal"], "2,2", 0.490978476713, 24.4604321959, 16.39248, 8.06796, 13.70959),
        (
            ["optimal", "threshold"],
            "2,2",
            0.495309846806,
            25.4905177538,
            15.97513,
            9.51539,
            14.73753,
        ),
    ] {
        let game = game(&[("skill", skills)]);
        assert_eq!(game.states(), 1087);
        let exact = solve(&game, agents);
        near(exact.p0_win, win, 1e-12, "win");
        near(exact.mean_shots, shots, 1e-9, "shots");
        let count = |action| exact.actions.iter().find(|a| a.action == action).unwrap().mean;
        near(count("call_shot"), attacks, 5e-6, "attacks");
        near(count("call_safety"), safeties, 5e-6, "safeties");
        near(exact.mean_innings - 1.0, switches, 5e-6, "switches");
        assert!(exact.residual < 1e-12, "{}", exact.residual);
    }
}

/// Reasons and winners; weak players; ties of the threshold.
#[test]
fn published_details() {
    let base = game(&[]);
    for (agents, legal0, foul0, legal1, foul1) in [
        (["always_attack", "always_attack"], 0.474973703, 0.015310097, 0.495026297, 0.014689903),
        (["threshold", "always_attack"], 0.523111893, 0.013821282, 0.446888107, 0.016178718),
        (["always_attack", "threshold"], 0.428891040, 0.016735331, 0.541108960, 0.013264669),
    ] {
        let exact = solve(&base, agents);
        let [foul, legal] = &exact.win_reasons[..] else { panic!("two reasons") };
        assert_eq!((foul.reason.as_str(), legal.reason.as_str()), ("eight_foul", "eight_legal"));
        // The published figures carry eight digits.
        for (value, wanted) in
            [(legal.seat0, legal0), (foul.seat0, foul0), (legal.seat1, legal1), (foul.seat1, foul1)]
        {
            near(value, wanted, 2e-8, "reason");
        }
    }
    assert_eq!(game(&[("break_scratch_bih", "anywhere")]).states(), 1086);
    near(
        solve(&game(&[("skill", "1,1")]), ["threshold", "threshold"]).mean_shots,
        186.7,
        0.05,
        "weak",
    );
    near(
        solve(&game(&[("skill", "1,1")]), ["always_attack", "always_attack"]).mean_shots,
        34.9,
        0.05,
        "weak",
    );
    let weak = game(&[("skill", "1,2")]);
    near(solve(&weak, ["threshold", "threshold"]).p0_win, 0.0356, 5e-5, "weak");
    near(solve(&weak, ["best_response", "threshold"]).p0_win, 0.1058, 5e-5, "weak");
}

#[test]
fn best_policies() {
    let game = game(&[]);
    // The threshold is a best answer to attacking always, so the answer is worth as much.
    near(solve(&game, ["best_response", "always_attack"]).p0_win, 0.536933174837, 1e-12, "answer");
    near(solve(&game, ["best_response", "threshold"]).p0_win, 0.495309846806, 1e-12, "answer");
    near(solve(&game, ["optimal", "best_response"]).p0_win, 0.490978476713, 1e-12, "answer");
    let specs: [AgentSpec; 2] = ["optimal", "threshold"].map(|text| text.parse().unwrap());
    let mut differences = 0;
    for seat in 0..2 {
        let policy = |spec: &AgentSpec| policies(&game, [spec, spec]).unwrap()[seat].clone();
        let (best, threshold) = (policy(&specs[0]), policy(&specs[1]));
        differences += game
            .views()
            .filter(|view| view.seat() == seat)
            .filter(|view| best.pure_action(view) != threshold.pure_action(view))
            .count();
    }
    assert_eq!(differences, 68);
    // Looking far ahead comes to the same as iterating policies.
    near(
        solve(&game, ["search:depth=300", "search:depth=300"]).p0_win,
        0.490978476713,
        1e-9,
        "search",
    );
}

/// Every constant is reached, and moves the win rate as published: central differences.
#[test]
fn published_gradients() {
    for (name, value, slope) in [
        ("skill[0]", 2.0, 0.485706),
        ("skill[1]", 2.0, -0.482112),
        ("D.easy", 0.0, -0.005054),
        ("D.medium", 1.5, -0.001766),
        ("D.hard", 3.0, 0.0),
        ("D.very_hard", 4.5, 0.0),
        ("D.bih_anywhere", -0.5, 0.000070),
        ("D.bih_kitchen", 1.0, 0.003893),
        ("G", 1.0, -0.005427),
        ("POS_REQ", 1.0, -0.005427),
        ("A0", 1.5, -0.000737),
        ("P_SCRATCH", 0.03, 0.010563),
        ("SAFE_FOUL", 0.05, -0.003190),
    ] {
        let h = 1e-4;
        let at = |value: f64| {
            let mut definition = Definition::shipped().unwrap();
            definition.set_number(name, value).unwrap();
            solve(&Game::compile(&definition).unwrap(), ["threshold", "threshold"]).p0_win
        };
        near((at(value + h) - at(value - h)) / (2.0 * h), slope, 2e-6, name);
    }
}

/// What the frame is worth after each outcome of the break.
#[test]
fn published_values_of_the_break() {
    for (outcome, worth) in [
        ("legal_pot", 0.513792848),
        ("legal_dry", 0.462554841),
        ("illegal", 0.462554841),
        ("scratch", 0.438569705),
        ("eight", 0.537445159),
    ] {
        let mut definition = Definition::shipped().unwrap();
        for name in ["legal_pot", "legal_dry", "illegal", "scratch", "eight"] {
            let p = if name == outcome { 1.0 } else { 0.0 };
            definition.set_number(&format!("BREAK.{name}"), p).unwrap();
        }
        let game = Game::compile(&definition).unwrap();
        near(solve(&game, ["threshold", "threshold"]).p0_win, worth, 1e-9, outcome);
    }
}

/// A scratch on the 8 is as likely as on any shot, whoever plays how.
#[test]
fn the_eight_is_lost_as_often_as_any_ball_is_scratched() {
    for settings in [
        &[("P_SCRATCH", "0.03")][..],
        &[("P_SCRATCH", "0.11"), ("skill", "0.5,3"), ("break_scratch_bih", "anywhere")],
        &[("P_SCRATCH", "0.002"), ("D.easy", "2"), ("SAFE_FOUL", "0.3"), ("A0", "-1")],
    ] {
        let game = game(settings);
        let wanted: f64 = settings[0].1.parse().unwrap();
        for agents in [
            ["always_attack", "random"],
            ["optimal", "search:depth=3"],
            ["threshold:tau=0.3", "best_response"],
        ] {
            let exact = solve(&game, agents);
            near(exact.reason("eight_foul"), wanted, 1e-12, "eight_foul");
            near(exact.reason("eight_legal"), 1.0 - wanted, 1e-12, "eight_legal");
        }
    }
}

/// Another leave and another outcome, in another file: the change runs with no rebuild. With the
/// new outcome impossible, nothing changes; with it certain, the numbers do.
#[test]
fn an_edited_copy_is_another_game() {
    let edited = Definition::SHIPPED
        .replace("bih_kitchen: 1.0}", "bih_kitchen: 1.0, snookered: 6.0}\n  HIDE: 0.0")
        .replace("bih_anywhere, bih_kitchen]", "bih_anywhere, bih_kitchen, snookered]")
        .replace("safe_good, safe_poor]\"", "safe_good, safe_poor, hidden]\"")
        .replace("p_x: \"p_good * (1 - SAFE_FOUL)\"", "p_x: \"p_good * (1 - SAFE_FOUL) * (1 - HIDE)\"")
        .replace(
            "      - {id: safe_poor,",
            "      - {id: hidden, p_x: \"p_good * (1 - SAFE_FOUL) * HIDE\", effect: [{op: set, var: result, value: hidden}]}\n      - {id: safe_poor,",
        )
        .replace(
            "      - op: if\n        cond: \"the safety leaves",
            "      - op: if\n        cond_x: \"result == 'hidden'\"\n        then: [{op: set, var: leave, value: snookered}, {op: set, var: inning_over, value: true}]\n      - op: if\n        cond: \"the safety leaves",
        );
    let mut definition = Definition::parse(&edited).unwrap();
    let same = Game::compile(&definition).unwrap();
    assert_eq!(same.states(), 1087);
    near(solve(&same, ["threshold", "threshold"]).p0_win, 0.491063643740, 1e-12, "same");
    definition.set("HIDE", "0.5").unwrap();
    let other = Game::compile(&definition).unwrap();
    assert!(other.states() > 1087);
    let exact = solve(&other, ["optimal", "always_attack"]);
    near(exact.reason("eight_foul"), 0.03, 1e-12, "eight_foul");
    // All of it certain is the same as a leave that is harder.
    definition.set("HIDE", "1").unwrap();
    let harder = game(&[("D.very_hard", "6.0")]);
    near(
        solve(&Game::compile(&definition).unwrap(), ["optimal", "always_attack"]).p0_win,
        solve(&harder, ["optimal", "always_attack"]).p0_win,
        1e-12,
        "harder",
    );
}

/// Seat by seat one throw at a coin that comes up with chance `p`; `q` of the others end in a draw.
const THROWS: &str = r#"
game: throws
constants: {P: 0.25, Q: 0.125}
state:
  vars:
    turn: {scope: global, type: ref, init: 0}
    over: {scope: global, type: "enum[none, won, drawn]", init: none}
    face: {scope: global, type: "enum[none, six, other]", init: none}
flow:
  kind: loop
  children:
    - {kind: step, actor_x: turn, do: [throw_high, throw_low]}
    - {kind: step, do: judge}
    - {kind: loop, id: until_six, until_x: "face == 'six'", children: [{kind: step, do: spin}]}
    - {kind: step, do: pass}
actions:
  throw_high: {effect: [{op: sample, model: throw}]}
  throw_low: {pre_x: "P > 1", effect: [{op: sample, model: throw}]}
  judge: {effect: [{op: set, var: face, value: none}]}
  spin:
    effect:
      - {op: roll, die_x: "['six', 'other', 'other']", bind: side}
      - {op: set, var: face, value_x: side}
  pass: {effect: [{op: set, var: turn, value_x: "1 - turn"}]}
outcomes:
  throw:
    outcomes:
      - {id: hit, p_x: P, effect: [{op: set, var: over, value: won}]}
      - {id: tie, p_x: (1 - P) * Q, effect: [{op: set, var: over, value: drawn}]}
      - {id: go_on, p_x: (1 - P) * (1 - Q)}
end:
  - {id: won, if_x: "over == 'won'", who_x: turn, result: win}
  - {id: drawn, if_x: "over == 'drawn'", result: draw}
"#;

/// A game with draws, a forced choice and a loop that chance alone ends, against its closed form.
#[test]
fn a_game_of_throws_has_its_closed_form() {
    let definition = Definition::parse(THROWS).unwrap();
    let game = Game::compile(&definition).unwrap();
    let (p, q) = (0.25, 0.125);
    let on = (1.0 - p) * (1.0 - q);
    let random = game.random_policy();
    let exact = game.solve([&random, &random]).unwrap();
    near(exact.p0_win, p / (1.0 - on * on), 1e-14, "win");
    near(exact.draw, (1.0 - p) * q / (1.0 - on), 1e-14, "draw");
    near(exact.break_and_run, p, 1e-14, "first inning");
    near(exact.mean_innings, 1.0 / (1.0 - on), 1e-14, "innings");
    let sampler = Sampler::new(&game, [&random, &random]).unwrap();
    let summary = sampler.block(3, 0, 60_000);
    let z = |count: u64, p: f64| (count as f64 - 60_000.0 * p) / (60_000.0 * p * (1.0 - p)).sqrt();
    assert!(z(summary.wins0, exact.p0_win).abs() < 4.0 && z(summary.draws, exact.draw).abs() < 4.0);
}

/// Shots stand in for whole-number columns of a table elsewhere, so their sums are compared too.
#[test]
fn numbers_written_back_run() {
    let text = Definition::SHIPPED;
    let changes = [("D.hard".to_owned(), 2.25), ("G".to_owned(), 0.9), ("skill".to_owned(), 2.5)];
    let rewritten = Definition::rewrite(text, &changes).unwrap();
    let lines = text.lines().zip(rewritten.lines()).filter(|(a, b)| a != b).count();
    assert_eq!(lines, 3, "only the numbers' lines change");
    let written = solve(
        &Game::compile(&Definition::parse(&rewritten).unwrap()).unwrap(),
        ["optimal", "threshold"],
    );
    let set = solve(
        &game(&[("D.hard", "2.25"), ("G", "0.9"), ("skill", "2.5")]),
        ["optimal", "threshold"],
    );
    assert_eq!(written.p0_win, set.p0_win);
    // One seat's number makes a list of the first value.
    let seats = [("skill[0]".to_owned(), 1.0), ("skill[1]".to_owned(), 3.0)];
    let rewritten = Definition::rewrite(text, &seats).unwrap();
    let written = Game::compile(&Definition::parse(&rewritten).unwrap()).unwrap();
    let set = game(&[("skill", "1,3")]);
    let agents = ["threshold", "threshold"];
    assert_eq!(solve(&written, agents).p0_win, solve(&set, agents).p0_win);
    assert!(
        Definition::rewrite(text, &[("D.hrad".to_owned(), 1.0)])
            .unwrap_err()
            .to_string()
            .contains("did you mean `hard`")
    );
}
