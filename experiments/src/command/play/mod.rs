//! `cuebench play`: a match of two agents.

mod race;

use super::Exit;
use super::race_options::RaceOptions;
use anyhow::anyhow;
use clap::ValueEnum;
use cuebench_agents::spec::AgentSpec;

/// Arguments of `cuebench play`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game.
    #[arg(long, value_name = "GAME", default_value = "snooker-race")]
    game: Game,
    /// Start, hidden values, aiming noise and the agents' draws follow from it.
    #[arg(long, value_name = "S")]
    seed: u64,
    /// The agent of seat 0 and that of seat 1, as in search:sims=2000,first_hit.
    #[arg(long, value_name = "A,B", value_delimiter = ',', required = true)]
    agents: Vec<AgentSpec>,
    #[command(flatten, next_help_heading = "Options of the race")]
    race: RaceOptions,
    /// Whether the agents' thinking runs on their 30-second clocks. Where it is free, a match of
    /// deterministic agents is the same every time.
    #[arg(long, value_name = "TIME", default_value = "free")]
    time: Time,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// The games that can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Game {
    /// The snooker race: each seat its own copy of the table.
    SnookerRace,
}

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
/// When an agent cannot be made or fails, or output fails.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match args.game {
        Game::SnookerRace => race::run(args),
    }
}

impl Args {
    fn two_agents(&self) -> anyhow::Result<[&AgentSpec; 2]> {
        match &self.agents[..] {
            [a, b] => Ok([a, b]),
            others => Err(anyhow!(
                "--agents: {} given; give two, joined by a comma, as in random,first_hit",
                others.len()
            )),
        }
    }
}
