//! Aiming noise: the stroke that is played differs a little from the one that was meant.

use crate::rng::{Purpose, stream};
use crate::shot::{Launch, MAX_LAUNCH_UM_S, Stroke};
use crate::units::FULL_TURN_MDEG;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

/// Independent normal errors of angle and speed, with mean zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawNoise")]
pub struct AimNoise {
    angle_deg: f64,
    speed_m_s: f64,
}

/// Noise as it is written down, before its ranges are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawNoise {
    angle_deg: f64,
    speed_m_s: f64,
}

/// Why a noise was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoiseError {
    /// A standard deviation outside its range.
    #[error("noise of {what} is {value}; it must be from 0 to {most}")]
    Range {
        /// `angle (degrees)` or `speed (m/s)`.
        what: &'static str,
        /// As given.
        value: f64,
        /// The most that is allowed.
        most: f64,
    },
    /// A text that is neither a preset nor two numbers.
    #[error("noise is `{0}`; write none, olympiad, or ANGLE_DEG,SPEED_M_S such as 0.125,0.075")]
    Text(String),
}

impl AimNoise {
    /// The noise of the computer-pool tournaments: 0.125 degrees and 0.075 m/s.
    pub const OLYMPIAD: Self = Self { angle_deg: 0.125, speed_m_s: 0.075 };
    const MOST_ANGLE_DEG: f64 = 180.0;
    const MOST_SPEED_M_S: f64 = 6.0;

    /// Noise with these standard deviations: 0..=180 degrees and 0..=6 m/s.
    ///
    /// # Errors
    /// [`NoiseError::Range`] for a value outside its range or not a number.
    pub fn new(angle_deg: f64, speed_m_s: f64) -> Result<Self, NoiseError> {
        for (what, value, most) in [
            ("angle (degrees)", angle_deg, Self::MOST_ANGLE_DEG),
            ("speed (m/s)", speed_m_s, Self::MOST_SPEED_M_S),
        ] {
            if !(0.0..=most).contains(&value) {
                return Err(NoiseError::Range { what, value, most });
            }
        }
        Ok(Self { angle_deg, speed_m_s })
    }

    /// `none`, `olympiad`, or two numbers joined by a comma: degrees, then m/s.
    ///
    /// # Errors
    /// [`NoiseError`] for anything else.
    pub fn parse(text: &str) -> Result<Option<Self>, NoiseError> {
        match text {
            "none" => Ok(None),
            "olympiad" => Ok(Some(Self::OLYMPIAD)),
            _ => {
                let number = |part: &str| part.trim().parse::<f64>().ok();
                let (angle, speed) = text
                    .split_once(',')
                    .and_then(|(angle, speed)| Some((number(angle)?, number(speed)?)))
                    .ok_or_else(|| NoiseError::Text(text.to_owned()))?;
                Self::new(angle, speed).map(Some)
            }
        }
    }

    /// Standard deviation of the angle, degrees.
    #[must_use]
    pub const fn angle_deg(self) -> f64 {
        self.angle_deg
    }

    /// Standard deviation of the speed, m/s.
    #[must_use]
    pub const fn speed_m_s(self) -> f64 {
        self.speed_m_s
    }

    /// What really leaves the cue when `stroke` is meant: stroke number `number` (from 0) of the
    /// game with `seed`. The two draws depend on (seed, number) alone, so both seats meet the same
    /// errors. The angle is rounded to whole thousandths of a degree, the speed to whole µm/s and
    /// kept from 1 to [`MAX_LAUNCH_UM_S`].
    #[must_use]
    pub fn play(self, stroke: Stroke, seed: u64, number: u32) -> Launch {
        let mut rng = stream(seed, Purpose::AimNoise, number.into());
        let angle: f64 = StandardNormal.sample(&mut rng);
        let speed: f64 = StandardNormal.sample(&mut rng);
        self.apply(stroke, [angle, speed])
    }

    /// The launch when the two standard normal draws (angle, speed) come out as `draws`: for
    /// planners that average over their own samples.
    #[must_use]
    pub fn apply(self, stroke: Stroke, draws: [f64; 2]) -> Launch {
        let turn = (draws[0] * self.angle_deg * 1000.0).round() as i64;
        let angle = (i64::from(stroke.angle_mdeg()) + turn).rem_euclid(FULL_TURN_MDEG.into());
        let meant = Launch::from(stroke);
        let error = (draws[1] * self.speed_m_s * 1e6).round() as i64;
        let speed = (i64::from(meant.speed_um_s()) + error).clamp(1, MAX_LAUNCH_UM_S.into());
        // Both are in range by now.
        Launch::new(angle as u32, speed as u32).unwrap_or(meant)
    }
}

impl TryFrom<RawNoise> for AimNoise {
    type Error = NoiseError;

    fn try_from(raw: RawNoise) -> Result<Self, NoiseError> {
        Self::new(raw.angle_deg, raw.speed_m_s)
    }
}
