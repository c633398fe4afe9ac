//! The race as a game: each seat its own copy of one seeded table.

use super::noise::AimNoise;
use super::options::Options;
use super::outcome::{Decided, SeatResult, decide};
use super::seat::{Action, CLOCK_MS, SeatTable, Setup, StepError};
use super::view::PublicView;
use super::{Closed, TableValues};
use crate::bytes::Cursor;
use crate::game::{Forfeit, Game, Refusal, SEATS, Score, Seat, Seed, Turn, Verdict};
use crate::shot::{Balls, Outcome};

/// The race under its options: the match of two seats, or one seat's table alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Race {
    /// The options that both seats see.
    pub options: Options,
    /// Aiming noise, the same for both seats.
    pub noise: Option<AimNoise>,
    /// The time of a seat for its whole table, ms; `None` runs no clock.
    pub clock_ms: Option<u64>,
    /// Whether seat 0 plays alone: learning, rows of one agent, environments.
    pub alone: bool,
}

impl Default for Race {
    /// The standard match: default options, no noise, 30 seconds a seat.
    fn default() -> Self {
        Self { options: Options::default(), noise: None, clock_ms: Some(CLOCK_MS), alone: false }
    }
}

impl Race {
    /// What fixes a table of this race with `seed`.
    #[must_use]
    pub const fn setup(&self, seed: Seed) -> Setup {
        let &Self { options, noise, clock_ms, .. } = self;
        Setup { seed, options, noise, clock_ms }
    }

    /// The race from given balls and values in place of drawn ones. Draws of aiming noise still
    /// follow from `seed`.
    ///
    /// # Errors
    /// As [`SeatTable::from_position`].
    pub fn from_position(
        &self,
        seed: Seed,
        balls: Balls,
        values: TableValues,
    ) -> Result<RaceState, super::SetupError> {
        Ok(RaceState::begin(SeatTable::from_position(self.setup(seed), balls, values)?))
    }
}

/// A race in progress.
#[derive(Clone, Debug)]
pub struct RaceState {
    seats: [SeatRace; SEATS],
}

/// One seat's part of a race.
#[derive(Clone, Debug)]
struct SeatRace {
    table: SeatTable,
    fouls: u32,
    broke_off: Option<Forfeit>,
    /// Hash of the table at its start and of the strokes so far.
    digest: u64,
}

impl RaceState {
    fn begin(table: SeatTable) -> Self {
        let mut digest = FNV_BASIS;
        for ball in table.starts().at.iter().flatten() {
            fnv(&mut digest, &ball.x_um.to_le_bytes());
            fnv(&mut digest, &ball.y_um.to_le_bytes());
        }
        let TableValues { cloth, restitution } = table.values();
        fnv(&mut digest, &cloth.to_le_bytes());
        fnv(&mut digest, &restitution.to_le_bytes());
        let seat = SeatRace { table, fouls: 0, broke_off: None, digest };
        Self { seats: [seat.clone(), seat] }
    }

    /// The match of two tables of the same seed that were played alone, each by seat 0 of its own
    /// race.
    #[must_use]
    pub fn of_tables(tables: [&Self; SEATS]) -> Self {
        Self { seats: tables.map(|state| state.seats[0].clone()) }
    }

    /// A seat's table, hidden values included: for the harness, never for a player.
    #[must_use]
    pub const fn table(&self, seat: Seat) -> &SeatTable {
        &self.seats[seat & 1].table
    }

    /// Strokes of a seat that were fouls.
    #[must_use]
    pub const fn fouls(&self, seat: Seat) -> u32 {
        self.seats[seat & 1].fouls
    }

    /// What a seat has, also of a table that a fault left open: that one counts as closed by time.
    #[must_use]
    pub fn result(&self, seat: Seat) -> SeatResult {
        let table = self.table(seat);
        table.result().unwrap_or(SeatResult {
            score: table.score(),
            strokes: table.strokes(),
            time_ms: table.time_ms(),
            closed: Closed::Time,
        })
    }
}

impl SeatRace {
    const fn done(&self) -> bool {
        self.broke_off.is_some() || self.table.closed().is_some()
    }

    /// Whether it loses to a seat that did not break off. A seat whose time ran out stands by its
    /// score, unless it never struck: then it was absent.
    const fn absent_or_out(&self) -> bool {
        match self.broke_off {
            None => false,
            Some(Forfeit::Timeout) => self.table.strokes() == 0,
            Some(Forfeit::Fault) => true,
        }
    }
}

impl Game for Race {
    type State = RaceState;
    type View<'s> = PublicView;
    type Action = Action;

    const NAME: &'static str = "snooker-race";
    const ORDERS: u8 = 1;

    fn start(&self, seed: Seed) -> RaceState {
        RaceState::begin(SeatTable::new(self.setup(seed)))
    }

