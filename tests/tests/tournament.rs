//! Tournaments on the command line: resuming after kills, the example bots, the sequential test.
#![cfg(unix)]

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn tournament(folder: &Path, out: &str) -> Command {
    let mut command = cuebench_tests::cuebench();
    command.arg("tournament").arg(folder.join("event.toml")).arg("--out").arg(folder.join(out));
    command.arg("--json");
    command
}

fn write(folder: &Path, file: &str) {
    std::fs::write(folder.join("event.toml"), file).expect("written");
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

fn example(name: &str) -> String {
    cuebench_tests::workspace().join("agents/examples").join(name).display().to_string()
}

/// What of a row does not depend on the machine: everything but times, in the order of the
/// schedule.
fn games(folder: &Path) -> BTreeSet<Vec<String>> {
    let text = std::fs::read_to_string(folder.join("games.csv")).expect("games.csv");
    assert!(text.ends_with('\n'), "a half row");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let times = |name: &str| name.contains("_ms") || name.starts_with("time");
    let kept = |row: Vec<String>| -> Vec<String> {
        assert_eq!(row.len(), header.len(), "{row:?}");
        let cells = row.into_iter().zip(&header).filter(|(_, name)| !times(name));
        cells.map(|(cell, _)| cell).collect()
    };
    let rows: Vec<Vec<String>> = lines.map(kept).collect();
    let set: BTreeSet<Vec<String>> = rows.iter().cloned().collect();
    assert_eq!(set.len(), rows.len(), "a game twice");
    set
}

/// Killed twenty times without warning, an event ends with the games of one that was left alone.
#[test]
fn twenty_kills_change_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = "event = \"kills\"\ngame = \"frame\"\nseeds = [1, 400]\nconcurrency = 2\n\
                    [limits]\nclock_s = 60\nstart_s = 30\n"
        .to_owned();
    file +=
        &format!("[[bot]]\nid = \"py\"\ncommand = [\"python3\", {:?}]\n", example("frame_bot.py"));
    for agent in ["threshold", "always_attack"] {
        file += &format!("[[bot]]\nid = \"{agent}\"\nagent = \"{agent}\"\n");
    }
    write(folder.path(), &file);
    let salt = "00112233445566778899aabbccddeeff";
    let alone = tournament(folder.path(), "alone").args(["--salt", salt]).output().expect("runs");
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));
    let mut kills = 0;
    for round in 0..20_u64 {
        let mut child = tournament(folder.path(), "killed")
            .args(["--salt", salt, "--resume"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("runs");
        // Moments spread over start, play and end.
        std::thread::sleep(Duration::from_millis(20 + round * 37 % 400));
        if child.try_wait().expect("there").is_none() {
            child.kill().expect("killed");
            kills += 1;
        }
        child.wait().expect("collected");
    }
    assert!(kills > 5, "the event is too short for this test");
    let last = tournament(folder.path(), "killed").args(["--salt", salt, "--resume"]).output();
    let last = last.expect("runs");
    assert!(last.status.success(), "{}", String::from_utf8_lossy(&last.stderr));
    let expected = games(&folder.path().join("alone"));
    assert_eq!(expected.len(), 3 * 400 * 2);
    assert_eq!(games(&folder.path().join("killed")), expected);
    for name in ["ratings.csv", "pairs.csv", "summary.json"] {
        let read = |out: &str| std::fs::read_to_string(folder.path().join(out).join(name));
        assert_eq!(read("killed").expect("there"), read("alone").expect("there"), "{name}");
    }
    let replays = std::fs::read_to_string(folder.path().join("killed/replays.jsonl"));
    assert_eq!(replays.expect("there").lines().count(), expected.len());
}

/// Built-in agents alone make an event that depends on nothing but its file.
#[test]
fn events_of_built_in_agents_repeat_at_any_concurrency() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = "event = \"same\"\ngame = \"frame\"\nseeds = [1, 50]\n".to_owned();
    for agent in ["threshold", "always_attack", "random"] {
        file += &format!("[[bot]]\nid = \"{agent}\"\nagent = \"{agent}\"\n");
    }
    write(folder.path(), &file);
    for (out, concurrency) in [("one", "1"), ("two", "2"), ("seven", "7")] {
        let output = tournament(folder.path(), out).args(["--concurrency", concurrency]).output();
        assert!(output.expect("runs").status.success());
    }
    let all = ["one", "two", "seven"].map(|out| games(&folder.path().join(out)));
    assert!(all[0].len() == 300 && all[0] == all[1] && all[0] == all[2]);
    let again = tournament(folder.path(), "one").output().expect("runs");
    assert_eq!(again.status.code(), Some(2), "a folder with games is not played over");
    assert!(String::from_utf8_lossy(&again.stderr).contains("--resume"));
    write(folder.path(), &file.replace("[1, 50]", "[1, 60]"));
    let other = tournament(folder.path(), "one").arg("--resume").output().expect("runs");
    assert_eq!(other.status.code(), Some(2), "another event is not gone on with");
    assert!(String::from_utf8_lossy(&other.stderr).contains("seeds"));
}

