//! The sequential probability ratio test of two Elo hypotheses.
//!
//! The statistic is the generalised log-likelihood ratio: the likelihoods of the best outcome
//! distributions that satisfy each hypothesis exactly (fishtest `LLRcalc.py`). It must be fed
//! in the order of a schedule laid down before, and stops at the first crossing for good
//! ([`Sequence`]); fed in order of arrival it would favour quick games.

use super::elo::{Counts, NELO_SCALE, score_of_elo};

/// Outcomes that never occurred count as this many blocks.
const ABSENT: f64 = 1e-3;
/// Halvings after which a bracket has shrunk to neighbouring floats.
const BISECTIONS: u32 = 200;
/// Rounds of the fixed-point iteration of the normalised model.
const NORMALIZED_ROUNDS: u32 = 50;

/// What the Elo of the bounds means.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Elo of the expected score.
    #[default]
    Logistic,
    /// Elo normalised by the spread of results of one game.
    Normalized,
    /// BayesElo: logistic in wins and losses, with a rate of draws taken from the sample; single
    /// games only.
    Bayesian,
}

impl Model {
    /// The unit of the bounds, for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Logistic => "Elo (logistic)",
            Self::Normalized => "nElo (normalized)",
            Self::Bayesian => "BayesElo",
        }
    }
}

/// Two hypotheses and the errors that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: Model,
}

/// What the test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Decision {
    /// The difference is `elo0`: H0 accepted.
    H0,
    /// The difference is `elo1`: H1 accepted.
    H1,
    /// Neither bound is reached.
    #[serde(rename = "continue")]
    Continue,
}

impl Decision {
    /// The decision for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::H0 => "H0 accepted",
            Self::H1 => "H1 accepted",
            Self::Continue => "undecided",
        }
    }
}

/// Why a test was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SprtError {
    /// The hypotheses are equal, in the wrong order or not finite.
    #[error("SPRT bounds {0},{1}: the first must be less than the second, both within ±10000")]
    Bounds(f64, f64),
    /// An error probability outside its range.
    #[error("SPRT {name} = {value}: a probability above 0 and below 0.5")]
    Error {
        /// `alpha` or `beta`.
        name: &'static str,
        /// The value given.
        value: f64,
    },
    /// The BayesElo model knows single games alone.
    #[error("the bayesian model takes single games (wins, draws, losses), not pairs")]
    Pairs,
}

impl Sprt {
    /// A test of `elo0` against `elo1` with error probabilities `alpha` (of accepting H1 wrongly)
    /// and `beta` (of accepting H0 wrongly).
    ///
    /// # Errors
    /// When the bounds are not in order or an error probability is not inside 0..0.5.
    pub fn new(
        [elo0, elo1]: [f64; 2],
        alpha: f64,
        beta: f64,
        model: Model,
    ) -> Result<Self, SprtError> {
        if !(elo0 < elo1 && elo0.abs() <= 1e4 && elo1.abs() <= 1e4) {
            return Err(SprtError::Bounds(elo0, elo1));
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Error { name, value });
            }
        }
        Ok(Self { elo0, elo1, alpha, beta, model })
    }

    /// The log-likelihood ratio at or below which H0 is accepted.
    #[must_use]
    pub fn lower(&self) -> f64 {
        libm::log(self.beta / (1.0 - self.alpha))
    }

    /// The log-likelihood ratio at or above which H1 is accepted.
    #[must_use]
    pub fn upper(&self) -> f64 {
        libm::log((1.0 - self.beta) / self.alpha)
    }

    /// The two hypotheses, Elo.
    #[must_use]
    pub const fn bounds(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// What the Elo of the bounds means.
    #[must_use]
    pub const fn model(&self) -> Model {
        self.model
    }

    /// The log-likelihood ratio of H1 to H0.
    ///
    /// # Errors
    /// [`SprtError::Pairs`] for the BayesElo model on anything but single games.
    pub fn llr(&self, counts: &Counts) -> Result<f64, SprtError> {
        let sample = Sample::new(counts);
        let fitted = |elo| match self.model {
            Model::Logistic => Ok(sample.with_mean(score_of_elo(elo))),
            Model::Normalized => Ok(sample.with_nelo(elo)),
            Model::Bayesian if sample.values.len() == 3 => Ok(sample
                .bayesian_score(elo)
                .map_or(sample.shares.clone(), |s| sample.with_mean(s))),
            Model::Bayesian => Err(SprtError::Pairs),
        };
        let (q0, q1) = (fitted(self.elo0)?, fitted(self.elo1)?);
        let terms = sample.shares.iter().zip(q0.iter().zip(&q1));
        Ok(sample.blocks * terms.map(|(p, (q0, q1))| p * libm::log(q1 / q0)).sum::<f64>())
    }

    /// What a log-likelihood ratio says.
    #[must_use]
    pub fn decision(&self, llr: f64) -> Decision {
        if llr >= self.upper() {
            Decision::H1
        } else if llr <= self.lower() {
            Decision::H0
        } else {
            Decision::Continue
        }
    }
}

