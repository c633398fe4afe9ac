//! Logs as people have them, definitions as they are written, reports as they are read.

use cuebench_tests::cuebench;
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str]) -> Output {
    cuebench().args(arguments).output().expect("cuebench runs")
}

fn json(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON; stderr: {error}"))
}

fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    path.display().to_string()
}

const HEADER: &str = "frame,shot,player,opponent,leave,call,result,count\n";
const ROWS: &str = "1,1,ann,bob,easy,shot,miss,4\n1,2,ann,bob,easy,shot,pot_position,5\n\
                    1,3,ann,bob,easy,shot,pot_no_position,5\n1,4,bob,ann,easy,shot,miss,2\n\
                    1,5,bob,ann,easy,shot,pot_position,3\n1,6,bob,ann,easy,safety,safe_good,2\n\
                    1,7,bob,ann,easy,safety,safe_poor,2\n1,8,bob,ann,easy,shot,pot_no_position,1\n";

fn estimates(log: &str) -> Value {
    json(&run(&["calibrate", "--shots", log, "--json"]))["estimates"].clone()
}

#[test]
fn semicolons_tabs_empty_rows_gzip_and_standard_input_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("{HEADER}{ROWS}");
    let expected = estimates(&write(folder.path(), "plain.csv", &text));
    for (name, other) in [
        ("semicolons.csv", text.replace(',', ";")),
        ("tabs.csv", text.replace(',', "\t")),
        ("empty.csv", format!("{text},,,,,,,\n,,,,,,,\n\n")),
        ("crlf.csv", format!("\u{feff}{}", text.replace('\n', "\r\n"))),
    ] {
        assert_eq!(estimates(&write(folder.path(), name, other)), expected, "{name}");
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).expect("packed");
    let packed = write(folder.path(), "log.csv.gz", packed.finish().expect("packed"));
    assert_eq!(estimates(&packed), expected);
    // A pipe is read once, duplicates are found in it all the same.
    let piped = |text: &str| {
        let mut child = cuebench()
            .args(["calibrate", "--shots", "-", "--json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("cuebench runs");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
        child.wait_with_output().expect("an end")
    };
    assert_eq!(json(&piped(&text))["estimates"], expected);
    let twice = error(&piped(&format!("{text}1,2,ann,bob,easy,shot,miss,1\n")));
    assert!(
        twice.contains("standard input, line 10") && twice.contains("stands already"),
        "{twice}"
    );
    // Decimal commas where no comma stands between cells.
    let geometry = "player;theta_deg;l_ob_mm;l_cb_mm;call;result\nann;21,5;640;815;shot;miss\n";
    let log = write(folder.path(), "geometry.csv", geometry);
    assert_eq!(json(&run(&["calibrate", "--shots", &log, "--json"]))["data"]["shot_rows"], 1);
}

#[test]
fn all_bad_rows_are_listed_and_a_player_is_not_his_own_opponent() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = format!("{HEADER}{ROWS}");
    for shot in 0..30 {
        text.push_str(&format!("2,{shot},ann,bob,nowhere,shot,miss,1\n"));
    }
    let listed = error(&run(&["calibrate", "--shots", &write(folder.path(), "bad.csv", &text)]));
    assert!(listed.contains("30 bad rows") && listed.contains("the first 20"), "{listed}");
    assert_eq!(listed.matches("`nowhere` is no known leave").count(), 20, "{listed}");
    assert!(
        listed.contains("line 10") && listed.contains("line 29") && !listed.contains("line 30,")
    );
    let own = format!("{HEADER}{ROWS}2,1,ann,ann,easy,shot,miss,1\n");
    let own = write(folder.path(), "own.csv", own);
    assert!(error(&run(&["calibrate", "--shots", &own])).contains("cannot play against himself"));
    let dropped = json(&run(&["calibrate", "--shots", &own, "--skip-bad", "--json"]));
    assert_eq!(dropped["data"]["dropped_by_reason"][0]["reason"], "player_is_opponent");
}

