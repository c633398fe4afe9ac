//! The nearest free place: where a ball goes back to when its starting position is taken.
//!
//! A free place is a whole-micrometre point whose centre is more than 57 000 µm from every ball,
//! at least 28 500 µm from all rubber, and on the table side of every mouth line. Of the free
//! places nearest to the start the one with the smallest x wins, then the smallest y. A start that
//! is a free place is its own nearest.
//!
//! The search is exact: columns of equal x, best first. Everything forbidden is a union of convex
//! sets, so what a set forbids in *every* column between two others is what it forbids in both of
//! them; that bounds whole blocks of columns from below, and only the few around the answer are
//! looked at one by one.

use super::rubber::{Rubber, Slice, common};
use crate::shot::Balls;
use crate::table::PocketSet;
use crate::units::{BALL_DIAMETER_UM, BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Half-width of the first search, µm. A wider one follows only if nothing is free in it.
const FIRST_REACH_UM: i64 = 150_000;

/// The free place nearest to `start` on a table with `pockets` and `balls` on it. (Should nothing
/// be free, which the balls of a game cannot bring about, it is `start` itself.)
#[must_use]
pub fn nearest_free_place(pockets: PocketSet, start: Point, balls: &Balls) -> Point {
    if far_from_rubber(start) && clear_of_balls(start, balls) {
        return start;
    }
    let rubber = Rubber::of(pockets);
    let mut reach_um = FIRST_REACH_UM;
    while reach_um < 4 * i64::from(LENGTH_UM) {
        if let Some(place) = Search::new(start, reach_um, rubber, balls).run() {
            return place;
        }
        reach_um *= 4;
    }
    start
}

/// Whether a place is so clear of cushions and pockets that rubber need not be looked at: before
/// every nose line, and away from the pockets. Every start of a random layout is.
fn far_from_rubber(place: Point) -> bool {
    const FROM_POCKET_UM: i64 = 100_000;
    (BALL_RADIUS_UM..=LENGTH_UM - BALL_RADIUS_UM).contains(&place.x_um)
        && (BALL_RADIUS_UM..=WIDTH_UM - BALL_RADIUS_UM).contains(&place.y_um)
        && [0, LENGTH_UM / 2, LENGTH_UM].into_iter().all(|x| {
            [0, WIDTH_UM].into_iter().all(|y| {
                let pocket = Point::new(x, y);
                place.distance_squared_um2(pocket) >= FROM_POCKET_UM * FROM_POCKET_UM
            })
        })
}

fn clear_of_balls(place: Point, balls: &Balls) -> bool {
    const TOUCHING: i64 = (BALL_DIAMETER_UM as i64) * (BALL_DIAMETER_UM as i64);
    balls.at.iter().flatten().all(|&ball| place.distance_squared_um2(ball) > TOUCHING)
}

/// A search for the nearest free place no further than `reach_um` away.
struct Search {
    start: Point,
    reach_um: i64,
    rubber: Rubber,
    balls: Vec<Point>,
}

/// Squared distance, then x, then y: the least is the answer.
type Key = (i64, i64, i64);

impl Search {
    fn new(start: Point, reach_um: i64, rubber: &Rubber, balls: &Balls) -> Self {
        let far = reach_um + i64::from(BALL_DIAMETER_UM);
        let near = |ball: &&Point| start.distance_squared_um2(**ball) <= far * far;
        let balls = balls.at.iter().flatten().filter(near).copied().collect();
        Self { start, reach_um, rubber: rubber.clone().near(start, reach_um), balls }
    }

    fn run(&self) -> Option<Point> {
        let x = i64::from(self.start.x_um);
        let first = (x - self.reach_um).max(0);
        let last = (x + self.reach_um).min(LENGTH_UM.into());
        let mut best: Key = (self.reach_um * self.reach_um + 1, 0, 0);
        let mut found = None;
        let mut blocks = BinaryHeap::new();
        self.push(&mut blocks, first, last);
        while let Some(Reverse((bound, first, last))) = blocks.pop() {
            if bound > best.0 {
                break;
            }
            if first < last {
                let middle = first + (last - first) / 2;
                self.push(&mut blocks, first, middle);
                self.push(&mut blocks, middle + 1, last);
                continue;
            }
            for y in self.nearest_in([first, first]).into_iter().flatten() {
                let key = (self.distance_squared(first, y), first, y);
                if key < best {
                    best = key;
                    found = Some(Point::new(first as i32, y as i32));
                }
            }
        }
        found
    }

    fn push(&self, blocks: &mut BinaryHeap<Reverse<Key>>, first: i64, last: i64) {
        if first > last {
            return;
        }
        let x = i64::from(self.start.x_um).clamp(first, last);
        let nearest = self.nearest_in([first, last]).into_iter().flatten();
        if let Some(bound) = nearest.map(|y| self.distance_squared(x, y)).min() {
            blocks.push(Reverse((bound, first, last)));
        }
    }

    fn distance_squared(&self, x: i64, y: i64) -> i64 {
        let (dx, dy) = (x - i64::from(self.start.x_um), y - i64::from(self.start.y_um));
        dx * dx + dy * dy
    }

    /// The y nearest to the start's, below and above it, that no set forbids in every column from
    /// `ends[0]` to `ends[1]`.
    fn nearest_in(&self, ends: [i64; 2]) -> [Option<i64>; 2] {
        let balls = self.balls.iter().map(|&ball| common(ends.map(|x| ball_slice(ball, x))));
        let forbidden: SmallVec<[[i64; 2]; 48]> =
            balls.chain(self.rubber.common_slices(ends)).flatten().collect();
        let (low, high) = (1, i64::from(WIDTH_UM) - 1);
        let mut nearest = [i64::from(self.start.y_um).clamp(low, high); 2];
        while let Some(slice) = forbidden.iter().find(|s| (s[0]..=s[1]).contains(&nearest[0])) {
            nearest[0] = slice[0] - 1;
        }
        while let Some(slice) = forbidden.iter().find(|s| (s[0]..=s[1]).contains(&nearest[1])) {
            nearest[1] = slice[1] + 1;
        }
        [(nearest[0] >= low).then_some(nearest[0]), (nearest[1] <= high).then_some(nearest[1])]
    }
}

/// The y at which another ball's centre would be at most two radii from `ball` in column `x`.
fn ball_slice(ball: Point, x: i64) -> Slice {
    let (dx, reach) = (x - i64::from(ball.x_um), i64::from(BALL_DIAMETER_UM));
    let left = reach * reach - dx * dx;
    (left >= 0).then(|| {
        let half = left.isqrt();
        [i64::from(ball.y_um) - half, i64::from(ball.y_um) + half]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng, between, stream};

    /// The definition, point by point.
    fn is_free(rubber: &Rubber, place: Point, balls: &Balls) -> bool {
        clear_of_balls(place, balls) && rubber.allows(place)
    }

    /// Every point of growing squares around the start, until no nearer one can follow.
    fn by_brute_force(rubber: &Rubber, start: Point, balls: &Balls) -> Point {
        let mut best: Option<(i64, Point)> = None;
        for ring in 0.. {
            if best.is_some_and(|(distance, _)| i64::from(ring) * i64::from(ring) > distance) {
                break;
            }
            let mut look = |dx: i32, dy: i32| {
                let place = Point::new(start.x_um + dx, start.y_um + dy);
                let key = (place.distance_squared_um2(start), place);
                if best.is_none_or(|best| key < best) && is_free(rubber, place, balls) {
                    best = Some(key);
                }
            };
            for along in -ring..=ring {
                look(along, -ring);
                look(along, ring);
                look(-ring, along);
                look(ring, along);
            }
        }
        best.expect("something is free").1
    }

    fn balls(at: &[Point]) -> Balls {
        let mut balls = Balls::default();
        for (slot, &place) in at.iter().enumerate() {
            balls.at[slot] = Some(place);
        }
        balls
    }

    #[test]
    fn a_free_start_is_its_own_place() {
        let start = Point::new(600_000, 600_000);
        let place = nearest_free_place(PocketSet::Snooker, start, &Balls::default());
        assert_eq!(place, start);
    }

    #[test]
    fn places_that_need_no_look_at_the_rubber_are_clear_of_it() {
        let mut rng = stream(7, Purpose::Test, 0);
        for pockets in PocketSet::ALL {
            let rubber = Rubber::of(pockets);
            let mut quick = 0;
            for _ in 0..20_000 {
                // Half of them about a pocket.
                let (x, y) = (between(&mut rng, 0, LENGTH_UM), between(&mut rng, 0, WIDTH_UM));
                let near = |value: i32, step: i32| value / step * step + value % 150_000;
                let place = if between(&mut rng, 0, 1) == 0 {
                    Point::new(x, y)
                } else {
                    Point::new(near(x, LENGTH_UM / 2), near(y, WIDTH_UM))
                };
                if far_from_rubber(place) {
                    quick += 1;
                    assert!(rubber.allows(place), "{place:?}");
                }
            }
            assert!(quick > 5_000, "{quick}");
        }
    }

    #[test]
    fn touching_is_not_free() {
        let start = Point::new(600_000, 600_000);
        let touching = balls(&[Point::new(657_000, 600_000)]);
        let place = nearest_free_place(PocketSet::Snooker, start, &touching);
        assert_eq!(place, Point::new(599_999, 600_000));
    }

    /// On the very spot: of the points just over two radii away the one with the smallest x, then
    /// the smallest y. 57000² + 1 is the least squared distance, as (±57000, ±1) or (±1, ±57000).
    #[test]
    fn ties_go_to_smaller_x_then_smaller_y() {
        let start = Point::new(1_000_000, 600_000);
        let place = nearest_free_place(PocketSet::Pool, start, &balls(&[start]));
        assert_eq!(place, Point::new(943_000, 599_999));
    }

    #[test]
    fn agrees_with_brute_force_where_the_answer_is_near() {
        let mut rng = stream(5, Purpose::Test, 0);
        let mut moved = 0;
        for case in 0..60 {
            let pockets = PocketSet::ALL[case % 2];
            let start = start_near_trouble(&mut rng, pockets, case);
            // Balls whose forbidden discs hide the start by no more than about 100 µm.
            let angle = between(&mut rng, 0, 359);
            let at = [0, 40].map(|turn| beside(&mut rng, start, angle + turn));
            let balls = balls(&at[..1 + case / 2 % 2]);
            let expected = by_brute_force(Rubber::of(pockets), start, &balls);
            moved += usize::from(expected != start);
            let place = nearest_free_place(pockets, start, &balls);
            assert_eq!(place, expected, "case {case}: {start:?} {at:?}");
        }
        assert!(moved > 30, "{moved}");
    }

    /// A start in the open, at a cushion, or at the mouth of a pocket.
    fn start_near_trouble(rng: &mut Rng, pockets: PocketSet, case: usize) -> Point {
        // Where the mouth line of a corner meets the rails, and half way between.
        let corner = (f64::from(pockets.corner().mouth_um) / 2_f64.sqrt()) as i32;
        let spread = |rng: &mut Rng| between(rng, -100, 100);
        match case % 5 {
            0 => Point::new(between(rng, 200_000, 900_000), between(rng, 200_000, 900_000)),
            1 => Point::new(between(rng, 200_000, 900_000), 28_500 + spread(rng)),
            2 => Point::new(LENGTH_UM / 2 + spread(rng), spread(rng)),
            3 => Point::new(corner / 2 + spread(rng), corner / 2 + spread(rng)),
            _ => {
                let (dx, dy) = (spread(rng), spread(rng));
                Point::new(LENGTH_UM - 28_500 + dx, WIDTH_UM - corner - 3_000 + dy)
            }
        }
    }

    /// A ball that overlaps a ball on `start` by up to 100 µm, in the direction `angle_deg`.
    fn beside(rng: &mut Rng, start: Point, angle_deg: i32) -> Point {
        let angle = f64::from(angle_deg).to_radians();
        let distance = f64::from(between(rng, 56_900, 57_010));
        let x_um = start.x_um + (distance * angle.cos()) as i32;
        let y_um = start.y_um + (distance * angle.sin()) as i32;
        Point::new(x_um, y_um)
    }

    /// Deep overlaps: the answer is free, and nothing on a fine ring nearer to the start is.
    #[test]
    fn deep_overlaps_give_a_free_place_and_none_nearer() {
        let mut rng = stream(6, Purpose::Test, 0);
        for case in 0..60 {
            let pockets = PocketSet::ALL[case % 2];
            let start = Point::new(
                between(&mut rng, 30_000, LENGTH_UM - 30_000),
                between(&mut rng, 30_000, WIDTH_UM - 30_000),
            );
            let near = |rng: &mut Rng| {
                let (dx, dy) = (between(rng, -90_000, 90_000), between(rng, -90_000, 90_000));
                Point::new(start.x_um + dx, start.y_um + dy)
            };
            let balls = balls(&(0..6).map(|_| near(&mut rng)).collect::<Vec<_>>());
            let place = nearest_free_place(pockets, start, &balls);
            let rubber = Rubber::of(pockets);
            assert!(is_free(rubber, place, &balls), "case {case}");
            let distance = (place.distance_squared_um2(start) as f64).sqrt();
            for step in 0..20_000 {
                let angle = f64::from(step) * std::f64::consts::TAU / 20_000.0;
                let shorter = distance * (1.0 - f64::from(step % 7) * 0.01) - 2.0;
                let (x, y) = (shorter * angle.cos(), shorter * angle.sin());
                let other = Point::new(start.x_um + x as i32, start.y_um + y as i32);
                assert!(
                    shorter <= 0.0
                        || other.distance_squared_um2(start) >= place.distance_squared_um2(start)
                        || !is_free(rubber, other, &balls),
                    "case {case}: {other:?} is nearer than {place:?}"
                );
            }
        }
    }
}