/// A clear difference ends the test early, with the same decision however it is resumed; the
/// weaker side as the first bot accepts H0 and fails the check.
#[test]
fn a_sequential_test_stops_and_sticks() {
    for (agents, code, decision) in
        [(["threshold", "random"], 0, "H1"), (["random", "threshold"], 1, "H0")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = "event = \"sprt\"\ngame = \"frame\"\nseeds = [1, 10]\n[sprt]\nelo0 = 0\n\
                        elo1 = 60\nmax_seeds = 5000\n"
            .to_owned();
        for agent in agents {
            file += &format!("[[bot]]\nid = \"{agent}\"\nagent = \"{agent}\"\n");
        }
        write(folder.path(), &file);
        let first = tournament(folder.path(), "out").output().expect("runs");
        assert_eq!(first.status.code(), Some(code), "{}", String::from_utf8_lossy(&first.stderr));
        let summary = json(&first);
        assert_eq!(summary["sprt"]["decision"], decision);
        assert_eq!(summary["biased"], true);
        assert!(summary["sprt"]["blocks"].as_u64().expect("a count") < 5000);
        let second = tournament(folder.path(), "out").arg("--resume").output().expect("runs");
        assert_eq!(json(&second), summary);
    }
}

/// The Rust example, built as its page says.
fn rust_example() -> String {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--workspace", "--example", "race_bot"]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    let built = build.current_dir(cuebench_tests::workspace()).status().expect("cargo runs");
    assert!(built.success(), "the example does not build");
    let binary = cuebench_tests::cuebench().get_program().to_owned();
    Path::new(&binary).with_file_name("examples/race_bot").display().to_string()
}

/// The example bots conform.
#[test]
fn example_bots_conform() {
    let python = |script| vec!["python3".to_owned(), example(script)];
    for (command, game) in [
        (python("race_bot.py"), "snooker-race"),
        (python("frame_bot.py"), "frame"),
        (vec![rust_example()], "snooker-race"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let transcript = folder.path().join("transcript.txt");
        let output = cuebench_tests::cuebench()
            .args(["check-bot", "--json", "--start-s", "30", "--transcript"])
            .arg(&transcript)
            .arg("--")
            .args(&command)
            .output()
            .expect("runs");
        let report = json(&output);
        assert!(output.status.success(), "{report}");
        assert_eq!((&report["game"], &report["conforms"]), (&game.into(), &true.into()));
        assert_eq!(report["steps"].as_array().expect("steps").len(), 7);
        let text = std::fs::read_to_string(transcript).expect("a transcript");
        assert!(text.contains(" ms > {\"type\":\"hello\"") && text.contains(" ms < {"), "{text}");
    }
}

/// The example bots of the race play each other to the end, and score as they should: the one
/// that aims at pockets more than the one that hits the ball on and hopes.
#[test]
fn example_bots_play_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = format!(
        "event = \"examples\"\ngame = \"snooker-race\"\nseeds = [1, 20]\n[limits]\nstart_s = 30\n\
         [[bot]]\nid = \"ghost\"\ncommand = [\"python3\", {:?}]\n\
         [[bot]]\nid = \"straight\"\ncommand = [{:?}]\n",
        example("race_bot.py"),
        rust_example(),
    );
    write(folder.path(), &file);
    let output = tournament(folder.path(), "out").output().expect("runs");
    let summary = json(&output);
    let ratings = summary["ratings"].as_array().expect("ratings");
    assert_eq!(ratings[0]["bot"], "ghost", "{summary}");
    assert!(ratings[0]["score"].as_f64() > Some(0.6), "{summary}");
    for rating in ratings {
        assert_eq!((&rating["games"], &rating["forfeits"]), (&20.into(), &0.into()), "{summary}");
    }
}

