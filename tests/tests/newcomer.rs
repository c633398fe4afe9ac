//! What somebody who meets the program for the first time stumbles over.

use cuebench_tests::process::{fed, refused, stderr};
use cuebench_tests::{cuebench, workspace};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn command(folder: &Path, words: &str) -> Command {
    let mut command = cuebench();
    command.current_dir(folder).args(words.split_whitespace());
    command
}

fn run(folder: &Path, words: &str) -> Output {
    command(folder, words).output().expect("runs")
}

#[test]
fn results_go_to_a_folder_that_git_ignores_unless_they_are_sent_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = "game = \"frame\"\nagents = [\"threshold\"]\nframes = 100\n";
    fs::write(folder.path().join("e.toml"), experiment).expect("written");
    assert!(run(folder.path(), "run e.toml").status.success());
    assert!(folder.path().join("out/e.csv").exists());
    let ignored = fs::read_to_string(workspace().join(".gitignore")).expect(".gitignore");
    assert!(ignored.lines().any(|line| line == "/out"), "{ignored}");
}

/// Names of types of the program and the places where they could show.
#[test]
fn messages_never_show_types_of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let types =
        ["u8", "u16", "u32", "u64", "i32", "i64", "f64", "usize", "struct ", "enum ", "tuple"];
    let check = |what: &str, output: &Output| {
        let said = stderr(output) + &String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(2), "{what}: {said}");
        for word in types {
            assert!(!said.contains(word), "{what}: `{word}` in {said}");
        }
    };
    let shot = "{\"pockets\":\"pool\",\"cloth\":1000,\"restitution\":800,\
        \"balls\":{\"white\":[600000,600000]},\"angle\":0,\"power\":300}";
    for (words, line) in [
        ("shot", shot.replace(":0,", ":0.5,")),
        ("shot", shot.replace(":0,", ":-1,")),
        ("shot", shot.replace("[600000,600000]", "[1,2,3]")),
        ("shot", shot.replace("[600000,600000]", "\"here\"")),
        ("shot", shot.replace("\"pool\"", "7")),
        ("shot", "7".to_owned()),
        ("race --seed 1", "{\"angle\":-1,\"power\":1}".to_owned()),
        ("race --seed 1 --json", "[1.5,1]".to_owned()),
        ("race --seed 1", "7".to_owned()),
        (
            "judge",
            "{\"position\":7,\"shooter\":\"solids\",\"call\":{\"kind\":\"safe\"}}".to_owned(),
        ),
        ("judge", "{\"position\":{\"cue\":[0.5,1]},\"shooter\":7}".to_owned()),
        ("estimate", shot.replace(":0,", ":0.5,")),
    ] {
        check(
            &format!("{words} < {line}"),
            &fed(&mut command(folder.path(), words), line.as_bytes()),
        );
    }
    for (words, text) in [
        ("run x.toml", "game = \"frame\"\nagents = [\"random\"]\nframes = \"many\"\n"),
        ("run x.toml", "game = \"frame\"\nagents = 7\nframes = 10\n"),
        ("run x.toml", "game = \"frame\"\nagents = [\"random\"]\nframes = -1\n"),
        ("run x.toml", "game = \"snooker-race\"\nagents = [\"random\"]\ntables = 1.5\n"),
        ("run x.toml", "game = \"chess-pool\"\nagents = [[\"random\"]]\nframes = 2\n"),
        ("run x.toml", "game = 7\n"),
        ("tournament x.toml", "event = \"e\"\ngame = \"frame\"\nseeds = \"all\"\nbot = []\n"),
        ("tournament x.toml", "event = \"e\"\ngame = \"frame\"\nseeds = [1, 2]\nbot = 7\n"),
        ("learn race --out w --config x.toml", "sims = \"many\"\n"),
        ("learn race --out w --config x.toml", "sims = -1\n"),
    ] {
        fs::write(folder.path().join("x.toml"), text).expect("written");
        check(&format!("{words}: {text}"), &run(folder.path(), words));
    }
}

#[test]
fn an_error_of_the_grid_points_to_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let race = "game = \"snooker-race\"\nagents = [\"random\"]\ntables = 1\nseed = 1\n[grid]\n";
    let pool = "game = \"chess-pool\"\nagents = [[\"random\", \"random\"]]\nframes = 2\nseed = 1\n[grid]\n";
    let frame = "game = \"frame\"\nagents = [\"random\"]\nframes = 10\nseed = 1\n[grid]\n";
    for (text, place) in [
        (format!("{race}table = \"known\"\nmax_shots = [10, 61]\n"), "x.toml:7:13: max_shots"),
        (format!("{race}table = \"known\"\ntabel = \"known\"\n"), "x.toml:7:9: the race has no"),
        (format!("{pool}no_meeting = \"slop\"\nclothh = 1\n"), "x.toml:7:10: "),
        (format!("{frame}P_SCRATCH = 0.1\nP_SCRACH = 0.1\n"), "x.toml:7:12: "),
    ] {
        fs::write(folder.path().join("x.toml"), &text).expect("written");
        refused(&run(folder.path(), "run x.toml"), &[place]);
    }
    fs::write(folder.path().join("x.toml"), format!("{frame}P_SCRATCH = 0.1\n")).expect("written");
    refused(&run(folder.path(), "run x.toml --set P_SCRACH=1"), &["--set P_SCRACH=1: "]);
}

#[test]
fn a_missing_program_or_script_is_told_before_the_first_game() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("plain.py"), "").expect("written");
    for (command, words) in [
        ("[\"python3\", \"none.py\"]", "no script `none.py`"),
        ("[\"no-such-program\"]", "no program `no-such-program` in PATH"),
        ("[\"./plain.py\"]", "`./plain.py` may not be run"),
    ] {
        let event = format!(
            "event = \"e\"\ngame = \"frame\"\nseeds = [1, 2]\n[[bot]]\nid = \"lost\"\n\
             command = {command}\n[[bot]]\nid = \"b\"\nagent = \"random\"\n"
        );
        fs::write(folder.path().join("e.toml"), event).expect("written");
        let output = run(folder.path(), "tournament e.toml --out games");
        if command.contains("python3") && stderr(&output).contains("no program `python3`") {
            continue;
        }
        refused(&output, &["e.toml: bot `lost`: ", words]);
        assert!(!folder.path().join("games").exists());
    }
    refused(
        &run(folder.path(), "check-bot -- sh none.sh"),
        &["the bot: there is no script `none.sh`"],
    );
}

#[test]
fn shells_complete_commands_and_there_is_a_page_for_each() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(workspace(), &format!("completions {shell}"));
        let script = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && stderr(&output).is_empty());
        for word in ["calibrate", "--skip-bad", "check-bot"] {
            let plain = word.trim_start_matches('-');
            assert!(script.contains(plain), "{shell}: no {word}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), "man pages");
    assert!(output.status.success(), "{}", stderr(&output));
    for page in ["cuebench.1", "cuebench-run.1", "cuebench-learn-race.1", "cuebench-man.1"] {
        let text = fs::read_to_string(folder.path().join("pages").join(page)).expect(page);
        let name = page.trim_end_matches(".1").replace('-', "\\-");
        assert!(text.contains(".SH NAME") && text.contains(&name), "{page}: {text}");
    }
}
