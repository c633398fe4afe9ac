//! `cuebench judge --game` and `cuebench replay FILE`: whole games of chess pool, real ones and
//! those that `cuebench play` wrote.

use cuebench_tests::cuebench;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

fn ran(arguments: &[&str]) -> Output {
    cuebench().args(arguments).output().expect("cuebench runs")
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    path
}

/// Rulings of a game, and what stands on standard error.
fn refereed(lines: &str, options: &[&str]) -> (Vec<Value>, Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), "game.txt", lines);
    let mut arguments = vec!["judge", "--game", path.to_str().expect("a path"), "--json"];
    arguments.extend(options.iter().flat_map(|option| ["--option", option]));
    let output = ran(&arguments);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let rulings = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    (rulings, output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Places of a made-up table: `gone` fell before.
fn places(gone: &[&str], moved: &[(&str, [i32; 2])]) -> Value {
    let mut all = Map::new();
    for (name, at) in [
        ("cue", [635_000, 300_000]),
        ("1", [900_000, 635_000]),
        ("2", [1_200_000, 900_000]),
        ("3", [1_500_000, 300_000]),
        ("4", [1_700_000, 1_000_000]),
        ("8", [2_000_000, 300_000]),
        ("9", [900_000, 1_000_000]),
        ("10", [1_250_000, 635_000]),
        ("11", [2_200_000, 700_000]),
        ("12", [2_300_000, 1_000_000]),
    ] {
        all.insert(name.to_owned(), json!(at));
    }
    for (name, at) in moved {
        all.insert((*name).to_owned(), json!(at));
    }
    for name in gone {
        all.remove(*name);
    }
    all.into()
}

/// A game on a real table: break with the 8 pocketed, side, king, a capture, a scratch, in hand.
fn real_game() -> Vec<Value> {
    vec![
        json!({"game": "chess-pool", "breaker": 1, "options": {"max_shots": 9}}),
        json!({"cue": [600_000, 635_000], "shot": "O-1-2-8, 1-10, 8>tr", "after": places(&["8"], &[]),
            "id": "break"}),
        json!({"side": "stripes", "seat": 1}),
        json!({"replace": 4}),
        json!({"call": {"kind": "move", "capturer": "1", "target": "9"}, "seat": 0,
            "contacts": [["cue", "1"], ["1", "9"], ["9", "2"]], "pocketed": [{"ball": 2, "pocket": "tm"}],
            "after": places(&["4", "2"], &[("8", [1_700_000, 1_000_000])])}),
        json!({"call": {"kind": "slop"}, "contacts": [["cue", "10"], ["10", 1]],
            "pocketed": [{"ball": "1", "pocket": "bl"}, {"ball": "cue", "pocket": "bl"}],
            "after": places(&["4", "2", "9", "1", "cue"], &[("8", [1_700_000, 1_000_000])])}),
        json!({"call": {"kind": "slop"}, "cue": [300_000, 300_000], "shot": "O-3",
            "after": places(&["4", "2", "9"], &[("8", [1_700_000, 1_000_000]), ("1", [1_905_000, 635_000])])}),
    ]
}

fn lines(game: &[Value]) -> String {
    game.iter().map(|line| format!("{line}\n")).collect()
}

/// Breaks, choice of sides, king placement, next shooter, in hand: the state is carried along.
#[test]
fn a_whole_game_is_refereed_on_real_shots() {
    let (rulings, code, stderr) =
        refereed(&format!("# a real game\n\n{}", lines(&real_game())), &[]);
    assert_eq!((code, &*stderr), (Some(0), ""));
    assert_eq!(rulings.len(), 6);
    let [opening, side, king, capture, scratch, placed] = &rulings[..] else { panic!("six") };
    assert_eq!(
        [&opening["id"], &opening["line"], &side["line"]],
        [&json!("break"), &json!(4), &json!(5)]
    );
    assert_eq!(opening["verdict"]["king_due"], json!(true));
    let next = |phase: &str, seat: usize, side: Value, in_hand: bool, choices: Value| {
        json!({"phase": phase, "seat": seat, "side": side, "cue_in_hand": in_hand,
            "king_choices": choices})
    };
    assert_eq!(opening["next"], next("side", 1, Value::Null, false, Value::Null));
    assert_eq!(side["next"], next("king", 1, json!("stripes"), false, json!(["1", "2", "3", "4"])));
    assert_eq!(king["next"], next("shot", 0, json!("solids"), false, Value::Null));
    assert_eq!(king["position"]["8"], json!([1_700_000, 1_000_000]), "in place of the 4");
    assert_eq!(king["position"].get("4"), None);
    assert_eq!(capture["verdict"]["captured"], json!(["2", "9"]));
    assert_eq!(capture["next"], next("shot", 1, json!("stripes"), false, Value::Null));
    assert_eq!(scratch["verdict"]["returned"], json!(["1"]));
    assert_eq!(scratch["position"]["1"], json!([1_905_000, 635_000]), "on the foot spot");
    assert_eq!(scratch["next"], next("shot", 0, json!("solids"), true, Value::Null));
    assert_eq!(placed["next"], next("shot", 1, json!("stripes"), false, Value::Null));
    assert_eq!([&placed["shots"], &placed["winner"]], [&json!(4), &Value::Null]);
}

/// The same words for people.
#[test]
fn a_refereed_game_reads_as_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), "game.jsonl", &lines(&real_game()));
    let text = text(&ran(&["judge", "--game", path.to_str().expect("a path")]));
    for part in [
        "line 2: shot 1, seat 1: fair king_due\n",
        "next: seat 1 chooses solids or stripes\n",
        "next: seat 1 (stripes) puts the 8 back in place of one of: 1, 2, 3, 4\n",
        "next: seat 0 (solids) shoots, the cue ball in hand behind the head string\n",
        "no winner after 4 shots\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_first_line_that_cannot_be_ends_the_game() {
    let with = |index: usize, key: &str, value: Value| {
        let mut game = real_game();
        game[index][key] = value;
        lines(&game)
    };
    let without = |index: usize| {
        let mut game = real_game();
        game.remove(index);
        lines(&game)
    };
    let lay = |gone: &[&str], moved: &[(&str, [i32; 2])]| places(gone, moved);
    for (game, line, part) in [
        (with(1, "seat", json!(0)), 2, "seat 1 is asked for `break`, not seat 0"),
        (with(1, "cue", json!([700_000, 635_000])), 2, "not behind the head string"),
        (with(1, "after", lay(&[], &[])), 2, "after: the 8 ball was pocketed"),
        (with(1, "after", lay(&["8", "9"], &[])), 2, "after: the 9 ball is missing"),
        (
            with(1, "after", lay(&["8"], &[("9", [900_000, 640_000])])),
            2,
            "after: balls 1 and 9 overlap",
        ),
        (with(1, "after", lay(&["8"], &[("9", [900_000, 20_000])])), 2, "after: ball 9 overlaps"),
        (with(1, "shot", json!("O-1-2-8, 1-10")), 2, "after: the 8 ball is missing"),
        (with(1, "shot", json!("O-1, 8>tr")), 2, "nothing set 8 in motion"),
        (with(1, "shot", json!("O-1-8, 8>tr, 8=1")), 2, "8 was pocketed before"),
        (with(1, "speed", json!(1)), 2, "unknown key `speed`"),
        (without(2), 3, "phase `side` is being asked for"),
        (without(3), 4, "seat 1 is asked for `king`, not seat 0"),
        (
            with(3, "replace", json!("9")),
            4,
            "9 cannot make way for the 8; choose one of: 1, 2, 3, 4",
        ),
        (with(3, "replace", json!("5")), 4, "`5` is no ball"),
        (
            with(4, "call", json!({"kind": "move", "capturer": 1, "target": 12})),
            5,
            "does not reach",
        ),
        (
            with(4, "call", json!({"kind": "move", "capturer": 4, "target": 9})),
            5,
            "4 is not on the table",
        ),
        (with(4, "cue", json!([300_000, 300_000])), 5, "not in hand"),
        (with(6, "cue", Value::Null), 7, "in hand; give `cue`"),
        (with(6, "cue", json!([900_000, 300_000])), 7, "not behind the head string"),
        (with(6, "contacts", json!([])), 7, "either `shot` or"),
        (with(0, "breaker", json!(2)), 1, "a seat is 0 or 1"),
        (with(0, "options", json!({"grd": "8x8"})), 1, "did you mean `grid`?"),
    ] {
        let (rulings, code, stderr) = refereed(&game, &[]);
        assert_eq!((code, stderr.lines().count()), (Some(2), 1), "{part}: {stderr}");
        assert!(
            stderr.contains(&format!("line {line}: ")) && stderr.contains(part),
            "{part}: {stderr}"
        );
        let answered = rulings.iter().filter(|ruling| ruling.get("error").is_none()).count();
        assert!(answered < line, "{part}");
    }
    let (_, code, stderr) = refereed("# nothing\n", &[]);
    assert_eq!(code, Some(2), "{stderr}");
}

