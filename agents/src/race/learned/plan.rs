//! Planning on a known table without noise: best-first search over whole lines of strokes, the
//! value network at the leaves, the policy network for the order in which strokes are tried.

use super::candidates::{Candidate, CandidateConfig, candidates};
use super::features::Position;
use super::model::{Evaluator, Judgement};
use crate::aim::Pockets;
use crate::race::search::{Budget, Goal, Known, contact_strokes};
use cuebench_engine::shot::{Balls, Stroke};
use cuebench_engine::snooker::{Order, TableValues};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Settings of the search.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanConfig {
    /// The strokes that are weighed in each position.
    pub candidates: CandidateConfig,
    /// Strokes that are tried in a position at first, if one of them pots.
    pub step: usize,
    /// Cost of coming back to a position for the next so many strokes, each time, strokes.
    pub widen: f64,
    /// Strokes that a training tries in each position it asks about, for its samples.
    pub width: usize,
    /// Strokes that are tried in a position at most.
    pub most: usize,
    /// Positions that a search may open, whatever the budget.
    pub positions: usize,
    /// Weight of the value beyond one stroke a ball: above 1 the search goes deep first.
    pub greed: f64,
    /// Directions and powers of plain contacts where no stroke pots.
    pub contacts: [u32; 2],
    /// What a position without any pot found costs, strokes.
    pub no_pot: f64,
}

impl Default for PlanConfig {
    fn default() -> Self {
        Self {
            candidates: CandidateConfig::wide(),
            step: 4,
            widen: 0.1,
            width: 24,
            most: 96,
            positions: 4_000,
            greed: 1.5,
            contacts: [8, 4],
            no_pot: 0.5,
        }
    }
}

/// A stroke as it is planned, with the position from which it is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The balls before the stroke.
    pub before: Balls,
    /// The stroke.
    pub stroke: Stroke,
}

/// A line of strokes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// In playing order.
    pub steps: Vec<Step>,
    /// Whether the line clears the table.
    pub clears: bool,
    /// Whether no line of fewer strokes exists (one stroke a ball, order `snooker`).
    pub least: bool,
}

/// A candidate that was simulated, for training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// The candidate.
    pub candidate: Candidate,
    /// Whether it potted legally.
    pub potted: bool,
    /// The residual with which it was played.
    pub residual: [f64; 2],
    /// The stroke.
    pub stroke: Stroke,
}

struct Node {
    parent: usize,
    stroke: Option<Stroke>,
    balls: Balls,
    strokes: u32,
    cost: f64,
    /// Strokes still to be tried from here, best last; `None` until it is opened.
    rest: Option<Vec<Tryout>>,
    /// Strokes tried from here.
    tried: usize,
}

/// A stroke that the policy suggests.
#[derive(Clone, Copy)]
struct Tryout {
    candidate: Candidate,
    residual: [f64; 2],
    stroke: Stroke,
}

/// A key of the frontier: least cost first. Among equal ones the node found last goes first, so that
/// a search to which all leaves look alike follows one line down and not all of them at once.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost(f64);

impl Eq for Cost {}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cost {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A legal stroke and where it leads.
struct Child {
    stroke: Stroke,
    balls: Balls,
}

/// The search on one table.
pub struct Planner<'p, 't, 'm> {
    known: &'p mut Known<'t>,
    pockets: &'t Pockets,
    values: TableValues,
    order: Order,
    evaluator: Evaluator<'m>,
    config: &'p PlanConfig,
    nodes: Vec<Node>,
    frontier: BinaryHeap<(Reverse<Cost>, usize)>,
    /// The candidates that were tried in the position asked about.
    pub tried: Vec<Tried>,
    /// Moves of the residual that are tried beside the policy's own (training explores).
    pub explore: Option<&'p mut dyn FnMut() -> [f64; 2]>,
}

impl<'p, 't, 'm> Planner<'p, 't, 'm> {
    /// A search on `known`, whose values are `values`, with the colours in `order`.
    #[must_use]
    pub fn new(
        known: &'p mut Known<'t>,
        pockets: &'t Pockets,
        values: TableValues,
        order: Order,
        evaluator: Evaluator<'m>,
        config: &'p PlanConfig,
    ) -> Self {
        Self {
            known,
            pockets,
            values,
            order,
            evaluator,
            config,
            nodes: Vec::new(),
            frontier: BinaryHeap::new(),
            tried: Vec::new(),
            explore: None,
        }
    }

