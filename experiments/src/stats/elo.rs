//! Score, Elo and likelihood of superiority from counts of results.
//!
//! Results come as blocks: one game, a pair of games, or more, and every block scores one of the
//! evenly spaced values 0..=1. Errors come from the variance between blocks, so that games which
//! share a seed are never counted as independent. Formulas: those of the public engine-testing
//! tools (fishtest `stat_util.py`, fastchess `elo/*.cpp`).

use super::interval::{Z95, wilson95};

/// Elo points per unit of natural log odds, times two: 800 / ln 10.
pub const NELO_SCALE: f64 = 347.435_585_522_601_5;
/// The greatest number of outcome bins of a block (sixteen games).
pub const MAX_BINS: usize = 33;

/// How often each outcome of a block occurred, from all lost to all won.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Counts(Vec<u64>);

/// Why counts were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountsError {
    /// Two games have five outcomes, one game three; an even number fits no block.
    #[error("{0} outcomes fit no block; give 3 (one game) or 5 (a pair)")]
    Bins(usize),
    /// No block at all.
    #[error("there are no games; give at least one")]
    Empty,
    /// More blocks than fit in a count.
    #[error("the counts add up to more than {}", u64::MAX)]
    Overflow,
}

impl Counts {
    /// Counts from the worst outcome to the best: three for single games (lost, drawn, won), five
    /// for pairs, `2 k + 1` for blocks of `k` games.
    ///
    /// # Errors
    /// When the number of outcomes fits no block, or there is no block.
    pub fn new(counts: impl Into<Vec<u64>>) -> Result<Self, CountsError> {
        let counts = counts.into();
        if counts.len() < 3 || counts.len() % 2 == 0 || counts.len() > MAX_BINS {
            return Err(CountsError::Bins(counts.len()));
        }
        let total = counts.iter().try_fold(0_u64, |sum, &n| sum.checked_add(n));
        match total {
            None => Err(CountsError::Overflow),
            Some(0) => Err(CountsError::Empty),
            Some(_) => Ok(Self(counts)),
        }
    }

    /// The counts, worst outcome first.
    #[must_use]
    pub fn bins(&self) -> &[u64] {
        &self.0
    }

    /// Number of blocks.
    #[must_use]
    pub fn blocks(&self) -> f64 {
        self.0.iter().sum::<u64>() as f64
    }

    /// Games in a block.
    #[must_use]
    pub fn games_per_block(&self) -> f64 {
        (self.0.len() - 1) as f64 / 2.0
    }

    /// The score of outcome `bin`, 0..=1.
    #[must_use]
    pub fn value(&self, bin: usize) -> f64 {
        bin as f64 / (self.0.len() - 1) as f64
    }

    /// Mean score of a block and the variance between blocks (divided by their number).
    #[must_use]
    pub fn moments(&self) -> (f64, f64) {
        let blocks = self.blocks();
        let shares = self.0.iter().enumerate().map(|(i, &n)| (self.value(i), n as f64 / blocks));
        let mean = shares.clone().map(|(value, share)| value * share).sum::<f64>();
        let variance = shares.map(|(value, share)| share * (value - mean) * (value - mean)).sum();
        (mean, variance)
    }
}

/// What counts of results say about the strength of one side against the other.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Strength {
    /// Elo difference.
    pub elo: f64,
    /// Half-width of its 95 % interval.
    pub elo_error: f64,
    /// Elo normalised by the spread of results of one game.
    pub nelo: f64,
    /// Half-width of its 95 % interval; depends on the number of games alone.
    pub nelo_error: f64,
    /// Likelihood of superiority, 0..=1.
    pub los: f64,
    /// Mean score, 0..=1.
    pub score: f64,
    /// 95 % Wilson interval of the score, with blocks as trials.
    pub wilson95: [f64; 2],
}

/// Strength from `counts`.
///
/// Every number is finite. Where a sample has no spread or its interval leaves 0..=1, scores are
/// held a quarter of a game away from 0 and 1 (nearer than any score that can occur), the interval
/// is Wilson's, and the spread is that of the score held so.
#[must_use]
pub fn strength(counts: &Counts) -> Strength {
    let (score, variance) = counts.moments();
    let (blocks, games) = (counts.blocks(), counts.blocks() * counts.games_per_block());
    let wilson = wilson95(score * blocks, blocks);
    let error = (variance / blocks).sqrt();
    let [low, high] = if error > 0.0 { [score - Z95 * error, score + Z95 * error] } else { wilson };
    let elo_of = |score| elo_of_score(hold(score, games));
    let per_game = variance * counts.games_per_block();
    let spread = if per_game > 0.0 { per_game } else { least_variance(games) }.sqrt();
    Strength {
        elo: elo_of(score),
        elo_error: (elo_of(high) - elo_of(low)) / 2.0,
        nelo: NELO_SCALE * (hold(score, games) - 0.5) / spread,
        nelo_error: Z95 * NELO_SCALE / games.sqrt(),
        los: superiority(score, if error > 0.0 { error } else { 0.5 / games.sqrt() }),
        score,
        wilson95: wilson,
    }
}

/// Elo difference at which the expected score is `score`, which must lie inside 0..1.
#[must_use]
pub fn elo_of_score(score: f64) -> f64 {
    // Plus zero, so that an even score is 0 and not -0.
    -400.0 * libm::log10(1.0 / score - 1.0) + 0.0
}

/// Expected score at an Elo difference of `elo`.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + libm::pow(10.0, -elo / 400.0))
}

