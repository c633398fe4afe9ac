//! Candidate strokes: what geometry suggests, before any simulation.
//!
//! A direct pot becomes a small fan of strokes: a few directions across its aiming window, a few
//! powers from just enough to full. Simulation then tells which of them pot, and where they leave
//! the white.

use crate::aim::path::{DIAMETER_UM, travel_to_contact};
use crate::aim::{
    Cushion, Pot, Scene, Vec2, WHITE, bank_pots, combinations, direct_pots, kick, kick_pots,
    to_mdeg,
};
use cuebench_engine::shot::Stroke;
use cuebench_engine::units::{FULL_TURN_MDEG, MAX_POWER, SPEED_PER_POWER_UM_S};

/// How finely strokes are laid over a pot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fan {
    /// Directions across the aiming window.
    pub directions: u32,
    /// Powers between the least that carries the ball home and full power.
    pub powers: u32,
}

/// The least free width that geometry believes in, µm: a path it finds blocked by a hair may be
/// open a hair beside the middle of the window.
const CLEARANCE_SLACK_UM: f64 = -4_000.0;
/// Share of speed that a route over a cushion may lose on the way and that the least power makes
/// up for.
const CUSHION_LOSS: f64 = 1.4;
/// The least power stands this much above what geometry asks for.
const POWER_MARGIN: f64 = 1.03;

/// Steps in angle and power of strokes all round: Roberts' sequence R2, built on the plastic
/// number, which fills a square evenly at any count.
const EVEN_STEPS: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];

/// The strokes of `fan` for the open direct pots of `target`, best window first.
#[must_use]
pub fn direct(scene: &Scene<'_>, target: usize, cloth: f64, fan: Fan) -> Vec<Stroke> {
    strokes(direct_pots(scene, target).collect(), cloth, 1.0, fan)
}

/// The strokes of `fan` for pots of `target` with one cushion: the white's, or the ball's.
#[must_use]
pub fn cushion(scene: &Scene<'_>, target: usize, cloth: f64, fan: Fan) -> Vec<Stroke> {
    let pots = kick_pots(scene, target).chain(bank_pots(scene, target)).collect();
    strokes(pots, cloth, CUSHION_LOSS, fan)
}

/// The strokes of `fan` that pot `target` by way of another ball.
#[must_use]
pub fn by_combination(scene: &Scene<'_>, target: usize, cloth: f64, fan: Fan) -> Vec<Stroke> {
    strokes(combinations(scene, target).collect(), cloth, 1.0, fan)
}

fn strokes(mut pots: Vec<Pot>, cloth: f64, loss: f64, fan: Fan) -> Vec<Stroke> {
    pots.retain(|pot| pot.clearance_um > CLEARANCE_SLACK_UM);
    // Stable, so equal windows keep the order of the pockets.
    pots.sort_by(|a, b| b.aim.half_width().total_cmp(&a.aim.half_width()));
    pots.iter().flat_map(|pot| fan_of(pot, cloth, loss, fan)).collect()
}

/// The strokes of `fan` over one pot.
fn fan_of(pot: &Pot, cloth: f64, loss: f64, fan: Fan) -> impl Iterator<Item = Stroke> {
    let least = least_power(pot.least_speed_um_s(cloth) * loss);
    let window = pot.aim;
    spread(fan.powers, least, f64::from(MAX_POWER)).flat_map(move |power| {
        (0..fan.directions).filter_map(move |step| {
            let aside = share(step, fan.directions) * window.half_width();
            stroke(window.middle() + aside, power)
        })
    })
}

/// The least power whose speed is at least `speed_um_s` with a little to spare.
fn least_power(speed_um_s: f64) -> f64 {
    (speed_um_s * POWER_MARGIN / f64::from(SPEED_PER_POWER_UM_S)).ceil().max(1.0)
}

/// `count` powers from `least` to `most` in equal ratios; none when the least is out of reach.
fn spread(count: u32, least: f64, most: f64) -> impl Iterator<Item = f64> {
    let count = if least > most { 0 } else { count };
    let steps = f64::from(count.max(2) - 1);
    let ratio = libm::log(most / least);
    (0..count).map(move |step| least * libm::exp(ratio * f64::from(step) / steps))
}

/// The stroke in `direction` radians with `power`, rounded; `None` out of range.
#[must_use]
pub fn stroke(direction: f64, power: f64) -> Option<Stroke> {
    Stroke::new(to_mdeg(direction), power.round().clamp(1.0, f64::from(MAX_POWER)) as u32).ok()
}

/// `count` strokes all round the white with powers from `least_power` up, evenly spread.
pub fn around(count: u32, least_power: u32) -> impl Iterator<Item = Stroke> {
    let within = |index: u32, step: f64, range: u32| {
        ((f64::from(index) * step).fract() * f64::from(range)) as u32
    };
    (0..count).filter_map(move |index| {
        let angle = within(index, EVEN_STEPS[0], FULL_TURN_MDEG);
        let power = least_power + within(index, EVEN_STEPS[1], MAX_POWER + 1 - least_power);
        Stroke::new(angle, power).ok()
    })
}

/// Directions of the white, radians, that should meet `target` first: `count` across its breadth,
/// and `count` over each cushion. Blocked ones are left out.
#[must_use]
pub fn contacts(scene: &Scene<'_>, target: usize, count: u32) -> Vec<f64> {
    let (Some(white), Some(object)) = (scene.at[WHITE], scene.at[target]) else {
        return Vec::new();
    };
    let half = libm::asin((DIAMETER_UM / white.distance(object)).min(1.0));
    let straight = (0..count)
        .map(|step| (object - white).angle() + share(step, count) * half)
        .filter(|&direction| sees(scene, white, direction, target));
    let kicked = Cushion::ALL.into_iter().flat_map(|cushion| {
        (0..count).filter_map(move |step| {
            kicked_contact(scene, white, target, cushion, share(step, count))
        })
    });
    straight.chain(kicked).collect()
}

/// The direction over `cushion` that meets `target` off its middle by `share` of a diameter.
fn kicked_contact(
    scene: &Scene<'_>,
    white: Vec2,
    target: usize,
    cushion: Cushion,
    share: f64,
) -> Option<f64> {
    let object = scene.at[target]?;
    let (_, bounce) = kick(scene, object, cushion)?;
    let across = (object - bounce).unit().left();
    let (direction, bounce) = kick(scene, object + across * (share * DIAMETER_UM), cushion)?;
    let open = scene.clearance_um(white, bounce, &[WHITE]) > 0.0
        && scene.clearance_um(bounce, object, &[WHITE, target]) > 0.0;
    open.then_some(direction)
}

/// The middle of part `step` of `count` equal parts of -1..1.
fn share(step: u32, count: u32) -> f64 {
    (2.0 * f64::from(step) + 1.0) / f64::from(count) - 1.0
}

/// Whether the first ball in `direction` is `target`.
fn sees(scene: &Scene<'_>, white: Vec2, direction: f64, target: usize) -> bool {
    let unit = Vec2::at_angle(direction);
    let travel = |slot: usize| scene.at[slot].and_then(|at| travel_to_contact(white, unit, at));
    let Some(to_target) = travel(target) else { return false };
    scene
        .object_balls()
        .filter(|&slot| slot != target)
        .all(|slot| travel(slot).is_none_or(|other| other > to_target))
}
