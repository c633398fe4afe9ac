//! Score, Elo and likelihood of superiority from counts of results.
//!
//! Results come as blocks: one game, a pair of games, or more, and every block scores one of the
//! evenly spaced values 0..=1. Errors come from the variance between blocks, so that games which
//! share a seed are never counted as independent. Formulas: those of the public engine-testing
//! tools (fishtest `stat_util.py`, fastchess `elo/*.cpp`).

use super::interval::{Z95, wilson, wilson95};
use super::student::{Quantiles, t_cdf};

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

    /// Mean share of the points that were lost.
    fn lost(&self) -> f64 {
        let blocks = self.blocks();
        let last = self.0.len() - 1;
        self.0.iter().enumerate().map(|(i, &n)| self.value(last - i) * (n as f64 / blocks)).sum()
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
    /// 95 % Wilson interval of the score.
    pub wilson95: [f64; 2],
}

/// Strength from `counts`.
///
/// Every number is finite. Perfect scores, and ends of intervals that leave 0..=1, are held a quarter
/// of a game away from 0 and 1 (nearer than any other score that can occur). Where a sample has no
/// spread the interval is Wilson's with each block as a trial ([`trial_elo_error`]), and the spread
/// of one game is that of the score held.
#[must_use]
pub fn strength(counts: &Counts) -> Strength {
    let (_, variance) = counts.moments();
    let error = (variance / counts.blocks()).sqrt();
    of_spread(counts, error, Z95, f64::INFINITY, wilson95)
}

/// Strength from `counts` of blocks of which there may be few: with the spread's own uncertainty in
/// every interval (Student's distribution), and the interval of the score as narrow or wide as the
/// spread between blocks makes it. Otherwise as [`strength`].
#[must_use]
pub fn strength_of_few(counts: &Counts, quantiles: &mut Quantiles) -> Strength {
    let (score, variance) = counts.moments();
    let freedom = counts.blocks() - 1.0;
    if variance <= 0.0 || freedom < 1.0 {
        return strength(counts);
    }
    let (error, quantile) = ((variance / freedom).sqrt(), quantiles.t95(freedom));
    let [low, high] = interval_of_spread(score, counts.blocks(), error, quantile);
    of_spread(counts, error, quantile, freedom, |_, _| [low, high])
}

/// The 95 % interval of a score with standard error `error`: Wilson's, with as many trials as have
/// that error; without a spread, or for a perfect score, with `blocks` trials.
#[must_use]
pub fn interval_of_spread(score: f64, blocks: f64, error: f64, quantile: f64) -> [f64; 2] {
    let own = score * (1.0 - score);
    if error > 0.0 && own > 0.0 {
        let trials = own / (error * error);
        return wilson(score * trials, trials, quantile);
    }
    wilson95(score * blocks, blocks)
}

fn of_spread(
    counts: &Counts,
    error: f64,
    quantile: f64,
    freedom: f64,
    interval: impl Fn(f64, f64) -> [f64; 2],
) -> Strength {
    let (score, variance) = counts.moments();
    let (blocks, games) = (counts.blocks(), counts.blocks() * counts.games_per_block());
    let [low, high] = interval(score * blocks, blocks);
    // However many games there are, the interval is one float wide at least.
    let wilson = [low.min(score.next_down()).max(0.0), high.max(score.next_up()).min(1.0)];
    let per_game = variance * counts.games_per_block();
    let spread = if per_game > 0.0 { per_game } else { least_variance(games) }.sqrt();
    // Near 0 and 1 floats do not tell a score from its complement: both are kept.
    let own = Odds { won: score, lost: counts.lost() }.held(games);
    let elo = own.elo();
    let elo_error = if error > 0.0 {
        let step = quantile * error;
        let [low, high] = [-step, step]
            .map(|step| Odds { won: own.won + step, lost: own.lost - step }.held(games).elo());
        // So many games that the ends are the same float: the slope tells.
        let slope = NELO_SCALE / 2.0 * step / (own.won * own.lost);
        let half = (high.max(elo) - low.min(elo)) / 2.0;
        if half > 1e-9 { half } else { slope }
    } else {
        trial_elo_error([score, counts.lost()], blocks, games)
    };
    let los = match error > 0.0 {
        true => t_cdf((score - 0.5) / error, freedom),
        false => normal_cdf((score - 0.5) * 2.0 * blocks.sqrt()),
    };
    Strength {
        elo,
        elo_error,
        nelo: NELO_SCALE * (own.won - own.lost) / 2.0 / spread,
        nelo_error: Z95 * NELO_SCALE / games.sqrt(),
        los,
        score,
        wilson95: wilson,
    }
}

