//! `calibrate`, `simulate-shots` and `predict` as typed.

use cuebench_tests::{cuebench, workspace};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

fn data(name: &str) -> String {
    workspace().join("tests/data/calibration").join(name).display().to_string()
}

fn run(arguments: &[&str]) -> Output {
    cuebench().args(arguments).output().expect("cuebench runs")
}

fn run_on(threads: &str, arguments: &[&str]) -> Output {
    let mut command = cuebench();
    command.env("RAYON_NUM_THREADS", threads).args(arguments);
    command.output().expect("cuebench runs")
}

fn json(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON; stderr: {error}"))
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path: PathBuf = folder.join(name);
    fs::write(&path, text).expect("written");
    path.display().to_string()
}

fn line<'a>(document: &'a Value, name: &str) -> &'a Value {
    let lines = document["estimates"].as_array().expect("a list");
    lines.iter().find(|line| line["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// A log from the outcome model: 60 frames of four players.
fn simulated(folder: &Path) -> (String, String) {
    let shots = folder.join("shots.csv").display().to_string();
    let breaks = folder.join("breaks.csv").display().to_string();
    let output = run(&[
        "simulate-shots",
        "--players",
        "4",
        "--frames",
        "60",
        "--seed",
        "5",
        "--out",
        &shots,
        "--breaks-out",
        &breaks,
    ]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (shots, breaks)
}

/// Figures of an independent fit of 14 516 shots and 400 breaks.
#[test]
fn a_reference_fit_is_reproduced() {
    let (shots, breaks) = (data("shots_counts.csv"), data("breaks_counts.csv"));
    let output =
        run(&["calibrate", "--shots", &shots, "--breaks", &breaks, "--fix", "D.easy=0", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let document = json(&output);
    assert_eq!(document["status"], "converged");
    for (name, estimate, se, low, high, n) in [
        ("skill.0", 0.83012560, 0.08360036, 0.6667, 0.9945, 1548),
        ("D.very_hard", 4.45310615, 0.12327999, 4.2158, 4.6994, 1186),
        ("D.bih_kitchen", 1.14858633, 0.32231488, 0.5009, 1.7714, 27),
        ("c", 0.93265275, 0.04913606, 0.8366, 1.0292, 4093),
        ("A0", 1.45370208, 0.06896214, 1.3195, 1.5899, 6936),
    ] {
        let found = line(&document, name);
        let number = |value: &Value| value.as_f64().expect("a number");
        assert!((number(&found["estimate"]) - estimate).abs() < 1e-6, "{found}");
        assert!((number(&found["se"]) - se).abs() < 1e-5, "{found}");
        assert!((number(&found["profile95"][0]) - low).abs() < 1e-3, "{found}");
        assert!((number(&found["profile95"][1]) - high).abs() < 1e-3, "{found}");
        assert_eq!(found["n"], n, "{found}");
    }
    assert_eq!(line(&document, "P_SCRATCH")["estimate"], 227.0 / 7236.0);
    assert_eq!(line(&document, "SAFE_FOUL")["n"], 7280);
    assert_eq!(line(&document, "BREAK.illegal")["estimate"], 11.0 / 400.0);
    let fit = &document["fit"];
    assert!((fit["aic"].as_f64().expect("a number") - 20104.926).abs() < 1e-3);
    assert!((fit["aic_cells"].as_f64().expect("a number") - 496.165).abs() < 1e-3);
    assert_eq!(fit["df"], 89);
    assert_eq!(fit["anchor"], "D.easy=0");
}

#[test]
fn row_order_threads_and_splitting_do_not_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let (shots, breaks) = simulated(folder.path());
    let fit = |threads: &str, logs: &[&str]| {
        let mut arguments = vec!["calibrate", "--json", "--breaks", &breaks, "--shots"];
        arguments.extend(logs);
        run_on(threads, &arguments).stdout
    };
    let text = fs::read_to_string(&shots).expect("read");
    let (header, rows) = text.split_once('\n').expect("a header");
    let mut reversed: Vec<&str> = rows.lines().collect();
    reversed.reverse();
    let half = reversed.len() / 2;
    let joined = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    let all = write(folder.path(), "reversed.csv", joined(&reversed));
    let one = write(folder.path(), "one.csv", joined(&reversed[..half]));
    let two = write(folder.path(), "two.csv", joined(&reversed[half..]));
    let expected = fit("1", &[&shots]);
    assert!(!expected.is_empty());
    for threads in ["2", "7"] {
        assert_eq!(fit(threads, &[&shots]), expected, "{threads} threads");
    }
    assert_eq!(fit("2", &[&all]), expected, "rows reversed");
    assert_eq!(fit("2", &[&one, &two]), expected, "two logs");
    assert_eq!(fit("2", &[&two, &one]), expected, "two logs the other way");
}

#[test]
fn bad_rows_are_refused_with_their_place_and_counted_when_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let header = "frame,shot,player,opponent,leave,call,result,count\n";
    let good = "1,1,ann,bob,easy,shot,miss,4\n1,2,ann,bob,easy,shot,pot_position,5\n\
                1,3,ann,bob,easy,shot,pot_no_position,5\n1,4,bob,ann,easy,shot,miss,2\n\
                1,5,bob,ann,easy,shot,pot_position,3\n1,6,bob,ann,easy,safety,safe_good,2\n\
                1,7,bob,ann,easy,safety,safe_poor,2\n1,8,bob,ann,easy,shot,pot_no_position,1\n";
    for (bad, column, words, reason) in [
        (
            "2,1,ann,bob,easy,shot,pot_postion,1",
            "column 7 (`result`)",
            "did you mean `pot_position`",
            "unknown_result",
        ),
        (
            "2,1,ann,bob,hrad,shot,miss,1",
            "column 5 (`leave`)",
            "did you mean `hard`",
            "unknown_leave",
        ),
        (
            "2,1,ann,bob,hard,safety,miss,1",
            "column 7 (`result`)",
            "no result of a safety",
            "result_does_not_fit_call",
        ),
        ("2,1,ann,bob,hard,bank,miss,1", "column 6 (`call`)", "shot, safety", "unknown_call"),
        ("2,1,ann,bob,hard,shot,miss,-1", "column 8 (`count`)", "whole number", "bad_count"),
        ("2,1,ann,bob,hard,shot,miss,1.5", "column 8 (`count`)", "whole number", "bad_count"),
        ("2,1,,bob,hard,shot,miss,1", "column 3 (`player`)", "empty", "missing_cell"),
        ("1,2,ann,bob,hard,shot,miss,1", "column 1 (`frame`)", "stands already in", "duplicate"),
        ("2,1,ann,bob,hard,shot,miss", "column 8 (`count`)", "7 cells", "ragged_line"),
        ("2,1,ann,bob,hard,shot,miss,1,9", "column 9", "9 cells", "ragged_line"),
        ("2,1,\"ann,bob,hard,shot,miss,1", "column 3 (`player`)", "does not end", "bad_quote"),
        ("2,1,a\u{0}\u{1}nn,bob,hard,shot,miss,1\n2,1,\u{fe}", "", "", ""),
    ] {
        let mut bytes = format!("{header}{good}{bad}\n").into_bytes();
        let (column, words, reason) = if reason.is_empty() {
            // The last case carries bytes that are no UTF-8.
            bytes = format!("{header}{good}2,1,ann,").into_bytes();
            bytes.extend(b"b\xf6b,hard,shot,miss,1\n");
            ("column 4 (`opponent`)", "UTF-8", "not_utf8")
        } else {
            (column, words, reason)
        };
        let log = write(folder.path(), "log.csv", &bytes);
        let refused = run(&["calibrate", "--shots", &log, "--json"]);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{bad}: {error}");
        assert!(refused.stdout.is_empty(), "{bad}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains("log.csv, line 10"), "{bad}: {error}");
        assert!(error.contains(column) && error.contains(words), "{bad}: {error}");
        let kept = run(&["calibrate", "--shots", &log, "--json", "--skip-bad"]);
        let document = json(&kept);
        assert_eq!(document["data"]["dropped"], 1, "{bad}");
        assert_eq!(document["data"]["dropped_by_reason"][0]["reason"], reason, "{bad}");
        // What is left is what the log without the row says.
        let clean = write(folder.path(), "clean.csv", format!("{header}{good}"));
        let without = json(&run(&["calibrate", "--shots", &clean, "--json"]));
        assert_eq!(document["estimates"], without["estimates"], "{bad}");
    }
}

#[test]
fn separation_is_named_and_leaves_the_rest_a_valid_fit() {
    let folder = tempfile::tempdir().expect("a folder");
    let header = "player,leave,call,result,count\n";
    let rest = "ann,easy,shot,miss,5\nann,easy,shot,pot_position,12\nann,easy,shot,pot_no_position,8\n\
                bob,easy,shot,miss,12\nbob,easy,shot,pot_position,3\nbob,easy,shot,pot_no_position,5\n\
                ann,easy,safety,safe_good,6\nann,easy,safety,safe_poor,4\n";
    let star = "cy,easy,shot,pot_scratch,12\n";
    let log = write(folder.path(), "log.csv", format!("{header}{rest}{star}"));
    let out = folder.path().join("out.yaml");
    let report = folder.path().join("report");
    let output = run(&[
        "calibrate",
        "--shots",
        &log,
        "--json",
        "--fix",
        "D.easy=0",
        "--out",
        &out.display().to_string(),
        "--report",
        &report.display().to_string(),
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(out.is_file() && report.join("report.html").is_file());
    let document = json(&output);
    assert_eq!(document["status"], "separated");
    let cy = line(&document, "skill.cy");
    assert!(cy["estimate"].is_null() && cy["se"].is_null() && cy["profile95"][1].is_null());
    // 12 of 12: the deviance 24 ln(1 + exp(-s)) is 3.8415 at the lower end.
    let expected = -((1.959_963_984_540_054_f64.powi(2) / 24.0).exp() - 1.0).ln();
    assert!((cy["profile95"][0].as_f64().expect("closed") - expected).abs() < 1e-6, "{cy}");
    let problem = &document["problems"][0];
    assert_eq!(problem["parameters"][0], "skill.cy");
    assert_eq!(problem["rows"], 12);
    assert!(problem["text"].as_str().expect("text").contains("all 12 rows"), "{problem}");
    assert_eq!(line(&document, "D.hard")["standing"], "empty");
    let alone = write(folder.path(), "rest.csv", format!("{header}{rest}"));
    let without = json(&run(&["calibrate", "--shots", &alone, "--json", "--fix", "D.easy=0"]));
    for name in ["skill.ann", "skill.bob", "c", "A0"] {
        assert_eq!(line(&document, name), line(&without, name));
    }
    // Remedies give numbers, and say that they are on.
    for (remedy, near) in [("--firth", 25.0_f64.ln()), ("--random-skills", 2.0)] {
        let document = json(&run(&["calibrate", "--shots", &log, "--json", remedy]));
        let skill = line(&document, "skill.cy")["estimate"].as_f64().expect("finite");
        assert!((skill - near).abs() < 1.5, "{remedy}: {skill}");
        assert!(document["notes"][0].as_str().expect("a note").starts_with("Estimates by"));
    }
}

#[test]
fn a_definition_that_is_not_of_the_family_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let shipped =
        fs::read_to_string(workspace().join("engine/games/eightball.yaml")).expect("read");
    let other = shipped.replace("sigmoid(s - A0)", "sigmoid(2 * s - A0)");
    assert_ne!(other, shipped);
    let definition = write(folder.path(), "other.yaml", other);
    let shots = data("shots_counts.csv");
    let output = run(&["calibrate", "--definition", &definition, "--shots", &shots]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("not of the family") && error.contains("safe_good"), "{error}");
}

#[test]
fn columns_are_mapped_frames_held_out_and_templates_fit() {
    let folder = tempfile::tempdir().expect("a folder");
    let (shots, _) = simulated(folder.path());
    let text = fs::read_to_string(&shots).expect("read");
    let renamed = write(folder.path(), "renamed.csv", text.replacen("player", "shooter", 1));
    let plain = run(&["calibrate", "--json", "--shots", &shots]);
    let mapped = run(&["calibrate", "--json", "--column", "player=shooter", "--shots", &renamed]);
    assert_eq!(plain.stdout, mapped.stdout);
    let error = run(&["calibrate", "--shots", &renamed]).stderr;
    assert!(String::from_utf8_lossy(&error).contains("--column player=NAME"));
    let held = json(&run(&["calibrate", "--json", "--hold-out", "0.3", "--shots", &shots]));
    let rows = |document: &Value| document["fit"]["rows"].as_u64().expect("a count");
    let (seen, unseen) = (rows(&held), held["held_out"]["rows"].as_u64().expect("a count"));
    let aside = held["held_out"]["rows_without_estimate"].as_u64().expect("a count");
    let set_aside = |d: &Value| d["fit"]["rows_set_aside"].as_u64().expect("a count");
    let all = json(&plain);
    assert_eq!(seen + unseen + aside + set_aside(&held), rows(&all) + set_aside(&all));
    assert!(unseen * 5 > seen && unseen < seen);
    let templates = folder.path().join("templates");
    assert!(run(&["calibrate", "--template", &templates.display().to_string()]).status.success());
    for name in ["shots.csv", "shots_geometry.csv"] {
        let log = templates.join(name).display().to_string();
        let breaks = templates.join("breaks.csv").display().to_string();
        let output = run(&["calibrate", "--json", "--shots", &log, "--breaks", &breaks]);
        assert_eq!(output.status.code(), Some(1), "three rows determine little");
        assert_eq!(json(&output)["data"]["shot_rows"], 3);
    }
}

#[test]
fn a_calibrated_definition_is_read_again_and_predicts() {
    let folder = tempfile::tempdir().expect("a folder");
    let (shots, breaks) = simulated(folder.path());
    let out = folder.path().join("out.yaml").display().to_string();
    let fitted = run(&[
        "calibrate",
        "--json",
        "--shots",
        &shots,
        "--breaks",
        &breaks,
        "--fix",
        "c=1,D.easy=0",
        "--out",
        &out,
    ]);
    let c = line(&json(&fitted), "c").clone();
    assert_eq!((c["estimate"].as_f64(), c["standing"].as_str()), (Some(1.0), Some("held")));
    let predict = |definition: &[&str]| {
        let mut arguments = vec![
            "predict",
            "--json",
            "--shots",
            &shots,
            "--breaks",
            &breaks,
            "--players",
            "2,3",
            "--draws",
            "4",
            "--firth",
        ];
        arguments.extend(definition);
        let first = run_on("1", &arguments);
        assert_eq!(first.stdout, run_on("3", &arguments).stdout);
        json(&first)
    };
    let document = predict(&["--definition", &out]);
    let values = document["predictions"].as_array().expect("a list");
    for value in values {
        let number = |v: &Value| v.as_f64().expect("a number");
        let [low, high] = [0, 1].map(|i| number(&value["interval95"][i]));
        let centre = number(&value["value"]);
        assert!(low < centre && centre < high, "{value}");
    }
    let win = values[0]["value"].as_f64().expect("a number");
    assert!(win < 0.5, "the weaker player breaks: {win}");
    let table = document["predictive"].as_array().expect("a list");
    assert_eq!(table.len(), 4);
    let shots_a_frame = &table[1];
    let [low, high] = [0, 1].map(|i| shots_a_frame["interval95"][i].as_f64().expect("a number"));
    assert!(low > 10.0 && high < 60.0, "{shots_a_frame}");
}

#[test]
fn logs_are_the_same_at_any_number_of_threads() {
    let model = ["simulate-shots", "--players", "3", "--frames", "30", "--seed", "9"];
    let physics = ["simulate-shots", "--physics", "--players", "3", "--frames", "6", "--seed", "9"];
    for arguments in [&model[..], &physics[..]] {
        let expected = run_on("1", arguments);
        assert!(expected.status.success(), "{}", String::from_utf8_lossy(&expected.stderr));
        assert!(expected.stdout.len() > 1_000);
        for threads in ["2", "7"] {
            assert_eq!(run_on(threads, arguments).stdout, expected.stdout);
        }
    }
}

#[test]
fn geometry_is_calibrated_on_shots_of_the_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("physics.csv").display().to_string();
    let output = run(&[
        "simulate-shots",
        "--physics",
        "--players",
        "a=2,b=2.5",
        "--frames",
        "40",
        "--out",
        &log,
    ]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document = json(&run(&["calibrate", "--json", "--shots", &log]));
    // A thinner cut and a longer way of either ball make a pot harder.
    for name in ["b1", "b2", "b3"] {
        let slope = line(&document, name)["estimate"].as_f64().expect("finite");
        assert!(slope > 0.0, "{name} {slope}");
    }
    let skill = |name: &str| line(&document, name)["estimate"].as_f64().expect("finite");
    assert!(skill("skill.b") > skill("skill.a"));
}

#[test]
fn a_self_test_recovers_its_truth() {
    let arguments = [
        "calibrate",
        "--self-test",
        "60",
        "--players",
        "4",
        "--shots-per-player",
        "150",
        "--json",
        "--seed",
        "3",
    ];
    let output = run_on("2", &arguments);
    assert_eq!(output.stdout, run_on("1", &arguments).stdout);
    let document = json(&output);
    assert_eq!(document["logs"], 60);
    let parameters = document["parameters"].as_array().expect("a list");
    let c = parameters.iter().find(|line| line["name"] == "c").expect("c");
    let number = |value: &Value| value.as_f64().expect("a number");
    // Within four standard errors of right: bias, and coverage of 95 %.
    let judged = number(&c["judged"]);
    assert!(judged > 10.0, "{c}");
    assert!(number(&c["bias"]).abs() < 4.0 * number(&c["deviation"]) / judged.sqrt() + 0.05, "{c}");
    assert!(number(&c["profile_coverage"]) > 0.95 - 4.0 * (0.0475 / judged).sqrt(), "{c}");
}
