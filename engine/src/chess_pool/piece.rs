//! The balls of chess pool, as slots of the shot engine: 0 is the cue ball, 1 to 9 are the object
//! balls in ascending number.

use std::fmt;
use std::str::FromStr;

/// The numbers on the object balls, ascending: slot `i + 1` holds number `NUMBERS[i]`.
const NUMBERS: [u8; 9] = [1, 2, 3, 4, 8, 9, 10, 11, 12];

/// A ball: the cue ball or one of the nine object balls. Ordered by number, the cue ball first.
/// As JSON a text, `"cue"` or `"12"`; the number alone, `12`, is read too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(into = "String")]
pub struct Ball(u8);

/// A text that names no ball of this game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no ball of chess pool; the balls are cue, 1, 2, 3, 4, 8, 9, 10, 11 and 12")]
pub struct UnknownBall(pub String);

/// Who controls a piece.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Balls 1 to 4.
    Solids,
    /// Balls 9 to 12.
    Stripes,
}

/// How a piece moves on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Balls 1 and 9, yellow.
    Rook,
    /// Balls 2 and 10, blue.
    Knight,
    /// Balls 3 and 11, red.
    Bishop,
    /// Balls 4 and 12, violet.
    Queen,
    /// The 8, black.
    King,
}

impl Ball {
    /// The cue ball.
    pub const CUE: Self = Self(0);
    /// The 8, the king of both players.
    pub const KING: Self = Self(5);
    /// Number of balls, the cue ball included.
    pub const COUNT: usize = 10;

    /// The ball in `slot` of the shot engine, if the game has one there.
    #[must_use]
    pub const fn in_slot(slot: u8) -> Option<Self> {
        if (slot as usize) < Self::COUNT { Some(Self(slot)) } else { None }
    }

    /// The object ball with `number` on it.
    #[must_use]
    pub fn numbered(number: u8) -> Option<Self> {
        NUMBERS.iter().position(|&n| n == number).map(|i| Self(i as u8 + 1))
    }

    /// The ball's slot in the shot engine, 0 to 9.
    #[must_use]
    pub const fn slot(self) -> usize {
        self.0 as usize
    }

    /// The number on the ball; `None` for the cue ball.
    #[must_use]
    pub fn number(self) -> Option<u8> {
        self.slot().checked_sub(1).map(|i| NUMBERS[i])
    }

    /// Whose piece it is; `None` for the cue ball and the king.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self.0 {
            1..=4 => Some(Side::Solids),
            6..=9 => Some(Side::Stripes),
            _ => None,
        }
    }

    /// How the piece moves; `None` for the cue ball.
    #[must_use]
    pub const fn kind(self) -> Option<Kind> {
        match self.0 {
            1 | 6 => Some(Kind::Rook),
            2 | 7 => Some(Kind::Knight),
            3 | 8 => Some(Kind::Bishop),
            4 | 9 => Some(Kind::Queen),
            5 => Some(Kind::King),
            _ => None,
        }
    }

    /// One letter for drawings: `R N B Q K`, lower case for solids, and `o` for the cue ball.
    #[must_use]
    pub const fn letter(self) -> char {
        ['o', 'r', 'n', 'b', 'q', 'K', 'R', 'N', 'B', 'Q'][self.0 as usize]
    }

    /// Every ball, the cue ball first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }
}

impl fmt::Display for Ball {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number() {
            None => f.write_str("cue"),
            Some(number) => write!(f, "{number}"),
        }
    }
}

impl FromStr for Ball {
    type Err = UnknownBall;

    fn from_str(text: &str) -> Result<Self, UnknownBall> {
        let unknown = || UnknownBall(text.chars().take(20).collect());
        match text {
            "cue" => Ok(Self::CUE),
            _ if text.starts_with(['0', '+']) => Err(unknown()),
            _ => text.parse().ok().and_then(Self::numbered).ok_or_else(unknown),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Ball {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl serde::de::Visitor<'_> for Name {
            type Value = Ball;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a ball of chess pool: \"cue\" or its number")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Ball, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Ball, E> {
                number.to_string().parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Name)
    }
}

impl From<Ball> for String {
    fn from(ball: Ball) -> Self {
        ball.to_string()
    }
}

impl Side {
    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Solids => Self::Stripes,
            Self::Stripes => Self::Solids,
        }
    }

    /// The side's four pieces.
    #[must_use]
    pub const fn pieces(self) -> BallSet {
        match self {
            Self::Solids => BallSet(0b00_0001_1110),
            Self::Stripes => BallSet(0b11_1100_0000),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Solids => "solids",
            Self::Stripes => "stripes",
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rook => "rook",
            Self::Knight => "knight",
            Self::Bishop => "bishop",
            Self::Queen => "queen",
            Self::King => "king",
        })
    }
}

