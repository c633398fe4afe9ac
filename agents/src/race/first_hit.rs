//! `first_hit`: a legal contact, whatever else comes of it.

use crate::clock::Clock;
use crate::fault::Fault;
use crate::player::{Player, Report, Start};
use crate::race::start::RaceStart;
use cuebench_engine::shot::{Outcome, Stroke};
use cuebench_engine::snooker::{
    Action, Ball, COLOURS, Options, PublicView, Race, TableValues, judge,
};
use cuebench_engine::table::{Table, TableSpec};
use cuebench_engine::units::{BALL_DIAMETER_UM, Point};
use std::f64::consts::TAU;

/// What a hidden table is taken for: the middle of the ranges it is drawn from.
const GUESS: TableValues = TableValues { cloth: 1000, restitution: 750 };
/// Contacts that are tried on each ball, as shares of a diameter beside its middle.
const OFFSETS: [f64; 7] = [0.0, 0.3, -0.3, 0.6, -0.6, 0.9, -0.9];
/// Directions of the fan that finds a way round by cushions.
const FAN: u32 = 720;

/// Tries strokes of one power at the ball on, first straight, then beside its middle, then all
/// round, and plays the first that a simulation finds legal. On a hidden table it simulates the
/// middle of the ranges, so its contacts after cushions are a guess.
#[derive(Clone, Debug)]
pub struct FirstHit {
    power: u32,
    options: Options,
    outcome: Outcome,
    sims: u64,
}

impl FirstHit {
    /// An agent that plays with `power`, 1..=1000.
    #[must_use]
    pub fn new(power: u32) -> Self {
        Self { power, options: Options::default(), outcome: Outcome::default(), sims: 0 }
    }

    /// The first legal stroke of `angles`, or the first that at least touches a legal ball.
    fn first_legal(
        &mut self,
        table: &Table,
        view: &PublicView,
        angles: impl Iterator<Item = u32>,
    ) -> Result<Option<Stroke>, Fault> {
        let void = |error: &dyn std::fmt::Display| Fault::Void(error.to_string());
        let layout = table.layout(&view.balls).map_err(|error| void(&error))?;
        let mut second_best = None;
        for angle in angles {
            let stroke = Stroke::new(angle, self.power).map_err(|error| void(&error))?;
            self.sims += 1;
            layout.launch_into(stroke.into(), &mut self.outcome);
            let judged = judge(&view.balls, &self.outcome, self.options.order);
            if judged.fouls.is_empty() {
                return Ok(Some(stroke));
            }
            let touches = judged.first_hit.is_some_and(|hit| allows(view, hit));
            second_best = second_best.or(touches.then_some(stroke));
        }
        Ok(second_best)
    }
}

fn allows(view: &PublicView, ball: Ball) -> bool {
    view.ball_on.is_some_and(|on| on.allows(ball))
}

impl Player<Race> for FirstHit {
    fn new_game(&mut self, start: &Start<'_, Race>) -> Result<(), Fault> {
        let start = RaceStart::from(start);
        self.options = start.options;
        self.sims = 0;
        Ok(())
    }

    fn choose(&mut self, _: &Race, view: &PublicView, _: Clock) -> Result<Action, Fault> {
        let white = view.balls.at[Ball::White.slot()]
            .ok_or_else(|| Fault::Void("no white to play".to_owned()))?;
        let TableValues { cloth, restitution } = view.table.unwrap_or(GUESS);
        let spec = TableSpec { pockets: self.options.pockets, cloth, restitution };
        let table = Table::new(spec).map_err(|error| Fault::Void(error.to_string()))?;
        let targets = targets(white, view);
        let direct = targets.iter().flat_map(|&ball| OFFSETS.map(|share| aim(white, ball, share)));
        if let Some(stroke) = self.first_legal(&table, view, direct)? {
            return Ok(stroke.into());
        }
        let straight = targets.first().map_or(0, |&ball| aim(white, ball, 0.0));
        let fan = (0..FAN).map(|step| (straight + step * (360_000 / FAN)) % 360_000);
        let found = self.first_legal(&table, view, fan)?;
        Ok(found.map_or(Action { angle: straight, power: self.power }, Action::from))
    }

    fn report(&self) -> Report {
        Report { sims: self.sims, identified_after: None }
    }
}

/// The balls that may be hit first, nearest first.
fn targets(white: Point, view: &PublicView) -> Vec<Point> {
    let mut targets: Vec<Point> = COLOURS
        .into_iter()
        .filter(|&colour| allows(view, colour))
        .filter_map(|colour| view.balls.at[colour.slot()])
        .collect();
    targets.sort_by_key(|ball| (white.distance_squared_um2(*ball), *ball));
    targets
}

/// The direction in which the white's path passes `share` of a diameter beside the middle of
/// `ball`, thousandths of a degree.
fn aim(white: Point, ball: Point, share: f64) -> u32 {
    let dx = f64::from(ball.x_um - white.x_um);
    let dy = f64::from(ball.y_um - white.y_um);
    let distance = libm::hypot(dx, dy).max(f64::from(BALL_DIAMETER_UM));
    let beside = libm::asin(share * f64::from(BALL_DIAMETER_UM) / distance);
    let turn = (libm::atan2(dy, dx) + beside) / TAU;
    ((turn - turn.floor()) * 360_000.0).round() as u32 % 360_000
}
