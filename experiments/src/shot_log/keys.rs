//! Rows named twice, found at eight bytes a row: keys are kept as 64-bit hashes, and hashes that
//! occur twice are looked at again in the files.

use std::collections::HashSet;

/// Hashes of the keys seen, in buckets so that growth copies little.
#[derive(Clone, Debug)]
pub struct Keys {
    buckets: Vec<Vec<u64>>,
}

impl Default for Keys {
    fn default() -> Self {
        Self { buckets: vec![Vec::new(); 256] }
    }
}

impl Keys {
    /// Adds a key's hash.
    pub fn add(&mut self, hash: u64) {
        self.buckets[(hash >> 56) as usize].push(hash);
    }

    /// The hashes that occur more than once.
    #[must_use]
    pub fn repeated(mut self) -> HashSet<u64> {
        let mut repeated = HashSet::new();
        for bucket in &mut self.buckets {
            bucket.sort_unstable();
            for pair in bucket.windows(2).filter(|pair| pair[0] == pair[1]) {
                repeated.insert(pair[0]);
            }
            *bucket = Vec::new();
        }
        repeated
    }
}

/// A 64-bit hash of some words, the same everywhere (FNV-1a over bytes with a separator, then the
/// finaliser of `SplitMix64`).
#[must_use]
pub fn hash(words: &[&str]) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for word in words {
        for byte in word.bytes().chain([0xff]) {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}
