//! Cloth speed and restitution from shots that were seen on one table.
//!
//! Without noise every pair of the grid either replays a shot to the micrometre or is ruled out,
//! and the pairs that replay all shots are equally likely. With noise each coordinate after the
//! shot was seen with a normal error, and the pairs have posterior probabilities under a flat
//! prior. Shots that no pair explains together with the others are named, never averaged away.

use cuebench_agents::belief::{Belief, Observed, PAIRS, Pair, Trial};
use rayon::prelude::*;

/// A coordinate that is off by more standard deviations than this is not explained by noise.
pub const MOST_SIGMAS: f64 = 7.0;
/// Variance of rounding to whole micrometres, µm².
const ROUNDING_VARIANCE: f64 = 1.0 / 12.0;
/// Probability of the region and of the intervals.
const LEVEL: f64 = 0.95;

/// What is known of one of the two values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// Least: of all pairs without noise, of the central 95 % with noise.
    pub low: u32,
    /// Greatest, likewise.
    pub high: u32,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
}

/// What the shots tell.
#[derive(Clone, Debug, PartialEq)]
pub struct TableEstimate {
    /// Pairs and their probabilities, in order of cloth, then restitution. Empty when no pair
    /// explains any shot.
    pub posterior: Vec<(Pair, f64)>,
    /// Indices of the shots that no pair explains together with the others, in ascending order.
    pub inconsistent: Vec<usize>,
    /// Whether any of the other shots touches a rail on the likeliest table.
    pub rail_touched: bool,
}

/// Estimates the table of `shots`, seen with a normal error of standard deviation `noise_um` in
/// each coordinate of the balls that come to rest (0 for none).
#[must_use]
pub fn estimate(shots: &[Observed], noise_um: f64) -> TableEstimate {
    let tolerance_um = if noise_um > 0.0 { (MOST_SIGMAS * noise_um).ceil() as u32 + 1 } else { 0 };
    let (pairs, inconsistent) = agreeing(shots, tolerance_um);
    let kept: Vec<&Observed> = shots
        .iter()
        .enumerate()
        .filter(|(index, _)| inconsistent.binary_search(index).is_err())
        .map(|(_, shot)| shot)
        .collect();
    let posterior = posterior(&pairs, &kept, noise_um);
    let likeliest = posterior.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a });
    let rail_touched = likeliest.is_some_and(|(pair, _)| {
        kept.iter().any(|shot| Trial::new(shot, tolerance_um).touches_rail(pair))
    });
    TableEstimate { posterior, inconsistent, rail_touched }
}

impl TableEstimate {
    /// What is known of the cloth speed, mm/s²; `None` when no pair is left.
    #[must_use]
    pub fn cloth(&self) -> Option<Value> {
        self.value(|pair| pair.cloth)
    }

    /// What is known of the restitution, thousandths; `None` when no pair is left.
    #[must_use]
    pub fn restitution(&self) -> Option<Value> {
        self.value(|pair| pair.restitution)
    }

    /// The smallest set of pairs that holds 95 % of the probability, likeliest first.
    #[must_use]
    pub fn region(&self) -> Vec<(Pair, f64)> {
        let mut sorted = self.posterior.clone();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut held = 0.0;
        let count = sorted.iter().take_while(|(_, p)| {
            let short = held < LEVEL;
            held += p;
            short
        });
        let count = count.count();
        sorted.truncate(count);
        sorted
    }

    fn value(&self, of: fn(Pair) -> u32) -> Option<Value> {
        let mut marginal: Vec<(u32, f64)> =
            self.posterior.iter().map(|&(p, w)| (of(p), w)).collect();
        marginal.sort_by_key(|&(value, _)| value);
        let mean: f64 = marginal.iter().map(|&(value, w)| f64::from(value) * w).sum();
        let variance: f64 =
            marginal.iter().map(|&(value, w)| (f64::from(value) - mean).powi(2) * w).sum();
        let tail = 0.5 * (1.0 - LEVEL);
        let low = quantile(marginal.iter().copied(), tail)?;
        let high = quantile(marginal.iter().rev().copied(), tail)?;
        Some(Value { low, high, mean: rounded(mean), sd: rounded(variance.sqrt()) })
    }

