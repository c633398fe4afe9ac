//! `cuebench play`: a match of two agents.

mod chess_pool;
mod race;

use super::Exit;
use super::race_options::RaceOptions;
use crate::chess_pool::setup::OPTIONS_HELP;
use crate::experiment::grid::Setting;
use anyhow::{anyhow, bail};
use clap::ValueEnum;
use cuebench_agents::spec::AgentSpec;
use std::path::PathBuf;

/// Arguments of `cuebench play`.
#[derive(Debug, clap::Args)]
#[command(after_help = OPTIONS_HELP)]
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
    #[command(flatten, next_help_heading = "Options of chess pool")]
    pool: PoolOptions,
    /// Whether the agents' thinking runs on their 30-second clocks. Where it is free, a match of
    /// deterministic agents is the same every time.
    #[arg(long, value_name = "TIME", default_value = "free")]
    time: Time,
    /// Folder for an image of every shot.
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// The games that can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Game {
    /// The snooker race: each seat its own copy of the table.
    SnookerRace,
    /// Chess pool: one frame.
    ChessPool,
}

/// The options of chess pool.
#[derive(Debug, clap::Args)]
struct PoolOptions {
    /// The seat that breaks: 0, unless given.
    #[arg(long, value_name = "SEAT", value_parser = clap::value_parser!(u8).range(0..=1))]
    breaker: Option<u8>,
    /// Sets an option of the game; may be given more than once.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
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
        Game::SnookerRace => {
            args.pool.refuse_outside_chess_pool()?;
            race::run(args)
        }
        Game::ChessPool => chess_pool::run(args),
    }
}

impl PoolOptions {
    fn refuse_outside_chess_pool(&self) -> anyhow::Result<()> {
        let given = [("--breaker", self.breaker.is_some()), ("--set", !self.set.is_empty())];
        match given.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => bail!("{option} is an option of --game chess-pool"),
        }
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
