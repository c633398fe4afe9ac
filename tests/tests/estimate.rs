//! `cuebench estimate` as typed: shots in, the hidden values of their table out.

use cuebench_tests::cuebench;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Output, Stdio};

fn pipe(arguments: &[&str], input: &str) -> Output {
    let mut child = cuebench()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    // A command that refuses early need not read it all.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("ends")
}

/// Lines for `estimate`: strokes on one table, played by `cuebench shot`.
fn seen(cloth: u32, restitution: u32, strokes: &[(u32, u32)]) -> String {
    let shots: Vec<Value> = strokes
        .iter()
        .map(|&(angle, power)| {
            json!({
                "pockets": "snooker", "cloth": cloth, "restitution": restitution,
                "balls": {"white": [700_000, 500_000], "yellow": [1_500_000, 800_000], "blue": [2_000_000, 300_000]},
                "angle": angle, "power": power,
            })
        })
        .collect();
    let text: String = shots.iter().map(|shot| format!("{shot}\n")).collect();
    let played = pipe(&["shot"], &text);
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let answers = String::from_utf8(played.stdout).expect("text");
    let mut lines = String::new();
    for (mut shot, answer) in shots.into_iter().zip(answers.lines()) {
        let answer: Value = serde_json::from_str(answer).expect("JSON");
        shot["after"] = answer["balls"].clone();
        let object = shot.as_object_mut().expect("an object");
        object.shift_remove("cloth");
        object.shift_remove("restitution");
        lines += &format!("{shot}\n");
    }
    lines
}

/// The first of `lines` with the yellow at rest elsewhere.
fn bad_after(lines: &str, yellow: [i32; 2]) -> String {
    let mut shot: Value =
        serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    shot["after"]["yellow"] = json!(yellow);
    format!("{shot}\n")
}

fn estimate(arguments: &[&str], input: &str) -> Value {
    let output = pipe(&[&["estimate", "--json"], arguments].concat(), input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn one_shot_off_a_rail_tells_both_values() {
    let told = estimate(&[], &seen(843, 712, &[(70_000, 400)]));
    assert_eq!(told["consistent"], 1);
    assert_eq!(told["cloth"]["low"], 843);
    assert_eq!(told["cloth"]["estimate"], 843.0);
    assert_eq!(told["restitution"]["high"], 712);
    assert_eq!(told["warnings"], json!([]));
}

#[test]
fn without_a_rail_the_restitution_stays_unknown() {
    let told = estimate(&[], &seen(843, 712, &[(0, 150)]));
    assert_eq!(told["consistent"], 301);
    let cloth = told["cloth"]["estimate"].as_f64().expect("a number");
    assert!((cloth - 843.0).abs() < 1e-9, "a mean over 301 equal values: {cloth}");
    assert_eq!([&told["restitution"]["low"], &told["restitution"]["high"]], [600, 900]);
    assert!(told["warnings"][0].as_str().expect("a warning").contains("restitution unknown"));
}

#[test]
fn a_shot_that_does_not_fit_is_named() {
    let lines = seen(843, 712, &[(70_000, 400), (160_000, 500)])
        + &seen(1000, 800, &[(50_000, 450)])
        + &seen(843, 712, &[(300_000, 300)]);
    let told = estimate(&[], &lines);
    assert_eq!(told["inconsistent"], json!([3]));
    assert_eq!(told["cloth"]["estimate"], 843.0);
    assert!(told["warnings"][0].as_str().expect("a warning").contains("line 3"));
}

#[test]
fn noise_gives_a_posterior_and_a_drawing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("region.svg");
    let lines = seen(843, 712, &[(70_000, 400), (160_000, 500)]);
    let svg = file.to_str().expect("text");
    let told = estimate(&["--noise-um", "1500", "--svg", svg], &lines);
    let cloth = told["cloth"]["mean"].as_f64().expect("a number");
    let sd = told["cloth"]["sd"].as_f64().expect("a number");
    assert!(sd > 0.0 && (cloth - 843.0).abs() < 4.0 * sd, "{told}");
    assert!(told["region95"].as_u64().expect("a count") >= 1);
    assert!(std::fs::read_to_string(file).expect("drawn").starts_with("<svg "));
}

#[test]
fn bad_input_is_refused_with_its_line() {
    let good = seen(843, 712, &[(70_000, 400)]);
    for (input, part) in [
        (format!("{good}{{}}\n"), "line 2: missing field `pockets`"),
        (good.replace("\"power\":400", "\"power\":0"), "line 1: power 0"),
        (String::new(), "no shots"),
        (
            good.replace(
                "\"blue\":[2000000,300000]},\"angle",
                "\"blue\":[2000000,300000],\"pink\":[1000000,300000]},\"angle",
            ),
            "line 1: ball `pink` is in `balls` but not in `after`",
        ),
        (bad_after(&good, [2_000_000, 300_000]), "line 1: `after`: balls yellow and blue overlap"),
        (
            bad_after(&good, [2_000_000, -900_000]),
            "line 1: `after`: ball yellow at (2000000, -900000)",
        ),
    ] {
        let output = pipe(&["estimate", "--json"], &input);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(part) && message.trim_end().lines().count() == 1, "{message}");
    }
    assert_eq!(pipe(&["estimate", "--noise-um", "nan"], &good).status.code(), Some(2));
}
