//! The page of the rules, `engine/docs/chess-pool.md`: every reading has its row, the measured rows
//! are those of the command that the page names, and comments cite only files that are here.

use cuebench_experiments::chess_pool::readings::ALTERNATIVES;
use cuebench_experiments::chess_pool::setup::Setup;
use cuebench_tests::{cuebench, workspace};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

const PAGE: &str = "engine/docs/chess-pool.md";
const SOURCES: &str = "engine/src/chess_pool";
const BEGIN: &str = "<!-- readings -->\n";
const END: &str = "<!-- end -->\n";
/// Who plays the measured frames.
const AGENTS: [&str; 1] = ["threshold,threshold"];
const FRAMES: u64 = 1000;

fn page() -> String {
    fs::read_to_string(workspace().join(PAGE)).expect("the page of the rules")
}

fn command(agents: &str) -> String {
    format!("cuebench readings --agents {agents} --frames {FRAMES} --seed 1")
}

/// The measured part of the page.
fn measured(page: &str) -> &str {
    let begin = page.find(BEGIN).expect(BEGIN) + BEGIN.len();
    &page[begin..page.find(END).expect(END)]
}

/// The same part from the command.
fn measure() -> String {
    let mut text = String::new();
    for agents in AGENTS {
        let command = command(agents);
        let output = cuebench()
            .args(command.split(' ').skip(1))
            .arg("--json")
            .output()
            .expect("cuebench runs");
        assert!(output.status.success(), "{output:?}");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let _ = write!(
            text,
            "\n`{command}`\n\n| reading | course | winner (95 %) | breaker | shots a frame |\n\
             | --- | --- | --- | --- | --- |\n"
        );
        for row in report["readings"].as_array().expect("rows") {
            let number = |value: &Value| value.as_f64().expect("a number");
            let percent = |share: f64| format!("{:.1}", 100.0 * share);
            let frames = number(&row["frames"]);
            let pair = |name: &str, digits: usize| {
                let [here, other] = [0, 1].map(|side| number(&row[name][side]));
                format!("{here:.digits$} → {other:.digits$}")
            };
            let _ = writeln!(
                text,
                "| `{}={}` | {} % | {} % ({} to {}) | {} | {} |",
                row["option"].as_str().expect("a name"),
                row["value"].as_str().expect("a value"),
                percent(number(&row["course_differs"]) / frames),
                percent(number(&row["winner_differs"]) / frames),
                percent(number(&row["winner_differs_low"])),
                percent(number(&row["winner_differs_high"])),
                pair("breaker_points", 3),
                pair("mean_shots", 1),
            );
        }
    }
    text + "\n"
}

/// Every reading stands on the page with its usual value and its alternative, and with what it
/// changes over a thousand frames.
#[test]
fn every_reading_has_a_row_with_its_alternative_and_what_it_changes() {
    let page = page();
    let [table, readings] = Setup::of(&[]).expect("the usual").settings();
    let usual = format!("{table} {readings}");
    for (name, value) in ALTERNATIVES {
        let here = usual.split(' ').find_map(|setting| setting.strip_prefix(&format!("{name}=")));
        let here = here.expect(name);
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` | `{here}`")));
        assert!(row.is_some_and(|row| row.contains(&format!("| `{value}`"))), "{name}: {row:?}");
        if name != "grid" || page.contains("*(reading grid)*") {
            assert!(
                page.contains(&format!("*(reading {name})*"))
                    || page.contains(&format!("*(reading\n{name})*")),
                "{name} is marked where the rule stands"
            );
        }
        let rows = measured(&page).matches(&format!("| `{name}={value}` | ")).count();
        assert_eq!(rows, AGENTS.len(), "{name}={value}");
    }
    for agents in AGENTS {
        assert!(measured(&page).contains(&command(agents)), "{agents}");
    }
}

/// The rows of the page are those of the commands; `BLESS=1` writes them anew.
#[test]
#[ignore = "11 000 frames: a minute or two"]
fn the_measured_rows_are_those_of_the_command() {
    let (page, ours) = (page(), measure());
    if std::env::var_os("BLESS").is_some() {
        let (before, after) = (page.find(BEGIN).expect(BEGIN), page.find(END).expect(END));
        let anew = format!("{}{BEGIN}{ours}{}", &page[..before], &page[after..]);
        fs::write(workspace().join(PAGE), anew).expect("written");
    } else {
        assert_eq!(measured(&page), ours, "BLESS=1 writes them anew");
    }
}

/// A small run of the command prints a row for every reading, as text too.
#[test]
fn the_command_has_a_row_for_every_reading() {
    let arguments = ["readings", "--frames", "4", "--agents", "threshold,random"];
    let output = cuebench().args(arguments).output().expect("cuebench runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for (name, value) in ALTERNATIVES {
        assert!(text.contains(&format!("{name}={value} ")), "{name}: {text}");
    }
    for wrong in [&["--frames", "3"][..], &["--frames", "0"], &["--agents", "random"]] {
        let output = cuebench().arg("readings").args(wrong).output().expect("cuebench runs");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{wrong:?}");
    }
}

/// Comments link to the page, and name no file that is not in the repository.
#[test]
fn comments_cite_only_files_of_the_repository() {
    let root = workspace();
    let mut cited = 0;
    for entry in fs::read_dir(root.join(SOURCES)).expect("sources") {
        let path = entry.expect("a file").path();
        if !path.is_file() {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source");
        for word in text.split('`').filter(|word| word.ends_with(".md") || word.ends_with(".txt")) {
            assert!(root.join(word).is_file(), "{}: {word}", path.display());
            cited += usize::from(word == PAGE);
        }
        assert!(!text.contains("design/"), "{}", path.display());
    }
    assert!(cited >= 5, "{cited} comments link to the page");
    let page = page();
    for word in page.split('`').filter(|word| {
        ["engine/", "tests/"].iter().any(|folder| word.starts_with(folder)) && word.contains('.')
    }) {
        // The page on the physics comes with the physics.
        assert!(root.join(word).is_file() || word == "engine/docs/physics.md", "{word}");
    }
}
