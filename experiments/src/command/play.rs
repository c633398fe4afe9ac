//! `cuebench play`: a match of two players, with its whole record.

use super::Exit;
use crate::contender::{Contender, Stable};
use crate::experiment::grid::Setting;
use crate::games::{Games, Playable};
use crate::output::write::write_whole;
use crate::output::{print_json, print_text};
use anyhow::{Context as _, ensure};
use clap::ValueEnum;
use cuebench_agents::clock::milliseconds;
use cuebench_agents::record::Record;
use cuebench_agents::referee::{Played, Seated, Terms};
use cuebench_engine::game::Seed;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `cuebench play`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The game.
    #[arg(long, value_name = "GAME", default_value = "snooker-race")]
    game: String,
    /// Start, hidden values, draws and the players' own seeds follow from it.
    #[arg(long, value_name = "S")]
    seed: u64,
    /// Who sits in seat 0 and in seat 1: an agent, as in search:sims=2000, or `cmd:` and a command.
    #[arg(long, value_name = "A,B", value_delimiter = ',', required = true)]
    agents: Vec<Contender>,
    /// Sets an option of the game; may be given more than once.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// The race: hidden or known cloth speed and restitution. The same as --set table=…
    #[arg(long, value_name = "TABLE")]
    table: Option<String>,
    /// The race: proportions of the pockets. The same as --set pockets=…
    #[arg(long, value_name = "POCKETS")]
    pockets: Option<String>,
    /// The race: where the balls start. The same as --set layout=…
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<String>,
    /// The race and chess pool: the most shots. The same as --set max_shots=…
    #[arg(long, value_name = "N")]
    max_shots: Option<String>,
    /// The race: the order of the colours. The same as --set order=…
    #[arg(long, value_name = "ORDER")]
    order: Option<String>,
    /// The race: aiming noise. The same as --set noise=…
    #[arg(long, value_name = "NOISE")]
    noise: Option<String>,
    /// Chess pool: the seat that breaks. The same as --set breaker=…
    #[arg(long, value_name = "SEAT")]
    breaker: Option<String>,
    /// A seat's time for the whole game, seconds.
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    clock: f64,
    /// Whether the thinking of built-in agents runs on their clocks. Where it is free, a match of
    /// deterministic agents is the same every time. Processes are always on their clocks.
    #[arg(long, value_name = "TIME", default_value = "free")]
    time: Time,
    /// Let processes that play a race at the same time play one after the other.
    #[arg(long)]
    apart: bool,
    /// A new or empty folder for an image of every shot.
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// One JSON object on standard output: start, every move with the state after it, result.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Options (--set) of the race: pockets=snooker|pool, layout=random|spots, table=hidden|known, \
order=snooker|any, max_shots=10..60, noise=none|olympiad|DEG,M_S. Of frames: definition=FILE, \
skills=S0,S1, and every constant and variable of the definition. Of chess pool: breaker, cloth, \
restitution, max_shots and the readings of the rules (engine/docs/chess-pool.md). `cuebench agents` \
lists who plays which game.";

/// What thinking costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Time {
    /// Nothing.
    Free,
    /// The time that it takes.
    Real,
}

/// Runs the command.
///
/// # Errors
/// For an unknown game, and as [`play`].
pub fn run(args: &Args, games: &Games) -> anyhow::Result<Exit> {
    games.get(&args.game)?.play(args)
}

/// Plays a match of the game `G` and prints it.
///
/// # Errors
/// When an option or a player is refused, the folder for images is not empty, or output fails.
pub fn play<G: Playable>(args: &Args) -> anyhow::Result<Exit> {
    ensure!(args.agents.len() == 2, "--agents: give two, joined by a comma, as in random,random");
    ensure!((0.001..=86_400.0).contains(&args.clock), "--clock: 0.001 to 86400 seconds");
    let game = G::load(&args.settings(), Path::new(""))?.game;
    if let Some(folder) = &args.svg {
        empty(folder)?;
    }
    let stable = Stable::new(args.agents.clone(), Path::new("."))?;
    let (mut one, mut two) = (stable.sit(&game, 0, 0, Some(1))?, stable.sit(&game, 1, 1, Some(0))?);
    let terms = Terms {
        game_id: "play",
        clock: Duration::from_secs_f64(args.clock),
        free: args.time == Time::Free,
        together: !args.apart,
        record: true,
    };
    let seed = Seed::open(args.seed);
    let players = [one.player(), two.player()];
    let played = cuebench_agents::referee::play(&game, seed, players, &terms);
    let text = played.record.as_deref().unwrap_or_default();
    let record: Record = serde_json::from_str(text).context("the record")?;
    if let Some(folder) = &args.svg {
        let drawings = game.draw(&record)?;
        ensure!(!drawings.is_empty(), "--svg: this game has nothing to draw; leave it out");
        for drawing in drawings {
            write_whole(&folder.join(format!("{}.svg", drawing.name)), drawing.svg)?;
        }
    }
    if args.json {
        print_json(&whole(args, &game, &played, &record)?).context("standard output")?;
    } else {
        let names = [args.agents[0].to_string(), args.agents[1].to_string()];
        let text = game.narrate(&record, names.each_ref().map(String::as_str))?;
        let summary = if G::summary_follows() { summary(args, &played) } else { String::new() };
        let text = text + &summary;
        print_text(&text).context("standard output")?;
    }
    Ok(Exit::Done)
}

