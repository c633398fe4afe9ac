//! Choosing a stroke when the aim is noisy or the table's values are not known: the least
//! expected strokes to clear over sampled truths, the same samples for every stroke, in rounds
//! that drop the worst.

use super::candidates::{Candidate, CandidateConfig, candidates};
use super::features::Position;
use super::model::Evaluator;
use super::plan::{Tried, by_choice};
use crate::aim::Pockets;
use crate::race::search::{Budget, Goal, Known, contact_strokes};
use cuebench_engine::shot::{Balls, Launch, Stroke};
use cuebench_engine::snooker::{AimNoise, Order, TableValues, judge, nearest_free_place};

/// Settings of the choice.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoubtConfig {
    /// The strokes that are weighed.
    pub candidates: CandidateConfig,
    /// Truths that a stroke has met after each round.
    pub truths: [usize; 3],
    /// Share of the strokes that stays after each round but the last.
    pub stay: [f64; 2],
    /// Plain contacts: directions and powers, tried beside the pots.
    pub contacts: [u32; 2],
    /// What a foul costs beside the strokes, in strokes.
    pub foul: f64,
}

impl Default for DoubtConfig {
    fn default() -> Self {
        Self {
            candidates: CandidateConfig::wide(),
            truths: [4, 12, 32],
            stay: [0.4, 0.35],
            contacts: [5, 3],
            foul: 0.5,
        }
    }
}

/// One way things may really be.
pub struct Truth<'t> {
    /// The table.
    pub known: Known<'t>,
    /// Its values.
    pub values: TableValues,
    /// Standard normal draws of the aiming noise.
    pub draws: [f64; 2],
}

/// What is asked: the position and what is not known about it.
pub struct Question<'q, 't> {
    /// The shape of the table.
    pub pockets: &'t Pockets,
    /// Equally likely truths, at least one.
    pub truths: &'q mut [Truth<'t>],
    /// Aiming noise that is on.
    pub noise: Option<AimNoise>,
    /// The balls.
    pub balls: &'q Balls,
    /// Where balls go back to.
    pub starts: &'q Balls,
    /// Which colours may be played.
    pub order: Order,
}

/// A stroke under comparison.
#[derive(Clone, Copy, Debug)]
struct Entry {
    stroke: Stroke,
    candidate: Option<(Candidate, [f64; 2])>,
    cost: f64,
    pots: usize,
}

/// What a choice was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The stroke.
    pub stroke: Stroke,
    /// Expected strokes to clear with it.
    pub cost: f64,
    /// The candidates that were tried on the first truth, for training.
    pub tried: Vec<Tried>,
}

impl Question<'_, '_> {
    /// The stroke of least expected cost; `None` when the budget lets nothing be tried.
    /// `explore` moves the residuals (training).
    pub fn choose(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        config: &DoubtConfig,
        budget: &mut Budget,
        explore: &mut dyn FnMut() -> [f64; 2],
    ) -> Option<Choice> {
        let per_stroke = config.truths[0].max(1) as u64 * 3;
        let most = (budget.sims_left() / per_stroke).clamp(1, 128) as usize;
        let mut entries = self.entries(evaluator, config, most, explore);
        let mut met = 0;
        let mut tried = Vec::new();
        for (round, &truths) in config.truths.iter().enumerate() {
            let until = truths.min(self.truths.len());
            for entry in &mut entries {
                self.meet(entry, met..until, evaluator, config, budget);
            }
            if met == 0 {
                tried = entries.iter().filter_map(|entry| entry.tried(until)).collect();
            }
            met = until.max(met);
            if budget.is_spent() && round == 0 {
                // Strokes that met nothing cannot be compared.
                entries.retain(|entry| entry.cost > 0.0);
            }
            // Stable, so equal strokes keep the policy's order.
            entries.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            if let Some(share) = config.stay.get(round) {
                let stay = (entries.len() as f64 * share).ceil() as usize;
                entries.truncate(stay.max(1));
            }
            if budget.is_spent() {
                break;
            }
        }
        let best = entries.first()?;
        Some(Choice { stroke: best.stroke, cost: best.cost / met.max(1) as f64, tried })
    }