/// A running test: blocks go in one by one in schedule order, the first decision stands.
#[derive(Clone, Debug)]
pub struct Sequence {
    test: Sprt,
    bins: Vec<u64>,
    llr: f64,
    stopped: Option<(u64, Decision)>,
}

impl Sequence {
    /// A test that has seen nothing, on blocks with `bins` outcomes.
    #[must_use]
    pub fn new(test: Sprt, bins: usize) -> Self {
        Self { test, bins: vec![0; bins], llr: 0.0, stopped: None }
    }

    /// Takes the next block in schedule order, unless a decision stands.
    ///
    /// # Errors
    /// As [`Sprt::llr`].
    pub fn push(&mut self, bin: usize) -> Result<Decision, SprtError> {
        if let Some((_, decision)) = self.stopped {
            return Ok(decision);
        }
        self.bins[bin] += 1;
        if let Ok(counts) = Counts::new(self.bins.clone()) {
            self.llr = self.test.llr(&counts)?;
        }
        let decision = self.test.decision(self.llr);
        if decision != Decision::Continue {
            self.stopped = Some((self.blocks(), decision));
        }
        Ok(decision)
    }

    /// The counts that the test has seen.
    #[must_use]
    pub fn bins(&self) -> &[u64] {
        &self.bins
    }

    /// Blocks that the test has seen.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// The log-likelihood ratio at the last block that counted.
    #[must_use]
    pub const fn llr(&self) -> f64 {
        self.llr
    }

    /// The decision so far.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.stopped.map_or(Decision::Continue, |(_, decision)| decision)
    }

    /// The test itself.
    #[must_use]
    pub const fn test(&self) -> &Sprt {
        &self.test
    }
}

/// The outcome distribution of a sample, absent outcomes made rare instead of impossible.
struct Sample {
    values: Vec<f64>,
    shares: Vec<f64>,
    blocks: f64,
    games_per_block: f64,
}

impl Sample {
    fn new(counts: &Counts) -> Self {
        let regular: Vec<f64> =
            counts.bins().iter().map(|&n| if n == 0 { ABSENT } else { n as f64 }).collect();
        let blocks = regular.iter().sum::<f64>();
        Self {
            values: (0..regular.len()).map(|bin| counts.value(bin)).collect(),
            shares: regular.iter().map(|n| n / blocks).collect(),
            blocks,
            games_per_block: counts.games_per_block(),
        }
    }

    /// The likeliest distribution whose mean is `mean`.
    fn with_mean(&self, mean: f64) -> Vec<f64> {
        let deviations: Vec<f64> = self.values.iter().map(|value| value - mean).collect();
        self.tilted(&deviations)
    }

