//! The commands `race` and `play` as they are typed.

use cuebench_tests::cuebench;
use cuebench_tests::process::{fed, stderr};
use serde_json::Value;
use std::io::Write as _;
use std::process::Output;

fn race(args: &[&str], strokes: &str) -> Output {
    fed(cuebench().arg("race").args(args), strokes.as_bytes())
}

fn lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn position(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    file
}

#[test]
fn a_position_is_cleared_and_its_values_are_published() {
    let file = position(
        r#"{"balls":{"white":[1270000,700000],"black":[1270000,300000]},"cloth":1000,"restitution":750}"#,
    );
    let path = file.path().to_str().expect("a path");
    let strokes = "{\"angle\":90000,\"power\":300}\n\n{\"angle\":270000,\"power\":300}\r\n";
    let output = race(&["--seed", "1", "--json", "--position", path], strokes);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines = lines(&output);
    assert_eq!(lines.len(), 2);
    let keys: Vec<&str> =
        lines[0].as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = [
        "balls",
        "ball_on",
        "score",
        "strokes",
        "first_hit",
        "potted",
        "fouls",
        "penalty",
        "closed",
        "table",
    ];
    assert_eq!(keys, expected);
    assert_eq!(lines[0]["fouls"], serde_json::json!(["no_ball_hit", "white_potted"]));
    assert_eq!(lines[0]["balls"]["white"], serde_json::json!([1_270_000, 700_000]));
    assert_eq!((&lines[0]["table"], &lines[0]["closed"]), (&Value::Null, &Value::Null));
    assert_eq!(lines[1]["score"], 0);
    assert_eq!(lines[1]["closed"], "cleared");
    assert_eq!(lines[1]["ball_on"], Value::Null);
    assert_eq!(lines[1]["table"], serde_json::json!({ "cloth": 1000, "restitution": 750 }));
}

#[test]
fn bad_strokes_are_refused_with_the_reason_and_change_nothing() {
    let good = "{\"angle\":0,\"power\":1}\n";
    for (bad, reason) in [
        ("{\"angle\":360000,\"power\":500}", "angle 360000"),
        ("{\"angle\":-1,\"power\":500}", "not a stroke"),
        ("{\"angle\":0,\"power\":0}", "power 0"),
        ("{\"angle\":0,\"power\":1001}", "power 1001"),
        ("{\"angle\":0.5,\"power\":500}", "not a stroke"),
        ("{\"angle\":0,\"power\":1e2}", "not a stroke"),
        ("{\"angle\":NaN,\"power\":500}", "not a stroke"),
        ("{\"angle\":0}", "missing field `power`"),
        (
            "{\"angle\":0,\"power\":5,\"spin\":1}",
            "unknown key `spin`; a stroke has `angle` and `power`",
        ),
        ("{\"angle\":0,\"powr\":5}", "unknown key `powr` (did you mean `power`?)"),
        ("[0,5,1]", "not a stroke"),
        ("[]", "not a stroke"),
        ("stop", "not a stroke"),
    ] {
        let output = race(&["--seed", "5", "--json"], &format!("{good}{bad}\n{good}"));
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert!(stderr(&output).contains(reason), "{bad}: {}", stderr(&output));
        let lines = lines(&output);
        assert_eq!(lines.len(), 3);
        assert!(lines[1]["error"].as_str().expect("a reason").contains(reason), "{bad}");
        for key in ["balls", "score", "strokes", "fouls"] {
            assert_eq!(lines[0][key], lines[1][key], "{bad}");
        }
        assert_eq!(lines[2]["strokes"], 2);
    }
}

/// The white touches the yellow (gap 0) and the green (they overlap by rounding) and is sent into
/// both: yellow first, in the order of the balls.
#[test]
fn the_white_frozen_to_yellow_and_green_is_no_foul() {
    let file = position(
        r#"{"balls":{"white":[780514,28500],"yellow":[723514,28500],"green":[809014,77863]},
            "cloth":1000,"restitution":750}"#,
    );
    let path = file.path().to_str().expect("a path");
    let output = race(&["--json", "--position", path], "[125711,300]\n");
    assert!(output.status.success(), "{}", stderr(&output));
    let state = &lines(&output)[0];
    assert_eq!((&state["first_hit"], &state["fouls"]), (&"yellow".into(), &serde_json::json!([])));
}