/// A set of balls; iterates and serialises in ascending number, the cue ball first.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(into = "Vec<Ball>", from = "Vec<Ball>")]
pub struct BallSet(u16);

impl BallSet {
    /// No ball.
    pub const EMPTY: Self = Self(0);
    /// The nine object balls.
    pub const OBJECT_BALLS: Self = Self(0b11_1111_1110);

    /// The set with `ball` in it.
    #[must_use]
    pub const fn with(self, ball: Ball) -> Self {
        Self(self.0 | 1 << ball.0)
    }

    /// The set without `ball`.
    #[must_use]
    pub const fn without(self, ball: Ball) -> Self {
        Self(self.0 & !(1 << ball.0))
    }

    /// Adds `ball`.
    pub const fn insert(&mut self, ball: Ball) {
        self.0 |= 1 << ball.0;
    }

    /// Whether `ball` is in the set.
    #[must_use]
    pub const fn contains(self, ball: Ball) -> bool {
        self.0 >> ball.0 & 1 == 1
    }

    /// Balls in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Balls in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Balls of this set that are not in `other`.
    #[must_use]
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Number of balls.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether no ball is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The balls in ascending number.
    pub fn iter(self) -> impl Iterator<Item = Ball> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let slot = (rest != 0).then(|| rest.trailing_zeros() as u8)?;
            rest &= rest - 1;
            Some(Ball(slot))
        })
    }
}

impl FromIterator<Ball> for BallSet {
    fn from_iter<I: IntoIterator<Item = Ball>>(balls: I) -> Self {
        balls.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl From<Vec<Ball>> for BallSet {
    fn from(balls: Vec<Ball>) -> Self {
        balls.into_iter().collect()
    }
}

impl From<BallSet> for Vec<Ball> {
    fn from(set: BallSet) -> Self {
        set.iter().collect()
    }
}

impl fmt::Display for BallSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, ball) in self.iter().enumerate() {
            write!(f, "{}{ball}", if i == 0 { "" } else { ", " })?;
        }
        if self.is_empty() { f.write_str("none") } else { Ok(()) }
    }
}

impl fmt::Debug for BallSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_kinds_and_sides_are_those_of_the_game() {
        let of = |n| Ball::numbered(n).expect("a ball");
        for (pair, kind) in [
            ([1, 9], Kind::Rook),
            ([2, 10], Kind::Knight),
            ([3, 11], Kind::Bishop),
            ([4, 12], Kind::Queen),
        ] {
            assert_eq!(pair.map(|n| of(n).kind()), [Some(kind); 2]);
            assert_eq!(pair.map(|n| of(n).side()), [Some(Side::Solids), Some(Side::Stripes)]);
        }
        assert_eq!((of(8), of(8).kind(), of(8).side()), (Ball::KING, Some(Kind::King), None));
        assert!([0, 5, 6, 7, 13].iter().all(|&n| Ball::numbered(n).is_none()));
    }

    #[test]
    fn texts_round_trip_and_others_are_refused() {
        for ball in Ball::all() {
            assert_eq!(ball.to_string().parse(), Ok(ball));
        }
        for text in ["", "0", "5", "7", "13", "01", "+1", "-1", "CUE", "king", "1 "] {
            assert!(text.parse::<Ball>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn sets_iterate_in_ascending_number() {
        let set: BallSet =
            [12, 8, 1, 10].map(|n| Ball::numbered(n).expect("a ball")).into_iter().collect();
        assert_eq!(set.to_string(), "1, 8, 10, 12");
        assert_eq!(Side::Stripes.pieces().to_string(), "9, 10, 11, 12");
        assert_eq!(
            Side::Solids.pieces().union(Side::Stripes.pieces()).with(Ball::KING),
            BallSet::OBJECT_BALLS
        );
    }
}