    /// The likeliest distribution in which `deviations` average zero: p / (1 + theta d).
    fn tilted(&self, deviations: &[f64]) -> Vec<f64> {
        let greatest = deviations.iter().fold(f64::MIN, |m, &d| m.max(d));
        let least = deviations.iter().fold(f64::MAX, |m, &d| m.min(d));
        if !(least < 0.0 && greatest > 0.0) {
            return self.shares.clone();
        }
        // The sum falls from +inf to -inf between these poles.
        let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
        for _ in 0..BISECTIONS {
            let theta = f64::midpoint(low, high);
            if theta <= low || theta >= high {
                break;
            }
            let sum: f64 =
                self.shares.iter().zip(deviations).map(|(p, d)| p * d / (1.0 + theta * d)).sum();
            if sum > 0.0 { low = theta } else { high = theta }
        }
        let theta = f64::midpoint(low, high);
        self.shares.iter().zip(deviations).map(|(p, d)| p / (1.0 + theta * d)).collect()
    }

    /// The likeliest distribution whose mean lies `nelo` normalised Elo above one half, by a
    /// fixed-point iteration from the uniform distribution.
    fn with_nelo(&self, nelo: f64) -> Vec<f64> {
        let t = nelo / NELO_SCALE * self.games_per_block.sqrt();
        let mut q = vec![1.0 / self.shares.len() as f64; self.shares.len()];
        for _ in 0..NORMALIZED_ROUNDS {
            let mean: f64 = q.iter().zip(&self.values).map(|(q, a)| q * a).sum();
            let variance: f64 =
                q.iter().zip(&self.values).map(|(q, a)| q * (a - mean) * (a - mean)).sum();
            let sd = variance.sqrt();
            let deviation = |a: &f64| {
                let z = (a - mean) / sd;
                a - 0.5 - t * sd / 2.0 * (1.0 + z * z)
            };
            let next = self.tilted(&self.values.iter().map(deviation).collect::<Vec<_>>());
            let change = q.iter().zip(&next).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            q = next;
            if change < 1e-9 {
                break;
            }
        }
        q
    }

