//! Two moving balls.
//!
//! While both move, the line between their centres is a polynomial of second degree in time, so
//! its component along any fixed direction n is one too, and the distance is never less than that
//! component. With n along the line of centres of one instant, the first time at which the
//! component comes down to a diameter is therefore never later than the contact: stepping there
//! and taking n anew comes to the first contact from below, quadratically, and cannot skip it.

use super::LEAST_CLOSING;
use super::resting::DIAMETER;
use super::slow::SLOW;
use crate::fixed::root::sqrt;
use crate::shot::motion::Motion;
use crate::table::cloth::Cloth;

/// Nearer than this the balls touch: twice the rounding of a place.
const TOUCH: i64 = 2;
/// Steps before the search is handed back to the event loop.
const MAX_STEPS: u32 = 64;

/// What two moving balls do along their line of centres at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// Distance between the surfaces.
    pub gap: i64,
    /// Closing speed.
    pub closing: i64,
    /// Its rate of growth along the fixed normal, in units of speed a second.
    growth: i64,
}

impl Approach {
    /// The approach of `a` and `b` at `time`, within both motions.
    pub fn at(a: &Motion, b: &Motion, cloth: Cloth, time: i64) -> Self {
        let (distance, normal) = (b.place(cloth, time) - a.place(cloth, time)).polar();
        let (along_a, along_b) = (a.direction.dot(normal), b.direction.dot(normal));
        let product = |speed: i64, along: i64| i128::from(speed) * i128::from(along);
        let closing =
            product(a.speed_at(cloth, time), along_a) - product(b.speed_at(cloth, time), along_b);
        let growth = (i128::from(along_b) - i128::from(along_a)) * i128::from(cloth.deceleration);
        Self {
            gap: distance - DIAMETER,
            closing: crate::fixed::round_unit(closing),
            growth: crate::fixed::round_unit(growth << 20),
        }
    }

    /// How much nearer the balls come along the normal in `ticks`.
    fn nearer(&self, ticks: i64) -> i64 {
        let half = ((i128::from(self.growth) * i128::from(ticks)) >> 41) as i64;
        ((i128::from(self.closing + half) * i128::from(ticks)) >> 44) as i64
    }

    /// Ticks, at most `limit`, until the balls may touch; `None` if they do not within `limit`.
    fn step(&self, limit: i64) -> Option<i64> {
        if self.gap <= TOUCH { self.step_touching(limit) } else { self.step_apart(limit) }
    }

    fn step_apart(&self, limit: i64) -> Option<i64> {
        if self.growth <= 0 {
            if self.closing <= 0 {
                return None;
            }
            // Nearest where the closing has gone, if that is within the limit.
            let short = (i128::from(self.growth) * i128::from(limit)) >> 40;
            if i128::from(self.closing) + short >= 0 && self.nearer(limit) < self.gap {
                return None;
            }
        } else if self.nearer(limit) < self.gap {
            return None;
        }
        let under = i128::from(self.closing).pow(2)
            + ((i128::from(self.growth) * i128::from(self.gap)) << 5);
        if under < 0 {
            return None;
        }
        let root = i128::from(sqrt(under as u128));
        let ticks = if self.closing >= 0 {
            (i128::from(self.gap) << 45) / (i128::from(self.closing) + root).max(1)
        } else {
            ((root - i128::from(self.closing)) << 40) / i128::from(self.growth).max(1)
        };
        (ticks <= i128::from(limit)).then_some(ticks as i64)
    }

    /// Ticks until balls that close slowly may close fast.
    fn ticks_to_fast(&self) -> Option<i64> {
        (self.growth > 0).then(|| {
            let ticks = (i128::from(SLOW - self.closing) << 40) / i128::from(self.growth);
            ticks.min(i128::from(i64::MAX / 4)) as i64
        })
    }

    /// The balls touch but do not close: when they may close again.
    fn step_touching(&self, limit: i64) -> Option<i64> {
        if self.growth <= 0 {
            return None;
        }
        let missing =
            if self.closing < 0 { -2 * self.closing } else { LEAST_CLOSING - self.closing };
        let ticks = (i128::from(missing) << 40) / i128::from(self.growth);
        (ticks <= i128::from(limit)).then_some(ticks as i64)
    }
}

/// When `a` and `b` touch while closing, from `now` to `until`, which must not be after either
/// stop. A search that does not end is cut off: it then gives a time before which there is no
/// contact, and the caller looks again from there. `not_before` says from when on the balls may
/// meet slowly (see [`slow`](super::slow)).
pub fn meet_moving(
    [a, b]: [&Motion; 2],
    cloth: Cloth,
    [now, until]: [i64; 2],
    not_before: impl Fn() -> i64,
) -> Option<i64> {
    let mut time = now;
    for _ in 0..MAX_STEPS {
        let approach = Approach::at(a, b, cloth, time);
        let ticks = if approach.gap > TOUCH || approach.closing <= LEAST_CLOSING {
            approach.step(until - time)?
        } else if approach.closing >= SLOW {
            return Some(time);
        } else {
            let wait = not_before() - time;
            if wait <= 0 {
                return Some(time);
            }
            approach.ticks_to_fast().map_or(wait, |ticks| ticks.min(wait))
        };
        time += ticks.max(1);
        if time > until {
            return None;
        }
    }
    Some(time)
}
