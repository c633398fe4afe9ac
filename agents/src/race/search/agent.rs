//! `search` and `oracle_search`: what is known of the table decides which search thinks.

use super::budget::Budget;
use super::gamble::{Doubt, Truth, choose};
use super::known::Known;
use super::{any_order, clear};
use crate::aim::Pockets;
use crate::belief::{Belief, Observed, Pair};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::player::{Player, Report, Start};
use crate::race::start::RaceStart;
use cuebench_engine::rng::{Purpose, Rng, stream};
use cuebench_engine::shot::{Balls, Stroke};
use cuebench_engine::snooker::{Action, Ball, Order, PublicView, Race, TableOption, TableValues};
use cuebench_engine::table::{Table, TableSpec};
use rand_distr::{Distribution as _, StandardNormal};
use std::time::{Duration, Instant};

/// Truths that a gamble plans over.
const TRUTHS: usize = 64;
/// Share of the time left that one decision may take.
const TIME_SHARE: f64 = 0.6;
/// A step of a golden-section sequence: any number of its first terms lie evenly in 0..1.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// How long the agent may think.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Thinking {
    /// Simulations a stroke: the same strokes on any machine.
    Sims(u64),
    /// Seconds for a whole table.
    Seconds(f64),
}

/// Plans by simulation. On a known table (or once its own shots have told it) it looks for a line
/// that clears the table and plays it out; before that it plays the stroke with the best expected
/// value over the tables that agree with what it has seen, and over the aiming noise.
pub struct SearchAgent {
    thinking: Thinking,
    oracle: bool,
    game: Option<Game>,
}

/// What it knows of the table it plays.
struct Game {
    start: RaceStart,
    belief: Belief,
    /// The last stroke and the position it was played from.
    last: Option<(Balls, Stroke)>,
    /// Strokes still to play, last one first.
    plan: Vec<Stroke>,
    /// The position in which the plan goes on.
    expected: Balls,
    used: Duration,
    report: Report,
}

impl SearchAgent {
    /// A fair agent, or with `oracle` one that asks for the true values of hidden tables.
    #[must_use]
    pub const fn new(thinking: Thinking, oracle: bool) -> Self {
        Self { thinking, oracle, game: None }
    }
}

impl Player<Race> for SearchAgent {
    fn wants_secret(&self) -> bool {
        self.oracle
    }

    fn new_game(&mut self, start: &Start<'_, Race>) -> Result<(), Fault> {
        let start = RaceStart::from(start);
        self.game = Some(Game {
            start,
            belief: Belief::new(),
            last: None,
            plan: Vec::new(),
            expected: Balls::default(),
            used: Duration::ZERO,
            report: Report::default(),
        });
        Ok(())
    }

    fn choose(&mut self, _: &Race, view: &PublicView, clock: Clock) -> Result<Action, Fault> {
        let game = self.game.as_mut().ok_or_else(|| Fault::Void("no game was begun".to_owned()))?;
        let began = Instant::now();
        game.learn(view);
        let budget = match self.thinking {
            Thinking::Sims(sims) => Budget::of_sims(sims),
            Thinking::Seconds(seconds) => {
                let left = (seconds - game.used.as_secs_f64()).max(0.0) * TIME_SHARE;
                let most = clock.left / 2;
                let share = Duration::from_secs_f64(left).saturating_sub(began.elapsed());
                Budget::of_time(share.min(most))
            }
        };
        let stroke = game.decide(view, budget)?;
        game.last = Some((view.balls, stroke));
        game.used += began.elapsed();
        Ok(stroke.into())
    }

    fn report(&self) -> Report {
        self.game.as_ref().map(|game| game.report).unwrap_or_default()
    }
}

impl Game {
    /// Takes the last stroke into account.
    fn learn(&mut self, view: &PublicView) {
        let hidden =
            self.start.options.table == TableOption::Hidden && self.start.true_values.is_none();
        let Some((before, stroke)) = self.last.take() else { return };
        // With aiming noise the stroke that left the cue is not the one that was meant.
        if !hidden || self.start.noise.is_some() || self.belief.certain().is_some() {
            return;
        }
        let mut after = view.balls;
        for ball in &view.potted {
            after.at[ball.slot()] = None;
        }
        let shot = Observed { pockets: self.start.options.pockets, before, stroke, after };
        // A shot that no pair replays cannot come from this engine; then nothing is learnt.
        if let Ok(replays) = self.belief.update(&shot) {
            self.report.sims += replays as u64;
            if self.belief.certain().is_some() {
                self.report.identified_after = Some(view.strokes);
            }
        }
    }

    /// The table's values, if they are known.
    fn values(&self, view: &PublicView) -> Option<TableValues> {
        let learnt = || {
            let Pair { cloth, restitution } = self.belief.certain()?;
            Some(TableValues { cloth, restitution })
        };
        self.start.true_values.or(view.table).or_else(learnt)
    }

    fn table(&self, values: TableValues) -> Result<Table, Fault> {
        let TableValues { cloth, restitution } = values;
        let spec = TableSpec { pockets: self.start.options.pockets, cloth, restitution };
        Table::new(spec).map_err(|error| Fault::Void(error.to_string()))
    }

    fn decide(&mut self, view: &PublicView, mut budget: Budget) -> Result<Stroke, Fault> {
        let before = budget.sims_left();
        let stroke = self.think(view, &mut budget);
        self.report.sims += before - budget.sims_left();
        stroke
    }