/// A kept game, played again, ends as its row says, with aiming noise too.
#[test]
fn a_replay_ends_as_its_row_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "event = \"noisy\"\ngame = \"snooker-race\"\nseeds = [1, 10]\n[options]\n\
                noise = \"olympiad\"\n[[bot]]\nid = \"a\"\nagent = \"learned:hip\"\n[[bot]]\n\
                id = \"b\"\nagent = \"first_hit\"\n";
    write(folder.path(), file);
    assert!(tournament(folder.path(), "out").output().expect("runs").status.success());
    let rows = games(&folder.path().join("out"));
    let mut scores = BTreeSet::new();
    for row in rows {
        let (game, expected) = (&row[1], [&row[13], &row[14]].map(|score| score.clone()));
        let mut replay = cuebench_tests::cuebench();
        replay.arg("replay").arg(folder.path().join("out")).args(["--game", game]);
        let text = String::from_utf8(replay.output().expect("runs").stdout).expect("text");
        // The last line of a seat is `why it closed, score S, N strokes`.
        let ends = text.lines().filter(|line| line.ends_with(" strokes"));
        let ends: Vec<&str> = ends
            .filter_map(|line| line.split_once("score ")?.1.split_once(','))
            .map(|(score, _)| score)
            .collect();
        assert_eq!(ends, expected, "game {game}: {text}");
        scores.insert(expected);
    }
    assert!(scores.len() > 3, "the games are too much alike for this test");
}

/// Bots that do not conform are told at which step and why.
#[test]
fn check_bot_names_the_step_and_the_cause() {
    for (script, failed, cause) in [
        ("exit 3", 2, "exit code 3"),
        ("sleep 100", 2, "did you flush"),
        ("read l; echo hello; sleep 100", 2, "not JSON"),
        ("read l; echo '{\"type\":\"hello\",\"id\":1,\"name\":\"x\"}'; sleep 100", 3, "new_game"),
    ] {
        let output = cuebench_tests::cuebench()
            .args(["check-bot", "--json", "--start-s", "2", "--", "sh", "-c", script])
            .output()
            .expect("runs");
        assert_eq!(output.status.code(), Some(1), "{script}");
        let report = json(&output);
        let steps = report["steps"].as_array().expect("steps");
        let step = steps.iter().find(|step| step["passed"] == false).expect("one fails");
        assert_eq!(step["number"], failed, "{report}");
        assert!(step["detail"].as_str().expect("text").contains(cause), "{report}");
    }
    let missing = cuebench_tests::cuebench().args(["check-bot", "--", "no-such-program"]).output();
    let missing = missing.expect("runs");
    assert_eq!(missing.status.code(), Some(2));
    let error = String::from_utf8_lossy(&missing.stderr);
    assert!(missing.stdout.is_empty() && error.lines().count() == 1, "{error}");
    assert!(error.contains("no program `no-such-program` in PATH"), "{error}");
}