/// Half-width of the 95 % interval of Elo where blocks show no spread, for the shares of the points
/// `[won, lost]`: by Wilson's interval with each block as one trial. A perfect score is held, and
/// the interval reaches from there to Wilson's other end.
#[must_use]
pub fn trial_elo_error([won, lost]: [f64; 2], blocks: f64, games: f64) -> f64 {
    let [least_won, most_won] = wilson95(won * blocks, blocks);
    let [least_lost, most_lost] = wilson95(lost * blocks, blocks);
    let own = Odds { won, lost }.held(games).elo();
    let low = Odds { won: least_won, lost: most_lost }.elo();
    let high = Odds { won: most_won, lost: least_lost }.elo();
    match (won <= 0.0, lost <= 0.0) {
        (true, _) => high - own,
        (_, true) => own - low,
        _ => (high - low) / 2.0,
    }
}

/// Shares of the points won and lost.
#[derive(Clone, Copy, Debug)]
struct Odds {
    won: f64,
    lost: f64,
}

impl Odds {
    /// Held a quarter of a game away from 0 and 1. Scores that occur lie at 0, at 1 or at least
    /// half a game away from both, so this moves only perfect ones and the ends of intervals.
    fn held(self, games: f64) -> Self {
        let quarter = 0.25 / games;
        if self.won < quarter {
            return Self { won: quarter, lost: 1.0 - quarter };
        }
        if self.lost < quarter {
            return Self { won: 1.0 - quarter, lost: quarter };
        }
        self
    }

    fn elo(self) -> f64 {
        // Plus zero, so that an even score is 0 and not -0.
        400.0 * libm::log10(self.won / self.lost) + 0.0
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

/// The standard normal distribution function.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
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

    /// Ten pairs: Student's quantile of 9 degrees, the variance over 9.
    #[test]
    fn few_blocks_have_wider_intervals() {
        let counts = Counts::new([1, 2, 3, 2, 2]).expect("valid");
        let few = strength_of_few(&counts, &mut Quantiles::default());
        let (mean, variance) = counts.moments();
        let half = 2.262_157_163 * (variance / 9.0).sqrt();
        let [low, high] = [mean - half, mean + half].map(elo_of_score);
        assert!((few.elo_error - (high - low) / 2.0).abs() < 1e-6, "{few:?}");
        assert!(few.elo_error > of(counts.bins()).elo_error);
        assert!(few.wilson95[0] < mean && mean < few.wilson95[1]);
        // Without a spread the rule is that of many blocks.
        let level = Counts::new([0, 0, 30, 0, 0]).expect("valid");
        let level = strength_of_few(&level, &mut Quantiles::default());
        assert!(level.elo_error > 100.0 && level.los == 0.5, "{level:?}");
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
    fn counts_near_two_to_the_64_give_finite_numbers() {
        const ALL: u64 = u64::MAX;
        for bins in [
            [0, 0, ALL],
            [ALL, 0, 0],
            [0, ALL, 0],
            [1, 0, ALL - 1],
            [1, 1, ALL - 2],
            [ALL / 2, 1, ALL / 2],
        ] {
            let s = of(&bins);
            for x in [s.elo, s.elo_error, s.nelo, s.nelo_error, s.los, s.score] {
                assert!(x.is_finite(), "{bins:?}: {s:?}");
            }
            assert!(s.elo_error > 0.0 && s.wilson95[0] <= s.score && s.score <= s.wilson95[1]);
        }
        // 400 log10(4 * 2^64 - 1).
        let all = of(&[0, 0, ALL]).elo;
        assert!((all - 400.0 * libm::log10(4.0 * 2.0_f64.powi(64))).abs() < 1e-6, "{all}");
    }

    /// One game says little: its interval holds an even score well inside.
    #[test]
    fn one_game_says_little() {
        for counts in [&[1, 0, 0][..], &[0, 0, 1], &[0, 0, 0, 0, 1]] {
            let s = of(counts);
            assert!(s.elo_error > s.elo.abs() + 100.0 && s.los > 0.05 && s.los < 0.95, "{s:?}");
        }
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
