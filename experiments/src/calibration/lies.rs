//! Which leave each shot with geometry was played from: by the log, or by what came before.
//!
//! The rules say what a result leaves the next shooter: in 8-ball a miss leaves a medium shot, a pot
//! with position an easy one. So in a log that gives geometry and the order of shots the leave of a
//! shot follows from the result before it, and that of a frame's first shot from the break.

use super::board::{Board, Branch, Next};
use super::definition::Calibrated;
use super::family::{Family, Role};
use super::results::Results;
use super::spots::{Difficulty, Weighted, spots};
use crate::shot_log::frames::Seen;
use crate::shot_log::schema::Call;
use crate::shot_log::shots::Geometry;
use anyhow::ensure;
use cuebench_engine::frame::Definition;
use std::collections::{BTreeMap, HashMap};

/// Shots in order, as far as they tell positions.
#[derive(Clone, Debug, Default)]
pub struct Lies {
    frames: BTreeMap<String, Vec<Shot>>,
}

#[derive(Clone, Copy, Debug)]
struct Shot {
    number: Option<u64>,
    leave: Option<usize>,
    geometry: Option<Geometry>,
    role: Role,
    count: u64,
}

impl Lies {
    /// Takes a row in.
    pub fn add(&mut self, seen: Seen<'_>) {
        let Seen { leave, geometry, count, .. } = seen;
        let number = seen.shot.parse().ok();
        let role = Role::Call(seen.call, seen.result);
        let shot = Shot { number, leave, geometry, role, count };
        match self.frames.get_mut(seen.frame) {
            Some(shots) => shots.push(shot),
            None => {
                self.frames.insert(seen.frame.to_owned(), vec![shot]);
            }
        }
    }

    /// The shots from each leave of the schema.
    #[must_use]
    pub fn by_leave(mut self, family: &Family, board: &Board) -> Vec<Vec<Weighted>> {
        let rules = Rules::new(family, board);
        let mut sums: Vec<BTreeMap<Geometry, u64>> =
            vec![BTreeMap::new(); family.schema.leaves.len()];
        for (frame, shots) in &mut self.frames {
            // Rows without a frame have no order.
            let ordered = !frame.is_empty() && shots.iter().all(|shot| shot.number.is_some());
            shots.sort_by_key(|shot| shot.number);
            let mut leave = if ordered { rules.first } else { None };
            for shot in shots {
                if let (Some(leave), Some(geometry)) = (shot.leave.or(leave), shot.geometry) {
                    *sums[leave].entry(geometry).or_default() += shot.count;
                }
                leave = if ordered { rules.after.get(&key(shot.role)).copied() } else { None };
            }
        }
        let weighted = |sum: BTreeMap<Geometry, u64>| -> Vec<Weighted> {
            sum.into_iter().map(|(geometry, count)| (geometry.values(), count)).collect()
        };
        sums.into_iter().map(weighted).collect()
    }
}

/// Positions of a log by leave, and the definition that takes them.
#[derive(Clone, Debug)]
pub struct Leaves {
    shots: Vec<Vec<Weighted>>,
}

impl Leaves {
    /// Sorts the shots of a log by leave. The shipped definition gives way to its variant with
    /// geometry.
    ///
    /// # Errors
    /// When the definition has no place for geometry, or its game cannot be laid out.
    pub fn new(definition: &mut Calibrated, lies: Lies) -> anyhow::Result<Self> {
        if !definition.family.has_geometry() {
            ensure!(
                definition.is_shipped(),
                "the log describes positions by geometry, but the definition's leaves have no \
                 points to take them; begin with engine/games/eightball_geometry.yaml"
            );
            *definition = Calibrated::new(Definition::GEOMETRY.to_owned())?;
        }
        let board = Board::new(definition)?;
        Ok(Self { shots: lies.by_leave(&definition.family, &board) })
    }

