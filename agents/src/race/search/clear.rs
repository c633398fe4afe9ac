//! Clearing a known table with the colours in order: a depth-first search for a whole line of
//! pots, one colour a stroke.

use super::budget::Budget;
use super::ease::ease;
use super::goal::{Goal, ball_on};
use super::known::Known;
use crate::aim::WHITE;
use crate::race::candidates::{self, Fan};
use cuebench_engine::shot::{Balls, Outcome, Stroke};
use cuebench_engine::units::MAX_POWER;

/// How hard a search tries.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Strokes over a direct pot.
    pub direct: Fan,
    /// Strokes over a pot with a cushion, if any.
    pub cushion: Option<Fan>,
    /// Directions that meet the ball on, and powers of each, whatever geometry says of a pot.
    pub contacts: Option<Fan>,
    /// Strokes all round, for pots that no geometry shows.
    pub around: u32,
    /// Leaves of a position that are searched further.
    pub breadth: usize,
    /// Simulations it may use.
    pub sims: u64,
}

/// Efforts of growing cost; the first suffices on most tables.
pub const EFFORTS: [Effort; 3] = [
    Effort {
        direct: Fan { directions: 3, powers: 10 },
        cushion: None,
        contacts: None,
        around: 0,
        breadth: 4,
        sims: 6_000,
    },
    Effort {
        direct: Fan { directions: 5, powers: 16 },
        cushion: Some(Fan { directions: 3, powers: 8 }),
        contacts: None,
        around: 0,
        breadth: 8,
        sims: 40_000,
    },
    Effort {
        direct: Fan { directions: 7, powers: 24 },
        cushion: Some(Fan { directions: 5, powers: 12 }),
        contacts: Some(Fan { directions: 80, powers: 16 }),
        around: 6_000,
        breadth: 12,
        sims: u64::MAX,
    },
];

/// Leaves whose whites lie nearer than this count as one, µm.
const SAME_LEAF_UM: i64 = 50_000;

/// A legal pot and what it leaves.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// The stroke.
    pub stroke: Stroke,
    /// The balls once at rest.
    pub balls: Balls,
    /// How easy the next colour is from there.
    pub value: f64,
}

/// Whether the shot pots the ball on and nothing else, touching it first.
#[must_use]
pub fn pots_legally(outcome: &Outcome, on: usize) -> bool {
    Goal::On(on).is_legal(outcome) && outcome.falls.len() == 1
}

/// The search for a line of pots, and the longest line found so far.
pub struct Clearance<'k, 't> {
    known: &'k mut Known<'t>,
    budget: Budget,
    effort: Effort,
    path: Vec<Stroke>,
    /// The most pots in a row that were found.
    pub longest: Vec<Stroke>,
}

/// Searches for the strokes that clear the table with one pot each, with growing effort. The
/// answer is the whole line, or else the longest start of one; the flag says which.
pub fn clear(known: &mut Known<'_>, balls: &Balls, budget: &mut Budget) -> (Vec<Stroke>, bool) {
    let mut longest = Vec::new();
    for effort in EFFORTS {
        let (line, whole) = clear_with(known, balls, effort, budget);
        if whole || line.len() > longest.len() {
            longest = line;
        }
        if whole || budget.is_spent() {
            return (longest, whole);
        }
    }
    (longest, false)
}

/// [`clear`] with one effort.
pub fn clear_with(
    known: &mut Known<'_>,
    balls: &Balls,
    effort: Effort,
    budget: &mut Budget,
) -> (Vec<Stroke>, bool) {
    let part = budget.part(effort.sims);
    let mut search =
        Clearance { known, budget: part, effort, path: Vec::new(), longest: Vec::new() };
    let whole = search.descend(balls);
    budget.settle(effort.sims, &search.budget);
    (search.longest, whole)
}

impl Clearance<'_, '_> {
    /// Whether the table can be cleared from `balls`; the line is then `longest`.
    fn descend(&mut self, balls: &Balls) -> bool {
        if self.path.len() > self.longest.len() {
            self.longest.clone_from(&self.path);
        }
        let Some(on) = ball_on(balls) else { return true };
        for leaf in self.leaves(balls, on) {
            self.path.push(leaf.stroke);
            if self.descend(&leaf.balls) {
                return true;
            }
            self.path.pop();
            if self.budget.is_spent() {
                return false;
            }
        }
        false
    }

    /// The most promising legal pots of the ball on, best first.
    fn leaves(&mut self, balls: &Balls, on: usize) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for stroke in strokes(self.known, balls, on, &self.effort) {
            let Some(outcome) = self.known.play(balls, stroke.into(), &mut self.budget) else {
                if self.budget.is_spent() {
                    break;
                }
                continue;
            };
            if !pots_legally(outcome, on) {
                continue;
            }
            let balls = outcome.balls;
            let Some(next) = ball_on(&balls) else {
                return vec![Leaf { stroke, balls, value: 1.0 }];
            };
            let value = ease(&self.known.scene(&balls), next);
            leaves.push(Leaf { stroke, balls, value });
        }
        distinct(leaves, self.effort.breadth)
    }
}

/// The strokes that an effort tries.
pub fn strokes(known: &Known<'_>, balls: &Balls, on: usize, effort: &Effort) -> Vec<Stroke> {
    let (scene, cloth) = (known.scene(balls), known.cloth());
    let mut strokes = candidates::direct(&scene, on, cloth, effort.direct);
    if let Some(fan) = effort.cushion {
        strokes.extend(candidates::cushion(&scene, on, cloth, fan));
    }
    if let Some(fan) = effort.contacts {
        strokes
            .extend(contact_strokes(&candidates::contacts(&scene, on, fan.directions), fan.powers));
    }
    strokes.extend(candidates::around(effort.around, 1));
    strokes
}

/// `powers` strokes in each of `directions`.
pub fn contact_strokes(directions: &[f64], powers: u32) -> Vec<Stroke> {
    let power = |step: u32| f64::from(MAX_POWER) * f64::from(step + 1) / f64::from(powers);
    directions
        .iter()
        .flat_map(|&d| (0..powers).filter_map(move |step| candidates::stroke(d, power(step))))
        .collect()
}

/// The `count` best leaves whose whites do not lie together.
pub fn distinct(mut leaves: Vec<Leaf>, count: usize) -> Vec<Leaf> {
    leaves.sort_by(|a, b| b.value.total_cmp(&a.value));
    let mut kept: Vec<Leaf> = Vec::with_capacity(count);
    for leaf in leaves {
        let near = |other: &Leaf| match (leaf.balls.at[WHITE], other.balls.at[WHITE]) {
            (Some(a), Some(b)) => a.distance_squared_um2(b) < SAME_LEAF_UM * SAME_LEAF_UM,
            _ => false,
        };
        if !kept.iter().any(near) {
            kept.push(leaf);
            if kept.len() == count {
                break;
            }
        }
    }
    kept
}
