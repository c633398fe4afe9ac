//! The board that lies over the table, 8 x 4 or 8 x 8, and the moves of chess on it when it is
//! empty. Source: `engine/docs/chess-pool.md`, The board.

use super::piece::Kind;
use crate::units::{LENGTH_UM, Point, WIDTH_UM};
use std::fmt;

/// How the table is divided into spaces: eight files along the length either way.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Grid {
    /// Four ranks across: squares of 317 500 µm.
    #[default]
    #[serde(rename = "8x4")]
    EightByFour,
    /// Eight ranks across, as a chess board has: oblongs of 317 500 µm along the length and
    /// 158 750 µm across.
    #[serde(rename = "8x8")]
    EightByEight,
}

/// A space of the board: `a1` at the origin, files `a` to `h` along the length, ranks from 1
/// across.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space {
    /// 0 to 7 along the length.
    pub file: u8,
    /// 0 to 3, or 0 to 7, across.
    pub rank: u8,
}

impl Grid {
    /// Files, along the length.
    pub const FILES: u8 = 8;

    /// Ranks, across the width.
    #[must_use]
    pub const fn ranks(self) -> u8 {
        match self {
            Self::EightByFour => 4,
            Self::EightByEight => 8,
        }
    }

    /// Size of a space along the length and across, µm.
    #[must_use]
    pub const fn space_um(self) -> [i32; 2] {
        [LENGTH_UM / Self::FILES as i32, WIDTH_UM / self.ranks() as i32]
    }

    /// The space that holds `centre`. A line belongs to the space of the larger coordinate; a
    /// centre outside the playing area (in a pocket's jaws) counts for the space at the edge.
    #[must_use]
    pub fn space_of(self, centre: Point) -> Space {
        let [along, across] = self.space_um();
        let index =
            |um: i32, size: i32, count: u8| (um.max(0) / size).min(i32::from(count) - 1) as u8;
        Space {
            file: index(centre.x_um, along, Self::FILES),
            rank: index(centre.y_um, across, self.ranks()),
        }
    }

    /// Every space, file by file.
    pub fn spaces(self) -> impl Iterator<Item = Space> {
        (0..Self::FILES)
            .flat_map(move |file| (0..self.ranks()).map(move |rank| Space { file, rank }))
    }
}

impl Space {
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

    fn reached(grid: Grid, kind: Kind, from: &str) -> usize {
        grid.spaces().filter(|&to| space(from).reaches(kind, to)).count()
    }

    #[test]
    fn lines_belong_to_the_larger_coordinate_and_edges_to_the_board() {
        for (x, y, four, eight) in [
            (0, 0, "a1", "a1"),
            (317_499, 317_499, "a1", "a2"),
            (317_500, 317_499, "b1", "b2"),
            (317_499, 317_500, "a2", "a3"),
            (158_750, 158_749, "a1", "a1"),
            (158_749, 158_750, "a1", "a2"),
            (2_540_000, 1_270_000, "h4", "h8"),
            (1_905_000, 635_000, "g3", "g5"),
            (1_270_000, -4_800, "e1", "e1"),
            (-1, 1_270_001, "a4", "a8"),
        ] {
            let at = Point::new(x, y);
            assert_eq!(Grid::EightByFour.space_of(at).to_string(), four, "{x} {y}");
            assert_eq!(Grid::EightByEight.space_of(at).to_string(), eight, "{x} {y}");
        }
    }

    /// Counts from the geometry of each piece; on 8 x 8 those of every chess book.
    #[test]
    fn pieces_reach_as_many_spaces_as_on_paper() {
        for (grid, kind, corner, middle) in [
            (Grid::EightByFour, Kind::Rook, 10, 10),
            (Grid::EightByFour, Kind::Bishop, 3, 6),
            (Grid::EightByFour, Kind::Queen, 13, 16),
            (Grid::EightByFour, Kind::Knight, 2, 6),
            (Grid::EightByFour, Kind::King, 3, 8),
            (Grid::EightByEight, Kind::Rook, 14, 14),
            (Grid::EightByEight, Kind::Bishop, 7, 9),
            (Grid::EightByEight, Kind::Queen, 21, 23),
            (Grid::EightByEight, Kind::Knight, 2, 6),
            (Grid::EightByEight, Kind::King, 3, 8),
        ] {
            let got = (reached(grid, kind, "a1"), reached(grid, kind, "d2"));
            assert_eq!(got, (corner, middle), "{grid:?} {kind}");
        }
        assert!(!space("d2").reaches(Kind::Queen, space("d2")));
        assert!(!space("d1").reaches(Kind::Knight, space("g1")));
    }

    #[test]
    fn spaces_of_the_8_x_8_grid_are_oblong() {
        assert_eq!(Grid::EightByFour.space_um(), [317_500, 317_500]);
        assert_eq!(Grid::EightByEight.space_um(), [317_500, 158_750]);
        assert_eq!(Grid::EightByEight.spaces().count(), 64);
    }
}
