//! Bots that misbehave: the tournament goes on, the row says what happened, nothing is left behind.
#![cfg(target_os = "linux")]

use cuebench_agents::external::launch::can_hide;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Name of the variable that marks everything that a test starts.
const MARK: &str = "CUEBENCH_TEST_MARK";

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

/// A bot of a gauntlet: its id and its command, as a TOML array.
type Entry = (&'static str, String);

/// A Python bot that misbehaves in the way its argument says.
fn python(mode: &'static str) -> Entry {
    (mode, format!("[\"python3\", \"hostile.py\", \"{mode}\"]"))
}

/// A shell bot, which starts at once: it says hello, gets ready, reads the first request for a
/// move and does what the script says.
fn shell(id: &'static str, script: &str) -> Entry {
    const READY: &str = "read l; echo '{\"type\":\"hello\",\"id\":1,\"name\":\"sh\"}'; \
                         read l; echo '{\"type\":\"ready\",\"id\":2}'; read l; ";
    (id, format!("[\"sh\", \"-c\", {:?}]", READY.to_owned() + script))
}

/// A gauntlet of the built-in first_hit against each of `bots`.
fn gauntlet(folder: &Path, mark: &str, bots: &[Entry], limits: &str, seeds: u32) -> Vec<Row> {
    std::fs::write(folder.join("hostile.py"), include_str!("../src/hostile_bot.py"))
        .expect("written");
    let mut file = format!(
        "event = \"hostile\"\ngame = \"snooker-race\"\nformat = \"gauntlet\"\n\
         seeds = [1, {seeds}]\nconcurrency = 3\n[options]\nmax_shots = 10\n[limits]\n{limits}\n\
         [[bot]]\nid = \"house\"\nagent = \"first_hit\"\n"
    );
    for (id, command) in bots {
        write!(
            file,
            "[[bot]]\nid = \"{id}\"\ncommand = {command}\nenv = {{ {MARK} = \"{mark}\" }}\n"
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

/// The one row of a bot.
fn row<'a>(rows: &'a [Row], bot: &str) -> &'a Row {
    let mut own = rows.iter().filter(|row| row["bot_b"] == bot);
    let row = own.next().unwrap_or_else(|| panic!("no row of {bot}"));
    assert!(own.next().is_none(), "two rows of {bot}");
    assert_eq!(row["reason_a"], "play", "{row:?}");
    row
}

/// Bots that let time run out: what the row must say, and whether the house must win.
#[test]
fn silence_costs_no_more_than_the_clock_and_a_little() {
    let say =
        |id: u32| format!("echo '{{\"type\":\"move\",\"id\":{id},\"angle\":0,\"power\":9}}'; ");
    let half = "printf '{\"type\":\"move\",\"id\":3'; sleep 1000";
    let bots = [
        ("no_hello", "[\"sh\", \"-c\", \"sleep 1000\"]".to_owned()),
        ("no_ready", "[\"sh\", \"-c\", \"read l; echo '{\\\"type\\\":\\\"hello\\\",\\\"id\\\":1,\\\"name\\\":\\\"x\\\"}'; sleep 1000\"]".to_owned()),
        shell("no_move", "sleep 1000"),
        shell("half_line", half),
        shell("late", &format!("sleep 1.3; {}cat > /dev/null", say(3))),
        shell("wrong_id", &format!("{}sleep 1000", say(99))),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("silence-{}", std::process::id());
    let games = gauntlet(folder.path(), &mark, &bots, "clock_s = 1\nstart_s = 3", 1);
    assert_eq!(games.len(), bots.len());
    for (bot, note, absent) in [
        ("no_hello", "no answer to the hello", true),
        ("no_ready", "no answer to the new_game", true),
        ("no_move", "did you flush", false),
        ("half_line", "without an end of line", false),
        ("late", "", false),
        ("wrong_id", "a reply to request 99 came, asked was 3", false),
    ] {
        let row = row(&games, bot);
        assert_eq!(row["reason_b"], "timeout", "{row:?}");
        assert!(row["note_b"].contains(note), "{row:?}");
        assert!(!absent || row["result"] == "1", "{row:?}");
        assert_eq!(row["time_ms_b"], "1000", "{row:?}");
        let wall: u64 = row["wall_ms"].parse().expect("a number");
        // What is lost on a bot is the limit it overruns and at most 3 s; a busy machine needs
        // time of its own to start processes.
        let limit = if absent { 3000 } else { 1000 };
        assert!(wall <= limit + 3000 + 3000, "{row:?}");
    }
    let overrun: u64 = row(&games, "late")["overrun_ms_b"].parse().expect("a late answer came");
    assert!((1..=1000).contains(&overrun), "{games:?}");
}

/// What the row of a kind must say.
const EXPECTED: [(&str, &str, &str); 17] = [
    ("exit", "crash", "exit code 3"),
    ("version", "protocol", "`name`"),
    ("exit_move", "crash", "exit code 7"),
    ("segv", "crash", "SIGSEGV"),
    ("flood", "protocol", "longer than"),
    ("flood_logs", "protocol", "without an answer"),
    ("twice", "protocol", "twice"),
    ("long_line", "protocol", "longer than"),
    ("utf8", "protocol", "UTF-8"),
    ("words", "protocol", "stderr"),
    ("illegal", "illegal", "360000"),
    ("fraction", "illegal", "1.5"),
    ("no_power", "protocol", "power"),
    ("memory", "crash", "memory limit"),
    ("processes", "crash", "process limit"),
    ("close", "crash", "standard output"),
    ("cpu", "crash", "CPU limit"),
];

#[test]
fn every_kind_of_misbehaviour_ends_in_a_row_that_names_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let bots: Vec<Entry> = EXPECTED.iter().map(|(mode, ..)| python(mode)).collect();
    let mark = format!("kinds-{}", std::process::id());
    let limits = "clock_s = 30\nstart_s = 30\nmemory_mib = 96\nprocesses = 8\ncpu_s = 2";
    let games = gauntlet(folder.path(), &mark, &bots, limits, 1);
    assert_eq!(games.len(), EXPECTED.len());
    for (mode, reason, note) in EXPECTED {
        let row = row(&games, mode);
        assert_eq!(row["reason_b"], reason, "{row:?}");
        assert!(row["note_b"].contains(note), "{row:?}");
        assert_eq!((&*row["result"], &*row["decided_by"]), ("1", "forfeit"), "{row:?}");
    }
}

#[test]
fn a_bot_that_cannot_be_started_loses_the_rest_unplayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("missing-{}", std::process::id());
    let bots = [("missing", "[\"sh\", \"-c\", \"exit 127\"]".to_owned())];
    let games = gauntlet(folder.path(), &mark, &bots, "clock_s = 5", 4);
    assert_eq!(games.len(), 4);
    assert!(games.iter().all(|row| row["reason_b"] == "crash" && row["result"] == "1"));
    let unplayed = games.iter().filter(|row| row["note_b"].contains("not played")).count();
    // Three games begin before anybody knows.
    assert!((1..=3).contains(&unplayed), "{games:?}");
}

#[test]
fn noise_and_children_do_no_harm_and_nothing_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("noise-{}", std::process::id());
    let limits = "clock_s = 30\nstart_s = 30";
    let bots = ["stderr", "forks", "ignore_term"].map(python);
    let games = gauntlet(folder.path(), &mark, &bots, limits, 2);
    assert!(games.iter().all(|row| row["reason_b"] == "play"), "{games:?}");
    for entry in std::fs::read_dir(folder.path().join("out/stderr")).expect("there").flatten() {
        assert!(entry.metadata().expect("there").len() <= 1 << 20, "{entry:?}");
    }
}

