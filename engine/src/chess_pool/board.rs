//! The 8 x 4 board that lies over the table, and the moves of chess on it when it is empty.

use super::piece::Kind;
use crate::units::{LENGTH_UM, Point, WIDTH_UM};
use std::fmt;

/// Side of a space, µm.
pub const SPACE_UM: i32 = 317_500;
/// Files, along the length.
pub const FILES: u8 = (LENGTH_UM / SPACE_UM) as u8;
/// Ranks, across the width.
pub const RANKS: u8 = (WIDTH_UM / SPACE_UM) as u8;

/// A space of the board: `a1` at the origin, files `a` to `h` along the length, ranks 1 to 4
/// across.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space {
    /// 0 to 7 along the length.
    pub file: u8,
    /// 0 to 3 across.
    pub rank: u8,
}

impl Space {
    /// The space that holds `centre`. A line belongs to the space of the larger coordinate; a
    /// centre outside the playing area (in a pocket's jaws) counts for the space at the edge.
    #[must_use]
    pub fn of(centre: Point) -> Self {
        let index = |um: i32, count: u8| (um.max(0) / SPACE_UM).min(i32::from(count) - 1) as u8;
        Self { file: index(centre.x_um, FILES), rank: index(centre.y_um, RANKS) }
    }

    /// Whether a piece of `kind` gets from here to `to` in one move of chess on the empty board.
    /// Its own space is no move.
    #[must_use]
    pub const fn reaches(self, kind: Kind, to: Self) -> bool {
        let (df, dr) = (self.file.abs_diff(to.file), self.rank.abs_diff(to.rank));
        let straight = (df == 0) != (dr == 0);
        let diagonal = df == dr && df != 0;
        match kind {
            Kind::Rook => straight,
            Kind::Bishop => diagonal,
            Kind::Queen => straight || diagonal,
            Kind::Knight => df != 0 && dr != 0 && df + dr == 3,
            Kind::King => df <= 1 && dr <= 1 && df + dr != 0,
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file), self.rank + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(text: &str) -> Space {
        let bytes = text.as_bytes();
        Space { file: bytes[0] - b'a', rank: bytes[1] - b'1' }
    }

    fn reached(kind: Kind, from: &str) -> usize {
        let from = space(from);
        (0..FILES)
            .flat_map(|file| (0..RANKS).map(move |rank| Space { file, rank }))
            .filter(|&to| from.reaches(kind, to))
            .count()
    }

    #[test]
    fn lines_belong_to_the_larger_coordinate_and_edges_to_the_board() {
        for (x, y, name) in [
            (0, 0, "a1"),
            (317_499, 317_499, "a1"),
            (317_500, 317_499, "b1"),
            (317_499, 317_500, "a2"),
            (2_540_000, 1_270_000, "h4"),
            (1_905_000, 635_000, "g3"),
            (1_270_000, -4_800, "e1"),
            (-1, 1_270_001, "a4"),
        ] {
            assert_eq!(Space::of(Point::new(x, y)).to_string(), name, "{x} {y}");
        }
    }

    /// Counts of a board of 8 files and 4 ranks, from the geometry of each piece.
    #[test]
    fn pieces_reach_as_many_spaces_as_on_paper() {
        for (kind, corner, middle) in [
            (Kind::Rook, 10, 10),
            (Kind::Bishop, 3, 6),
            (Kind::Queen, 13, 16),
            (Kind::Knight, 2, 6),
            (Kind::King, 3, 8),
        ] {
            assert_eq!((reached(kind, "a1"), reached(kind, "d2")), (corner, middle), "{kind}");
        }
        assert!(!space("d2").reaches(Kind::Queen, space("d2")));
        assert!(!space("d1").reaches(Kind::Knight, space("g1")));
    }
}