#[test]
fn a_stroke_may_be_written_as_angle_and_power_in_brackets() {
    let played = |stroke: &str| {
        let output = race(&["--seed", "5", "--json"], stroke);
        assert!(output.status.success(), "{}", stderr(&output));
        output.stdout
    };
    assert_eq!(played("[90000,500]\n"), played("{\"angle\":90000,\"power\":500}\n"));
    let help = cuebench().args(["race", "--help"]).output().expect("runs").stdout;
    assert!(String::from_utf8_lossy(&help).contains("[90000,500]"));
}

#[test]
fn a_closed_table_takes_no_stroke() {
    let strokes = "{\"angle\":0,\"power\":1}\n".repeat(11);
    let output = race(&["--seed", "5", "--json", "--max-shots", "10"], &strokes);
    assert_eq!(output.status.code(), Some(2));
    let lines = lines(&output);
    assert_eq!(lines[9]["closed"], "shots");
    assert!(lines[9]["table"]["cloth"].is_u64());
    assert_eq!(lines[10]["error"], "the table is closed (shots)");
    assert_eq!(lines[10]["strokes"], 10);
}

#[test]
fn wrong_options_and_positions_are_refused_without_output() {
    for args in [
        ["--pockets", "pol"],
        ["--layout", "grid"],
        ["--table", "secret"],
        ["--order", "none"],
        ["--max-shots", "9"],
        ["--max-shots", "61"],
        ["--noise", "loud"],
        ["--shots", "10"],
    ] {
        let output = race(&[&["--seed", "1"], &args[..]].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
    let overlap = r#"{"balls":{"white":[500000,500000],"yellow":[540000,500000]}}"#;
    for (text, reason) in [
        ("{}", "missing field `balls`"),
        ("{\"balls\":{\"yellow\":[1,2]}}", "not a position"),
        ("{\"balls\":{\"white\":[500000,500000]}}", "no colour"),
        ("{\"balls\":{\"yellow\":[500000,500000]}}", "the white is not on the table"),
        (overlap, "overlap"),
        ("{\"balls\":{\"white\":[0.5,1],\"yellow\":[5,5]}}", "not a position"),
        ("{\"balls\":{\"white\":[1,1],\"white\":[5,5]}}", "named twice"),
        ("{\"balls\":{\"red\":[500000,500000]}}", "unknown field `red`"),
        (
            "{\"balls\":{\"white\":[500000,500000],\"black\":[900000,500000]},\"cloth\":0}",
            "cloth 0",
        ),
    ] {
        let file = position(text);
        let output = race(&["--position", file.path().to_str().expect("a path")], "");
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(stderr(&output).contains(reason), "{text}: {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{text}");
        assert!(output.stdout.is_empty(), "{text}");
    }
}

fn play(args: &[&str]) -> Output {
    cuebench().arg("play").args(args).output().expect("cuebench runs")
}

#[test]
fn a_match_is_mirrored_by_swapping_its_seats() {
    let result = |agents: &str| {
        let output = play(&["--seed", "9", "--agents", agents, "--layout", "spots", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        lines(&output).remove(0)
    };
    let (one, other) = (result("random,first_hit"), result("first_hit,random"));
    assert_eq!(one["seats"][0], other["seats"][1]);
    assert_eq!(one["seats"][1], other["seats"][0]);
    let points = |result: &Value| result["result"].as_f64().expect("points");
    assert!((points(&one) + points(&other) - 1.0).abs() < 1e-12);
    assert_eq!(one["decided_by"], other["decided_by"]);
    for seat in one["seats"].as_array().expect("seats") {
        assert!(["cleared", "shots", "time"].contains(&seat["closed"].as_str().expect("a word")));
        assert!(seat["score"].is_i64() && seat["strokes"].is_u64() && seat["time_ms"] == 0);
    }
}

#[test]
fn images_of_a_match_are_written_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a path");
    let agents = ["--agents", "random,random:max_power=200"];
    let args = [&["--seed", "2", "--max-shots", "10", "--svg", path][..], &agents].concat();
    let output = play(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let mut names: Vec<String> = std::fs::read_dir(path)
        .expect("listed")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 20);
    assert_eq!(names[0], "seat0-01.svg");
    let image = std::fs::read_to_string(folder.path().join(&names[0])).expect("read");
    assert!(image.starts_with("<svg ") && image.ends_with("</svg>\n"));
}

#[test]
fn unknown_agents_are_named_with_the_nearest() {
    let output = play(&["--seed", "1", "--agents", "randm,first_hit"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `random`?"), "{}", stderr(&output));
    let output = play(&["--seed", "1", "--agents", "random"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("give two"), "{}", stderr(&output));
}
