//! A frame's state as it is written: one versioned JSON value, checked when it is read.

use super::action::Phase;
use super::call::on_table;
use super::frame::{Rules, Seat, State};
use super::options::Options;
use super::piece::{Ball, BallSet, Side};
use super::position::Position;
use serde::{Deserialize, Serialize};

/// The version of [`StateRecord`] that this project writes and reads.
pub const STATE_VERSION: u32 = 1;

/// A state as written: raw, as it may come from anywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateRecord {
    /// [`STATE_VERSION`].
    pub version: u32,
    /// What is asked for.
    pub phase: Phase,
    /// Who is asked: 0 or 1.
    pub to_move: Seat,
    /// Who broke or is to break.
    pub breaker: Seat,
    /// The sides of seats 0 and 1, once chosen.
    pub sides: Option<[Side; 2]>,
    /// Places of the balls, µm.
    pub position: Position,
    /// Whether the cue ball is to be placed behind the head string.
    pub cue_in_hand: bool,
    /// Shots played, the break included.
    pub shots: u32,
    /// Shots after which the frame is a draw; null where it is played until somebody wins.
    #[serde(deserialize_with = "Option::deserialize")]
    pub max_shots: Option<u32>,
    /// Whether the 8 fell on the break and comes back once sides are chosen.
    pub king_due: bool,
    /// The pieces of which one makes way for the 8; null unless that is asked for.
    pub king_choices: Option<BallSet>,
    /// Who has won, if anybody has.
    pub winner: Option<Seat>,
    /// The readings of the rules.
    pub options: Options,
}

/// Why a written state is no state of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// Written by another version.
    #[error("state version {0}; this version reads {STATE_VERSION}")]
    Version(u32),
    /// A seat that is neither 0 nor 1.
    #[error("`{0}` is a seat: 0 or 1")]
    Seat(&'static str),
    /// Two equal sides, or sides where none can be, or none where there must be some.
    #[error("sides: two different ones from phase shot on, null before a side is chosen")]
    Sides,
    /// The cue ball or the 8 is not where the phase has it.
    #[error("position: the {0} ball must be on the table, or off it, as the phase has it")]
    Ball(Ball),
    /// Choices outside phase king, or none in it, or pieces that cannot make way.
    #[error("king_choices: in phase king the opponent's pieces on the table, else null")]
    KingChoices,
    /// More shots than the frame has, or a limit of none.
    #[error("shots: below max_shots while the frame runs; max_shots at least 1")]
    Shots,
}

impl From<&State> for StateRecord {
    fn from(state: &State) -> Self {
        let sides = state.side_of(0).zip(state.side_of(1)).map(|(a, b)| [a, b]);
        Self {
            version: STATE_VERSION,
            phase: state.phase,
            to_move: state.to_move,
            breaker: state.breaker,
            sides,
            position: Position(state.balls),
            cue_in_hand: state.cue_in_hand,
            shots: state.shots,
            max_shots: state.rules.max_shots,
            king_due: state.king_due,
            king_choices: (!state.king_choices.is_empty()).then_some(state.king_choices),
            winner: state.winner,
            options: state.rules.options,
        }
    }
}

impl Serialize for State {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        StateRecord::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StateRecord::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

impl TryFrom<StateRecord> for State {
    type Error = StateError;

    fn try_from(raw: StateRecord) -> Result<Self, StateError> {
        if raw.version != STATE_VERSION {
            return Err(StateError::Version(raw.version));
        }
        let seats = [("to_move", Some(raw.to_move)), ("breaker", Some(raw.breaker))];
        for (name, seat) in seats.into_iter().chain([("winner", raw.winner)]) {
            if seat.is_some_and(|seat| seat > 1) {
                return Err(StateError::Seat(name));
            }
        }
        check_shots(&raw)?;
        check_sides(&raw)?;
        check_balls(&raw)?;
        check_choices(&raw)?;
        Ok(Self {
            rules: Rules { options: raw.options, max_shots: raw.max_shots },
            breaker: raw.breaker,
            breaker_side: raw.sides.map(|sides| sides[raw.breaker]),
            balls: raw.position.0,
            phase: raw.phase,
            to_move: raw.to_move,
            cue_in_hand: raw.cue_in_hand,
            shots: raw.shots,
            king_due: raw.king_due,
            king_choices: raw.king_choices.unwrap_or_default(),
            winner: raw.winner,
        })
    }
}

fn check_shots(raw: &StateRecord) -> Result<(), StateError> {
    let limit = raw.max_shots.unwrap_or(u32::MAX);
    let most = match raw.phase {
        Phase::Break => 0,
        Phase::Shot => limit.saturating_sub(1),
        Phase::Side | Phase::King | Phase::Over => limit,
    };
    let least = u32::from(raw.phase != Phase::Break);
    let fits = limit >= 1 && (least..=most).contains(&raw.shots);
    if fits { Ok(()) } else { Err(StateError::Shots) }
}

fn check_sides(raw: &StateRecord) -> Result<(), StateError> {
    let chosen = !matches!(raw.phase, Phase::Break | Phase::Side);
    let fits = match raw.sides {
        None => !chosen,
        Some([a, b]) => chosen && a != b,
    };
    if fits { Ok(()) } else { Err(StateError::Sides) }
}

fn check_balls(raw: &StateRecord) -> Result<(), StateError> {
    let table = on_table(&raw.position.0);
    if raw.cue_in_hand == table.contains(Ball::CUE) && raw.phase != Phase::Over {
        return Err(StateError::Ball(Ball::CUE));
    }
    let must_stand = match raw.phase {
        Phase::Break | Phase::Shot => true,
        Phase::Side => !raw.king_due,
        Phase::King | Phase::Over => false,
    };
    let due_in_vain = raw.king_due && (raw.phase != Phase::Side || table.contains(Ball::KING));
    if due_in_vain || must_stand && !table.contains(Ball::KING) {
        return Err(StateError::Ball(Ball::KING));
    }
    Ok(())
}

fn check_choices(raw: &StateRecord) -> Result<(), StateError> {
    let table = on_table(&raw.position.0);
    let fits = match (raw.phase, raw.king_choices, raw.sides) {
        (Phase::King, Some(choices), Some(sides)) => {
            let enemies = table.intersection(sides[1 - raw.to_move].pieces());
            !choices.is_empty() && choices == enemies
        }
        (Phase::King, _, _) | (_, Some(_), _) => false,
        _ => true,
    };
    if fits { Ok(()) } else { Err(StateError::KingChoices) }
}
