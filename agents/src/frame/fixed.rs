//! An agent that follows a policy.

use crate::clock::Clock;
use crate::fault::Fault;
use crate::player::{Player, Start};
use cuebench_engine::frame::{ActionId, Game, Policy, View};
use cuebench_engine::rng::{Purpose, Rng, stream};
use rand::RngExt as _;

/// Plays as a [`Policy`] of the same game and seat says.
#[derive(Clone, Debug)]
pub struct PolicyAgent {
    policy: Policy,
    rng: Rng,
}

impl PolicyAgent {
    /// An agent that follows `policy`.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self { policy, rng: stream(0, Purpose::Agent, 0) }
    }
}

impl Player<Game> for PolicyAgent {
    fn new_game(&mut self, start: &Start<'_, Game>) -> Result<(), Fault> {
        self.rng = stream(start.agent_seed, Purpose::Agent, start.seat as u64);
        Ok(())
    }

    fn choose(&mut self, _: &Game, view: &View<'_>, _: Clock) -> Result<ActionId, Fault> {
        self.policy
            .action(view, || self.rng.random())
            .ok_or_else(|| Fault::Void("the policy is of another game".to_owned()))
    }
}
