//! `random`: any angle, any power.

use crate::clock::Clock;
use crate::fault::Fault;
use crate::player::{Player, Start};
use crate::race::start::RaceStart;
use cuebench_engine::rng::{Purpose, Rng, between, stream};
use cuebench_engine::snooker::PublicView;
use cuebench_engine::snooker::{Action, Race};
use cuebench_engine::units::{FULL_TURN_MDEG, MAX_POWER};

/// Strokes drawn uniformly: the angle from all directions, the power from a range.
#[derive(Clone, Debug)]
pub struct RandomAgent {
    power: [u32; 2],
    rng: Rng,
}

impl RandomAgent {
    /// An agent that draws powers from `power[0]..=power[1]`, within 1..=1000.
    #[must_use]
    pub fn new(power: [u32; 2]) -> Self {
        let power = power.map(|power| power.clamp(1, MAX_POWER));
        Self { power, rng: stream(0, Purpose::Agent, 0) }
    }
}

impl Player<Race> for RandomAgent {
    fn new_game(&mut self, start: &Start<'_, Race>) -> Result<(), Fault> {
        let start = RaceStart::from(start);
        self.rng = stream(start.agent_seed, Purpose::Agent, 0);
        Ok(())
    }

    fn choose(&mut self, _: &Race, _: &PublicView, _: Clock) -> Result<Action, Fault> {
        let [low, high] = self.power.map(|power| power as i32);
        let angle = between(&mut self.rng, 0, FULL_TURN_MDEG as i32 - 1);
        let power = between(&mut self.rng, low, high);
        Ok(Action { angle: angle.unsigned_abs(), power: power.unsigned_abs() })
    }
}
