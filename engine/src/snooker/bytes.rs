//! A seat's table to and from bytes, for checkpoints and for search on other machines.
//!
//! Version 2, little-endian, no padding: the eight bytes `cuerace` and 2; the set-up (public and
//! hidden seed, pockets, layout, table, order, max_shots, noise, clock); cloth and restitution; starting
//! positions and balls (seven each); score, strokes, time, close; the last stroke. What may be
//! absent has a byte 0 or 1 before it. The bytes hold the hidden values: they are for the harness,
//! not for agents.

use super::ball::{Ball, BallList, COLOURS, RACE_BALLS};
use super::judge::{Fouls, lowest_colour};
use super::noise::{AimNoise, NoiseError};
use super::options::{Layout, MaxShots, Options, OptionsError, Order, TableOption};
use super::outcome::Closed;
use super::seat::{LastShot, SeatTable, Setup, SetupError};
use super::view::TableValues;
use crate::game::Seed;
use crate::shot::{Balls, BallsError};
use crate::table::PocketSet;
use crate::units::Point;

const MAGIC: [u8; 7] = *b"cuerace";
const VERSION: u8 = 2;

/// Why bytes are no table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BytesError {
    /// They do not begin as a table's bytes do.
    #[error("these bytes are no race table")]
    Magic,
    /// A version that this release does not know.
    #[error("race table of version {0}; this release reads version {VERSION}")]
    Version(u8),
    /// They end too early.
    #[error("race table: the bytes end early, at byte {0}")]
    Short(usize),
    /// There is more after the end.
    #[error("race table: {0} bytes too many")]
    Long(usize),
    /// A byte with a value that has no meaning.
    #[error("race table: byte {at} has no meaning in {what}")]
    Value {
        /// Offset of the byte that follows the value.
        at: usize,
        /// The field.
        what: &'static str,
    },
    /// A state that no game reaches.
    #[error("race table: {0}")]
    Impossible(&'static str),
    /// Options out of range.
    #[error("race table: {0}")]
    Options(#[from] OptionsError),
    /// Noise out of range.
    #[error("race table: {0}")]
    Noise(#[from] NoiseError),
    /// Table values or starting positions that are not valid.
    #[error("race table: {0}")]
    Setup(#[from] SetupError),
    /// Balls that overlap or lie off the table.
    #[error("race table: {0}")]
    Balls(#[from] BallsError),
}

impl SeatTable {
    /// The table as bytes of the current version.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(320);
        out.extend(MAGIC);
        out.push(VERSION);
        put_setup(&mut out, &self.setup);
        let TableValues { cloth, restitution } = self.values();
        out.extend(cloth.to_le_bytes());
        out.extend(restitution.to_le_bytes());
        put_balls(&mut out, &self.starts);
        put_balls(&mut out, &self.balls);
        out.extend(self.score.to_le_bytes());
        out.extend(self.strokes.to_le_bytes());
        out.extend(self.time_ms.to_le_bytes());
        out.push(self.closed.map_or(0, Closed::code));
        let LastShot { first_hit, potted, fouls, penalty } = &self.last;
        out.push(first_hit.map_or(NO_BALL, |ball| ball as u8));
        out.push(potted.len() as u8);
        out.extend(potted.iter().map(|&ball| ball as u8));
        out.push(fouls.bits());
        out.extend(penalty.to_le_bytes());
        out
    }

    /// The table that [`SeatTable::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`BytesError`] for bytes of another kind or version, cut or too long, and for every state
    /// that is out of range or that the rules cannot reach.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.array().ok() != Some(MAGIC) {
            return Err(BytesError::Magic);
        }
        match reader.byte()? {
            VERSION => {}
            other => return Err(BytesError::Version(other)),
        }
        let setup = reader.setup()?;
        let values = TableValues { cloth: reader.u32()?, restitution: reader.u32()? };
        let starts = reader.balls()?;
        let mut table = Self::from_position(setup, starts, values)?;
        table.balls = reader.balls()?;
        table.score = i32::from_le_bytes(reader.array()?);
        table.strokes = reader.u32()?;
        table.time_ms = reader.u64()?;
        table.closed = reader.closed()?;
        table.last = reader.last()?;
        match bytes.len() - reader.at {
            0 => table.possible(),
            extra => Err(BytesError::Long(extra)),
        }
    }

    /// Itself, if the rules can reach it.
    fn possible(self) -> Result<Self, BytesError> {
        self.table.check(&self.balls)?;
        let max_shots = self.setup.options.max_shots.get();
        let gone = |slot: usize| self.balls.at[slot].is_none();
        let from_nowhere =
            COLOURS.iter().any(|c| !gone(c.slot()) && self.starts.at[c.slot()].is_none());
        let cleared = lowest_colour(&self.balls).is_none();
        let most = self.strokes.saturating_mul(Ball::Black.value());
        for (fault, what) in [
            (gone(Ball::White.slot()), "the white is gone"),
            (from_nowhere, "a colour is on the table that was not there at the start"),
            (self.strokes > max_shots, "more strokes than max_shots"),
            (self.score < -(most as i32) || self.score > 27, "a score that no strokes give"),
            (cleared != (self.closed == Some(Closed::Cleared)), "cleared and not, at once"),
            (
                !cleared && (self.strokes == max_shots) != (self.closed == Some(Closed::Shots)),
                "strokes and close disagree",
            ),
            (
                self.closed == Some(Closed::Time) && self.setup.clock_ms != Some(self.time_ms),
                "closed by time away from the limit",
            ),
        ] {
            if fault {
                return Err(BytesError::Impossible(what));
            }
        }
        Ok(self)
    }
}

const NO_BALL: u8 = u8::MAX;

fn put_setup(out: &mut Vec<u8>, setup: &Setup) {
    let Setup { seed, options, noise, clock_ms } = setup;
    let Options { pockets, layout, table, order, max_shots } = options;
    out.extend(seed.public.to_le_bytes());
    out.extend(seed.hidden.to_le_bytes());
    out.push(u8::from(*pockets == PocketSet::Pool));
    out.push(u8::from(*layout == Layout::Spots));
    out.push(u8::from(*table == TableOption::Known));
    out.push(u8::from(*order == Order::Any));
    out.push(max_shots.get() as u8);
    put_option(out, noise.map(|n| n.angle_deg().to_le_bytes()));
    put_option(out, noise.map(|n| n.speed_m_s().to_le_bytes()));
    put_option(out, clock_ms.map(u64::to_le_bytes));
}

fn put_option<const N: usize>(out: &mut Vec<u8>, value: Option<[u8; N]>) {
    out.push(u8::from(value.is_some()));
    out.extend(value.into_iter().flatten());
}

fn put_balls(out: &mut Vec<u8>, balls: &Balls) {
    for place in &balls.at[..RACE_BALLS] {
        out.push(u8::from(place.is_some()));
        if let Some(Point { x_um, y_um }) = place {
            out.extend(x_um.to_le_bytes());
            out.extend(y_um.to_le_bytes());
        }
    }
}

/// Reads little-endian values one after the other; never beyond the end.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], BytesError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let array = rest.first_chunk::<N>().ok_or(BytesError::Short(self.bytes.len()))?;
        self.at += N;
        Ok(*array)
    }

    fn byte(&mut self) -> Result<u8, BytesError> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Result<u32, BytesError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, BytesError> {
        self.array().map(u64::from_le_bytes)
    }

    fn no_meaning(&self, what: &'static str) -> BytesError {
        BytesError::Value { at: self.at, what }
    }

    fn flag(&mut self, what: &'static str) -> Result<bool, BytesError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.no_meaning(what)),
        }
    }

    fn option<const N: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<Option<[u8; N]>, BytesError> {
        if self.flag(what)? { self.array().map(Some) } else { Ok(None) }
    }

    fn setup(&mut self) -> Result<Setup, BytesError> {
        let seed = Seed { public: self.u64()?, hidden: self.u64()? };
        let options = self.options()?;
        let angle = self.option("noise")?.map(f64::from_le_bytes);
        let speed = self.option("noise")?.map(f64::from_le_bytes);
        let noise = match (angle, speed) {
            (None, None) => None,
            (Some(angle), Some(speed)) => Some(AimNoise::new(angle, speed)?),
            _ => return Err(self.no_meaning("noise")),
        };
        let clock_ms = self.option("clock")?.map(u64::from_le_bytes);
        Ok(Setup { seed, options, noise, clock_ms })
    }

    fn options(&mut self) -> Result<Options, BytesError> {
        let mut either = |what| self.flag(what);
        Ok(Options {
            pockets: if either("pockets")? { PocketSet::Pool } else { PocketSet::Snooker },
            layout: if either("layout")? { Layout::Spots } else { Layout::Random },
            table: if either("table")? { TableOption::Known } else { TableOption::Hidden },
            order: if either("order")? { Order::Any } else { Order::Snooker },
            max_shots: MaxShots::try_from(i64::from(self.byte()?))?,
        })
    }

    fn balls(&mut self) -> Result<Balls, BytesError> {
        let mut balls = Balls::default();
        for slot in 0..RACE_BALLS {
            if self.flag("balls")? {
                let x_um = i32::from_le_bytes(self.array()?);
                let y_um = i32::from_le_bytes(self.array()?);
                balls.at[slot] = Some(Point::new(x_um, y_um));
            }
        }
        Ok(balls)
    }

    fn closed(&mut self) -> Result<Option<Closed>, BytesError> {
        let code = self.byte()?;
        let known = [Closed::Cleared, Closed::Shots, Closed::Time];
        let closed = known.into_iter().find(|closed| closed.code() == code);
        if code != 0 && closed.is_none() { Err(self.no_meaning("close")) } else { Ok(closed) }
    }

    fn ball(&mut self) -> Result<Ball, BytesError> {
        Ball::from_slot(self.byte()?.into()).ok_or_else(|| self.no_meaning("a ball"))
    }

    fn last(&mut self) -> Result<LastShot, BytesError> {
        let first_hit = match self.byte()? {
            NO_BALL => None,
            slot => Some(Ball::from_slot(slot.into()).ok_or_else(|| self.no_meaning("a ball"))?),
        };
        let fallen = usize::from(self.byte()?);
        if fallen > RACE_BALLS {
            return Err(self.no_meaning("the balls that fell"));
        }
        let potted = (0..fallen).map(|_| self.ball()).collect::<Result<BallList, _>>()?;
        let fouls = Fouls::from_bits(self.byte()?).ok_or_else(|| self.no_meaning("fouls"))?;
        Ok(LastShot { first_hit, potted, fouls, penalty: self.u32()? })
    }
}
