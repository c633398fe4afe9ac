//! `cuebench learn`: training, one file a game.

pub mod race;

use super::Exit;

/// Arguments of `cuebench learn`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// The learned policy of the snooker race, by expert iteration.
    Race(race::Args),
}

/// Runs the command.
///
/// # Errors
/// As the training that was asked for.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.what {
        What::Race(args) => race::run(args),
    }
}
