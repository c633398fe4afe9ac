//! The rules of one shot: what it scores, what it costs, and what must be put back.

use super::ball::{Ball, BallList, COLOURS};
use super::options::Order;
use crate::shot::{Balls, Outcome};
use serde::de::{Deserialize, Deserializer};
use serde::{Serialize, Serializer};

/// The least that a foul costs.
const LEAST_PENALTY: u32 = 4;

/// A way to foul.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Foul {
    /// The white hits no ball.
    NoBallHit = 0,
    /// The white is potted.
    WhitePotted = 1,
    /// The white's first contact is not the ball on (order `snooker`).
    WrongFirstContact = 2,
    /// A colour that is not the ball on is potted (order `snooker`).
    WrongBallPotted = 3,
}

impl Foul {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 4] =
        [Self::NoBallHit, Self::WhitePotted, Self::WrongFirstContact, Self::WrongBallPotted];

    /// Its name, as JSON writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["no_ball_hit", "white_potted", "wrong_first_contact", "wrong_ball_potted"][self as usize]
    }
}

/// The fouls of one shot, a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fouls(u8);

impl Fouls {
    /// No foul.
    pub const NONE: Self = Self(0);

    /// The set whose bit `n` says that `Foul::ALL[n]` is in it; `None` for unknown bits.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits < 1 << Foul::ALL.len() { Some(Self(bits)) } else { None }
    }

    /// One bit a foul, bit `n` for `Foul::ALL[n]`.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether the shot was legal.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `foul` is among them.
    #[must_use]
    pub const fn contains(self, foul: Foul) -> bool {
        self.0 & (1 << foul as u8) != 0
    }

    /// The fouls, in the order of [`Foul::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Foul> {
        Foul::ALL.into_iter().filter(move |&foul| self.contains(foul))
    }

    const fn add(&mut self, foul: Foul) {
        self.0 |= 1 << foul as u8;
    }
}

impl FromIterator<Foul> for Fouls {
    fn from_iter<I: IntoIterator<Item = Foul>>(fouls: I) -> Self {
        let mut set = Self::NONE;
        fouls.into_iter().for_each(|foul| set.add(foul));
        set
    }
}

impl Serialize for Fouls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Fouls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(smallvec_of_fouls(deserializer)?.into_iter().collect())
    }
}

fn smallvec_of_fouls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Foul>, D::Error> {
    Vec::deserialize(deserializer)
}

/// What the rules say of one shot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The colour that the white touched first.
    pub first_hit: Option<Ball>,
    /// Every ball that fell, in order, the white too.
    pub potted: BallList,
    /// Why the shot was a foul; empty if it was legal.
    pub fouls: Fouls,
    /// Points scored: 0 for a foul.
    pub points: u32,
    /// Points taken off: 0 for a legal shot, else 4 to 7.
    pub penalty: u32,
    /// Balls that go back to the table, in the order in which they are placed: the fouled colours
    /// with the highest value first, the white last.
    pub replaced: BallList,
}

impl Judged {
    /// What the shot does to the score.
    #[must_use]
    pub const fn score_change(&self) -> i32 {
        self.points as i32 - self.penalty as i32
    }
}

/// The lowest colour on the table: the ball on with order `snooker`.
#[must_use]
pub fn lowest_colour(balls: &Balls) -> Option<Ball> {
    COLOURS.into_iter().find(|colour| balls.at[colour.slot()].is_some())
}

/// Judges a finished shot that was played with `before` on the table.
///
/// Fouls that coincide are one foul with the largest penalty; a shot that pots the ball on and
/// fouls scores nothing and the ball returns.
#[must_use]
pub fn judge(before: &Balls, outcome: &Outcome, order: Order) -> Judged {
    let on = match order {
        Order::Snooker => lowest_colour(before),
        Order::Any => None,
    };
    let first_hit = outcome.first_hit.and_then(|slot| Ball::from_slot(slot.into()));
    let potted: BallList =
        outcome.falls.iter().filter_map(|fall| Ball::from_slot(fall.ball.into())).collect();
    let fouls = fouls(on, first_hit, &potted);
    if fouls.is_empty() {
        let points = potted.iter().map(|ball| ball.value()).sum();
        let replaced = BallList::new();
        return Judged { first_hit, potted, fouls, points, penalty: 0, replaced };
    }
    let involved = potted.iter().copied().chain(first_hit).chain(on).map(Ball::value);
    let penalty = involved.fold(LEAST_PENALTY, u32::max);
    let mut replaced = potted.clone();
    // By falling value; the white is worth nothing and so comes last.
    replaced.sort_unstable_by_key(|ball| std::cmp::Reverse(ball.value()));
    Judged { first_hit, potted, fouls, points: 0, penalty, replaced }
}

fn fouls(on: Option<Ball>, first_hit: Option<Ball>, potted: &[Ball]) -> Fouls {
    let mut fouls = Fouls::NONE;
    if first_hit.is_none() {
        fouls.add(Foul::NoBallHit);
    }
    if potted.contains(&Ball::White) {
        fouls.add(Foul::WhitePotted);
    }
    if on.is_some() {
        if first_hit.is_some() && first_hit != on {
            fouls.add(Foul::WrongFirstContact);
        }
        if potted.iter().any(|&ball| ball != Ball::White && Some(ball) != on) {
            fouls.add(Foul::WrongBallPotted);
        }
    }
    fouls
}
