//! Positions as people write them: a map from ball to place, `{"cue":[x,y],"1":[x,y]}`.

use super::piece::Ball;
use crate::shot::Balls;
use crate::units::Point;
use serde::de::{Error as _, MapAccess, Visitor};
use std::fmt;

/// The places of the game's balls, µm; balls that are not named are not on the table. No ball is
/// named twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position(pub Balls);

impl serde::Serialize for Position {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            Ball::all().filter_map(|ball| self.0.at[ball.slot()].map(|point| (ball, point))),
        )
    }
}

impl<'de> serde::Deserialize<'de> for Position {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Places;

        impl<'de> Visitor<'de> for Places {
            type Value = Position;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from ball to [x, y] in whole micrometres")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Position, A::Error> {
                let mut balls = Balls::default();
                while let Some((ball, point)) = map.next_entry::<Ball, Point>()? {
                    if balls.at[ball.slot()].replace(point).is_some() {
                        return Err(A::Error::custom(format!("position: {ball} stands twice")));
                    }
                }
                Ok(Position(balls))
            }
        }

        deserializer.deserialize_map(Places)
    }
}