#[test]
fn near_names_of_columns_are_asked_about() {
    let folder = tempfile::tempdir().expect("a folder");
    for near in ["Count", "weight", "counts"] {
        let text = format!("{}{ROWS}", HEADER.replace("count", near));
        let log = write(folder.path(), "log.csv", text);
        let asked = error(&run(&["calibrate", "--shots", &log]));
        let remedies = [format!("--column count={near}"), format!("--ignore {near}")];
        assert!(remedies.iter().all(|remedy| asked.contains(remedy)), "{asked}");
        let mapped = format!("count={near}");
        let output = run(&["calibrate", "--shots", &log, "--column", &mapped, "--json"]);
        let rows = |output: &Output| json(output)["fit"]["rows"].as_u64().expect("a count");
        assert!(
            rows(&output) > rows(&run(&["calibrate", "--shots", &log, "--ignore", near, "--json"]))
        );
    }
    // Columns that are nothing like ours are nobody's business.
    let notes = HEADER.replace("count", "count,venue");
    let rows = ROWS.replace('\n', ",hall\n");
    let log = write(folder.path(), "venue.csv", format!("{notes}{rows}"));
    assert!(json(&run(&["calibrate", "--shots", &log, "--json"]))["data"]["shot_rows"] == 8);
}

#[test]
fn odd_names_are_warned_of_shown_safely_and_may_hold_commas() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = |player: &str, result: &str| format!("{player},easy,shot,{result},6\n");
    let mut text = "player,leave,call,result,count\n".to_owned();
    for player in ["ann", "Ann", "1", "1.0", "nan", "\"Smith, J.\"", "e\u{1b}[31mvil"] {
        for result in ["miss", "pot_position", "pot_no_position"] {
            text.push_str(&row(player, result));
        }
    }
    let log = write(folder.path(), "odd.csv", &text);
    let output = run(&["calibrate", "--shots", &log]);
    let (shown, notes) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for pair in ["`Ann` and `ann`", "`1` and `1.0`", "called `nan`"] {
        assert!(notes.contains(pair), "{pair}: {notes}");
    }
    assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b), "{shown}");
    assert!(shown.contains("skill.Smith, J."), "{shown}");
    let held = run(&["calibrate", "--shots", &log, "--json", "--fix", "\"skill.Smith, J.=2\",c=1"]);
    let document = json(&held);
    let lines = document["estimates"].as_array().expect("a list");
    let smith = lines.iter().find(|line| line["name"] == "skill.Smith, J.").expect("named");
    assert_eq!((smith["estimate"].as_f64(), &smith["standing"]), (Some(2.0), &"held".into()));
}

#[test]
fn out_writes_the_skills_of_two_players_or_says_why_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = write(folder.path(), "log.csv", format!("{HEADER}{ROWS}"));
    let out = folder.path().join("out.yaml").display().to_string();
    let report = folder.path().join("report").display().to_string();
    let base = ["calibrate", "--shots", &log, "--json", "--firth", "--out", &out];
    let skill = |document: &Value, name: &str| {
        let lines = document["estimates"].as_array().expect("a list").clone();
        let found = lines.into_iter().find(|line| line["name"] == format!("skill.{name}"));
        found.expect("named")["estimate"].as_f64().expect("finite")
    };
    let written = || fs::read_to_string(&out).expect("written");
    let document = json(&run(&base));
    let [ann, bob] = ["ann", "bob"].map(|name| skill(&document, name));
    assert!(written().contains(&format!("init: [{ann:?}, {bob:?}]")), "{}", written());
    let named = [&base[..], &["--players", "bob,ann"]].concat();
    assert!(run(&named).status.code() != Some(2));
    assert!(written().contains(&format!("init: [{bob:?}, {ann:?}]")), "{}", written());
    let solved = json(&run(&[
        "solve",
        "--definition",
        &out,
        "--agents",
        "always_attack,always_attack",
        "--json",
    ]));
    assert!(solved["p0_win"].is_number() || solved.to_string().contains("win"), "{solved}");
    let third =
        format!("{HEADER}{ROWS}2,1,cy,ann,easy,shot,miss,3\n2,2,cy,ann,easy,shot,pot_position,3\n");
    let log = write(folder.path(), "three.csv", third);
    let three =
        ["calibrate", "--shots", &log, "--json", "--firth", "--out", &out, "--report", &report];
    let document = json(&run(&three));
    let why = "skills stay 2.0: the log has 3 players; name two with --players";
    assert!(document["notes"].to_string().contains(why), "{}", document["notes"]);
    assert!(written().contains("init: 2.0"));
    let page = fs::read_to_string(Path::new(&report).join("report.html")).expect("a page");
    assert!(page.contains(why));
}

