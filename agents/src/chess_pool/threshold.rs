//! `threshold`: captures or pots when the estimated chance is high enough, else a safe legal
//! contact. It estimates by geometry and simulates nothing.

use super::aims::{Aim, Purpose as Meant, captures, contacts, pots};
use super::random::{any_angle, free_place, random_break};
use super::worth::{best_side, replaced_first};
use crate::aim::{Pockets, Scene, Vec2, WHITE, to_mdeg};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::player::{Player, Start};
use cuebench_engine::chess_pool::action::{Action, Phase};
use cuebench_engine::chess_pool::call::{Call, Calls, on_table};
use cuebench_engine::chess_pool::game::ChessPool;
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::chess_pool::view::View;
use cuebench_engine::rng::{Purpose, Rng, stream};
use cuebench_engine::shot::Balls;
use cuebench_engine::units::Point;
use std::sync::Arc;

/// The least power of a break.
const BREAK_POWER: u32 = 700;
/// Places tried for a cue ball in hand.
const PLACES: usize = 8;
/// Power of an attempt over the least that carries.
const ATTEMPT_MARGIN: f64 = 1.5;
/// Power of a safe contact over the least that carries.
const SAFE_MARGIN: f64 = 1.6;
/// Power of a shot that sees no ball to hit.
const BLIND_POWER: u32 = 400;

/// The options of `threshold`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Caution {
    /// The least estimated chance of an attempt, 0..=1.
    pub threshold: f64,
    /// Standard deviation of the aiming error it reckons with, radians, above 0.
    pub sigma: f64,
}

impl Default for Caution {
    fn default() -> Self {
        Self { threshold: 0.5, sigma: 0.003 }
    }
}

/// Attempts what it thinks likely.
#[derive(Clone, Debug)]
pub struct ThresholdAgent {
    caution: Caution,
    rng: Rng,
    pockets: Option<Arc<Pockets>>,
    aims: Vec<Aim>,
}

impl ThresholdAgent {
    /// An agent of that caution.
    #[must_use]
    pub fn new(caution: Caution) -> Self {
        let rng = stream(0, Purpose::Agent, 0);
        Self { caution, rng, pockets: None, aims: Vec::new() }
    }

    fn shot(&mut self, view: &View<'_>, side: Side) -> Result<Action, Fault> {
        let pockets = self
            .pockets
            .clone()
            .ok_or_else(|| Fault::Void("a shot before the frame began".into()))?;
        let places = self.places(view)?;
        let mut best: Option<(f64, Action)> = None;
        for cue in places {
            let balls = view.state.placed(cue).map_err(|error| Fault::Void(error.to_string()))?;
            let (worth, action) = self.at(view, &pockets, side, cue, &balls);
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, action));
            }
        }
        best.map(|(_, action)| action)
            .ok_or_else(|| Fault::Void("no place for the cue ball".into()))
    }

    fn places(&mut self, view: &View<'_>) -> Result<Vec<Option<Point>>, Fault> {
        if !view.state.cue_in_hand() {
            return Ok(vec![None]);
        }
        (0..PLACES).map(|_| free_place(&mut self.rng, view.state).map(Some)).collect()
    }

    /// The best shot with the cue ball where it is, and what it seems worth.
    fn at(
        &mut self,
        view: &View<'_>,
        pockets: &Pockets,
        side: Side,
        cue: Option<Point>,
        balls: &Balls,
    ) -> (f64, Action) {
        let spec = view.table.spec();
        let scene = Scene::new(pockets, f64::from(spec.restitution) / 1000.0, balls);
        self.aims.clear();
        let calls = Calls::of(balls, side, view.state.rules().options.grid);
        captures(&scene, &calls, spec.cloth, &mut self.aims);
        pots(&scene, balls, side, spec.cloth, &mut self.aims);
        let attempt = self.attempt(balls, side);
        if let Some((worth, aim)) = attempt {
            return (worth, stroke(&aim, ATTEMPT_MARGIN, cue));
        }
        self.aims.clear();
        contacts(&scene, balls, side, spec.cloth, &mut self.aims);
        let widest = self.aims.iter().max_by(|a, b| a.half_width.total_cmp(&b.half_width));
        match widest {
            Some(aim) => (0.0, stroke(aim, SAFE_MARGIN, cue)),
            None => (-1.0, self.blind(&scene, side, balls, cue)),
        }
    }

    /// The likeliest of the attempts that are worth most, if any is likely enough.
    fn attempt(&self, balls: &Balls, side: Side) -> Option<(f64, Aim)> {
        let enemies = on_table(balls).intersection(side.other().pieces());
        let worth = |aim: &Aim| {
            let king = match (aim.purpose, aim.call) {
                (Meant::Pot(ball), _) => ball == Ball::KING,
                (_, Call::Move { target, .. }) => target == Ball::KING,
                _ => false,
            };
            let wins = king && enemies.is_empty();
            if wins { 2.0 } else { 1.0 }
        };
        self.aims
            .iter()
            .map(|aim| (aim.chance(self.caution.sigma), aim))
            .filter(|(chance, _)| *chance >= self.caution.threshold)
            .map(|(chance, aim)| (chance * worth(aim), *aim))
            .max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// With no ball in sight: towards the nearest one that may be hit, whatever is in between.
    fn blind(
        &mut self,
        scene: &Scene<'_>,
        side: Side,
        balls: &Balls,
        cue: Option<Point>,
    ) -> Action {
        let from = scene.at[WHITE].unwrap_or_default();
        let nearest = super::aims::first_balls(balls, side)
            .iter()
            .filter_map(|ball| scene.at[ball.slot()])
            .min_by(|a, b| from.distance(*a).total_cmp(&from.distance(*b)));
        let angle = nearest
            .map_or_else(|| any_angle(&mut self.rng), |at: Vec2| to_mdeg((at - from).angle()));
        Action::Shot { call: Call::Slop, angle, power: BLIND_POWER, cue }
    }
}

fn stroke(aim: &Aim, margin: f64, cue: Option<Point>) -> Action {
    Action::Shot { call: aim.call, angle: aim.angle(0.0), power: aim.power(margin), cue }
}

impl Player<ChessPool> for ThresholdAgent {
    fn new_game(&mut self, start: &Start<'_, ChessPool>) -> Result<(), Fault> {
        self.rng = stream(start.agent_seed, Purpose::Agent, start.seat as u64);
        self.pockets = Some(Arc::new(Pockets::of(start.game.table.geometry())));
        Ok(())
    }

    fn choose(&mut self, _: &ChessPool, view: &View<'_>, _: Clock) -> Result<Action, Fault> {
        match view.state.phase() {
            Phase::Break => Ok(random_break(&mut self.rng, BREAK_POWER)),
            Phase::Side => Ok(Action::Side { side: best_side(view.state) }),
            Phase::King => Ok(Action::King { replace: replaced_first(view.state.king_choices()) }),
            Phase::Shot | Phase::Over => match view.shooter() {
                Some(side) => self.shot(view, side),
                None => Err(Fault::Void("no side is chosen".into())),
            },
        }
    }
}
