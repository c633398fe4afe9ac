//! Definitions that are broken, or made to hurt.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_engine::frame::{Definition, FrameError, Game};
use cuebench_engine::rng::{Purpose, stream};
use cuebench_tests::cuebench;
use cuebench_tests::fuzz::{self, Came};
use rand::RngExt as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// The error of a definition whose text had `from` replaced by `to`.
fn edited(from: &str, to: &str) -> FrameError {
    assert!(Definition::SHIPPED.contains(from), "{from}");
    let text = Definition::SHIPPED.replacen(from, to, 1);
    let compiled = Definition::parse(&text).and_then(|definition| Game::compile(&definition));
    compiled.err().unwrap_or_else(|| panic!("{to} is accepted"))
}

/// Every refusal names the line of the slip and what would be right.
#[test]
fn slips_are_refused_with_line_and_remedy() {
    for (from, to, parts) in [
        ("constants:", "constant:", &["`constant`", "did you mean `constants`"][..]),
        (
            "until_x: inning_over",
            "until_x: ining_over",
            &["ining_over", "did you mean `inning_over`"],
        ),
        ("until_x: inning_over", "until_X: inning_over", &["until_X", "did you mean `until_x`"]),
        (
            "op: sample, model: safety",
            "op: sample, model: saftey",
            &["saftey", "did you mean `safety`"],
        ),
        (
            "op: sample, model: safety",
            "op: smaple, model: safety",
            &["smaple", "did you mean `sample`"],
        ),
        ("kind: sequence", "kind: sequenze", &["sequenze", "did you mean `sequence`"]),
        ("do: judge_shot", "do: juge_shot", &["juge_shot", "did you mean `judge_shot`"]),
        ("type: ref", "type: reff", &["reff", "did you mean `ref`"]),
        (
            "value: very_hard",
            "value: very_hrad",
            &["very_hrad", "did you mean `very_hard`", "state"],
        ),
        ("sigmoid(s - d)\"", "sigmoid(s - )\"", &["expected a value"]),
        ("P_SCRATCH: 0.03", "P_SCRATCH: 0.03\n  P_SCRATCH: 0.02", &["`P_SCRATCH`", "twice"]),
        ("P_SCRATCH: 0.03", "P_SCRATCH: .inf", &["finite"]),
        ("P_SCRATCH: 0.03", "P_SCRATCH: &x 0.03", &["anchors"]),
        ("num_players: 2", "num_players: 3", &["2 players"]),
        ("num_players: 2", "num_players: [2", &["YAML"]),
        ("result: win", "result: wins", &["did you mean `win`"]),
        ("value: miss}", "value: miss}, {op: emit", &["YAML"]),
        ("timing: after", "timing: before", &["after"]),
        ("D[leave]", "D[lave]", &["lave", "did you mean `leave`"]),
        ("BREAK['eight']", "BREAK['eigth']", &["eigth", "did you mean `eight`"]),
        (
            "{op: emit, event: group_assigned}",
            "{op: emit, event: legal_pot}",
            &["leads back to itself"],
        ),
        ("legal_pot: 0.55", "legal_pot: 0.56", &["model `break`", "1.01"]),
        ("group[shooter])\"", "target)\"", &["reads itself"]),
    ] {
        let error = edited(from, to);
        let text = error.to_string();
        let at = error.at().unwrap_or_else(|| panic!("{text}: no place"));
        assert!(at.line > 1 && text.contains(&format!("line {}", at.line)), "{text}");
        for part in parts {
            assert!(text.contains(part), "{to}: no `{part}` in {text}");
        }
    }
}

#[test]
fn the_column_points_at_the_slip() {
    let error = edited("until_x: inning_over", "until_x: not ining_over");
    let slipped =
        Definition::SHIPPED.replacen("until_x: inning_over", "until_x: not ining_over", 1);
    let line = slipped.lines().nth(error.at().unwrap().line - 1).unwrap();
    assert_eq!(&line[error.at().unwrap().column - 1..], "ining_over");
}

#[test]
fn loops_without_an_end_are_named() {
    let error = edited(
        "        - {id: switch,",
        "        - {id: wait, kind: loop, until_x: \"shooter == 2\", children: [{id: idle, kind: step, do: switch_shooter}]}\n        - {id: switch,",
    );
    assert!(matches!(&error, FrameError::EndlessLoop { name, .. } if name == "wait"), "{error}");
    let error = edited(
        "- {id: place_cb,",
        "- {id: forever, kind: loop, children: [{id: idle, kind: step, do: call_shot}]}\n            - {id: place_cb,",
    );
    assert!(matches!(&error, FrameError::EndlessLoop { name, .. } if name == "forever"), "{error}");
}

