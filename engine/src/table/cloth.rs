//! The cloth: a rolling ball slows at a constant rate, so speed, time and distance follow from one
//! another by closed formulas.

use crate::fixed::root::sqrt;

/// Bits of the reciprocal of the deceleration.
const RECIPROCAL_BITS: u32 = 58;

/// The deceleration and what is derived from it.
#[derive(Clone, Copy, Debug)]
pub struct Cloth {
    /// µm/s².
    pub deceleration: i64,
    /// Ticks that a unit of speed takes to vanish, times 2^58.
    ticks_per_speed: i64,
}

impl Cloth {
    /// A cloth of `cloth` mm/s², at least 100.
    pub const fn new(cloth: u32) -> Self {
        let deceleration = cloth as i64 * 1_000;
        // One unit of speed is 2^-20 µm/s, one tick 2^-40 s.
        let ticks_per_speed = ((1_i128 << (20 + RECIPROCAL_BITS)) / deceleration as i128) as i64;
        Self { deceleration, ticks_per_speed }
    }

    /// Ticks in which a ball loses `speed`.
    #[inline]
    pub const fn ticks(self, speed: i64) -> i64 {
        ((speed as i128 * self.ticks_per_speed as i128) >> RECIPROCAL_BITS) as i64
    }

    /// Speed lost in `ticks`.
    #[inline]
    pub const fn loss(self, ticks: i64) -> i64 {
        ((ticks as i128 * self.deceleration as i128) >> 20) as i64
    }

    /// Way of a ball of `speed` in `ticks`, up to its stop.
    #[inline]
    pub const fn way(self, speed: i64, ticks: i64) -> i64 {
        let half_loss = ((ticks as i128 * self.deceleration as i128) >> 21) as i64;
        (((speed - half_loss) as i128 * ticks as i128 + (1 << 43)) >> 44) as i64
    }

    /// Way of a ball of `speed` until it stops.
    #[inline]
    pub const fn stop_way(self, speed: i64) -> i64 {
        ((speed as i128 * self.ticks(speed) as i128) >> 45) as i64
    }

    /// What is left of `speed` after `way`; 0 where the ball does not get so far.
    #[inline]
    pub const fn speed_after(self, speed: i64, way: i64) -> i64 {
        if way == 0 {
            // The root may fall short of the speed by a unit, and time would pass.
            return speed;
        }
        let left =
            speed as i128 * speed as i128 - ((way as i128 * self.deceleration as i128) << 25);
        if left <= 0 { 0 } else { sqrt(left as u128) as i64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::{length, speed};

    #[test]
    fn two_metres_a_second_on_one_metre_a_second_squared() {
        let cloth = Cloth::new(1_000);
        let start = speed(2_000_000);
        assert!((cloth.ticks(start) - (2 << 40)).abs() < 64);
        assert!((cloth.stop_way(start) - length(2_000_000)).abs() <= 2);
        assert!((cloth.way(start, 1 << 40) - length(1_500_000)).abs() <= 1);
        assert!((cloth.loss(1 << 40) - speed(1_000_000)).abs() <= 1);
        assert!((cloth.speed_after(start, length(1_500_000)) - speed(1_000_000)).abs() <= 1);
    }
}
