//! A fourth game takes rules, how they are written down, a roster and one line in a registry, and
//! gets run, play, tournament, replay, resume and check-bot; processes play it everywhere.

#![cfg(unix)]

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A perfect player of Nim that speaks the protocol.
const BOT: &str = r#"import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print(json.dumps({"type": "hello", "id": m["id"], "name": "nim", "version": "1"}), flush=True)
    elif m["type"] == "new_game":
        print(json.dumps({"type": "ready", "id": m["id"]}), flush=True)
    elif m["type"] == "move":
        left = m["state"]["left"]
        print(json.dumps({"type": "move", "id": m["id"], "take": left % 4 or 1}), flush=True)
    elif m["type"] == "quit":
        break
"#;

fn nim(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cuebench-nim"));
    command.current_dir(folder).args(words).output().expect("it runs")
}

fn text(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bot.py"), BOT).expect("written");
    folder
}

#[test]
fn play_takes_the_game_and_a_process() {
    let folder = folder();
    let words =
        ["play", "--game", "nim", "--seed", "5", "--agents", "random,cmd:python3 bot.py", "--json"];
    let out: Value = serde_json::from_str(&text(&nim(folder.path(), &words))).expect("JSON");
    assert_eq!(out["game"], "nim");
    assert_eq!(out["seats"][1]["reason"], "play");
    assert_eq!(
        out["steps"].as_array().map(Vec::len),
        out["record"]["moves"].as_array().map(Vec::len)
    );
    let unknown = nim(folder.path(), &["play", "--game", "nmi", "--seed", "1", "--agents", "a,b"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("did you mean `nim`?"));
}

#[test]
fn run_gives_rows_with_intervals_and_resumes() {
    let folder = folder();
    let file = "game = \"nim\"\nseed = 1\ngames = 10\n\
                agents = [\"random\", { id = \"mine\", command = [\"python3\", \"bot.py\"] }]\n\
                [grid]\npile = [20, 21]\n";
    fs::write(folder.path().join("study.toml"), file).expect("written");
    let run = |out: &str| text(&nim(folder.path(), &["run", "study.toml", "--out", out, "--json"]));
    run("one");
    let rows = fs::read_to_string(folder.path().join("one/study.csv")).expect("rows");
    assert_eq!(rows.lines().count(), 1 + 2 * 2 * 10);
    let summary = fs::read_to_string(folder.path().join("one/study-summary.csv")).expect("sums");
    assert!(summary.contains("win_rate_low") && summary.lines().count() == 3, "{summary}");
    // A run that was cut goes on to the same games.
    fs::create_dir(folder.path().join("two")).expect("made");
    for name in ["study.csv", "study.manifest.json"] {
        fs::copy(folder.path().join("one").join(name), folder.path().join("two").join(name))
            .expect("copied");
    }
    let cut: String = rows.lines().take(8).map(|line| format!("{line}\n")).collect();
    fs::write(folder.path().join("two/study.csv"), cut).expect("cut");
    text(&nim(folder.path(), &["run", "study.toml", "--out", "two", "--resume"]));
    let timeless = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(folder.path().join(name)).expect("rows");
        text.lines().map(|line| line.rsplitn(3, ',').last().unwrap_or(line).to_owned()).collect()
    };
    assert_eq!(timeless("two/study.csv"), timeless("one/study.csv"));
}

#[test]
fn a_tournament_is_played_resumed_and_replayed() {
    let folder = folder();
    let file = "event = \"nims\"\ngame = \"nim\"\nseeds = [1, 6]\n[options]\npile = 24\n\
                [[bot]]\nid = \"mine\"\ncommand = [\"python3\", \"bot.py\"]\n\
                [[bot]]\nid = \"house\"\nagent = \"random\"\n";
    fs::write(folder.path().join("nims.toml"), file).expect("written");
    text(&nim(folder.path(), &["tournament", "nims.toml", "--out", "event"]));
    let games = fs::read_to_string(folder.path().join("event/games.csv")).expect("games");
    assert_eq!(games.lines().count(), 13);
    for game in ["0", "7"] {
        let shown = text(&nim(folder.path(), &["replay", "event", "--game", game]));
        assert!(shown.contains("verified"), "{shown}");
    }
    let cut: String = games.lines().take(5).map(|line| format!("{line}\n")).collect();
    fs::write(folder.path().join("event/games.csv"), cut).expect("cut");
    text(&nim(folder.path(), &["tournament", "nims.toml", "--out", "event", "--resume"]));
    let again = fs::read_to_string(folder.path().join("event/games.csv")).expect("games");
    assert_eq!(again.lines().count(), 13);
}

#[test]
fn check_bot_goes_through_its_steps() {
    let folder = folder();
    let words = ["check-bot", "--game", "nim", "--", "python3", "bot.py"];
    let shown = text(&nim(folder.path(), &words));
    assert!(shown.contains("the bot conforms"), "{shown}");
}
