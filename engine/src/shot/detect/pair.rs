//! Two moving balls.
//!
//! While both move, the line between their centres is a polynomial of second degree in time, so
//! its component along any fixed direction n is one too, and the distance is never less than that
//! component. With n along the line of centres of one instant, the first time at which the
//! component comes down to a diameter is therefore never later than the contact: stepping there
//! and taking n anew comes to the first contact from below, quadratically, and cannot skip it.

use super::LEAST_CLOSING;
use super::circle::{TOUCH, whole};
use super::resting::DIAMETER;
use super::slow::{MOST_OVERLAP, SLOW};
use crate::fixed::root::sqrt;
use crate::shot::motion::Motion;
use crate::table::cloth::Cloth;

/// Steps before the search is handed back to the event loop.
const MAX_STEPS: u32 = 64;
/// Least step while balls touch but close too slowly for a contact, ticks: an eighth of a
/// microsecond, in which they come nearer by a hundredth of a unit. Without it a search creeps
/// where the balls' turning about each other holds them at the least closing speed.
const LEAST_STEP: i64 = 1 << 17;

/// What two moving balls do along their line of centres at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// Distance between the surfaces, rounded down.
    gap: i64,
    /// Whether the balls touch: by the exact distance of whole places, else up to rounding.
    touching: bool,
    /// Closing speed.
    pub closing: i64,
    /// Its rate of growth along the fixed normal, in units of speed a second.
    growth: i64,
}

impl Approach {
    /// The approach of `a` and `b` at `time`, within both motions.
    pub fn at(a: &Motion, b: &Motion, cloth: Cloth, time: i64) -> Self {
        let [place_a, place_b] = [a, b].map(|motion| motion.place(cloth, time));
        let apart = place_b - place_a;
        let (distance, normal) = apart.polar();
        let (along_a, along_b) = (a.direction.dot(normal), b.direction.dot(normal));
        let product = |speed: i64, along: i64| i128::from(speed) * i128::from(along);
        let closing =
            product(a.speed_at(cloth, time), along_a) - product(b.speed_at(cloth, time), along_b);
        let growth = (i128::from(along_b) - i128::from(along_a)) * i128::from(cloth.deceleration);
        let gap = distance - DIAMETER;
        let touching = if whole(place_a, place_b) {
            apart.squared() <= (DIAMETER as u128).pow(2)
        } else {
            gap <= TOUCH
        };
        Self {
            gap: if touching { gap } else { gap.max(1) },
            touching,
            closing: crate::fixed::round_unit(closing),
            growth: crate::fixed::round_unit(growth << 20),
        }
    }

    /// Whether the balls overlap so much that their contact does not wait.
    pub const fn jammed(&self) -> bool {
        self.gap < -MOST_OVERLAP
    }

    /// How much nearer the balls come along the normal in `ticks`.
    fn nearer(&self, ticks: i64) -> i64 {
        let half = ((i128::from(self.growth) * i128::from(ticks)) >> 41) as i64;
        ((i128::from(self.closing + half) * i128::from(ticks)) >> 44) as i64
    }

    /// Ticks, at most `limit`, until the balls may touch; `None` if they do not within `limit`.
    fn step(&self, limit: i64) -> Option<i64> {
        if self.touching { self.step_touching(limit) } else { self.step_apart(limit) }
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

    /// The balls touch but do not close: when they may close again. Balls that only touch must
    /// first come back to where they are now; balls that overlap need not.
    fn step_touching(&self, limit: i64) -> Option<i64> {
        if self.growth <= 0 {
            return None;
        }
        let fast_enough = LEAST_CLOSING + 1 - self.closing;
        let back = if self.gap < -TOUCH { 0 } else { -2 * self.closing };
        let ticks = (i128::from(fast_enough.max(back)) << 40) / i128::from(self.growth);
        (ticks <= i128::from(limit)).then_some((ticks as i64).max(LEAST_STEP))
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
        let ticks = if !approach.touching || approach.closing <= LEAST_CLOSING {
            approach.step(until - time)?
        } else if approach.closing >= SLOW || approach.jammed() {
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
