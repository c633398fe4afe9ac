//! Replaying an observed shot with supposed table values.

use super::history::{Histories, histories};
use super::pair::{CLOTH_RANGE, CLOTHS, Pair};
use cuebench_engine::shot::{Balls, Layout, Outcome, Stroke};
use cuebench_engine::table::{PocketSet, Table};

/// A shot that was seen: the balls before, the stroke, and the balls once at rest (fallen ones
/// gone, nothing put back).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// The pockets of the table.
    pub pockets: PocketSet,
    /// The balls before the stroke.
    pub before: Balls,
    /// The stroke as it left the cue.
    pub stroke: Stroke,
    /// The balls once at rest.
    pub after: Balls,
}

/// One replay: where the balls end, and what happened to each on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replay {
    pub balls: Balls,
    pub histories: Histories,
}

/// Replays one observed shot, counting and reusing buffers.
pub struct Trial<'a> {
    shot: &'a Observed,
    /// Its balls before, on any table; `None` when they cannot lie so.
    layout: Option<Layout>,
    tolerance_um: u32,
    outcome: Outcome,
    /// For each cloth speed the replay that touched no rail: it is the same for every restitution.
    railless: Vec<Option<Replay>>,
    replays: usize,
}

impl<'a> Trial<'a> {
    /// Makes ready to replay `shot`. A replay agrees when the same balls fall and no coordinate of
    /// the others is off by more than `tolerance_um`; 0 asks for the very places.
    #[must_use]
    pub fn new(shot: &'a Observed, tolerance_um: u32) -> Self {
        let outcome = Outcome::default();
        let table = Table::new(Pair::MIDDLE.spec(shot.pockets)).ok();
        let layout = table.and_then(|table| table.layout(&shot.before).ok());
        Self { shot, layout, tolerance_um, outcome, railless: vec![None; CLOTHS], replays: 0 }
    }

    /// Shots simulated so far.
    #[must_use]
    pub const fn replays(&self) -> usize {
        self.replays
    }

    /// Whether `pair` gives the positions that were seen.
    pub fn agrees(&mut self, pair: Pair) -> bool {
        self.places(pair).is_some_and(|places| self.matches(&places))
    }

    /// Where the balls end with `pair`; `None` when the shot cannot be played at all.
    pub fn places(&mut self, pair: Pair) -> Option<Balls> {
        let row = (pair.cloth - CLOTH_RANGE[0]) as usize;
        match &self.railless[row] {
            Some(replay) => Some(replay.balls),
            None => self.simulate(pair).then_some(self.outcome.balls),
        }
    }

    /// Whether the shot touches a rail with `pair`: if not, it tells nothing of the restitution.
    pub fn touches_rail(&mut self, pair: Pair) -> bool {
        self.simulate(pair) && !self.outcome.rail_contacts.is_empty()
    }

    /// Whether `places` are those that were seen, within the tolerance.
    pub(super) fn matches(&self, places: &Balls) -> bool {
        if self.tolerance_um == 0 {
            return *places == self.shot.after;
        }
        places.at.iter().zip(&self.shot.after.at).all(|pair| match pair {
            (Some(a), Some(b)) => {
                a.x_um.abs_diff(b.x_um) <= self.tolerance_um
                    && a.y_um.abs_diff(b.y_um) <= self.tolerance_um
            }
            (a, b) => a == b,
        })
    }

    /// How far a coordinate may be off, µm.
    pub(super) const fn tolerance_um(&self) -> u32 {
        self.tolerance_um
    }

    /// The replay with `pair`; `None` when the shot cannot be played at all.
    pub(super) fn replay(&mut self, pair: Pair) -> Option<Replay> {
        let row = (pair.cloth - CLOTH_RANGE[0]) as usize;
        if self.railless[row].is_some() {
            return self.railless[row];
        }
        self.simulate(pair)
            .then(|| Replay { balls: self.outcome.balls, histories: histories(&self.outcome) })
    }

    /// Where the balls were seen to end.
    pub(super) const fn seen(&self) -> &Balls {
        &self.shot.after
    }

    fn simulate(&mut self, pair: Pair) -> bool {
        self.replays += 1;
        let Some(layout) = &self.layout else { return false };
        let Ok(layout) = layout.with_values(pair.cloth, pair.restitution) else { return false };
        layout.launch_into(self.shot.stroke.into(), &mut self.outcome);
        if self.outcome.rail_contacts.is_empty() {
            let row = (pair.cloth - CLOTH_RANGE[0]) as usize;
            self.railless[row] =
                Some(Replay { balls: self.outcome.balls, histories: histories(&self.outcome) });
        }
        true
    }
}
