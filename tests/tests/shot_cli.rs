//! `cuebench shot`, `shots` and `table` as typed.

use cuebench_tests::process::fed;
use cuebench_tests::{cuebench, workspace};
use serde_json::Value;
use std::process::Output;

fn shot(arguments: &[&str], input: &[u8]) -> Output {
    fed(cuebench().arg("shot").args(arguments), input)
}

fn lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn known() -> Vec<u8> {
    std::fs::read(workspace().join("tests/data/shots.jsonl")).expect("the data")
}

/// Figures of an independent reference in 64-bit floats: same falls and first hits, times to a
/// millisecond, places within the reference's own sensitivity to a micrometre.
#[test]
fn shots_with_known_answers_agree() {
    let output = shot(&[], &known());
    assert!(output.status.success(), "{output:?}");
    let answers = lines(&output);
    let cases = known();
    let cases: Vec<Value> = std::str::from_utf8(&cases)
        .expect("text")
        .lines()
        .map(|line| serde_json::from_str(line).expect("json"))
        .collect();
    assert_eq!((answers.len(), cases.len()), (160, 160));
    for (got, case) in answers.iter().zip(&cases) {
        let (want, id) = (&case["answer"], &case["id"]);
        assert_eq!(got["id"], *id);
        assert_eq!(got["first_hit"], want["first_hit"], "{id}");
        let falls = |answer: &Value| answer["potted"].as_array().expect("a list").clone();
        let (got_falls, want_falls) = (falls(got), falls(want));
        assert_eq!(got_falls.len(), want_falls.len(), "{id}");
        for (got, want) in got_falls.iter().zip(&want_falls) {
            assert_eq!((&got["ball"], &got["pocket"]), (&want["ball"], &want["pocket"]), "{id}");
            let apart = got["t"].as_f64().expect("s") - want["t"].as_f64().expect("s");
            assert!(apart.abs() < 0.001, "{id}");
        }
        let allowed = (3.0 * want["sens"].as_f64().expect("a number")).max(3.0);
        for (name, place) in want["balls"].as_object().expect("balls") {
            let got = &got["balls"][name];
            assert_eq!(got.is_null(), place.is_null(), "{id} {name}");
            for axis in 0..2 {
                let at = |place: &Value| place[axis].as_f64().unwrap_or(0.0);
                assert!((at(got) - at(place)).abs() <= allowed, "{id} {name}");
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let outputs =
        ["1", "2", "7"].map(|threads| shot(&["--trace", "--threads", threads], &known()).stdout);
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(outputs[0], outputs[2]);
}

#[test]
fn bad_lines_are_answered_and_the_rest_goes_on() {
    let good = known();
    let good = good.split(|&byte| byte == b'\n').next().expect("a line");
    let mut input = Vec::new();
    let long = vec![b'['; 3_000_000];
    let bad: [&[u8]; 5] =
        [b"{\"id\":\"x\",\"angle\":NaN}", b"not json", &long, b"\xff", b"[[[[1]]]]"];
    for line in bad {
        input.extend_from_slice(good);
        input.push(b'\n');
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    let output = shot(&[], &input);
    assert_eq!(output.status.code(), Some(2));
    let answers = lines(&output);
    assert_eq!(answers.len(), 10);
    for pair in answers.chunks(2) {
        assert!(pair[0]["error"].is_null() && pair[0]["balls"].is_object());
        assert!(pair[1]["error"].is_string(), "{}", pair[1]);
    }
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("5 of 10 lines"), "{stderr}");
}

#[test]
fn drawings_and_geometry() {
    let folder = tempfile::tempdir().expect("a folder");
    let [drawn, table] = ["shot.svg", "table.svg"].map(|name| folder.path().join(name));
    let output = shot(&["--svg", drawn.to_str().expect("text")], &known());
    assert!(output.status.success(), "{output:?}");
    assert!(std::fs::read_to_string(&drawn).expect("drawn").contains("<polyline"));
    let output = cuebench()
        .args(["table", "--pockets", "pool", "--json", "--svg"])
        .arg(&table)
        .output()
        .expect("cuebench runs");
    assert!(output.status.success(), "{output:?}");
    assert!(std::fs::read_to_string(&table).expect("drawn").contains("<polygon"));
    let shape: Value = serde_json::from_slice(&output.stdout).expect("json");
    assert_eq!(shape["points"].as_array().expect("points").len(), 12);
    assert_eq!(shape["pockets"][0]["measures"]["mouth_um"], 115_900);
    let nothing = cuebench().args(["table", "--pockets", "pool"]).output().expect("runs");
    assert_eq!(nothing.status.code(), Some(2));
}

#[test]
fn the_acceptance_table_of_the_docs_is_what_the_command_prints() {
    let docs = std::fs::read_to_string(workspace().join("engine/docs/physics.md")).expect("there");
    for pockets in ["snooker", "pool"] {
        let output = cuebench()
            .args(["table", "--acceptance", "--pockets", pockets])
            .output()
            .expect("cuebench runs");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(text.lines().count() > 20, "{text}");
        assert!(docs.contains(text.trim_end()), "the docs lack\n{text}");
    }
}

#[test]
fn random_shots_have_one_hash() {
    let report = |threads: &str| -> Value {
        let output = cuebench()
            .args([
                "shots",
                "--count",
                "500",
                "--seed",
                "3",
                "--json",
                "--check",
                "--threads",
                threads,
            ])
            .output()
            .expect("cuebench runs");
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).expect("json")
    };
    let (one, two) = (report("1"), report("2"));
    assert_eq!(one["trace_hash"], two["trace_hash"]);
    assert_eq!(one["outcomes"], two["outcomes"]);
    assert_eq!(one["outcomes"]["capped"], 0);
}
