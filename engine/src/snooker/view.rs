//! What a seat sees of its own table.

use super::ball::{Ball, BallList, RACE_BALLS};
use super::judge::Fouls;
use super::outcome::Closed;
use crate::shot::Balls;
use crate::table::TableSpec;
use crate::units::Point;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The public state of one seat's table: what `cuebench race --json` prints and what a bot is
/// sent. Lengths are µm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicView {
    /// Where the seven balls are; `null` for a ball that is gone.
    #[serde(with = "named")]
    pub balls: Balls,
    /// The colour that must be hit first and potted; `null` once the table is cleared.
    pub ball_on: Option<BallOn>,
    /// Points so far, penalties taken off; may be negative.
    pub score: i32,
    /// Strokes played.
    pub strokes: u32,
    /// The colour that the white touched first in the last stroke.
    pub first_hit: Option<Ball>,
    /// The balls that fell in the last stroke, in order, the white too.
    pub potted: BallList,
    /// The fouls of the last stroke.
    pub fouls: Fouls,
    /// Points that the last stroke took off.
    pub penalty: u32,
    /// Why the table is closed; `null` while it is open.
    pub closed: Option<Closed>,
    /// Cloth speed and restitution, if they are public: `null` while they are hidden.
    pub table: Option<TableValues>,
}

/// The two values of a table that may be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TableValues {
    /// Cloth speed, mm/s².
    pub cloth: u32,
    /// Restitution of the rails, thousandths.
    pub restitution: u32,
}

impl From<TableSpec> for TableValues {
    fn from(spec: TableSpec) -> Self {
        Self { cloth: spec.cloth, restitution: spec.restitution }
    }
}

/// What may be hit first: one colour, or `any`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BallOn {
    /// This colour alone (order `snooker`).
    Colour(Ball),
    /// Any colour that is left (order `any`).
    Any,
}

impl BallOn {
    /// `any`, or the colour's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Colour(ball) => ball.name(),
            Self::Any => "any",
        }
    }

    /// Whether `ball` may be hit first and potted.
    #[must_use]
    pub fn allows(self, ball: Ball) -> bool {
        match self {
            Self::Colour(on) => on == ball,
            Self::Any => ball != Ball::White,
        }
    }
}

impl fmt::Display for BallOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for BallOn {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for BallOn {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl serde::de::Visitor<'_> for Name {
            type Value = BallOn;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`any` or the name of a colour")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<BallOn, E> {
                match Ball::from_name(name) {
                    _ if name == "any" => Ok(BallOn::Any),
                    Some(ball) if ball != Ball::White => Ok(BallOn::Colour(ball)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(name), &self)),
                }
            }
        }
        deserializer.deserialize_str(Name)
    }
}

/// The seven balls as a map from their names, as in `{"white":[x,y],"yellow":null,..}`. A ball
/// that is left out has gone; other names and doubled ones are refused.
pub mod named {
    use super::{Ball, Balls, Point, RACE_BALLS, fmt};
    use serde::de::{Error as _, MapAccess, Visitor};
    use serde::ser::SerializeMap as _;
    use serde::{Deserializer, Serializer};

    /// Writes the map: all seven names, in the order of their slots.
    ///
    /// # Errors
    /// Those of the serialiser.
    pub fn serialize<S: Serializer>(balls: &Balls, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(RACE_BALLS))?;
        for ball in Ball::ALL {
            map.serialize_entry(ball.name(), &balls.at[ball.slot()])?;
        }
        map.end()
    }

    /// Reads the map.
    ///
    /// # Errors
    /// On an unknown or doubled name and on places that are not two whole numbers.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Balls, D::Error> {
        deserializer.deserialize_map(Named)
    }

    struct Named;

    impl<'de> Visitor<'de> for Named {
        type Value = Balls;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map from white, yellow, .., black to [x, y] in whole micrometres")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Balls, A::Error> {
            let mut balls = Balls::default();
            let mut seen = [false; RACE_BALLS];
            while let Some(name) = map.next_key::<String>()? {
                let Some(ball) = Ball::from_name(&name) else {
                    return Err(A::Error::unknown_field(&name, &NAMES));
                };
                if std::mem::replace(&mut seen[ball.slot()], true) {
                    return Err(A::Error::custom(format_args!("the {ball} is named twice")));
                }
                balls.at[ball.slot()] = map.next_value::<Option<Point>>()?;
            }
            Ok(balls)
        }
    }

    const NAMES: [&str; RACE_BALLS] =
        ["white", "yellow", "green", "brown", "blue", "pink", "black"];
}
