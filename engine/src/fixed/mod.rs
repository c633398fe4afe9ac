//! Fixed-point numbers of the table and of a shot: scales, vectors, roots, directions.
//!
//! | quantity | integer | one unit | greatest |
//! | --- | --- | --- | --- |
//! | length | `i64` | 2^-16 µm | 2^45 (a stop distance on the slowest cloth) |
//! | speed | `i64` | 2^-20 µm/s | 2^46 |
//! | time | `i64` | 2^-40 s (a tick) | 2^52 (an hour) |
//! | direction, share | `i64` | 2^-62 | 2^62 |
//!
//! Products are formed in `i128` and rounded to nearest once, so that a mirrored vector gives a
//! mirrored result. Nothing here uses floating point.

#![deny(clippy::float_arithmetic)]

pub mod angle;
pub mod root;
pub mod vector;

/// Bits of fraction of a length in micrometres.
pub const LENGTH_BITS: u32 = 16;
/// Bits of fraction of a speed in µm/s.
pub const SPEED_BITS: u32 = 20;
/// Bits of fraction of a time in seconds.
pub const TIME_BITS: u32 = 40;
/// Bits of fraction of a direction or a share.
pub const UNIT_BITS: u32 = 62;
/// A direction component, or a share, of 1.
pub const ONE: i64 = 1 << UNIT_BITS;

/// A length of `um` whole micrometres.
#[must_use]
pub const fn length(um: i32) -> i64 {
    (um as i64) << LENGTH_BITS
}

/// A speed of `um_s` whole micrometres a second.
#[must_use]
pub const fn speed(um_s: i64) -> i64 {
    um_s << SPEED_BITS
}

/// `value` divided by 2^62, to nearest.
#[must_use]
pub const fn round_unit(value: i128) -> i64 {
    ((value + (1 << (UNIT_BITS - 1))) >> UNIT_BITS) as i64
}

/// `value` times a share or direction component of `unit` / 2^62, to nearest.
#[must_use]
pub const fn scale(value: i64, unit: i64) -> i64 {
    round_unit(value as i128 * unit as i128)
}

/// The share `part` / `whole`, for 0 <= `part` <= `whole`, `whole` > 0, both below 2^64.
#[must_use]
pub const fn share(part: i64, whole: i64) -> i64 {
    (((part as i128) << UNIT_BITS) / whole as i128) as i64
}

/// A length as whole micrometres: to nearest, ties to even (so that a mirrored place rounds to
/// the mirrored whole number).
#[must_use]
pub const fn round_um(length: i64) -> i32 {
    let floor = length >> LENGTH_BITS;
    let rest = length - (floor << LENGTH_BITS);
    let half = 1 << (LENGTH_BITS - 1);
    let up = rest > half || (rest == half && floor & 1 == 1);
    (floor + up as i64) as i32
}

/// A time as whole nanoseconds, rounded down; 0 for a time before the start.
#[must_use]
pub const fn nanoseconds(time: i64) -> u64 {
    if time < 0 { 0 } else { ((time as u128 * 1_000_000_000) >> TIME_BITS) as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_the_same_from_either_end_of_the_table() {
        let length_um = 2_540_000;
        for value in [0, 1, 32_767, 32_768, 32_769, 98_304, 65_535, 65_536, 163_840] {
            let mirrored = round_um(length(length_um) - value);
            assert_eq!(mirrored, length_um - round_um(value), "{value}");
        }
        assert_eq!(round_um(-32_769), -1);
    }

    #[test]
    fn scaling_rounds_to_nearest_and_keeps_signs() {
        assert_eq!(scale(7, ONE), 7);
        assert_eq!(scale(-7, ONE), -7);
        assert_eq!(scale(7, ONE / 4), 2);
        assert_eq!(scale(-7, ONE / 4), -2);
        assert_eq!(share(1, 2), ONE / 2);
    }

    #[test]
    fn times_become_whole_nanoseconds() {
        assert_eq!(nanoseconds(1 << TIME_BITS), 1_000_000_000);
        assert_eq!(nanoseconds(-1), 0);
    }
}
