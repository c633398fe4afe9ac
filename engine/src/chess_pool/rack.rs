//! The places of the table that the rules name, and the rack.

use super::piece::Ball;
use crate::units::{BALL_DIAMETER_UM, BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};

/// The long string: the line along the middle of the table, as its y, µm.
pub const LONG_STRING_UM: i32 = WIDTH_UM / 2;
/// The head string, one quarter of the length from the breaker's end, as its x, µm.
pub const HEAD_STRING_UM: i32 = LENGTH_UM / 4;
/// The foot spot, three quarters of the length along the long string.
pub const FOOT_SPOT: Point = Point::new(LENGTH_UM / 4 * 3, LONG_STRING_UM);
/// Distance of neighbouring rows of the rack along the length: the least whole number of µm that
/// keeps balls of neighbouring rows at least a diameter apart.
pub const ROW_UM: i32 = {
    let (diameter, half) = (BALL_DIAMETER_UM as i64, BALL_RADIUS_UM as i64);
    let square = diameter * diameter - half * half;
    let mut row = square.isqrt();
    if row * row < square {
        row += 1;
    }
    row as i32
};

/// The rack: every object ball and its place. The 1 is on the foot spot; the breaker stands at
/// the head (x = 0) and looks along +x, so left is +y.
#[must_use]
pub fn rack() -> [(Ball, Point); 9] {
    // Row behind the foot spot, ball radii to the left, number.
    let places: [(i32, i32, u8); 9] = [
        (0, 0, 1),
        (1, 1, 2),
        (1, -1, 10),
        (2, 2, 11),
        (2, 0, 8),
        (2, -2, 3),
        (3, 1, 4),
        (3, -1, 12),
        (4, 0, 9),
    ];
    places.map(|(row, left, number)| {
        let at = Point::new(FOOT_SPOT.x_um + row * ROW_UM, FOOT_SPOT.y_um + left * BALL_RADIUS_UM);
        (Ball::numbered(number).unwrap_or(Ball::KING), at)
    })
}

/// Whether the cue ball in hand may stand at `at`: its centre behind the head string or on it,
/// and the whole ball on the playing area.
#[must_use]
pub const fn is_behind_head_string(at: Point) -> bool {
    at.x_um >= BALL_RADIUS_UM
        && at.x_um <= HEAD_STRING_UM
        && at.y_um >= BALL_RADIUS_UM
        && at.y_um <= WIDTH_UM - BALL_RADIUS_UM
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_as_close_as_micrometres_allow_and_never_closer() {
        let diameter2 = i64::from(BALL_DIAMETER_UM).pow(2);
        let rack = rack();
        let mut neighbours = 0;
        for (i, (_, a)) in rack.iter().enumerate() {
            for (_, b) in &rack[i + 1..] {
                let square = a.distance_squared_um2(*b);
                assert!(square >= diameter2);
                if square < diameter2 * 5 / 4 {
                    neighbours += 1;
                    let nearer = Point::new(b.x_um - (b.x_um - a.x_um).signum(), b.y_um);
                    assert!(a.x_um == b.x_um || a.distance_squared_um2(nearer) < diameter2);
                }
            }
        }
        assert_eq!(neighbours, 16, "a diamond of nine has sixteen touching pairs");
        assert_eq!(ROW_UM, 49_364);
    }

    #[test]
    fn rack_reads_as_the_breaker_sees_it() {
        let mut balls = rack().to_vec();
        balls.sort_by_key(|(_, at)| (at.x_um, -at.y_um));
        let numbers: Vec<_> = balls.iter().filter_map(|(ball, _)| ball.number()).collect();
        assert_eq!(numbers, [1, 2, 10, 11, 8, 3, 4, 12, 9]);
        assert_eq!(balls[0].1, Point::new(1_905_000, 635_000));
    }
}