    /// The best line that the budget lets it find. It stops as soon as no thought can better it.
    pub fn plan(&mut self, balls: &Balls, budget: &mut Budget) -> Plan {
        self.nodes.clear();
        self.frontier.clear();
        self.tried.clear();
        let left = self.position(balls).order.len() as f64;
        self.push(0, None, *balls, left);
        let mut best = 0;
        while let Some((_, node)) = self.frontier.pop() {
            if self.is_clear(node) {
                best = node;
                break;
            }
            let is_out = budget.is_spent() || self.nodes.len() > self.config.positions;
            if is_out && self.nodes[node].rest.is_none() {
                // The most promising position that was reached and not yet looked into.
                best = node;
                break;
            }
            if !is_out {
                self.open(node, budget);
            }
        }
        self.line_to(best)
    }

    fn push(&mut self, parent: usize, stroke: Option<Stroke>, balls: Balls, cost: f64) {
        let strokes = stroke.map_or(0, |_| self.nodes[parent].strokes + 1);
        self.nodes.push(Node { parent, stroke, balls, strokes, cost, rest: None, tried: 0 });
        self.frontier.push((Reverse(Cost(cost)), self.nodes.len() - 1));
    }

    fn goal(&self, balls: &Balls) -> Option<Goal> {
        Goal::of(self.order, balls)
    }

    fn any(&self) -> bool {
        self.order == Order::Any
    }

    fn is_clear(&self, node: usize) -> bool {
        self.goal(&self.nodes[node].balls).is_none()
    }

    fn line_to(&self, end: usize) -> Plan {
        let mut steps = Vec::new();
        let mut at = end;
        while let Some(stroke) = self.nodes[at].stroke {
            at = self.nodes[at].parent;
            steps.push(Step { before: self.nodes[at].balls, stroke });
        }
        steps.reverse();
        let clears = self.is_clear(end);
        let least = clears && steps.len() <= self.position(&self.nodes[0].balls).order.len();
        Plan { steps, clears, least }
    }

    /// Tries the next strokes in a position and puts what they lead to on the frontier, and the
    /// position itself while strokes are left.
    fn open(&mut self, node: usize, budget: &mut Budget) {
        let before = self.nodes[node].balls;
        let mut rest = match self.nodes[node].rest.take() {
            Some(rest) => rest,
            None => self.tryouts(&before),
        };
        let is_first = self.nodes[node].tried == 0;
        let mut children = self.pots(node, &mut rest, budget);
        let mut extra = 0.0;
        if children.is_empty() && is_first && !budget.is_spent() {
            children = self.roundabout(&before, budget);
            if children.is_empty() {
                children = self.contacts(&before, budget);
                extra = self.config.no_pot;
            }
        }
        let strokes = f64::from(self.nodes[node].strokes + 1);
        let positions: Vec<_> = children.iter().map(|child| self.position(&child.balls)).collect();
        let values = self.evaluator.values(&positions);
        for ((child, position), value) in children.iter().zip(&positions).zip(values) {
            let left = position.order.len() as f64;
            let cost = strokes + left + self.config.greed * (value - left) + extra;
            self.push(node, Some(child.stroke), child.balls, cost);
        }
        let Node { cost, tried, .. } = self.nodes[node];
        if !rest.is_empty() && tried < self.config.most {
            let again = (tried / self.config.step.max(1)) as f64;
            let cost = Cost(cost + self.config.widen * again);
            self.frontier.push((Reverse(cost), node));
        }
        self.nodes[node].rest = Some(rest);
    }

