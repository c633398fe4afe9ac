//! The options of a race, as the match publishes them.

use crate::table::PocketSet;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What both seats know before the first stroke. The default is the standard race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Proportions of the pockets.
    pub pockets: PocketSet,
    /// Where the balls start.
    pub layout: Layout,
    /// Whether cloth speed and restitution are published from the start.
    pub table: TableOption,
    /// Which colour may be played.
    pub order: Order,
    /// Strokes after which the table closes.
    pub max_shots: MaxShots,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pockets: PocketSet::Snooker,
            layout: Layout::default(),
            table: TableOption::default(),
            order: Order::default(),
            max_shots: MaxShots::default(),
        }
    }
}

/// Where the balls start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// All seven balls at random, clear of each other, the cushions and the pockets.
    #[default]
    Random,
    /// The colours on the snooker spots scaled to the table, the white at random in the D.
    Spots,
}

/// Whether the table's cloth speed and restitution are published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableOption {
    /// Only once the game is over.
    #[default]
    Hidden,
    /// From the start.
    Known,
}

/// Which colour may be hit first and potted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Always the lowest colour left.
    #[default]
    Snooker,
    /// Any colour, any number of them.
    Any,
}

/// Strokes after which a table closes: 10..=60.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "u32")]
pub struct MaxShots(u8);

impl MaxShots {
    /// The least that can be asked for.
    pub const LEAST: u32 = 10;
    /// The most that can be asked for.
    pub const MOST: u32 = 60;

    /// The number of strokes.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0 as u32
    }
}

impl Default for MaxShots {
    fn default() -> Self {
        Self(30)
    }
}

/// Why a text is no option of the race.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// `max_shots` outside its range.
    #[error("max_shots is {0}; it must be a whole number from 10 to 60")]
    MaxShots(String),
    /// A word that the option does not know.
    #[error("{option} is `{value}`; it must be one of {known}")]
    UnknownValue {
        /// The option.
        option: &'static str,
        /// The word as given.
        value: String,
        /// The words it knows.
        known: &'static str,
    },
}

impl TryFrom<i64> for MaxShots {
    type Error = OptionsError;

    fn try_from(shots: i64) -> Result<Self, OptionsError> {
        match u8::try_from(shots) {
            Ok(few) if (Self::LEAST..=Self::MOST).contains(&u32::from(few)) => Ok(Self(few)),
            _ => Err(OptionsError::MaxShots(shots.to_string())),
        }
    }
}

impl From<MaxShots> for u32 {
    fn from(shots: MaxShots) -> Self {
        shots.get()
    }
}

impl FromStr for MaxShots {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        text.parse::<i64>().map_err(|_| OptionsError::MaxShots(text.to_owned()))?.try_into()
    }
}

impl fmt::Display for MaxShots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// `FromStr` and `Display` by the words that serde uses too.
macro_rules! words {
    ($type:ty, $option:literal, $known:literal, $($word:literal => $value:path),+) => {
        impl FromStr for $type {
            type Err = OptionsError;

            fn from_str(text: &str) -> Result<Self, OptionsError> {
                match text {
                    $($word => Ok($value),)+
                    _ => Err(OptionsError::UnknownValue {
                        option: $option,
                        value: text.to_owned(),
                        known: $known,
                    }),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $($value => $word,)+
                })
            }
        }
    };
}

words!(Layout, "layout", "random, spots", "random" => Self::Random, "spots" => Self::Spots);
words!(TableOption, "table", "hidden, known", "hidden" => Self::Hidden, "known" => Self::Known);
words!(Order, "order", "snooker, any", "snooker" => Self::Snooker, "any" => Self::Any);