/// Options of the command hold where the file names none, and its own go before them.
#[test]
fn a_games_own_options_go_before_those_of_the_command() {
    let game = lines(&real_game()[..2]);
    let (rulings, code, _) = refereed(&game, &["max_shots=1"]);
    assert_eq!((code, &rulings[0]["next"]["phase"]), (Some(0), &json!("side")));
    let (rulings, code, _) =
        refereed(&lines(&real_game()[1..2]), &["break_contact=apex", "grid=8x8"]);
    assert_eq!((code, rulings[0]["seat"].clone()), (Some(0), json!(0)));
}

const FRAMES: [&[&str]; 3] = [
    &["--seed", "7", "--agents", "search:sims=60,threshold"],
    &[
        "--seed",
        "3",
        "--agents",
        "threshold,threshold",
        "--breaker",
        "1",
        "--set",
        "grid=8x8",
        "--set",
        "no_meeting=slop",
        "--set",
        "max_shots=off",
        "--set",
        "foul_returns=false",
    ],
    &["--seed", "5", "--agents", "random,random", "--set", "max_shots=12", "--set", "cloth=900"],
];

/// What `play` writes is read back: `judge` comes to the same verdicts from the records alone, and
/// `replay` to the same text, to the letter.
#[test]
fn plays_own_text_is_read_back_by_judge_and_replay() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in FRAMES {
        let played = text(&ran(&[&["play", "--game", "chess-pool"], arguments].concat()));
        let path = written(folder.path(), "played.txt", &played);
        let path = path.to_str().expect("a path");
        let judged = text(&ran(&["judge", "--game", path]));
        let end =
            played.lines().last().and_then(|line| line.strip_prefix("end: ")).expect("an end");
        assert_eq!(judged.lines().last(), Some(end));
        let verdicts = |text: &str, before: &str| -> Vec<String> {
            let found = text.lines().filter_map(|line| line.split_once(before));
            found.map(|(_, verdict)| verdict.to_owned()).collect()
        };
        let refereed: Vec<String> = judged
            .lines()
            .filter(|line| line.starts_with("line ") && line.contains(": shot "))
            .map(|line| line.rsplit_once(": ").expect(line).1.to_owned())
            .collect();
        assert_eq!(verdicts(&played, "   = "), refereed);
        let image = folder.path().join("last.svg");
        let image = image.to_str().expect("a path");
        assert_eq!(text(&ran(&["replay", path, "--svg", image])), played);
        assert!(fs::read_to_string(image).expect("an image").contains("</svg>"));
    }
}

