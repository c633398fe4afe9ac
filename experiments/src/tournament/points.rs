//! The points of a game.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Points of a game: won, drawn or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Points {
    /// 0.
    Loss,
    /// 0.5.
    Draw,
    /// 1.
    Win,
}

impl Points {
    /// As a number.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.halves() as f64 / 2.0
    }

    /// Half points: 0, 1 or 2.
    #[must_use]
    pub const fn halves(self) -> u8 {
        match self {
            Self::Loss => 0,
            Self::Draw => 1,
            Self::Win => 2,
        }
    }

    /// The other side's points.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(["0", "0.5", "1"][usize::from(self.halves())])
    }
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match f64::deserialize(deserializer)? {
            1.0 => Ok(Self::Win),
            0.5 => Ok(Self::Draw),
            0.0 => Ok(Self::Loss),
            other => Err(de::Error::custom(format_args!("result {other} is not 1, 0.5 or 0"))),
        }
    }
}