    fn position(&self, balls: &Balls) -> Position<'t> {
        Position::new(self.pockets, self.values, balls, self.any(), None)
    }

    /// The strokes that the policy suggests in a position, best last.
    fn tryouts(&mut self, before: &Balls) -> Vec<Tryout> {
        let position = self.position(before);
        let list = candidates(&position, self.any(), &self.config.candidates);
        let judgements = self.evaluator.judge(&list);
        let mut tryouts = Vec::with_capacity(list.len());
        for index in by_choice(&judgements) {
            let (candidate, judged) = (list[index], &judgements[index]);
            let mut residual = [judged.thin, judged.log_speed];
            if let Some(explore) = &mut self.explore {
                let moved = explore();
                residual = [residual[0] + moved[0], residual[1] + moved[1]];
            }
            if let Some(stroke) = candidate.stroke(residual[0], residual[1]) {
                tryouts.push(Tryout { candidate, residual, stroke });
            }
        }
        tryouts.reverse();
        tryouts
    }

    /// The legal pots among the next strokes of a position: at least a step of them, and more
    /// until one falls.
    fn pots(&mut self, node: usize, rest: &mut Vec<Tryout>, budget: &mut Budget) -> Vec<Child> {
        let before = self.nodes[node].balls;
        let record = node == 0 && self.explore.is_some();
        let step = if record { self.config.width } else { self.config.step };
        let mut children = Vec::new();
        let mut met = 0;
        while (met < step || children.is_empty()) && self.nodes[node].tried < self.config.most {
            let Some(Tryout { candidate, residual, stroke }) = rest.pop() else { break };
            let after = self.play(&before, stroke, budget);
            if budget.is_spent() && after.is_none() {
                break;
            }
            met += 1;
            self.nodes[node].tried += 1;
            let potted = after.is_some_and(|(_, potted)| potted);
            if record {
                self.tried.push(Tried { candidate, potted, residual, stroke });
            }
            if let Some((balls, true)) = after {
                children.push(Child { stroke, balls });
            }
        }
        children
    }

    /// Pots over a cushion or, with order `any`, by way of another ball.
    fn roundabout(&mut self, before: &Balls, budget: &mut Budget) -> Vec<Child> {
        use crate::race::candidates::{Fan, by_combination, cushion};
        let fan = Fan { directions: 3, powers: 4 };
        let cloth = f64::from(self.values.cloth);
        let position = self.position(before);
        let mut strokes = Vec::new();
        for &slot in position.order.iter().take(if self.any() { usize::MAX } else { 1 }) {
            strokes.extend(cushion(&position.scene, slot, cloth, fan));
            if self.any() {
                strokes.extend(by_combination(&position.scene, slot, cloth, fan));
            }
        }
        self.children(before, strokes, true, 4 * self.config.width, budget)
    }

    /// Legal strokes that need not pot.
    fn contacts(&mut self, before: &Balls, budget: &mut Budget) -> Vec<Child> {
        let position = self.position(before);
        let [directions, powers] = self.config.contacts;
        let Some(on) = position.on() else { return Vec::new() };
        let aims = crate::race::candidates::contacts(&position.scene, on, directions);
        let strokes = contact_strokes(&aims, powers);
        self.children(before, strokes, false, 4 * self.config.width, budget)
    }

    fn children(
        &mut self,
        before: &Balls,
        strokes: Vec<Stroke>,
        must_pot: bool,
        most: usize,
        budget: &mut Budget,
    ) -> Vec<Child> {
        let mut children = Vec::new();
        for stroke in strokes.into_iter().take(most) {
            match self.play(before, stroke, budget) {
                Some((balls, potted)) if potted || !must_pot => {
                    children.push(Child { stroke, balls });
                }
                None if budget.is_spent() => break,
                _ => {}
            }
        }
        children
    }

    /// The position after a legal stroke, and whether it potted; `None` for fouls.
    fn play(
        &mut self,
        before: &Balls,
        stroke: Stroke,
        budget: &mut Budget,
    ) -> Option<(Balls, bool)> {
        let goal = self.goal(before)?;
        let outcome = self.known.play(before, stroke.into(), budget)?;
        goal.is_legal(outcome).then_some((outcome.balls, !outcome.falls.is_empty()))
    }
}

/// The order in which the policy tries candidates.
#[must_use]
pub fn by_choice(judgements: &[Judgement]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..judgements.len()).collect();
    // Stable, so equal choices keep the order of the candidates.
    order.sort_by(|&a, &b| judgements[b].choice.total_cmp(&judgements[a].choice));
    order
}
