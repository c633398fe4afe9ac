//! Directions of whole thousandths of a degree, from integer series.
//!
//! An angle is folded into 0..=45 degrees, so that mirrored angles have mirrored directions and
//! the axes are exact. There, whole degrees come from one table and the rest of under a degree from
//! another, both made by the compiler from the power series; the two are joined by the addition
//! theorem. Error: below 2^-56.

use super::vector::Vector;
use super::{ONE, UNIT_BITS, round_unit};

/// π/180 at scale 2^62.
const RADIANS_PER_DEGREE: i64 = 80_489_105_089_745_809;
/// π/180 000 at scale 2^78.
const RADIANS_PER_MDEG: i64 = 5_274_933_991_161_581_362;

/// Cosine and sine of an angle at scale 2^62.
#[derive(Clone, Copy)]
struct Turn {
    cos: i64,
    sin: i64,
}

/// Turns by 0..=45 whole degrees.
const DEGREES: [Turn; 46] = degrees();

const fn degrees() -> [Turn; 46] {
    let mut table = [Turn { cos: ONE, sin: 0 }; 46];
    let mut i = 1;
    while i < 46 {
        table[i] = series(i as i64 * RADIANS_PER_DEGREE);
        i += 1;
    }
    table
}

/// Turns by 0..=999 thousandths of a degree.
static PARTS: [Turn; 1_000] = parts();

const fn parts() -> [Turn; 1_000] {
    let mut table = [Turn { cos: ONE, sin: 0 }; 1_000];
    let mut i = 1;
    while i < 1_000 {
        table[i] = series(((i as i128 * RADIANS_PER_MDEG as i128) >> 16) as i64);
        i += 1;
    }
    table
}

/// The power series of cosine and sine at `x` radians (scale 2^62), 0 <= x < 1.
const fn series(x: i64) -> Turn {
    let (mut cos, mut sin, mut term, mut n) = (ONE as i128, 0, ONE as i128, 1);
    while term != 0 {
        term = ((term * x as i128) >> UNIT_BITS) / n;
        match n & 3 {
            1 => sin += term,
            2 => cos -= term,
            3 => sin -= term,
            _ => cos += term,
        }
        n += 1;
    }
    Turn { cos: cos as i64, sin: sin as i64 }
}

/// The direction of `degrees` whole degrees, 0..=90.
#[must_use]
pub const fn whole_degrees(degrees: u32) -> Vector {
    direction(degrees * 1_000)
}

/// The direction of `mdeg` thousandths of a degree (taken modulo a full turn), anticlockwise from
/// +x, at scale 2^62.
#[must_use]
pub const fn direction(mdeg: u32) -> Vector {
    let mdeg = mdeg % 360_000;
    let (quadrant, rest) = (mdeg / 90_000, mdeg % 90_000);
    let Turn { cos, sin } = if rest <= 45_000 {
        eighth(rest)
    } else {
        let Turn { cos, sin } = eighth(90_000 - rest);
        Turn { cos: sin, sin: cos }
    };
    match quadrant {
        0 => Vector::new(cos, sin),
        1 => Vector::new(-sin, cos),
        2 => Vector::new(-cos, -sin),
        _ => Vector::new(sin, -cos),
    }
}

/// The turn by 0..=45 000 thousandths of a degree.
const fn eighth(mdeg: u32) -> Turn {
    let whole = DEGREES[(mdeg / 1_000) as usize];
    let rest = mdeg % 1_000;
    if rest == 0 {
        return whole;
    }
    let part = PARTS[rest as usize];
    let (wc, ws) = (whole.cos as i128, whole.sin as i128);
    let (pc, ps) = (part.cos as i128, part.sin as i128);
    Turn { cos: round_unit(wc * pc - ws * ps), sin: round_unit(ws * pc + wc * ps) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axes_are_exact() {
        assert_eq!(direction(0), Vector::new(ONE, 0));
        assert_eq!(direction(90_000), Vector::new(0, ONE));
        assert_eq!(direction(180_000), Vector::new(-ONE, 0));
        assert_eq!(direction(270_000), Vector::new(0, -ONE));
    }

    #[test]
    fn every_direction_has_length_one() {
        for mdeg in (0..360_000).step_by(7) {
            let squared = direction(mdeg).squared();
            let one = (ONE as u128) * (ONE as u128);
            assert!(squared.abs_diff(one) < 1 << 70, "{mdeg}");
        }
    }

    #[test]
    fn mirrored_angles_have_mirrored_directions() {
        for mdeg in (0..90_000).step_by(11) {
            let d = direction(mdeg);
            assert_eq!(direction(180_000 - mdeg), Vector::new(-d.x, d.y));
            assert_eq!(direction(360_000 - mdeg), Vector::new(d.x, -d.y));
        }
    }

    #[test]
    fn known_values() {
        // sin 30° = 1/2; cos 60° = 1/2; tan 45° = 1
        assert!((direction(30_000).y - ONE / 2).abs() < 64);
        assert!((direction(60_000).x - ONE / 2).abs() < 64);
        // By the power series in 50 decimal digits, times 10^18.
        for (mdeg, sine) in [(1, 17_453_292_519_057), (37_777, 612_589_815_727_730_089)] {
            let got = i128::from(direction(mdeg).y) * 10_i128.pow(18) / i128::from(ONE);
            assert!((got - sine).abs() <= 20, "{mdeg}: {got}");
        }
    }
}
