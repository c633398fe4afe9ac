//! Definitions whose break takes skill and whose leaves are geometry: simulated, calibrated, written,
//! played.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_engine::frame::{Definition, Exact, FrameError, Game};
use cuebench_tests::cuebench;
use serde_json::Value;
use std::path::Path;

fn solve(definition: &Definition) -> Result<Exact, FrameError> {
    let game = Game::compile(definition)?;
    let policies = [game.policy("threshold", &[], 0)?, game.policy("threshold", &[], 1)?];
    game.solve([&policies[0], &policies[1]])
}

/// The JSON of a command that may end with `code`.
fn json(arguments: &[&str], code: i32) -> Value {
    let output = cuebench().args(arguments).arg("--json").output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn estimate<'a>(report: &'a Value, name: &str) -> &'a Value {
    let estimates = report["estimates"].as_array().unwrap();
    let found = estimates.iter().find(|line| line["name"] == name);
    found.unwrap_or_else(|| panic!("{name} in {report}"))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn p_value(report: &Value, part: &str) -> f64 {
    let tests = report["tests"].as_array().unwrap();
    let found = tests.iter().find(|test| test["assumption"].as_str().unwrap().contains(part));
    number(found.unwrap_or_else(|| panic!("{part} in {tests:?}")), "p_value")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// With all break skills 0 the variant is the shipped game to the last digit; a better break wins
/// more.
#[test]
fn each_break_share_can_be_an_expression_of_break_skill() {
    let mut definition = Definition::parse(Definition::BREAK_SKILL).unwrap();
    let base = solve(&definition).unwrap();
    assert!((base.p0_win - 0.491063643740).abs() < 1e-12, "{}", base.p0_win);
    definition.set("break_skill", "1,-3").unwrap();
    let better = solve(&definition).unwrap().p0_win;
    definition.set("break_skill", "-1,3").unwrap();
    let worse = solve(&definition).unwrap().p0_win;
    // The break belongs to seat 0: seat 1's break skill changes nothing.
    assert!(worse < base.p0_win && base.p0_win < better, "{worse} {better}");
    definition.set("break_skill", "1,7").unwrap();
    assert_eq!(solve(&definition).unwrap().p0_win, better);
    let game = Game::compile(&definition).unwrap();
    assert!(game.review().warnings.is_empty(), "{:?}", game.review());
}

/// `simulate-shots` makes breaks of known skill, `calibrate --breaks` finds them and tests them
/// against fixed shares, `--out` writes the shares at break skill 0, `predict` uses them.
#[test]
fn calibrate_breaks_fits_break_skill_and_tests_it_against_fixed_shares() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let (yaml, shots, breaks, out) =
        (file("break.yaml"), file("shots.csv"), file("breaks.csv"), file("out.yaml"));
    std::fs::write(&yaml, Definition::BREAK_SKILL).unwrap();
    let simulate = |skills: &str| {
        let arguments = [
            "simulate-shots",
            "--definition",
            text(&yaml),
            "--players",
            "ann=2.2,bob=1.8,cyd=2",
            "--break-skills",
            skills,
            "--frames",
            "2400",
            "--seed",
            "3",
            "--out",
            text(&shots),
            "--breaks-out",
            text(&breaks),
        ];
        json(&arguments, 0);
    };
    let calibrate = |yaml: &Path, more: &[&str]| {
        let arguments = [
            "calibrate",
            "--definition",
            text(yaml),
            "--shots",
            text(&shots),
            "--breaks",
            text(&breaks),
        ];
        json(&[&arguments[..], more].concat(), 0)
    };
    simulate("ann=0.7,bob=-0.7");
    let report = calibrate(&yaml, &["--out", text(&out)]);
    for (player, truth) in [("ann", 0.7), ("bob", -0.7), ("cyd", 0.0)] {
        let line = estimate(&report, &format!("break_skill.{player}"));
        let z = (number(line, "estimate") - truth) / number(line, "se");
        assert!(z.abs() < 4.0 && number(line, "se") < 0.15, "{player}: {line}");
    }
    for (share, truth) in [("legal_pot", 0.55), ("legal_dry", 0.30), ("scratch", 0.08)] {
        let line = estimate(&report, &format!("BREAK.{share}"));
        assert!((number(line, "estimate") - truth).abs() < 4.0 * number(line, "se"), "{line}");
    }
    assert!(p_value(&report, "fixed shares of the break") < 1e-6);
    assert!(p_value(&report, "against shares of each player's own") > 1e-3);
    let written = Definition::parse(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let share = written.parameter("BREAK.legal_pot").unwrap().number().unwrap();
    assert_eq!(share, number(estimate(&report, "BREAK.legal_pot"), "estimate"));
    // A definition with fixed shares says that they do not serve everybody.
    let shipped = file("shipped.yaml");
    std::fs::write(&shipped, Definition::SHIPPED).unwrap();
    assert!(p_value(&calibrate(&shipped, &[]), "one set of shares") < 1e-6);
    let predicted = json(
        &[
            "predict",
            "--definition",
            text(&yaml),
            "--shots",
            text(&shots),
            "--breaks",
            text(&breaks),
            "--draws",
            "0",
            "--policy",
            "threshold",
            "--players",
            "ann,bob",
        ],
        0,
    );
    assert!(predicted.to_string().contains("breaker_win"), "{predicted}");
    simulate("0");
    let report = calibrate(&yaml, &[]);
    assert!(p_value(&report, "fixed shares of the break") > 1e-3);
    let refused = cuebench().args(["simulate-shots", "--break-skills", "1"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("takes no skill"));
}

/// Leaves of geometry: the variant is a game, its points can be replaced, and those with no spread
/// are the same as a difficulty.
#[test]
fn a_leave_can_take_its_difficulty_from_geometry() {
    let mut definition = Definition::parse(Definition::GEOMETRY).unwrap();
    let game = Game::compile(&definition).unwrap();
    assert!(game.states() > 4_000, "{}", game.states());
    assert!(
        game.review().warnings.iter().all(|w| w.contains("model break")),
        "{:?}",
        game.review()
    );
    let error = definition.parameter("SPOT_ERROR").unwrap().number().unwrap();
    assert!(error > 0.0 && error < 0.005, "{error}");
    // Every point at b0 alone, and b0 the shipped difficulty: the shipped game.
    let mut plain = Definition::shipped().unwrap();
    for name in ["b1", "b2", "b3"] {
        definition.set_number(name, 0.0).unwrap();
    }
    definition.set_number("b0", 1.1).unwrap();
    for leave in ["easy", "medium", "hard", "bih_anywhere"] {
        plain.set_number(&format!("D.{leave}"), 1.1).unwrap();
    }
    let (flat, plain) = (solve(&definition).unwrap(), solve(&plain).unwrap());
    assert!((flat.p0_win - plain.p0_win).abs() < 1e-12, "{} {}", flat.p0_win, plain.p0_win);
    assert!((flat.mean_shots - plain.mean_shots).abs() < 1e-9);
}

/// The shipped variant with two points a leave, which makes a smaller game.
fn two_points() -> String {
    let mut text = String::new();
    for line in Definition::GEOMETRY.lines() {
        let points = line.trim_start().split_once(": [[").filter(|_| line.contains("], ["));
        match points {
            Some((leave, points)) => {
                let two: Vec<&str> = points.split("], [").take(2).collect();
                text += &format!("    {leave}: [[{}], [{}]]\n", two[0], two[1]);
            }
            None => text += &(line.to_owned() + "\n"),
        }
    }
    let text = text.replace("type: 0..5", "type: 0..1");
    text.replace("die_x: \"[0, 1, 2, 3, 4, 5]\"", "die_x: \"[0, 1]\"")
}

/// `calibrate --shots physics.csv --out x.yaml` writes geometry with a stated error; `check`, `solve`,
/// `frames` and `predict` take it.
#[test]
fn a_log_with_geometry_becomes_a_definition_that_plays() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let (physics, out, base) = (file("physics.csv"), file("x.yaml"), file("base.yaml"));
    std::fs::write(&base, two_points()).unwrap();
    let players = "ann=1.8,bob=2.4";
    json(
        &[
            "simulate-shots",
            "--physics",
            "--players",
            players,
            "--frames",
            "150",
            "--seed",
            "5",
            "--out",
            text(&physics),
        ],
        0,
    );
    let report = json(
        &["calibrate", "--definition", text(&base), "--shots", text(&physics), "--out", text(&out)],
        0,
    );
    let definition = Definition::parse(&std::fs::read_to_string(&out).unwrap()).unwrap();
    for name in ["b1", "b2", "b3"] {
        let written = definition.parameter(name).unwrap().number().unwrap();
        assert_eq!(written, number(estimate(&report, name), "estimate"), "{name}");
    }
    let error = definition.parameter("SPOT_ERROR").unwrap().number().unwrap();
    let notes = report["notes"].to_string();
    assert!(error > 0.0 && error < 0.03 && notes.contains("off by at most"), "{error} {notes}");
    // The leave with most shots is as hard on average as the definition says.
    let value = |name: String| definition.parameter(&name).unwrap().number().unwrap();
    let mean = |leave: &str| {
        let difficulty = |i: usize| {
            let part = |j: usize| value(format!("SPOTS.{leave}.{i}.{j}"));
            value("b0".into())
                + value("b1".into()) * part(0)
                + value("b2".into()) * part(1)
                + value("b3".into()) * part(2)
        };
        (difficulty(0) + difficulty(1)) / 2.0
    };
    let off = ["easy", "medium", "hard"].map(|l| (mean(l) - value(format!("D.{l}"))).abs());
    assert!(off.iter().any(|off| *off < 0.01), "{off:?}");
    // An easy leave is easier than a hard one, as the shots of the log were.
    assert!(mean("easy") < mean("medium") && mean("medium") < mean("hard"), "{definition:?}");
    let report = json(&["check", text(&out)], 0);
    assert!(report["states"].as_u64().unwrap() > 1_087);
    let exact = json(&["solve", "--definition", text(&out), "--agents", "threshold,optimal"], 0);
    let sampled = json(
        &[
            "frames",
            "--definition",
            text(&out),
            "--agents",
            "threshold,optimal",
            "--frames",
            "200000",
            "--seed",
            "2",
        ],
        0,
    );
    let (p, n) = (number(&exact, "p0_win"), 200_000.0);
    let z = (number(&sampled, "win_rate") - p) / (p * (1.0 - p) / n).sqrt();
    assert!(z.abs() < 4.0, "{z}");
    let predicted = json(
        &[
            "predict",
            "--definition",
            text(&out),
            "--shots",
            text(&physics),
            "--players",
            "ann,bob",
            "--policy",
            "threshold",
            "--draws",
            "0",
        ],
        0,
    );
    assert_eq!(predicted["predictions"].as_array().unwrap().len(), 6, "{predicted}");
    // Without a definition the shipped variant with geometry takes the numbers.
    json(&["calibrate", "--shots", text(&physics), "--out", text(&out)], 0);
    let six = Definition::parse(&std::fs::read_to_string(&out).unwrap()).unwrap();
    assert!(six.parameter("SPOTS.easy.5.0").is_some());
    assert!(six.parameter("SPOT_ERROR").unwrap().number().unwrap() < error);
    let refused = cuebench()
        .args(["predict", "--shots", text(&physics), "--players", "ann,bob"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
}
