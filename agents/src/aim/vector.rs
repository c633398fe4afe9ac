//! Plane vectors in micrometres, as floats: aiming is an estimate that a simulation then judges.

use cuebench_engine::units::{FULL_TURN_MDEG, Point};
use std::ops::{Add, Mul, Neg, Sub};

/// A place or a direction on the table, µm (directions have length 1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec2 {
    /// Along the length, µm.
    pub x: f64,
    /// Across and up, µm.
    pub y: f64,
}

impl Vec2 {
    /// The vector (`x`, `y`).
    #[must_use]
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The unit vector at `angle` radians, anticlockwise from +x.
    #[must_use]
    pub fn at_angle(angle: f64) -> Self {
        Self::new(libm::cos(angle), libm::sin(angle))
    }

    /// Scalar product.
    #[must_use]
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// The third component of the vector product: positive when `other` lies anticlockwise.
    #[must_use]
    pub fn cross(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }

    /// Length.
    #[must_use]
    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// Distance to `other`.
    #[must_use]
    pub fn distance(self, other: Self) -> f64 {
        (other - self).length()
    }

    /// The vector of length 1 in this direction; the zero vector stays zero.
    #[must_use]
    pub fn unit(self) -> Self {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { self }
    }

    /// The direction as an angle in radians, anticlockwise from +x, in (-π, π].
    #[must_use]
    pub fn angle(self) -> f64 {
        libm::atan2(self.y, self.x)
    }

    /// The vector turned a quarter anticlockwise.
    #[must_use]
    pub const fn left(self) -> Self {
        Self::new(-self.y, self.x)
    }
}

impl From<Point> for Vec2 {
    fn from(point: Point) -> Self {
        Self::new(f64::from(point.x_um), f64::from(point.y_um))
    }
}

impl Add for Vec2 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Vec2 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Neg for Vec2 {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

impl Mul<f64> for Vec2 {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }
}

/// The stroke angle nearest to `angle` radians, in thousandths of a degree, 0..360 000.
#[must_use]
pub fn to_mdeg(angle: f64) -> u32 {
    let turn = f64::from(FULL_TURN_MDEG);
    let mdeg = (angle.to_degrees() * 1000.0).round().rem_euclid(turn);
    // The cast saturates, so NaN and infinities give a legal angle too.
    (mdeg as u32) % FULL_TURN_MDEG
}

/// A stroke angle in radians.
#[must_use]
pub fn to_radians(angle_mdeg: u32) -> f64 {
    (f64::from(angle_mdeg) / 1000.0).to_radians()
}

/// `angle` radians brought into [-π, π).
#[must_use]
pub fn wrap(angle: f64) -> f64 {
    (angle + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_round_trip() {
        for mdeg in (0..FULL_TURN_MDEG).step_by(997).chain([359_999]) {
            assert_eq!(to_mdeg(to_radians(mdeg)), mdeg);
            assert_eq!(to_mdeg(Vec2::at_angle(to_radians(mdeg)).angle()), mdeg);
        }
        assert_eq!(to_mdeg(-1e-12), 0, "just below a full turn rounds to none");
        assert_eq!(to_mdeg(f64::NAN), 0);
    }
}
