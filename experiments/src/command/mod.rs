//! One file a command. Each has its arguments as a struct and one `run`.

pub mod judge;
pub mod play;
pub mod race;
pub mod race_options;
pub mod run;
pub mod shot;
pub mod shots;
pub mod stats;
pub mod threads;

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
    /// Verdicts on shots of chess pool, from records on standard input.
    Judge(judge::Args),
    /// A match of two agents.
    Play(play::Args),
    /// One seat's table of the race, played from strokes on standard input.
    Race(race::Args),
    /// Plays the shots of standard input, one JSON object a line.
    Shot(shot::Args),
    /// Plays random shots: how many a second, what they did, and their hash.
    Shots(shots::Args),
    /// An experiment file to rows, a manifest and a table.
    Run(run::Args),
    /// Win rate, Elo and SPRT from counts of results.
    Stats(stats::Args),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// Usage, input or IO: one line with the place and the remedy, exit code 2.
    pub fn run(self) -> anyhow::Result<Exit> {
        match self {
            Self::Judge(args) => judge::run(&args),
            Self::Play(args) => play::run(&args),
            Self::Race(args) => race::run(&args),
            Self::Shot(args) => shot::run(&args),
            Self::Shots(args) => shots::run(&args),
            Self::Run(args) => run::run(&args),
            Self::Stats(args) => stats::run(&args),
        }
    }
}
