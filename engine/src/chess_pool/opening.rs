//! The break: what it means before anybody owns a piece.

use super::judge::{Foul, first_hit, put_back, write_balls, write_fairness};
use super::options::{BreakContact, InHand, Options};
use super::piece::{Ball, BallSet};
use super::reason::Reason;
use std::fmt;

/// The verdict on a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct BreakVerdict {
    /// Neither foul nor scratch.
    pub fair: bool,
    /// The foul, if it was one.
    pub foul: Option<Foul>,
    /// Whether the cue ball was pocketed.
    pub scratch: bool,
    /// Balls that leave the game; never the 8.
    pub removed: BallSet,
    /// Balls pocketed that are put back on the long string.
    pub returned: BallSet,
    /// Whether the breaker, once sides are chosen, puts the 8 back in place of an opponent's
    /// piece.
    pub king_due: bool,
    /// Whether the second player has the cue ball in hand.
    pub cue_in_hand: bool,
}

/// One line: `fair removed[4] king_due`.
impl fmt::Display for BreakVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_fairness(f, self.foul, self.scratch)?;
        write_balls(f, "removed", self.removed)?;
        write_balls(f, "returned", self.returned)?;
        if self.king_due {
            f.write_str(" king_due")?;
        }
        if self.cue_in_hand { f.write_str(" in_hand") } else { Ok(()) }
    }
}

/// Judges a break from its contacts and the balls pocketed, both in order of time.
/// Source: `engine/docs/chess-pool.md`, The break.
pub fn judge_break(
    contacts: &[[Ball; 2]],
    pocketed: &[Ball],
    options: &Options,
    mut reason: impl FnMut(Reason),
) -> BreakVerdict {
    let foul = judge_contact(contacts, options, &mut reason);
    let fell: BallSet = pocketed.iter().copied().collect();
    let (scratch, fell) = (fell.contains(Ball::CUE), fell.without(Ball::CUE));
    if scratch {
        reason(Reason::Scratch);
    }
    let fair = foul.is_none() && !scratch;
    // A fair break leaves the 8 to the breaker's choice; only a scratch brings others back.
    let (returned, removed) = if fair {
        (BallSet::EMPTY, fell.without(Ball::KING))
    } else {
        put_back(fell, scratch && options.break_scratch_returns)
    };
    if !removed.is_empty() {
        reason(Reason::PocketedRemoved { balls: removed });
    }
    if !returned.is_empty() {
        reason(Reason::PutBack { balls: returned });
    }
    let cue_in_hand = scratch || foul.is_some() && options.cue_in_hand == InHand::Foul;
    if cue_in_hand {
        reason(Reason::CueInHand);
    }
    let king_due = fair && fell.contains(Ball::KING);
    BreakVerdict { fair, foul, scratch, removed, returned, king_due, cue_in_hand }
}

fn judge_contact(
    contacts: &[[Ball; 2]],
    options: &Options,
    reason: &mut impl FnMut(Reason),
) -> Option<Foul> {
    let Some(ball) = first_hit(contacts) else {
        reason(Reason::NoContact);
        return Some(Foul::NoContact);
    };
    if options.break_contact == BreakContact::Apex && ball.number() != Some(1) {
        let wanted = Ball::numbered(1).into_iter().collect();
        reason(Reason::WrongFirstContact { ball, wanted });
        return Some(Foul::WrongFirstContact);
    }
    reason(Reason::BreakContact { ball });
    None
}
