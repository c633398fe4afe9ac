//! The integer shot engine: (table, balls, stroke) -> outcome, the same bits everywhere. What it
//! computes, exactly: `engine/docs/physics.md`.

#![deny(clippy::float_arithmetic)]

mod balls;
mod batch;
mod detect;
mod hash;
mod layout;
mod motion;
mod outcome;
mod place;
mod random;
mod resolve;
mod run;
mod stroke;
mod trace;

pub use balls::{Balls, MAX_BALLS, WHITE};
pub use batch::{Shot, map_all, simulate_all};
pub use hash::{TraceHash, trace_hash};
pub use layout::Layout;
pub use outcome::{Collision, Fall, Outcome, RailContact, ShotError};
pub use place::{BallsError, MAX_OVERLAP_UM};
pub use random::{Mix, random_shot};
pub use run::EVENT_CAP;
pub use stroke::{Launch, MAX_LAUNCH_UM_S, Stroke, StrokeError};
pub use trace::{Met, Sight, Trace, TraceEvent};

use crate::table::Table;

impl Table {
    /// Plays `stroke`.
    ///
    /// # Errors
    /// When the balls may not lie as given, or there is no white.
    pub fn simulate(&self, balls: &Balls, stroke: Stroke) -> Result<Outcome, ShotError> {
        let mut outcome = Outcome::default();
        self.simulate_into(balls, stroke, &mut outcome)?;
        Ok(outcome)
    }

    /// As [`simulate`](Self::simulate), into an outcome whose buffers are used again.
    ///
    /// # Errors
    /// As there; `outcome` is then unchanged.
    pub fn simulate_into(
        &self,
        balls: &Balls,
        stroke: Stroke,
        outcome: &mut Outcome,
    ) -> Result<(), ShotError> {
        self.launch_into(balls, stroke.into(), outcome)
    }

    /// As [`simulate`](Self::simulate), for any start of the white.
    ///
    /// # Errors
    /// As there.
    pub fn launch(&self, balls: &Balls, launch: Launch) -> Result<Outcome, ShotError> {
        let mut outcome = Outcome::default();
        self.launch_into(balls, launch, &mut outcome)?;
        Ok(outcome)
    }

    /// As [`launch`](Self::launch), into an outcome whose buffers are used again.
    ///
    /// # Errors
    /// As there; `outcome` is then unchanged.
    pub fn launch_into(
        &self,
        balls: &Balls,
        launch: Launch,
        outcome: &mut Outcome,
    ) -> Result<(), ShotError> {
        self.layout(balls)?.launch_into(launch, outcome);
        Ok(())
    }

    /// Plays `launch` and tells every event.
    ///
    /// # Errors
    /// As [`simulate`](Self::simulate).
    pub fn trace(&self, balls: &Balls, launch: Launch) -> Result<(Outcome, Trace), ShotError> {
        Ok(self.layout(balls)?.trace(launch))
    }
}
