//! Where the balls start, and how fast the hidden table is: pure functions of seed and options.

use super::ball::{Ball, COLOURS};
use super::options::{Layout, Options, TableOption};
use crate::game::Seed;
use crate::rng::{Purpose, Rng, between, stream};
use crate::shot::Balls;
use crate::table::TableSpec;
use crate::units::{BALL_DIAMETER_UM, BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};
use std::ops::RangeInclusive;

/// Least gap between a ball that is placed at random and any other ball or cushion, µm.
pub const CLEARANCE_UM: i32 = 10_000;
/// Least distance from the centre of a ball of the random layout to the corners of the playing
/// area and the middles of its long sides, µm. It keeps whole balls out of every pocket's mouth.
pub const POCKET_CLEARANCE_UM: i32 = 100_000;

/// Cloth speeds of a race table, mm/s².
pub const CLOTH_MM_S2: RangeInclusive<i32> = 700..=1300;
/// Restitutions of a race table, thousandths.
pub const RESTITUTION: RangeInclusive<i32> = 600..=900;

// The snooker table in the same thousandths of an inch-based units, length 3569 mm.
const SNOOKER_LENGTH_MM: i64 = 3569;
const BAULK_LINE_MM: i64 = 737;
const D_RADIUS_MM: i64 = 292;
const BLACK_FROM_RAIL_MM: i64 = 324;

/// The table of the race with `seed`: its pockets from the options, cloth speed and restitution
/// drawn uniformly from their ranges. Values that are known follow from the public seed; those that
/// are hidden from the hidden one, so that no one can find them from a layout he sees.
#[must_use]
pub fn table_values(seed: Seed, options: &Options) -> TableSpec {
    let seed = match options.table {
        TableOption::Known => seed.public,
        TableOption::Hidden => seed.hidden,
    };
    let mut rng = stream(seed, Purpose::TableValues, 0);
    let cloth = between(&mut rng, *CLOTH_MM_S2.start(), *CLOTH_MM_S2.end());
    let restitution = between(&mut rng, *RESTITUTION.start(), *RESTITUTION.end());
    TableSpec {
        pockets: options.pockets,
        cloth: cloth.unsigned_abs(),
        restitution: restitution.unsigned_abs(),
    }
}

/// The starting position of the race with `seed`, the same for both pocket sets.
#[must_use]
pub fn starting_position(seed: u64, options: &Options) -> Balls {
    let mut rng = stream(seed, Purpose::Layout, 0);
    match options.layout {
        Layout::Random => random(&mut rng),
        Layout::Spots => spots(&mut rng),
    }
}

/// All seven balls, in the order of their slots, each uniform over the places still clear.
fn random(rng: &mut Rng) -> Balls {
    let mut balls = Balls::default();
    let inset = BALL_RADIUS_UM + CLEARANCE_UM;
    for ball in Ball::ALL {
        loop {
            let x_um = between(rng, inset, LENGTH_UM - inset);
            let y_um = between(rng, inset, WIDTH_UM - inset);
            let place = Point::new(x_um, y_um);
            if clear_of_pockets(place) && clear_of_balls(place, &balls) {
                balls.at[ball.slot()] = Some(place);
                break;
            }
        }
    }
    balls
}

/// Colours on their spots, the white uniform over the clear places of the D.
fn spots(rng: &mut Rng) -> Balls {
    let mut balls = Balls::default();
    for colour in COLOURS {
        balls.at[colour.slot()] = Some(spot(colour));
    }
    let (brown, radius) = (spot(Ball::Brown), scaled(D_RADIUS_MM));
    let radius_squared = i64::from(radius) * i64::from(radius);
    loop {
        let x_um = brown.x_um + between(rng, -radius, 0);
        let y_um = brown.y_um + between(rng, -radius, radius);
        let place = Point::new(x_um, y_um);
        if place.distance_squared_um2(brown) <= radius_squared && clear_of_balls(place, &balls) {
            balls.at[Ball::White.slot()] = Some(place);
            return balls;
        }
    }
}

/// The spot of a colour: snooker's spots scaled to the table's length, baulk at small x, yellow at
/// the lower end of the D and green at the upper. The white has none; it gets the brown's.
fn spot(ball: Ball) -> Point {
    let (baulk, radius, middle) = (scaled(BAULK_LINE_MM), scaled(D_RADIUS_MM), WIDTH_UM / 2);
    match ball {
        Ball::Yellow => Point::new(baulk, middle - radius),
        Ball::Green => Point::new(baulk, middle + radius),
        Ball::Brown | Ball::White => Point::new(baulk, middle),
        Ball::Blue => Point::new(LENGTH_UM / 2, middle),
        Ball::Pink => Point::new(LENGTH_UM / 4 * 3, middle),
        Ball::Black => Point::new(LENGTH_UM - scaled(BLACK_FROM_RAIL_MM), middle),
    }
}

/// A length of the snooker table scaled to this one, µm, rounded half up.
const fn scaled(length_mm: i64) -> i32 {
    ((2 * length_mm * LENGTH_UM as i64 + SNOOKER_LENGTH_MM) / (2 * SNOOKER_LENGTH_MM)) as i32
}

fn clear_of_pockets(place: Point) -> bool {
    let least = i64::from(POCKET_CLEARANCE_UM);
    [0, LENGTH_UM / 2, LENGTH_UM]
        .into_iter()
        .flat_map(|x| [Point::new(x, 0), Point::new(x, WIDTH_UM)])
        .all(|pocket| place.distance_squared_um2(pocket) >= least * least)
}

fn clear_of_balls(place: Point, balls: &Balls) -> bool {
    let least = i64::from(BALL_DIAMETER_UM + CLEARANCE_UM);
    balls.at.iter().flatten().all(|&ball| place.distance_squared_um2(ball) >= least * least)
}
