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
    /// Simulations in a position before the search looks elsewhere.
    pub width: usize,
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
            width: 24,
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
}

/// A key of the frontier: least cost first, then the node found first.
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
    frontier: BinaryHeap<Reverse<(Cost, usize)>>,
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
        let root = Node { parent: 0, stroke: None, balls: *balls, strokes: 0 };
        self.nodes = vec![root];
        self.frontier.clear();
        self.tried.clear();
        let mut best = 0;
        let mut next = Some(0);
        while let Some(node) = next {
            best = node;
            if self.is_clear(node) || self.nodes.len() > self.config.positions {
                break;
            }
            self.open(node, budget);
            if budget.is_spent() {
                best = self.frontier.pop().map_or(best, |Reverse((_, node))| node);
                break;
            }
            next = self.frontier.pop().map(|Reverse((_, node))| node);
        }
        self.line_to(best)
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

    /// Tries strokes in a position and puts what they lead to on the frontier.
    fn open(&mut self, node: usize, budget: &mut Budget) {
        let before = self.nodes[node].balls;
        let mut children = self.pots(&before, node == 0, budget);
        let mut extra = 0.0;
        if children.is_empty() {
            children = self.contacts(&before, budget);
            extra = self.config.no_pot;
        }
        let strokes = self.nodes[node].strokes + 1;
        let positions: Vec<_> = children.iter().map(|child| self.position(&child.balls)).collect();
        let values = self.evaluator.values(&positions);
        for ((child, position), value) in children.iter().zip(&positions).zip(values) {
            let left = position.order.len() as f64;
            let cost = f64::from(strokes) + left + self.config.greed * (value - left) + extra;
            let Child { stroke, balls } = *child;
            self.nodes.push(Node { parent: node, stroke: Some(stroke), balls, strokes });
            self.frontier.push(Reverse((Cost(cost), self.nodes.len() - 1)));
        }
    }

    fn position(&self, balls: &Balls) -> Position<'t> {
        Position::new(self.pockets, self.values, balls, self.any(), None)
    }

    /// The legal pots among the first strokes in the policy's order.
    fn pots(&mut self, before: &Balls, record: bool, budget: &mut Budget) -> Vec<Child> {
        let position = self.position(before);
        let list = candidates(&position, self.any(), &self.config.candidates);
        let judgements = self.evaluator.judge(&list);
        let mut children = Vec::new();
        let mut met = 0;
        for index in by_choice(&judgements) {
            // Enough strokes for one position, unless nothing has fallen yet.
            if met >= self.config.width && (!children.is_empty() || met >= 4 * self.config.width) {
                break;
            }
            let (candidate, judged) = (&list[index], &judgements[index]);
            let mut residual = [judged.thin, judged.log_speed];
            if let Some(explore) = &mut self.explore {
                let moved = explore();
                residual = [residual[0] + moved[0], residual[1] + moved[1]];
            }
            let Some(stroke) = candidate.stroke(residual[0], residual[1]) else { continue };
            met += 1;
            let Some(after) = self.play(before, stroke, budget) else {
                if budget.is_spent() {
                    break;
                }
                continue;
            };
            let potted = after.1;
            if record {
                self.tried.push(Tried { candidate: *candidate, potted, residual, stroke });
            }
            if potted {
                children.push(Child { stroke, balls: after.0 });
            }
        }
        if children.is_empty() {
            children = self.roundabout(before, &position, budget);
        }
        children
    }

    /// Pots over a cushion or, with order `any`, by way of another ball.
    fn roundabout(
        &mut self,
        before: &Balls,
        position: &Position<'_>,
        budget: &mut Budget,
    ) -> Vec<Child> {
        use crate::race::candidates::{Fan, by_combination, cushion};
        let fan = Fan { directions: 3, powers: 4 };
        let cloth = f64::from(self.values.cloth);
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
