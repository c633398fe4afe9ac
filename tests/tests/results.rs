//! The files in `results/` against what the program makes today: some rows of every file are made
//! anew, and what is made from rows is made anew from all of them. What is not checked is listed.

use cuebench_experiments::learn::race::curve::{CurveRow, draw};
use cuebench_experiments::output::manifest::Manifest;
use cuebench_tests::process::stderr;
use cuebench_tests::table::{Table, is_measured};
use cuebench_tests::{cuebench, workspace};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Made at the end of a training that takes minutes, from samples that are not kept, or by the
/// simulation of `coverage.rs`, which is ignored for its time and checks what it writes.
const NOT_CHECKED: [&str; 3] = [
    "learned-race-reliability.csv",
    "learned-race-olympiad-reliability.csv",
    "tournament-coverage.csv",
];
/// Made anew by the README's commands, and compared by the test of them.
const CHECKED_WITH_THE_README: [&str; 1] = ["first-look.svg"];
/// Trainings by the name of their curve, with their noise.
const TRAININGS: [(&str, &str); 2] =
    [("learned-race-curve", "none"), ("learned-race-olympiad-curve", "olympiad")];
/// The first units of an experiment that are played again: `tables = 2` and so on.
const SLICES: [(&str, u64); 3] = [("tables", 2), ("frames", 2), ("games", 2)];

fn shipped(name: &str) -> PathBuf {
    workspace().join("results").join(name)
}

fn manifests() -> Vec<(String, Manifest)> {
    let manifest = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".manifest.json")?.to_owned();
        Some((name, Manifest::read(&path).expect("a manifest").expect("there")))
    };
    let entries = fs::read_dir(workspace().join("results")).expect("listed");
    let mut found: Vec<_> =
        entries.filter_map(|entry| manifest(entry.expect("an entry").path())).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// The experiment file that a manifest's command names.
fn experiment(manifest: &Manifest) -> PathBuf {
    let file = manifest.command.iter().find(|word| word.ends_with(".toml"));
    workspace().join(file.expect("an experiment file"))
}

fn cuebench_ok(words: &[&str]) -> Output {
    let output = cuebench().args(words).output().expect("runs");
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    output
}

/// Every row of `slice` stands in the shipped file, measured times aside.
fn check_slice(slice: &Path, name: &str) {
    let strip = |table: Table| table.without(is_measured);
    let (made, kept) = (strip(Table::read(slice)), strip(Table::read(&shipped(name))));
    assert_eq!(made.names, kept.names, "results/{name}: other columns");
    assert!(!made.rows.is_empty(), "{name}: nothing was made");
    let kept: BTreeSet<&Vec<String>> = kept.rows.iter().collect();
    for row in &made.rows {
        assert!(kept.contains(row), "results/{name} has no row {row:?}; make it anew");
    }
}

/// The experiment in `text` with its first units only.
fn beginning(text: &str) -> String {
    let line = |line: &str| {
        let slice = SLICES.iter().find(|(key, _)| line.starts_with(&format!("{key} = ")));
        slice.map_or_else(|| line.to_owned(), |(key, count)| format!("{key} = {count}"))
    };
    text.lines().map(|l| line(l) + "\n").collect()
}

