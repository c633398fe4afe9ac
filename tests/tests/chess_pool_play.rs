//! Chess pool at the command line: a readable playthrough that is diffed and replayed, drawings,
//! experiments with the same rows at any number of threads, refusals.

use cuebench_engine::chess_pool::action::{Action, Phase};
use cuebench_engine::chess_pool::call::Call;
use cuebench_engine::chess_pool::frame::{Finished, Rules, State};
use cuebench_engine::chess_pool::notation::{of_outcome, parse};
use cuebench_engine::chess_pool::piece::Ball;
use cuebench_engine::chess_pool::play::{Event, LastShot, pool_table};
use cuebench_engine::units::Point;
use cuebench_tests::{cuebench, workspace};
use std::fs;
use std::path::Path;

const PLAYTHROUGH: &str = "tests/playthroughs/chess_pool.txt";
const PLAYED: &[&str] = &[
    "play",
    "--game",
    "chess-pool",
    "--seed",
    "7",
    "--agents",
    "search:sims=60:replies=2,threshold",
];

fn output(arguments: &[&str]) -> String {
    let output = cuebench().args(arguments).output().expect("cuebench runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// `BLESS=1` writes the playthrough anew.
#[test]
fn the_playthrough_is_as_it_was_committed() {
    let text = output(PLAYED);
    let path = workspace().join(PLAYTHROUGH);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &text).expect("written");
    }
    let committed = fs::read_to_string(&path).expect("a playthrough");
    assert!(text == committed, "it differs from {PLAYTHROUGH}; BLESS=1 writes it anew");
}

/// One answer of a playthrough, with the record and the verdict if it was a shot.
struct Answer<'a> {
    words: Vec<&'a str>,
    record: Option<&'a str>,
    verdict: Option<&'a str>,
}

fn answers(text: &str) -> Vec<Answer<'_>> {
    let mut answers: Vec<Answer<'_>> = vec![];
    for line in text.lines().map(str::trim) {
        match line.split_once(' ') {
            Some(("|", record)) => answers.last_mut().expect("an answer").record = Some(record),
            Some(("=", verdict)) => answers.last_mut().expect("an answer").verdict = Some(verdict),
            Some(("#" | "end:", _)) | None => {}
            Some(_) => {
                let answer = &line[line.find("seat ").expect(line)..];
                let words = answer.split(' ').skip(2).collect();
                answers.push(Answer { words, record: None, verdict: None });
            }
        }
    }
    answers
}

fn point(text: &str) -> Point {
    let (x, y) = text.split_once(',').expect(text);
    Point::new(x.parse().expect(x), y.parse().expect(y))
}

fn action(words: &[&str]) -> Action {
    let after =
        |key: &str| words.iter().position(|word| *word == key).map(|index| words[index + 1]);
    let number = |key| after(key).expect(key).parse().expect(key);
    let call = |words: &[&str]| match words {
        ["move", pair, ..] => {
            let (capturer, target) = pair.split_once('x').expect(pair);
            let ball = |text: &str| text.parse::<Ball>().expect(text);
            Call::Move { capturer: ball(capturer), target: ball(target) }
        }
        _ => Call::Slop,
    };
    match words[0] {
        "break" => Action::Break {
            cue: point(after("cue").expect("a place")),
            angle: number("angle"),
            power: number("power"),
        },
        "side" => {
            let side = serde_json::from_value(words[1].into()).expect("a side");
            Action::Side { side }
        }
        "king" => Action::King { replace: words[1].parse().expect("a ball") },
        _ => Action::Shot {
            call: call(words),
            angle: number("angle"),
            power: number("power"),
            cue: after("cue").map(point),
        },
    }
}

