//! The judge: what a finished shot means. A pure function of the position, the call, the contacts
//! in order of time and the balls pocketed; no physics, so it judges real shots as well
//! ([`super::recorded`] checks them first).

use super::call::Call;
use super::options::{InHand, NoMeeting, Options, Pocketed};
use super::piece::{Ball, BallSet, Side};
use super::reason::Reason;
use std::fmt;

/// A finished shot, as the judge sees it.
#[derive(Clone, Copy, Debug)]
pub struct Shot<'a> {
    /// Balls on the table before the shot.
    pub on_table: BallSet,
    /// Who shot.
    pub shooter: Side,
    /// What was called, a legal call of the position.
    pub call: Call,
    /// Collisions of two balls in order of time.
    pub contacts: &'a [[Ball; 2]],
    /// Balls pocketed in order of time, the cue ball too.
    pub pocketed: &'a [Ball],
}

/// Why a shot was a foul.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Foul {
    /// The cue ball touched no ball.
    NoContact,
    /// The cue ball first touched a ball it must not.
    WrongFirstContact,
}

/// As what a shot is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judged {
    /// Pocketed balls leave, nothing is captured.
    Slop,
    /// Collisions of opposing pieces capture.
    Move,
}

/// The verdict on a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Verdict {
    /// Neither foul nor scratch.
    pub fair: bool,
    /// The foul, if it was one.
    pub foul: Option<Foul>,
    /// Whether the cue ball was pocketed.
    pub scratch: bool,
    /// As what the shot is judged.
    pub judged: Judged,
    /// Pieces captured, the 8 too.
    pub captured: BallSet,
    /// Balls that leave the game, captured or pocketed; never the 8.
    pub removed: BallSet,
    /// Balls pocketed that are put back on the long string.
    pub returned: BallSet,
    /// When the 8 comes back in place of an opponent's piece: the pieces to choose from.
    pub king_choices: Option<BallSet>,
    /// Who has won.
    pub winner: Option<Side>,
    /// Whether the other player has the cue ball in hand.
    pub cue_in_hand: bool,
}

impl fmt::Display for Foul {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoContact => "no_contact",
            Self::WrongFirstContact => "wrong_first_contact",
        })
    }
}

/// `fair`, or the foul and the scratch: how the text of a verdict begins.
pub(super) fn write_fairness(
    f: &mut fmt::Formatter<'_>,
    foul: Option<Foul>,
    scratch: bool,
) -> fmt::Result {
    match (foul, scratch) {
        (None, false) => f.write_str("fair"),
        (None, true) => f.write_str("scratch"),
        (Some(foul), false) => write!(f, "foul({foul})"),
        (Some(foul), true) => write!(f, "foul({foul}) scratch"),
    }
}

/// ` name[1 8]`, or nothing for no balls.
pub(super) fn write_balls(f: &mut fmt::Formatter<'_>, name: &str, balls: BallSet) -> fmt::Result {
    for (i, ball) in balls.iter().enumerate() {
        if i == 0 {
            write!(f, " {name}[{ball}")?;
        } else {
            write!(f, " {ball}")?;
        }
    }
    if balls.is_empty() { Ok(()) } else { f.write_str("]") }
}

/// One line: `fair move captured[8] king[9 10]`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_fairness(f, self.foul, self.scratch)?;
        f.write_str(if self.judged == Judged::Move { " move" } else { " slop" })?;
        write_balls(f, "captured", self.captured)?;
        write_balls(f, "removed", self.removed)?;
        write_balls(f, "returned", self.returned)?;
        write_balls(f, "king", self.king_choices.unwrap_or_default())?;
        if let Some(side) = self.winner {
            write!(f, " wins({side})")?;
        }
        if self.cue_in_hand { f.write_str(" in_hand") } else { Ok(()) }
    }
}

