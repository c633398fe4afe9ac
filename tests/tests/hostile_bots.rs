//! Bots that misbehave: the tournament goes on, the row says what happened, nothing is left behind.
#![cfg(target_os = "linux")]

use cuebench_agents::external::launch::can_hide;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Name of the variable that marks everything that a test starts.
const MARK: &str = "CUEBENCH_TEST_MARK";
const CLOCK_MS: u64 = 1000;
const START_MS: u64 = 4000;
/// What an organiser may lose on a bot beyond its clock.
const PATIENCE_MS: u64 = 3000;

type Row = BTreeMap<String, String>;

fn rows(path: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(path).expect("games.csv");
    let mut lines = text.lines().map(fields);
    let header = lines.next().expect("a header");
    lines.map(|line| header.iter().cloned().zip(line).collect()).collect()
}

/// The fields of a line, quoted or not.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                field.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    fields
}

/// Processes that carry `mark` in their environment.
fn marked(mark: &str) -> Vec<String> {
    let entry = format!("{MARK}={mark}");
    let processes = std::fs::read_dir("/proc").expect("/proc");
    processes
        .flatten()
        .filter(|process| {
            let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
            environment.split(|&b| b == 0).any(|variable| variable == entry.as_bytes())
        })
        .map(|process| {
            let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            format!("{:?} {}", process.file_name(), String::from_utf8_lossy(&command))
        })
        .collect()
}

/// Nothing of a test may be left; what was killed just now may need a moment to vanish.
fn nothing_left(mark: &str) {
    for _ in 0..50 {
        if marked(mark).is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("left behind: {:?}", marked(mark));
}

/// A gauntlet of the built-in first_hit against a bot of each kind.
fn gauntlet(folder: &Path, mark: &str, modes: &[&str], limits: &str, seeds: u32) -> Vec<Row> {
    std::fs::write(folder.join("hostile.py"), include_str!("../src/hostile_bot.py"))
        .expect("written");
    let mut file = format!(
        "event = \"hostile\"\ngame = \"snooker-race\"\nformat = \"gauntlet\"\n\
         seeds = [1, {seeds}]\nconcurrency = 6\n[options]\nmax_shots = 10\n[limits]\n{limits}\n\
         [[bot]]\nid = \"house\"\nagent = \"first_hit\"\n"
    );
    for mode in modes {
        let command = match *mode {
            "missing" => "\"no-such-program-anywhere\"".to_owned(),
            mode => format!("\"python3\", \"hostile.py\", \"{mode}\""),
        };
        write!(
            file,
            "[[bot]]\nid = \"{mode}\"\ncommand = [{command}]\nenv = {{ {MARK} = \"{mark}\" }}\n"
        )
        .expect("written");
    }
    std::fs::write(folder.join("event.toml"), file).expect("written");
    let output = cuebench_tests::cuebench()
        .arg("tournament")
        .arg(folder.join("event.toml"))
        .arg("--out")
        .arg(folder.join("out"))
        .arg("--json")
        .env(MARK, mark)
        .env("ORGANISER_SECRET", "do not tell")
        .output()
        .expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    nothing_left(mark);
    rows(&folder.join("out/games.csv"))
}

/// What the rows of a kind must say: reason, a part of the note, whether the house must win.
const EXPECTED: [(&str, &str, &str, bool); 24] = [
    ("missing", "crash", "cannot be started", true),
    ("exit", "crash", "exit code 3", true),
    ("silent_hello", "timeout", "no answer to the hello", true),
    ("version", "protocol", "`name`", true),
    ("silent_ready", "timeout", "no answer to the new_game", true),
    ("silent_move", "timeout", "did you flush", false),
    ("exit_move", "crash", "exit code 7", true),
    ("segv", "crash", "SIGSEGV", true),
    ("flood", "protocol", "longer than", true),
    ("flood_logs", "protocol", "without an answer", true),
    ("half_line", "timeout", "without an end of line", false),
    ("late", "timeout", "", false),
    ("twice", "protocol", "twice", true),
    ("wrong_id", "timeout", "asked was", false),
    ("long_line", "protocol", "longer than", true),
    ("utf8", "protocol", "UTF-8", true),
    ("words", "protocol", "stderr", true),
    ("illegal", "illegal", "360000", true),
    ("fraction", "illegal", "1.5", true),
    ("no_power", "protocol", "power", true),
    ("memory", "crash", "memory limit", true),
    ("processes", "crash", "process limit", true),
    ("close", "crash", "standard output", true),
    ("ignore_term", "play", "", false),
];

#[test]
fn every_kind_of_misbehaviour_ends_in_a_row_that_names_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let modes: Vec<&str> = EXPECTED.iter().map(|(mode, ..)| *mode).collect();
    let mark = format!("kinds-{}", std::process::id());
    let limits = format!(
        "clock_s = {}\nstart_s = {}\nmemory_mib = 96\nprocesses = 8",
        CLOCK_MS as f64 / 1000.0,
        START_MS as f64 / 1000.0
    );
    let games = gauntlet(folder.path(), &mark, &modes, &limits, 2);
    assert_eq!(games.len(), 2 * EXPECTED.len());
    for (mode, reason, note, house_wins) in EXPECTED {
        let own: Vec<&Row> = games.iter().filter(|row| row["bot_b"] == mode).collect();
        assert_eq!(own.len(), 2, "{mode}");
        for row in own {
            assert_eq!(row["reason_b"], reason, "{row:?}");
            assert!(row["note_b"].contains(note), "{row:?}");
            assert_eq!(row["reason_a"], "play", "{row:?}");
            assert!(!house_wins || row["result"] == "1", "{row:?}");
            let wall: u64 = row["wall_ms"].parse().expect("a number");
            // Six at a time on a machine that may be busy: half as much again.
            let most = START_MS.max(CLOCK_MS) + PATIENCE_MS + PATIENCE_MS / 2;
            assert!(wall <= most, "{row:?}");
        }
    }
    let late = games.iter().find(|row| row["bot_b"] == "late").expect("played");
    let overrun: u64 = late["overrun_ms_b"].parse().expect("a late answer came");
    assert!((1..=1000).contains(&overrun), "{late:?}");
    assert_eq!(late["time_ms_b"], CLOCK_MS.to_string());
    let second = games.iter().filter(|row| row["note_b"].contains("not played")).count();
    // The bots that never came as far as hello, each in one of its two games.
    assert_eq!(second, 4);
}

