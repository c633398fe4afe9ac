//! Strokes worth thinking about: by geometry, from the cue ball over a friendly piece to a target
//! or a pocket. A simulation has the last word.

use crate::aim::path::DIAMETER_UM;
use crate::aim::{Scene, Vec2, WHITE, combinations, cut, direct_pots, to_mdeg};
use cuebench_engine::chess_pool::call::{Call, Calls, on_table};
use cuebench_engine::chess_pool::piece::{Ball, BallSet, Side};
use cuebench_engine::shot::Balls;
use cuebench_engine::units::{MAX_POWER, SPEED_PER_POWER_UM_S};

/// Directions tried across a target, from one edge to the other.
const SLICES: i32 = 9;
/// The share of a ball's width that is aimed at: thinner contacts are left out.
const USED_WIDTH: f64 = 0.9;

/// What a stroke is meant to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The capturer meets the target.
    Capture,
    /// A ball of the opponent's, or the king, falls.
    Pot(Ball),
    /// A ball that may be hit first is hit.
    Contact,
}

/// A range of the cue ball's directions that serves a purpose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// What it is meant to do.
    pub purpose: Purpose,
    /// The call that goes with it.
    pub call: Call,
    /// Middle of the directions, radians.
    pub middle: f64,
    /// Half their width, radians.
    pub half_width: f64,
    /// The least power that carries the balls there, before margins; 1..=1000.
    pub least_power: u32,
}

impl Aim {
    /// The chance that it succeeds when the direction errs normally with standard deviation
    /// `sigma`, radians.
    #[must_use]
    pub fn chance(&self, sigma: f64) -> f64 {
        if sigma <= 0.0 {
            return 1.0;
        }
        libm::erf(self.half_width / (sigma * std::f64::consts::SQRT_2))
    }

    /// The stroke's angle at `share` (-1 to 1) of the way from the middle to an edge, mdeg.
    #[must_use]
    pub fn angle(&self, share: f64) -> u32 {
        to_mdeg(self.middle + share * self.half_width)
    }

    /// The least power times `margin`, at most full.
    #[must_use]
    pub fn power(&self, margin: f64) -> u32 {
        ((f64::from(self.least_power) * margin) as u32).clamp(1, MAX_POWER)
    }
}

/// The balls that `side` may hit first.
#[must_use]
pub fn first_balls(balls: &Balls, side: Side) -> BallSet {
    let pieces = on_table(balls).intersection(side.pieces());
    if pieces.is_empty() { pieces.with(Ball::KING) } else { pieces }
}

/// Every capture that geometry allows: those of the legal `calls` whose capturer can be sent into
/// its target past all other balls.
pub fn captures(scene: &Scene<'_>, calls: &Calls, cloth: u32, out: &mut Vec<Aim>) {
    for &call in calls.as_slice() {
        if let Call::Move { capturer, target } = call {
            out.extend(capture(scene, call, [capturer.slot(), target.slot()], cloth));
        }
    }
}

/// The directions of the cue ball that send the capturer into the target, if there are any.
fn capture(
    scene: &Scene<'_>,
    call: Call,
    [capturer, target]: [usize; 2],
    cloth: u32,
) -> Option<Aim> {
    let (cue, driver, object) = (scene.at[WHITE]?, scene.at[capturer]?, scene.at[target]?);
    let way = object - driver;
    let half = libm::asin((DIAMETER_UM / way.length()).min(1.0)) * USED_WIDTH;
    let mut run: Option<Run> = None;
    let mut best: Option<Run> = None;
    for slice in 0..SLICES {
        let share = f64::from(2 * slice - SLICES + 1) / f64::from(SLICES - 1);
        let onward = Vec2::at_angle(way.angle() + share * half);
        let reach = way.length() - DIAMETER_UM;
        let open = cut(cue, driver, onward).filter(|cut| {
            scene.clearance_um(cue, cut.ghost, &[WHITE, capturer]) > 0.0
                && scene.clearance_um(driver, driver + onward * reach, &[WHITE, capturer, target])
                    > 0.0
        });
        run = open.map(|cut| {
            let power = power_to(cut.travel_um, cut.cos_cut, reach.max(0.0), cloth);
            run.unwrap_or(Run::at(cut.direction)).grown(cut.direction, power)
        });
        if run.is_some_and(|run| best.is_none_or(|best| run.slices > best.slices)) {
            best = run;
        }
    }
    best.map(|run| Aim {
        purpose: Purpose::Capture,
        call,
        middle: run.first + 0.5 * (run.low + run.high),
        half_width: (0.5 * (run.high - run.low)).max(1e-4),
        least_power: run.power,
    })
}

