//! What a shot did.

use super::balls::Balls;
use super::place::BallsError;
use crate::table::{Pocket, RailName};
use serde::Serialize;

/// A ball that fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Fall {
    /// Its slot.
    pub ball: u8,
    /// The pocket.
    pub pocket: Pocket,
    /// When, ns from the stroke.
    pub time_ns: u64,
}

/// A collision of two balls. "At rest" means: in no collision yet in this shot, and not the white.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Collision {
    /// The lower slot.
    pub a: u8,
    /// The higher slot.
    pub b: u8,
    /// Whether this was the first time that `a` was moved.
    pub a_was_at_rest: bool,
    /// Whether this was the first time that `b` was moved.
    pub b_was_at_rest: bool,
    /// When, ns from the stroke.
    pub time_ns: u64,
}

/// A contact of a ball with the nose of a rail (jaws are not rails).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct RailContact {
    /// Its slot.
    pub ball: u8,
    /// The rail.
    pub rail: RailName,
    /// When, ns from the stroke.
    pub time_ns: u64,
}

/// What a shot did. Lists are in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Where the balls lie afterwards; fallen ones are gone.
    pub balls: Balls,
    /// The object ball that the white touched first.
    pub first_hit: Option<u8>,
    /// The balls that fell.
    pub falls: Vec<Fall>,
    /// The collisions of two balls.
    pub collisions: Vec<Collision>,
    /// The contacts with rails.
    pub rail_contacts: Vec<RailContact>,
    /// Contacts with rounded points and facings.
    pub jaw_contacts: u32,
    /// When the last ball came to rest or fell, ns from the stroke.
    pub duration_ns: u64,
    /// Events: contacts, crossings of mouth and fall lines, falls, stops.
    pub events: u32,
    /// Whether the event cap ended the shot: all balls then stopped where they were. It marks a
    /// defect of the engine.
    pub capped: bool,
    /// A hash of every event in order, see [`trace_hash`](super::trace_hash).
    pub digest: u64,
}

impl Outcome {
    /// Empties it; the buffers stay.
    pub(super) fn clear(&mut self) {
        self.balls = Balls::default();
        self.first_hit = None;
        self.falls.clear();
        self.collisions.clear();
        self.rail_contacts.clear();
        (self.jaw_contacts, self.events, self.duration_ns) = (0, 0, 0);
        (self.capped, self.digest) = (false, 0);
    }
}

/// Why a shot cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShotError {
    /// The balls cannot lie as given.
    #[error(transparent)]
    Balls(#[from] BallsError),
    /// There is no white to play.
    #[error("there is no white (cue) ball on the table")]
    NoWhite,
}
