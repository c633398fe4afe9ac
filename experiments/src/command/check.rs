//! `cuebench check`: reads a definition and reports what it is.

use super::Exit;
use super::frame_options::read_definition;
use crate::output::{print_json, print_text};
use anyhow::Context as _;
use cuebench_engine::frame::{Definition, Game, OpenQuestion};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Arguments of `cuebench check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Open questions, what is read but not modelled, and warnings (what looks like a slip though the game can \
be played) are told and exit with 0; what makes the file no game is an error and exits with 2. The \
language of definitions is described in engine/docs/eightball.md.")]
pub struct Args {
    /// The definition, a YAML file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the file is no definition or no game: the line, the column and the remedy.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let definition = read_definition(&args.file)?;
    let game = Game::compile(&definition).with_context(|| args.file.display().to_string())?;
    // A policy that fails somewhere is found here, not in the middle of an experiment.
    let policies = definition.agents().filter(|(_, policy)| *policy);
    for (agent, seat) in policies.flat_map(|(name, _)| [(name, 0), (name, 1)]) {
        let policy = game.policy(agent, &[], seat);
        policy.with_context(|| args.file.display().to_string())?;
    }
    if args.json {
        print_json(&report(&definition, &game)).context("standard output")?;
    } else {
        print_text(&words(&definition, &game)).context("standard output")?;
    }
    Ok(Exit::Done)
}

fn report(definition: &Definition, game: &Game) -> serde_json::Value {
    let review = game.review();
    let parameters: serde_json::Map<_, _> = definition
        .parameters()
        .into_iter()
        .map(|parameter| (parameter.name, serde_json::json!(parameter.value)))
        .collect();
    let agents: Vec<_> = definition
        .agents()
        .map(|(name, policy)| serde_json::json!({ "name": name, "policy": policy }))
        .collect();
    let outcomes: serde_json::Map<_, _> =
        definition.models().map(|(model, outcomes)| (model.to_owned(), outcomes.into())).collect();
    serde_json::json!({
        "game": definition.name(),
        "label": definition.label(),
        "summary": definition.summary(),
        "scope": definition.scope(),
        "states": game.states(),
        "parameters": parameters,
        "actions": game.actions(),
        "agents": agents,
        "outcomes": outcomes,
        "ends": game.ends(),
        "open_questions": review.open_questions,
        "not_modelled": review.not_modelled,
        "warnings": review.warnings,
    })
}

fn words(definition: &Definition, game: &Game) -> String {
    let review = game.review();
    let mut page = Page::default();
    let name = match definition.label() {
        "" => definition.name().to_owned(),
        label => format!("{label} ({})", definition.name()),
    };
    page.heading(&name);
    page.line(&format!(
        "A seat chooses at {} states, among: {}.",
        game.states(),
        game.actions().join(", ")
    ));
    for end in game.ends() {
        let winner =
            end.winner.map_or("nobody wins".to_owned(), |seat| format!("seat {seat} wins"));
        page.line(&format!("It can end by {}: {winner} ({}).", end.id, end.reason));
    }
    let agents = definition
        .agents()
        .map(|(agent, policy)| format!("{agent}{}", if policy { "" } else { " (no policy)" }));
    page.line(&format!("Agents of its own: {}.", listed(agents)));
    page.heading("Scope");
    page.line(match definition.scope() {
        "" => "The file does not say which rules it follows, and how far.",
        scope => scope,
    });
    page.heading("Open questions");
    review.open_questions.iter().for_each(|question| page.line(&asked(question)));
    page.nothing("The file names none.", review.open_questions.is_empty());
    page.heading("Read, but not modelled");
    review.not_modelled.iter().for_each(|what| page.line(&format!("{what}.")));
    page.nothing("Nothing.", review.not_modelled.is_empty());
    page.heading("Warnings");
    review.warnings.iter().for_each(|what| page.line(&format!("{what}.")));
    page.nothing("None.", review.warnings.is_empty());
    page.heading("What can be set with --set, and the outcomes of each model");
    for parameter in definition.parameters() {
        page.line(&format!("{} = {}", parameter.name, parameter.value));
    }
    for (model, outcomes) in definition.models() {
        page.line(&format!("{model}: {}", outcomes.join(", ")));
    }
    page.text
}

fn asked(question: &OpenQuestion) -> String {
    let OpenQuestion { id, question, parameter, value, readings } = question;
    let answer = value.as_ref().map_or_else(
        || format!("{parameter} answers it."),
        |value| format!("The file answers {parameter} = {value}."),
    );
    let readings = match readings[..] {
        [] => String::new(),
        _ => format!(
            " Readings: {}; `cuebench solve --open` shows what each comes to.",
            listed(readings.iter().map(ToString::to_string))
        ),
    };
    format!("{id}: {question} {answer}{readings}")
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

/// Headings and indented lines.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn heading(&mut self, words: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{words}");
    }

    fn line(&mut self, words: &str) {
        let _ = writeln!(self.text, "  {}", words.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    fn nothing(&mut self, words: &str, none: bool) {
        if none {
            self.line(words);
        }
    }
}
