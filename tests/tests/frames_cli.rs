//! The commands on frames, as a user types them.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_tests::{cuebench, workspace};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

fn run(arguments: &[&str]) -> Output {
    cuebench().args(arguments).output().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Exit code 2, nothing on standard output, one line on standard error with all of `parts`.
fn refused(arguments: &[&str], parts: &[&str]) {
    let output = run(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    for part in parts {
        assert!(error.contains(part), "{arguments:?}: no `{part}` in {error}");
    }
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

#[test]
fn solve_prints_exact_values() {
    let exact = json(&["solve", "--agents", "threshold,threshold", "--skills", "2,2", "--json"]);
    assert!((number(&exact, "p0_win") - 0.491063643740).abs() < 1e-11);
    assert!((number(&exact, "mean_shots") - 26.4518478243).abs() < 1e-9);
    assert!((number(&exact, "eight_foul") - 0.03).abs() < 1e-12);
    assert!((number(&exact, "eight_legal") - 0.97).abs() < 1e-12);
    assert_eq!(exact["states"], 1087);
    assert!(number(&exact, "residual") < 1e-12 && number(&exact, "break_and_run") > 0.0);
    let set = ["solve", "--set", "break_scratch_bih=anywhere", "--set", "P_SCRATCH=0.01", "--json"];
    let other = json(&set);
    assert!((number(&other, "eight_foul") - 0.01).abs() < 1e-12);
    assert_eq!(other["states"], 1086);
    let words = run(&["solve"]);
    assert!(String::from_utf8_lossy(&words.stdout).contains("0.491063643740"));
}

#[test]
fn solve_writes_a_row_a_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("states.csv");
    json(&["solve", "--agents", "optimal,threshold", "--states", path.to_str().unwrap(), "--json"]);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    let heads = lines.next().unwrap();
    assert!(heads.starts_with("shooter,group[0],group[1],left.solids"), "{heads}");
    assert!(heads.ends_with(",seat,action,p0_win"), "{heads}");
    assert_eq!(lines.count(), 1087);
    assert_eq!(text.lines().filter(|line| line.contains(",call_s")).count(), 1087);
}

/// The same counts at any number of threads, and in agreement with the exact values.
#[test]
fn frames_are_the_same_at_any_number_of_threads() {
    let play = |threads: &str| {
        let mut report = json(&[
            "frames",
            "--agents",
            "threshold,always_attack",
            "--frames",
            "400000",
            "--seed",
            "5",
            "--threads",
            threads,
            "--json",
        ]);
        assert!(number(&report, "frames_per_s") > 0.0);
        report.as_object_mut().unwrap().remove("frames_per_s");
        report
    };
    let one = play("1");
    assert_eq!(one, play("2"));
    assert_eq!(one, play("7"));
    let (n, p) = (400_000.0, 0.536933174837_f64);
    assert!((number(&one, "win_rate") - p).abs() < 4.0 * (p * (1.0 - p) / n).sqrt());
    let shots = (number(&one, "mean_shots") - 21.0529969865) / number(&one, "mean_shots_se");
    assert!(shots.abs() < 4.0, "{shots}");
    assert!((number(&one, "eight_foul") - 0.03).abs() < 4.0 * (0.03 * 0.97 / n).sqrt());
    let interval = one["ci95"].as_array().unwrap();
    assert!(interval[0].as_f64().unwrap() < number(&one, "win_rate"));
    assert_eq!(one["frames"], 400_000);
}

#[test]
fn check_tells_what_a_definition_is() {
    let file = workspace().join("engine/games/eightball.yaml");
    let report = json(&["check", file.to_str().unwrap(), "--json"]);
    assert_eq!(report["states"], 1087);
    assert_eq!(report["parameters"]["D.very_hard"], 4.5);
    assert_eq!(report["parameters"]["left.solids"], 7);
    assert_eq!(report["actions"].as_array().unwrap().len(), 2);
    let named: Vec<&str> =
        report["not_modelled"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(named.iter().any(|what| what.starts_with("end loss_early")), "{named:?}");
    assert!(named.iter().any(|what| what.starts_with("end stalemate")), "{named:?}");
    assert!(run(&["check", file.to_str().unwrap()]).status.success());
}

#[test]
fn a_learned_table_is_repeatable_and_plays() {
    let folder = tempfile::tempdir().unwrap();
    let learn = |name: &str, seed: &str| {
        let path = folder.path().join(name);
        let report = json(&[
            "learn",
            "frames",
            "--episodes",
            "3000",
            "--seed",
            seed,
            "--out",
            path.to_str().unwrap(),
            "--json",
        ]);
        assert_eq!(report["states"], 1087);
        assert!(report["regret"].as_array().unwrap().iter().all(|r| r.as_f64().unwrap() > -1e-12));
        std::fs::read(path).unwrap()
    };
    let first = learn("a.json", "1");
    assert_eq!(first, learn("b.json", "1"));
    assert_ne!(first, learn("c.json", "2"));
    let agents = format!("learned:{},threshold", folder.path().join("a.json").display());
    assert!(number(&json(&["solve", "--agents", &agents, "--json"]), "p0_win") > 0.3);
}

/// The table that ships is within 0.001 of the optimum in either seat.
#[test]
fn the_shipped_table_is_near_the_optimum() {
    let value = |agents| number(&json(&["solve", "--agents", agents, "--json"]), "p0_win");
    let optimum = value("optimal,optimal");
    assert!((value("learned,optimal") - optimum).abs() < 0.001);
    assert!((value("optimal,learned") - optimum).abs() < 0.001);
}

#[test]
fn skills_come_from_a_table_of_estimates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("estimates.csv");
    std::fs::write(&path, "name,estimate,se\nD.hard,3.0,\nskill.ann,3.0,0.1\nskill.bob,1.0,0.1\n")
        .unwrap();
    let skills = format!("@{}:ann,bob", path.display());
    let exact = json(&["solve", "--skills", &skills, "--json"]);
    assert!((number(&exact, "p0_win") - 0.968421196423).abs() < 1e-11);
    refused(
        &["solve", "--skills", &format!("@{}:ann,bop", path.display())],
        &["skill.bop", "did you mean `bob`"],
    );
    refused(&["solve", "--skills", "@none.csv:a,b"], &["none.csv"]);
}

#[test]
fn bad_arguments_are_refused_in_one_line() {
    refused(
        &["solve", "--agents", "treshold,threshold"],
        &["treshold", "did you mean `threshold`"],
    );
    refused(&["solve", "--agents", "threshold"], &["two"]);
    refused(&["solve", "--agents", "threshold:tua=1,optimal"], &["tua", "tau"]);
    refused(&["solve", "--agents", "threshold:tau=nan,optimal"], &["tau", "finite"]);
    refused(&["solve", "--agents", "search:depth=0,optimal"], &["depth", "1 to"]);
    refused(&["solve", "--agents", "best_response,best_response"], &["optimal"]);
    refused(&["solve", "--agents", "learned:none.json,optimal"], &["none.json"]);
    refused(&["solve", "--set", "P_SCRACH=0.1"], &["P_SCRACH", "did you mean `P_SCRATCH`"]);
    refused(&["solve", "--set", "D.hrad=0.1"], &["D.hrad", "hard"]);
    refused(&["solve", "--set", "break_scratch_bih=kitchn"], &["kitchn", "kitchen, anywhere"]);
    refused(&["solve", "--set", "P_SCRATCH=inf"], &["P_SCRATCH", "finite"]);
    refused(&["solve", "--set", "P_SCRATCH=x"], &["P_SCRATCH", "number"]);
    refused(&["solve", "--set", "P_SCRATCH=1.5"], &["model `shot`", "probability", "leave="]);
    refused(&["solve", "--set", "BREAK.eight=0.04"], &["model `break`", "1.01", "sum to 1"]);
    refused(&["solve", "--skills", "2,nan"], &["skill", "finite"]);
    refused(&["solve", "--skills", "inf,2"], &["skill", "finite"]);
    refused(&["solve", "--skills", "2"], &["two"]);
    refused(&["frames", "--frames", "0"], &["--frames 0", "1 to"]);
    refused(&["solve", "--definition", "nowhere.yaml"], &["nowhere.yaml"]);
    for command in ["solve", "frames"] {
        refused(&[command, "--skills", "-1,-1"], &["no frame can end", "state"]);
        refused(&[command, "--set", "TAU=2"], &["no frame can end"]);
    }
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("a.json");
    refused(
        &["learn", "frames", "--episodes", "0", "--out", blocked.to_str().unwrap()],
        &["--episodes 0"],
    );
    assert!(!Path::new(&blocked).exists());
}
