//! Choosing a stroke when the table is not known for sure, or the aim is not: the best expected
//! value over sampled truths, the same samples for every stroke, in rounds that drop the worst.

use super::budget::Budget;
use super::clear::{EFFORTS, Effort, clear_with, strokes};
use super::goal::Goal;
use super::known::Known;
use crate::race::candidates::{self, Fan};
use cuebench_engine::shot::{Balls, Launch, Outcome, Stroke};
use cuebench_engine::snooker::{AimNoise, Order};

/// Worth of a stroke saved, in points. A foul costs 4 to 7.
const STROKE_POINTS: f64 = 2.0;
/// Worth of an easy next pot, in points.
const EASE_POINTS: f64 = 1.0;
/// Worth of touching a rail while the restitution is not known, in points.
const TELLING_POINTS: f64 = 0.2;
/// Rounds: truths that each stroke has met after the round, and strokes that stay.
const ROUNDS: [(usize, usize); 3] = [(6, 200), (20, 40), (64, 8)];
/// Truths on which the rest of the table is searched for each of the last strokes.
const DEEP_TRUTHS: usize = 16;
/// How hard.
const DEEP: Effort = Effort { breadth: 3, sims: 1_500, ..EFFORTS[0] };

/// The strokes that are compared.
const WIDE: Effort = Effort {
    direct: Fan { directions: 9, powers: 24 },
    cushion: Some(Fan { directions: 5, powers: 12 }),
    contacts: Some(Fan { directions: 24, powers: 8 }),
    ..EFFORTS[1]
};
/// With fewer strokes than this by geometry, strokes all round are compared too.
const FEW: usize = 100;
/// So many.
const AROUND: u32 = 2_000;

/// One way things may really be.
pub struct Truth<'t> {
    /// The table.
    pub known: Known<'t>,
    /// The standard normal draws of the aiming noise.
    pub draws: [f64; 2],
}

/// What is not known: truths to plan over, and the noise that is on.
pub struct Doubt<'t> {
    /// Equally likely truths, at least one, all with the same pockets.
    pub truths: Vec<Truth<'t>>,
    /// Aiming noise of the match.
    pub noise: Option<AimNoise>,
    /// The order of the colours.
    pub order: Order,
}

/// A stroke and the sum of its values over the truths it has met.
#[derive(Clone, Copy, Debug)]
struct Entry {
    stroke: Stroke,
    sum: f64,
}

/// The stroke with the greatest expected value; `None` when no stroke was worth a try within
/// the budget.
pub fn choose(doubt: &mut Doubt<'_>, balls: &Balls, budget: &mut Budget) -> Option<Stroke> {
    let goal = Goal::of(doubt.order, balls)?;
    let mut entries = entries(doubt, balls, goal);
    let mut met = 0;
    for (truths, stay) in ROUNDS {
        let until = truths.min(doubt.truths.len());
        for entry in &mut entries {
            for truth in met..until {
                entry.sum += doubt.value(truth, balls, goal, entry.stroke, budget);
            }
        }
        met = until.max(met);
        // Stable, so equal strokes keep the order of the candidates.
        entries.sort_by(|a, b| b.sum.total_cmp(&a.sum));
        entries.truncate(stay);
        if budget.is_spent() {
            break;
        }
    }
    deepen(doubt, balls, goal, &mut entries, met, budget);
    entries.first().map(|entry| entry.stroke)
}

/// The strokes to compare: those of geometry, and legal contacts beside them.
fn entries(doubt: &Doubt<'_>, balls: &Balls, goal: Goal) -> Vec<Entry> {
    let Some(truth) = doubt.truths.first() else { return Vec::new() };
    let mut all = Vec::new();
    for slot in goal.targets(balls) {
        all.extend(strokes(&truth.known, balls, slot, &WIDE));
    }
    if all.len() < FEW {
        all.extend(candidates::around(AROUND, 1));
    }
    all.into_iter().map(|stroke| Entry { stroke, sum: 0.0 }).collect()
}

/// Searches the rest of the table behind each entry, and sorts them anew.
fn deepen(
    doubt: &mut Doubt<'_>,
    balls: &Balls,
    goal: Goal,
    entries: &mut [Entry],
    met: usize,
    budget: &mut Budget,
) {
    if doubt.noise.is_some() || doubt.order == Order::Any || met == 0 {
        return;
    }
    let truths = DEEP_TRUTHS.min(doubt.truths.len());
    let mut values = Vec::with_capacity(entries.len());
    for entry in entries.iter() {
        let shallow = entry.sum / met as f64;
        let rest: f64 = (0..truths).map(|t| doubt.rest(t, balls, goal, entry.stroke, budget)).sum();
        values.push(shallow + rest / truths as f64);
    }
    if budget.is_spent() {
        return;
    }
    for (entry, value) in entries.iter_mut().zip(values) {
        entry.sum = value;
    }
    entries.sort_by(|a, b| b.sum.total_cmp(&a.sum));
}

impl Doubt<'_> {
    fn play(
        &mut self,
        truth: usize,
        balls: &Balls,
        stroke: Stroke,
        budget: &mut Budget,
    ) -> Option<&Outcome> {
        let Truth { known, draws } = self.truths.get_mut(truth)?;
        let launch = self.noise.map_or_else(|| Launch::from(stroke), |n| n.apply(stroke, *draws));
        known.play(balls, launch, budget)
    }

    /// The value of a stroke if this is the truth, in points.
    fn value(
        &mut self,
        truth: usize,
        balls: &Balls,
        goal: Goal,
        stroke: Stroke,
        budget: &mut Budget,
    ) -> f64 {
        let untold = self.truths.len() > 1 && self.noise.is_none();
        let Some(outcome) = self.play(truth, balls, stroke, budget) else { return 0.0 };
        if !goal.is_legal(outcome) {
            return -goal.penalty(outcome);
        }
        let telling =
            if untold && !outcome.rail_contacts.is_empty() { TELLING_POINTS } else { 0.0 };
        let saved = STROKE_POINTS * goal.strokes_saved(outcome);
        let after = outcome.balls;
        let ease = Goal::of(goal.order(), &after)
            .map_or(1.0, |next| next.ease(&self.truths[truth].known.scene(&after), &after));
        telling + saved + EASE_POINTS * ease
    }

    /// What a whole clearance behind the stroke is worth, in points.
    fn rest(
        &mut self,
        truth: usize,
        balls: &Balls,
        goal: Goal,
        stroke: Stroke,
        budget: &mut Budget,
    ) -> f64 {
        let Some(outcome) = self.play(truth, balls, stroke, budget) else { return 0.0 };
        if !goal.is_legal(outcome) {
            return 0.0;
        }
        let after = outcome.balls;
        let (_, whole) = clear_with(&mut self.truths[truth].known, &after, DEEP, budget);
        if whole { STROKE_POINTS } else { 0.0 }
    }
}
