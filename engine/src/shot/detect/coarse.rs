//! A first look at all balls at rest together, from coarse numbers: which of them a path may meet.
//!
//! It costs a few vector instructions for all balls, where the exact search costs some for each. It
//! may keep a ball that the path misses by up to a millimetre and a half, and never loses one.

use super::super::balls::MAX_BALLS;
use crate::fixed::vector::Vector;
use crate::fixed::{LENGTH_BITS, UNIT_BITS};
use crate::units::BALL_DIAMETER_UM;

/// Coarse lengths are in units of 2^7 = 128 µm: places on the table then fit 16 bits.
const GRAIN_BITS: u32 = 7;
/// Bits of a length that are left out.
const LENGTH_SHIFT: u32 = LENGTH_BITS + GRAIN_BITS;
/// Bits of a coarse direction: its components fit 16 bits, and products 32.
const DIRECTION_BITS: u32 = 14;
const DIRECTION_SHIFT: u32 = UNIT_BITS - DIRECTION_BITS;
/// Room for what is left out, coarse units. The difference of two places is off by less than 1 in
/// each coordinate, so a component by less than 1.5; a direction is off by less than 2^-14 in each,
/// which over the 19 900 and 9 900 units of the table and 800 of pockets at each end is less than 2;
/// the limit is off by less than 1.
const ROOM: i32 = 6;
/// A diameter and the room, at the scale of products.
const REACH: i32 = ((BALL_DIAMETER_UM >> GRAIN_BITS) + 1 + ROOM) << DIRECTION_BITS;
/// Longer than any path on the table, coarse units.
const FAR: i64 = 60_000;

/// Where balls lie, coarsely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coarse {
    x: [i16; MAX_BALLS],
    y: [i16; MAX_BALLS],
}

impl Coarse {
    /// Notes where the ball in `slot` lies.
    #[inline]
    pub const fn note(&mut self, slot: usize, place: Vector) {
        self.x[slot] = (place.x >> LENGTH_SHIFT) as i16;
        self.y[slot] = (place.y >> LENGTH_SHIFT) as i16;
    }

    /// The slots, a bit each, whose noted places the path from `origin` along `direction` comes
    /// within a diameter of, no further along than `limit`; and perhaps some others.
    #[inline]
    pub fn near(&self, origin: Vector, direction: Vector, limit: i64) -> u16 {
        let from = [origin.x, origin.y].map(|value| (value >> LENGTH_SHIFT) as i16);
        let unit = [direction.x, direction.y].map(|value| (value >> DIRECTION_SHIFT) as i32);
        let most = (((limit >> LENGTH_SHIFT).min(FAR) as i32) << DIRECTION_BITS) + REACH;
        let mut kept = [0_u8; MAX_BALLS];
        // Without branches, so that the compiler takes several balls at a time.
        for (kept, (x, y)) in kept.iter_mut().zip(self.x.iter().zip(&self.y)) {
            let x = i32::from(x.wrapping_sub(from[0]));
            let y = i32::from(y.wrapping_sub(from[1]));
            let along = x * unit[0] + y * unit[1];
            let beside = y * unit[0] - x * unit[1];
            let ahead = (along > -(ROOM << DIRECTION_BITS)) & (along < most);
            *kept = u8::from(ahead & (beside < REACH) & (beside > -REACH));
        }
        u16::from(bits(kept, 0)) | u16::from(bits(kept, 8)) << 8
    }
}

/// Eight bytes, each 0 or 1, as the bits of one: the product moves byte i to bit 56 + i.
#[inline]
fn bits(bytes: [u8; MAX_BALLS], from: usize) -> u8 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[from..from + 8]);
    (u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::{angle, length};
    use crate::shot::detect::resting::{DIAMETER, meet_resting};
    use crate::shot::motion::Motion;
    use crate::units::{FULL_TURN_MDEG, LENGTH_UM, WIDTH_UM};
    use proptest::prelude::*;

    /// Depth of the deepest pocket, µm.
    const MARGIN_UM: i32 = 100_000;

    fn place() -> impl Strategy<Value = Vector> {
        let within = |far: i32| length(-MARGIN_UM)..=length(far + MARGIN_UM);
        (within(LENGTH_UM), within(WIDTH_UM)).prop_map(|(x, y)| Vector::new(x, y))
    }

    /// A place that the path along `direction` just meets or just misses.
    fn grazed(origin: Vector, direction: Vector, along: i64, off: i64, left: bool) -> Vector {
        let side = if left { direction.left() } else { -direction.left() };
        origin + direction.times(along) + side.times(DIAMETER - off)
    }

    fn loses_nothing(origin: Vector, direction: Vector, limit: i64, at: Vector, slot: usize) {
        let mut coarse = Coarse::default();
        coarse.note(slot, at);
        let motion = Motion { origin, direction, speed: 1, since: 0 };
        let met = meet_resting(&motion, at, limit).is_some();
        let kept = coarse.near(origin, direction, limit) & (1 << slot) != 0;
        assert!(kept || !met, "{origin:?} {direction:?} {limit} {at:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_coarse_look_never_loses_a_ball_that_the_exact_search_meets(
            origin in place(),
            at in place(),
            mdeg in 0..FULL_TURN_MDEG,
            limit in 0..length(2_000_000_000),
            slot in 0..MAX_BALLS,
            along in 0..length(2_700_000),
            off in -2..length(2_000),
            left: bool,
        ) {
            let direction = angle::direction(mdeg);
            loses_nothing(origin, direction, limit, at, slot);
            // Toward the ball, so that most are met.
            let (distance, toward) = (at - origin).polar();
            loses_nothing(origin, toward, limit, at, slot);
            loses_nothing(origin, toward, (distance - DIAMETER).max(0), at, slot);
            let grazed = grazed(origin, direction, along, off, left);
            let on_table = |value: i64, far: i32| {
                (length(-MARGIN_UM)..=length(far + MARGIN_UM)).contains(&value)
            };
            if on_table(grazed.x, LENGTH_UM) && on_table(grazed.y, WIDTH_UM) {
                loses_nothing(origin, direction, limit, grazed, slot);
                loses_nothing(origin, direction, along, grazed, slot);
            }
        }
    }

    #[test]
    fn balls_behind_and_beside_the_path_are_left_out() {
        let mut coarse = Coarse::default();
        let at = |x, y| Vector::new(length(x), length(y));
        for (slot, place) in [at(900_000, 500_000), at(100_000, 500_000), at(900_000, 560_000)]
            .into_iter()
            .enumerate()
        {
            coarse.note(slot, place);
        }
        let near = |limit| coarse.near(at(500_000, 500_000), angle::direction(0), length(limit));
        assert_eq!(near(1_000_000) & 7, 0b001);
        assert_eq!(near(300_000) & 7, 0);
    }
}
