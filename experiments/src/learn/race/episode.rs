//! Playing one training table: the positions that came up, what was tried in each, and what
//! followed.

use super::config::LearnConfig;
use cuebench_agents::aim::Pockets;
use cuebench_agents::race::learned::{
    Choice, Evaluator, Model, POLICY_INPUTS, Planner, Position, Question, Tried, Truth,
    VALUE_INPUTS,
};
use cuebench_agents::race::search::{Budget, Known};
use cuebench_engine::game::Seed;
use cuebench_engine::rng::{Purpose, Rng, stream};
use cuebench_engine::shot::{Outcome, Stroke};
use cuebench_engine::snooker::{
    Action, AimNoise, Closed, Options, Order, SeatTable, Setup, TableOption,
};
use cuebench_engine::table::Table;
use rand::RngExt as _;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

/// A candidate that was tried in a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedSample {
    /// Inputs of the policy network, [`POLICY_INPUTS`] of them.
    pub inputs: Vec<f32>,
    /// Whether it potted legally (under noise: more often than not).
    pub potted: bool,
    /// The residual with which it was played.
    pub residual: [f32; 2],
}

/// A position of a training table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Number of the table.
    pub table: u64,
    /// Strokes played before.
    pub stroke: u32,
    /// Inputs of the value network, [`VALUE_INPUTS`] of them.
    pub inputs: Vec<f32>,
    /// Colours left.
    pub left: u32,
    /// Strokes to clear from here; `None` where neither play nor search could tell.
    pub strokes_to_clear: Option<f64>,
    /// What was tried.
    pub tried: Vec<TriedSample>,
    /// Which of them the search chose.
    pub chosen: Option<usize>,
}

/// Plays training table `number` of a run with `seed`; a pure function of its arguments.
///
/// # Errors
/// When the engine refuses what the policy plays, which would be a defect.
pub fn play(
    model: &Model,
    config: &LearnConfig,
    noise: Option<AimNoise>,
    seed: u64,
    number: u64,
) -> anyhow::Result<Vec<Sample>> {
    let mut rng = stream(seed, Purpose::Learning, number);
    let options = Options { table: TableOption::Known, ..Options::default() };
    let setup = Setup { seed: Seed::open(rng.random()), options, noise, clock_ms: None };
    let mut player = Player::new(model, config, SeatTable::new(setup));
    let mut samples = Vec::new();
    let mut told_from = 0;
    while player.seat.closed().is_none() {
        let mut sample = player.look(number);
        let mut thought = player.think(&mut rng)?;
        let explored = rng.random::<f64>() < config.explore_stroke && thought.wander(&mut rng);
        if explored {
            // What follows says nothing of the positions before it: the search has to.
            told_from = samples.len() + 1;
            sample.strokes_to_clear = thought.expected;
            for earlier in &mut samples[..] {
                let earlier: &mut Sample = earlier;
                earlier.strokes_to_clear = earlier.strokes_to_clear.or_else(|| {
                    let between = f64::from(sample.stroke - earlier.stroke);
                    thought.expected.map(|expected| between + expected)
                });
            }
        }
        sample.chosen = thought.tried.iter().position(|tried| tried.stroke == thought.best);
        sample.tried = thought.tried.iter().map(tried_sample).collect();
        samples.push(sample);
        player.seat.step_at(Action::from(thought.stroke), 0, &mut player.outcome)?;
    }
    let (end, cleared) = (player.seat.strokes(), player.seat.closed() == Some(Closed::Cleared));
    for sample in &mut samples[told_from..] {
        let strokes = f64::from(end - sample.stroke);
        // A table that was not cleared took at least one stroke more for every ball left.
        let missing = if cleared { 0.0 } else { 1.0 };
        sample.strokes_to_clear = sample.strokes_to_clear.or(Some(strokes + missing));
    }
    Ok(samples)
}

/// What the policy thinks of a position.
struct Thought {
    /// The stroke the search chose.
    best: Stroke,
    /// The stroke to play.
    stroke: Stroke,
    /// Strokes to clear that the search expects, where it has grounds to.
    expected: Option<f64>,
    tried: Vec<Tried>,
}

impl Thought {
    /// Turns to another stroke that pots, if there is one.
    fn wander(&mut self, rng: &mut Rng) -> bool {
        let others: Vec<Stroke> = self
            .tried
            .iter()
            .filter(|tried| tried.potted && tried.stroke != self.best)
            .map(|tried| tried.stroke)
            .collect();
        if others.is_empty() {
            return false;
        }
        self.stroke = others[rng.random_range(0..others.len())];
        true
    }
}