/// Judges a shot whose call is legal and whose record holds together, as a simulated shot's does.
/// Source: `engine/docs/chess-pool.md`, A turn; The 8; Fouls and scratches.
pub fn judge_shot(shot: &Shot<'_>, options: &Options, mut reason: impl FnMut(Reason)) -> Verdict {
    let pocketed: BallSet = shot.pocketed.iter().copied().collect();
    let foul = judge_first_contact(shot, &mut reason);
    let scratch = pocketed.contains(Ball::CUE);
    if scratch {
        reason(Reason::Scratch);
    }
    let judged = judge_call(shot, options, &mut reason);
    let mut verdict = Verdict {
        fair: foul.is_none() && !scratch,
        foul,
        scratch,
        judged,
        captured: BallSet::EMPTY,
        removed: BallSet::EMPTY,
        returned: BallSet::EMPTY,
        king_choices: None,
        winner: None,
        cue_in_hand: false,
    };
    let pocketed = pocketed.without(Ball::CUE);
    if verdict.fair {
        settle_fair(shot, pocketed, options, &mut verdict, &mut reason);
    } else {
        reason(Reason::FoulCapturesNothing);
        settle_foul(pocketed, options, &mut verdict, &mut reason);
    }
    verdict
}

/// First contact must be a friendly piece; with none left, the 8.
fn judge_first_contact(shot: &Shot<'_>, reason: &mut impl FnMut(Reason)) -> Option<Foul> {
    let pieces = shot.on_table.intersection(shot.shooter.pieces());
    let wanted = if pieces.is_empty() { pieces.with(Ball::KING) } else { pieces };
    let Some(ball) = first_hit(shot.contacts) else {
        reason(Reason::NoContact);
        return Some(Foul::NoContact);
    };
    if wanted.contains(ball) {
        reason(Reason::FirstContact { ball });
        None
    } else {
        reason(Reason::WrongFirstContact { ball, wanted });
        Some(Foul::WrongFirstContact)
    }
}

/// The first object ball that the cue ball met.
pub(super) fn first_hit(contacts: &[[Ball; 2]]) -> Option<Ball> {
    first_met(contacts, Ball::CUE)
}

/// The first object ball that `ball` met.
fn first_met(contacts: &[[Ball; 2]], ball: Ball) -> Option<Ball> {
    contacts.iter().find_map(|&pair| partner(pair, ball).filter(|&other| other != Ball::CUE))
}

/// The other ball of a contact that `ball` takes part in.
fn partner([a, b]: [Ball; 2], ball: Ball) -> Option<Ball> {
    if a == ball {
        Some(b)
    } else if b == ball {
        Some(a)
    } else {
        None
    }
}

/// Whether a called move came about, or turned to slop.
fn judge_call(shot: &Shot<'_>, options: &Options, reason: &mut impl FnMut(Reason)) -> Judged {
    let Call::Move { capturer, target } = shot.call else {
        reason(Reason::CalledSlop);
        return Judged::Slop;
    };
    if let Some(ball) = first_hit(shot.contacts).filter(|&ball| ball != capturer) {
        reason(Reason::CueHitFirst { ball, capturer });
        return Judged::Slop;
    }
    match first_met(shot.contacts, capturer) {
        Some(ball) if ball == target => {
            reason(Reason::MoveMade { capturer, target });
            return Judged::Move;
        }
        Some(ball) => {
            reason(Reason::CapturerMetOther { capturer, ball, target });
            return Judged::Slop;
        }
        None => {}
    }
    let slop = options.no_meeting == NoMeeting::Slop;
    reason(Reason::NeverMet { capturer, target, slop });
    if slop { Judged::Slop } else { Judged::Move }
}

/// What is captured, leaves and comes back after a fair shot, and whether it has won.
fn settle_fair(
    shot: &Shot<'_>,
    pocketed: BallSet,
    options: &Options,
    verdict: &mut Verdict,
    reason: &mut impl FnMut(Reason),
) {
    if verdict.judged == Judged::Move {
        verdict.captured = captures(shot, reason);
    }
    let stay = pocketed.difference(verdict.captured).without(Ball::KING);
    let gone = if verdict.judged == Judged::Move && options.move_pocketed == Pocketed::Returned {
        verdict.returned = stay;
        BallSet::EMPTY
    } else {
        stay
    };
    verdict.removed = verdict.captured.without(Ball::KING).union(gone);
    if !gone.is_empty() {
        reason(Reason::PocketedRemoved { balls: gone });
    }
    if !verdict.returned.is_empty() {
        reason(Reason::PutBack { balls: verdict.returned });
    }
    if pocketed.union(verdict.captured).contains(Ball::KING) {
        let enemies = shot.on_table.intersection(shot.shooter.other().pieces());
        let choices = enemies.difference(verdict.removed);
        (verdict.king_choices, verdict.winner) =
            king_returns(choices, shot.shooter, options, reason);
    }
}

