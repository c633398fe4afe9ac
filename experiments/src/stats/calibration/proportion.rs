//! Shares of counts: scratches, safety fouls, the outcomes of a break.

use crate::stats::interval::{Z95, wilson95};
use statrs::distribution::{Beta, ContinuousCDF as _, Normal};

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
    /// The likelihood-ratio interval.
    pub profile95: [f64; 2],
    /// Wilson's score interval.
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

fn clopper_pearson(k: f64, n: f64) -> [f64; 2] {
    let quantile = |a: f64, b: f64, level: f64| {
        Beta::new(a, b).map_or(f64::NAN, |beta| beta.inverse_cdf(level))
    };
    let low = if k <= 0.0 { 0.0 } else { quantile(k, n - k + 1.0, 0.025) };
    let high = if k >= n { 1.0 } else { quantile(k + 1.0, n - k, 0.975) };
    [low, high]
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
        let all = Share::new(5, 5).expect("trials");
        assert_eq!(all.profile95[1], 1.0);
        assert!(Share::new(0, 0).is_none());
    }

    #[test]
    fn goodman_is_wider_than_wilson_and_equals_it_for_one_outcome() {
        let share = Share::new(241, 400).expect("trials");
        assert!(near(share.goodman95(1), share.wilson95, 1e-9));
        let [low, high] = share.goodman95(5);
        assert!(low < share.wilson95[0] && high > share.wilson95[1]);
    }
}
