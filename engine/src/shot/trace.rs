//! Every event of a shot, on request.

use super::detect::{Key, Kind};
use super::motion::Motion;
use crate::fixed::{SPEED_BITS, nanoseconds, round_um};
use crate::table::{JAW_NAMES, Pocket, RailName};
use crate::units::Point;
use serde::Serialize;

/// Takes the events of a shot; without one the engine spends nothing on it.
pub trait Recorder {
    /// Whether to look at events at all.
    const ON: bool;
    /// Takes an event with its participants before and after.
    fn record(&mut self, key: Key, before: [Sight; 2], after: [Sight; 2]);
}

/// Records nothing.
#[derive(Debug)]
pub struct Nothing;

impl Recorder for Nothing {
    const ON: bool = false;
    fn record(&mut self, _: Key, _: [Sight; 2], _: [Sight; 2]) {}
}

/// A ball at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sight {
    /// Where, µm.
    pub at: Point,
    /// Velocity, µm/s.
    pub velocity: [i64; 2],
}

impl Sight {
    pub(super) fn of(motion: &Motion) -> Self {
        let velocity = motion.velocity();
        let whole = |speed: i64| (speed + (1 << (SPEED_BITS - 1))) >> SPEED_BITS;
        Self {
            at: Point::new(round_um(motion.origin.x), round_um(motion.origin.y)),
            velocity: [whole(velocity.x), whole(velocity.y)],
        }
    }
}

/// What a ball met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// Another ball, by slot.
    Ball(u8),
    /// A rail.
    Rail(RailName),
    /// The rounded point of a jaw, by its name.
    Point(&'static str),
    /// The facing of a jaw, by its name.
    Facing(&'static str),
    /// Nothing: the roll that jaws of this pocket kept back is added. The ball has left the pocket
    /// over its mouth line or by a contact before it, or it has come to rest.
    Mouth(Pocket),
    /// A fall line, either way.
    Fall(Pocket),
    /// Nothing any more: it fell.
    Drop(Pocket),
    /// Nothing: it stopped, by the cloth or dead at the contact just before.
    Stop,
}

impl Met {
    /// The kind of event: `ball`, `rail`, `point`, `facing`, `mouth`, `fall`, `drop` or `stop`.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Ball(_) => "ball",
            Self::Rail(_) => "rail",
            Self::Point(_) => "point",
            Self::Facing(_) => "facing",
            Self::Mouth(_) => "mouth",
            Self::Fall(_) => "fall",
            Self::Drop(_) => "drop",
            Self::Stop => "stop",
        }
    }

    /// The name of the surface, if it is one.
    #[must_use]
    pub const fn surface(self) -> Option<&'static str> {
        match self {
            Self::Ball(_) | Self::Stop => None,
            Self::Rail(rail) => Some(rail.code()),
            Self::Point(name) | Self::Facing(name) => Some(name),
            Self::Mouth(pocket) | Self::Fall(pocket) | Self::Drop(pocket) => Some(pocket.code()),
        }
    }
}

/// One event of a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// When, ns from the stroke.
    pub time_ns: u64,
    /// The ball, by slot; of two the lower one.
    pub ball: u8,
    /// What it met.
    pub met: Met,
    /// The ball, and the other ball if there is one, before.
    pub before: [Sight; 2],
    /// The same afterwards.
    pub after: [Sight; 2],
}

/// All events of a shot, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The events.
    pub events: Vec<TraceEvent>,
}

impl Recorder for Trace {
    const ON: bool = true;

    fn record(&mut self, key: Key, before: [Sight; 2], after: [Sight; 2]) {
        let other = key.other();
        let met = match key.kind() {
            Kind::Ball => Met::Ball(other as u8),
            Kind::Rail => Met::Rail(RailName::ALL[other]),
            Kind::Point => Met::Point(JAW_NAMES[other]),
            Kind::Facing => Met::Facing(JAW_NAMES[other]),
            Kind::Mouth => Met::Mouth(Pocket::ALL[other]),
            Kind::Fall => Met::Fall(Pocket::ALL[other]),
            Kind::Drop => Met::Drop(Pocket::ALL[other]),
            Kind::Stop => Met::Stop,
        };
        let time_ns = nanoseconds(key.time());
        self.events.push(TraceEvent { time_ns, ball: key.ball() as u8, met, before, after });
    }
}
