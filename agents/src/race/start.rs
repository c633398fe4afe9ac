//! What an agent of the race keeps of the start of a game.

use crate::player::Start;
use cuebench_engine::snooker::{AimNoise, Options, Race, TableValues};

/// The part of [`Start`] that an agent needs while it plays a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceStart {
    /// The options of the race.
    pub options: Options,
    /// The aiming noise that is on.
    pub noise: Option<AimNoise>,
    /// The seed of the agent's own draws: the same for both seats, so that the same agent plays
    /// the same game in either.
    pub agent_seed: u64,
    /// The true cloth speed and restitution, for agents that ask for them and nobody else.
    pub true_values: Option<TableValues>,
}

impl From<&Start<'_, Race>> for RaceStart {
    fn from(start: &Start<'_, Race>) -> Self {
        let Race { options, noise, .. } = *start.game;
        let true_values = start.secret.map(|state| state.table(start.seat).values());
        Self { options, noise, agent_seed: start.agent_seed, true_values }
    }
}
