//! One file a command. Each has its arguments as a struct and one `run`.

pub mod agents;
pub mod calibrate;
pub mod check;
pub mod check_bot;
pub mod completions;
pub mod estimate;
pub mod frame_options;
pub mod frames;
pub mod judge;
pub mod learn;
pub mod man;
pub mod play;
pub mod predict;
pub mod race;
pub mod race_options;
pub mod rate;
pub mod readings;
pub mod replay;
pub mod run;
pub mod self_test_options;
pub mod shot;
pub mod shots;
pub mod simulate_shots;
pub mod solve;
pub mod stats;
pub mod table;
pub mod threads;
pub mod tournament;

use crate::games::Games;
use clap::{Parser, Subcommand};

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done: exit code 0.
    Done,
    /// The check that was asked for failed: exit code 1.
    CheckFailed,
    /// Stopped on request before the end, with what was done kept: exit code 130.
    Interrupted,
}

/// Exactly repeatable shots, frames and matches of cue sports, and numbers to trust.
#[derive(Debug, Parser)]
#[command(name = "cuebench", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Built-in agents of every game: options, units and defaults.
    Agents(agents::Args),
    /// Skills and difficulties of the 8-ball outcome model from logs of shots.
    Calibrate(calibrate::Args),
    /// Reads a game definition and reports what it is.
    Check(check::Args),
    /// Whether a bot that runs as a process conforms to the protocol, step by step.
    CheckBot(check_bot::Args),
    /// A script that completes commands and options in a shell.
    Completions(completions::Args),
    /// Hidden cloth speed and restitution of a table, from shots that were seen on it.
    Estimate(estimate::Args),
    /// Win rate and length of frames between two agents, by sampling.
    Frames(frames::Args),
    /// Verdicts on shots and whole games of chess pool, from records.
    Judge(judge::Args),
    /// Learns a policy from play.
    Learn(learn::Args),
    /// Manual pages, one a command.
    Man(man::Args),
    /// A match of two agents.
    Play(play::Args),
    /// Win chances and frame lengths from a calibrated model, with intervals.
    Predict(predict::Args),
    /// One seat's table of the race, played from strokes on standard input.
    Race(race::Args),
    /// Ratings from the games of a tournament, or from any table of wins, draws and losses.
    Rate(rate::Args),
    /// How often each reading of the rules of chess pool changes the winner of a frame.
    Readings(readings::Args),
    /// Shows a game of a tournament, or one of chess pool from its file, again.
    Replay(replay::Args),
    /// An experiment file to rows, a manifest and a table.
    Run(run::Args),
    /// Plays the shots of standard input, one JSON object a line.
    Shot(shot::Args),
    /// Plays random shots: how many a second, what they did, and their hash.
    Shots(shots::Args),
    /// A log of shots from the outcome model or the shot engine.
    SimulateShots(simulate_shots::Args),
    /// Win rate and length of frames between two agents, exactly.
    Solve(solve::Args),
    /// Win rate, Elo and SPRT from counts of results.
    Stats(stats::Args),
    /// The shape of a table, as JSON or as a drawing.
    Table(table::Args),
    /// A tournament of built-in agents and bots in any language.
    Tournament(tournament::Args),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// Usage, input or IO: one line with the place and the remedy, exit code 2.
    pub fn run(self, games: &Games) -> anyhow::Result<Exit> {
        match self {
            Self::Agents(args) => agents::run(&args, games),
            Self::Calibrate(args) => calibrate::run(&args),
            Self::Check(args) => check::run(&args),
            Self::CheckBot(args) => check_bot::run(&args, games),
            Self::Completions(args) => completions::run(&args),
            Self::Estimate(args) => estimate::run(&args),
            Self::Frames(args) => frames::run(&args),
            Self::Judge(args) => judge::run(&args),
            Self::Learn(args) => learn::run(&args),
            Self::Man(args) => man::run(&args),
            Self::Play(args) => play::run(&args, games),
            Self::Predict(args) => predict::run(&args),
            Self::Race(args) => race::run(&args),
            Self::Rate(args) => rate::run(&args),
            Self::Readings(args) => readings::run(&args),
            Self::Replay(args) => replay::run(&args, games),
            Self::Run(args) => run::run(&args, games),
            Self::Shot(args) => shot::run(&args),
            Self::Shots(args) => shots::run(&args),
            Self::SimulateShots(args) => simulate_shots::run(&args),
            Self::Solve(args) => solve::run(&args),
            Self::Stats(args) => stats::run(&args),
            Self::Table(args) => table::run(&args),
            Self::Tournament(args) => tournament::run(&args, games),
        }
    }
}
