//! A whole game under the rules, from its file: each answer and each shot is taken as it stands
//! there, refused if it cannot be, and the state is carried along.

use super::game_file::{Entry, Happened, Said};
use super::setup::Setup;
use anyhow::{anyhow, bail};
use cuebench_engine::chess_pool::action::{Action, ActionError, Phase};
use cuebench_engine::chess_pool::frame::{Finished, Seat, State};
use cuebench_engine::chess_pool::judge::Verdict;
use cuebench_engine::chess_pool::opening::BreakVerdict;
use cuebench_engine::chess_pool::piece::{Ball, BallSet, Side};
use cuebench_engine::chess_pool::play::{Event, LastShot};
use cuebench_engine::chess_pool::position::Position;
use cuebench_engine::chess_pool::reason::Reason;
use cuebench_engine::units::Point;
use serde::Serialize;
use serde_json::Value;
use std::fmt;

/// Carries a frame along.
#[derive(Debug)]
pub struct Referee {
    setup: Setup,
    state: State,
    shot: LastShot,
}

/// What an answer meant, and who is asked next.
#[derive(Debug, Serialize)]
pub struct Ruling {
    line: usize,
    id: Value,
    /// Shots played, this one included.
    shots: u32,
    seat: Seat,
    side: Option<Side>,
    /// What was asked for.
    asked: Phase,
    verdict: Option<AnyVerdict>,
    reasons: Vec<String>,
    next: Next,
    winner: Option<Seat>,
    /// Where the balls lie for what comes next; a cue ball in hand is not among them.
    position: Position,
}

/// Who is asked for what.
#[derive(Debug, Serialize)]
struct Next {
    phase: Phase,
    seat: Option<Seat>,
    side: Option<Side>,
    cue_in_hand: bool,
    king_choices: Option<BallSet>,
}

/// The verdict on a break or on any other shot.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
enum AnyVerdict {
    Break(BreakVerdict),
    Shot(Verdict),
}

impl fmt::Display for AnyVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Break(verdict) => verdict.fmt(f),
            Self::Shot(verdict) => verdict.fmt(f),
        }
    }
}

impl Referee {
    /// The referee of a frame that `breaker` breaks.
    #[must_use]
    pub fn new(setup: &Setup, breaker: Seat) -> Self {
        let state = State::new(setup.rules, breaker);
        Self { setup: setup.clone(), state, shot: LastShot::default() }
    }

    /// The frame as it stands.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Takes one answer.
    ///
    /// # Errors
    /// What cannot be: another seat is asked, the rules do not allow the answer, the shot cannot
    /// have happened, or the file's own verdict is not that of the rules. The state is then of no
    /// further use.
    pub fn enter(&mut self, entry: &Entry) -> anyhow::Result<Ruling> {
        let before = self.state;
        let (asked, seat) = (before.phase(), before.to_move());
        if asked == Phase::Over {
            bail!("the frame is over: {}", ending(&before));
        }
        if let Some(other) = entry.seat.filter(|&other| other != seat) {
            bail!("seat {seat} is asked for `{asked}`, not seat {other}");
        }
        let mut reasons = Vec::new();
        let event = self.apply(entry, &mut |reason: Reason| reasons.push(reason.to_string()))?;
        let verdict = match event {
            Event::Break(verdict) => Some(AnyVerdict::Break(verdict)),
            Event::Shot(verdict) => Some(AnyVerdict::Shot(verdict)),
            Event::Side | Event::King => None,
        };
        if let (Some(ours), Some(theirs)) = (verdict.map(|v| v.to_string()), &entry.verdict)
            && ours != *theirs
        {
            bail!("the file says `{theirs}`, the rules say `{ours}`");
        }
        let after = &self.state;
        Ok(Ruling {
            line: entry.line,
            id: entry.id.clone(),
            shots: after.shots(),
            seat,
            side: after.side_of(seat),
            asked,
            verdict,
            reasons,
            next: Next::of(after),
            winner: after.winner(),
            position: Position(*after.balls()),
        })
    }

    fn apply(&mut self, entry: &Entry, reason: &mut dyn FnMut(Reason)) -> anyhow::Result<Event> {
        let (wanted, cue, stroke) = match entry.said {
            Said::Break { cue, stroke } => (Phase::Break, Some(cue), stroke),
            Said::Side(_) => (Phase::Side, None, None),
            Said::Shot { cue, stroke, .. } => (Phase::Shot, cue, stroke),
            Said::King(_) => (Phase::King, None, None),
        };
        if wanted != self.state.phase() {
            return Err(ActionError::Phase { asked: self.state.phase() }.into());
        }
        match (entry.said, &entry.happened, stroke) {
            (Said::Side(side), ..) => {
                self.state.choose_side(side, reason)?;
                Ok(Event::Side)
            }
            (Said::King(ball), ..) => {
                self.state.replace(ball)?;
                Ok(Event::King)
            }
            (said, Some(happened), _) => self.settle(said, cue, happened, reason),
            (said, None, Some(stroke)) => {
                let action = action(said, stroke);
                let table = &self.setup.table;
                Ok(self.state.apply_explained(table, &action, &mut self.shot, reason)?)
            }
            (_, None, None) => {
                bail!("nothing says what the shot did; give what happened, or angle and power")
            }
        }
    }