    fn turn(&self, state: &RaceState) -> Turn {
        let [one, other] = &state.seats;
        let open = [!one.done(), !self.alone && !other.done()];
        if open == [false, false] { Turn::Over } else { Turn::Each(open) }
    }

    fn view<'s>(&'s self, state: &'s RaceState, seat: Seat) -> PublicView {
        state.table(seat).observe()
    }

    fn play(
        &self,
        state: &mut RaceState,
        seat: Seat,
        action: &Action,
        time_ms: u64,
    ) -> Result<(), Refusal> {
        if !self.turn(state).allows(seat) {
            return Err(Refusal::Turn(seat));
        }
        let own = &mut state.seats[seat];
        let before = own.table.strokes();
        own.table.step_at(*action, time_ms, &mut Outcome::default()).map_err(
            |error| match error {
                StepError::Stroke(_) => Refusal::Illegal(error.to_string()),
                _ => Refusal::Defect(error.to_string()),
            },
        )?;
        if own.table.strokes() > before {
            own.fouls += u32::from(!own.table.last_fouls().is_empty());
            fnv(&mut own.digest, &action.angle.to_le_bytes());
            fnv(&mut own.digest, &action.power.to_le_bytes());
        }
        Ok(())
    }

    fn forfeit(&self, state: &mut RaceState, seat: Seat, why: Forfeit, _time_ms: u64) {
        let own = &mut state.seats[seat & 1];
        if why == Forfeit::Timeout {
            own.table.time_out();
        }
        own.broke_off = Some(why);
    }

    /// Score, then strokes, then time; a seat that broke off or was absent loses to one that did
    /// not, and of two such seats the score decides.
    fn verdict(&self, state: &RaceState) -> Option<Verdict> {
        if self.turn(state) != Turn::Over {
            return None;
        }
        let out = state.seats.each_ref().map(SeatRace::absent_or_out);
        let absent = |seat: Seat| state.seats[seat].broke_off == Some(Forfeit::Timeout);
        match out {
            [true, false] | [false, true] => {
                let loser = Seat::from(out[1]);
                let word = if absent(loser) { "absent" } else { "forfeit" };
                return Some(Verdict::new(Some(1 - loser), word));
            }
            _ => {}
        }
        let results = [state.result(0), state.result(1)];
        if out == [true, true] && results[0].score == results[1].score {
            return Some(Verdict::new(None, Decided::Draw.name()));
        }
        let outcome = decide([&results[0], &results[1]]);
        Some(Verdict::new(outcome.winner.map(Seat::from), outcome.decided_by.name()))
    }

    fn score(&self, state: &RaceState, seat: Seat) -> Score {
        let table = state.table(seat);
        Score { score: Some(table.score()), strokes: table.strokes() }
    }

    fn digest(&self, state: &RaceState, seat: Seat) -> Option<u64> {
        Some(state.seats[seat & 1].digest)
    }

    fn join(&self, [first, second]: [RaceState; SEATS]) -> RaceState {
        let ([one, _], [_, other]) = (first.seats, second.seats);
        RaceState { seats: [one, other] }
    }

    fn to_bytes(&self, state: &RaceState) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        for seat in &state.seats {
            let table = seat.table.to_bytes();
            out.extend((table.len() as u32).to_le_bytes());
            out.extend(table);
            out.extend(seat.fouls.to_le_bytes());
            out.push(match seat.broke_off {
                None => 0,
                Some(Forfeit::Timeout) => 1,
                Some(Forfeit::Fault) => 2,
            });
            out.extend(seat.digest.to_le_bytes());
        }
        out
    }

    fn restore(&self, bytes: &[u8]) -> Result<RaceState, String> {
        let mut cursor = Cursor::open("race", bytes, MAGIC, VERSION)?;
        let seats = [self.seat_from(&mut cursor)?, self.seat_from(&mut cursor)?];
        cursor.end()?;
        Ok(RaceState { seats })
    }
}

impl Race {
    fn seat_from(&self, cursor: &mut Cursor<'_>) -> Result<SeatRace, String> {
        let length = cursor.u32()? as usize;
        let table = SeatTable::from_bytes(cursor.slice(length)?).map_err(|e| e.to_string())?;
        if *table.setup() != self.setup(table.setup().seed) {
            return Err("race: the bytes are of a race with other options".to_owned());
        }
        let fouls = cursor.u32()?;
        if fouls > table.strokes() {
            return Err(cursor.no_meaning("the fouls"));
        }
        let broke_off = match cursor.code(3, "how the seat broke off")? {
            0 => None,
            1 => Some(Forfeit::Timeout),
            _ => Some(Forfeit::Fault),
        };
        Ok(SeatRace { table, fouls, broke_off, digest: cursor.u64()? })
    }
}

const MAGIC: &[u8] = b"cuematch";
const VERSION: u8 = 1;

const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of Fowler, Noll and Vo (1a, 64 bits): stable, and enough to notice equal games.
fn fnv(hash: &mut u64, bytes: &[u8]) {
    for &byte in bytes {
        *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}
