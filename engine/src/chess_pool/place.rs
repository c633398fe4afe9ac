//! Where balls that come back are put: on the foot spot, else on the long string.

use super::piece::{Ball, BallSet};
use super::rack::{FOOT_SPOT, LONG_STRING_UM};
use crate::shot::Balls;
use crate::units::{BALL_DIAMETER_UM, BALL_RADIUS_UM, LENGTH_UM, Point};

/// Puts `returned` back on the table in ascending number, each on the foot spot, else at the
/// nearest free place behind it on the long string, else at the nearest in front of it.
///
/// A place is free when the ball there overlaps no other. The nine object balls and the cue ball
/// bar at most 1.14 m of the string, so a free place always exists.
pub fn put_back(balls: &mut Balls, returned: BallSet) {
    for ball in returned.iter() {
        balls.at[ball.slot()] = None;
        balls.at[ball.slot()] = Some(free_place(balls));
    }
}

fn free_place(balls: &Balls) -> Point {
    let behind = slide(balls, 1).filter(|&x_um| x_um <= LENGTH_UM - BALL_RADIUS_UM);
    let x_um = behind.or_else(|| slide(balls, -1)).unwrap_or(FOOT_SPOT.x_um);
    Point::new(x_um, LONG_STRING_UM)
}

/// The free x nearest to the foot spot in the direction `step` (1 behind it, -1 in front).
fn slide(balls: &Balls, step: i32) -> Option<i32> {
    let mut x_um = FOOT_SPOT.x_um;
    // Each ball is passed at most once, as x only moves away from the spot.
    for _ in 0..=Ball::COUNT {
        let Some(next) = balls.at.iter().flatten().find_map(|&at| past(at, x_um, step)) else {
            return Some(x_um);
        };
        x_um = next;
    }
    None
}

/// If a ball at (`x_um`, long string) overlaps one at `at`: the nearest x past it.
fn past(at: Point, x_um: i32, step: i32) -> Option<i32> {
    let diameter2 = i64::from(BALL_DIAMETER_UM).pow(2);
    if at.distance_squared_um2(Point::new(x_um, LONG_STRING_UM)) >= diameter2 {
        return None;
    }
    let across = i64::from(at.y_um - LONG_STRING_UM);
    let square = diameter2 - across * across;
    let along = square.isqrt();
    let along = if along * along < square { along + 1 } else { along };
    Some(at.x_um + step * along as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess_pool::rack::rack;

    fn balls(places: &[(u8, i32, i32)]) -> Balls {
        let mut balls = Balls::default();
        for &(number, x, y) in places {
            let ball = Ball::numbered(number).unwrap_or(Ball::CUE);
            balls.at[ball.slot()] = Some(Point::new(x, y));
        }
        balls
    }

    fn returned(numbers: &[u8]) -> BallSet {
        numbers.iter().filter_map(|&number| Ball::numbered(number)).collect()
    }

    fn x_of(balls: &Balls, number: u8) -> i32 {
        balls.at[Ball::numbered(number).expect("a ball").slot()].expect("on the table").x_um
    }

    #[test]
    fn free_foot_spot_is_taken_and_then_the_place_behind_it() {
        let mut table = balls(&[]);
        put_back(&mut table, returned(&[12, 1, 8]));
        assert_eq!([1, 8, 12].map(|n| x_of(&table, n)), [1_905_000, 1_962_000, 2_019_000]);
    }

    #[test]
    fn a_ball_beside_the_string_bars_only_what_it_overlaps() {
        // 30 000 off the string: sqrt(57 000² - 30 000²) = 48 466.5 along it.
        let mut table = balls(&[(9, 1_900_000, 665_000)]);
        put_back(&mut table, returned(&[2]));
        assert_eq!(x_of(&table, 2), 1_900_000 + 48_467);
    }

    #[test]
    fn without_a_place_behind_it_is_the_nearest_in_front() {
        // Balls from the spot to the foot cushion, each two diameters less 1 µm from the next.
        let mut table = balls(&[]);
        for i in 0..6_i32 {
            let at = Point::new(FOOT_SPOT.x_um + 113_999 * i, LONG_STRING_UM);
            table.at[10 + i as usize] = Some(at);
        }
        put_back(&mut table, returned(&[3]));
        assert_eq!(x_of(&table, 3), 1_905_000 - 57_000);
    }

    #[test]
    fn all_nine_find_room_even_behind_a_crowd() {
        let mut table = balls(&[(0, 1_905_100, 640_000)]);
        for (ball, at) in rack() {
            table.at[ball.slot()] = Some(at);
        }
        put_back(&mut table, BallSet::OBJECT_BALLS.without(Ball::KING));
        let places: Vec<_> = table.at.iter().flatten().collect();
        let diameter2 = i64::from(BALL_DIAMETER_UM).pow(2);
        for (i, a) in places.iter().enumerate() {
            assert!(
                places[i + 1..]
                    .iter()
                    .all(|b| a.distance_squared_um2(**b) >= diameter2 || **b == rack()[4].1)
            );
        }
    }
}