/// Each experiment's first units are played again: their rows are those that ship. (A frame's row
/// counts all its frames; those are checked by the next test.)
#[test]
fn the_first_rows_of_every_experiment_come_out_again() {
    for (name, manifest) in manifests() {
        if manifest.experiment["game"] == "frame" {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let (file, out) = (folder.path().join(format!("{name}.toml")), folder.path().join("out"));
        let text = fs::read_to_string(experiment(&manifest)).expect("the experiment");
        fs::write(&file, beginning(&text)).expect("written");
        let paths = [&file, &out].map(|path| path.to_str().expect("text"));
        cuebench_ok(&["run", paths[0], "--out", paths[1]]);
        // What is made from all rows is checked below.
        for (rows, count) in &manifest.rows {
            let per_row = Table::read(&out.join(rows)).rows.len() as u64;
            if count.as_u64().expect("a count") > per_row {
                check_slice(&out.join(rows), rows);
            }
        }
    }
}

/// Rows of frames by the commands that their dictionary names: `frames` with the row's seed samples
/// the same frames, `solve` gives the exact values.
#[test]
fn rows_of_frames_are_those_of_frames_and_solve() {
    let frames =
        manifests().into_iter().filter(|(_, manifest)| manifest.experiment["game"] == "frame");
    let mut checked = 0;
    for (name, _) in frames {
        let table = Table::read(&shipped(&format!("{name}.csv")));
        let last = table.rows.len() - 1;
        for at in [0, last / 3, last] {
            check_frame_row(&table, &table.rows[at]);
            checked += 1;
        }
    }
    assert!(checked >= 3);
}

fn check_frame_row(table: &Table, row: &[String]) {
    let cell = |name: &str| row[table.column(name)].as_str();
    let agents = format!("{},{}", cell("agent_0"), cell("agent_1"));
    let skills = format!("{},{}", cell("skill_0"), cell("skill_1"));
    let mut words = vec!["--agents", &*agents, "--json"];
    if skills != "," {
        words.extend(["--skills", &skills]);
    }
    words.extend(
        cell("parameters").split(';').filter(|set| !set.is_empty()).flat_map(|set| ["--set", set]),
    );
    let json = |command: &str, more: &[&str]| -> Value {
        let output = cuebench_ok(&[&[command], &words[..], more].concat());
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let sampled = json("frames", &["--frames", cell("frames"), "--seed", cell("row_seed")]);
    for (column, key) in [
        ("wins", "wins0"),
        ("draws", "draws"),
        ("win_rate", "win_rate"),
        ("mean_shots", "mean_shots"),
        ("mean_shots_se", "mean_shots_se"),
        ("eight_foul", "eight_foul"),
    ] {
        let (kept, made): (f64, _) = (cell(column).parse().expect(column), sampled[key].as_f64());
        assert_eq!(Some(kept), made, "{column} of {row:?}");
    }
    let exact = json("solve", &[]);
    for (column, key) in [("exact_win_rate", "p0_win"), ("exact_mean_shots", "mean_shots")] {
        let kept: f64 = cell(column).parse().expect(column);
        let made = exact[key].as_f64().unwrap_or_else(|| panic!("no {key} in {exact}"));
        assert!((kept - made).abs() < 1e-9, "{column} of {row:?}: {made}");
    }
}

/// Summaries are made from the rows alone: with all rows there, `--resume` has nothing to play and
/// writes the same summaries, to the byte.
#[test]
fn summaries_are_those_of_the_rows_that_ship() {
    let mut summaries = 0;
    for (name, manifest) in manifests() {
        let folder = tempfile::tempdir().expect("a folder");
        let all: BTreeMap<&String, u64> = manifest
            .rows
            .iter()
            .map(|(file, rows)| (file, rows.as_u64().expect("a count")))
            .collect();
        for file in all.keys().map(|file| file.as_str()).chain([&*format!("{name}.manifest.json")])
        {
            fs::copy(shipped(file), folder.path().join(file)).expect("copied");
        }
        let (experiment, out) = (experiment(&manifest), folder.path());
        let paths = [&*experiment, out].map(|path| path.to_str().expect("text"));
        let output = cuebench_ok(&["run", paths[0], "--out", paths[1], "--resume", "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["complete"], true, "results/{name}.csv is not whole");
        for (file, rows) in all {
            let (kept, made) = (fs::read(shipped(file)), fs::read(out.join(file)));
            assert!(kept.expect("read") == made.expect("read"), "results/{file}: other bytes");
            assert_eq!(Table::read(&shipped(file)).rows.len() as u64, rows, "results/{file}");
            summaries += 1;
        }
    }
    assert!(summaries > 10);
}

/// The first round of each training, played again; and the pictures, drawn again from the curves.
#[test]
fn curves_of_trainings_begin_as_they_ship_and_are_drawn_from_their_rows() {
    for (name, noise) in TRAININGS {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("w.safetensors");
        let words = ["learn", "race", "--noise", noise, "--seed", "1", "--tables", "1", "--out"];
        cuebench_ok(&[&words[..], &[out.to_str().expect("text")]].concat());
        let curve = format!("{name}.csv");
        check_slice(&folder.path().join("w-curve.csv"), &curve);
        let rows = cuebench_experiments::input::csv::rows::<CurveRow>(&shipped(&curve));
        let rows: Vec<CurveRow> = rows.expect("a curve").map(|row| row.expect("a row")).collect();
        let picture = draw(&rows, &format!("learn race, noise {noise}, seed 1"));
        let kept = fs::read_to_string(shipped(&format!("{name}.svg"))).expect("a picture");
        assert!(picture == kept, "results/{name}.svg: other bytes");
    }
}

/// Every file of `results/` is checked somewhere, or listed as one that is not.
#[test]
fn every_file_is_checked_or_said_not_to_be() {
    let mut known: BTreeSet<String> =
        NOT_CHECKED.iter().chain(&CHECKED_WITH_THE_README).map(|&name| name.to_owned()).collect();
    known.insert("README.md".to_owned());
    for (name, _) in TRAININGS {
        known.extend([format!("{name}.csv"), format!("{name}.svg")]);
    }
    for (name, manifest) in manifests() {
        assert!(experiment(&manifest).exists() && manifest.complete, "{name}");
        known.insert(format!("{name}.manifest.json"));
        known.extend(manifest.rows.keys().cloned());
    }
    let entries = fs::read_dir(workspace().join("results")).expect("listed");
    let found: BTreeSet<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name != ".lock")
        .collect();
    assert_eq!(found, known);
}
