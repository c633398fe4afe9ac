//! Balls that have met in this shot and lean on each other.
//!
//! Two balls that roll side by side, pressed together by their different decelerations, would meet
//! at little more than the least closing speed many thousands of times a second. So a contact of
//! two balls that have met before waits, while they close at less than [`SLOW`], until a pause
//! after their last one is over (a cut-off time as in Luding and McNamara 1998). Meanwhile they
//! come into each other by at most half a micrometre, which the contact undoes; balls that are
//! jammed between rubber have no room for that, and wait no more once they overlap by
//! [`MOST_OVERLAP`]. First contacts, and all that are faster, are exact. What this can change:
//! `engine/docs/physics.md`, Balls that lean on each other.

use super::super::outcome::Collision;
use crate::fixed::{LENGTH_BITS, TIME_BITS, speed};

/// Closing speed under which a repeated contact waits.
pub const SLOW: i64 = speed(250);
/// Overlap beyond which no contact waits: 0.75 µm.
pub const MOST_OVERLAP: i64 = 3 << (LENGTH_BITS - 2);
/// Time between slow contacts of the same balls, ns.
const PAUSE_NS: u64 = 2_000_000;

/// From when on the balls `a` and `b` may meet slowly, ticks; `past` are the collisions so far.
pub fn not_before([a, b]: [usize; 2], past: &[Collision]) -> i64 {
    let last = past.iter().rev().find(|collision| is_of(collision, [a, b]));
    last.map_or(0, |last| ticks(last.time_ns + PAUSE_NS))
}

/// Whether a collision is one of the balls `a` and `b`.
pub fn is_of(collision: &Collision, [a, b]: [usize; 2]) -> bool {
    [usize::from(collision.a), usize::from(collision.b)] == [a.min(b), a.max(b)]
}

const fn ticks(time_ns: u64) -> i64 {
    (((time_ns as u128) << TIME_BITS) / 1_000_000_000) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_contact_of_the_same_balls_counts() {
        let at =
            |a, b, time_ns| Collision { a, b, a_was_at_rest: false, b_was_at_rest: false, time_ns };
        let past = [at(0, 3, 1_000_000), at(0, 3, 5_000_000), at(0, 4, 6_000_000)];
        assert_eq!(not_before([3, 0], &past), ticks(7_000_000));
        assert_eq!(not_before([3, 4], &past), 0);
    }
}
