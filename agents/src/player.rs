//! Who plays: one trait for built-in policies and for bots that run as processes.

use crate::clock::Clock;
use crate::fault::Fault;
use cuebench_engine::game::{Game, Seat};
use std::time::Duration;

/// What a player is told before the first move of a game.
#[derive(Debug)]
pub struct Start<'a, G: Game> {
    /// The game, options included.
    pub game: &'a G,
    /// The player's seat, 0 or 1.
    pub seat: Seat,
    /// A name for this game that is unique in its event.
    pub game_id: &'a str,
    /// The time of a seat for the whole game.
    pub clock: Duration,
    /// The seed of the player's own draws ([`cuebench_engine::game::Seed::of_players`]): it tells
    /// nothing that is hidden.
    pub agent_seed: u64,
    /// The whole state, hidden values too: for players that ask for it
    /// ([`Player::wants_secret`]) and nobody else.
    pub secret: Option<&'a G::State>,
}

impl<G: Game> Clone for Start<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Start<'_, G> {}

/// How a game ended for a player.
#[derive(Debug)]
pub struct GameOver<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// The player's seat.
    pub seat: Seat,
    /// Its points: 1, 0.5 or 0; `None` where the game is void or was played alone.
    pub points: Option<f64>,
    /// How its own game ended: `play`, or the word of its fault.
    pub reason: &'a str,
    /// The word for what decided.
    pub decided_by: &'a str,
    /// The state at the end: nothing is hidden any more.
    pub state: &'a G::State,
}

/// What a player tells of its own work on a game, for the rows of an experiment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Shots or positions simulated.
    pub sims: u64,
    /// Own strokes after which it knew what the table hides; `None` if it never did or never
    /// asked.
    pub identified_after: Option<u32>,
}

/// A player of `G`. It plays one game at a time, any number one after the other.
///
/// Built-in policies need the first three methods; the rest is for players with a life of their
/// own outside this process.
pub trait Player<G: Game>: Send {
    /// Forgets the game before; a new one begins. No clock runs.
    ///
    /// # Errors
    /// A [`Fault`], which ends the game for this seat.
    fn new_game(&mut self, start: &Start<'_, G>) -> Result<(), Fault>;

    /// The action to play now.
    ///
    /// # Errors
    /// A [`Fault`], which ends the game for this seat.
    fn choose(&mut self, game: &G, view: &G::View<'_>, clock: Clock) -> Result<G::Action, Fault>;

    /// What it has done since [`Self::new_game`].
    fn report(&self) -> Report {
        Report::default()
    }

    /// The game is over.
    fn game_over(&mut self, over: &GameOver<'_, G>) {
        let _ = over;
    }

    /// Whether it is to be told what is hidden. Such a player is an upper bound, not a fair
    /// opponent, and is marked so in the rows.
    fn wants_secret(&self) -> bool {
        false
    }

    /// The action that it chose was refused, for this reason.
    fn refused(&mut self, reason: &str) {
        let _ = reason;
    }

    /// It is the other seat's turn, and the processors belong to it.
    fn rest(&mut self) {}

    /// Looks for what arrived and nobody asked for.
    ///
    /// # Errors
    /// A fault among it.
    fn drain(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// For a player outside this process: what its last answer cost. `None` for built-in players,
    /// which the referee times itself.
    fn outside(&self) -> Option<Outside> {
        None
    }

    /// CPU time of its process since that was started, ms, if it has one and it can be known.
    fn cpu_ms(&self) -> Option<u64> {
        None
    }
}

/// What the referee cannot measure of a player that runs elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// How long the last answer took on the player's clock.
    pub waited: Duration,
    /// By how much it overran the limit.
    pub overrun: Option<Duration>,
}

/// A seat that nobody can sit in, with the reason.
#[derive(Clone, Debug)]
pub struct Absent(pub Fault);

impl<G: Game> Player<G> for Absent {
    fn new_game(&mut self, _: &Start<'_, G>) -> Result<(), Fault> {
        Err(self.0.clone())
    }

    fn choose(&mut self, _: &G, _: &G::View<'_>, _: Clock) -> Result<G::Action, Fault> {
        Err(self.0.clone())
    }
}
