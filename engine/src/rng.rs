//! One named, value-stable random generator, and streams addressed by index.
//!
//! The generator is xoshiro256++ (Blackman and Vigna 2019), whose values never change between
//! versions of this project. A stream is a pure function of (seed, purpose, index): frame 7 of a
//! run draws the same numbers whichever thread plays it and whatever was played before.

use rand_xoshiro::rand_core::SeedableRng;

/// The generator that everything in the project draws from.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// What a stream is for. Streams of different purposes are independent even at equal seed and
/// index; the number of a purpose is part of every recorded result and never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Purpose {
    /// Draws of a block of 8-ball frames.
    Frames = 1,
    /// Random shots of the shot engine's own rollouts.
    Shots = 2,
    /// Starting layout of a race table or of a chess-pool cue ball.
    Layout = 3,
    /// Hidden cloth speed and restitution of a race table.
    TableValues = 4,
    /// Aiming noise of a match.
    AimNoise = 5,
    /// Random choices of an agent.
    Agent = 6,
    /// Training: exploration, minibatches, initial weights.
    Learning = 7,
    /// Resampling of results (bootstrap).
    Bootstrap = 8,
    /// Simulated shot logs.
    Log = 9,
    /// Draws of a test.
    Test = 10,
}

/// The stream of `purpose` at `index` under `seed`.
#[must_use]
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> Rng {
    let mut state = [0_u8; 32];
    let mut mixed = mix(seed);
    for (word, salt) in state.chunks_exact_mut(8).zip([purpose as u64, index, 1, 2]) {
        mixed = mix(mixed ^ mix(salt.wrapping_add(0x9e37_79b9_7f4a_7c15)));
        word.copy_from_slice(&mixed.to_le_bytes());
    }
    Rng::from_seed(state)
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection on 64 bits.
const fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng as _;

    #[test]
    fn streams_differ_by_seed_purpose_and_index() {
        let firsts: Vec<u64> = [
            (1, Purpose::Frames, 0),
            (2, Purpose::Frames, 0),
            (1, Purpose::Shots, 0),
            (1, Purpose::Frames, 1),
        ]
        .map(|(seed, purpose, index)| stream(seed, purpose, index).next_u64())
        .to_vec();
        for (i, a) in firsts.iter().enumerate() {
            assert!(firsts[i + 1..].iter().all(|b| a != b));
        }
    }
}
