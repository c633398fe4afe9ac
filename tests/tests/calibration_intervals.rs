//! Intervals of calibrations: every fit ends and says truly how, and what it claims holds.

use cuebench_experiments::calibration::definition::Calibrated;
use cuebench_tests::calibration::{calibrate_small_log, predict_small_log};
use cuebench_tests::{cuebench, workspace};
use rayon::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

fn data(name: &str) -> String {
    workspace().join("tests/data/calibration").join(name).display().to_string()
}

fn run(arguments: &[&str]) -> Output {
    cuebench().args(arguments).output().expect("cuebench runs")
}

fn json(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON; stderr: {error}"))
}

fn line<'a>(document: &'a Value, name: &str) -> &'a Value {
    let lines = document["estimates"].as_array().expect("a list");
    lines.iter().find(|line| line["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    path.display().to_string()
}

/// Standard errors of one pooled skill, by a generalised linear model elsewhere.
#[test]
fn a_spread_of_zero_is_a_boundary_with_the_errors_of_one_pooled_skill() {
    let log = data("equal_players.csv");
    let output =
        run(&["calibrate", "--shots", &log, "--fix", "D.easy=0", "--random-skills", "--json"]);
    let document = json(&output);
    assert_eq!(document["status"], "converged");
    let spread = line(&document, "skills.spread");
    assert_eq!((number(&spread["estimate"]), &spread["standing"]), (0.0, &"boundary".into()));
    assert!(number(&spread["interval95"][1]) > 0.3, "{spread}");
    for (name, se) in [("c", 0.3403), ("A0", 0.5369), ("D.medium", 0.3620)] {
        let found = line(&document, name);
        assert!((number(&found["se"]) - se).abs() < 5e-5, "{found}");
        let [low, high] = [0, 1].map(|i| number(&found["profile95"][i]));
        assert!(low < number(&found["estimate"]) - se && high > number(&found["estimate"]) + se);
    }
    let mean = line(&document, "skills.mean");
    assert!(number(&mean["se"]) > 0.3 && number(&mean["interval95"][1]).is_finite(), "{mean}");
    let text = run(&["calibrate", "--shots", &log, "--fix", "D.easy=0", "--random-skills"]);
    let notes = String::from_utf8_lossy(&text.stderr).into_owned();
    assert!(notes.contains("spread of skills is 0") && notes.contains("boundary"), "{notes}");
}

#[test]
fn mean_and_spread_of_random_skills_are_printed_with_their_errors() {
    let document = json(&run(&[
        "calibrate",
        "--shots",
        &data("shots_counts.csv"),
        "--random-skills",
        "--json",
    ]));
    // Eight skills from 0.83 to 3.29: mean 1.949 and standard deviation 0.758 of the estimates.
    for (name, value) in [("skills.mean", 1.949), ("skills.spread", 0.755)] {
        let found = line(&document, name);
        assert!((number(&found["estimate"]) - value).abs() < 0.02, "{found}");
        assert!(number(&found["se"]) > 0.1, "{found}");
        let [low, high] = [0, 1].map(|i| number(&found["interval95"][i]));
        assert!(low < value && value < high && high - low < 2.0, "{found}");
    }
}

#[test]
fn firth_ends_converged_where_its_estimates_are_right() {
    let document =
        json(&run(&["calibrate", "--shots", &data("few_frames.csv"), "--firth", "--json"]));
    assert_eq!(document["status"], "converged");
    assert!((number(&line(&document, "skill.p0")["estimate"]) - 0.4892).abs() < 1e-4);
}

#[test]
fn the_start_knows_the_location() {
    let folder = tempfile::tempdir().expect("a folder");
    let (shots, out) = (data("shots_counts.csv"), folder.path().join("out.yaml"));
    let out = out.display().to_string();
    for shift in [15.0, 50.0, -300.0] {
        let fix = format!("D.easy={shift}");
        let arguments = ["calibrate", "--shots", &shots, "--fix", &fix, "--out", &out, "--json"];
        let document = json(&run(&arguments));
        assert_eq!(document["status"], "converged");
        for (name, value) in [("skill.0", 0.83012560), ("A0", 1.45370208)] {
            let found = number(&line(&document, name)["estimate"]) - shift;
            assert!((found - value).abs() < 1e-6, "{name} {found}");
        }
        assert!((number(&line(&document, "c")["estimate"]) - 0.93265275).abs() < 1e-6);
        for method in ["--firth", "--random-skills"] {
            let arguments = ["calibrate", "--shots", &shots, "--fix", &fix, method, "--json"];
            let found = number(&line(&json(&run(&arguments)), "c")["estimate"]);
            assert!((found - 0.933).abs() < 0.01, "{method}: {found}");
        }
    }
}

#[test]
fn counts_of_millions_end_in_bounded_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "player,leave,call,result,count\n".to_owned();
    for player in 0..40 {
        for (result, count) in
            [("pot_position", 1_000_000_000_000_u64), ("miss", 7), ("pot_no_position", 3)]
        {
            text.push_str(&format!("p{player},easy,shot,{result},{count}\n"));
        }
        text.push_str(&format!("p{player},hard,shot,miss,{}\n", 1_000_000_000_000_u64 - player));
        text.push_str(&format!("p{player},hard,shot,pot_no_position,{}\n", 1 + player));
    }
    let huge = write(folder.path(), "huge.csv", &text);
    for log in [data("millions.csv"), huge] {
        for method in [&[][..], &["--firth"]] {
            let begun = Instant::now();
            let mut arguments = vec!["calibrate", "--shots", &log, "--json"];
            arguments.extend(method);
            let document = json(&run(&arguments));
            assert!(begun.elapsed() < Duration::from_secs(20), "{log} {method:?}");
            let share = line(&document, "P_SCRATCH");
            assert!(
                number(&share["clopper_pearson95"][1]) >= number(&share["estimate"]),
                "{share}"
            );
        }
    }
}

