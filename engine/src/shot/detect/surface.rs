//! What a ball meets by itself: rails, jaws, lines, its stop.
//!
//! The centre of a ball on the open table is inside the rectangle at distance R from the nose
//! lines. There it touches nothing but other balls, so its path is followed to the edge of the
//! rectangle, which is a rail or the opening of one pocket.

use super::throat::{Path, earlier, nearest_pocket, way_to};
use super::{Kind, Next};
use crate::fixed::{length, scale};
use crate::table::rubber::RADIUS;
use crate::units::{LENGTH_UM, WIDTH_UM};

/// Greatest x of a centre on the open table.
pub const FAR_X: i64 = length(LENGTH_UM) - RADIUS;
/// Greatest y of a centre on the open table.
pub const FAR_Y: i64 = length(WIDTH_UM) - RADIUS;

impl Path<'_> {
    /// What the ball meets first.
    pub fn next(&self) -> Next {
        let found =
            if self.on_open_table() { self.leave_open_table() } else { self.begin_at_edge() };
        let next = match found {
            Some(next) => next,
            None => self.everything().unwrap_or(self.stop()),
        };
        match self.roll_at_once() {
            Some(roll) if roll.before(next) => roll,
            _ => next,
        }
    }

    /// The roll that is owed, if a contact has turned the ball so that it has left the pocket.
    fn roll_at_once(&self) -> Option<Next> {
        if !self.owed {
            return None;
        }
        let (at, direction) = (self.motion.origin, self.motion.direction);
        let pocket = nearest_pocket(at);
        let left = self.rubber.throats[pocket].has_left(at, direction);
        left.then_some(Next { way: 0, kind: Kind::Mouth, index: pocket as u8, speed: None })
    }

    /// Where the ball stops if it meets nothing.
    pub fn stop(&self) -> Next {
        Next { way: self.limit, kind: Kind::Stop, index: 0, speed: Some(0) }
    }

    fn on_open_table(&self) -> bool {
        let at = self.motion.origin;
        (RADIUS..=FAR_X).contains(&at.x) && (RADIUS..=FAR_Y).contains(&at.y)
    }

    /// From the open table: the stop, the rail at which the path leaves it, or what the path meets
    /// in the pocket there. `None` where that does not tell.
    fn leave_open_table(&self) -> Option<Next> {
        let (at, direction) = (self.motion.origin, self.motion.direction);
        let (size_x, size_y) = (direction.x.abs(), direction.y.abs());
        let gap_x = if direction.x > 0 { FAR_X - at.x } else { at.x - RADIUS };
        let gap_y = if direction.y > 0 { FAR_Y - at.y } else { at.y - RADIUS };
        let ends_first = size_y == 0
            || i128::from(gap_x) * i128::from(size_y) < i128::from(gap_y) * i128::from(size_x);
        let (gap, size) = if ends_first { (gap_x, size_x) } else { (gap_y, size_y) };
        if gap > scale(self.limit, size) {
            return Some(self.stop());
        }
        if size == 0 {
            return None;
        }
        let way = way_to(gap, size);
        let index = if ends_first {
            let rail = if direction.x > 0 { 3 } else { 2 };
            let along = at.y + scale(way, direction.y);
            self.leaves_by(along, &[rail])
        } else {
            let rail = if direction.y > 0 { 4 } else { 0 };
            let along = at.x + scale(way, direction.x);
            self.leaves_by(along, &[rail, rail + 1])
        };
        match index {
            Some(index) => self.closing(way, Kind::Rail, index, size),
            None => self.throat(self.throat_at(at + direction.times(way))),
        }
    }

    /// Which of `rails` has a nose at `along`.
    #[inline]
    fn leaves_by(&self, along: i64, rails: &[u8]) -> Option<u8> {
        let nose = |rail: &&u8| {
            let rail = &self.rubber.rails[**rail as usize];
            (rail.from..=rail.to).contains(&along)
        };
        rails.iter().find(nose).copied()
    }

    /// From beyond the edge of the open table: what the path meets in this pocket, or a rail.
    fn begin_at_edge(&self) -> Option<Next> {
        let throat = self.throat(self.throat_at(self.motion.origin));
        earlier(throat, self.rails())
    }

    /// The first of all surfaces.
    fn everything(&self) -> Option<Next> {
        (0..6).fold(self.rails(), |best, pocket| earlier(best, self.throat(pocket)))
    }

    /// The first rail, wherever the path begins.
    fn rails(&self) -> Option<Next> {
        let (at, direction) = (self.motion.origin, self.motion.direction);
        let mut best = None;
        for (index, rail) in self.rubber.rails.iter().enumerate() {
            let (along, beside, step, toward) = if rail.along_x {
                (at.x, at.y, direction.x, direction.y * rail.outward)
            } else {
                (at.y, at.x, direction.y, direction.x * rail.outward)
            };
            let gap = (rail.line - beside) * rail.outward;
            let nose = [rail.from, rail.to];
            let Some(way) = self.piece([gap, toward], [along, step], nose) else { continue };
            best = earlier(best, self.closing(way, Kind::Rail, index as u8, toward));
        }
        best
    }
}