#[test]
fn a_dry_run_writes_nothing_and_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        "event = \"dry\"\ngame = \"snooker-race\"\nseeds = [1, 200]\nconcurrency = 2\n\
         [[bot]]\nid = \"a\"\ncommand = [\"no-such-program\"]\n[[bot]]\nid = \"b\"\n\
         agent = \"random\"\n[[bot]]\nid = \"c\"\nagent = \"first_hit\"\n",
    );
    let output = tournament(folder.path(), "out").arg("--dry-run").output().expect("runs");
    let report = json(&output);
    assert_eq!((&report["games"], &report["pairs"]), (&600.into(), &3.into()));
    assert_eq!(report["at_most_s"], 18_000.0);
    assert!(!folder.path().join("out").exists());
}

/// Ratings from the published baseball table (Agresti 2002, p. 438).
#[test]
fn rate_takes_any_table_of_wins_draws_and_losses() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["Bal", "Bos", "Cle", "Det", "Mil", "NY", "Tor"];
    let wins = [
        [0, 1, 7, 4, 2, 3, 1],
        [12, 0, 7, 2, 6, 7, 6],
        [6, 6, 0, 4, 4, 6, 5],
        [9, 11, 9, 0, 6, 5, 7],
        [11, 7, 9, 7, 0, 7, 9],
        [10, 6, 7, 8, 6, 0, 6],
        [12, 7, 8, 6, 4, 7, 0],
    ];
    let mut table = "home,away,wins,draws,losses\n".to_owned();
    for i in 0..7 {
        for j in i + 1..7 {
            table += &format!("{},{},{},0,{}\n", names[i], names[j], wins[i][j], wins[j][i]);
        }
    }
    let path = folder.path().join("baseball.csv");
    std::fs::write(&path, table).expect("written");
    let output = cuebench_tests::cuebench().arg("rate").arg(&path).arg("--json").output();
    let report = json(&output.expect("runs"));
    for (row, (name, elo)) in report["ratings"].as_array().expect("rows").iter().zip([
        ("Mil", 92.27),
        ("Det", 67.09),
        ("Tor", 42.44),
        ("NY", 34.29),
        ("Bos", 9.99),
        ("Cle", -63.64),
        ("Bal", -182.44),
    ]) {
        assert_eq!(row["bot"], name);
        assert!((row["elo"].as_f64().expect("a number") - elo).abs() < 6e-3, "{row}");
    }
}

#[test]
fn stats_speaks_json_and_refuses_nonsense() {
    let stats = |words: &[&str]| {
        cuebench_tests::cuebench().arg("stats").args(words).arg("--json").output().expect("runs")
    };
    let words = ["--penta", "127,4883,10712,5150,104", "--sprt", "-1.75,0.25"];
    let report = json(&stats(&[&words[..], &["--model", "normalized"]].concat()));
    assert!((report["llr"].as_f64().expect("a number") - 3.0102).abs() < 6e-5, "{report}");
    assert_eq!(report["decision"], "H1");
    // Every game lost: far bounds are no reason to accept H1 (exact: -19.12).
    let words = ["--penta", "10,0,0,0,0", "--sprt=0,400", "--model", "normalized"];
    let report = json(&stats(&words));
    assert!((report["llr"].as_f64().expect("a number") + 19.12).abs() < 0.005, "{report}");
    assert_eq!(report["decision"], "H0");
    let report = json(&stats(&["--wdl", "18446744073709551615,0,0", "--sprt=0,5"]));
    for name in ["elo", "elo_error", "nelo", "nelo_error", "los", "llr"] {
        assert!(report[name].as_f64().is_some_and(f64::is_finite), "{name}: {report}");
    }
    for words in [
        &["--wdl", "1,2"][..],
        &["--wdl", "0,0,0"],
        &["--wdl", "1,-2,3"],
        &["--wdl", "1,2,3", "--penta", "1,2,3,4,5"],
        &["--wdl", "1,2,3", "--sprt", "5,0"],
        &["--wdl", "1,2,3", "--sprt", "0,5", "--alpha", "0.7"],
    ] {
        let output = stats(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{words:?}");
    }
}
