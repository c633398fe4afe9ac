//! `learned`: the networks at the table.

use super::doubt::{DoubtConfig, Question, Truth};
use super::features::Position;
use super::hip::{self, HipConfig};
use super::model::{Evaluator, Model, Weights};
use super::plan::{PlanConfig, Planner, Step};
use crate::aim::Pockets;
use crate::belief::{Belief, Observed};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::player::{Player, Report, Start};
use crate::race::search::{Budget, Known};
use crate::race::start::RaceStart;
use cuebench_engine::rng::{Purpose, Rng, stream};
use cuebench_engine::shot::{Balls, Stroke};
use cuebench_engine::snooker::{Action, Order, PublicView, Race, TableValues};
use cuebench_engine::table::{Table, TableSpec};
use cuebench_engine::units::FULL_TURN_MDEG;
use rand::RngExt as _;
use rand_distr::{Distribution as _, StandardNormal};
use std::sync::Arc;

/// What a hidden table is taken for where a single guess is needed: the middle of the ranges.
const GUESS: TableValues = TableValues { cloth: 1000, restitution: 750 };

/// How the agent plays.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedConfig {
    /// Simulations a stroke at most.
    pub sims: u64,
    /// Simulations a table at most.
    pub table_sims: u64,
    /// Truths that are sampled where the aim or the table is in doubt.
    pub truths: usize,
    /// No simulation at all.
    pub hip: HipConfig,
    /// Whether to shoot from the hip.
    pub from_the_hip: bool,
    /// Search on known tables.
    pub plan: PlanConfig,
    /// Choice in doubt.
    pub doubt: DoubtConfig,
}

impl Default for LearnedConfig {
    fn default() -> Self {
        Self {
            sims: 2_000,
            table_sims: u64::MAX,
            truths: 32,
            hip: HipConfig::default(),
            from_the_hip: false,
            plan: PlanConfig::default(),
            doubt: DoubtConfig::default(),
        }
    }
}

/// The learned policy.
pub struct LearnedAgent {
    weights: Weights,
    model: Arc<Model>,
    config: LearnedConfig,
    game: Option<Game>,
}

/// What is remembered of the table at hand.
struct Game {
    start: RaceStart,
    pockets: Arc<Pockets>,
    starts: Balls,
    belief: Belief,
    last: Option<(Balls, Stroke)>,
    /// Strokes planned ahead, next one last.
    line: Vec<Step>,
    rng: Rng,
    sims: u64,
    identified_after: Option<u32>,
}

impl LearnedAgent {
    /// An agent that plays `model`.
    #[must_use]
    pub fn new(model: Arc<Model>, config: LearnedConfig) -> Self {
        let weights = Weights { sure: Arc::clone(&model), noisy: model };
        Self::with_weights(weights, config)
    }

    /// An agent with weights of its own for tables with aiming noise.
    pub(super) fn with_weights(weights: Weights, config: LearnedConfig) -> Self {
        let model = Arc::clone(&weights.sure);
        Self { weights, model, config, game: None }
    }
}

impl Player<Race> for LearnedAgent {
    fn new_game(&mut self, start: &Start<'_, Race>) -> Result<(), Fault> {
        let start = RaceStart::from(start);
        let table = table(&start, GUESS)?;
        let Weights { sure, noisy } = &self.weights;
        self.model = Arc::clone(if start.noise.is_some() { noisy } else { sure });
        self.game = Some(Game {
            start,
            pockets: Arc::new(Pockets::of(table.geometry())),
            starts: Balls::default(),
            belief: Belief::new(),
            last: None,
            line: Vec::new(),
            rng: stream(start.agent_seed, Purpose::Agent, 0),
            sims: 0,
            identified_after: None,
        });
        Ok(())
    }

    fn choose(&mut self, _: &Race, view: &PublicView, _: Clock) -> Result<Action, Fault> {
        let mut game = self
            .game
            .take()
            .ok_or_else(|| Fault::Void("a stroke is asked for before a game".to_owned()))?;
        let stroke = self.stroke(&mut game, view);
        if let Ok(stroke) = stroke {
            game.last = Some((view.balls, stroke));
        }
        self.game = Some(game);
        stroke.map(Action::from)
    }

    fn report(&self) -> Report {
        self.game.as_ref().map_or_else(Report::default, |game| Report {
            sims: game.sims,
            identified_after: game.identified_after,
        })
    }
}

impl LearnedAgent {
    fn stroke(&self, game: &mut Game, view: &PublicView) -> Result<Stroke, Fault> {
        if view.strokes == 0 {
            game.starts = view.balls;
        }
        let certain = game.values(view);
        let found = if self.config.from_the_hip {
            self.hip_stroke(game, view, certain.unwrap_or(GUESS))
        } else {
            match certain {
                Some(values) if game.start.noise.is_none() => self.plan(game, view, values)?,
                _ => self.compare(game, view, certain)?,
            }
        };
        let guess = certain.unwrap_or(GUESS);
        let found = found.or_else(|| self.hip_stroke(game, view, guess));
        found.map_or_else(|| game.anything(), Ok)
    }

