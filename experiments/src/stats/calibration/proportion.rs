//! Shares of counts: scratches, safety fouls, the outcomes of a break.

use crate::stats::interval::{Z95, wilson95};
use statrs::distribution::{ContinuousCDF as _, Normal};
use statrs::function::beta::beta_reg;
use statrs::function::gamma::gamma_lr;

/// A share with its intervals. The marginal of one outcome of a multinomial is binomial, and its
/// profile likelihood too (the other shares scale in proportion).
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// Rows with the outcome.
    pub successes: u64,
    /// All rows, at least one.
    pub trials: u64,
    /// `successes / trials`.
    pub estimate: f64,
    /// `sqrt(p (1 - p) / n)`; 0 at the ends, where it says nothing.
    pub se: f64,
    /// `estimate -+ Z95 * se`, cut off at 0 and 1.
    pub wald95: [f64; 2],
    /// The likelihood-ratio interval. Where one outcome is rare it covers less than it says
    /// (0.935 for 12 of 400 expected), so that it is not the one that is shown.
    pub profile95: [f64; 2],
    /// Wilson's score interval: the one that is shown.
    pub wilson95: [f64; 2],
    /// The exact interval of Clopper and Pearson (1934).
    pub exact95: [f64; 2],
}

impl Share {
    /// The share of `successes` in `trials`, or none without trials.
    #[must_use]
    pub fn new(successes: u64, trials: u64) -> Option<Self> {
        if trials == 0 || successes > trials {
            return None;
        }
        let (k, n) = (successes as f64, trials as f64);
        let p = k / n;
        let se = (p * (1.0 - p) / n).sqrt();
        Some(Self {
            successes,
            trials,
            estimate: p,
            se,
            wald95: [(p - Z95 * se).max(0.0), (p + Z95 * se).min(1.0)],
            profile95: [likelihood_end(k, n, -1.0), likelihood_end(k, n, 1.0)],
            wilson95: wilson95(k, n),
            exact95: clopper_pearson(k, n),
        })
    }

    /// Goodman's (1965) interval, simultaneous over `outcomes` outcomes of a multinomial at 95 %
    /// (Bonferroni).
    #[must_use]
    pub fn goodman95(&self, outcomes: usize) -> [f64; 2] {
        let level = 1.0 - 0.05 / (2.0 * outcomes.max(1) as f64);
        let z = Normal::standard().inverse_cdf(level);
        let (p, n, z2) = (self.estimate, self.trials as f64, z * z);
        let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
        [(centre - half).max(0.0), (centre + half).min(1.0)]
    }
}

/// `k ln p + (n - k) ln (1 - p)` with `0 ln 0 = 0`.
fn log_likelihood(k: f64, n: f64, p: f64) -> f64 {
    let term = |count: f64, log: f64| if count > 0.0 { count * log } else { 0.0 };
    term(k, libm::log(p)) + term(n - k, libm::log1p(-p))
}

/// The end of the likelihood-ratio interval on one side, by bisection.
fn likelihood_end(k: f64, n: f64, side: f64) -> f64 {
    let p = k / n;
    let (mut inside, mut outside) = (p, if side < 0.0 { 0.0 } else { 1.0 });
    if inside == outside {
        return outside;
    }
    let best = log_likelihood(k, n, p);
    for _ in 0..200 {
        let middle = f64::midpoint(inside, outside);
        if middle == inside || middle == outside {
            break;
        }
        let deviance = 2.0 * (best - log_likelihood(k, n, middle));
        if deviance <= Z95 * Z95 { inside = middle } else { outside = middle }
    }
    f64::midpoint(inside, outside)
}

/// The most rows at which the incomplete beta function is evaluated as it stands.
const FEW: f64 = 1e5;

fn clopper_pearson(k: f64, n: f64) -> [f64; 2] {
    let low = if k <= 0.0 { 0.0 } else { beta_quantile(k, n - k + 1.0, 0.025) };
    let high = if k >= n { 1.0 } else { beta_quantile(k + 1.0, n - k, 0.975) };
    // Approximations of huge counts may round past the estimate.
    [low.min(k / n), high.max(k / n)]
}

/// The quantile of the beta distribution, in bounded time for counts of any size: by bisection of
/// the distribution function where it is cheap; by the gamma distribution where one count is
/// small beside the other; by the normal distribution (Peizer and Pratt 1968) where both are large.
/// Relative errors are below 1e-6.
fn beta_quantile(a: f64, b: f64, level: f64) -> f64 {
    if a + b <= FEW {
        bisected(0.0, 1.0, |x| beta_reg(a, b, x) < level)
    } else if a <= b.min(1e3) {
        // To second order in 1 / (a + b).
        let rate = b + (a - 1.0) / 2.0;
        let most = a + 10.0 * a.sqrt() + 40.0;
        let g = bisected(0.0, most, |g| gamma_lr(a, g) < level);
        g / (rate + g / 2.0)
    } else if b <= a.min(1e3) {
        1.0 - beta_quantile(b, a, 1.0 - level)
    } else {
        let z = Normal::standard().inverse_cdf(level);
        bisected(0.0, 1.0, |x| peizer_pratt(a, b, x) < z)
    }
}

