//! `cuebench rate` and the ratings of `cuebench tournament` on the command line: what counts, what
//! waits, and what is too little to tell.

use cuebench_experiments::output::rows::Row as _;
use cuebench_experiments::output::rows::tournament::GameRow;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Output;

fn rate(path: &Path) -> Output {
    cuebench_tests::cuebench().arg("rate").arg(path).arg("--json").output().expect("runs")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// A game: event, pair, bots, seed, order, result, why a's and b's game ended.
type Line<'a> = (&'a str, u32, [&'a str; 2], u64, u8, &'a str, [&'a str; 2]);

/// A file of games.
fn games(lines: &[Line<'_>]) -> String {
    let names: Vec<&str> = GameRow::KIND.columns.iter().map(|column| column.name).collect();
    let mut text = names.join(",") + "\n";
    for (index, (event, pair, [a, b], seed, order, result, [why_a, why_b])) in
        lines.iter().enumerate()
    {
        writeln!(
            text,
            "{event},{index},{pair},{seed},{order},0,{a},{b},1,1,{result},{why_a},{why_b},,,,,0,0,\
             score,,,,,0,,,,"
        )
        .expect("a string takes it");
    }
    text
}

const PLAY: [&str; 2] = ["play", "play"];

fn rated(lines: &[Line<'_>]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.csv");
    std::fs::write(&path, games(lines)).expect("written");
    json(&rate(&path))
}

fn notes(report: &Value) -> String {
    report["notes"].to_string()
}

/// Twelve seeds have one of two games, two have both: two seeds and four games count.
#[test]
fn incomplete_pairs_wait_and_are_named() {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for seed in 1..=14 {
        lines.push(("e", 0, ["x", "y"], seed, 0, "1", PLAY));
        if seed <= 2 {
            lines.push(("e", 0, ["x", "y"], seed, 1, "0", PLAY));
        }
    }
    let report = rated(&lines);
    let pair = &report["pairs"][0];
    assert_eq!((&pair["blocks"], &pair["games"]), (&2.into(), &4.into()), "{report}");
    assert_eq!(pair["score_a"], 0.5);
    assert!(notes(&report).contains("12 seeds have one of two games"), "{report}");
    assert!(notes(&report).contains("seed 3, 4"), "{report}");
}

#[test]
fn little_information_looks_like_little() {
    // One game: an interval, but no error, rank or chance of the bots.
    let report = rated(&[("e", 0, ["x", "y"], 1, 0, "1", PLAY)]);
    for row in report["ratings"].as_array().expect("rows") {
        for field in ["elo_error", "elo_low", "elo_high", "first", "rank"] {
            assert_eq!(row[field], Value::Null, "{field}: {row}");
        }
        assert_eq!(row["untold"], "one_seed");
        let [low, high] = ["score_low", "score_high"].map(|end| row[end].as_f64().expect("there"));
        assert!(low < high && high - low > 0.7, "{row}");
    }
    let pair = &report["pairs"][0];
    let [elo, error] = ["elo", "elo_error"].map(|name| pair[name].as_f64().expect("there"));
    assert!(error > elo + 100.0, "the interval holds 0 well inside: {pair}");
    assert!(notes(&report).contains("too little to tell about x, y"), "{report}");

    // Thirty draws: an interval by the rule of the pair's table.
    let draws: Vec<Line<'_>> =
        (1..=30).map(|seed| ("e", 0, ["x", "y"], seed, 0, "0.5", PLAY)).collect();
    let report = rated(&draws);
    let pair = report["pairs"][0]["elo_error"].as_f64().expect("there");
    for row in report["ratings"].as_array().expect("rows") {
        let error = row["elo_error"].as_f64().expect("there");
        assert!((error - pair / 2.0).abs() < 1e-6 && error > 50.0, "{row}");
        let first = row["first"].as_f64().expect("there");
        assert!((first - 0.5).abs() < 0.05, "{row}");
    }

    // Groups that never met: errors within each, but no rank and no chance across them.
    let mut lines: Vec<Line<'_>> = Vec::new();
    for seed in 1..=40 {
        let won = |every: u64| if seed % every == 0 { "0" } else { "1" };
        lines.push(("e", 0, ["a", "b"], seed, 0, won(3), PLAY));
        lines.push(("e", 1, ["c", "d"], seed, 0, won(4), PLAY));
    }
    let report = rated(&lines);
    for row in report["ratings"].as_array().expect("rows") {
        assert_eq!((&row["rank"], &row["first"]), (&Value::Null, &Value::Null), "{row}");
        assert!(row["elo_error"].as_f64() > Some(0.0) && row["untold"] == "groups", "{row}");
    }
    assert!(notes(&report).contains("never met"), "{report}");
}

/// A bot that joined for one game leaves the others' errors as they are.
#[test]
fn one_game_of_a_newcomer_spoils_nobody() {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for seed in 1..=60 {
        lines.push(("e", 0, ["a", "b"], seed, 0, if seed % 3 == 0 { "0" } else { "1" }, PLAY));
    }
    let without = rated(&lines);
    lines.push(("e", 1, ["a", "new"], 1, 0, "0", PLAY));
    let with = rated(&lines);
    let of = |report: &Value, bot: &str| {
        let rows = report["ratings"].as_array().expect("rows").clone();
        rows.into_iter().find(|row| row["bot"] == bot).expect("rated")
    };
    let [before, after] = [&without, &with].map(|report| of(report, "b")["elo_error"].clone());
    let [before, after] = [before, after].map(|error| error.as_f64().expect("told"));
    assert!((after / before - 1.0).abs() < 0.05, "{before} {after}");
    assert_eq!(of(&with, "new")["untold"], "one_seed");
    assert_eq!(of(&with, "a")["rank"], 1);
}

/// Rows of a second event are its own games, not repeats.
#[test]
fn a_second_event_is_known_by_its_key() {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for event in ["spring", "autumn"] {
        for seed in 1..=10 {
            let result = if (seed % 3 == 0) == (event == "spring") { "1" } else { "0" };
            lines.push((event, 0, ["a", "b"], seed, 0, result, PLAY));
        }
    }
    // The same number stands for other bots there.
    lines.push(("winter", 0, ["b", "c"], 1, 0, "1", PLAY));
    let report = rated(&lines);
    let games: u64 =
        report["pairs"].as_array().expect("rows").iter().filter_map(|p| p["games"].as_u64()).sum();
    assert_eq!(games, 21, "{report}");
    assert!(!notes(&report).contains("repeat"), "{report}");
    assert!(notes(&report).contains("3 events are rated together"), "{report}");
}

/// Windows line ends and a byte-order mark change nothing.
#[test]
fn a_spreadsheet_may_have_saved_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines: Vec<Line<'_>> = (1..=20)
        .map(|seed| ("e", 0, ["x", "y"], seed, 0, ["0", "1", "1"][seed as usize % 3], PLAY))
        .collect();
    let (plain, path) = (games(&lines), folder.path().join("games.csv"));
    let of = |text: String| {
        std::fs::write(&path, text).expect("written");
        json(&rate(&path))
    };
    let expected = of(plain.clone());
    assert_eq!(of(plain.replace('\n', "\r\n")), expected);
    assert_eq!(of("\u{feff}".to_owned() + &plain.replace('\n', "\r\n")), expected);
    assert_eq!(of("\u{feff}".to_owned() + &plain), expected);
}

/// Six hundred bad rows at the end are named and kept, by `rate` and by `--resume`.
#[test]
fn rows_that_are_no_games_are_named_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let event = folder.path().join("event.toml");
    let file = "event = \"e\"\ngame = \"frame\"\nseeds = [1, 3]\n[[bot]]\nid = \"a\"\nagent = \
                \"threshold\"\n[[bot]]\nid = \"b\"\nagent = \"random\"\n";
    std::fs::write(&event, file).expect("written");
    let play = |resume: bool| {
        let mut command = cuebench_tests::cuebench();
        command.arg("tournament").arg(&event).arg("--out").arg(folder.path().join("out"));
        command.args(resume.then_some("--resume")).arg("--json").output().expect("runs")
    };
    assert!(play(false).status.success());
    let path = folder.path().join("out/games.csv");
    let whole = std::fs::read_to_string(&path).expect("there");
    let row = whole.lines().nth(1).expect("a row").replacen(",play,", ",1-0,play,", 1) + "\n";
    let bad = whole.clone() + &row.repeat(600);
    std::fs::write(&path, &bad).expect("written");
    for output in [rate(&path), play(true)] {
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("line 8") && error.contains("599 more"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).expect("there"), bad);
    }
    // One torn last line goes.
    std::fs::write(&path, whole.clone() + &row[..30]).expect("written");
    assert!(notes(&json(&rate(&path))).contains("line 8 has no end"));
    assert!(play(true).status.success());
    assert_eq!(std::fs::read_to_string(&path).expect("there"), whole);
}

/// One file gives one log-likelihood ratio and one table, whoever reads it; games that are played
/// beyond the decision are not rated.
#[test]
fn rate_and_tournament_say_the_same() {
    for (game, extra, bots) in [
        ("frame", "[sprt]\nelo0 = 0\nelo1 = 60\nmax_seeds = 3000\n", ["threshold", "random"]),
        ("snooker-race", "mirror = 20\n", ["random", "first_hit"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let [a, b] = bots;
        let (head, tables) = if extra.starts_with('[') { ("", extra) } else { (extra, "") };
        let file = format!(
            "event = \"e\"\ngame = \"{game}\"\nseeds = [5, 34]\nconcurrency = 7\n{head}{tables}\
             [[bot]]\nid = \"a\"\nagent = \"{a}\"\n[[bot]]\nid = \"b\"\nagent = \"{b}\"\n"
        );
        let event = folder.path().join("event.toml");
        std::fs::write(&event, file).expect("written");
        let mut command = cuebench_tests::cuebench();
        command.arg("tournament").arg(&event).arg("--out").arg(folder.path().join("out"));
        let played = json(&command.arg("--json").output().expect("runs"));
        let rated = json(&rate(&folder.path().join("out/games.csv")));
        assert_eq!(rated, played, "{game}");
        // The same numbers stand in every file, and in the table but for its digits.
        let read = |name: &str| std::fs::read_to_string(folder.path().join("out").join(name));
        let summary: Value =
            serde_json::from_str(&read("summary.json").expect("there")).expect("JSON");
        assert_eq!(summary, played);
        let ratings = read("ratings.csv").expect("there");
        let mut rate = cuebench_tests::cuebench();
        let table =
            rate.arg("rate").arg(folder.path().join("out/games.csv")).output().expect("runs");
        let table = String::from_utf8(table.stdout).expect("text");
        for row in played["ratings"].as_array().expect("rows") {
            let error = row["elo_error"].as_f64().expect("told");
            assert!(ratings.contains(&format!(",{error},")), "{error}: {ratings}");
            assert!(table.contains(&format!("{error:.1}")), "{error}: {table}");
            let [elo, low, high] =
                ["elo", "elo_low", "elo_high"].map(|name| row[name].as_f64().expect("told"));
            assert!((high - elo - error).abs() < 1e-9 && (elo - low - error).abs() < 1e-9, "{row}");
        }
        let pair = &played["pairs"][0];
        if game == "frame" {
            let blocks = played["sprt"]["blocks"].as_u64().expect("a count");
            assert_eq!(pair["blocks"].as_u64(), Some(blocks), "{played}");
            let rows = std::fs::read_to_string(folder.path().join("out/games.csv")).expect("there");
            // No more than four games for each of seven workers run ahead.
            assert!(rows.lines().count() as u64 <= 1 + 2 * blocks + 4 * 7, "{blocks}");
        } else {
            // Every seed counts once; the twenty copies count nowhere.
            assert_eq!((&pair["blocks"], &pair["games"]), (&30.into(), &30.into()), "{played}");
        }
    }
}

/// An overloaded machine: double time-outs before a stroke are no results, and the event says so
/// before anything else.
#[test]
fn only_games_that_were_played_rate() {
    let late = ["timeout", "timeout"];
    let lines: Vec<Line<'_>> = (1..=20)
        .map(|seed| ("e", 0, ["x", "y"], seed, 0, "0.5", if seed > 2 { late } else { PLAY }))
        .collect();
    let report = rated(&lines);
    assert_eq!(report["pairs"][0]["games"], 2, "{report}");
    assert_eq!((&report["trouble"]["void"], &report["trouble"]["games"]), (&18.into(), &20.into()));
    let warning = report["warning"].as_str().expect("a warning");
    assert!(warning.starts_with("90 % of 20 games") && warning.contains("load"), "{warning}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.csv");
    std::fs::write(&path, games(&lines)).expect("written");
    let output = cuebench_tests::cuebench().arg("rate").arg(&path).output().expect("runs");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("WARNING: 90 %"));
    // One time-out of twenty is what happens.
    let few: Vec<Line<'_>> = (1..=20)
        .map(|seed| {
            ("e", 0, ["x", "y"], seed, 0, "1", if seed > 19 { ["play", "timeout"] } else { PLAY })
        })
        .collect();
    assert_eq!(rated(&few)["warning"], Value::Null);
}

/// Five hundred bots: a dry run counts what a game costs beside the thinking, and the ratings.
#[test]
fn a_dry_run_of_five_hundred_bots_is_not_instant() {
    let folder = tempfile::tempdir().expect("a folder");
    let event = folder.path().join("event.toml");
    let mut file =
        "event = \"big\"\ngame = \"frame\"\nseeds = [1, 1]\nconcurrency = 4\n".to_owned();
    for bot in 0..500 {
        writeln!(file, "[[bot]]\nid = \"b{bot}\"\nagent = \"threshold\"").expect("a string");
    }
    std::fs::write(&event, file).expect("written");
    let mut command = cuebench_tests::cuebench();
    command.arg("tournament").arg(&event).args(["--dry-run", "--json"]);
    let report = json(&command.output().expect("runs"));
    assert_eq!(report["games"], 249_500);
    assert!(report["estimate_s"].as_f64() > Some(249_500.0 * 15e-6 / 4.0), "{report}");
}

/// A test over 2^40 seeds takes no more memory than the games that are played.
#[test]
fn a_test_of_two_to_the_forty_seeds_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let event = folder.path().join("event.toml");
    let file = "event = \"huge\"\ngame = \"frame\"\nseeds = [1, 10]\n[sprt]\nelo0 = 0\nelo1 = 60\n\
                max_seeds = 1099511627776\n[[bot]]\nid = \"a\"\nagent = \"threshold\"\n[[bot]]\n\
                id = \"b\"\nagent = \"random\"\n";
    std::fs::write(&event, file).expect("written");
    let mut command = cuebench_tests::cuebench();
    command.arg("tournament").arg(&event).arg("--out").arg(folder.path().join("out"));
    let output = command.arg("--json").output().expect("runs");
    assert_eq!(json(&output)["sprt"]["decision"], "H1");
}
