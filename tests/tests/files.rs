//! What commands do to files that are there, to pipes and to each other.
#![cfg(unix)]

use cuebench_tests::process::{fed, interrupted, piped, refused, stderr, wait_for};
use cuebench_tests::{cuebench, workspace};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

const EXPERIMENT: &str = "game = \"frame\"\nagents = [\"threshold\"]\nskills = [[2.0, 2.0]]\n\
    frames = 1000\nseed = 3\n";
const LONG: &str = "game = \"frame\"\nagents = [\"threshold\", \"random\"]\nframes = 900_000_000\n";
const EVENT: &str = "event = \"e\"\ngame = \"frame\"\nseeds = [1, 2]\n[[bot]]\nid = \"a\"\n\
    agent = \"threshold\"\n[[bot]]\nid = \"b\"\nagent = \"random\"\n";
const SHOT: &str = "{\"pockets\":\"pool\",\"cloth\":1000,\"restitution\":800,\
    \"balls\":{\"white\":[600000,600000]},\"angle\":0,\"power\":300}\n";

/// A folder and the command in it.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
        path
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect(name)
    }

    fn command(&self, words: &str) -> Command {
        let mut command = cuebench();
        command.current_dir(self.0.path()).args(words.split_whitespace());
        command
    }

    fn run(&self, words: &str) -> Output {
        self.command(words).stdin(Stdio::null()).output().expect("runs")
    }

    fn runs(&self, words: &str) -> Output {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(0), "{words}: {}", stderr(&output));
        output
    }
}

#[test]
fn out_on_a_device_a_fifo_or_a_link_is_written_through_and_never_replaced() {
    let desk = Desk::new();
    desk.runs("simulate-shots --frames 3 --out expected.csv");
    let expected = desk.read("expected.csv");
    desk.runs("simulate-shots --frames 3 --out /dev/null");
    assert!(fs::metadata("/dev/null").expect("there").file_type().is_char_device());
    let full = desk.run("simulate-shots --frames 3 --out /dev/full");
    refused(&full, &["/dev/full: cannot be written"]);

    assert!(Command::new("mkfifo").arg(desk.path("fifo")).status().expect("runs").success());
    let fifo = desk.path("fifo");
    let reader = std::thread::spawn(move || fs::read(fifo).expect("read"));
    desk.runs("simulate-shots --frames 3 --out fifo");
    assert_eq!(reader.join().expect("no panic"), expected);
    assert!(fs::metadata(desk.path("fifo")).expect("there").file_type().is_fifo());

    desk.write("far/away.csv", "old");
    symlink("far/away.csv", desk.path("link")).expect("linked");
    desk.runs("simulate-shots --frames 3 --out link");
    assert!(desk.path("link").is_symlink());
    assert_eq!(desk.read("far/away.csv"), expected);
    symlink("nowhere", desk.path("dangling")).expect("linked");
    refused(
        &desk.run("simulate-shots --frames 3 --out dangling"),
        &["dangling: a link to nothing"],
    );
    refused(&desk.run("table --pockets pool --svg far"), &["far: a folder"]);
}

#[test]
fn an_output_over_one_of_the_inputs_is_refused() {
    let desk = Desk::new();
    desk.runs("simulate-shots --frames 40 --out log.csv --breaks-out breaks.csv");
    let definition = fs::read_to_string(workspace().join("engine/games/eightball.yaml"));
    desk.write("game.yaml", &definition.expect("the shipped definition"));
    desk.write("out/e.csv", EXPERIMENT);
    desk.write("ev/manifest.json", EVENT);
    desk.write("settings.toml", "tables_per_round = 6\n");
    desk.write("bot.py", "");
    symlink("log.csv", desk.path("link.csv")).expect("linked");
    for (words, input) in [
        ("calibrate --shots log.csv --breaks breaks.csv --out log.csv", "log.csv"),
        ("calibrate --shots log.csv --breaks breaks.csv --out link.csv", "log.csv"),
        ("calibrate --definition game.yaml --shots log.csv --out game.yaml", "game.yaml"),
        ("calibrate --shots breaks.csv --template .", "breaks.csv"),
        ("simulate-shots --definition game.yaml --out game.yaml", "game.yaml"),
        ("simulate-shots --players @log.csv --breaks-out log.csv", "log.csv"),
        ("solve --definition game.yaml --states game.yaml", "game.yaml"),
        ("learn frames --definition game.yaml --out game.yaml", "game.yaml"),
        ("learn race --config settings.toml --out settings.toml", "settings.toml"),
        ("learn race --config settings.toml --out w --dataset settings.toml", "settings.toml"),
        ("run out/e.csv --force", "out/e.csv"),
        ("tournament ev/manifest.json --out ev", "ev/manifest.json"),
        ("check-bot --transcript bot.py -- sh bot.py", "bot.py"),
    ] {
        let before = desk.read(input);
        refused(&desk.run(words), &["would be written over", "name another file"]);
        assert_eq!(desk.read(input), before, "{words}");
    }
    refused(&desk.run("simulate-shots --out one --breaks-out one"), &["the output"]);
    // What the shell opened for reading is an input too.
    desk.write("shots.jsonl", SHOT);
    for words in ["shot --svg shots.jsonl", "estimate --svg shots.jsonl"] {
        let input = fs::File::open(desk.path("shots.jsonl")).expect("opened");
        let output = desk.command(words).stdin(input).output().expect("runs");
        refused(&output, &["shots.jsonl: would be written over standard input"]);
    }
    desk.write("event.toml", EVENT);
    desk.runs("tournament event.toml --out event");
    let games = desk.read("event/games.csv");
    refused(&desk.run("replay event --game 0 --svg event/games.csv"), &["would be written over"]);
    assert_eq!(desk.read("event/games.csv"), games);
}

