//! `cuebench replay`: a game of a tournament, shown again.

use super::Exit;
use super::tournament::with_game;
use crate::output::manifest::Manifest;
use crate::output::print_json;
use crate::output::write::write_whole;
use crate::tournament::file::Tournament;
use crate::tournament::games::frame::DEFINITION;
use crate::tournament::games::{Shown, TournamentGame};
use crate::tournament::ledger::{GAMES, REPLAYS, find_replay, scan};
use anyhow::Context as _;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `cuebench replay`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The event's folder.
    folder: PathBuf,
    /// Which game: its game_index in games.csv.
    #[arg(long, value_name = "N")]
    game: u64,
    /// Draw it, too.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The record of the game as one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When there is no such game or its strokes were not kept.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let path = args.folder.join("manifest.json");
    let manifest = Manifest::read(&path)?
        .with_context(|| format!("{}: is not the folder of an event", args.folder.display()))?;
    let mut file: Tournament = serde_json::from_value(manifest.experiment["tournament"].clone())
        .with_context(|| format!("{}: is not of a tournament", path.display()))?;
    let record = find_replay(&args.folder.join(REPLAYS), args.game)?
        .with_context(|| missing(&args.folder, args.game))?;
    // The event keeps the definition it was played with; the one that its file names may be gone.
    if file.options.contains_key("definition") {
        file.options.insert("definition".to_owned(), DEFINITION.into());
    }
    let show = Show { record: &record, svg: args.svg.is_some() };
    let shown = with_game(&file, &args.folder, &show)?;
    if let Some(path) = &args.svg {
        let drawing = shown.svg.as_ref();
        let drawing = drawing.context("--svg: this game has no table to draw; leave it out")?;
        write_whole(path, drawing)?;
    }
    if args.json {
        print_json(&record)?;
    } else {
        let mut out = std::io::stdout().lock();
        write!(out, "{}{}", heading(args, &record), shown.text).and_then(|()| out.flush())?;
    }
    Ok(Exit::Done)
}

/// What to do with the game once it is known.
struct Show<'a> {
    record: &'a Value,
    svg: bool,
}

impl super::tournament::WithGame for Show<'_> {
    type Answer = Shown;

    fn with<G: TournamentGame>(&self, _: &Tournament, game: &G) -> anyhow::Result<Shown> {
        game.show(self.record, self.svg)
    }
}

fn missing(folder: &Path, game: u64) -> String {
    format!("{}: no strokes of game {game}; games.csv names those that were kept", folder.display())
}

/// Who played and how it ended.
fn heading(args: &Args, record: &Value) -> String {
    let mut heading = format!("game {}, seed {}: ", args.game, record["seed"]);
    let names = &record["bots"];
    heading += &format!("{} – {}\n", text(&names[0]), text(&names[1]));
    let found = scan(&args.folder.join(GAMES), |row| {
        if row.game_index == args.game {
            let result = row.result.map_or("void".to_owned(), |points| points.value().to_string());
            heading += &format!(
                "{} scored {result} against {} ({}; {} / {})\n",
                row.bot_a, row.bot_b, row.decided_by, row.reason_a, row.reason_b
            );
        }
        Ok(())
    });
    // The strokes can be shown without the row.
    if found.is_err() {
        heading += "games.csv could not be read\n";
    }
    heading
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