    fn hip_stroke(&self, game: &Game, view: &PublicView, values: TableValues) -> Option<Stroke> {
        let any = game.any();
        let position = Position::new(&game.pockets, values, &view.balls, any, game.start.noise);
        hip::choose(&position, any, &mut Evaluator::new(&self.model), &self.config.hip)
    }

    /// On a known table without noise: the line that was planned, or a new one.
    fn plan(
        &self,
        game: &mut Game,
        view: &PublicView,
        values: TableValues,
    ) -> Result<Option<Stroke>, Fault> {
        if let Some(step) = game.line.pop().filter(|step| step.before == view.balls) {
            return Ok(Some(step.stroke));
        }
        let pockets = Arc::clone(&game.pockets);
        let mut known = Known::new(table(&game.start, values)?, &pockets);
        let mut budget = self.budget(game);
        let whole = budget.sims_left();
        let mut planner = Planner::new(
            &mut known,
            &pockets,
            values,
            game.start.options.order,
            Evaluator::new(&self.model),
            &self.config.plan,
        );
        let mut plan = planner.plan(&view.balls, &mut budget);
        game.sims += whole - budget.sims_left();
        let first = plan.steps.first().map(|step| step.stroke);
        game.line.clear();
        if plan.least {
            // Nothing can better it, so the rest needs no more thought.
            plan.steps.reverse();
            plan.steps.pop();
            game.line = plan.steps;
        }
        Ok(first)
    }

    /// In doubt about the aim or the table: the best on average over sampled truths.
    fn compare(
        &self,
        game: &mut Game,
        view: &PublicView,
        certain: Option<TableValues>,
    ) -> Result<Option<Stroke>, Fault> {
        let pockets = Arc::clone(&game.pockets);
        let mut truths = Vec::with_capacity(self.config.truths);
        for _ in 0..self.config.truths {
            let values = certain.unwrap_or_else(|| game.supposed());
            let draws =
                [StandardNormal.sample(&mut game.rng), StandardNormal.sample(&mut game.rng)];
            let known = Known::new(table(&game.start, values)?, &pockets);
            truths.push(Truth { known, values, draws });
        }
        let mut budget = self.budget(game);
        let whole = budget.sims_left();
        let mut question = Question {
            pockets: &pockets,
            truths: &mut truths,
            noise: game.start.noise,
            balls: &view.balls,
            starts: &game.starts,
            order: game.start.options.order,
        };
        let mut evaluator = Evaluator::new(&self.model);
        let choice =
            question.choose(&mut evaluator, &self.config.doubt, &mut budget, &mut || [0.0; 2]);
        game.sims += whole - budget.sims_left();
        Ok(choice.map(|choice| choice.stroke))
    }

    /// What this stroke may use: never more than half of what the table has left, so that later
    /// strokes are not left without.
    fn budget(&self, game: &Game) -> Budget {
        let left = self.config.table_sims.saturating_sub(game.sims);
        Budget::of_sims(self.config.sims.min(left.div_ceil(2)))
    }
}

impl Game {
    fn any(&self) -> bool {
        self.start.options.order == Order::Any
    }

    /// The table's values, if they are published or have become certain.
    fn values(&mut self, view: &PublicView) -> Option<TableValues> {
        if view.table.is_some() {
            return view.table;
        }
        // With noise the stroke that was played is not known, so it tells nothing exactly.
        if self.start.noise.is_none()
            && let Some((before, stroke)) = self.last.take()
            && self.belief.certain().is_none()
        {
            let pockets = self.start.options.pockets;
            let after = as_they_lay(view);
            // A shot that no pair replays would be another's shot; the belief stays as it was.
            let _ = self.belief.update(&Observed { pockets, before, stroke, after });
            if self.belief.certain().is_some() {
                self.identified_after = Some(view.strokes);
            }
        }
        let pair = self.belief.certain()?;
        Some(TableValues { cloth: pair.cloth, restitution: pair.restitution })
    }

    /// Values drawn from what is still possible.
    fn supposed(&mut self) -> TableValues {
        let index = self.rng.random_range(0..self.belief.len());
        self.belief
            .get(index)
            .map_or(GUESS, |pair| TableValues { cloth: pair.cloth, restitution: pair.restitution })
    }

    /// A stroke at random, for positions in which nothing else is found.
    fn anything(&mut self) -> Result<Stroke, Fault> {
        let angle = self.rng.random_range(0..FULL_TURN_MDEG);
        Stroke::new(angle, 500).map_err(|error| Fault::Void(error.to_string()))
    }
}

/// The balls once at rest after the last stroke, before any was put back.
fn as_they_lay(view: &PublicView) -> Balls {
    let mut balls = view.balls;
    for ball in &view.potted {
        balls.at[ball.slot()] = None;
    }
    balls
}

fn table(start: &RaceStart, values: TableValues) -> Result<Table, Fault> {
    let TableValues { cloth, restitution } = values;
    let spec = TableSpec { pockets: start.options.pockets, cloth, restitution };
    Table::new(spec).map_err(|error| Fault::Void(error.to_string()))
}
