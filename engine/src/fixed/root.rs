//! Square roots and reciprocal square roots of wide integers without division.
//!
//! Newton's iteration for 1/sqrt(m), y <- y (3 - m y²) / 2, from a table of 8 bits: each step
//! doubles the right bits, so three steps give about 60. The same root then serves as sqrt(m) =
//! m y and as a divisor, which is what a direction needs. Relative error: below 2^-57.

/// A square root of a number below 2^128, kept so that one can also divide by it.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// The number, shifted left by an even count until it is at least 2^126, divided by 2^64.
    mantissa: u64,
    /// 2^62 / sqrt(mantissa / 2^64).
    reciprocal: u64,
    /// Half the shift.
    half_shift: u32,
}

/// First approximations of 2^15 / sqrt(i / 256), for the middle of each interval i..i+1.
const FIRST: [u16; 256] = first();

const fn first() -> [u16; 256] {
    let mut table = [0; 256];
    let mut i = 64;
    while i < 256 {
        // 2^15 / sqrt((i + 1/2) / 256) = sqrt(2^39 / (2 i + 1))
        table[i] = ((1_u64 << 39) / (2 * i as u64 + 1)).isqrt() as u16;
        i += 1;
    }
    table
}

impl Root {
    /// The root of `square`; of 0 a root that must not divide.
    #[must_use]
    #[inline]
    pub const fn of(square: u128) -> Self {
        let shift = (square | 1).leading_zeros() & !1;
        let mantissa = ((square << shift) >> 64) as u64;
        let mut y = (FIRST[(mantissa >> 56) as usize] as u64) << 47;
        let mut step = 0;
        while step < 3 {
            let squared = (((y as u128) * (y as u128)) >> 64) as u64; // scale 2^60
            let near_one = (((squared as u128) * (mantissa as u128)) >> 64) as u64; // scale 2^60
            let factor = (3 << 60) - near_one;
            y = (((y as u128) * (factor as u128)) >> 61) as u64;
            step += 1;
        }
        Self { mantissa, reciprocal: y, half_shift: shift / 2 }
    }

    /// The root itself, rounded down up to the relative error of the method.
    #[must_use]
    #[inline]
    pub const fn value(self) -> u64 {
        ((self.mantissa as u128 * self.reciprocal as u128) >> (62 + self.half_shift)) as u64
    }

    /// `part` / root as a share of scale 2^62, for |`part`| <= root.
    #[must_use]
    #[inline]
    pub const fn divide(self, part: i64) -> i64 {
        let shift = 64 - self.half_shift;
        let product = part as i128 * self.reciprocal as i128;
        ((product + (1 << (shift - 1))) >> shift) as i64
    }
}

/// The square root of `square`, rounded down up to the relative error of the method.
#[must_use]
#[inline]
pub const fn sqrt(square: u128) -> u64 {
    if square == 0 { 0 } else { Root::of(square).value() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_agree_with_the_standard_library() {
        let mut square: u128 = 1;
        for i in 0..4_000_u128 {
            let want = square.isqrt();
            let got = u128::from(sqrt(square));
            assert!(got.abs_diff(want) <= 1 + (want >> 57), "{square}: {got}, not {want}");
            square = square.wrapping_mul(1_000_003).wrapping_add(i) >> (i % 3);
            square &= (1 << 126) - 1;
            square |= 1;
        }
    }

    #[test]
    fn zero_and_one() {
        assert_eq!(sqrt(0), 0);
        assert!(sqrt(1) <= 1);
    }
}