/// A process that gives up its group, session, environment and parent belongs to its bot all the
/// same, even when it is started in the bot's last moment.
#[test]
fn nothing_that_a_bot_starts_gets_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("escape-{}", std::process::id());
    let limits = "clock_s = 30\nstart_s = 30";
    let games = gauntlet(folder.path(), &mark, &[python("escapes")], limits, 2);
    assert!(games.iter().all(|row| row["reason_b"] == "play"), "{games:?}");
    let argument = format!("1000.{}", std::process::id());
    let left = std::fs::read_dir("/proc").expect("/proc").flatten().filter(|process| {
        let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        command.split(|&b| b == 0).any(|word| word == argument.as_bytes())
    });
    assert_eq!(left.count(), 0);
}

/// CPU time that a bot used between its last answer and the end of the game, while its opponent
/// thought for one second, ms.
fn pondered(allowed: bool) -> u64 {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("hostile.py"), include_str!("../src/hostile_bot.py"))
        .expect("written");
    let mut file = format!(
        "event = \"idle\"\ngame = \"snooker-race\"\nseeds = [1, 1]\nconcurrency = 1\ntogether = false\n[options]\nmax_shots = 10\n\
         [limits]\nclock_s = 30\nstart_s = 30\nponder = {allowed}\n"
    );
    for mode in ["ponder", "slow"] {
        let (id, command) = python(mode);
        write!(file, "[[bot]]\nid = \"{id}\"\ncommand = {command}\n").expect("written");
    }
    std::fs::write(folder.path().join("event.toml"), file).expect("written");
    let mut command = cuebench_tests::cuebench();
    command.arg("tournament").arg(folder.path().join("event.toml"));
    let output = command.arg("--out").arg(folder.path().join("out")).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = std::fs::read_to_string(folder.path().join("out/stderr/ponder.0.txt"));
    let said = said.expect("what it said");
    let used = said.split_once("used ").and_then(|(_, rest)| rest.split_once(" ms"));
    used.and_then(|(ms, _)| ms.parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

/// A bot does not take its opponent's processor, unless the organiser lets it.
#[test]
fn a_bot_rests_while_its_opponent_thinks() {
    let (rested, pondered) = (pondered(false), pondered(true));
    assert!(rested < 100 && pondered > 100, "{rested} ms, {pondered} ms");
}

#[test]
fn a_bot_finds_neither_the_secret_nor_a_way_to_tamper() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("peek-{}", std::process::id());
    let games = gauntlet(folder.path(), &mark, &[python("peek")], "clock_s = 30\nstart_s = 30", 1);
    assert_eq!(games[0]["reason_b"], "play", "{games:?}");
    let out = folder.path().join("out");
    let log = std::fs::read_dir(out.join("stderr")).expect("there").flatten().next();
    let seen = std::fs::read_to_string(log.expect("a file").path()).expect("what it saw");
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
