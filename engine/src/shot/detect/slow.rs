//! Balls that have met in this shot and lean on each other.
//!
//! Two balls that roll side by side, pressed together by their different decelerations, would meet
//! at little more than the least closing speed many thousands of times a second. So a contact of
//! two balls that have met before waits, while they close at less than [`SLOW`], until a pause
//! after their last one is over (a cut-off time as in Luding and McNamara 1998). Meanwhile they
//! overlap by at most half a micrometre, which the contact undoes. First contacts, and all that
//! are faster, are exact.

use super::super::outcome::Collision;
use crate::fixed::{TIME_BITS, speed};

/// Closing speed under which a repeated contact waits.
pub const SLOW: i64 = speed(250);
/// Time between slow contacts of the same balls, ns.
const PAUSE_NS: u64 = 2_000_000;
/// From when on the balls `a` and `b` may meet slowly, ticks; `past` are the collisions so far.
pub fn not_before([a, b]: [usize; 2], past: &[Collision]) -> i64 {
    let same = |c: &&Collision| [usize::from(c.a), usize::from(c.b)] == [a.min(b), a.max(b)];
    past.iter().rev().find(same).map_or(0, |last| ticks(last.time_ns + PAUSE_NS))
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