    /// Expected score at `bayes_elo` with the sample's rate of draws.
    fn bayesian_score(&self, bayes_elo: f64) -> Option<f64> {
        let [loss, _, win] = self.shares[..] else { return None };
        let draw_elo = 200.0 * libm::log10((1.0 - loss) / loss * (1.0 - win) / win);
        let win = score_of_elo(bayes_elo - draw_elo);
        let loss = score_of_elo(-bayes_elo - draw_elo);
        Some(win + (1.0 - win - loss) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Model::{Bayesian, Logistic, Normalized};
    use proptest::prelude::*;

    fn llr(model: Model, bounds: [f64; 2], counts: &[u64]) -> f64 {
        let counts = Counts::new(counts).expect("valid counts");
        Sprt::new(bounds, 0.05, 0.05, model).expect("valid").llr(&counts).expect("fits")
    }

    /// (model, bounds, counts, LLR, tolerance): values of fastchess `sprt_test.cpp`, of fishtest,
    /// and of cutechess issue 543 under the other models.
    type Published = (Model, [f64; 2], &'static [u64], f64, f64);

    const PUBLISHED: [Published; 16] = [
        (Normalized, [0.0, 2.0], &[36027, 68692, 36433], 0.9233, 6e-5),
        (Normalized, [0.0, 10.0], &[0, 0, 4250], 120.548, 6e-4),
        (Logistic, [0.5, 2.5], &[21184, 40708, 21404], -1.5719, 6e-5),
        (Bayesian, [0.0, 2.0], &[68526, 128_429, 68965], -1.2622, 6e-5),
        (Normalized, [0.0, 2.0], &[365, 16618, 36229, 16974, 390], 2.2504, 6e-5),
        (Normalized, [-1.75, 0.25], &[127, 4883, 10712, 5150, 104], 3.0102, 6e-5),
        (Normalized, [0.0, 5.0], &[0, 0, 0, 0, 5550], 111.798, 6e-4),
        (Logistic, [0.0, 5.0], &[759, 1863, 880], 2.947, 6e-4),
        (Normalized, [0.0, 5.0], &[759, 1863, 880], 2.183, 6e-4),
        (Bayesian, [0.0, 5.0], &[759, 1863, 880], 2.268, 6e-4),
        (Logistic, [0.2, 0.9], &[39, 2226, 31451, 2412, 40], 2.16254, 6e-6),
        (Logistic, [-3.0, 1.0], &[10789, 19328, 33806, 19402, 10543], 2.13107, 6e-6),
        (Logistic, [0.0, 50.0], &[0, 0, 0, 0, 1], 0.1338, 6e-5),
        (Logistic, [0.0, 50.0], &[0, 0, 0, 0, 5], 0.6682, 6e-5),
        (Logistic, [0.0, 50.0], &[0, 0, 10, 0, 0], -1.5349, 6e-5),
        (Normalized, [0.0, 10.0], &[10, 0, 0, 0, 0], -0.4152, 6e-5),
    ];

    #[test]
    fn published_values_hold_to_their_digits() {
        for (model, bounds, counts, published, tolerance) in PUBLISHED {
            let value = llr(model, bounds, counts);
            assert!((value - published).abs() <= tolerance, "{model:?} {counts:?}: {value}");
        }
        let value = llr(Normalized, [0.0, 50.0], &[10, 0, 0, 0, 0]);
        assert!((value + 2.2245).abs() < 6e-5, "{value}");
    }

    #[test]
    fn bounds_agree_with_wald() {
        for (alpha, beta, lower, upper) in [
            (0.05, 0.05, -2.944_439, 2.944_439),
            (0.01, 0.01, -4.595_119_9, 4.595_119_9),
            (0.05, 0.10, -2.2513, 2.8904),
        ] {
            let test = Sprt::new([0.0, 5.0], alpha, beta, Logistic).expect("valid");
            assert!((test.lower() - lower).abs() < 6e-5 && (test.upper() - upper).abs() < 6e-5);
        }
    }

    #[test]
    fn hopeless_samples_end() {
        let value = llr(Logistic, [-1500.0, -500.0], &[20, 0, 0]);
        assert!(value.is_finite(), "{value}");
    }

    #[test]
    fn a_decision_stands() {
        let test = Sprt::new([0.0, 200.0], 0.05, 0.05, Logistic).expect("valid");
        let mut sequence = Sequence::new(test, 3);
        let mut wins = 0;
        while sequence.push(2).expect("fits") == Decision::Continue {
            wins += 1;
            assert!(wins < 1000);
        }
        let (blocks, llr) = (sequence.blocks(), sequence.llr());
        for _ in 0..500 {
            assert_eq!(sequence.push(0), Ok(Decision::H1));
        }
        assert_eq!((sequence.blocks(), sequence.llr()), (blocks, llr));
    }

    /// Wald's operating characteristic, checked by simulation: 0..50 Elo, games without draws.
    #[test]
    fn error_rates_are_those_asked_for() {
        use rand::RngExt as _;
        let test = Sprt::new([0.0, 50.0], 0.05, 0.05, Logistic).expect("valid");
        let mut wrong = 0;
        for run in 0..300 {
            let mut rng = cuebench_engine::rng::stream(7, cuebench_engine::rng::Purpose::Test, run);
            let mut sequence = Sequence::new(test, 3);
            while sequence.push(2 * usize::from(rng.random::<bool>())) == Ok(Decision::Continue) {}
            wrong += u32::from(sequence.decision() == Decision::H1);
        }
        // 15 expected, standard deviation 3.8.
        assert!((3..=30).contains(&wrong), "{wrong} of 300");
    }

    proptest! {
        #[test]
        fn every_sample_gives_a_finite_ratio(
            bins in prop::collection::vec(prop_oneof![Just(0_u64), 0..4_u64, 0..100_000_u64], 5),
            low in -1500.0..1500.0_f64, width in 0.1..1000.0_f64, normalized: bool
        ) {
            prop_assume!(bins.iter().any(|&n| n > 0));
            let model = if normalized { Normalized } else { Logistic };
            prop_assert!(llr(model, [low, low + width], &bins).is_finite());
        }
    }
}