#[test]
fn run_over_rows_that_are_there_without_resume_or_force_is_refused() {
    let desk = Desk::new();
    desk.write("e.toml", EXPERIMENT);
    desk.runs("run e.toml");
    let rows = desk.read("out/e.csv");
    refused(&desk.run("run e.toml --seed 4"), &["out/e.csv: is there", "--resume", "--force"]);
    assert_eq!(desk.read("out/e.csv"), rows);
    desk.runs("run e.toml --resume");
    assert_eq!(desk.read("out/e.csv"), rows);
    desk.runs("run e.toml --seed 4 --force");
    assert_ne!(desk.read("out/e.csv"), rows);
    // A row that is none, before one that is: nothing is thrown away.
    let torn = [&rows[..], b"e,one\n"].concat();
    fs::write(desk.path("out/e.csv"), &torn).expect("written");
    refused(&desk.run("run e.toml --seed 4 --resume"), &["out/e.csv: line 3 is no row"]);
    assert_eq!(desk.read("out/e.csv"), torn);
}

#[test]
fn of_two_runs_in_one_folder_the_second_is_refused_by_name() {
    let desk = Desk::new();
    desk.write("long.toml", LONG);
    desk.write("e.toml", EXPERIMENT);
    desk.write("event.toml", EVENT);
    let mut first = piped(&mut desk.command("run long.toml --threads 1"));
    wait_for(&mut first, || desk.path("out/long.csv").exists());
    for words in ["run e.toml", "run long.toml --resume", "tournament event.toml --out out"] {
        let words = [words, "--json"].join(" ");
        refused(&desk.run(&words), &["out: `cuebench run long (process ", "writes there"]);
    }
    assert!(!desk.path("out/e.csv").exists() && !desk.path("out/games.csv").exists());
    assert_eq!(interrupted(first).status.code(), Some(130));
    desk.runs("run e.toml");
}

#[test]
fn an_interrupted_training_keeps_trained_weights_exits_130_and_resumes() {
    let desk = Desk::new();
    desk.write(
        "settings.toml",
        "tables_per_round = 6\nsims = 60\nstrength_tables = 4\nstrength_sims = 60\n",
    );
    let learn = |words: &str| format!("learn race --config settings.toml --seed 5 {words}");
    desk.runs(&learn("--tables 6 --out w.safetensors --dataset data.csv"));
    let files = ["w.safetensors", "w-curve.csv", "w-reliability.csv", "data.csv"];
    let trained = files.map(|name| desk.read(name));
    fs::remove_file(desk.path("w.checkpoint")).expect("removed");

    let words = learn("--tables 600000 --out w.safetensors --dataset data.csv");
    let mut child = piped(&mut desk.command(&words));
    wait_for(&mut child, || desk.path("w.checkpoint").exists());
    let output = interrupted(child);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(output.stdout.is_empty() && stderr(&output).contains("--resume"));
    assert_eq!(files.map(|name| desk.read(name)), trained);

    // Rounds done so far and one more.
    let error = stderr(&output);
    let rounds = error.rsplit_once("stopped after ").expect("told").1;
    let rounds: u64 = rounds.split(' ').next().expect("a number").parse().expect("a number");
    let tables = format!("--tables {}", 6 * (rounds + 1));
    desk.runs(&learn(&format!("{tables} --out w.safetensors --resume")));
    desk.runs(&learn(&format!("{tables} --out alone.safetensors")));
    assert_eq!(desk.read("w.safetensors"), desk.read("alone.safetensors"));
    assert_ne!(desk.read("w.safetensors"), trained[0]);
}

