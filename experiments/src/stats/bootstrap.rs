//! Ratings with errors by resampling seeds.
//!
//! All pairs of bots play the same seeds, so games of different pairs are not independent either:
//! the seed is drawn with everything that was played on it, and the joint fit is repeated.

use super::bradley_terry::{FitError, Pairing, fit};
use cuebench_engine::rng::{Purpose, stream};
use rand::{Rng, RngExt as _};
use rayon::prelude::*;
use std::collections::HashMap;

/// What was played, seed by seed: for each pairing (games, points of the first bot). Many seeds
/// give the same: what they give is kept once, and a resampling only counts how often it is drawn.
#[derive(Clone, Debug)]
pub struct Seeds {
    pairs: Vec<(usize, usize)>,
    /// The different outcomes of a seed, one after the other, each with one cell a pairing. Halves
    /// and counts of games of a seed are exact in this width.
    cells: Vec<[f32; 2]>,
    /// Where the outcomes stand, by their bits.
    known: HashMap<Box<[[u32; 2]]>, u32>,
    /// Number of the outcome of each seed.
    outcomes: Vec<u32>,
}

/// What resampling says about one bot.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Ends of the 95 % percentile interval of the rating, log odds.
    pub interval: [f64; 2],
    /// Chance of being rated first, ties shared.
    pub first: f64,
}

/// What resampling says about all bots.
#[derive(Clone, Debug, PartialEq)]
pub struct Bootstrap {
    /// One a bot.
    pub bots: Vec<Spread>,
    /// `ahead[a * bots + b]`: share of samples in which a is rated above b, ties half.
    pub ahead: Vec<f64>,
    /// `difference[a * bots + b]`: half-width of the 95 % interval of the difference, log odds.
    pub difference: Vec<f64>,
    /// Samples drawn.
    pub samples: usize,
}

impl Seeds {
    /// An empty table for these pairs (first, second).
    #[must_use]
    pub fn new(pairs: Vec<(usize, usize)>) -> Self {
        Self { pairs, cells: Vec::new(), known: HashMap::new(), outcomes: Vec::new() }
    }

    /// Adds a seed: (games, points of the first bot) for each pair, in the order of the pairs.
    pub fn push(&mut self, cells: &[(f64, f64)]) {
        debug_assert_eq!(cells.len(), self.pairs.len());
        let cells = cells.iter().map(|&(games, points)| [games as f32, points as f32]);
        let bits = cells.clone().map(|cell| cell.map(f32::to_bits)).collect();
        let next = self.known.len() as u32;
        let outcome = *self.known.entry(bits).or_insert(next);
        if outcome == next {
            self.cells.extend(cells);
        }
        self.outcomes.push(outcome);
    }

    /// Number of seeds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether there is no seed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Everything that was played, with the spread between seeds.
    #[must_use]
    pub fn pairings(&self) -> Vec<Pairing> {
        let mut counts = vec![0_u32; self.known.len()];
        for &outcome in &self.outcomes {
            counts[outcome as usize] += 1;
        }
        let mut pairings = self.sum(&counts);
        for (column, pairing) in pairings.iter_mut().enumerate() {
            let mean = if pairing.games > 0.0 { pairing.points / pairing.games } else { 0.0 };
            pairing.spread = self
                .outcomes
                .iter()
                .map(|&outcome| {
                    let cell = self.cells[outcome as usize * self.pairs.len() + column];
                    let [games, points] = cell.map(f64::from);
                    (points - games * mean) * (points - games * mean)
                })
                .sum();
        }
        pairings
    }

    /// Everything that as many seeds of each outcome give as `counts` says.
    fn sum(&self, counts: &[u32]) -> Vec<Pairing> {
        let width = self.pairs.len();
        let mut sums = vec![[0.0_f64; 2]; width];
        for (cells, &count) in self.cells.chunks_exact(width.max(1)).zip(counts) {
            for (sum, cell) in sums.iter_mut().zip(cells) {
                sum[0] += f64::from(count) * f64::from(cell[0]);
                sum[1] += f64::from(count) * f64::from(cell[1]);
            }
        }
        let pairs = self.pairs.iter().zip(sums);
        pairs
            .map(|(&(first, second), [games, points])| Pairing {
                first,
                second,
                games,
                points,
                spread: 0.0,
            })
            .collect()
    }

    /// As many seeds as there are, drawn with replacement: how often each outcome came.
    fn resample(&self, rng: &mut impl Rng) -> Vec<u32> {
        let mut counts = vec![0; self.known.len()];
        // Each seed took a row of a file: there are never so many that this falls short.
        let seeds = u32::try_from(self.len()).unwrap_or(u32::MAX);
        for _ in 0..seeds {
            counts[self.outcomes[rng.random_range(0..seeds) as usize] as usize] += 1;
        }
        counts
    }
}

