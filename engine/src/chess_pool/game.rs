//! Chess pool as a game of two seats on the shot engine.

use super::action::{Action, ActionError, Phase};
use super::call::on_table;
use super::frame::{Rules, State};
use super::play::{LastShot, pool_table};
use super::record::StateRecord;
use super::tally::Tally;
use super::view::View;
use crate::bytes::Cursor;
use crate::game::{Forfeit, Game, Refusal, SEATS, Score, Seat, Seed, Turn, Verdict};
use crate::table::{Table, TableError};
use serde::{Deserialize, Serialize};

/// A frame of chess pool: the table, the readings of the rules, and who breaks.
#[derive(Clone, Copy, Debug)]
pub struct ChessPool {
    /// The table, known to both.
    pub table: Table,
    /// The rules.
    pub rules: Rules,
    /// The seat that breaks.
    pub breaker: Seat,
}

impl ChessPool {
    /// Frames under `rules` on a pool table of this cloth speed (mm/s²) and restitution
    /// (thousandths); seat 0 breaks.
    ///
    /// # Errors
    /// When a value of the table is out of its range.
    pub fn new(rules: Rules, cloth: u32, restitution: u32) -> Result<Self, TableError> {
        Ok(Self { table: pool_table(cloth, restitution)?, rules, breaker: 0 })
    }
}

/// Shots after which a frame without a limit of its own is broken off as a draw.
pub const MOST_SHOTS: u32 = 100_000;

/// A frame in progress.
#[derive(Clone, Debug)]
pub struct ChessPoolState {
    frame: State,
    shot: LastShot,
    tallies: [Tally; SEATS],
    broke_off: [bool; SEATS],
}

impl ChessPoolState {
    /// The frame.
    #[must_use]
    pub const fn frame(&self) -> &State {
        &self.frame
    }

    /// The last shot, if any was played since the state was made or read from bytes.
    #[must_use]
    pub const fn last_shot(&self) -> &LastShot {
        &self.shot
    }

    /// What is counted of a seat.
    #[must_use]
    pub const fn tally(&self, seat: Seat) -> &Tally {
        &self.tallies[seat & 1]
    }
}

impl Game for ChessPool {
    type State = ChessPoolState;
    type View<'s> = View<'s>;
    type Action = Action;

    const NAME: &'static str = "chess-pool";
    const ORDERS: u8 = 2;

    /// The rack is always the same; nothing follows from the seed but the players' own draws.
    fn start(&self, _seed: Seed) -> ChessPoolState {
        ChessPoolState {
            frame: State::new(self.rules, self.breaker),
            shot: LastShot::default(),
            tallies: [Tally::default(); SEATS],
            broke_off: [false; SEATS],
        }
    }

    fn turn(&self, state: &ChessPoolState) -> Turn {
        let endless = state.frame.shots() >= MOST_SHOTS;
        if state.broke_off != [false; SEATS] || state.frame.phase() == Phase::Over || endless {
            return Turn::Over;
        }
        Turn::Of(state.frame.to_move())
    }

    fn view<'s>(&'s self, state: &'s ChessPoolState, _seat: Seat) -> View<'s> {
        View { state: &state.frame, table: &self.table }
    }

    fn play(
        &self,
        state: &mut ChessPoolState,
        seat: Seat,
        action: &Action,
        _time_ms: u64,
    ) -> Result<(), Refusal> {
        if !self.turn(state).allows(seat) {
            return Err(Refusal::Turn(seat));
        }
        let event = state.frame.apply(&self.table, action, &mut state.shot);
        let event = event.map_err(|error| match error {
            ActionError::Engine(_) => Refusal::Defect(error.to_string()),
            _ => Refusal::Illegal(error.to_string()),
        })?;
        state.tallies[seat].count(action, &event);
        Ok(())
    }

    /// A fault of any kind, the clock too, loses the frame.
    fn forfeit(&self, state: &mut ChessPoolState, seat: Seat, _why: Forfeit, _time_ms: u64) {
        state.broke_off[seat & 1] = true;
    }

    fn verdict(&self, state: &ChessPoolState) -> Option<Verdict> {
        if self.turn(state) != Turn::Over {
            return None;
        }
        Some(match (state.broke_off, state.frame.winner()) {
            ([true, true], _) => Verdict::new(None, "forfeit"),
            ([true, false], _) => Verdict::new(Some(1), "forfeit"),
            ([false, true], _) => Verdict::new(Some(0), "forfeit"),
            (_, Some(winner)) => Verdict::new(Some(winner), "frame"),
            (_, None) if state.frame.phase() == Phase::Over => Verdict::new(None, "max_shots"),
            (_, None) => Verdict::new(None, "unfinished"),
        })
    }

    /// The score is the number of the seat's pieces that are left, once sides are chosen.
    fn score(&self, state: &ChessPoolState, seat: Seat) -> Score {
        let pieces = |side: super::piece::Side| {
            i32::from(on_table(state.frame.balls()).intersection(side.pieces()).len() as u16)
        };
        let strokes = u32::try_from(state.tally(seat).shots).unwrap_or(u32::MAX);
        Score { score: state.frame.side_of(seat).map(pieces), strokes }
    }

    fn to_bytes(&self, state: &ChessPoolState) -> Vec<u8> {
        let record = Record {
            frame: (&state.frame).into(),
            tallies: state.tallies,
            broke_off: state.broke_off,
        };
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        // Only a map with keys that are no text could fail.
        out.extend(serde_json::to_vec(&record).unwrap_or_default());
        out
    }

    fn restore(&self, bytes: &[u8]) -> Result<ChessPoolState, String> {
        let mut cursor = Cursor::open("frame of chess pool", bytes, MAGIC, VERSION)?;
        let json = cursor.slice(bytes.len() - MAGIC.len() - 1)?;
        let record: Record = serde_json::from_slice(json)
            .map_err(|error| format!("frame of chess pool: {error}"))?;
        let frame =
            State::try_from(record.frame).map_err(|e| format!("frame of chess pool: {e}"))?;
        if *frame.rules() != self.rules {
            return Err("frame of chess pool: the bytes are of a frame with other rules".to_owned());
        }
        let Record { tallies, broke_off, .. } = record;
        Ok(ChessPoolState { frame, shot: LastShot::default(), tallies, broke_off })
    }
}

const MAGIC: &[u8] = b"cuechess";
const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct Record {
    frame: StateRecord,
    tallies: [Tally; SEATS],
    broke_off: [bool; SEATS],
}
