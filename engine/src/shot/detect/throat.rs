//! What a path meets in one pocket: rounded points, facings, mouth line, fall line, back.

use super::circle::meet;
use super::{Kind, LEAST_CLOSING, Next};
use crate::fixed::vector::Vector;
use crate::fixed::{UNIT_BITS, length, scale};
use crate::shot::motion::{Body, Motion};
use crate::table::cloth::Cloth;
use crate::table::rubber::{Jaw, RADIUS, Rubber};
use crate::units::{LENGTH_UM, WIDTH_UM};

/// Deepest that a ball can be in rubber by rounding and by closing too slowly for a contact.
const SLIVER: i64 = length(4);

/// Distance along a path after which its component has grown by `gap` >= 0; the component of the
/// direction is `component` > 0.
#[inline]
pub fn way_to(gap: i64, component: i64) -> i64 {
    (((gap as u128) << UNIT_BITS) / component as u128) as i64
}

/// The earlier of two along a path.
#[inline]
pub fn earlier(a: Option<Next>, b: Option<Next>) -> Option<Next> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.before(a) { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// The path of a ball on a table, from the beginning of its motion to its stop.
pub struct Path<'a> {
    /// The rubber of the table.
    pub rubber: &'a Rubber,
    /// Its cloth.
    pub cloth: Cloth,
    /// The motion.
    pub motion: &'a Motion,
    /// Whether roll is owed at the mouth line.
    pub owed: bool,
    /// Whether the ball is over the drop.
    pub over: bool,
    /// Way to the stop.
    pub limit: i64,
}

impl<'a> Path<'a> {
    /// The path of `body`.
    pub fn new(rubber: &'a Rubber, cloth: Cloth, body: &'a Body) -> Self {
        Self {
            rubber,
            cloth,
            motion: &body.motion,
            owed: body.pending != Vector::ZERO,
            over: body.crossed.is_some(),
            limit: cloth.stop_way(body.motion.speed),
        }
    }

    /// The pocket that `place` is nearest to.
    pub fn throat_at(&self, place: Vector) -> usize {
        nearest_pocket(place)
    }

    /// Way to a line `gap` ahead, 0 if it is crossed already; `toward` is the component of the
    /// direction. `None` if the path leads away or ends before.
    #[inline]
    pub fn line(&self, gap: i64, toward: i64) -> Option<i64> {
        if toward <= 0 || gap > scale(self.limit, toward) {
            return None;
        }
        Some(if gap <= 0 { 0 } else { way_to(gap, toward).min(self.limit) })
    }

    /// Way to a straight piece of rubber `gap` ahead (`toward` as in [`line`](Self::line)), which
    /// has the coordinates `from`..=`to`; the ball's is `along` and grows with `step`.
    #[inline]
    pub fn piece(
        &self,
        [gap, toward]: [i64; 2],
        [along, step]: [i64; 2],
        [from, to]: [i64; 2],
    ) -> Option<i64> {
        let way = self.line(gap, toward)?;
        let there = along + scale(way, step);
        if (from..=to).contains(&there) {
            return Some(way);
        }
        // Off the end. A ball that already lies in the line by rounding may slide onto the piece.
        let entry = match there < from {
            true if gap <= 0 => self.line(from - along, step)?,
            false if gap <= 0 => self.line(along - to, -step)?,
            _ => return None,
        };
        (scale(entry, toward) - gap <= SLIVER).then_some(entry)
    }

    /// The contact with straight rubber after `way`, if the ball still closes fast enough; `toward`
    /// is the component of the direction.
    pub fn closing(&self, way: i64, kind: Kind, index: u8, toward: i64) -> Option<Next> {
        let speed = self.cloth.speed_after(self.motion.speed, way);
        let next = Next { way, kind, index, speed: Some(speed) };
        (scale(speed, toward) > LEAST_CLOSING).then_some(next)
    }

    /// What the path meets first in `pocket`.
    pub fn throat(&self, pocket: usize) -> Option<Next> {
        let jaws = (2 * pocket..2 * pocket + 2).fold(None, |best, index| {
            let jaw = &self.rubber.jaws[index];
            let best = earlier(best, self.point(jaw, index as u8));
            earlier(best, self.facing(jaw, index as u8))
        });
        earlier(jaws, self.lines(pocket))
    }

    fn point(&self, jaw: &Jaw, index: u8) -> Option<Next> {
        let (at, direction) = (self.motion.origin, self.motion.direction);
        let meeting = meet(at, direction, jaw.centre, jaw.reach, self.limit)?;
        let speed = self.cloth.speed_after(self.motion.speed, meeting.way);
        let closing = i128::from(speed) * i128::from(meeting.ahead);
        let next = Next { way: meeting.way, kind: Kind::Point, index, speed: Some(speed) };
        (closing > i128::from(LEAST_CLOSING) * i128::from(jaw.reach)).then_some(next)
    }

    fn facing(&self, jaw: &Jaw, index: u8) -> Option<Next> {
        let from = self.motion.origin - jaw.facing_tangent;
        let toward = -self.motion.direction.dot(jaw.normal);
        let gap = from.dot(jaw.normal) - RADIUS;
        let along = [from.dot(jaw.facing), self.motion.direction.dot(jaw.facing)];
        let way = self.piece([gap, toward], along, [0, i64::MAX])?;
        self.closing(way, Kind::Facing, index, toward)
    }

    /// Mouth line, fall line and back.
    fn lines(&self, pocket: usize) -> Option<Next> {
        if (self.over || self.owed) && pocket != self.throat_at(self.motion.origin) {
            // The lines of the pocket it is in come first.
            return None;
        }
        let throat = &self.rubber.throats[pocket];
        let depth = throat.depth(self.motion.origin);
        let inward = self.motion.direction.dot(throat.axis);
        let index = pocket as u8;
        let next = |kind| move |way| Next { way, kind, index, speed: None };
        let fall = if self.over {
            let out = self.line(depth - throat.shelf, -inward).map(next(Kind::Fall));
            earlier(out, self.line(throat.back - depth, inward).map(next(Kind::Drop)))
        } else {
            self.line(throat.shelf - depth, inward).map(next(Kind::Fall))
        };
        if !self.owed {
            return fall;
        }
        earlier(fall, self.line(depth, -inward).map(next(Kind::Mouth)))
    }
}

/// The pocket that `place` is nearest to.
pub fn nearest_pocket(place: Vector) -> usize {
    let third = usize::from(place.x > length(LENGTH_UM) / 4)
        + usize::from(place.x > length(LENGTH_UM) / 4 * 3);
    third + if place.y > length(WIDTH_UM) / 2 { 3 } else { 0 }
}
