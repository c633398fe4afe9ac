//! The likeliest distribution of a block's outcomes that satisfies a hypothesis exactly.
//!
//! Under a mean the answer is `p / (1 + theta d)` with the deviations `d` from that mean (empirical
//! likelihood, Owen 1988). A hypothesis on the normalised Elo ties the mean to the spread: with
//! `x` the value less one half, `E x = tau sqrt(E x^2)`. Since `sqrt w` is the least of
//! `(w / l + l) / 2` over all `l > 0`, it is a hypothesis on one mean for each `l`, that of
//! `x - tau (x^2 / l + l) / 2`, and the best `l` is searched for. Nothing depends on where the
//! search begins.

use super::elo::{Counts, NELO_SCALE};

/// Outcomes that never occurred count as this many blocks.
const ABSENT: f64 = 1e-3;
/// Steps after which a bracket has shrunk to neighbouring floats, from any beginning.
const STEPS: u32 = 400;
/// First looks for each outcome above one half.
const LOOKS: u32 = 16;
/// Golden sections after the first looks: to the tenth digit.
const SECTIONS: u32 = 50;
/// Greatest error with which a hypothesis may be satisfied.
const EXACT: f64 = 1e-6;

/// The outcome distribution of a sample, absent outcomes made rare instead of impossible.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    values: Vec<f64>,
    shares: Vec<f64>,
    blocks: f64,
    games_per_block: f64,
}

/// An expected score and the opponent's: both, for near 0 and 1 neither follows from the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score {
    pub own: f64,
    pub other: f64,
}