    fn think(&mut self, view: &PublicView, budget: &mut Budget) -> Result<Stroke, Fault> {
        let balls = &view.balls;
        let values = self.values(view).filter(|_| self.start.noise.is_none());
        if let Some(values) = values {
            let table = self.table(values)?;
            if self.plan.is_empty() || self.expected != *balls {
                self.plan = self.line(table, balls, budget);
            }
            if let Some(stroke) = self.plan.pop() {
                let outcome = table.simulate(balls, stroke);
                self.expected = outcome.map_err(|error| Fault::Void(error.to_string()))?.balls;
                return Ok(stroke);
            }
        }
        self.gamble(view, budget)
    }

    /// The line that clears the known table, or as much of it as was found; last stroke first.
    fn line(&self, table: Table, balls: &Balls, budget: &mut Budget) -> Vec<Stroke> {
        let pockets = Pockets::of(table.geometry());
        let mut known = Known::new(table, &pockets);
        let mut line = match self.start.options.order {
            Order::Snooker => clear::clear(&mut known, balls, budget).0,
            Order::Any => any_order::clear(&mut known, balls, budget).unwrap_or_default(),
        };
        line.reverse();
        line
    }

    /// The best stroke in doubt; without any a shot at the ball on, full and hard.
    fn gamble(&self, view: &PublicView, budget: &mut Budget) -> Result<Stroke, Fault> {
        let (noise, options) = (self.start.noise, self.start.options);
        let values = self.values(view);
        let count = match (values, noise) {
            (Some(_), None) => 1,
            (None, None) => TRUTHS.min(self.belief.len()),
            (_, Some(_)) => TRUTHS,
        };
        let mut rng = stream(self.start.agent_seed, Purpose::Agent, view.strokes.into());
        let mut tables = Vec::with_capacity(count);
        for index in 0..count {
            let values = values.unwrap_or_else(|| self.sample(index));
            tables.push((self.table(values)?, draws(&mut rng)));
        }
        let Some((first, _)) = tables.first() else {
            return Err(Fault::Void("nothing is known of the table".to_owned()));
        };
        let pockets = Pockets::of(first.geometry());
        let truths = tables
            .into_iter()
            .map(|(table, draws)| Truth { known: Known::new(table, &pockets), draws })
            .collect();
        let mut doubt = Doubt { truths, noise, order: options.order };
        let stroke = choose(&mut doubt, &view.balls, budget).or_else(|| straight(view));
        stroke.ok_or_else(|| Fault::Void("no stroke can be played".to_owned()))
    }

    /// The sample `index` of the belief: each of a few survivors once, many spread evenly.
    fn sample(&self, index: usize) -> TableValues {
        let length = self.belief.len();
        let share = ((index as f64 + 0.5) * GOLDEN).fract();
        let spread = ((share * length as f64) as usize).min(length - 1);
        let pick = if length <= TRUTHS { index % length } else { spread };
        let Pair { cloth, restitution } = self.belief.get(pick).unwrap_or(Pair::MIDDLE);
        TableValues { cloth, restitution }
    }
}

fn draws(rng: &mut Rng) -> [f64; 2] {
    [StandardNormal.sample(rng), StandardNormal.sample(rng)]
}

/// A stroke straight at a ball that may be hit.
fn straight(view: &PublicView) -> Option<Stroke> {
    let white = view.balls.at[Ball::White.slot()]?;
    let target = super::goal::ball_on(&view.balls).and_then(|slot| view.balls.at[slot])?;
    let way = crate::aim::Vec2::from(target) - crate::aim::Vec2::from(white);
    crate::race::candidates::stroke(way.angle(), 600.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::tests::{alone, known};
    use cuebench_engine::snooker::{AimNoise, Closed};

    #[test]
    fn known_tables_are_cleared_in_the_fewest_strokes() {
        for seed in 1..=10 {
            let game = alone("search:sims=20000", &known(), seed);
            let result = game.state.result(0);
            assert_eq!((result.closed, result.score, result.strokes), (Closed::Cleared, 27, 6));
        }
    }

    #[test]
    fn hidden_tables_are_told_and_cleared() {
        for seed in 1..=3 {
            let game = alone("search:sims=8000", &Race::default(), seed);
            assert_eq!(game.state.result(0).closed, Closed::Cleared, "seed {seed}");
            assert!(game.state.result(0).strokes <= 8, "seed {seed}");
            assert!(game.seats[0].report.identified_after.is_some(), "seed {seed}");
        }
    }

    #[test]
    fn the_oracle_needs_no_telling() {
        let game = alone("oracle_search:sims=20000", &Race::default(), 5);
        assert_eq!((game.state.result(0).score, game.state.result(0).strokes), (27, 6));
        assert_eq!(game.seats[0].report.identified_after, None);
    }

    #[test]
    fn any_order_takes_several_at_once() {
        let mut race = known();
        race.options.order = Order::Any;
        let game = alone("search:sims=15000", &race, 5);
        assert_eq!(game.state.result(0).score, 27);
        assert!(game.state.result(0).strokes < 6);
    }

    #[test]
    fn equal_games_are_equal_and_noise_is_planned_for() {
        let noisy = |seed| {
            let race = Race { noise: Some(AimNoise::OLYMPIAD), ..Race::default() };
            let game = alone("search:sims=3000", &race, seed);
            (game.state.result(0), game.seats[0].report)
        };
        assert_eq!(noisy(2), noisy(2));
    }

    #[test]
    fn seconds_are_kept() {
        let began = Instant::now();
        let game = alone("search:seconds=0.2", &known(), 4);
        assert_eq!(game.state.result(0).closed, Closed::Cleared);
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}
