//! A frame of chess pool.

use super::Args;
use crate::chess_pool::drawing::{draw_position, draw_shot};
use crate::chess_pool::playthrough::{Playthrough, answer};
use crate::chess_pool::setup::Setup;
use crate::command::Exit;
use crate::output::write::write_whole;
use crate::output::{note, print_json, print_text};
use anyhow::{Context as _, anyhow};
use cuebench_agents::chess_pool::{Frame, FrameResult, Step, Tally, chess_pool_agent, watch_frame};
use cuebench_agents::fault::Fault;
use cuebench_engine::chess_pool::action::Action;
use cuebench_engine::chess_pool::frame::{Seat, State};
use cuebench_engine::chess_pool::judge::Verdict;
use cuebench_engine::chess_pool::notation::of_outcome;
use cuebench_engine::chess_pool::opening::BreakVerdict;
use cuebench_engine::chess_pool::play::Event;
use cuebench_engine::shot::Stroke;
use serde::Serialize;
use std::path::Path;

/// A seat as `--json` prints it.
#[derive(Serialize)]
struct SeatReport {
    agent: String,
    shots: u64,
    fouls: u64,
    scratches: u64,
    moves: u64,
    moves_made: u64,
    captures: u64,
    removed: u64,
    sims: u64,
}

/// The frame as `--json` prints it.
#[derive(Serialize)]
struct Report {
    seed: u64,
    breaker: Seat,
    seats: [SeatReport; 2],
    /// The seat that won; none in a draw.
    winner: Option<Seat>,
    /// Points of seat 0: 1, 0.5 or 0; none when the harness failed.
    result: Option<f64>,
    reason: String,
    shots: u32,
    steps: Vec<StepReport>,
}

/// One answer as `--json` prints it.
#[derive(Serialize)]
struct StepReport {
    seat: Seat,
    #[serde(flatten)]
    action: Action,
    shot: Option<String>,
    verdict: Option<AnyVerdict>,
    reasons: Vec<String>,
    state: State,
}

#[derive(Serialize)]
#[serde(untagged)]
enum AnyVerdict {
    Break(BreakVerdict),
    Shot(Verdict),
}

/// What is gathered while the frame is played.
struct Gathered<'a> {
    setup: &'a Setup,
    svg: Option<&'a Path>,
    text: Playthrough,
    steps: Vec<StepReport>,
    drawn: u64,
    failure: anyhow::Result<()>,
}

/// Plays the frame and prints it.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let [a, b] = args.two_agents()?;
    let (mut one, mut other) = (chess_pool_agent(a)?, chess_pool_agent(b)?);
    let setup = Setup::of(&args.pool.set).map_err(|error| anyhow!("--set: {error}"))?;
    let breaker = usize::from(args.pool.breaker.unwrap_or(0));
    if let Some(folder) = &args.svg {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let spec = setup.table.spec();
    let heading = [
        format!("chess pool, seed {}: seat 0 {a}, seat 1 {b}; seat {breaker} breaks", args.seed),
        format!(
            "cloth {} mm/s², restitution {}/1000, at most {} shots",
            spec.cloth, spec.restitution, setup.rules.max_shots
        ),
    ];
    let mut gathered = Gathered {
        setup: &setup,
        svg: args.svg.as_deref(),
        text: Playthrough::new(&heading),
        steps: vec![],
        drawn: 0,
        failure: Ok(()),
    };
    let frame = Frame { table: &setup.table, rules: setup.rules, breaker, agent_seed: args.seed };
    let result =
        watch_frame(&frame, [one.as_mut(), other.as_mut()], |step| gathered.step(step, args.json));
    gathered.failure?;
    if let Some(folder) = &args.svg {
        note(&format!("{} drawings in {}", gathered.drawn, folder.display()));
    }
    let printed = if args.json {
        let names = [a.to_string(), b.to_string()];
        print_json(&report(args.seed, breaker, names, &result, gathered.steps))
    } else {
        print_text(&gathered.text.finish(&ending(&result)))
    };
    printed.context("standard output")?;
    Ok(Exit::Done)
}

impl Gathered<'_> {
    fn step(&mut self, step: &Step<'_>, json: bool) {
        if json {
            self.steps.push(step_report(step));
        } else {
            self.text.step(step);
        }
        if self.failure.is_ok()
            && let Some(folder) = self.svg
        {
            self.failure = self.draw(step, folder);
        }
    }

    /// Every shot, and the position after every other answer.
    fn draw(&mut self, step: &Step<'_>, folder: &Path) -> anyhow::Result<()> {
        let table = &self.setup.table;
        let title = format!("{}. seat {} {}", step.after.shots(), step.seat, answer(step.action));
        let image = match (step.event, *step.action) {
            (Event::Break(verdict), Action::Break { angle, power, .. }) => {
                let lines = [title, format!("{} = {verdict}", of_outcome(&step.shot.outcome))];
                let stroke = Stroke::new(angle, power)?;
                draw_shot(table, &step.shot.before, stroke.into(), &lines)?
            }
            (Event::Shot(verdict), Action::Shot { angle, power, .. }) => {
                let lines = [title, format!("{} = {verdict}", of_outcome(&step.shot.outcome))];
                let stroke = Stroke::new(angle, power)?;
                draw_shot(table, &step.shot.before, stroke.into(), &lines)?
            }
            _ => draw_position(table, step.after.balls(), &[title]),
        };
        self.drawn += 1;
        let path = folder.join(format!("{:03}.svg", self.drawn));
        write_whole(&path, image)
    }
}

fn step_report(step: &Step<'_>) -> StepReport {
    let verdict = match step.event {
        Event::Break(verdict) => Some(AnyVerdict::Break(*verdict)),
        Event::Shot(verdict) => Some(AnyVerdict::Shot(*verdict)),
        Event::Side | Event::King => None,
    };
    StepReport {
        seat: step.seat,
        action: *step.action,
        shot: verdict.is_some().then(|| of_outcome(&step.shot.outcome)),
        verdict,
        reasons: step.reasons.iter().map(ToString::to_string).collect(),
        state: *step.after,
    }
}

fn report(
    seed: u64,
    breaker: Seat,
    names: [String; 2],
    frame: &FrameResult,
    steps: Vec<StepReport>,
) -> Report {
    let [a, b] = names;
    let [one, other] = &frame.tallies;
    let void = matches!(frame.fault, Some((_, Fault::Void(_))));
    let points = frame.winner.map_or(0.5, |winner| if winner == 0 { 1.0 } else { 0.0 });
    let reason = frame.fault.as_ref().map_or("play", |(_, fault)| fault.reason());
    Report {
        seed,
        breaker,
        seats: [seat(a, one), seat(b, other)],
        winner: frame.winner,
        result: (!void).then_some(points),
        reason: reason.to_owned(),
        shots: frame.shots,
        steps,
    }
}

fn seat(agent: String, tally: &Tally) -> SeatReport {
    SeatReport {
        agent,
        shots: tally.shots,
        fouls: tally.fouls,
        scratches: tally.scratches,
        moves: tally.moves,
        moves_made: tally.moves_made,
        captures: tally.captures,
        removed: tally.removed,
        sims: tally.sims,
    }
}

fn ending(frame: &FrameResult) -> String {
    let shots = frame.shots;
    match (&frame.fault, frame.winner) {
        (Some((seat, fault)), _) => format!("end: seat {seat} fails after {shots} shots: {fault}"),
        (None, Some(winner)) => format!("end: seat {winner} wins after {shots} shots"),
        (None, None) => format!("end: a draw after {shots} shots"),
    }
}