    /// Takes a shot as it was recorded.
    fn settle(
        &mut self,
        said: Said,
        cue: Option<Point>,
        happened: &Happened,
        reason: &mut dyn FnMut(Reason),
    ) -> anyhow::Result<Event> {
        let before = self.state.placed(cue)?;
        let pocketed: Vec<Ball> = happened.notes.falls.iter().map(|(ball, _)| *ball).collect();
        let contacts = &happened.notes.contacts;
        let shot = Finished { balls: happened.after, contacts, pocketed: &pocketed };
        shot.check(&self.setup.table, &before)?;
        match said {
            Said::Shot { call, .. } => {
                Ok(Event::Shot(self.state.settle_shot(call, &shot, reason)?))
            }
            _ => Ok(Event::Break(self.state.settle_break(&shot, reason)?)),
        }
    }

    /// Whether the game ended as its file says in `line`; how a seat failed is beyond the rules.
    ///
    /// # Errors
    /// When it did not.
    pub fn check_ending(&self, said: &str) -> anyhow::Result<()> {
        let ours = ending(&self.state);
        if said == ours || said.contains(" fails after ") && self.state.phase() != Phase::Over {
            return Ok(());
        }
        Err(anyhow!("the file says `{said}`, the rules say `{ours}`"))
    }
}

/// A shot with a stroke as an answer of the game; only shots have strokes.
pub fn action(said: Said, [angle, power]: [u32; 2]) -> Action {
    match said {
        Said::Break { cue, .. } => Action::Break { cue, angle, power },
        Said::Shot { call, cue, .. } => Action::Shot { call, angle, power, cue },
        Said::Side(side) => Action::Side { side },
        Said::King(replace) => Action::King { replace },
    }
}

/// How a frame stands, in words: `seat 0 wins after 17 shots`.
#[must_use]
pub fn ending(state: &State) -> String {
    let shots = state.shots();
    match (state.phase(), state.winner()) {
        (_, Some(winner)) => format!("seat {winner} wins after {shots} shots"),
        (Phase::Over, None) => format!("a draw after {shots} shots"),
        (_, None) => format!("no winner after {shots} shots"),
    }
}

impl Next {
    fn of(state: &State) -> Self {
        let asked = (state.phase() != Phase::Over).then_some(state.to_move());
        let choices = state.king_choices();
        Self {
            phase: state.phase(),
            seat: asked,
            side: asked.and_then(|seat| state.side_of(seat)),
            cue_in_hand: asked.is_some() && state.cue_in_hand(),
            king_choices: (state.phase() == Phase::King).then_some(choices),
        }
    }
}

/// `seat 1 (stripes)`
fn who(seat: Seat, side: Option<Side>) -> String {
    side.map_or_else(|| format!("seat {seat}"), |side| format!("seat {seat} ({side})"))
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(seat) = self.seat else { return f.write_str("the frame is over") };
        let who = who(seat, self.side);
        let choices = self.king_choices.unwrap_or_default();
        match self.phase {
            Phase::Break => write!(f, "{who} breaks"),
            Phase::Side => write!(f, "{who} chooses solids or stripes"),
            Phase::King => write!(f, "{who} puts the 8 back in place of one of: {choices}"),
            Phase::Shot | Phase::Over => write!(f, "{who} shoots"),
        }?;
        let placed = self.cue_in_hand && matches!(self.phase, Phase::Break | Phase::Shot);
        if placed { f.write_str(", the cue ball in hand behind the head string") } else { Ok(()) }
    }
}

/// A few lines: the verdict, its reasons, who is next.
impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = who(self.seat, self.side);
        match self.verdict {
            Some(verdict) => {
                writeln!(f, "line {}: shot {}, {who}: {verdict}", self.line, self.shots)
            }
            None => writeln!(f, "line {}: {who} answers for `{}`", self.line, self.asked),
        }?;
        for reason in &self.reasons {
            writeln!(f, "   # {reason}")?;
        }
        match self.winner {
            Some(winner) => writeln!(f, "   seat {winner} wins after {} shots", self.shots),
            None => writeln!(f, "   next: {}", self.next),
        }
    }
}