#[test]
fn noise_and_children_do_no_harm_and_nothing_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("noise-{}", std::process::id());
    let limits = "clock_s = 5\nstart_s = 10";
    let games = gauntlet(folder.path(), &mark, &["stderr", "forks"], limits, 2);
    assert!(games.iter().all(|row| row["reason_b"] == "play"), "{games:?}");
    for entry in std::fs::read_dir(folder.path().join("out/stderr")).expect("there").flatten() {
        assert!(entry.metadata().expect("there").len() <= 1 << 20, "{entry:?}");
    }
}

#[test]
fn cpu_time_is_limited() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("cpu-{}", std::process::id());
    let limits = "clock_s = 20\nstart_s = 10\ncpu_s = 1";
    let games = gauntlet(folder.path(), &mark, &["cpu"], limits, 1);
    assert_eq!(games[0]["reason_b"], "crash", "{games:?}");
    assert!(games[0]["note_b"].contains("CPU limit"), "{games:?}");
}

#[test]
fn a_bot_finds_neither_the_secret_nor_a_way_to_tamper() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("peek-{}", std::process::id());
    let games = gauntlet(folder.path(), &mark, &["peek"], "clock_s = 5\nstart_s = 10", 1);
    assert_eq!(games[0]["reason_b"], "play", "{games:?}");
    let out = folder.path().join("out");
    let seen = std::fs::read_to_string(out.join("stderr/peek.0.txt"))
        .or_else(|_| {
            let any = std::fs::read_dir(out.join("stderr"))?.flatten().next().expect("a file");
            std::fs::read_to_string(any.path())
        })
        .expect("what it saw");
    assert!(seen.contains("OWN mine"), "its own folder is its own: {seen}");
    assert!(seen.contains("SECRET_OF_THE_HARNESS absent"), "{seen}");
    let manifest = std::fs::read_to_string(out.join("manifest.json")).expect("there");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    let salt = manifest["salt"].as_str().expect("published at the end");
    assert_eq!(salt.len(), 32);
    if can_hide() {
        assert!(!seen.contains(salt) && !seen.contains("do not tell"), "{seen}");
        for name in ["games.csv", "manifest.json", ".salt"] {
            assert!(seen.contains(&format!("REFUSED {name}")), "{seen}");
        }
    }
}