impl Args {
    /// The options: those with names of their own, then the others.
    fn settings(&self) -> Vec<Setting> {
        let named = [
            ("table", &self.table),
            ("pockets", &self.pockets),
            ("layout", &self.layout),
            ("max_shots", &self.max_shots),
            ("order", &self.order),
            ("noise", &self.noise),
            ("breaker", &self.breaker),
        ];
        let named = named.into_iter().filter_map(|(name, value)| {
            let value = value.clone()?;
            Some(Setting { name: name.to_owned(), value })
        });
        named.chain(self.set.iter().cloned()).collect()
    }
}

/// Refuses a folder with anything in it: old images would stand among the new ones.
fn empty(folder: &Path) -> anyhow::Result<()> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => {
            let found = entries.next().is_some();
            let remedy = "give a new or an empty folder";
            ensure!(!found, "--svg: {} is not empty; {remedy}", folder.display());
            Ok(())
        }
        Err(_) => std::fs::create_dir_all(folder).with_context(|| folder.display().to_string()),
    }
}

/// The game as `--json` prints it.
fn whole<G: Playable>(
    args: &Args,
    game: &G,
    played: &Played<G>,
    record: &Record,
) -> anyhow::Result<Value> {
    let start = game.start(record.seed());
    let start = serde_json::to_value(game.view(&start, 0))?;
    let (mut steps, mut failed) = (vec![], Ok(()));
    record.replay(game, |step| {
        let mut told = game.explained(step);
        let written = &record.moves[step.number - 1].2;
        told.insert("seat".to_owned(), step.seat.into());
        told.insert("time_ms".to_owned(), step.time_ms.into());
        told.insert("action".to_owned(), written.clone());
        match serde_json::to_value(game.view(step.after, step.seat)) {
            Ok(state) => drop(told.insert("state".to_owned(), state)),
            Err(error) => failed = Err(error),
        }
        steps.push(Value::Object(told));
    })?;
    failed?;
    let seats: Vec<Value> = (0..2)
        .map(|seat| {
            let seated = &played.seats[seat];
            let mut told = json!({
                "agent": args.agents[seat].to_string(),
                "score": seated.score,
                "strokes": seated.strokes,
                "time_ms": milliseconds(seated.time),
                "reason": seated.reason(),
                "note": seated.fault.as_ref().map(ToString::to_string),
                "sims": seated.report.sims,
                "identified_after": seated.report.identified_after,
            });
            for (name, value) in game.revealed(&played.state, seat) {
                told[name] = value;
            }
            told
        })
        .collect();
    Ok(json!({
        "game": G::NAME,
        "seed": args.seed,
        "options": game.published(),
        "seats": seats,
        "result": played.points(0),
        "winner": played.verdict.as_ref().and_then(|verdict| verdict.winner),
        "decided_by": played.verdict.as_ref().map(|verdict| &verdict.decided_by),
        "start": start,
        "steps": steps,
        "record": record,
    }))
}

/// Who won, for people.
fn summary<G: Playable>(args: &Args, played: &Played<G>) -> String {
    let mut text = String::new();
    for (seat, seated) in played.seats.iter().enumerate() {
        let Seated { score, strokes, time, .. } = seated;
        let score = score.map_or_else(|| "no score".to_owned(), |score| format!("score {score}"));
        // Writing to a String cannot fail, here and below.
        let _ = write!(
            text,
            "seat {seat}  {}: {score}, {strokes} strokes, {} ms, {}",
            args.agents[seat],
            milliseconds(*time),
            seated.reason()
        );
        let _ = match &seated.fault {
            Some(fault) => writeln!(text, " ({fault})"),
            None => writeln!(text),
        };
    }
    let _ = match &played.verdict {
        None => writeln!(text, "void: the harness failed"),
        Some(verdict) => match verdict.winner {
            Some(winner) => writeln!(text, "seat {winner} wins by {}", verdict.decided_by),
            None => writeln!(text, "a draw: {}", verdict.decided_by),
        },
    };
    text
}
