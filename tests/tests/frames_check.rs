//! What `check` tells a reader of a definition, and what `solve --open` answers.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_engine::frame::{Definition, Game, Review};
use cuebench_tests::{cuebench, workspace};
use serde_json::Value;

fn shipped_with(edits: &[(&str, &str)]) -> String {
    let mut text = Definition::SHIPPED.to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    text
}

fn review(edits: &[(&str, &str)]) -> Review {
    let text = shipped_with(edits);
    let definition = Definition::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Game::compile(&definition).unwrap().review()
}

fn warned(edits: &[(&str, &str)], parts: &[&str]) {
    let warnings = review(edits).warnings;
    let hit = |warning: &&String| parts.iter().all(|part| warning.contains(part));
    assert!(warnings.iter().any(|warning| hit(&warning)), "{parts:?} in {warnings:#?}");
    assert!(warnings.iter().all(|warning| warning.starts_with("line ")), "{warnings:#?}");
}

fn refused(edits: &[(&str, &str)], parts: &[&str]) {
    let error = Definition::parse(&shipped_with(edits)).unwrap_err();
    let text = error.to_string();
    assert!(error.at().is_some() && parts.iter().all(|part| text.contains(part)), "{text}");
}

fn json(arguments: &[&str]) -> Value {
    let output = cuebench().args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Scope, open questions, what is not modelled and warnings stand in the JSON and in the text.
#[test]
fn check_prints_what_a_reader_should_know_in_sentences_and_json() {
    let file = workspace().join("engine/games/eightball.yaml");
    let file = file.to_str().unwrap();
    let report = json(&["check", file, "--json"]);
    assert!(report["scope"].as_str().unwrap().contains("world standardised rules"));
    let question = &report["open_questions"][0];
    assert_eq!(question["parameter"], "break_scratch_bih");
    assert_eq!(question["value"], "kitchen");
    assert_eq!(question["readings"], serde_json::json!(["kitchen", "anywhere"]));
    assert_eq!(report["not_modelled"].as_array().unwrap().len(), 2);
    let output = cuebench().args(["check", file]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "world standardised rules",
        "The file answers break_scratch_bih = kitchen. Readings: kitchen, anywhere",
        "end stalemate",
        "`skill: true`",
        "A seat chooses at 1087 states",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn each_about_is_resolved_to_a_variable_else_an_error() {
    let about = "about: state.vars.break_scratch_bih";
    for good in ["about: break_scratch_bih", "about: constants.P_SCRATCH", "about: D.hard"] {
        assert_eq!(review(&[(about, good)]).open_questions.len(), 1, "{good}");
    }
    for (bad, parts) in [
        ("about: state.vars.break_scratch_bhi", &["did you mean `break_scratch_bih`"][..]),
        ("about: constants.break_scratch_bih", &["names no variable or constant"]),
        ("about: D.hrad", &["D.hrad"]),
        ("note: nothing", &["needs a key `about`"]),
    ] {
        refused(&[(about, bad)], parts);
    }
}

#[test]
fn what_is_read_but_not_modelled_is_told() {
    let told = review(&[
        (
            "state:\n",
            "state:\n  entity_types: {ball: {attrs: {}}}\n  zones: {table: {kind: plane}}\n",
        ),
        (
            "    doc: \"Never plays safe.\"\n",
            "    sees: [table]\n    roles: [shooter]\n    prompt: Attack.\n",
        ),
    ]);
    for part in [
        "entity type ball",
        "zone table",
        "agent always_attack: sees table",
        "agent always_attack: roles shooter",
        "agent always_attack: its prompt",
        "end loss_early",
        "end stalemate",
    ] {
        assert!(told.not_modelled.iter().any(|what| what.starts_with(part)), "{part}: {told:#?}");
    }
}

#[test]
fn triggers_that_nothing_emits_and_ends_that_never_come_are_warnings() {
    warned(
        &[("event: legal_pot\n    timing", "event: legal_pto\n    timing")],
        &["group_assignment", "legal_pto", "did you mean `legal_pot`"],
    );
    warned(
        &[(
            "end:\n",
            "end:\n  - {id: never, if_x: \"win_reason == 'none' and shooter == 2\", result: draw}\n",
        )],
        &["the end never never comes"],
    );
}

#[test]
fn skill_that_is_said_and_not_used_is_a_warning() {
    warned(&[], &["the model break says `skill: true`", "do not read `skill`"]);
    warned(
        &[("  safety:\n    skill: true", "  safety:\n    skill: false")],
        &["the model safety says `skill: false`", "its chances read `skill`"],
    );
    refused(&[("  safety:\n    skill: true", "  safety:\n    skill: much")], &["true or false"]);
}

#[test]
fn wrong_values_of_known_keys_are_errors_or_named_warnings() {
    refused(&[("mode: competitive", "mode: cooperative")], &["cooperative", "competitive"]);
    refused(&[("players: \"two\"", "players: \"3 players\"")], &["3 players", "write 2"]);
    refused(&[("players: \"two\"", "players: four")], &["four", "write 2"]);
    warned(&[("players: \"two\"", "players: some")], &["some"]);
    assert!(
        Definition::parse(&shipped_with(&[("players: \"two\"", "players: 2 players")])).is_ok()
    );
    let doc = "    doc: \"Never plays safe.\"\n";
    warned(&[(doc, "    sees: [nowhere]\n")], &["always_attack sees `nowhere`", "no zone"]);
    warned(&[(doc, "    roles: [shoter]\n")], &["plays `shoter`", "did you mean `shooter`"]);
    let safety = "  safety:\n    skill: true\n";
    warned(&[(safety, "  safety:\n    inputs: {zzz: what}\n")], &["input `zzz`", "safety"]);
    warned(&[(safety, "  safety:\n    derived: {p_god: what}\n")], &["`p_god`", "derived_x"]);
    warned(&[("  call_safety:\n", "  idle: {effect: []}\n  call_safety:\n")], &["action idle"]);
}

/// The shipped file says of the break's skill what the source says: it takes some, the shares are
/// fixed until there are data.
#[test]
fn the_shipped_break_takes_skill_as_the_source_says() {
    let text = Definition::SHIPPED;
    let model = &text[text.find("  break:\n    skill:").unwrap()..];
    assert!(model.starts_with("  break:\n    skill: true"));
    assert!(model[..500].contains("with data"), "{}", &model[..500]);
}

/// An open question about a parameter is answered with numbers.
#[test]
fn solve_open_shows_the_value_under_each_reading() {
    let report = json(&["solve", "--open", "--json"]);
    let question = &report["open_questions"][0];
    assert_eq!(
        (&question["id"], &question["answer"]),
        (&"break_scratch".into(), &"kitchen".into())
    );
    let value = |i: usize| question["readings"][i]["p0_win"].as_f64().unwrap();
    assert_eq!(report["p0_win"].as_f64().unwrap(), value(0));
    for (i, reading) in ["kitchen", "anywhere"].into_iter().enumerate() {
        assert_eq!(question["readings"][i]["value"], reading);
        let set = format!("break_scratch_bih={reading}");
        assert_eq!(json(&["solve", "--set", &set, "--json"])["p0_win"].as_f64().unwrap(), value(i));
    }
    assert!((value(0) - 0.4911).abs() < 5e-5 && (value(1) - 0.4862).abs() < 5e-5);
    let text = cuebench().args(["solve", "--open"]).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("break_scratch_bih=anywhere: seat 0 wins 0.4862"), "{text}");
}
