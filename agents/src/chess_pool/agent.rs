//! What plays chess pool: the trait that built-in agents and external bots share.

use super::view::View;
use crate::clock::Clock;
use crate::fault::Fault;
use cuebench_engine::chess_pool::action::Action;
use cuebench_engine::chess_pool::frame::{Rules, Seat};
use cuebench_engine::table::Table;

/// What an agent is told before a frame.
#[derive(Clone, Copy, Debug)]
pub struct ChessPoolStart<'a> {
    /// The agent's seat, 0 or 1.
    pub seat: Seat,
    /// Who breaks.
    pub breaker: Seat,
    /// The rules of the frame.
    pub rules: Rules,
    /// The table, known to both.
    pub table: &'a Table,
    /// The seed of the agent's own draws: a function of the frame alone. Draw from the stream of
    /// index [`seat`](Self::seat).
    pub agent_seed: u64,
}

/// How a frame ended for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChessPoolEnd<'a> {
    /// Who won; `None` for a draw.
    pub winner: Option<Seat>,
    /// The word that stands in the column `reason`: `play`, or a fault's.
    pub reason: &'a str,
}

/// A player of chess pool. An agent object plays one frame at a time, any number one after the
/// other.
pub trait ChessPoolAgent: Send {
    /// The agent's text, as in `search:sims=400`.
    fn name(&self) -> &str;

    /// Forgets the frame before; a new one begins.
    ///
    /// # Errors
    /// A [`Fault`], which loses the frame.
    fn new_game(&mut self, start: &ChessPoolStart<'_>) -> Result<(), Fault>;

    /// The answer to what the view's phase asks for.
    ///
    /// # Errors
    /// A [`Fault`], which loses the frame.
    fn choose(&mut self, view: &View<'_>, clock: Clock) -> Result<Action, Fault>;

    /// The frame is over.
    fn game_over(&mut self, end: &ChessPoolEnd<'_>) {
        let _ = end;
    }

    /// Shots simulated since `new_game`.
    fn sims(&self) -> u64 {
        0
    }
}