    /// The least and the greatest of each value over all pairs.
    #[must_use]
    pub fn extremes(&self) -> Option<[[u32; 2]; 2]> {
        let ends = |of: fn(Pair) -> u32| {
            let values = self.posterior.iter().map(|&(pair, _)| of(pair));
            Some([values.clone().min()?, values.max()?])
        };
        Some([ends(|pair| pair.cloth)?, ends(|pair| pair.restitution)?])
    }
}

/// `value` to a millionth: finer digits are rounding of the sums.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The first value at which the running sum of the weights exceeds `tail`.
fn quantile(values: impl Iterator<Item = (u32, f64)>, tail: f64) -> Option<u32> {
    let mut sum = 0.0;
    let mut last = None;
    for (value, weight) in values {
        sum += weight;
        last = Some(value);
        if sum > tail {
            break;
        }
    }
    last
}

/// The pairs that agree with every shot but those named.
fn agreeing(shots: &[Observed], tolerance_um: u32) -> (Vec<Pair>, Vec<usize>) {
    let mut belief = Belief::with_tolerance(tolerance_um);
    if shots.iter().all(|shot| belief.update(shot).is_ok()) {
        return (belief.iter().collect(), Vec::new());
    }
    vote(shots, tolerance_um)
}

/// The pairs that agree with the most shots, and the shots they do not agree with. Of several such
/// sets of shots the one that holds the earlier shots is taken.
fn vote(shots: &[Observed], tolerance_um: u32) -> (Vec<Pair>, Vec<usize>) {
    let own: Vec<Vec<u64>> = shots.par_iter().map(|shot| own_pairs(shot, tolerance_um)).collect();
    let votes = |index: usize| own.iter().filter(|set| holds(set, index)).count();
    let counts: Vec<usize> = (0..PAIRS).into_par_iter().map(votes).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return (Vec::new(), (0..shots.len()).collect());
    }
    let agreed = |index: usize| own.iter().map(|set| holds(set, index)).collect::<Vec<bool>>();
    let leading: Vec<usize> = (0..PAIRS).filter(|&index| counts[index] == most).collect();
    let best = leading.iter().map(|&index| agreed(index)).max().unwrap_or_default();
    let pairs = leading.into_iter().filter(|&index| agreed(index) == best);
    let pairs = pairs.map(Pair::from_index).collect();
    let named = best.iter().enumerate().filter(|(_, agrees)| !**agrees).map(|(shot, _)| shot);
    (pairs, named.collect())
}

/// The pairs that agree with one shot, a bit each.
fn own_pairs(shot: &Observed, tolerance_um: u32) -> Vec<u64> {
    let mut bits = vec![0; PAIRS.div_ceil(64)];
    let mut belief = Belief::with_tolerance(tolerance_um);
    if belief.update(shot).is_ok() {
        for pair in belief.iter() {
            let index = pair.index();
            bits[index / 64] |= 1 << (index % 64);
        }
    }
    bits
}

fn holds(bits: &[u64], index: usize) -> bool {
    bits[index / 64] & (1 << (index % 64)) != 0
}

/// Probabilities of `pairs` under a flat prior.
fn posterior(pairs: &[Pair], shots: &[&Observed], noise_um: f64) -> Vec<(Pair, f64)> {
    let weights = if noise_um > 0.0 {
        log_likelihoods(pairs, shots, noise_um)
    } else {
        vec![0.0; pairs.len()]
    };
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = weights.iter().map(|weight| libm::exp(weight - most)).collect();
    let sum: f64 = weights.iter().sum();
    pairs.iter().zip(weights).map(|(&pair, weight)| (pair, weight / sum)).collect()
}

