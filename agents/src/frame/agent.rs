//! What plays a frame: the trait that built-in agents and external bots share.

use crate::clock::Clock;
use crate::fault::Fault;
use cuebench_engine::frame::{ActionId, Game, View};

/// What an agent is told before a frame begins.
#[derive(Clone, Copy, Debug)]
pub struct FrameStart<'a> {
    /// The seat, 0 or 1. Seat 0 breaks.
    pub seat: u8,
    /// The game, settings included.
    pub game: &'a Game,
    /// The time of a seat for the whole frame, ms.
    pub clock_ms: u64,
    /// The seed of the agent's own draws: it tells nothing of the frame's draws.
    pub agent_seed: u64,
}

/// How a frame ended for an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameOver<'a> {
    /// The agent's points: 1, 0.5 or 0.
    pub points: f64,
    /// Why the frame ended.
    pub reason: &'a str,
}

/// A player of frames. An agent object plays one frame at a time, any number one after the other.
pub trait FrameAgent: Send {
    /// The agent's text, as in `threshold:tau=0.4`.
    fn name(&self) -> &str;

    /// Forgets the frame before; a new one begins.
    ///
    /// # Errors
    /// A [`Fault`], which ends the frame for this seat.
    fn new_game(&mut self, start: &FrameStart<'_>) -> Result<(), Fault>;

    /// One of the open actions.
    ///
    /// # Errors
    /// A [`Fault`], which ends the frame for this seat.
    fn choose(&mut self, view: &View<'_>, clock: Clock) -> Result<ActionId, Fault>;

    /// The frame is over.
    fn game_over(&mut self, over: &FrameOver<'_>) {
        let _ = over;
    }
}
