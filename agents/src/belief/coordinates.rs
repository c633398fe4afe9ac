//! How far the places seen lie outside the places that a cell of table values can reach.

use super::cell::Cell;
use super::trial::Replay;
use cuebench_engine::shot::{Balls, MAX_BALLS};
use cuebench_engine::units::Point;
use smallvec::SmallVec;

/// Slack beside every coordinate, µm: rounding at both ends.
const SLACK_UM: f64 = 2.0;
/// Reach beyond the corners, as a share of the spread over them.
const SPREAD_SHARE: f64 = 0.5;
/// Reach beyond the corners, as a multiple of the deviation from bilinear in the middle.
const BEND_FACTOR: f64 = 3.0;
/// Reach beyond the corners where the history changes within the cell, as a multiple of the
/// spread.
const MIXED_FACTOR: f64 = 3.0;
/// The miss of a cell in which a ball falls that was seen at rest, or the other way round.
const OTHER_FATE: f64 = 1e6;

/// The miss of `cell`, from its replays at the four corners and the middle: 0 when the places
/// seen lie within the values at the corners, 1 at the edge of the estimated reach beyond.
pub(super) fn miss(cell: Cell, replays: [&Replay; 5], seen: &Balls, tolerance_um: f64) -> f64 {
    let slack = SLACK_UM + tolerance_um;
    let mut smooth: SmallVec<[Coordinate; 2 * MAX_BALLS]> = SmallVec::new();
    let mut miss = 0.0_f64;
    for slot in 0..MAX_BALLS {
        let same = replays.iter().all(|r| r.histories[slot] == replays[0].histories[slot]);
        match (all(replays.map(|r| r.balls.at[slot])), seen.at[slot]) {
            // It lay where it lies all over the cell.
            (Some(places), Some(seen)) if places == [seen; 5] => {}
            (Some(places), Some(seen)) => {
                for of in [x as fn(Point) -> i32, y] {
                    let coordinate = Coordinate::new(cell, places, seen, of);
                    let factor = if same { SPREAD_SHARE } else { MIXED_FACTOR };
                    miss = miss.max(coordinate.miss(factor, slack));
                    if same {
                        smooth.push(coordinate);
                    }
                }
            }
            (Some(_), None) if same => return OTHER_FATE,
            (None, Some(_)) if same && replays.iter().all(|r| r.balls.at[slot].is_none()) => {
                return OTHER_FATE;
            }
            _ => {}
        }
    }
    miss.max(pairs_miss(&smooth, slack))
}

const fn x(point: Point) -> i32 {
    point.x_um
}

const fn y(point: Point) -> i32 {
    point.y_um
}

/// All five places, if the ball comes to rest in all five replays.
fn all(places: [Option<Point>; 5]) -> Option<[Point; 5]> {
    let [a, b, c, d, middle] = places;
    Some([a?, b?, c?, d?, middle?])
}

/// The greatest miss along combinations of two coordinates that, to first order, only one of the
/// two table values moves: two coordinates fix both values as two lines fix a point.
fn pairs_miss(smooth: &[Coordinate], slack: f64) -> f64 {
    let mut miss = 0.0_f64;
    for (index, f) in smooth.iter().enumerate() {
        for g in &smooth[index + 1..] {
            for value in [0, 1] {
                let (s, t) = (g.slopes[value], -f.slopes[value]);
                let both = f.combine(s, g, t);
                miss = miss.max(both.miss(SPREAD_SHARE, slack * (s.abs() + t.abs())));
            }
        }
    }
    miss
}

/// A coordinate of one ball over a cell, less the place seen, µm.
#[derive(Clone, Copy, Debug)]
struct Coordinate {
    corners: [f64; 4],
    /// How much the middle differs from what the corners let expect.
    bend: f64,
    /// Change across the rows of the cell, and across its columns.
    slopes: [f64; 2],
}

impl Coordinate {
    fn new(cell: Cell, places: [Point; 5], seen: Point, of: fn(Point) -> i32) -> Self {
        let [a, b, c, d, middle] = places.map(|place| f64::from(of(place) - of(seen)));
        let u = (cell.rows / 2) as f64 / cell.rows as f64;
        let v = (cell.columns / 2) as f64 / cell.columns as f64;
        let bilinear = (1.0 - u) * ((1.0 - v) * a + v * b) + u * ((1.0 - v) * c + v * d);
        Self {
            corners: [a, b, c, d],
            bend: (middle - bilinear).abs(),
            slopes: [0.5 * (c + d - a - b), 0.5 * (b + d - a - c)],
        }
    }

    /// The combination `s * self + t * other`.
    fn combine(&self, s: f64, other: &Self, t: f64) -> Self {
        Self {
            corners: std::array::from_fn(|i| s * self.corners[i] + t * other.corners[i]),
            // Errors of the two may add up.
            bend: s.abs() * self.bend + t.abs() * other.bend,
            slopes: [0.0; 2],
        }
    }

    /// How far zero, the place seen, lies outside the corners' values, in units of the reach.
    fn miss(&self, spread_factor: f64, slack: f64) -> f64 {
        let low = self.corners.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let reach = slack + spread_factor * (high - low) + BEND_FACTOR * self.bend;
        let outside = low.max(-high).max(0.0);
        if reach > 0.0 { outside / reach } else { 0.0 }
    }
}
