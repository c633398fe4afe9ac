//! An event in memory: what its file, its bots and its folder amount to.

use super::file::{Player, Tournament};
use super::schedule::Schedule;
use crate::games::Playable;
use crate::hall::Hall;

/// An event that is ready to be played.
pub struct Event<'a, G: Playable> {
    /// The game.
    pub game: &'a G,
    /// The file.
    pub file: &'a Tournament,
    /// The bots in the file's order.
    pub players: &'a [Player],
    /// The schedule.
    pub schedule: &'a Schedule,
    /// The event's secret.
    pub salt: Option<u128>,
    /// Games at the same time.
    pub concurrency: usize,
    /// Where processes are started.
    pub hall: &'a Hall,
}
