//! What a stroke has to do under each order of the colours.

use super::ease::ease;
use crate::aim::{Scene, WHITE};
use cuebench_engine::shot::{Balls, Outcome};
use cuebench_engine::snooker::{Ball, Order, RACE_BALLS};

/// The least penalty of a foul.
const LEAST_PENALTY: u32 = 4;
/// What a colour is worth, in strokes, where one stroke may pot several.
const SHARED_STROKE: f64 = 0.6;

/// The colours that may be hit first and potted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The colour in this slot alone.
    On(usize),
    /// Every colour.
    Any,
}

/// The slot of the lowest colour on the table.
#[must_use]
pub fn ball_on(balls: &Balls) -> Option<usize> {
    (WHITE + 1..RACE_BALLS).find(|&slot| balls.at[slot].is_some())
}

impl Goal {
    /// The goal of the next stroke; `None` once the table is cleared.
    #[must_use]
    pub fn of(order: Order, balls: &Balls) -> Option<Self> {
        let on = ball_on(balls)?;
        Some(match order {
            Order::Snooker => Self::On(on),
            Order::Any => Self::Any,
        })
    }

    /// The order that this goal belongs to.
    #[must_use]
    pub const fn order(self) -> Order {
        match self {
            Self::On(_) => Order::Snooker,
            Self::Any => Order::Any,
        }
    }

    /// The slots that may be played at.
    pub fn targets(self, balls: &Balls) -> impl Iterator<Item = usize> + use<> {
        let at = balls.at;
        (WHITE + 1..RACE_BALLS).filter(move |&slot| {
            at[slot].is_some() && (self == Self::Any || self == Self::On(slot))
        })
    }

    /// Whether the shot is no foul.
    #[must_use]
    pub fn is_legal(self, outcome: &Outcome) -> bool {
        let allowed = |slot: u8| match self {
            Self::On(on) => usize::from(slot) == on,
            Self::Any => usize::from(slot) != WHITE,
        };
        outcome.first_hit.is_some_and(allowed) && outcome.falls.iter().all(|f| allowed(f.ball))
    }

    /// What a foul takes off: the largest of 4 and the values of the first colour hit, of the
    /// colours potted and of the ball on.
    #[must_use]
    pub fn penalty(self, outcome: &Outcome) -> f64 {
        let on = match self {
            Self::On(slot) => Some(slot as u8),
            Self::Any => None,
        };
        let fallen = outcome.falls.iter().map(|fall| fall.ball);
        let involved = fallen.chain(outcome.first_hit).chain(on);
        let value = |slot: u8| Ball::from_slot(slot.into()).map_or(0, Ball::value);
        f64::from(involved.map(value).fold(LEAST_PENALTY, u32::max))
    }

    /// Strokes that a legal shot saves by what it pots.
    #[must_use]
    pub fn strokes_saved(self, outcome: &Outcome) -> f64 {
        let potted = outcome.falls.len() as f64;
        match self {
            Self::On(_) => potted,
            Self::Any => SHARED_STROKE * potted,
        }
    }

    /// How easy the next pot is from `scene`, about 0 to 1.3.
    #[must_use]
    pub fn ease(self, scene: &Scene<'_>, balls: &Balls) -> f64 {
        self.targets(balls).map(|slot| ease(scene, slot)).fold(0.0, f64::max)
    }
}