#[test]
fn the_price_of_position_is_called_g_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = write(folder.path(), "log.csv", format!("{HEADER}{ROWS}"));
    let by = |fix: &str| run(&["calibrate", "--shots", &log, "--json", "--fix", fix]).stdout;
    assert_eq!(by("G=1.5"), by("c=1.5"));
    assert!(!by("G=1.5").is_empty());
}

#[test]
fn a_report_tells_files_command_version_date_and_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let star = "2,1,cy,ann,easy,shot,pot_position,12\n";
    let log = write(folder.path(), "log.csv", format!("{HEADER}{ROWS}{star}"));
    let report = folder.path().join("report");
    run(&["calibrate", "--shots", &log, "--report", &report.display().to_string()]);
    let page = fs::read_to_string(report.join("report.html")).expect("a page");
    let version = format!("cuebench {}", env!("CARGO_PKG_VERSION"));
    for words in ["log.csv", "the shipped definition", "calibrate --shots", &version, "Glossary"] {
        assert!(page.contains(words), "{words}");
    }
    let year = Command::new("date").args(["-u", "+%Y-%m-"]).output().expect("date runs");
    assert!(page.contains(String::from_utf8_lossy(&year.stdout).trim()));
    // A separated parameter is drawn with an arrow; shares have an axis of their own.
    let intervals = fs::read_to_string(report.join("intervals.svg")).expect("a plot");
    assert!(intervals.contains("skill.cy") && intervals.contains('\u{25b6}'), "{intervals}");
    let shares = fs::read_to_string(report.join("shares.svg")).expect("a plot");
    assert!(shares.contains("P_SCRATCH") && !intervals.contains("P_SCRATCH"));
}

#[test]
fn predict_plays_as_the_log_does_and_compares_every_pairing() {
    let folder = tempfile::tempdir().expect("a folder");
    let [shots, breaks] =
        ["shots.csv", "breaks.csv"].map(|n| folder.path().join(n).display().to_string());
    let players = "ann=2.5,bob=1.8,cid=2.1";
    let output = run(&[
        "simulate-shots",
        "--players",
        players,
        "--frames",
        "60",
        "--out",
        &shots,
        "--breaks-out",
        &breaks,
    ]);
    assert!(output.status.success());
    let base = ["predict", "--shots", &shots, "--breaks", &breaks, "--draws", "40", "--json"];
    let document = json(&run(&base));
    let predictions = document["predictions"].as_array().expect("a list");
    assert_eq!(predictions.len(), 6 * 6, "six pairings of three players");
    // The log explores, and so do the drawn logs: its length is no surprise.
    let length = &document["predictive"][1];
    let number = |value: &Value| value.as_f64().expect("a number");
    let [low, high] = [0, 1].map(|i| number(&length["interval95"][i]));
    assert!((low..=high).contains(&number(&length["observed"])), "{length}");
    assert!(document["distributions"].as_array().expect("a list").len() > 10);
    // Calls by leave and skill: hard leaves are shot at in one of ten where threshold plays safe.
    let calls = document["calls"].as_array().expect("a list");
    let share = |leave: &str, player: &str| {
        let of = |row: &&Value| row["leave"] == leave && row["player"] == player;
        number(&calls.iter().find(of).expect("a row")["share"])
    };
    assert!(share("easy", "ann") > 0.75 && share("very_hard", "bob") < 0.3, "{calls:?}");
    let agent =
        |policy: &str| run(&[&base[..], &["--players", "ann,bob", "--policy", policy]].concat());
    for policy in ["threshold:explore=0.2", "optimal", "random"] {
        let document = json(&agent(policy));
        assert_eq!(document["predictions"].as_array().expect("a list").len(), 6, "{policy}");
    }
    assert!(error(&agent("treshold")).contains("did you mean `threshold`"));
}

#[test]
fn simulate_shots_lays_out_one_game_for_any_number_of_players() {
    let begun = std::time::Instant::now();
    let output = run(&["simulate-shots", "--players", "1000", "--frames", "3000"]);
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.lines().count() > 30_000);
    // Laying out each of 3000 pairs took 37 ms a pair, optimised.
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}