impl Sample {
    pub fn new(counts: &Counts) -> Self {
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

    /// The shares of the outcomes, worst first.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Log-likelihood of `one` less that of `other`.
    pub fn ratio(&self, one: &[f64], other: &[f64]) -> f64 {
        let terms = self.shares.iter().zip(one.iter().zip(other));
        self.blocks * terms.map(|(p, (one, other))| p * libm::log(one / other)).sum::<f64>()
    }

    /// The likeliest distribution with this mean; `None` when no distribution has it.
    pub fn with_mean(&self, Score { own, other }: Score) -> Option<Vec<f64>> {
        let deviations: Vec<f64> =
            self.values.iter().map(|value| value * other - (1.0 - value) * own).collect();
        Some(self.tilted(&self.tilt(&deviations)?))
    }

    /// The likeliest distribution whose mean lies `nelo` normalised Elo above one half; `None` when
    /// none does.
    pub fn with_nelo(&self, nelo: f64) -> Option<Vec<f64>> {
        let t = nelo / NELO_SCALE * self.games_per_block.sqrt();
        if t == 0.0 {
            return self.with_mean(Score { own: 0.5, other: 0.5 });
        }
        if t > 0.0 {
            return self.normalized(t);
        }
        let mut mirrored = self.clone();
        mirrored.shares.reverse();
        let mut found = mirrored.normalized(-t)?;
        found.reverse();
        Some(found)
    }

    /// As [`Self::with_nelo`], for a mean that lies `t > 0` standard deviations above one half.
    fn normalized(&self, t: f64) -> Option<Vec<f64>> {
        let root = t.hypot(1.0);
        let tau = t / root;
        let x: Vec<f64> = self.values.iter().map(|value| value - 0.5).collect();
        let mean =
            |q: &[f64], power: i32| q.iter().zip(&x).map(|(q, x)| q * x.powi(power)).sum::<f64>();
        let short = |q: &[f64]| mean(q, 1) - tau * mean(q, 2).sqrt();
        // Beyond the hypothesis the sample violates every one of the means, and the best of them
        // counts; on this side the worst.
        let above = short(&self.shares) > 0.0;
        let deviations = |log: f64| -> Vec<f64> {
            let l = libm::exp(log);
            x.iter().map(|x| x - tau * (x * x / l + l) / 2.0).collect()
        };
        let worth = |log: f64| {
            let deviations = deviations(log);
            let average: f64 = self.shares.iter().zip(&deviations).map(|(p, d)| p * d).sum();
            if above && average <= 0.0 {
                return 0.0;
            }
            let Some(factors) = self.tilt(&deviations) else { return f64::NEG_INFINITY };
            let terms = self.shares.iter().zip(&factors);
            let loss: f64 = terms.map(|(p, factor)| p * libm::log(*factor)).sum();
            if above { loss } else { -loss }
        };
        let best = greatest(&looks(&x, (root + 1.0) / t, mean(&self.shares, 2).sqrt()), worth);
        let deviations = deviations(best);
        let found = self.tilted(&self.tilt(&deviations)?);
        (short(&found).abs() <= EXACT).then_some(found)
    }

    /// The factors `1 + theta d` under which `deviations` average zero; `None` when they have one
    /// sign.
    ///
    /// Theta lies between 0 and the pole of the deviation that must become likelier. Its distance
    /// from there, `e` of the way, is what is searched for: near the pole the factors would else be
    /// lost in rounding.
    fn tilt(&self, deviations: &[f64]) -> Option<Vec<f64>> {
        let greatest = deviations.iter().fold(f64::MIN, |m, &d| m.max(d));
        let least = deviations.iter().fold(f64::MAX, |m, &d| m.min(d));
        if !(least < 0.0 && greatest > 0.0) {
            return None;
        }
        let average: f64 = self.shares.iter().zip(deviations).map(|(p, d)| p * d).sum();
        let pole = if average > 0.0 { least } else { greatest };
        let ratios: Vec<f64> = deviations.iter().map(|d| d / pole).collect();
        let factor = |ratio: f64, e: f64| (1.0 - ratio) + e * ratio;
        // The sum falls from +inf at e = 0 to the average at 1, which is not above 0. At the pole
        // it is the share over e, elsewhere at least the ratio: so far e must reach.
        let sum_where = |wanted: &dyn Fn(f64) -> bool| -> f64 {
            let terms = self.shares.iter().zip(&ratios).filter(|(_, ratio)| wanted(**ratio));
            terms.map(|(p, ratio)| p * ratio).sum()
        };
        let least_e = sum_where(&|ratio| ratio == 1.0) / -sum_where(&|ratio| ratio < 0.0);
        let (mut low, mut high) = ((0.5 * least_e).min(0.5), 1.0);
        let mut e = low;
        for _ in 0..STEPS {
            let (mut sum, mut slope) = (0.0, 0.0);
            for (p, &ratio) in self.shares.iter().zip(&ratios) {
                let pull = ratio / factor(ratio, e);
                sum += p * pull;
                slope += p * pull * pull;
            }
            if sum > 0.0 {
                low = e
            } else {
                high = e
            }
            let newton = e + sum / slope;
            let next =
                if newton > low && newton < high { newton } else { low.sqrt() * high.sqrt() };
            if (next - e).abs() <= 1e-16 * e || next <= low || next >= high {
                break;
            }
            e = next;
        }
        Some(ratios.iter().map(|&ratio| factor(ratio, e)).collect())
    }

    fn tilted(&self, factors: &[f64]) -> Vec<f64> {
        self.shares.iter().zip(factors).map(|(p, factor)| p / factor).collect()
    }
}

/// Logarithms of `l` to look at first, in order: around each outcome above one half as far as it
/// can be reached from there, and at the sample's own.
fn looks(x: &[f64], reach: f64, own: f64) -> Vec<f64> {
    let (reach, end) = (libm::log(reach), libm::log(0.5));
    let steps = (0..=LOOKS).map(|step| 2.0 * f64::from(step) / f64::from(LOOKS) - 1.0);
    let around = |x: &f64| {
        let middle = libm::log(*x);
        steps.clone().map(move |step| (middle + step * reach).min(end))
    };
    let mut looks: Vec<f64> = x.iter().filter(|x| **x > 0.0).flat_map(around).collect();
    looks.push(libm::log(own));
    looks.sort_by(f64::total_cmp);
    looks.dedup();
    looks
}

/// Where `worth` is greatest: near the best of `looks`.
fn greatest(looks: &[f64], worth: impl Fn(f64) -> f64) -> f64 {
    let worths: Vec<f64> = looks.iter().map(|&look| worth(look)).collect();
    let best = (0..looks.len()).max_by(|&a, &b| worths[a].total_cmp(&worths[b])).unwrap_or(0);
    let (mut low, mut high) =
        (looks[best.saturating_sub(1)], looks[(best + 1).min(looks.len() - 1)]);
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let inner = |low: f64, high: f64| [high - golden * (high - low), low + golden * (high - low)];
    let [mut left, mut right] = inner(low, high);
    let (mut at_left, mut at_right) = (worth(left), worth(right));
    for _ in 0..SECTIONS {
        if at_left > at_right {
            (high, right, at_right) = (right, left, at_left);
            left = inner(low, high)[0];
            at_left = worth(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = inner(low, high)[1];
            at_right = worth(right);
        }
    }
    let middle = f64::midpoint(low, high);
    if worth(middle) >= worths[best] { middle } else { looks[best] }
}