/// A text that was tampered with is found out, by the rules or by the engine.
#[test]
fn a_text_that_does_not_hold_together_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let played = text(&ran(&[&["play", "--game", "chess-pool"], FRAMES[2]].concat()));
    let refused = |from: &str, to: &str, command: &[&str], part: &str| {
        let changed = played.replacen(from, to, 1);
        assert_ne!(changed, played, "{from}");
        let path = written(folder.path(), "changed.txt", &changed);
        let output = ran(&[command, &[path.to_str().expect("a path")]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.status.code(), stderr.lines().count()),
            (Some(2), 1),
            "{part}: {stderr}"
        );
        assert!(stderr.contains(part), "{part}: {stderr}");
    };
    let judge: &[&str] = &["judge", "--game"];
    refused("end: ", "end: not ", judge, "the rules say");
    refused("\n   = fair", "\n   = scratch", judge, "the rules say `fair");
    refused("1. seat 0 break", "1. seat 1 break", judge, "seat 0 is asked");
    refused("1. seat 0 break", "1. seat 0 brake", judge, "not a line of a game");
    refused("max_shots=12", "max_shots=11", judge, "the frame is over");
    refused("max_shots=12", "max_shts=12", judge, "did you mean `max_shots`?");
    refused("\n   @ ", "\n   # ", judge, "`|` without `@`");
    refused("\n   | ", "\n   | 1-2, ", judge, "1 was at rest");
    refused("cloth=900", "cloth=901", &["replay"], "played again");
    refused(" angle ", " angel ", &["replay"], "[cue X,Y] [angle A power P]");
}
