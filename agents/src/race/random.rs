//! `random`: any angle, any power.

use super::agent::{RaceAgent, RaceStart};
use crate::clock::Clock;
use crate::fault::Fault;
use cuebench_engine::rng::{Purpose, Rng, between, stream};
use cuebench_engine::shot::Stroke;
use cuebench_engine::snooker::PublicView;
use cuebench_engine::units::{FULL_TURN_MDEG, MAX_POWER};

/// Strokes drawn uniformly: the angle from all directions, the power from a range.
#[derive(Clone, Debug)]
pub struct RandomAgent {
    name: String,
    power: [u32; 2],
    rng: Rng,
}

impl RandomAgent {
    /// An agent that draws powers from `power[0]..=power[1]`, within 1..=1000.
    #[must_use]
    pub fn new(name: String, power: [u32; 2]) -> Self {
        let power = power.map(|power| power.clamp(1, MAX_POWER));
        Self { name, power, rng: stream(0, Purpose::Agent, 0) }
    }
}

impl RaceAgent for RandomAgent {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, start: &RaceStart) -> Result<(), Fault> {
        self.rng = stream(start.agent_seed, Purpose::Agent, 0);
        Ok(())
    }

    fn choose(&mut self, _: &PublicView, _: Clock) -> Result<Stroke, Fault> {
        let [low, high] = self.power.map(|power| power as i32);
        let angle = between(&mut self.rng, 0, FULL_TURN_MDEG as i32 - 1);
        let power = between(&mut self.rng, low, high);
        Stroke::new(angle.unsigned_abs(), power.unsigned_abs())
            .map_err(|error| Fault::Void(error.to_string()))
    }
}