/// The policy at a table.
struct Player<'m> {
    model: &'m Model,
    config: &'m LearnConfig,
    seat: SeatTable,
    pockets: Pockets,
    outcome: Outcome,
}

impl<'m> Player<'m> {
    fn new(model: &'m Model, config: &'m LearnConfig, seat: SeatTable) -> Self {
        let pockets = Pockets::of(seat.table().geometry());
        Self { model, config, seat, pockets, outcome: Outcome::default() }
    }

    fn position(&self) -> Position<'_> {
        let noise = self.seat.setup().noise;
        Position::new(&self.pockets, self.seat.values(), self.seat.balls(), false, noise)
    }

    fn look(&self, table: u64) -> Sample {
        let position = self.position();
        Sample {
            table,
            stroke: self.seat.strokes(),
            inputs: position.value_inputs().to_vec(),
            left: position.order.len() as u32,
            strokes_to_clear: None,
            tried: Vec::new(),
            chosen: None,
        }
    }

    fn think(&self, rng: &mut Rng) -> anyhow::Result<Thought> {
        let spread = self.config.explore_residual;
        let mut jitter = rng.clone();
        // The player's own stream moves on by one draw a position.
        let _: u64 = rng.random();
        let mut normal = || -> f64 { StandardNormal.sample(&mut jitter) };
        let mut explore = || [normal() * spread[0], normal() * spread[1]];
        let thought = match self.seat.setup().noise {
            None => self.plan(&mut explore),
            Some(noise) => self.choose(noise, rng, &mut explore),
        };
        Ok(thought.unwrap_or_else(|| self.anything(rng)))
    }

    fn plan(&self, explore: &mut dyn FnMut() -> [f64; 2]) -> Option<Thought> {
        let table = Table::new(self.seat.table().spec()).ok()?;
        let mut known = Known::new(table, &self.pockets);
        let evaluator = Evaluator::new(self.model);
        let mut planner = Planner::new(
            &mut known,
            &self.pockets,
            self.seat.values(),
            Order::Snooker,
            evaluator,
            &self.config.plan,
        );
        planner.explore = Some(explore);
        let plan = planner.plan(self.seat.balls(), &mut Budget::of_sims(self.config.sims));
        let stroke = plan.steps.first()?.stroke;
        let expected = plan.clears.then_some(plan.steps.len() as f64);
        let tried = std::mem::take(&mut planner.tried);
        Some(Thought { best: stroke, stroke, expected, tried })
    }

    fn choose(
        &self,
        noise: AimNoise,
        rng: &mut Rng,
        explore: &mut dyn FnMut() -> [f64; 2],
    ) -> Option<Thought> {
        let values = self.seat.values();
        let mut truths = Vec::with_capacity(self.config.truths);
        for _ in 0..self.config.truths {
            let table = Table::new(self.seat.table().spec()).ok()?;
            let draws = [StandardNormal.sample(rng), StandardNormal.sample(rng)];
            truths.push(Truth { known: Known::new(table, &self.pockets), values, draws });
        }
        let mut question = Question {
            pockets: &self.pockets,
            truths: &mut truths,
            noise: Some(noise),
            balls: self.seat.balls(),
            starts: self.seat.starts(),
            order: Order::Snooker,
        };
        let mut budget = Budget::of_sims(self.config.sims);
        let mut evaluator = Evaluator::new(self.model);
        let choice = question.choose(&mut evaluator, &self.config.doubt, &mut budget, explore)?;
        let Choice { stroke, cost, tried } = choice;
        Some(Thought { best: stroke, stroke, expected: Some(cost), tried })
    }

    /// A stroke at random, where the search found none.
    fn anything(&self, rng: &mut Rng) -> Thought {
        let stroke = loop {
            if let Ok(stroke) =
                Stroke::new(rng.random_range(0..360_000), rng.random_range(150..1000))
            {
                break stroke;
            }
        };
        Thought { best: stroke, stroke, expected: None, tried: Vec::new() }
    }
}

fn tried_sample(tried: &Tried) -> TriedSample {
    debug_assert_eq!(tried.candidate.inputs.len(), POLICY_INPUTS);
    let [thin, log_speed] = tried.residual;
    TriedSample {
        inputs: tried.candidate.inputs.to_vec(),
        potted: tried.potted,
        residual: [thin as f32, log_speed as f32],
    }
}

/// Whether a sample has the shape of today's networks.
#[must_use]
pub fn fits(sample: &Sample) -> bool {
    sample.inputs.len() == VALUE_INPUTS
        && sample.tried.iter().all(|tried| tried.inputs.len() == POLICY_INPUTS)
}
