//! `cuebench agents`: who plays, with options, units and defaults.

use super::Exit;
use crate::games::Games;
use crate::output::table::Table;
use crate::output::{print_json, print_text};
use anyhow::Context as _;
use serde_json::{Map, Value};

/// Arguments of `cuebench agents`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only those of this game.
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// One JSON object on standard output: a list of agents for each game.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// For an unknown game, and when output fails.
pub fn run(args: &Args, games: &Games) -> anyhow::Result<Exit> {
    let asked = match &args.game {
        Some(name) => vec![games.get(name)?],
        None => games.iter().collect(),
    };
    let mut json = Map::new();
    let mut table = Table::new(["game", "agent", "option", "value", "default"]);
    for game in asked {
        let agents = game.agents()?;
        for agent in &agents {
            let (game, name, about) = (game.name(), agent.name.as_str(), agent.about.as_str());
            table.row([game, name, "", about, ""].map(str::to_owned));
            for option in agent.options {
                let row = ["", "", option.name, option.value, option.default];
                table.row(row.map(str::to_owned));
            }
        }
        json.insert(game.name().to_owned(), serde_json::to_value(agents)?);
    }
    let printed = match args.json {
        true => print_json(&Value::Object(json)),
        false => print_text(&table.to_string()),
    };
    printed.context("standard output")?;
    Ok(Exit::Done)
}
