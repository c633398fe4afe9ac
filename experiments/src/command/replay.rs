//! `cuebench replay`: a game of a tournament, or one of chess pool from its file, shown again.

use super::Exit;
use super::judge::game::text_of;
use super::tournament::load;
use crate::chess_pool::game_file::read;
use crate::chess_pool::replay::play_again;
use crate::games::{DEFINITION, Games, Playable};
use crate::output::manifest::Manifest;
use crate::output::rows::tournament::GameRow;
use crate::output::svg::stacked;
use crate::output::write::{keep_apart, write_whole};
use crate::output::{print_json, print_text};
use crate::tournament::file::Tournament;
use crate::tournament::folder::FILES;
use crate::tournament::ledger::{GAMES, REPLAYS, find_replay, scan};
use anyhow::{Context as _, bail};
use cuebench_agents::record::Record;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Arguments of `cuebench replay`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The event's folder, or a game of chess pool as `cuebench play` wrote it.
    #[arg(value_name = "FOLDER|FILE")]
    folder: PathBuf,
    /// Which game of the event: its game_index in games.csv.
    #[arg(long, value_name = "N")]
    game: Option<u64>,
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
pub fn run(args: &Args, games: &Games) -> anyhow::Result<Exit> {
    let inputs: Vec<PathBuf> = FILES.iter().map(|name| args.folder.join(name)).collect();
    let inputs = inputs.iter().chain([&args.folder]).map(PathBuf::as_path);
    keep_apart(args.svg.as_deref(), inputs)?;
    if args.folder.is_file() {
        return replay_file(args);
    }
    let path = args.folder.join("manifest.json");
    let manifest = Manifest::read(&path)?
        .with_context(|| format!("{}: is not the folder of an event", args.folder.display()))?;
    let mut file: Tournament = serde_json::from_value(manifest.experiment["tournament"].clone())
        .with_context(|| format!("{}: is not of a tournament", path.display()))?;
    // The event keeps the definition it was played with; the one that its file names may be gone.
    if file.options.contains_key("definition") {
        file.options.insert("definition".to_owned(), DEFINITION.into());
    }
    games.get(&file.game)?.replay(args, &file)
}

/// Plays a file's strokes again.
fn replay_file(args: &Args) -> anyhow::Result<Exit> {
    let place = || args.folder.display().to_string();
    if args.game.is_some() || args.json {
        bail!("--game and --json are for an event's folder; {} is a file", place());
    }
    let text = text_of(&args.folder)?;
    let file = read(&text, &[]).with_context(place)?;
    let heading: Vec<String> =
        text.lines().map_while(|line| line.strip_prefix("# ")).map(str::to_owned).collect();
    let shown = play_again(&file, &heading, args.svg.is_some()).with_context(place)?;
    if let Some(path) = &args.svg {
        write_whole(path, shown.svg.context("--svg: nothing to draw; leave it out")?)?;
    }
    print_text(&shown.text)?;
    Ok(Exit::Done)
}

/// Plays the record of a game again, shows it, and holds its end against the row.
///
/// # Errors
/// When the record is not there or cannot have been played.
pub fn show<G: Playable>(args: &Args, file: &Tournament) -> anyhow::Result<Exit> {
    let game = load::<G>(file, &args.folder)?.game;
    let number =
        args.game.context("--game N: which game of the event, its game_index in games.csv")?;
    let line = find_replay(&args.folder.join(REPLAYS), number)?
        .with_context(|| missing(&args.folder, number))?;
    let about = || format!("game {number}");
    let record: Record = serde_json::from_value(line.clone()).with_context(about)?;
    if let Some(path) = &args.svg {
        let drawings = game.draw(&record).with_context(about)?;
        let svgs: Vec<String> = drawings.into_iter().map(|drawing| drawing.svg).collect();
        let drawing = match &svgs[..] {
            [] => bail!("--svg: this game has nothing to draw; leave it out"),
            [one] => one.clone(),
            _ => stacked(&svgs),
        };
        write_whole(path, drawing)?;
    }
    let end = record.replay(&game, |_| ()).with_context(about)?;
    let row = row_of(&args.folder, number);
    let agrees = row.as_ref().map(|row| agreement(&game, &end, row));
    if args.json {
        print_json(&line)?;
    } else {
        let name = |seat: usize| line["bots"][seat].as_str().unwrap_or_default();
        let text = game.narrate(&record, [name(0), name(1)]).with_context(about)?;
        let verified = match &agrees {
            Some(Ok(())) => format!("verified: {} moves end as the row says", record.moves.len()),
            Some(Err(why)) => format!("NOT AS THE ROW SAYS: {why}"),
            None => "games.csv has no row of it to compare with".to_owned(),
        };
        let heading = heading(&line, number, row.as_ref());
        print_text(&format!("{heading}{text}{verified}\n"))?;
    }
    Ok(match agrees {
        Some(Err(_)) => Exit::CheckFailed,
        _ => Exit::Done,
    })
}

/// Whether the end of a replay is what the row says: result, what decided, scores and strokes.
fn agreement<G: Playable>(game: &G, end: &G::State, row: &GameRow) -> Result<(), String> {
    let Some(result) = row.result else { return Ok(()) };
    let seat_a = usize::from(row.order);
    let verdict = game.verdict(end).ok_or("the record ends before the game does")?;
    let points = verdict.points(seat_a);
    if points != result.value() || verdict.decided_by != row.decided_by {
        return Err(format!(
            "{} scored {points} by {}, the row says {} by {}",
            row.bot_a,
            verdict.decided_by,
            result.value(),
            row.decided_by
        ));
    }
    for (bot, seat, score, strokes) in [
        (&row.bot_a, seat_a, row.score_a, row.strokes_a),
        (&row.bot_b, 1 - seat_a, row.score_b, row.strokes_b),
    ] {
        let own = game.score(end, seat);
        if own.score != score || strokes.is_some_and(|strokes| strokes != own.strokes) {
            let shown = |score: Option<i32>| score.map_or("none".to_owned(), |s| s.to_string());
            return Err(format!(
                "{bot} has score {} in {} strokes, the row says {} in {}",
                shown(own.score),
                own.strokes,
                shown(score),
                strokes.unwrap_or_default()
            ));
        }
    }
    Ok(())
}

/// The last row of the game, if there is any.
fn row_of(folder: &Path, number: u64) -> Option<GameRow> {
    let mut found = None;
    // The strokes can be shown without the row.
    let _ = scan(&folder.join(GAMES), |row| {
        if row.game_index == number {
            found = Some(row);
        }
        Ok(())
    });
    found
}

fn missing(folder: &Path, game: u64) -> String {
    format!("{}: no strokes of game {game}; games.csv names those that were kept", folder.display())
}

/// Who played and how it ended.
fn heading(line: &Value, number: u64, row: Option<&GameRow>) -> String {
    let name = |seat: usize| line["bots"][seat].as_str().unwrap_or_default();
    let mut text = format!("game {}, seed {}: {} – {}\n", number, line["seed"], name(0), name(1));
    if let Some(row) = row {
        let result = row.result.map_or("void".to_owned(), |points| points.value().to_string());
        text += &format!(
            "{} scored {result} against {} ({}; {} / {})\n",
            row.bot_a, row.bot_b, row.decided_by, row.reason_a, row.reason_b
        );
    }
    text
}