    fn any(&self) -> bool {
        self.order == Order::Any
    }

    fn entries(
        &self,
        evaluator: &mut Evaluator<'_>,
        config: &DoubtConfig,
        most: usize,
        explore: &mut dyn FnMut() -> [f64; 2],
    ) -> Vec<Entry> {
        let Some(truth) = self.truths.first() else { return Vec::new() };
        let position =
            Position::new(self.pockets, truth.values, self.balls, self.any(), self.noise);
        let list = candidates(&position, self.any(), &config.candidates);
        let judgements = evaluator.judge(&list);
        let mut entries = Vec::new();
        for index in by_choice(&judgements).into_iter().take(most) {
            let (candidate, judged, moved) = (&list[index], &judgements[index], explore());
            let residual = [judged.thin + moved[0], judged.log_speed + moved[1]];
            if let Some(stroke) = candidate.stroke(residual[0], residual[1]) {
                let candidate = Some((*candidate, residual));
                entries.push(Entry { stroke, candidate, cost: 0.0, pots: 0 });
            }
        }
        let [directions, powers] = config.contacts;
        let room = if entries.is_empty() { most } else { most / 4 };
        if let Some(on) = position.on() {
            let aims = crate::race::candidates::contacts(&position.scene, on, directions);
            let strokes = contact_strokes(&aims, powers).into_iter().take(room);
            entries.extend(strokes.map(|stroke| Entry {
                stroke,
                candidate: None,
                cost: 0.0,
                pots: 0,
            }));
        }
        entries
    }

    /// Adds what a stroke costs on some truths.
    fn meet(
        &mut self,
        entry: &mut Entry,
        truths: std::ops::Range<usize>,
        evaluator: &mut Evaluator<'_>,
        config: &DoubtConfig,
        budget: &mut Budget,
    ) {
        let (pockets, any, noise) = (self.pockets, self.any(), self.noise);
        let mut positions = Vec::new();
        let mut base = 0.0;
        for truth in truths {
            let Some((balls, potted, foul)) = self.play(truth, entry.stroke, budget) else {
                base += f64::from(u8::from(budget.is_spent())) * 1e3;
                continue;
            };
            base += 1.0 + if foul { config.foul } else { 0.0 };
            entry.pots += usize::from(potted && !foul);
            positions.push(Position::new(pockets, self.truths[truth].values, &balls, any, noise));
        }
        entry.cost += base + evaluator.values(&positions).iter().sum::<f64>();
    }

    /// The position after a stroke, whether it potted and whether it was a foul.
    fn play(
        &mut self,
        truth: usize,
        stroke: Stroke,
        budget: &mut Budget,
    ) -> Option<(Balls, bool, bool)> {
        let (balls, order) = (*self.balls, self.order);
        let goal = Goal::of(order, &balls)?;
        let Truth { known, draws, .. } = self.truths.get_mut(truth)?;
        let launch = self.noise.map_or_else(|| Launch::from(stroke), |n| n.apply(stroke, *draws));
        let outcome = known.play(&balls, launch, budget)?;
        let (potted, foul) = (!outcome.falls.is_empty(), !goal.is_legal(outcome));
        let mut after = outcome.balls;
        if foul {
            for ball in judge(&balls, outcome, order).replaced {
                let start = self.starts.at[ball.slot()];
                let pockets = known.spec().pockets;
                after.at[ball.slot()] =
                    start.map(|start| nearest_free_place(pockets, start, &after));
            }
        }
        Some((after, potted, foul))
    }
}

impl Entry {
    fn tried(&self, truths: usize) -> Option<Tried> {
        let (candidate, residual) = self.candidate?;
        let potted = 2 * self.pots > truths;
        Some(Tried { candidate, potted, residual, stroke: self.stroke })
    }
}
