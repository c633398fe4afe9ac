//! Random shots: the mix that speed is measured on, and one of hard places for stress.

use super::balls::{Balls, MAX_BALLS};
use super::batch::Shot;
use super::place::{check_pair, check_place};
use super::stroke::Stroke;
use crate::fixed::{angle, round_um};
use crate::rng::{Purpose, Rng, stream};
use crate::table::{CLOTH_RANGE, PocketSet, RESTITUTION_RANGE, Table, TableSpec};
use crate::units::{
    BALL_DIAMETER_UM, BALL_RADIUS_UM, FULL_TURN_MDEG, LENGTH_UM, MAX_POWER, Point, WIDTH_UM,
};
use rand::RngExt as _;

/// Least power of a random shot of the open mix.
const LEAST_POWER: u32 = 150;
/// How far from its aim point balls are put into a pocket's mouth, µm.
const MOUTH_UM: i32 = 90_000;

/// Where the balls of random shots lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mix {
    /// Anywhere on the open table, none touching; power 150..=1000.
    #[default]
    Open,
    /// Frozen to balls and rails, in clusters, in the mouths of pockets and over the drop; power
    /// 1..=1000, and often straight along an axis.
    Hard,
    /// As `Hard`, on every table that is allowed, often at the ends of the ranges of cloth and
    /// restitution.
    HardAnyTable,
}

impl Mix {
    /// All mixes.
    pub const ALL: [Self; 3] = [Self::Open, Self::Hard, Self::HardAnyTable];
}

/// Shot `index` of `mix` under `seed`: `balls` balls (1..=16, the white among them), any angle,
/// cloth 700..=1300 mm/s², restitution 600..=900 thousandths (or any, as the mix says), either set
/// of pockets.
///
/// A pure function of its arguments. Counts of balls outside 1..=16 are brought inside.
#[must_use]
pub fn random_shot(mix: Mix, seed: u64, index: u64, balls: usize) -> Shot {
    let rng = &mut stream(seed, Purpose::Shots, index);
    let spec = TableSpec {
        pockets: PocketSet::ALL[rng.random_range(0..2_u32) as usize],
        cloth: within(rng, mix, [700, 1_300], CLOTH_RANGE),
        restitution: within(rng, mix, [600, 900], RESTITUTION_RANGE),
    };
    let Ok(table) = Table::new(spec) else { unreachable!("every draw is in range") };
    let stroke = match mix {
        Mix::Open => {
            let angle_mdeg = rng.random_range(0..FULL_TURN_MDEG);
            Stroke::new(angle_mdeg, rng.random_range(LEAST_POWER..=MAX_POWER))
        }
        Mix::Hard | Mix::HardAnyTable => hard_stroke(rng),
    };
    let Ok(stroke) = stroke else { unreachable!("every draw is in range") };
    let balls = layout(rng, mix, &table, balls.clamp(1, MAX_BALLS));
    Shot { table, balls, launch: stroke.into() }
}

/// A value of a race's table, or of any table that is allowed.
fn within(rng: &mut Rng, mix: Mix, race: [u32; 2], allowed: [u32; 2]) -> u32 {
    if mix != Mix::HardAnyTable {
        return rng.random_range(race[0]..=race[1]);
    }
    match rng.random_range(0..4_u32) {
        0 => allowed[0],
        1 => allowed[1],
        _ => rng.random_range(allowed[0]..=allowed[1]),
    }
}

fn hard_stroke(rng: &mut Rng) -> Result<Stroke, super::StrokeError> {
    let angle_mdeg = match rng.random_range(0..4_u32) {
        0 => rng.random_range(0..8_u32) * (FULL_TURN_MDEG / 8),
        _ => rng.random_range(0..FULL_TURN_MDEG),
    };
    let power = match rng.random_range(0..8_u32) {
        0 => 1,
        1 => MAX_POWER,
        _ => rng.random_range(1..=MAX_POWER),
    };
    Stroke::new(angle_mdeg, power)
}

/// `count` balls that may lie as they do.
fn layout(rng: &mut Rng, mix: Mix, table: &Table, count: usize) -> Balls {
    let mut balls = Balls::default();
    let mut placed = 0;
    while placed < count {
        let at = match mix {
            Mix::Open => open_place(rng),
            Mix::Hard | Mix::HardAnyTable => hard_place(rng, table, &balls, placed),
        };
        let clear = |(_, other): (usize, Point)| match mix {
            Mix::Open => at.distance_squared_um2(other) > i64::from(BALL_DIAMETER_UM).pow(2),
            Mix::Hard | Mix::HardAnyTable => check_pair([0, 1], [other, at]).is_ok(),
        };
        if check_place(table, 0, at).is_ok() && balls.on_table().all(clear) {
            balls.at[placed] = Some(at);
            placed += 1;
        }
    }
    balls
}

fn open_place(rng: &mut Rng) -> Point {
    Point::new(
        rng.random_range(BALL_RADIUS_UM..=LENGTH_UM - BALL_RADIUS_UM),
        rng.random_range(BALL_RADIUS_UM..=WIDTH_UM - BALL_RADIUS_UM),
    )
}

/// A place, not always free, at a ball, at a rail or in a pocket's mouth.
fn hard_place(rng: &mut Rng, table: &Table, balls: &Balls, placed: usize) -> Point {
    match rng.random_range(0..4_u32) {
        0 | 1 if placed > 0 => {
            let beside = balls.at[rng.random_range(0..placed as u32) as usize];
            let beside = beside.unwrap_or_default();
            let way = angle::direction(rng.random_range(0..FULL_TURN_MDEG))
                .times(crate::fixed::length(BALL_DIAMETER_UM));
            Point::new(beside.x_um + round_um(way.x), beside.y_um + round_um(way.y))
        }
        2 => {
            let Point { x_um, y_um } = open_place(rng);
            match rng.random_range(0..4_u32) {
                0 => Point::new(x_um, BALL_RADIUS_UM),
                1 => Point::new(x_um, WIDTH_UM - BALL_RADIUS_UM),
                2 => Point::new(BALL_RADIUS_UM, y_um),
                _ => Point::new(LENGTH_UM - BALL_RADIUS_UM, y_um),
            }
        }
        3 => {
            let aim = table.geometry().pockets[rng.random_range(0..6_u32) as usize].aim;
            let mut near = |middle: i32| rng.random_range(middle - MOUTH_UM..=middle + MOUTH_UM);
            Point::new(near(aim.x_um), near(aim.y_um))
        }
        _ => open_place(rng),
    }
}