    /// Moves the definition's `b0` so that the shots of the leave with most of them are as hard on
    /// average as its `D` says; whether it could.
    pub fn anchor(&self, definition: &mut Calibrated, results: &Results) -> bool {
        let Some(fitted) = difficulty(definition, results) else { return false };
        let weight = |at: usize| self.shots[at].iter().map(|(_, count)| count).sum::<u64>();
        let places = (0..self.shots.len()).rev();
        let Some(most) = places.max_by_key(|at| weight(*at)) else { return false };
        let Some(mean) = fitted.mean(&self.shots[most]) else { return false };
        let leave = &definition.family.schema.leaves[most];
        let wanted = definition.family.number(&format!("D.{leave}"));
        let b0 = fitted.b[0] + wanted - mean;
        definition.family.numbers.insert("b0".to_owned(), b0);
        true
    }

    /// The points of each leave as numbers of the definition, with the error that they make.
    #[must_use]
    pub fn spots(
        &self,
        definition: &Calibrated,
        results: &Results,
        notes: &mut Vec<String>,
    ) -> Vec<(String, f64)> {
        let Some(difficulty) = difficulty(definition, results) else { return Vec::new() };
        let family = &definition.family;
        let (mut numbers, mut worst, mut kept) = (Vec::new(), 0.0_f64, Vec::new());
        for ((leave, shots), room) in
            family.schema.leaves.iter().zip(&self.shots).zip(&family.spots)
        {
            let Some(found) = spots(shots, difficulty, room.len()) else {
                kept.push(leave.as_str());
                continue;
            };
            worst = worst.max(found.error);
            for (i, point) in found.points.iter().enumerate() {
                for (j, part) in point.iter().enumerate() {
                    // A tenth of a millimetre and a hundredth of a degree are enough.
                    let part = (part * 100.0).round() / 100.0;
                    numbers.push((format!("SPOTS.{leave}[{i}][{j}]"), part));
                }
            }
        }
        numbers.push(("SPOT_ERROR".to_owned(), (worst * 1e4).ceil() / 1e4));
        notes.push(format!(
            "Each leave's geometry stands by a few equally likely points: the chance of a pot, with \
             or without position, is off by at most {worst:.4} at skills from -1 to 5."
        ));
        if !kept.is_empty() {
            notes.push(format!(
                "No shot of the log was played from {}, or the definition has no points for it; \
                 those leaves stay as they are.",
                kept.join(", ")
            ));
        }
        numbers
    }
}

/// What the fit says makes a geometry difficult.
fn difficulty(definition: &Calibrated, results: &Results) -> Option<Difficulty> {
    let estimate = |name: &str| {
        let found = results.fitted.estimates.iter().find(|estimate| estimate.name == name);
        found.and_then(|estimate| estimate.estimate)
    };
    let mut b = [0.0; 4];
    for (value, name) in b.iter_mut().zip(["b0", "b1", "b2", "b3"]) {
        *value = estimate(name)?;
    }
    Some(Difficulty { b, c: estimate("c").unwrap_or_else(|| definition.family.number("c")) })
}

/// What the rules leave.
struct Rules {
    /// After the likeliest break.
    first: Option<usize>,
    /// After a result, where it is always the same.
    after: HashMap<(bool, usize), usize>,
}

const fn key(role: Role) -> (bool, usize) {
    match role {
        Role::Call(call, result) => (matches!(call, Call::Shot), result),
        Role::Break(outcome) => (false, usize::MAX - outcome),
    }
}

impl Rules {
    fn new(family: &Family, board: &Board) -> Self {
        let leave = |branch: &Branch| match branch.to {
            Next::State(state) => Some(board.places[state.index()].leave),
            Next::End(_) => None,
        };
        let breaks = family.breaks(0.0);
        let mut first: BTreeMap<usize, f64> = BTreeMap::new();
        for branch in &board.opening {
            if let (Some(leave), Some(Role::Break(at))) = (leave(branch), branch.role) {
                *first.entry(leave).or_default() += branch.share * breaks[at];
            }
        }
        let mut after: HashMap<(bool, usize), Option<usize>> = HashMap::new();
        let places = board.places.iter().filter(|place| place.seat.is_some());
        for branch in places.flat_map(|place| &place.options).flat_map(|(_, row)| row) {
            if let (Some(leave), Some(role)) = (leave(branch), branch.role) {
                let known = after.entry(key(role)).or_insert(Some(leave));
                if *known != Some(leave) {
                    *known = None;
                }
            }
        }
        Self {
            first: first.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(leave, _)| leave),
            after: after.into_iter().filter_map(|(key, leave)| Some((key, leave?))).collect(),
        }
    }
}