#[test]
fn a_reader_that_goes_away_ends_a_command_quietly_with_exit_0() {
    let desk = Desk::new();
    desk.write("shots.jsonl", &SHOT.repeat(20_000));
    desk.write("strokes.jsonl", &"{\"angle\":1,\"power\":1}\n".repeat(50_000));
    desk.write("records.jsonl", &"{\"id\":1}\n".repeat(50_000));
    for (words, input) in [
        ("simulate-shots --frames 20000", ""),
        ("shot", "shots.jsonl"),
        ("race --seed 1 --json", "strokes.jsonl"),
        ("judge", "records.jsonl"),
    ] {
        let mut command = desk.command(words);
        if !input.is_empty() {
            command.stdin(fs::File::open(desk.path(input)).expect("opened"));
        }
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        stdout.read_line(&mut line).expect("a line");
        assert!(line.ends_with('\n'), "{words}");
        drop(stdout);
        let output = child.wait_with_output().expect("ends");
        assert_eq!(output.status.code(), Some(0), "{words}: {}", stderr(&output));
        assert!(!stderr(&output).contains("standard output"), "{words}: {}", stderr(&output));
    }
    // Nobody reads even the first byte.
    for words in
        ["table --pockets pool --json", "completions bash", "shots --count 5", "stats --wdl 5,1,2"]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = desk.command(words).stdout(writer).stderr(Stdio::piped()).output();
        let output = output.expect("runs");
        assert_eq!(output.status.code(), Some(0), "{words}: {}", stderr(&output));
        assert_eq!(stderr(&output), "", "{words}");
    }
}

#[test]
fn every_line_is_answered_at_once_when_the_output_is_a_pipe() {
    let stroke = "{\"angle\":90000,\"power\":500}\n";
    for (words, line) in
        [("shot", SHOT), ("race --seed 1 --json", stroke), ("judge", "{\"id\":7}\n")]
    {
        let mut child = piped(Desk::new().command(words).current_dir(workspace()));
        let mut stdin = child.stdin.take().expect("piped");
        let (sender, answers) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let reader = std::thread::spawn(move || {
            for answer in stdout.lines() {
                sender.send(answer.expect("text")).expect("heard");
            }
        });
        for _ in 0..3 {
            // The beginning of the next line does not hold up the answer.
            stdin.write_all(line.as_bytes()).expect("written");
            stdin.write_all(b" ").and_then(|()| stdin.flush()).expect("written");
            let answer = answers.recv_timeout(Duration::from_secs(30));
            let answer = answer.unwrap_or_else(|_| panic!("{words}: no answer"));
            serde_json::from_str::<Value>(&answer).expect("JSON");
        }
        drop(stdin);
        child.wait().expect("ends");
        let mut rest = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut rest).expect("text");
        reader.join().expect("no panic");
        assert_eq!(answers.iter().count(), 0, "{words}: {rest}");
    }
}

#[test]
fn the_format_of_lines_that_are_read_stands_in_the_help() {
    for words in ["shot", "race", "judge", "estimate"] {
        let help = Desk::new().runs_help(words);
        for word in if words == "estimate" { ["`after`", "µm"] } else { ["{\"", "line"] } {
            assert!(help.contains(word), "{words}: {help}");
        }
    }
    // The example in the help is one.
    let help = Desk::new().runs_help("shot");
    let begin = help.find("{\"id\"").expect("an example");
    let example = &help[begin..begin + help[begin..].find("\npockets").expect("its end")];
    let example = example.replace('\n', " ") + "\n";
    let output = fed(cuebench().arg("shot"), example.as_bytes());
    assert!(output.status.success(), "{example}: {}", String::from_utf8_lossy(&output.stdout));
}

impl Desk {
    fn runs_help(&self, words: &str) -> String {
        let output = self.command(words).arg("--help").current_dir(workspace()).output();
        String::from_utf8(output.expect("runs").stdout).expect("text")
    }
}

#[test]
fn drawings_of_an_earlier_game_do_not_mix_with_new_ones() {
    let desk = Desk::new();
    for game in ["snooker-race", "chess-pool"] {
        let play = |seed: u64| {
            let words = format!("play --game {game} --seed {seed} --agents random,random");
            desk.run(&format!("{words} --svg {game}"))
        };
        assert!(play(1).status.success());
        let drawings = || fs::read_dir(desk.path(game)).expect("listed").count();
        let before = drawings();
        assert!(before > 1);
        refused(&play(2), &[game, "is not empty"]);
        assert_eq!(drawings(), before);
    }
}