/// The normal deviate of the beta distribution function at `x` (Peizer and Pratt 1968).
fn peizer_pratt(a: f64, b: f64, x: f64) -> f64 {
    // P(Beta(a, b) <= x) = P(Binomial(a + b - 1, x) >= a).
    let n = a + b - 1.0;
    let (s, t) = (a - 0.5, n - a + 0.5);
    let d = a - 1.0 + 2.0 / 3.0 - (n + 1.0 / 3.0) * x;
    let g = |ratio: f64| {
        let u = 1.0 - ratio;
        if u.abs() < 1e-4 {
            u / 3.0 + u * u / 6.0
        } else {
            (1.0 - ratio * ratio + 2.0 * ratio * libm::log(ratio)) / (u * u)
        }
    };
    let spread = (1.0 + (1.0 - x) * g(s / (n * x)) + x * g(t / (n * (1.0 - x))))
        / ((n + 1.0 / 6.0) * x * (1.0 - x));
    -d * spread.sqrt()
}

/// Where `below` changes from true to false.
fn bisected(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high || high - low < 1e-15 * low {
            break;
        }
        if below(middle) { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: [f64; 2], b: [f64; 2], tolerance: f64) -> bool {
        (a[0] - b[0]).abs() < tolerance && (a[1] - b[1]).abs() < tolerance
    }

    #[test]
    fn intervals_agree_with_closed_forms() {
        // None of n: the likelihood-ratio interval ends at 1 - exp(-3.8415 / 2n), the exact one at
        // 1 - 0.025^(1/n).
        let none = Share::new(0, 30).expect("trials");
        let end = 1.0 - (-Z95 * Z95 / 60.0).exp();
        assert!(near(none.profile95, [0.0, end], 1e-12), "{:?}", none.profile95);
        assert!(near(none.exact95, [0.0, 1.0 - 0.025_f64.powf(1.0 / 30.0)], 1e-9));
        // 7 of 20: published Clopper-Pearson interval 0.1539..0.5922.
        let some = Share::new(7, 20).expect("trials");
        assert!(near(some.exact95, [0.1539, 0.5922], 5e-5), "{:?}", some.exact95);
        // 4 of 22 000 000: Poisson limits 1.08986 and 10.24159 of the count.
        let rare = Share::new(4, 22_000_000).expect("trials");
        let scaled = rare.exact95.map(|end| end * 22e6);
        assert!(near(scaled, [1.089_865, 10.241_59], 1e-4), "{scaled:?}");
        // The normal branch meets Wilson's interval with a continuity correction to a millionth.
        let many = Share::new(6_000_000, 12_000_000).expect("trials");
        let end = 0.5 + Z95 * (0.25_f64 / 12e6).sqrt() + 0.5 / 12e6;
        assert!(near(many.exact95, [1.0 - end, end], 1e-9), "{:?}", many.exact95);
        let all = Share::new(5, 5).expect("trials");
        assert_eq!(all.profile95[1], 1.0);
        assert!(Share::new(0, 0).is_none());
    }

    /// The branches for huge counts continue the one by the distribution function itself.
    #[test]
    fn a_clopper_pearson_bound_of_any_count_ends_and_is_right() {
        for (k, n) in [(3.0, 99_000.0), (900.0, 99_000.0), (40_000.0, 99_000.0)] {
            let direct = |a: f64, b: f64, level| bisected(0.0, 1.0, |x| beta_reg(a, b, x) < level);
            for (a, b, level) in [(k, n - k + 1.0, 0.025), (k + 1.0, n - k, 0.975)] {
                let exact = direct(a, b, level);
                let z = Normal::standard().inverse_cdf(level);
                let normal = bisected(0.0, 1.0, |x| peizer_pratt(a, b, x) < z);
                let rate = b + (a - 1.0) / 2.0;
                let g = bisected(0.0, a + 10.0 * a.sqrt() + 40.0, |g| gamma_lr(a, g) < level);
                let gamma = g / (rate + g / 2.0);
                let error = |x: f64| (x / exact - 1.0).abs();
                let best = if k <= 1e3 { error(gamma) } else { error(normal) };
                assert!(best < 1e-6, "{k} {n} {level}: {exact} {gamma} {normal}");
            }
        }
        for n in [10_000_000, 1_000_000_000_000, 1_000_000_000_000_000_000_u64] {
            for k in [0, 1, 2, 7, 400, 5_000, n / 3, n - 1, n] {
                let share = Share::new(k, n).expect("trials");
                for [low, high] in [share.exact95, share.wilson95, share.profile95] {
                    assert!(low <= share.estimate && share.estimate <= high, "{share:?}");
                    assert!((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high));
                }
            }
        }
    }

    #[test]
    fn goodman_is_wider_than_wilson_and_equals_it_for_one_outcome() {
        let share = Share::new(241, 400).expect("trials");
        assert!(near(share.goodman95(1), share.wilson95, 1e-9));
        let [low, high] = share.goodman95(5);
        assert!(low < share.wilson95[0] && high > share.wilson95[1]);
    }
}
