//! The sequential probability ratio test of two Elo hypotheses.
//!
//! The statistic is the generalised log-likelihood ratio: the likelihoods of the best outcome
//! distributions that satisfy each hypothesis exactly (fishtest `LLRcalc.py`). It must be fed
//! in the order of a schedule laid down before, and stops at the first crossing for good
//! ([`Sequence`]); fed in order of arrival it would favour quick games.

use super::elo::{Counts, score_of_elo};
use super::outcomes::{Sample, Score};

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
    /// No distribution of results satisfies a hypothesis.
    #[error("no distribution of results has {0} {1}; take a bound nearer to 0")]
    Unreachable(f64, &'static str),
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

    /// The log-likelihood ratio of H1 to H0: of the likeliest distributions that satisfy each of
    /// them exactly.
    ///
    /// # Errors
    /// [`SprtError::Pairs`] for the BayesElo model on anything but single games;
    /// [`SprtError::Unreachable`] for a hypothesis that no distribution meets.
    pub fn llr(&self, counts: &Counts) -> Result<f64, SprtError> {
        let sample = Sample::new(counts);
        let score = |elo| Score { own: score_of_elo(elo), other: score_of_elo(-elo) };
        let fitted = |elo| {
            let found = match self.model {
                Model::Logistic => sample.with_mean(score(elo)),
                Model::Normalized => sample.with_nelo(elo),
                Model::Bayesian => sample.with_mean(bayesian(sample.shares(), elo)?),
            };
            found.ok_or(SprtError::Unreachable(elo, self.model.words()))
        };
        Ok(sample.ratio(&fitted(self.elo1)?, &fitted(self.elo0)?))
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

/// Expected score at `bayes_elo` with the rate of draws of a sample of single games.
fn bayesian(shares: &[f64], bayes_elo: f64) -> Result<Score, SprtError> {
    let [loss, _, win] = shares[..] else { return Err(SprtError::Pairs) };
    let draw_elo = 200.0 * libm::log10((1.0 - loss) / loss * (1.0 - win) / win);
    let win = score_of_elo(bayes_elo - draw_elo);
    let loss = score_of_elo(-bayes_elo - draw_elo);
    let half_draw = (1.0 - win - loss) / 2.0;
    Ok(Score { own: win + half_draw, other: loss + half_draw })
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

    /// Every game lost speaks for H0, however far away the bounds are.
    #[test]
    fn the_normalized_test_is_on_the_right_side() {
        let value = llr(Normalized, [0.0, 400.0], &[10, 0, 0, 0, 0]);
        assert!((value + 19.12).abs() < 0.005, "{value}");
        let test = Sprt::new([0.0, 400.0], 0.05, 0.05, Normalized).expect("valid");
        assert_eq!(test.decision(value), Decision::H0);
        for bins in [&[10, 0, 0][..], &[0, 10, 0], &[3, 4, 3], &[0, 1, 0, 0, 0]] {
            for bounds in [[0.0, 400.0], [300.0, 900.0], [-20.0, 10_000.0]] {
                for model in [Normalized, Logistic] {
                    let value = llr(model, bounds, bins);
                    assert!(value < 0.0, "{model:?} {bins:?} {bounds:?}: {value}");
                    let mut turned = bins.to_vec();
                    turned.reverse();
                    let back = llr(model, [-bounds[1], -bounds[0]], &turned);
                    let near = (back + value).abs() <= 1e-7 * value.abs();
                    assert!(near, "{model:?} {bins:?} {bounds:?}: {value} {back}");
                }
            }
        }
    }

    #[test]
    fn hypotheses_that_make_no_sense_are_refused() {
        for bounds in [[5.0, 5.0], [0.0, f64::INFINITY], [f64::NAN, 1.0], [-10_001.0, 0.0]] {
            assert!(matches!(
                Sprt::new(bounds, 0.05, 0.05, Normalized),
                Err(SprtError::Bounds(..))
            ));
        }
    }

    /// The greatest log-likelihood under a normalised hypothesis, by brute force: a grid over all
    /// distributions that satisfy it, made finer twice. Nothing of the method under test is in it.
    mod brute_force {
        /// Normalised Elo to `mean = tau sqrt(second moment)`, both about one half.
        fn tau(nelo: f64, games: f64) -> f64 {
            let t = nelo * 10.0_f64.ln() / 800.0 * games.sqrt();
            t / (1.0 + t * t).sqrt()
        }

        pub fn log_likelihood(shares: &[f64], q: &[f64]) -> f64 {
            if q.iter().any(|&q| q <= 0.0) {
                return f64::NEG_INFINITY;
            }
            shares.iter().zip(q).map(|(p, q)| p * q.ln()).sum()
        }

        /// The greatest value of `f` on a grid over `low..high`, zoomed in `rounds` times.
        fn zoom(
            mut low: f64,
            mut high: f64,
            points: u32,
            rounds: u32,
            f: impl Fn(f64) -> f64,
        ) -> f64 {
            let mut best = f64::NEG_INFINITY;
            for _ in 0..rounds {
                let step = (high - low) / f64::from(points);
                let mut place = low;
                for i in 0..=points {
                    let at = low + step * f64::from(i);
                    let value = f(at);
                    if value > best {
                        (best, place) = (value, at);
                    }
                }
                (low, high) = ((place - step).max(low), (place + step).min(high));
            }
            best
        }

        /// A share from the logarithm of its odds, so that small ones are looked at as closely.
        fn share(log_odds: f64) -> f64 {
            1.0 / (1.0 + (-log_odds).exp())
        }

        /// Single games: one unknown is left, the share of decided games.
        pub fn games(shares: &[f64], nelo: f64) -> f64 {
            let tau = tau(nelo, 1.0);
            zoom(-40.0, 40.0, 400, 4, |v| {
                let decided = tau * tau + (1.0 - tau * tau) * share(v);
                let draws = (1.0 - tau * tau) * share(-v);
                let difference = tau * decided.sqrt();
                let q = [(decided - difference) / 2.0, draws, (decided + difference) / 2.0];
                log_likelihood(shares, &q)
            })
        }

        /// Pairs: the second moment, then the shares of both ends; the rest follows.
        pub fn pairs(shares: &[f64], nelo: f64) -> f64 {
            let tau = tau(nelo, 2.0);
            zoom(-14.0, 14.0, 112, 2, |v| {
                let second = 0.25 * share(v);
                let mean = tau * second.sqrt();
                zoom(-18.0, 4.0, 22, 4, |u| {
                    let worst = share(u);
                    // q3 + q1 and q3 - q1 from both moments; every share must be positive.
                    let ends = |best: f64| {
                        let sum = 16.0 * second - 4.0 * (worst + best);
                        let difference = 4.0 * mean - 2.0 * (best - worst);
                        [
                            worst,
                            (sum - difference) / 2.0,
                            1.0 - worst - best - sum,
                            (sum + difference) / 2.0,
                            best,
                        ]
                    };
                    // Each share is linear in that of the best outcome.
                    let (zero, one) = (ends(0.0), ends(1.0));
                    let (mut low, mut high) = (0.0_f64, 1.0_f64);
                    for (a, b) in zero.iter().zip(&one) {
                        let slope = b - a;
                        if slope > 1e-12 {
                            low = low.max(-a / slope)
                        }
                        if slope < -1e-12 {
                            high = high.min(-a / slope)
                        }
                    }
                    if low >= high {
                        return f64::NEG_INFINITY;
                    }
                    zoom(-14.0, 14.0, 14, 4, |u| {
                        log_likelihood(shares, &ends(low + (high - low) * share(u)))
                    })
                })
            })
        }
    }

    /// Over hundreds of random counts and bounds: what is found satisfies its hypothesis, and brute
    /// force finds nothing better; for single games it finds the same.
    #[test]
    fn the_normalized_ratio_is_that_of_a_brute_force_maximum() {
        use rand::RngExt as _;
        let mut rng = cuebench_engine::rng::stream(14, cuebench_engine::rng::Purpose::Test, 1);
        let mut signs = [0; 2];
        for case in 0..320 {
            let bins = if case < 300 { 3 } else { 5 };
            let counts: Vec<u64> = (0..bins)
                .map(|_| match rng.random_range(0..4_u32) {
                    0 => 0,
                    1 => rng.random_range(0..5),
                    _ => rng.random_range(0..200),
                })
                .collect();
            let Ok(sample) = Counts::new(counts.clone()) else { continue };
            let reach = if bins == 3 { 1000.0 } else { 500.0 };
            let low = rng.random_range(-reach..reach);
            let bounds = [low, low + rng.random_range(1.0..0.8 * reach)];
            let regular: Vec<f64> =
                counts.iter().map(|&n| if n == 0 { 1e-3 } else { n as f64 }).collect();
            let total: f64 = regular.iter().sum();
            let shares: Vec<f64> = regular.iter().map(|n| n / total).collect();
            let likelihoods = bounds.map(|nelo| {
                let found = Sample::new(&sample).with_nelo(nelo).expect("reached");
                let moment = |power| -> f64 {
                    found.iter().enumerate().map(|(i, q)| q * sample.value(i).powi(power)).sum()
                };
                let (sum, mean) = (moment(0), moment(1));
                let sd = (moment(2) - mean * mean).sqrt();
                let told = (mean - 0.5) / (sd * sample.games_per_block().sqrt());
                let exact = (told * 800.0 / 10.0_f64.ln() - nelo).abs() <= 1e-4 * nelo.abs();
                assert!(exact && (sum - 1.0).abs() < 1e-9, "{counts:?} {nelo}: {found:?}");
                let own = brute_force::log_likelihood(&shares, &found);
                let (brute, near) = match bins {
                    3 => (brute_force::games(&shares, nelo), 1e-7),
                    _ => (brute_force::pairs(&shares, nelo), 0.25),
                };
                let best = own >= brute - 1e-9 && own <= brute + near;
                assert!(best, "{counts:?} {nelo}: {own}, by brute force {brute}");
                own
            });
            let value = llr(Normalized, bounds, &counts);
            let expected = total * (likelihoods[1] - likelihoods[0]);
            assert!(
                (value - expected).abs() <= 1e-6 * (1.0 + expected.abs()),
                "{value} {expected}"
            );
            signs[usize::from(value > 0.0)] += 1;
            // Beyond both bounds the sign is certain.
            let (mean, variance) = sample.moments();
            let nelo = crate::stats::elo::NELO_SCALE * (mean - 0.5)
                / (variance * sample.games_per_block()).sqrt();
            if counts.iter().all(|&n| n > 0) && !(bounds[0]..bounds[1]).contains(&nelo) {
                assert_eq!(value > 0.0, nelo >= bounds[1], "{counts:?} {bounds:?}: {value}");
            }
        }
        assert!(signs.iter().all(|&n| n > 50), "{signs:?}");
    }
}
