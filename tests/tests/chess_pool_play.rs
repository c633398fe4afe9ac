//! Chess pool at the command line: a readable playthrough that is diffed and replayed, drawings,
//! experiments with the same rows at any number of threads, refusals.

use cuebench_engine::chess_pool::call::Call;
use cuebench_experiments::chess_pool::game_file::{Said, read};
use cuebench_experiments::chess_pool::referee::Referee;
use cuebench_tests::{cuebench, workspace};
use std::fs;
use std::path::Path;

const PLAYTHROUGH: &str = "tests/playthroughs/chess_pool.txt";
const PLAYED: &[&str] =
    &["play", "--game", "chess-pool", "--seed", "7", "--agents", "search:sims=60,threshold"];

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

/// The playthrough goes through the rules twice: on the engine, and from its records alone.
#[test]
fn the_playthrough_replays_through_the_rules() {
    let text = fs::read_to_string(workspace().join(PLAYTHROUGH)).expect("a playthrough");
    let mut game = read(&text, &[]).expect("a game");
    let (mut recorded, mut played) =
        (Referee::new(&game.setup, game.breaker), Referee::new(&game.setup, game.breaker));
    let mut moves = 0;
    for entry in &mut game.entries {
        let shot = matches!(entry.said, Said::Break { .. } | Said::Shot { .. });
        assert_eq!([entry.happened.is_some(), entry.verdict.is_some()], [shot; 2]);
        moves += u32::from(matches!(entry.said, Said::Shot { call: Call::Move { .. }, .. }));
        recorded.enter(entry).expect("as the text says");
        entry.happened = None;
        played.enter(entry).expect("the same verdict on the engine");
        assert_eq!(recorded.state(), played.state());
    }
    assert!(recorded.state().winner().is_some() && moves >= 3, "{moves} moves");
    recorded.check_ending(&game.ending.expect("an ending").1).expect("as the text says");
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
    assert_eq!(steps[0]["seat"], 1);
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
        "the race has no option `cloth`",
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
