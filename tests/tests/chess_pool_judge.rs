//! `cuebench judge` as a user types it: keys, order of lists, bad lines among good ones.

use cuebench_tests::cuebench;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Output, Stdio};

fn judge(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = cuebench()
        .arg("judge")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cuebench starts");
    child.stdin.take().expect("a pipe").write_all(input).expect("cuebench reads");
    child.wait_with_output().expect("cuebench ends")
}

fn answers(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn record() -> Value {
    json!({
        "id": "one",
        "position": {"cue": [635_000, 635_000], "1": [900_000, 635_000],
            "9": [1_000_000, 300_000], "12": [1_300_000, 635_000], "8": [2_000_000, 300_000]},
        "shooter": "solids",
        "call": {"kind": "move", "capturer": "1", "target": "12"},
        "contacts": [["cue", "1"], ["1", "12"], ["12", "8"]],
        "pocketed": [{"ball": "12", "pocket": "tr"}, {"ball": "8", "pocket": "br"}],
    })
}

#[test]
fn keys_and_lists_are_those_of_the_record_format() {
    let output = judge(&[], format!("{}\n", record()).as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let [answer] = &answers(&output)[..] else { panic!("one answer") };
    let object = answer.as_object().expect("an object");
    let keys: Vec<&str> = object.keys().map(String::as_str).collect();
    let wanted = "id fair foul scratch judged captured removed returned king_choices winner \
        cue_in_hand reasons";
    assert_eq!(keys, wanted.split_whitespace().collect::<Vec<_>>());
    let mut rest = answer.clone();
    let reasons = rest.as_object_mut().and_then(|rest| rest.remove("reasons")).expect("reasons");
    assert_eq!(
        rest,
        json!({"id": "one", "fair": true, "foul": null, "scratch": false, "judged": "move",
            "captured": ["12"], "removed": ["12"], "returned": [], "king_choices": ["9"],
            "winner": null, "cue_in_hand": false})
    );
    assert!(reasons.as_array().is_some_and(|reasons| reasons.len() == 5), "{reasons}");
}

#[test]
fn bad_lines_are_answered_and_the_rest_goes_on() {
    let with = |key: &str, value: Value| {
        let mut record = record();
        record[key] = value;
        record.to_string()
    };
    let good = record().to_string();
    let place = |ball: &str, at: Value| {
        let mut record = record();
        record["position"][ball] = at;
        record.to_string()
    };
    let deep = "[".repeat(100_000);
    let long = format!("{{\"id\":\"{}\"}}", "x".repeat(1 << 20));
    let bad: Vec<(String, &str)> = vec![
        ("nonsense".into(), "not a line of JSON"),
        ("{}".into(), "missing field `position`"),
        ("[1,2]".into(), "not a record"),
        (deep, "not a line of JSON"),
        (long, "longer than"),
        (with("call", json!({"kind": "move", "capturer": "1", "target": "9"})), "does not reach"),
        (with("call", json!({"kind": "hop"})), "unknown variant `hop`"),
        (with("shooter", json!("stripes")), "the capturer 1 is not a friendly piece of stripes"),
        (with("contacts", json!([["cue", "2"]])), "contacts[0]: 2 is not on the table"),
        (
            with("contacts", json!([["cue", "1"], ["9", "12"]])),
            "contacts[1]: 9 and 12 are both at rest",
        ),
        (with("contacts", json!([["1", "1"]])), "contacts[0]: 1 cannot meet itself"),
        (with("contacts", json!([["cue", "5"]])), "`5` is no ball of chess pool"),
        (with("contacts", json!([["cue", "1"]].repeat(10_001))), "at most 10000"),
        (with("pocketed", json!([{"ball": "12", "pocket": "zz"}])), "unknown variant `zz`"),
        (
            with("pocketed", json!([{"ball": "2", "pocket": "tr"}])),
            "pocketed[0]: 2 is not on the table",
        ),
        (
            with("pocketed", json!([{"ball": "8", "pocket": "tr"}, {"ball": "8", "pocket": "bl"}])),
            "pocketed twice",
        ),
        (with("options", json!({"win_on_last_swop": true})), "did you mean `win_on_last_swap`?"),
        (with("option", json!({"win_on_last_swap": true})), "did you mean `options`?"),
        (with("call", json!({"kind": "slop", "target": "1"})), "call: unknown key `target`"),
        (
            with("pocketed", json!([{"ball": "12", "pocket": "tr", "time": 3}])),
            "pocketed[0]: unknown key `time`",
        ),
        (
            with(
                "pocketed",
                json!([{"ball": "12", "pocket": "tr"}, {"ball": "9", "pocket": "bl"}]),
            ),
            "pocketed[1]: nothing set 9 in motion",
        ),
        (with("shot", json!("O-1")), "either `shot` or"),
        (with("position", json!({"cue": [635_000, 635_000]})), "the 8 ball is missing"),
        (with("position", json!({"8": [635_000, 635_000]})), "the cue ball is missing"),
        (place("9", json!([3_000_000, 0])), "position: ball 9 at (3000000, 0)"),
        (place("9", json!([2_640_000, 700_000])), "position: ball 9 at (2640000, 700000)"),
        (place("9", json!([1_300_000, 635_000])), "position: balls 9 and 12 overlap by 57000 µm"),
        (place("9", json!([635_000, 691_000])), "position: balls cue and 9 overlap by 1000 µm"),
        (place("9", json!([1_000_000, 20_000])), "position: ball 9 overlaps"),
        (place("9", json!([99_999_999_999_u64, 0])), "not a record"),
        (place("9", json!([1.5, 0])), "not a record"),
        (good.replacen("\"9\":", "\"1\":", 1), "1 stands twice"),
    ];
    let mut input = Vec::new();
    for (line, _) in &bad {
        input.extend(format!("{good}\r\n\n{line}\n").as_bytes());
    }
    input.extend(b"\xff\xfe\n");
    let output = judge(&["--json"], &input);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    let answers = answers(&output);
    assert_eq!(answers.len(), 2 * bad.len() + 1);
    for (i, (line, part)) in bad.iter().enumerate() {
        assert_eq!(answers[2 * i]["fair"], json!(true));
        let error = answers[2 * i + 1]["error"].as_str().unwrap_or_default();
        assert!(error.contains(part), "{}: {error}", &line[..line.len().min(300)]);
        assert_eq!(answers[2 * i + 1]["line"], json!(3 * i + 3));
    }
}

#[test]
fn readings_are_options_of_the_command_and_of_a_record() {
    let last = |options: Value| {
        let mut record = record();
        record["position"].as_object_mut().expect("a map").remove("9");
        record["contacts"] = json!([["cue", "1"], ["1", "8"]]);
        record["call"] = json!({"kind": "slop"});
        record["pocketed"] = json!([{"ball": "8", "pocket": "br"}]);
        record["options"] = options;
        record.to_string()
    };
    let winner = |arguments: &[&str], options: Value| {
        let output = judge(arguments, last(options).as_bytes());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        answers(&output)[0]["winner"].clone()
    };
    let reading = ["--option", "win_on_last_swap=true"];
    assert_eq!(winner(&[], json!({})), Value::Null);
    assert_eq!(winner(&[], Value::Null), Value::Null);
    assert_eq!(winner(&reading, json!({})), json!("solids"));
    assert_eq!(winner(&[], json!({"win_on_last_swap": true})), json!("solids"));
    assert_eq!(winner(&reading, json!({"win_on_last_swap": false})), Value::Null);
    for wrong in ["win_on_last_swap=1", "no_meeting=maybe", "nothing=true"] {
        let output = judge(&["--option", wrong], b"");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{wrong}");
        assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{wrong}");
    }
    assert_eq!(judge(&["no-such-file.jsonl"], b"").status.code(), Some(2));
}

/// `1` for `"1"`, and both lists as one text: the same verdict.
#[test]
fn a_number_is_taken_for_its_text_and_a_notation_for_both_lists() {
    let mut plain = record();
    plain["call"] = json!({"kind": "move", "capturer": 1, "target": 12});
    plain["contacts"] = json!([["cue", 1], [1, 12], [12, "8"]]);
    plain["pocketed"] = json!([{"ball": 12, "pocket": "tr"}, {"ball": 8, "pocket": "br"}]);
    let mut noted = record();
    let object = noted.as_object_mut().expect("an object");
    object.remove("contacts");
    object.remove("pocketed");
    object.insert("shot".to_owned(), json!("O-1-12-8, 12>tr, 8>br"));
    let output = judge(&[], format!("{}\n{plain}\n{noted}\n", record()).as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let answers = answers(&output);
    assert_eq!((&answers[0], &answers[0]), (&answers[1], &answers[2]));
}

/// The text names two causes of slop; a capturer that meets nothing is neither.
#[test]
fn a_move_whose_capturer_and_target_never_meet_is_still_a_move() {
    let mut record = record();
    record["contacts"] = json!([["cue", "1"]]);
    record["pocketed"] = json!([]);
    let judged = |arguments: &[&str]| {
        let output = judge(arguments, record.to_string().as_bytes());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        answers(&output)[0]["judged"].clone()
    };
    assert_eq!(judged(&[]), json!("move"));
    assert_eq!(judged(&["--option", "no_meeting=slop"]), json!("slop"));
    assert_eq!(judged(&["--option", "grid=8x8"]), json!("move"), "one rank on either grid");
}
