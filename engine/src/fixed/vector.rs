//! Two-dimensional vectors of fixed-point numbers.

use super::{root, round_unit, scale};
use std::ops::{Add, Neg, Sub};

/// A vector: a place, a velocity or a direction, as its scale says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vector {
    /// Along the length of the table.
    pub x: i64,
    /// Across the table, upward.
    pub y: i64,
}

impl Vector {
    /// The zero vector.
    pub const ZERO: Self = Self::new(0, 0);

    /// The vector (`x`, `y`).
    #[must_use]
    pub const fn new(x: i64, y: i64) -> Self {
        Self { x, y }
    }

    /// The sum, for constants.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }

    /// The component along the direction `unit` (scale 2^62), to nearest.
    #[must_use]
    pub const fn dot(self, unit: Self) -> i64 {
        round_unit(self.x as i128 * unit.x as i128 + self.y as i128 * unit.y as i128)
    }

    /// The component across the direction `unit`: positive when `unit` has this vector on its left.
    #[must_use]
    pub const fn across(self, unit: Self) -> i64 {
        round_unit(unit.x as i128 * self.y as i128 - unit.y as i128 * self.x as i128)
    }

    /// This direction (scale 2^62), `length` long.
    #[must_use]
    pub const fn times(self, length: i64) -> Self {
        Self::new(scale(length, self.x), scale(length, self.y))
    }

    /// A quarter turn to the left.
    #[must_use]
    pub const fn left(self) -> Self {
        Self::new(-self.y, self.x)
    }

    /// The squared length.
    #[must_use]
    pub const fn squared(self) -> u128 {
        let (x, y) = (self.x as i128, self.y as i128);
        (x * x + y * y) as u128
    }

    /// Length (rounded down) and direction. The zero vector has the direction zero; the four axis
    /// directions are exact.
    #[must_use]
    pub const fn polar(self) -> (i64, Self) {
        if self.x == 0 {
            return (self.y.abs(), Self::new(0, self.y.signum() * super::ONE));
        }
        if self.y == 0 {
            return (self.x.abs(), Self::new(self.x.signum() * super::ONE, 0));
        }
        let root = root::Root::of(self.squared());
        (root.value() as i64, Self::new(root.divide(self.x), root.divide(self.y)))
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Neg for Vector {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::ONE;

    #[test]
    fn polar_form_of_known_triangles() {
        for (x, y, length) in [(3, 4, 5), (-5, 12, 13), (-8, -15, 17), (20, -21, 29)] {
            for k in [1_i64, 1 << 20, 1 << 40] {
                let (size, unit) = Vector::new(x * k, y * k).polar();
                assert!((size - length * k).abs() <= 1, "{size}");
                let wrong = unit.x as i128 * length as i128 - x as i128 * ONE as i128;
                assert!(wrong.abs() < 1 << 10, "{wrong}");
            }
        }
    }

    #[test]
    fn axes_are_exact() {
        assert_eq!(Vector::new(0, -7).polar(), (7, Vector::new(0, -ONE)));
        assert_eq!(Vector::new(9, 0).polar(), (9, Vector::new(ONE, 0)));
        assert_eq!(Vector::ZERO.polar(), (0, Vector::ZERO));
    }

    #[test]
    fn components_along_and_across() {
        let east = Vector::new(ONE, 0);
        assert_eq!(Vector::new(5, 7).dot(east), 5);
        assert_eq!(Vector::new(5, 7).across(east), 7);
        assert_eq!(east.left(), Vector::new(0, ONE));
    }
}
