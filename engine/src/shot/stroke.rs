//! Strokes: what a player asks for, and what the white does.

use crate::units::{FULL_TURN_MDEG, MAX_POWER, SPEED_PER_POWER_UM_S};
use serde::Serialize;

/// Greatest speed of a [`Launch`], µm/s: a tenth above full power, for aiming noise.
pub const MAX_LAUNCH_UM_S: u32 = 6_600_000;

/// A stroke: direction and power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Stroke {
    #[serde(rename = "angle")]
    angle_mdeg: u32,
    power: u32,
}

/// How the white leaves: a stroke, or a stroke with aiming noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Launch {
    angle_mdeg: u32,
    speed_um_s: u32,
}

/// Why a stroke is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StrokeError {
    /// The angle is a full turn or more.
    #[error("angle {0} thousandths of a degree: give 0 to {last}", last = FULL_TURN_MDEG - 1)]
    Angle(u32),
    /// The power is out of range.
    #[error("power {0}: give 1 to {MAX_POWER}")]
    Power(u32),
    /// The speed of a launch is out of range.
    #[error("launch speed {0} µm/s: give 1 to {MAX_LAUNCH_UM_S}")]
    Speed(u32),
}

impl Stroke {
    /// The stroke at `angle_mdeg` thousandths of a degree (0..=359 999, anticlockwise from +x)
    /// with `power` (1..=1000, each worth 6000 µm/s).
    ///
    /// # Errors
    /// When either is out of range.
    pub const fn new(angle_mdeg: u32, power: u32) -> Result<Self, StrokeError> {
        if angle_mdeg >= FULL_TURN_MDEG {
            return Err(StrokeError::Angle(angle_mdeg));
        }
        if power < 1 || power > MAX_POWER {
            return Err(StrokeError::Power(power));
        }
        Ok(Self { angle_mdeg, power })
    }

    /// The direction, thousandths of a degree.
    #[must_use]
    pub const fn angle_mdeg(self) -> u32 {
        self.angle_mdeg
    }

    /// The power.
    #[must_use]
    pub const fn power(self) -> u32 {
        self.power
    }
}

impl Launch {
    /// A start of the white at `angle_mdeg` thousandths of a degree (0..=359 999) and `speed_um_s`
    /// µm/s (1..=[`MAX_LAUNCH_UM_S`]).
    ///
    /// # Errors
    /// When either is out of range.
    pub const fn new(angle_mdeg: u32, speed_um_s: u32) -> Result<Self, StrokeError> {
        if angle_mdeg >= FULL_TURN_MDEG {
            return Err(StrokeError::Angle(angle_mdeg));
        }
        if speed_um_s < 1 || speed_um_s > MAX_LAUNCH_UM_S {
            return Err(StrokeError::Speed(speed_um_s));
        }
        Ok(Self { angle_mdeg, speed_um_s })
    }

    /// The direction, thousandths of a degree.
    #[must_use]
    pub const fn angle_mdeg(self) -> u32 {
        self.angle_mdeg
    }

    /// The speed, µm/s.
    #[must_use]
    pub const fn speed_um_s(self) -> u32 {
        self.speed_um_s
    }
}

impl From<Stroke> for Launch {
    fn from(stroke: Stroke) -> Self {
        let speed_um_s = stroke.power * SPEED_PER_POWER_UM_S as u32;
        Self { angle_mdeg: stroke.angle_mdeg, speed_um_s }
    }
}