#[test]
fn near_collinear_geometry_is_named_and_never_estimated_as_zero() {
    let document = json(&run(&["calibrate", "--shots", &data("near_collinear.csv"), "--json"]));
    assert_eq!(document["status"], "rank_deficient");
    for name in ["b2", "b3"] {
        let found = line(&document, name);
        assert!(found["estimate"].is_null() && found["standing"] == "unidentified", "{found}");
    }
    for name in ["skill.p0", "b1", "c"] {
        assert!(number(&line(&document, name)["estimate"]).abs() > 1e-3, "{name}");
    }
}

#[test]
fn leaves_without_rows_are_no_data_and_not_separated() {
    let document = json(&run(&["calibrate", "--shots", &data("unused_leaves.csv"), "--json"]));
    for name in ["D.medium", "D.hard", "D.bih_anywhere", "D.bih_kitchen"] {
        assert_eq!(line(&document, name)["standing"], "empty");
        for problem in document["problems"].as_array().expect("a list") {
            let named = problem["parameters"].as_array().expect("a list").contains(&name.into());
            assert!(!named || problem["kind"] == "empty", "{problem}");
        }
    }
    // A half-open interval keeps its closed end.
    let easy = line(&document, "D.easy");
    assert!(easy["interval95"][0].is_null() && easy["interval95"][1].is_number(), "{easy}");
}

#[test]
fn shares_are_shown_with_wilsons_interval_by_name() {
    let (shots, breaks) = (data("shots_counts.csv"), data("breaks_counts.csv"));
    let document = json(&run(&["calibrate", "--shots", &shots, "--breaks", &breaks, "--json"]));
    let eight = line(&document, "BREAK.eight");
    assert_eq!(eight["interval"], "Wilson");
    assert_eq!(eight["interval95"], eight["wilson95"]);
    assert_eq!(line(&document, "c")["interval"], "profile");
    let text = run(&["calibrate", "--shots", &shots, "--breaks", &breaks]);
    assert!(String::from_utf8_lossy(&text.stdout).contains("Wilson"));
}

#[test]
fn an_interrupted_self_test_reports_what_is_done_and_exits_130() {
    let mut child = cuebench()
        .args(["calibrate", "--self-test", "10000000", "--players", "2"])
        .args(["--shots-per-player", "40", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cuebench runs");
    std::thread::sleep(Duration::from_secs(4));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() && begun.elapsed() < Duration::from_secs(20)
    {
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    let document = json(&output);
    let done = document["logs"].as_u64().expect("a count");
    assert!((1..10_000_000).contains(&done), "{done}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
}

#[test]
fn calibrate_and_predict_on_random_small_logs_are_finite_ordered_and_quick() {
    let calibrated = Calibrated::read(None).expect("shipped");
    (0..120_u64).into_par_iter().for_each(|index| calibrate_small_log(&calibrated, index));
    (0..12_u64).into_par_iter().for_each(|index| predict_small_log(&calibrated, index));
}

#[test]
#[ignore = "takes minutes: the same on 200 000 logs"]
fn calibrate_and_predict_on_200_000_random_small_logs() {
    let calibrated = Calibrated::read(None).expect("shipped");
    (0..199_000_u64).into_par_iter().for_each(|index| calibrate_small_log(&calibrated, index));
    (0..1_000_u64).into_par_iter().for_each(|index| predict_small_log(&calibrated, index));
}
