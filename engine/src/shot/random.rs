//! Random shots: the mix that speed and stress are measured on.

use super::balls::{Balls, MAX_BALLS};
use super::batch::Shot;
use super::place::check_pair;
use super::stroke::Stroke;
use crate::rng::{Purpose, Rng, stream};
use crate::table::{PocketSet, Table, TableSpec};
use crate::units::{BALL_RADIUS_UM, FULL_TURN_MDEG, LENGTH_UM, MAX_POWER, Point, WIDTH_UM};
use rand::RngExt as _;

/// Least power of a random shot.
const LEAST_POWER: u32 = 150;

/// Shot `index` of the mix under `seed`: `balls` balls (1..=16, the white among them) anywhere on
/// the open table without touching, any angle, power 150..=1000, cloth 700..=1300 mm/s²,
/// restitution 600..=900 thousandths, either set of pockets.
///
/// A pure function of its arguments. Counts of balls outside 1..=16 are brought inside.
#[must_use]
pub fn random_shot(seed: u64, index: u64, balls: usize) -> Shot {
    let rng = &mut stream(seed, Purpose::Shots, index);
    let spec = TableSpec {
        pockets: PocketSet::ALL[rng.random_range(0..2_u32) as usize],
        cloth: rng.random_range(700..=1_300),
        restitution: rng.random_range(600..=900),
    };
    let angle_mdeg = rng.random_range(0..FULL_TURN_MDEG);
    let power = rng.random_range(LEAST_POWER..=MAX_POWER);
    let balls = layout(rng, balls.clamp(1, MAX_BALLS));
    let (Ok(table), Ok(stroke)) = (Table::new(spec), Stroke::new(angle_mdeg, power)) else {
        unreachable!("every draw is in range")
    };
    Shot { table, balls, launch: stroke.into() }
}

/// `count` balls anywhere on the open table, none touching another.
fn layout(rng: &mut Rng, count: usize) -> Balls {
    let mut balls = Balls::default();
    let mut placed = 0;
    while placed < count {
        let at = Point::new(
            rng.random_range(BALL_RADIUS_UM..=LENGTH_UM - BALL_RADIUS_UM),
            rng.random_range(BALL_RADIUS_UM..=WIDTH_UM - BALL_RADIUS_UM),
        );
        if balls.on_table().all(|(_, other)| check_pair([0, 1], [other, at]).is_ok()) {
            balls.at[placed] = Some(at);
            placed += 1;
        }
    }
    balls
}