/// Fits `samples` resamplings of `seeds`; the same at any number of threads.
///
/// # Errors
/// Without games. Samples in which an advantage cannot be told are left out.
pub fn bootstrap(
    bots: usize,
    seeds: &Seeds,
    advantage: bool,
    samples: usize,
) -> Result<Bootstrap, FitError> {
    if seeds.is_empty() {
        return Err(FitError::NoGames);
    }
    let fits: Vec<Vec<f64>> = (0..samples)
        .into_par_iter()
        .map(|sample| {
            let mut rng = stream(0, Purpose::Bootstrap, sample as u64);
            let drawn = seeds.resample(&mut rng);
            fit(bots, &seeds.sum(&drawn), advantage).ok().map(|fit| fit.ratings)
        })
        .collect::<Vec<_>>()
        .into_iter()
        .flatten()
        .collect();
    if fits.is_empty() {
        return Err(FitError::Advantage);
    }
    Ok(summary(bots, &fits))
}

fn summary(bots: usize, fits: &[Vec<f64>]) -> Bootstrap {
    let total = fits.len() as f64;
    let mut first = vec![0.0; bots];
    for fit in fits {
        let best = fit.iter().fold(f64::MIN, |m, &r| m.max(r));
        let tied = fit.iter().filter(|&&r| level(r, best)).count() as f64;
        for (chance, &rating) in first.iter_mut().zip(fit) {
            *chance += if level(rating, best) { 1.0 / tied } else { 0.0 };
        }
    }
    let per_bot = |bot: usize| Spread {
        interval: interval(fits.iter().map(|fit| fit[bot]).collect()),
        first: first[bot] / total,
    };
    let pairs = || (0..bots).flat_map(|a| (0..bots).map(move |b| (a, b)));
    let ahead = |(a, b): (usize, usize)| {
        let score = |fit: &Vec<f64>| match (level(fit[a], fit[b]), fit[a] > fit[b]) {
            (true, _) => 0.5,
            (false, above) => f64::from(u8::from(above)),
        };
        fits.iter().map(score).sum::<f64>() / total
    };
    let difference = |(a, b): (usize, usize)| {
        let [low, high] = interval(fits.iter().map(|fit| fit[a] - fit[b]).collect());
        (high - low) / 2.0
    };
    Bootstrap {
        bots: (0..bots).map(per_bot).collect(),
        ahead: pairs().map(ahead).collect(),
        difference: pairs().map(difference).collect(),
        samples: fits.len(),
    }
}

/// Ratings that differ by no more than rounding are tied.
fn level(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// The 2.5 % and 97.5 % points of a sample.
fn interval(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * (values.len() - 1) as f64;
        let (low, part) = (place.floor() as usize, place.fract());
        values[low] + part * (values[(low + 1).min(values.len() - 1)] - values[low])
    };
    [at(0.025), at(0.975)]
}

#[cfg(test)]
mod tests {
    use super::super::bradley_terry::ELO;
    use super::super::interval::Z95;
    use super::*;

    /// Two bots, independent single games: the bootstrap must agree with the binomial error.
    #[test]
    fn one_pair_agrees_with_the_sandwich_error() {
        let mut seeds = Seeds::new(vec![(0, 1)]);
        for seed in 0..400 {
            seeds.push(&[(1.0, f64::from(u8::from(seed % 5 < 3)))]);
        }
        let fitted = fit(2, &seeds.pairings(), false).expect("fits");
        let error = Z95 * fitted.difference_error(&fitted.sandwich, 0, 1);
        let resampled = bootstrap(2, &seeds, false, 2000).expect("games");
        assert!((resampled.difference[1] / error - 1.0).abs() < 0.1, "{resampled:?} {error}");
        assert!(resampled.bots[0].first > 0.99 && resampled.ahead[1] > 0.99);
        let elo = (fitted.ratings[0] - fitted.ratings[1]) * ELO;
        assert!((elo - 70.437).abs() < 1e-3, "{elo}");
    }

    /// Games of a pair that share a seed and always agree carry the information of one.
    #[test]
    fn games_that_share_a_seed_are_one_block() {
        let table = |games: f64| {
            let mut seeds = Seeds::new(vec![(0, 1)]);
            for seed in 0..300 {
                seeds.push(&[(games, games * f64::from(u8::from(seed % 3 > 0)))]);
            }
            bootstrap(2, &seeds, false, 500).expect("games")
        };
        assert_eq!(table(1.0).difference, table(2.0).difference);
    }

    #[test]
    fn identical_bots_share_the_first_rank() {
        let mut seeds = Seeds::new(vec![(0, 1), (0, 2), (1, 2)]);
        for _ in 0..50 {
            seeds.push(&[(2.0, 1.0), (2.0, 1.0), (2.0, 1.0)]);
        }
        let resampled = bootstrap(3, &seeds, false, 100).expect("games");
        assert!(resampled.bots.iter().all(|bot| (bot.first - 1.0 / 3.0).abs() < 1e-12));
        assert!(resampled.ahead.iter().all(|&los| los == 0.5));
    }
}
