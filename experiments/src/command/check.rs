//! `cuebench check`: reads a definition and reports what it is.

use super::Exit;
use super::frame_options::read_definition;
use crate::output::{print_json, print_text};
use anyhow::Context as _;
use cuebench_engine::frame::{Definition, Game};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Arguments of `cuebench check`.
#[derive(Debug, clap::Args)]
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
        "states": game.states(),
        "parameters": parameters,
        "actions": game.actions(),
        "agents": agents,
        "outcomes": outcomes,
        "ends": game.ends(),
        "not_modelled": definition.not_modelled(),
    })
}

fn words(definition: &Definition, game: &Game) -> String {
    let mut text = String::new();
    let mut line = |head: &str, words: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{head:<13} {words}");
    };
    line("game", format!("{} ({})", definition.label(), definition.name()));
    line("states", game.states().to_string());
    for parameter in definition.parameters() {
        line("parameter", format!("{} = {}", parameter.name, parameter.value));
    }
    line("actions", game.actions().join(", "));
    for (agent, policy) in definition.agents() {
        line("agent", format!("{agent}{}", if policy { "" } else { " (no policy)" }));
    }
    for (model, outcomes) in definition.models() {
        line("outcomes", format!("{model}: {}", outcomes.join(", ")));
    }
    for end in game.ends() {
        let winner =
            end.winner.map_or("nobody wins".to_owned(), |seat| format!("seat {seat} wins"));
        line("end", format!("{}: {winner}, {}", end.id, end.reason));
    }
    for what in definition.not_modelled() {
        line("not modelled", what.clone());
    }
    text
}