/// Chance that the true score exceeds one half, for a mean `score` with standard error `error`.
#[must_use]
pub fn superiority(score: f64, error: f64) -> f64 {
    normal_cdf((score - 0.5) / error)
}

/// The standard normal distribution function.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// Holds a score a quarter of a game away from 0 and 1. Scores that occur lie at 0, at 1 or at
/// least half a game away from both, so this moves only perfect ones and the ends of intervals.
fn hold(score: f64, games: f64) -> f64 {
    let quarter = 0.25 / games;
    score.clamp(quarter, 1.0 - quarter)
}

/// Variance of one game that is used when a sample shows none.
fn least_variance(games: f64) -> f64 {
    let quarter = 0.25 / games;
    quarter * (1.0 - quarter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(counts: &[u64]) -> Strength {
        strength(&Counts::new(counts).expect("valid counts"))
    }

    /// (counts, score, Elo, its error, nElo, its error, LOS in percent).
    type Published = (&'static [u64], f64, f64, f64, f64, f64, f64);

    /// Published values of fastchess `elo_test.cpp`.
    const PUBLISHED: [Published; 5] = [
        (&[89, 123, 76], 0.4774, -15.6935, 30.458, -20.7564, 40.126, 15.53),
        (&[96, 111, 136], 0.5583, 40.7025, 30.4272, 49.7684, 36.7685, 99.60),
        (&[356, 0, 34], 0.0872, -407.9884, 63.1645, -508.4353, 34.4818, 0.00),
        (&[34, 54, 63, 64, 75], 0.5793, 55.5798, 27.6534, 57.9356, 28.2754, 99.997),
        (&[7895, 8757, 5685, 568, 9999], 0.4698, -21.0435, 2.9453, -19.0128, 2.6545, 0.00),
    ];

    #[test]
    fn published_values_hold_to_their_digits() {
        for (counts, score, elo, elo_error, nelo, nelo_error, los) in PUBLISHED {
            let s = of(counts);
            let near = |a: f64, b: f64, digits: f64| (a - b).abs() <= digits;
            assert!(near(s.score, score, 6e-5), "{counts:?}: {s:?}");
            assert!(near(s.elo, elo, 6e-5) && near(s.elo_error, elo_error, 6e-4), "{s:?}");
            assert!(near(s.nelo, nelo, 6e-5) && near(s.nelo_error, nelo_error, 6e-4), "{s:?}");
            assert!(near(100.0 * s.los, los, 6e-3), "{counts:?}: {s:?}");
        }
    }

    /// OpenBench reports the same score with Student's quantile: 28.162, 55.580, 83.703.
    #[test]
    fn the_ends_of_an_interval_agree_with_openbench() {
        use statrs::distribution::{ContinuousCDF as _, StudentsT};
        let counts = Counts::new([34, 54, 63, 64, 75]).expect("valid");
        let (mean, variance) = counts.moments();
        let error = (variance / counts.blocks()).sqrt();
        let t = StudentsT::new(0.0, 1.0, counts.blocks() - 1.0).expect("valid").inverse_cdf(0.975);
        let ends = [mean - t * error, mean, mean + t * error].map(elo_of_score);
        for (end, published) in ends.iter().zip([28.162, 55.580, 83.703]) {
            assert!((end - published).abs() < 6e-4, "{ends:?}");
        }
    }

    #[test]
    fn perfect_and_tiny_samples_are_finite_and_ordered() {
        let (one, ten, hundred) = (of(&[0, 0, 1]), of(&[0, 0, 10]), of(&[0, 0, 100]));
        assert!(0.0 < one.elo && one.elo < ten.elo && ten.elo < hundred.elo);
        assert!(0.5 < one.los && one.los < ten.los && ten.los < hundred.los);
        let (won, lost) = (of(&[1, 1, 18]), of(&[18, 1, 1]));
        assert!((won.elo - 436.43).abs() < 0.005 && (won.elo + lost.elo).abs() < 1e-9);
        assert!(won.elo_error.is_finite() && won.elo_error > 0.0);
        let level = of(&[0, 7, 0]);
        assert_eq!((level.elo, level.nelo, level.los), (0.0, 0.0, 0.5));
        assert!(level.elo_error > 0.0);
    }

    #[test]
    fn counts_that_fit_no_block_are_refused() {
        assert_eq!(Counts::new([1, 2]), Err(CountsError::Bins(2)));
        assert_eq!(Counts::new([1, 2, 3, 4]), Err(CountsError::Bins(4)));
        assert_eq!(Counts::new([0, 0, 0]), Err(CountsError::Empty));
        assert_eq!(Counts::new([u64::MAX, 1, 0]), Err(CountsError::Overflow));
    }

    proptest! {
        #[test]
        fn every_sample_gives_finite_numbers_and_mirrors(
            mut bins in prop::collection::vec(prop_oneof![Just(0_u64), 0..5_u64, 0..1_000_000_u64], 5)
        ) {
            prop_assume!(bins.iter().any(|&n| n > 0));
            let a = of(&bins);
            bins.reverse();
            let b = of(&bins);
            for x in [a.elo, a.elo_error, a.nelo, a.nelo_error, a.los, a.score] {
                prop_assert!(x.is_finite());
            }
            prop_assert!(a.elo_error > 0.0 && (0.0..=1.0).contains(&a.los));
            prop_assert!((a.elo + b.elo).abs() < 1e-6 && (a.los + b.los - 1.0).abs() < 1e-9);
        }
    }
}
