//! A match of the snooker race.

use super::{Args, Time};
use crate::command::Exit;
use crate::output::write::write_whole;
use crate::output::{print_json, print_text};
use crate::race_drawing::draw_stroke;
use anyhow::Context as _;
use cuebench_agents::race::play::{TableGame, no_time, play_match};
use cuebench_agents::race::{RaceAgent, Shot, race_agent};
use cuebench_engine::snooker::{Ball, CLOCK_MS, Closed, Decided, MatchOutcome, TableValues};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

/// A seat as `--json` prints it.
#[derive(Serialize)]
struct Seat {
    agent: String,
    score: i32,
    strokes: u32,
    time_ms: u64,
    closed: Closed,
    fouls: u32,
    sims: u64,
    /// Strokes after which the agent knew the hidden table.
    identified_after: Option<u32>,
}

/// The match as `--json` prints it.
#[derive(Serialize)]
struct Match {
    seed: u64,
    seats: [Seat; 2],
    /// Points of seat 0: 1, 0.5 or 0.
    result: f64,
    /// The seat that won; none in a draw.
    winner: Option<u8>,
    decided_by: Decided,
    table: TableValues,
}

/// Plays the match and prints it.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let [a, b] = args.two_agents()?;
    let (mut one, mut other) = (race_agent(a)?, race_agent(b)?);
    let setup = args.race.setup(args.seed, Some(CLOCK_MS));
    let begun = Instant::now();
    let mut watch = || match args.time {
        Time::Free => no_time(),
        Time::Real => begun.elapsed(),
    };
    let agents: [&mut dyn RaceAgent; 2] = [one.as_mut(), other.as_mut()];
    let mut gallery = Gallery { folder: args.svg.as_deref(), result: Ok(()) };
    let mut on_shot = |seat, shot: &Shot<'_>| gallery.add(seat, shot);
    let (games, outcome) = play_match(agents, &setup, &mut watch, &mut on_shot)?;
    gallery.result?;
    let report = report(args.seed, [a.to_string(), b.to_string()], games, outcome);
    let printed = if args.json { print_json(&report) } else { print_text(&as_text(&report)) };
    printed.context("standard output")?;
    Ok(Exit::Done)
}

/// Where the images of the strokes go.
struct Gallery<'a> {
    folder: Option<&'a Path>,
    /// The first failure; nothing is drawn after it.
    result: anyhow::Result<()>,
}

impl Gallery<'_> {
    fn add(&mut self, seat: u8, shot: &Shot<'_>) {
        if let (Some(folder), Ok(())) = (self.folder, &self.result) {
            let path = folder.join(format!("seat{seat}-{:02}.svg", shot.table.strokes()));
            self.result = drawing(seat, shot).and_then(|image| write_whole(&path, image));
        }
    }
}

fn drawing(seat: u8, shot: &Shot<'_>) -> anyhow::Result<String> {
    let view = shot.table.observe();
    let names =
        |balls: &[Ball]| balls.iter().map(|ball| ball.name()).collect::<Vec<_>>().join(", ");
    let fouls: Vec<_> = view.fouls.iter().map(|foul| foul.name()).collect();
    let text = [
        format!(
            "seat {seat}, stroke {}: angle {}, power {}; first hit {}; potted {}",
            view.strokes,
            shot.stroke.angle_mdeg(),
            shot.stroke.power(),
            view.first_hit.map_or("none", |ball| ball.name()),
            if view.potted.is_empty() { "none".to_owned() } else { names(&view.potted) },
        ),
        format!(
            "score {}; fouls {}",
            view.score,
            if fouls.is_empty() { "none".to_owned() } else { fouls.join(", ") }
        ),
    ];
    Ok(draw_stroke(shot.table.table(), shot.before, shot.launch, &text)?)
}

fn report(
    seed: u64,
    names: [String; 2],
    games: [TableGame; 2],
    MatchOutcome { winner, decided_by }: MatchOutcome,
) -> Match {
    let table = games[0].table.values();
    let [a, b] = games;
    let [name_a, name_b] = names;
    Match {
        seed,
        seats: [seat(name_a, &a), seat(name_b, &b)],
        result: MatchOutcome { winner, decided_by }.points(),
        winner,
        decided_by,
        table,
    }
}

fn seat(agent: String, game: &TableGame) -> Seat {
    Seat {
        agent,
        score: game.result.score,
        strokes: game.result.strokes,
        time_ms: game.result.time_ms,
        closed: game.result.closed,
        fouls: game.fouls,
        sims: game.report.sims,
        identified_after: game.report.identified_after,
    }
}

fn as_text(report: &Match) -> String {
    let mut text = String::new();
    for (number, seat) in report.seats.iter().enumerate() {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            text,
            "seat {number}  {}: score {}, {} strokes, {} ms, {}, {} fouls",
            seat.agent,
            seat.score,
            seat.strokes,
            seat.time_ms,
            seat.closed.name(),
            seat.fouls
        );
    }
    let TableValues { cloth, restitution } = report.table;
    let _ = writeln!(text, "table: cloth {cloth} mm/s², restitution {restitution}/1000");
    let by = report.decided_by.name();
    let _ = match report.winner {
        Some(winner) => writeln!(text, "seat {winner} wins by {by}"),
        None => writeln!(text, "a draw: equal score, strokes and time"),
    };
    text
}
