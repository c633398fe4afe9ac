//! Intervals for a share of successes.

/// The 97.5 % point of the standard normal distribution.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Wilson's score interval at 95 % for `successes` of `trials` (draws may count one half).
/// Both ends lie in 0..=1; without trials the interval is all of it. Source: Wilson (1927),
/// *JASA* 22, 209-212.
#[must_use]
pub fn wilson95(successes: f64, trials: f64) -> [f64; 2] {
    wilson(successes, trials, Z95)
}

/// Wilson's score interval with the quantile `z` in place of that of 95 %.
#[must_use]
pub fn wilson(successes: f64, trials: f64, z: f64) -> [f64; 2] {
    if trials <= 0.0 {
        return [0.0, 1.0];
    }
    let (p, z2n) = (successes / trials, z * z / trials);
    let centre = (p + z2n / 2.0) / (1.0 + z2n);
    let half = (z2n * (p * (1.0 - p) + z2n / 4.0)).sqrt() / (1.0 + z2n);
    // At the ends and for very many trials the formula is exact but its rounding is not.
    let low = if successes <= 0.0 { 0.0 } else { (centre - half).clamp(0.0, p) };
    let high = if successes >= trials { 1.0 } else { (centre + half).clamp(p, 1.0) };
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures: published 95 % Wilson intervals, four decimals.
    #[test]
    fn wilson_agrees_with_published_intervals() {
        for (k, n, low, high) in [
            (60, 100, 0.5020, 0.6906),
            (10, 10, 0.7225, 1.0),
            (18, 20, 0.6990, 0.9721),
            (0, 30, 0.0, 0.1135),
            (127, 200, 0.5663, 0.6986),
        ] {
            let [a, b] = wilson95(f64::from(k), f64::from(n));
            assert!((a - low).abs() < 5e-5 && (b - high).abs() < 5e-5, "{k}/{n}: {a} {b}");
        }
    }
}