/// Neighbouring directions that are all open, relative to the first.
#[derive(Clone, Copy)]
struct Run {
    first: f64,
    low: f64,
    high: f64,
    slices: u32,
    power: u32,
}

impl Run {
    const fn at(first: f64) -> Self {
        Self { first, low: 0.0, high: 0.0, slices: 0, power: MAX_POWER }
    }

    fn grown(self, direction: f64, power: u32) -> Self {
        let turn = crate::aim::wrap(direction - self.first);
        Self {
            low: self.low.min(turn),
            high: self.high.max(turn),
            slices: self.slices + 1,
            power: self.power.min(power),
            ..self
        }
    }
}

/// The least power of a cue ball that rolls `first_um` to a cut of cosine `cos_cut`, after which
/// the object ball rolls `then_um`; no rail in between.
fn power_to(first_um: f64, cos_cut: f64, then_um: f64, cloth: u32) -> u32 {
    let deceleration = f64::from(cloth) * 1000.0;
    let speed2 = 2.0 * deceleration * (first_um + then_um / (cos_cut * cos_cut).max(1e-4));
    (speed2.sqrt() / f64::from(SPEED_PER_POWER_UM_S)).ceil().clamp(1.0, f64::from(MAX_POWER)) as u32
}

/// Pots of enemy pieces and of the king by way of a ball that may be hit first.
pub fn pots(scene: &Scene<'_>, balls: &Balls, side: Side, cloth: u32, out: &mut Vec<Aim>) {
    let first = first_balls(balls, side);
    let wanted = on_table(balls).intersection(side.other().pieces()).with(Ball::KING);
    for ball in wanted.iter() {
        let direct = first.contains(ball).then(|| direct_pots(scene, ball.slot()));
        let by_way = combinations(scene, ball.slot()).filter(|pot| match pot.route {
            crate::aim::Route::Combination { first: by } => {
                Ball::in_slot(by).is_some_and(|by| first.contains(by))
            }
            _ => false,
        });
        for pot in direct.into_iter().flatten().chain(by_way) {
            if pot.clearance_um <= 0.0 {
                continue;
            }
            let power = pot.least_speed_um_s(f64::from(cloth)) / f64::from(SPEED_PER_POWER_UM_S);
            out.push(Aim {
                purpose: Purpose::Pot(ball),
                call: Call::Slop,
                middle: pot.aim.middle(),
                half_width: pot.aim.half_width(),
                least_power: power.ceil().clamp(1.0, f64::from(MAX_POWER)) as u32,
            });
        }
    }
}

/// Plain contacts with a ball that may be hit first, with nothing in between.
pub fn contacts(scene: &Scene<'_>, balls: &Balls, side: Side, cloth: u32, out: &mut Vec<Aim>) {
    let Some(cue) = scene.at[WHITE] else { return };
    for ball in first_balls(balls, side).iter() {
        let Some(at) = scene.at[ball.slot()] else { continue };
        let way = at - cue;
        let gap = (way.length() - DIAMETER_UM).max(0.0);
        // Full in the face if that way is open, else the open part of the ball's width.
        let half = libm::asin((DIAMETER_UM / way.length()).min(1.0)) * USED_WIDTH;
        for share in [0.0, -0.4, 0.4, -0.8, 0.8] {
            let direction = way.angle() + share * half;
            let contact = cue + Vec2::at_angle(direction) * gap;
            if scene.clearance_um(cue, contact, &[WHITE, ball.slot()]) > 0.0 {
                out.push(Aim {
                    purpose: Purpose::Contact,
                    call: Call::Slop,
                    middle: direction,
                    half_width: half * (1.0 - f64::abs(share)),
                    least_power: power_to(way.length(), 1.0, 0.0, cloth),
                });
            }
        }
    }
}