/// The 8 comes back in place of one of `choices`, or has won the game for `shooter`.
pub(super) fn king_returns(
    choices: BallSet,
    shooter: Side,
    options: &Options,
    reason: &mut impl FnMut(Reason),
) -> (Option<BallSet>, Option<Side>) {
    if choices.is_empty() {
        reason(Reason::NoPieceLeft { winner: shooter });
        return (None, Some(shooter));
    }
    reason(Reason::KingReturns { choices });
    if options.win_on_last_swap && choices.len() == 1 {
        reason(Reason::LastSwapWins { winner: shooter });
        return (Some(choices), Some(shooter));
    }
    (Some(choices), None)
}

/// Who controls a ball in a MOVE: the king belongs to the shooter as capturer, to the opponent as
/// target, else to nobody.
fn allegiance(ball: Ball, shooter: Side, capturer: Ball, target: Ball) -> Option<Side> {
    if ball != Ball::KING {
        ball.side()
    } else if capturer == Ball::KING {
        Some(shooter)
    } else if target == Ball::KING {
        Some(shooter.other())
    } else {
        None
    }
}

/// Every collision between opposing pieces captures: the one at rest, or both in motion. At rest
/// means in no collision yet in this shot. A captured piece goes on capturing.
fn captures(shot: &Shot<'_>, reason: &mut impl FnMut(Reason)) -> BallSet {
    let Call::Move { capturer, target } = shot.call else { return BallSet::EMPTY };
    let of = |ball| allegiance(ball, shot.shooter, capturer, target);
    let (mut captured, mut moving) = (BallSet::EMPTY, BallSet::EMPTY);
    for &pair in shot.contacts {
        let [a, b] = pair;
        if pair.contains(&Ball::CUE) {
            moving = moving.with(a).with(b);
            continue;
        }
        match (of(a), of(b)) {
            (Some(one), Some(other)) if one != other => {
                captured = captured.union(capture(pair, moving, reason));
            }
            (None, _) => reason(Reason::KingImmune { other: b }),
            (_, None) => reason(Reason::KingImmune { other: a }),
            _ => {}
        }
        moving = moving.with(a).with(b);
    }
    captured
}

/// What one collision of opposing pieces captures.
fn capture([a, b]: [Ball; 2], moving: BallSet, reason: &mut impl FnMut(Reason)) -> BallSet {
    match (moving.contains(a), moving.contains(b)) {
        (true, false) => {
            reason(Reason::CapturedAtRest { captured: b, by: a });
            BallSet::EMPTY.with(b)
        }
        (false, true) => {
            reason(Reason::CapturedAtRest { captured: a, by: b });
            BallSet::EMPTY.with(a)
        }
        // Two balls at rest never meet.
        _ => {
            reason(Reason::CapturedBoth { pieces: [a, b] });
            BallSet::EMPTY.with(a).with(b)
        }
    }
}

/// On a foul or scratch nothing is captured, and what was pocketed is put back.
fn settle_foul(
    pocketed: BallSet,
    options: &Options,
    verdict: &mut Verdict,
    reason: &mut impl FnMut(Reason),
) {
    (verdict.returned, verdict.removed) = put_back(pocketed, options.foul_returns);
    if !verdict.removed.is_empty() {
        reason(Reason::PocketedRemoved { balls: verdict.removed });
    }
    if !verdict.returned.is_empty() {
        reason(Reason::PutBack { balls: verdict.returned });
    }
    verdict.cue_in_hand = verdict.scratch || options.cue_in_hand == InHand::Foul;
    if verdict.cue_in_hand {
        reason(Reason::CueInHand);
    }
}

/// Splits pocketed balls into those put back and those that leave; the 8 never leaves.
pub(super) fn put_back(pocketed: BallSet, returns: bool) -> (BallSet, BallSet) {
    let king = pocketed.intersection(BallSet::EMPTY.with(Ball::KING));
    if returns { (pocketed, BallSet::EMPTY) } else { (king, pocketed.without(Ball::KING)) }
}
