//! What plays the race: the trait that built-in agents and external bots share.

use crate::clock::Clock;
use crate::fault::Fault;
use cuebench_engine::shot::Stroke;
use cuebench_engine::snooker::{AimNoise, Options, PublicView, SeatResult, TableValues};

/// What an agent is told before the first stroke of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceStart {
    /// The seat, 0 or 1. Both seats have the same table.
    pub seat: u8,
    /// The options of the race.
    pub options: Options,
    /// The aiming noise that is on.
    pub noise: Option<AimNoise>,
    /// The time of a seat for its whole table, ms.
    pub clock_ms: u64,
    /// The seed of the agent's own draws: a function of the game alone, the same for both seats,
    /// that tells nothing of the layout or the hidden values.
    pub agent_seed: u64,
    /// The true cloth speed and restitution, for agents that ask for them
    /// ([`RaceAgent::wants_true_values`]) and nobody else.
    pub true_values: Option<TableValues>,
}

/// How a race ended for an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceEnd {
    /// The agent's points of the match: 1, 0.5 or 0; `None` where a table was played alone.
    pub points: Option<f64>,
    /// What it had when its table closed.
    pub seat: SeatResult,
    /// The table's values, no longer hidden.
    pub table: TableValues,
}

/// What an agent tells of its own work on a table, for the rows of an experiment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaceReport {
    /// Shots simulated.
    pub sims: u64,
    /// Own strokes after which it knew the hidden table; `None` if it never did or never asked.
    pub identified_after: Option<u32>,
}

/// A player of the race. An agent object plays one table at a time, any number one after the
/// other.
pub trait RaceAgent: Send {
    /// The agent's text, as in `search:sims=2000`.
    fn name(&self) -> &str;

    /// Whether it is to be given the true values of hidden tables. Such an agent is an upper bound,
    /// not a fair player, and is marked so in the rows.
    fn wants_true_values(&self) -> bool {
        false
    }

    /// Forgets the table before; a new one begins.
    ///
    /// # Errors
    /// A [`Fault`], which ends the game for this seat.
    fn new_game(&mut self, start: &RaceStart) -> Result<(), Fault>;

    /// The stroke to play now. The table is open.
    ///
    /// # Errors
    /// A [`Fault`], which ends the game for this seat.
    fn choose(&mut self, view: &PublicView, clock: Clock) -> Result<Stroke, Fault>;

    /// The game is over.
    fn game_over(&mut self, end: &RaceEnd) {
        let _ = end;
    }

    /// What it has done since `new_game`.
    fn report(&self) -> RaceReport {
        RaceReport::default()
    }
}