/// Counters without bound, wide draws, long chains: refused in time, not suffered.
#[test]
fn games_that_are_too_large_are_refused() {
    let counter = "inning_over: {scope: global, type: bool, init: false}";
    for (from, to) in [
        (
            "- {op: set, var: shooter, value_x: \"1 - shooter\"}",
            "- {op: set, var: shooter, value_x: \"1 - shooter\"}\n      - {op: add, var: count, amount: 1}",
        ),
        (
            "- {op: set, var: shooter, value_x: \"1 - shooter\"}",
            "- {op: set, var: shooter, value_x: \"1 - shooter\"}\n      - {op: set, var: count, value_x: \"count * 3 + 1\"}",
        ),
    ] {
        let text = Definition::SHIPPED
            .replacen(
                counter,
                &format!("{counter}\n    count: {{scope: global, type: int, init: 0}}"),
                1,
            )
            .replacen(from, to, 1)
            // Only what is read is part of the state.
            .replacen(
                "cond_x: \"result == 'miss'\"",
                "cond_x: \"result == 'miss' and count >= 0\"",
                1,
            );
        let began = Instant::now();
        let error = Definition::parse(&text).and_then(|d| Game::compile(&d)).unwrap_err();
        assert!(
            matches!(error, FrameError::TooManyStates { .. } | FrameError::Evaluation { .. }),
            "{error}"
        );
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    }
    let rolls =
        "      - {op: roll, die_x: \"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\", bind: r}\n".repeat(30);
    let error = edited(
        "  switch_shooter:\n    effect:\n",
        &format!("  switch_shooter:\n    effect:\n{rolls}"),
    );
    assert!(matches!(error, FrameError::TooManyStates { .. }), "{error}");
}

/// Files of 100 MB, of nothing but brackets or aliases: refused quickly and in one line.
#[test]
fn hostile_files_are_refused_quickly() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, write: &dyn Fn(&mut std::fs::File), part: &str| {
        let path = folder.path().join(name);
        write(&mut std::fs::File::create(&path).unwrap());
        let began = Instant::now();
        let output = cuebench().arg("check").arg(&path).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {error}");
        assert!(output.stdout.is_empty() && error.trim_end().lines().count() == 1, "{error}");
        assert!(error.contains(part), "{name}: {error}");
        assert!(began.elapsed() < Duration::from_secs(10), "{name}: {:?}", began.elapsed());
    };
    let text =
        |text: String| move |file: &mut std::fs::File| file.write_all(text.as_bytes()).unwrap();
    refused("large.yaml", &|file| file.set_len(100 << 20).unwrap(), "larger than");
    refused("deep.yaml", &text("[".repeat(1_000_000)), "YAML");
    refused(
        "block.yaml",
        &text((0..600).map(|i| format!("{}a:\n", " ".repeat(i))).collect()),
        "YAML",
    );
    let bombs: String = (0..30)
        .map(|i| format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i + 1); 9].join(", ")))
        .collect();
    refused("bomb.yaml", &text(bombs), "anchors");
    refused("quote.yaml", &text("\"".to_owned() + &"x".repeat(900_000)), "YAML");
    refused("bytes.yaml", &|file| file.write_all(&[0xff, 0xfe, 0, 1]).unwrap(), "UTF-8");
    refused("empty.yaml", &text(String::new()), "empty");
    refused("list.yaml", &text("- 1\n".to_owned()), "mapping");
    refused("keys.yaml", &text((0..90_000).map(|i| format!("k{i}: 1\n")).collect()), "no key `k0`");
    let long = format!("x: {}", "1 + ".repeat(200_000));
    refused("long.yaml", &text(long), "no key `x`");
}

/// Texts near the shipped one: whatever is changed, there is an answer, and no panic.
#[test]
fn mutated_definitions_are_answered() {
    let words = [
        "0",
        "-1",
        "1e308",
        "none",
        "'easy'",
        "[",
        "]",
        "{",
        "}",
        ":",
        "\n",
        "  ",
        "- ",
        "&a ",
        "*a",
        "!!x ",
        "\"",
        "'",
        "open",
        "shooter",
        "left[target]",
        "target",
        "True",
        "loop",
        "until_x: ",
        "1 / 0",
        "skill",
        "# ",
        "\t",
        "é",
        "decider",
        "sigmoid(",
        "(",
        ")",
        "not ",
    ];
    let mut rng = stream(11, Purpose::Test, 0);
    let began = Instant::now();
    let (mut games, mut definitions, mut tried) = (0, 0, 0);
    while began.elapsed() < Duration::from_secs(6) {
        let mut text: Vec<char> = Definition::SHIPPED.chars().collect();
        for _ in 0..rng.random_range(1..4) {
            let from = rng.random_range(0..text.len());
            let to = (from + rng.random_range(0..12)).min(text.len());
            let word: Vec<char> = match rng.random_range(0..3) {
                0 => Vec::new(),
                1 => words[rng.random_range(0..words.len())].chars().collect(),
                _ => {
                    let other = rng.random_range(0..text.len() - 40);
                    text[other..other + rng.random_range(1..40)].to_vec()
                }
            };
            text.splice(from..to, word);
        }
        let text: String = text.into_iter().collect();
        let came = fuzz::definition(text.as_bytes());
        tried += 1;
        definitions += usize::from(came >= Came::Definition);
        games += usize::from(came == Came::Game);
    }
    assert!(tried > definitions && definitions > 0 && games > 0, "{tried} {definitions} {games}");
}
