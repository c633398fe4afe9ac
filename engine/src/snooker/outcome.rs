//! How a table closes, and which of two seats won.

use serde::{Deserialize, Serialize};

/// Why a table is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Closed {
    /// Every colour is potted.
    Cleared,
    /// All strokes are played.
    Shots,
    /// The seat's time has run out.
    Time,
}

impl Closed {
    /// Its name, as JSON and CSV write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cleared => "cleared",
            Self::Shots => "shots",
            Self::Time => "time",
        }
    }

    /// Its number in arrays and bytes: 1, 2, 3 in the order of declaration; 0 means open.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Cleared => 1,
            Self::Shots => 2,
            Self::Time => 3,
        }
    }
}

/// What one seat has when its table is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SeatResult {
    /// Points, penalties taken off; may be negative.
    pub score: i32,
    /// Strokes played.
    pub strokes: u32,
    /// Time from the start of the game to the stroke that closed the table, ms. A table closed by
    /// time has the limit here.
    pub time_ms: u64,
    /// Why the table is closed.
    pub closed: Closed,
}

/// What decided a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decided {
    /// The higher score.
    Score,
    /// Equal scores: fewer strokes.
    Strokes,
    /// Equal strokes too: the shorter time.
    Time,
    /// Nothing: all three are equal.
    Draw,
}

impl Decided {
    /// Its name, as JSON and CSV write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Strokes => "strokes",
            Self::Time => "time",
            Self::Draw => "draw",
        }
    }
}

/// The result of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MatchOutcome {
    /// The winning seat, 0 or 1; `None` for a draw.
    pub winner: Option<u8>,
    /// What decided.
    pub decided_by: Decided,
}

impl MatchOutcome {
    /// Seat 0's points: 1, 0.5 or 0.
    #[must_use]
    pub const fn points(self) -> f64 {
        match self.winner {
            None => 0.5,
            Some(0) => 1.0,
            Some(_) => 0.0,
        }
    }
}

/// Who won: the higher score, then fewer strokes, then the shorter time to the millisecond.
#[must_use]
pub fn decide(seats: [&SeatResult; 2]) -> MatchOutcome {
    let [a, b] = seats;
    let ties = [
        (Decided::Score, b.score.cmp(&a.score)),
        (Decided::Strokes, a.strokes.cmp(&b.strokes)),
        (Decided::Time, a.time_ms.cmp(&b.time_ms)),
    ];
    let decisive = ties.into_iter().find(|(_, order)| order.is_ne());
    decisive.map_or(MatchOutcome { winner: None, decided_by: Decided::Draw }, |(by, order)| {
        MatchOutcome { winner: Some(u8::from(order.is_gt())), decided_by: by }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(score: i32, strokes: u32, time_ms: u64) -> SeatResult {
        SeatResult { score, strokes, time_ms, closed: Closed::Cleared }
    }

    #[test]
    fn score_then_strokes_then_time_then_draw() {
        for (a, b, winner, by) in [
            (seat(27, 30, 9), seat(26, 6, 1), Some(0), Decided::Score),
            (seat(-4, 10, 9), seat(-3, 30, 9), Some(1), Decided::Score),
            (seat(27, 7, 1), seat(27, 6, 9), Some(1), Decided::Strokes),
            (seat(27, 6, 1000), seat(27, 6, 1001), Some(0), Decided::Time),
            (seat(27, 6, 1000), seat(27, 6, 1000), None, Decided::Draw),
        ] {
            assert_eq!(decide([&a, &b]), MatchOutcome { winner, decided_by: by });
            let mirrored = winner.map(|seat| 1 - seat);
            assert_eq!(decide([&b, &a]), MatchOutcome { winner: mirrored, decided_by: by });
        }
    }
}