/// The logarithm of the likelihood of each pair, up to a constant.
fn log_likelihoods(pairs: &[Pair], shots: &[&Observed], noise_um: f64) -> Vec<f64> {
    let variance = noise_um * noise_um + ROUNDING_VARIANCE;
    let mut sums = vec![0.0; pairs.len()];
    for shot in shots {
        let mut trial = Trial::new(shot, 0);
        for (sum, &pair) in sums.iter_mut().zip(pairs) {
            let squares = trial.places(pair).map_or(f64::INFINITY, |places| {
                let seen = places.at.iter().zip(&shot.after.at);
                seen.map(|(a, b)| match (a, b) {
                    (Some(a), Some(b)) => a.distance_squared_um2(*b) as f64,
                    _ => 0.0,
                })
                .sum()
            });
            *sum -= 0.5 * squares / variance;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuebench_engine::rng::{Purpose, between, stream};
    use cuebench_engine::shot::Stroke;
    use cuebench_engine::snooker::{Options, starting_position};
    use cuebench_engine::table::{PocketSet, Table};
    use cuebench_engine::units::Point;
    use rand_distr::{Distribution, Normal};

    const TRUTH: Pair = Pair { cloth: 912, restitution: 777 };

    /// Random shots on a table with the values `truth`.
    fn shots(truth: Pair, count: u64) -> Vec<Observed> {
        let table = Table::new(truth.spec(PocketSet::Snooker)).expect("a table");
        (0..count)
            .map(|seed| {
                let before = starting_position(seed, &Options::default());
                let mut rng = stream(seed, Purpose::Test, 1);
                let angle = between(&mut rng, 0, 359_999).unsigned_abs();
                let power = between(&mut rng, 150, 400).unsigned_abs();
                let stroke = Stroke::new(angle, power).expect("in range");
                let after = table.simulate(&before, stroke).expect("played").balls;
                Observed { pockets: PocketSet::Snooker, before, stroke, after }
            })
            .collect()
    }

    fn blur(shots: &mut [Observed], noise_um: f64) {
        let normal = Normal::new(0.0, noise_um).expect("a width");
        let mut rng = stream(1, Purpose::Test, 2);
        for place in shots.iter_mut().flat_map(|shot| shot.after.at.iter_mut().flatten()) {
            let mut draw = || Distribution::<f64>::sample(&normal, &mut rng).round() as i32;
            *place = Point::new(place.x_um + draw(), place.y_um + draw());
        }
    }

    #[test]
    fn exact_shots_give_the_pair() {
        let found = estimate(&shots(TRUTH, 3), 0.0);
        assert_eq!(found.posterior, [(TRUTH, 1.0)]);
        assert!(found.inconsistent.is_empty() && found.rail_touched);
        let cloth = found.cloth().expect("a pair is left");
        assert_eq!((cloth.low, cloth.high, cloth.mean, cloth.sd), (912, 912, 912.0, 0.0));
    }

    #[test]
    fn a_shot_of_another_table_is_named() {
        let mut seen = shots(TRUTH, 4);
        seen[0] = shots(Pair { cloth: 800, restitution: 650 }, 1)[0];
        let found = estimate(&seen, 0.0);
        assert_eq!(found.inconsistent, [0]);
        assert_eq!(found.posterior, [(TRUTH, 1.0)]);
        let broken = seen[2].after.at[0].map(|at| Point::new(at.x_um + 5, at.y_um));
        seen[2].after.at[0] = broken;
        assert_eq!(estimate(&seen, 0.0).inconsistent, [0, 2]);
    }

    #[test]
    fn noise_widens_the_posterior_around_the_truth() {
        let mut seen = shots(TRUTH, 4);
        blur(&mut seen, 3_000.0);
        let found = estimate(&seen, 3_000.0);
        let (cloth, restitution) =
            (found.cloth().expect("pairs"), found.restitution().expect("pairs"));
        assert!(cloth.sd > 0.0 && restitution.sd > 0.0);
        assert!((cloth.mean - 912.0).abs() < 4.0 * cloth.sd + 1.0, "{cloth:?}");
        assert!((restitution.mean - 777.0).abs() < 4.0 * restitution.sd + 1.0, "{restitution:?}");
        let held: f64 = found.region().iter().map(|(_, p)| p).sum();
        assert!((LEVEL..=1.0 + 1e-9).contains(&held));
        assert!(found.inconsistent.is_empty());
    }

    #[test]
    fn nothing_seen_is_everything_possible() {
        let found = estimate(&[], 0.0);
        assert_eq!(found.posterior.len(), PAIRS);
        assert!(!found.rail_touched);
        assert_eq!(found.extremes(), Some([[700, 1300], [600, 900]]));
    }
}