/// The sample game goes through the rules twice: on the engine, and from its records alone (with
/// the engine's places of rest).
#[test]
fn the_sample_game_replays_through_the_rules() {
    let text = fs::read_to_string(workspace().join(PLAYTHROUGH)).expect("a playthrough");
    let table = pool_table(1000, 750).expect("a table");
    let (mut state, mut shot) = (State::new(Rules::default(), 0), LastShot::default());
    let mut moves = 0;
    for answer in answers(&text) {
        let action = action(&answer.words);
        let mut recorded = state;
        let event = state.apply(&table, &action, &mut shot).expect("legal");
        let (Some(record), Some(verdict)) = (answer.record, answer.verdict) else {
            assert!(matches!(event, Event::Side | Event::King));
            continue;
        };
        assert_eq!(of_outcome(&shot.outcome), record);
        let notes = parse(record).expect(record);
        let pocketed: Vec<Ball> = notes.falls.iter().map(|(ball, _)| *ball).collect();
        let balls = shot.outcome.balls;
        let finished = Finished { balls, contacts: &notes.contacts, pocketed: &pocketed };
        let judged = match action {
            Action::Shot { call, .. } => {
                moves += u32::from(call != Call::Slop);
                recorded.settle_shot(call, &finished, |_| ()).expect("legal").to_string()
            }
            _ => recorded.settle_break(&finished, |_| ()).expect("a break").to_string(),
        };
        assert_eq!(judged, verdict);
        assert_eq!(recorded, state, "the record alone leads to the same state");
    }
    assert_eq!(state.phase(), Phase::Over);
    assert!(state.winner().is_some() && moves >= 3, "{moves} moves");
}

#[test]
fn drawings_show_the_board_and_every_ball_by_letter() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a path");
    let mut arguments = PLAYED.to_vec();
    arguments.extend(["--svg", path, "--json", "--breaker", "1"]);
    let played: serde_json::Value = serde_json::from_str(&output(&arguments)).expect("JSON");
    let steps = played["steps"].as_array().expect("steps");
    assert_eq!(fs::read_dir(path).expect("listed").count(), steps.len());
    let image = fs::read_to_string(Path::new(path).join("001.svg")).expect("an image");
    for text in ["r", "n", "b", "q", "R", "N", "B", "Q", "K", "a", "h", "1", "4"] {
        assert!(image.contains(&format!(">{text}</text>")), "{text}");
    }
    for colour in ["#f2c11d", "#1f5fbf", "#c8281e", "#6f2f9f", "#111111"] {
        assert!(image.contains(colour), "{colour}");
    }
    assert_eq!(played["breaker"], 1);
    assert!(steps[0]["verdict"]["fair"].is_boolean() && steps[0]["state"]["version"] == 1);
}

const EXPERIMENT: &str = "\
game = \"chess-pool\"
seed = 3
agents = [[\"random:aimed=1\", \"threshold\"], [\"search:sims=16\", \"random\"]]
frames = 6
[grid]
max_shots = [10, 40]
win_on_last_swap = true
";

#[test]
fn rows_are_the_same_at_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pool.toml");
    fs::write(&file, EXPERIMENT).expect("written");
    let run = |threads: &str| {
        let out = folder.path().join(threads);
        let [file, to] = [&file, &out].map(|path| path.to_str().expect("a path"));
        output(&["run", file, "--out", to, "--threads", threads]);
        ["pool.csv", "pool-summary.csv"]
            .map(|name| fs::read_to_string(out.join(name)).expect("a file"))
    };
    let one = run("1");
    assert_eq!(one.each_ref().map(|text| text.lines().count()), [25, 5]);
    assert_eq!(one, run("2"));
    assert_eq!(one, run("7"));
}

#[test]
fn slips_are_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bad.toml");
    let refused = |arguments: &[&str], part: &str| {
        let output = cuebench().args(arguments).output().expect("cuebench runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(stderr.contains(part), "{arguments:?}: {stderr}");
    };
    let play =
        |agents: &'static str| ["play", "--game", "chess-pool", "--seed", "1", "--agents", agents];
    refused(&play("serach,random"), "did you mean `search`?");
    refused(&play("search:sims=0,random"), "sims");
    refused(&play("random"), "two");
    refused(&[&play("random,random")[..], &["--set", "clot=1"]].concat(), "did you mean `cloth`?");
    refused(
        &["play", "--seed", "1", "--agents", "random,random", "--set", "cloth=1"],
        "--game chess-pool",
    );
    for (text, part) in [
        ("frames = 3", "even number"),
        ("frames = 0", "even number"),
        ("frames = 2\n[grid]\nclothh = 1", "did you mean `cloth`?"),
        ("frames = 2\nagentz = 1", "did you mean `agents`?"),
    ] {
        let head = "game = \"chess-pool\"\nseed = 1\nagents = [[\"random\", \"random\"]]\n";
        fs::write(&file, format!("{head}{text}\n")).expect("written");
        refused(&["run", file.to_str().expect("a path")], part);
    }
}
