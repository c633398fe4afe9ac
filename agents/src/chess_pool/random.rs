//! `random`: a legal call drawn uniformly, any angle, any power.

use crate::aim::{Vec2, to_mdeg};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::player::{Player, Start};
use cuebench_engine::chess_pool::action::{Action, Phase};
use cuebench_engine::chess_pool::call::{Calls, on_table};
use cuebench_engine::chess_pool::frame::State;
use cuebench_engine::chess_pool::game::ChessPool;
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::chess_pool::rack::{FOOT_SPOT, HEAD_STRING_UM};
use cuebench_engine::chess_pool::view::View;
use cuebench_engine::rng::{Purpose, Rng, between, stream};
use cuebench_engine::units::{BALL_RADIUS_UM, FULL_TURN_MDEG, MAX_POWER, Point, WIDTH_UM};

/// Greatest deviation of a random break from the foot spot, thousandths of a degree.
const BREAK_SPREAD_MDEG: i32 = 3_000;

/// Legal calls and strokes drawn uniformly; a share of the shots is aimed at a friendly piece.
#[derive(Clone, Debug)]
pub struct RandomAgent {
    /// Of 1000 shots, how many are aimed at a ball that may be hit first.
    aimed_permille: u32,
    rng: Rng,
}

impl RandomAgent {
    /// An agent that aims `aimed_permille` of 1000 shots at the full face of a ball that may be
    /// hit first, ways past other balls not looked at.
    #[must_use]
    pub fn new(aimed_permille: u32) -> Self {
        Self { aimed_permille, rng: stream(0, Purpose::Agent, 0) }
    }

    fn shot(&mut self, state: &State, side: Side) -> Result<Action, Fault> {
        let calls = Calls::of(state.balls(), side, state.rules().options.grid);
        let call = calls.as_slice()[draw(&mut self.rng, calls.as_slice().len())];
        let cue = if state.cue_in_hand() { Some(free_place(&mut self.rng, state)?) } else { None };
        // No draw where nothing is aimed, so that the plain agent stays plain.
        let aimed = self.aimed_permille > 0
            && between(&mut self.rng, 0, 999).unsigned_abs() < self.aimed_permille;
        let angle = match cue.or(state.balls().at[Ball::CUE.slot()]) {
            Some(from) if aimed => at_a_first_ball(&mut self.rng, state, side, from),
            _ => any_angle(&mut self.rng),
        };
        Ok(Action::Shot { call, angle, power: any_power(&mut self.rng), cue })
    }
}

impl Player<ChessPool> for RandomAgent {
    fn new_game(&mut self, start: &Start<'_, ChessPool>) -> Result<(), Fault> {
        self.rng = stream(start.agent_seed, Purpose::Agent, start.seat as u64);
        Ok(())
    }

    fn choose(&mut self, _: &ChessPool, view: &View<'_>, _: Clock) -> Result<Action, Fault> {
        let rng = &mut self.rng;
        match view.state.phase() {
            Phase::Break => Ok(random_break(rng, 1)),
            Phase::Side => {
                let side = if between(rng, 0, 1) == 0 { Side::Solids } else { Side::Stripes };
                Ok(Action::Side { side })
            }
            Phase::King => {
                let choices = view.state.king_choices();
                let index = draw(rng, choices.len() as usize);
                let replace = choices.iter().nth(index).unwrap_or(Ball::KING);
                Ok(Action::King { replace })
            }
            Phase::Shot | Phase::Over => match view.shooter() {
                Some(side) => self.shot(view.state, side),
                None => Err(Fault::Void("no side is chosen".into())),
            },
        }
    }
}

/// A break from anywhere behind the head string towards the head of the rack, at a power from
/// `least_power` to full.
pub(super) fn random_break(rng: &mut Rng, least_power: u32) -> Action {
    let cue = any_place(rng);
    let towards = (Vec2::from(FOOT_SPOT) - Vec2::from(cue)).angle();
    let turn = between(rng, -BREAK_SPREAD_MDEG, BREAK_SPREAD_MDEG);
    let angle = (to_mdeg(towards) as i32 + turn).rem_euclid(FULL_TURN_MDEG as i32);
    let power = between(rng, least_power as i32, MAX_POWER as i32);
    Action::Break { cue, angle: angle.unsigned_abs(), power: power.unsigned_abs() }
}

/// A place behind the head string that overlaps no ball.
pub(super) fn free_place(rng: &mut Rng, state: &State) -> Result<Point, Fault> {
    // Nine balls bar less than a fifth of the area.
    (0..1000)
        .map(|_| any_place(rng))
        .find(|&place| state.placed(Some(place)).is_ok())
        .ok_or_else(|| Fault::Void("no free place behind the head string".into()))
}

fn any_place(rng: &mut Rng) -> Point {
    Point::new(
        between(rng, BALL_RADIUS_UM, HEAD_STRING_UM),
        between(rng, BALL_RADIUS_UM, WIDTH_UM - BALL_RADIUS_UM),
    )
}

fn at_a_first_ball(rng: &mut Rng, state: &State, side: Side, from: Point) -> u32 {
    let pieces = on_table(state.balls()).intersection(side.pieces());
    let first = if pieces.is_empty() { pieces.with(Ball::KING) } else { pieces };
    let ball = first.iter().nth(draw(rng, first.len() as usize));
    ball.and_then(|ball| state.balls().at[ball.slot()])
        .map_or(0, |at| to_mdeg((Vec2::from(at) - Vec2::from(from)).angle()))
}

/// A whole number below `count`; 0 for none.
pub(super) fn draw(rng: &mut Rng, count: usize) -> usize {
    between(rng, 0, count.saturating_sub(1) as i32) as usize
}

pub(super) fn any_angle(rng: &mut Rng) -> u32 {
    between(rng, 0, FULL_TURN_MDEG as i32 - 1).unsigned_abs()
}

pub(super) fn any_power(rng: &mut Rng) -> u32 {
    between(rng, 1, MAX_POWER as i32).unsigned_abs()
}
