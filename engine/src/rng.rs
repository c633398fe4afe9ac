//! One named, value-stable random generator, and streams addressed by index.
//!
//! The generator is xoshiro256++ (Blackman and Vigna 2019), whose values never change between
//! versions of this project. A stream is a pure function of (seed, purpose, index): frame 7 of a
//! run draws the same numbers whichever thread plays it and whatever was played before.

use rand::Rng as _;
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

/// A whole number from `low` to `high`, both included, every one equally likely (Lemire 2019, with
/// rejection). Its values never change between versions of this project.
///
/// # Panics
/// Never: when `high` is below `low`, the answer is `low`.
#[must_use]
pub fn between(rng: &mut Rng, low: i32, high: i32) -> i32 {
    let Ok(count) = u32::try_from(i64::from(high) - i64::from(low) + 1) else { return low };
    if count == 0 {
        return low;
    }
    let reject_below = count.wrapping_neg() % count;
    loop {
        let product = (rng.next_u64() >> 32) * u64::from(count);
        if product as u32 >= reject_below {
            return low.wrapping_add((product >> 32) as i32);
        }
    }
}

/// The seed of hidden draws when an event keeps a secret: SipHash-2-4 (Aumasson and Bernstein
/// 2012) of the public seed under the salt as its key. Without a salt it is the seed itself.
#[must_use]
pub fn salted(seed: u64, salt: Option<u128>) -> u64 {
    salt.map_or(seed, |key| siphash_2_4(key, &seed.to_le_bytes()))
}

/// SipHash-2-4: a keyed hash whose outputs tell nothing of the key or of other outputs.
fn siphash_2_4(key: u128, message: &[u8]) -> u64 {
    let (k0, k1) = (key as u64, (key >> 64) as u64);
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    let mut words = message.chunks_exact(8);
    let mut absorb = |word: u64| {
        v[3] ^= word;
        sip_round(&mut v);
        sip_round(&mut v);
        v[0] ^= word;
    };
    let mut last = (message.len() as u64) << 56;
    for word in &mut words {
        absorb(word.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)));
    }
    last |= words.remainder().iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
    absorb(last);
    v[2] ^= 0xff;
    (0..4).for_each(|_| sip_round(&mut v));
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

const fn sip_round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[0] = v[0].rotate_left(32);
    v[2] = v[2].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[2] = v[2].rotate_left(32);
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

    #[test]
    fn whole_numbers_are_uniform_and_stay_in_range() {
        let mut rng = stream(1, Purpose::Test, 0);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[(between(&mut rng, -3, 3) + 3) as usize] += 1;
        }
        // Five standard deviations of a binomial count.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 470), "{counts:?}");
        assert_eq!((between(&mut rng, 5, 5), between(&mut rng, 5, 4)), (5, 5));
        assert!((0..99).all(|_| between(&mut rng, i32::MIN, i32::MAX) != 0));
    }

    /// Figures: the test vectors of the SipHash paper and its reference implementation, key
    /// 00 01 .. 0f, messages 00 01 .. of 0, 1, 8 and 15 bytes.
    #[test]
    fn siphash_agrees_with_its_published_vectors() {
        let key = u128::from_le_bytes(std::array::from_fn(|i| i as u8));
        let message: Vec<u8> = (0..15).collect();
        for (length, hash) in [
            (0, 0x726f_db47_dd0e_0e31),
            (1, 0x74f8_39c5_93dc_67fd),
            (8, 0x93f5_f579_9a93_2462),
            (15, 0xa129_ca61_49be_45e5),
        ] {
            assert_eq!(siphash_2_4(key, &message[..length]), hash, "{length} bytes");
        }
        assert_eq!(salted(7, None), 7);
        assert_ne!(salted(7, Some(1)), salted(7, Some(2)));
    }
}
