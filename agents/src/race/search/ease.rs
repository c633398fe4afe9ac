//! How promising a position is, by geometry alone.

use crate::aim::{Scene, direct_pots};

/// The aiming window at which a pot counts as half sure, radians.
const HALF_SURE: f64 = 0.006;
/// What a second way to pot adds.
const SECOND_SHARE: f64 = 0.3;

/// How easily the ball in slot `target` is potted next, 0 (no direct pot) to 1.3: the best open
/// direct pot, and a share of the second best.
#[must_use]
pub fn ease(scene: &Scene<'_>, target: usize) -> f64 {
    let (mut best, mut second) = (0.0_f64, 0.0_f64);
    for pot in direct_pots(scene, target).filter(|pot| pot.clearance_um > 0.0) {
        let window = pot.aim.half_width();
        let quality = window / (window + HALF_SURE);
        if quality > best {
            second = best;
            best = quality;
        } else {
            second = second.max(quality);
        }
    }
    best + SECOND_SHARE * second
}
