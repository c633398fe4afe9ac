//! What happened to each ball in a shot, as one number a ball.

use cuebench_engine::shot::{MAX_BALLS, Outcome};

/// For each slot a hash of the collisions and rails of the ball, in order, and of the histories
/// of the balls it met up to then. Two shots with one number brought the ball to rest by the same
/// causes; the order of unrelated events makes no difference.
pub(super) type Histories = [u64; MAX_BALLS];

/// The histories of a shot.
pub(super) fn histories(outcome: &Outcome) -> Histories {
    let mut hashes: Histories = [0; MAX_BALLS];
    let mut rails = outcome.rail_contacts.iter().peekable();
    for collision in &outcome.collisions {
        while let Some(contact) = rails.next_if(|contact| contact.time_ns <= collision.time_ns) {
            let hash = &mut hashes[usize::from(contact.ball)];
            *hash = mix(*hash, contact.rail as u64 + 1);
        }
        let (a, b) = (usize::from(collision.a), usize::from(collision.b));
        let both = mix(mix(hashes[a], hashes[b]), 64 + 16 * a as u64 + b as u64);
        hashes[a] = both;
        hashes[b] = mix(both, 7);
    }
    for contact in rails {
        let hash = &mut hashes[usize::from(contact.ball)];
        *hash = mix(*hash, contact.rail as u64 + 1);
    }
    hashes
}

/// A step of a multiplicative hash (the constant is that of SplitMix64).
const fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(word);
    mixed ^ (mixed >> 29)
}
