//! `cuebench learn`: policies from play, one file a game.

pub mod frames;
pub mod race;

use super::Exit;
use clap::Subcommand;

/// What to learn.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// A table of the best action at every state of a frame, by Q-learning in self-play.
    Frames(frames::Args),
    /// The learned policy of the snooker race, by expert iteration.
    Race(race::Args),
}

/// Arguments of `cuebench learn`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
}

/// Runs the command.
///
/// # Errors
/// Those of the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.what {
        Command::Frames(args) => frames::run(args),
        Command::Race(args) => race::run(args),
    }
}
