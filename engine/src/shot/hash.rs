//! One hash of shots, for tests, benchmarks and commands alike.

use super::outcome::Outcome;

/// A bijection on words that spreads every bit (the finaliser of SplitMix64, Steele et al. 2014).
pub(super) const fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A hash of numbered shots: parts of a batch may be added in any order and merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceHash(u64);

impl TraceHash {
    /// Adds the outcome of shot `index`.
    pub const fn add(&mut self, index: u64, outcome: &Outcome) {
        self.0 = self.0.wrapping_add(mix(outcome.digest ^ mix(index)));
    }

    /// The hash of the shots of both.
    #[must_use]
    pub const fn merge(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// The hash.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }
}

/// The hash of shots 0, 1, 2...: of every event (time to 2^-40 s, kind, participants) in order and
/// of all final places. Equal everywhere, for every thread count; a different value means that the
/// engine behaves differently.
pub fn trace_hash<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> u64 {
    let mut hash = TraceHash::default();
    for (index, outcome) in outcomes.into_iter().enumerate() {
        hash.add(index as u64, outcome);
    }
    hash.value()
}
