//! An agent that follows a policy.

use super::{FrameAgent, FrameStart};
use crate::clock::Clock;
use crate::fault::Fault;
use cuebench_engine::frame::{ActionId, Policy, View};
use cuebench_engine::rng::{Purpose, Rng, stream};
use rand::RngExt as _;

/// Plays as a [`Policy`] of the same game and seat says.
#[derive(Clone, Debug)]
pub struct PolicyAgent {
    name: String,
    policy: Policy,
    rng: Rng,
}

impl PolicyAgent {
    /// An agent called `name` that follows `policy`.
    #[must_use]
    pub fn new(name: String, policy: Policy) -> Self {
        Self { name, policy, rng: stream(0, Purpose::Agent, 0) }
    }
}

impl FrameAgent for PolicyAgent {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, start: &FrameStart<'_>) -> Result<(), Fault> {
        self.rng = stream(start.agent_seed, Purpose::Agent, u64::from(start.seat));
        Ok(())
    }

    fn choose(&mut self, view: &View<'_>, _: Clock) -> Result<ActionId, Fault> {
        self.policy
            .action(view, || self.rng.random())
            .ok_or_else(|| Fault::Void("the policy is of another game".to_owned()))
    }
}
