//! Which strokes are tried: attempts that geometry proposes, contacts, and chance ones.

use super::super::aims::{Aim, captures, contacts, first_balls, pots};
use super::super::random::{any_power, draw, free_place};
use crate::aim::{Pockets, Scene, to_mdeg};
use crate::fault::Fault;
use cuebench_engine::chess_pool::board::Grid;
use cuebench_engine::chess_pool::call::Calls;
use cuebench_engine::chess_pool::frame::State;
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::rng::{Rng, between};
use cuebench_engine::shot::Balls;
use cuebench_engine::table::Table;
use cuebench_engine::units::{FULL_TURN_MDEG, Point};

/// Places tried for a cue ball in hand.
const PLACES: usize = 6;
/// Parts of a window that are aimed at, and powers over the least that carries.
const VARIANTS: [(f64, f64); 12] = [
    (0.0, 1.3),
    (0.0, 2.4),
    (0.5, 1.7),
    (-0.5, 1.7),
    (0.5, 3.2),
    (-0.5, 3.2),
    (0.0, 5.0),
    (0.85, 1.4),
    (-0.85, 1.4),
    (0.25, 1.2),
    (-0.25, 2.0),
    (0.9, 4.0),
];
/// Widest deviation of a chance stroke from the full face of a ball, thousandths of a degree.
const CHANCE_SPREAD_MDEG: i32 = 12_000;

/// A stroke, with the place of the cue ball when it is in hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Where the cue ball is placed.
    pub cue: Option<Point>,
    /// Thousandths of a degree.
    pub angle: u32,
    /// 1..=1000.
    pub power: u32,
}

/// At most `count` strokes for the player who is asked for a shot.
///
/// # Errors
/// When a cue ball in hand finds no place.
pub fn candidates(
    table: &Table,
    pockets: &Pockets,
    rng: &mut Rng,
    state: &State,
    count: u32,
) -> Result<Vec<Candidate>, Fault> {
    let side = state.side_of(state.to_move()).unwrap_or(Side::Solids);
    let grid = state.rules().options.grid;
    let places = if state.cue_in_hand() {
        (0..PLACES).map(|_| free_place(rng, state).map(Some)).collect::<Result<Vec<_>, _>>()?
    } else {
        vec![None]
    };
    let each = (count as usize).div_ceil(places.len());
    let mut out = Vec::with_capacity(count as usize + places.len());
    for cue in places {
        let balls = state.placed(cue).map_err(|error| Fault::Void(error.to_string()))?;
        let most = (out.len() + each).min(count as usize);
        fill(table, pockets, rng, (side, grid, cue, &balls), most, &mut out);
    }
    Ok(out)
}

/// Fills `out` to `most` strokes with the cue ball where it is: two thirds attempts if there are
/// as many, then contacts, then chance.
fn fill(
    table: &Table,
    pockets: &Pockets,
    rng: &mut Rng,
    (side, grid, cue, balls): (Side, Grid, Option<Point>, &Balls),
    most: usize,
    out: &mut Vec<Candidate>,
) {
    let spec = table.spec();
    let scene = Scene::new(pockets, f64::from(spec.restitution) / 1000.0, balls);
    let room = most.saturating_sub(out.len());
    let mut aims = Vec::new();
    captures(&scene, &Calls::of(balls, side, grid), spec.cloth, &mut aims);
    pots(&scene, balls, side, spec.cloth, &mut aims);
    vary(&aims, cue, out.len() + room * 2 / 3, out);
    aims.clear();
    contacts(&scene, balls, side, spec.cloth, &mut aims);
    vary(&aims, cue, most - room / 6, out);
    while out.len() < most {
        out.push(chance(&scene, rng, side, balls, cue));
    }
}

/// Adds the aims in all their variants, the first variant of each before the second of any.
fn vary(aims: &[Aim], cue: Option<Point>, most: usize, out: &mut Vec<Candidate>) {
    for (share, margin) in VARIANTS {
        for aim in aims {
            if out.len() >= most {
                return;
            }
            out.push(Candidate { cue, angle: aim.angle(share), power: aim.power(margin) });
        }
    }
}

/// A stroke near a ball that may be hit first, at any power.
fn chance(
    scene: &Scene<'_>,
    rng: &mut Rng,
    side: Side,
    balls: &Balls,
    cue: Option<Point>,
) -> Candidate {
    let first = first_balls(balls, side);
    let ball = first.iter().nth(draw(rng, first.len() as usize)).unwrap_or(Ball::KING);
    let at = scene.at[ball.slot()].unwrap_or_default();
    let from = scene.at[Ball::CUE.slot()].unwrap_or_default();
    let towards = to_mdeg((at - from).angle()) as i32;
    let turn = between(rng, -CHANCE_SPREAD_MDEG, CHANCE_SPREAD_MDEG);
    let angle = (towards + turn).rem_euclid(FULL_TURN_MDEG as i32).unsigned_abs();
    Candidate { cue, angle, power: any_power(rng) }
}
