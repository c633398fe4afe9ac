//! `cuebench run` as it is typed: the same bytes at any number of threads, interruption and
//! resuming, and refusals.

use cuebench_tests::process::{interrupted, piped, stderr, wait_for};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SMALL: &str = "game = \"frame\"\nagents = [\"threshold\", \"random\"]\n\
    skills = [[2.0, 2.0], [3.0, 1.0]]\nframes = 150_000\nseed = 11\n\
    [grid]\nbreak_scratch_bih = [\"kitchen\", \"anywhere\"]\n";

fn run(folder: &Path, text: &str, arguments: &[&str]) -> Output {
    fs::write(folder.join("small.toml"), text).expect("written");
    command(folder, arguments).output().expect("runs")
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = cuebench_tests::cuebench();
    command.current_dir(folder).args(["run", "small.toml", "--out", "out"]).args(arguments);
    command
}

fn rows(folder: &Path) -> String {
    fs::read_to_string(folder.join("out/small.csv")).unwrap_or_default()
}

#[test]
fn bytes_do_not_depend_on_threads_nor_on_the_run() {
    let mut files = vec![];
    for threads in ["1", "1", "2", "7"] {
        let folder = tempfile::tempdir().expect("a folder");
        let output = run(folder.path(), SMALL, &["--threads", threads]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        files.push(rows(folder.path()));
    }
    assert_eq!(files[0].lines().count(), 1 + 2 * 2 * 2 * 2);
    assert!(files.iter().all(|file| *file == files[0]));
}

#[test]
fn a_row_agrees_with_its_exact_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), SMALL, &["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    assert_eq!(json["complete"], true);
    let report = json["report"].as_array().expect("rows");
    assert_eq!(report.len(), 16);
    for row in report {
        assert!(row["z"].as_f64().expect("solvable").abs() < 4.0, "{row}");
    }
}

#[test]
fn an_interrupted_run_leaves_complete_rows_and_resumes_to_the_same_bytes() {
    let text = SMALL.replace("150_000", "2_000_000");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("small.toml"), &text).expect("written");
    let mut child = piped(&mut command(folder.path(), &["--threads", "2"]));
    wait_for(&mut child, || rows(folder.path()).lines().count() > 2);
    let output = interrupted(child);
    let stderr = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(output.stdout.is_empty() && stderr.contains("--resume"), "{stderr}");

    let partial = rows(folder.path());
    assert!(partial.ends_with('\n') && (3..17).contains(&partial.lines().count()), "{partial}");
    let resumed = command(folder.path(), &["--threads", "1", "--resume"]).output().expect("runs");
    assert_eq!(resumed.status.code(), Some(0), "{}", String::from_utf8_lossy(&resumed.stderr));
    let whole = tempfile::tempdir().expect("a folder");
    assert_eq!(run(whole.path(), &text, &[]).status.code(), Some(0));
    assert!(rows(folder.path()).starts_with(&partial));
    assert_eq!(rows(folder.path()), rows(whole.path()));
}

#[test]
fn what_is_wrong_is_one_line_and_nothing_is_written() {
    for (text, arguments, words) in [
        (SMALL.replace("150_000", "0"), &[][..], "small.toml:4:10: frames = 0"),
        (SMALL.replace("threshold", "treshold"), &[], "did you mean `threshold`?"),
        (SMALL.replace("seed", "sead"), &[], "small.toml:5:1: unknown field `sead`"),
        (SMALL.replace("[3.0, 1.0]", "[inf, 1.0]"), &[], "small.toml:3:23: a skill"),
        (SMALL.replace("\"frame\"", "\"frames\""), &[], "did you mean `frame`?"),
        (format!("seed = 1\n{SMALL}"), &[], "duplicate key"),
        (format!("{SMALL}break_scratch_bih = [1]\n"), &[], "duplicate key"),
        (SMALL.replace("break_scratch_bih", "break_scratch_bhi"), &[], "break_scratch_bih"),
        (SMALL.into(), &["--set", "P_SCRATCH=2"], "P_SCRATCH=2"),
        (SMALL.into(), &["--set", "P_SCRATCH"], "NAME=VALUE"),
        (SMALL.into(), &["--set", "skill=nan"], "skill"),
        (SMALL.into(), &["--threads", "0"], "1 to 1024"),
        (SMALL.replace("seed", "definition = \"none.yaml\"\nseed"), &[], "none.yaml"),
        (String::new(), &[], "missing field `game`"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let output = run(folder.path(), &text, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}: {stderr}");
        assert!(stderr.contains(words) && output.stdout.is_empty(), "{text}: {stderr}");
        assert!(!folder.path().join("out").exists(), "{text}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = command(folder.path(), &[]).output().expect("runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("small.toml: cannot be read") && stderr.lines().count() == 1,
        "{stderr}"
    );
}

#[test]
fn a_changed_experiment_is_not_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let small = SMALL.replace("150_000", "10");
    assert_eq!(run(folder.path(), &small, &[]).status.code(), Some(0));
    let before = rows(folder.path());
    let output = run(folder.path(), &small, &["--resume", "--seed", "12"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("`seed` is 12, was 11"), "{stderr}");
    assert_eq!(rows(folder.path()), before);
    assert_eq!(run(folder.path(), &small, &["--resume"]).status.code(), Some(0));
    assert_eq!(rows(folder.path()), before);
}
