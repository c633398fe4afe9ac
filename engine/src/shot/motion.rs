//! One ball in the course of a shot.

use super::detect::Key;
use crate::fixed::vector::Vector;
use crate::table::cloth::Cloth;

/// A straight motion that slows at the rate of the cloth. A ball at rest has speed 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Motion {
    /// Where it was at `since`.
    pub origin: Vector,
    /// Direction, scale 2^62.
    pub direction: Vector,
    /// Speed at `since`.
    pub speed: i64,
    /// When this motion began, ticks.
    pub since: i64,
}

impl Motion {
    /// The place at `time`, from `since` to the stop.
    #[inline]
    pub fn place(&self, cloth: Cloth, time: i64) -> Vector {
        if self.speed == 0 || time == self.since {
            return self.origin;
        }
        self.origin + self.direction.times(cloth.way(self.speed, time - self.since))
    }

    /// The speed at `time`, from `since` to the stop.
    #[inline]
    pub fn speed_at(&self, cloth: Cloth, time: i64) -> i64 {
        if self.speed == 0 {
            return 0;
        }
        (self.speed - cloth.loss(time - self.since)).max(0)
    }

    /// The velocity at `since`.
    #[inline]
    pub fn velocity(&self) -> Vector {
        self.direction.times(self.speed)
    }

    /// The same motion told from `time` on.
    #[inline]
    pub fn at(&self, cloth: Cloth, time: i64) -> Self {
        Self {
            origin: self.place(cloth, time),
            direction: self.direction,
            speed: self.speed_at(cloth, time),
            since: time,
        }
    }
}

/// A ball in the course of a shot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Body {
    /// How it moves.
    pub motion: Motion,
    /// Roll that a jaw still owes (P in `engine/docs/physics.md`), a velocity.
    pub pending: Vector,
    /// When it last crossed a fall line outward, if it is over the drop.
    pub crossed: Option<i64>,
    /// The balls that it has met in this shot, a bit a slot.
    pub met: u16,
    /// The next thing it meets without other balls.
    pub alone: Key,
    /// How far along its path that is.
    pub way: i64,
    /// Where it is then.
    pub far: Vector,
}
