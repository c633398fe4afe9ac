//! Errors of ratings from seeds.
//!
//! All pairs of bots play the same seeds, so neither games nor pairs are independent: seeds are.
//! What a seed has to say about the ratings is the sum over all that was played on it, and the
//! spread of these sums between seeds is what the errors rest on (the cluster-robust covariance of
//! Liang and Zeger 1986). A seed pulls the fit towards itself; its residual is made larger by the
//! share of the information that it carries, and the degrees of freedom are those that such shares
//! leave (Bell and McCaffrey 2002), so that few seeds give wide intervals and one seed none.
//!
//! Where seeds show no spread at all, each counts as one trial at the score held: an interval never
//! has zero width.

use super::bradley_terry::{Fit, Pairing, expected, outer, signs};
use super::linear::product;
use super::student::{t_cdf, t95};
use cuebench_engine::rng::{Purpose, stream};
use rand_distr::{ChiSquared, Distribution as _, StandardNormal};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Draws for the chance of being first.
const DRAWS: usize = 4000;
/// Ratings that differ by no more than rounding are tied, log odds.
const LEVEL: f64 = 1e-9;
/// Part by which rounding may make one degree of freedom less.
const FREEDOM_ROUNDING: f64 = 1e-9;
/// Part of its games by which a sum of squares may differ from nothing by rounding.
const ROUNDING: f64 = 1e-18;

/// What was played, seed by seed: for each pair (first, second) the games and half points of the
/// first.
#[derive(Clone, Debug)]
pub struct Seeds {
    pairs: Vec<(usize, usize)>,
    /// Seed after seed, one cell a pair.
    cells: Vec<[u16; 2]>,
}

impl Seeds {
    /// An empty table for these pairs (first, second).
    #[must_use]
    pub const fn new(pairs: Vec<(usize, usize)>) -> Self {
        Self { pairs, cells: Vec::new() }
    }

    /// Adds a seed: [games, half points of the first] for each pair, in the order of the pairs.
    pub fn push(&mut self, cells: &[[u16; 2]]) {
        debug_assert_eq!(cells.len(), self.pairs.len());
        self.cells.extend_from_slice(cells);
    }

    /// Number of seeds.
    #[must_use]
    pub const fn len(&self) -> usize {
        if self.pairs.is_empty() { 0 } else { self.cells.len() / self.pairs.len() }
    }

    /// Whether there is no seed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cells seed by seed.
    pub fn rows(&self) -> impl Iterator<Item = &[[u16; 2]]> {
        self.cells.chunks_exact(self.pairs.len().max(1))
    }

    /// Everything that was played, with the spread between seeds.
    #[must_use]
    pub fn pairings(&self) -> Vec<Pairing> {
        let mut sums = vec![[0_u64; 3]; self.pairs.len()];
        for row in self.rows() {
            for (sum, &[games, halves]) in sums.iter_mut().zip(row) {
                sum[0] += u64::from(games > 0);
                sum[1] += u64::from(games);
                sum[2] += u64::from(halves);
            }
        }
        let mut pairings: Vec<Pairing> = self
            .pairs
            .iter()
            .zip(sums)
            .map(|(&(first, second), [blocks, games, halves])| Pairing {
                first,
                second,
                blocks: blocks as f64,
                games: games as f64,
                points: halves as f64 / 2.0,
                spread: 0.0,
            })
            .collect();
        for row in self.rows() {
            for (p, &[games, halves]) in pairings.iter_mut().zip(row) {
                if games > 0 {
                    let own = f64::from(halves) / 2.0 - f64::from(games) * p.points / p.games;
                    p.spread += own * own;
                }
            }
        }
        pairings
    }
}

/// A standard error and the degrees of freedom it is known with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uncertainty {
    /// Standard error.
    pub error: f64,
    /// Degrees of freedom, at least 1; infinity stands for the normal distribution.
    pub freedom: f64,
}

impl Uncertainty {
    /// Half-width of the 95 % interval.
    #[must_use]
    pub fn half_width95(&self) -> f64 {
        t95(self.freedom) * self.error
    }

    /// Chance that the true value is above zero when `estimate` is what was found.
    #[must_use]
    pub fn chance_above_zero(&self, estimate: f64) -> f64 {
        t_cdf(estimate / self.error, self.freedom)
    }
}

/// The covariance of fitted ratings (and of the first seat's advantage, last) from seeds.
#[derive(Clone, Debug)]
pub struct Covariance {
    parameters: usize,
    /// Where the advantage stands among the parameters.
    seat: Option<usize>,
    /// What each seed contributes to each parameter, residuals made larger by leverage.
    influences: Vec<f64>,
    /// Pairings that show no spread and count as trials.
    trials: Vec<Pairing>,
    bread: Vec<f64>,
    total: Vec<f64>,
    /// Variances without the trials.
    spread: Vec<f64>,
    freedom: Vec<f64>,
}

/// Which bots have games on at least two seeds, in effect: the seeds' shares of the information in
/// a bot's own games leave a degree of freedom.
#[must_use]
pub fn known(fit: &Fit, seeds: &Seeds) -> Vec<bool> {
    let expected = expectations(fit, seeds);
    let bots = fit.ratings.len();
    let (mut sums, mut squares) = (vec![0.0; bots], vec![0.0; bots]);
    let mut own = vec![0.0; bots];
    for row in seeds.rows() {
        own.fill(0.0);
        for ((&[games, _], &(first, second)), expected) in
            row.iter().zip(&seeds.pairs).zip(&expected)
        {
            let carried = f64::from(games) * expected * (1.0 - expected);
            own[first] += carried;
            own[second] += carried;
        }
        for ((sum, square), own) in sums.iter_mut().zip(&mut squares).zip(&own) {
            *sum += own;
            *square += own * own;
        }
    }
    let freedom = |(sum, square): (&f64, &f64)| sum * sum >= (2.0 - FREEDOM_ROUNDING) * square;
    sums.iter().zip(&squares).map(|sums| *sums.0 > 0.0 && freedom(sums)).collect()
}

impl Covariance {
    /// The covariance of `fit`, which was fitted to `seeds`.
    #[must_use]
    pub fn of(fit: &Fit, seeds: &Seeds) -> Self {
        let parameters = fit.parameters();
        let bread = fit.information.clone();
        let scores = scores(fit, seeds);
        let shares = information_shares(fit, seeds);
        let mut influences = vec![0.0; scores.len()];
        influences.par_chunks_exact_mut(parameters.max(1)).enumerate().for_each(|(seed, own)| {
            let score = &scores[seed * parameters..][..parameters];
            let share = &shares[seed * parameters..][..parameters];
            for (i, value) in own.iter_mut().enumerate() {
                let row = &bread[i * parameters..][..parameters];
                let pull: f64 = row.iter().zip(score).map(|(a, b)| a * b).sum();
                // A seed that carries everything says nothing of the spread: freedom is 0 then.
                *value = pull / (1.0 - share[i]).max(1e-9).sqrt();
            }
        });
        let mut squares = vec![0.0; parameters];
        for row in shares.chunks_exact(parameters.max(1)) {
            for (sum, share) in squares.iter_mut().zip(row) {
                *sum += share * share;
            }
        }
        let freedom = squares.iter().map(|&s| if s > 0.0 { 1.0 / s - 1.0 } else { 0.0 }).collect();
        let mut total = products(&influences, parameters);
        let spread = (0..parameters).map(|i| total[i * parameters + i]).collect();
        let trials = trials(fit, seeds, &scores);
        add_trials(&mut total, &bread, &trials, fit);
        Self { parameters, seat: fit.seat(), influences, trials, bread, total, spread, freedom }
    }

    /// The uncertainty of a rating, or of the advantage, whose index is the number of bots; log
    /// odds. `None` when there is too little to tell: in effect less than two seeds.
    #[must_use]
    pub fn of_one(&self, index: usize) -> Option<Uncertainty> {
        let variance = self.total[index * self.parameters + index];
        self.uncertainty(variance, self.spread[index], self.freedom[index])
    }

    /// The uncertainty of the difference of two ratings, log odds; `None` when there is too little
    /// to tell about either.
    #[must_use]
    pub fn of_difference(&self, a: usize, b: usize) -> Option<Uncertainty> {
        let at = |i: usize, j: usize| self.total[i * self.parameters + j];
        let variance = at(a, a) + at(b, b) - 2.0 * at(a, b);
        let spread = self
            .influences
            .chunks_exact(self.parameters)
            .map(|row| (row[a] - row[b]) * (row[a] - row[b]))
            .sum();
        self.uncertainty(variance, spread, self.freedom[a].min(self.freedom[b]))
    }

    /// Welch's degrees of freedom: only the part that is estimated from seeds has few.
    fn uncertainty(&self, variance: f64, spread: f64, freedom: f64) -> Option<Uncertainty> {
        if freedom < 1.0 - FREEDOM_ROUNDING || variance <= 0.0 || !variance.is_finite() {
            return None;
        }
        let part = (spread / variance).clamp(0.0, 1.0);
        let freedom = (freedom / (part * part)).max(1.0);
        Some(Uncertainty { error: variance.sqrt(), freedom })
    }

    /// Chance that each of the bots `among` is the best of them, by drawing ratings around `fit` as
    /// uncertain as they are; the same at any number of threads, and never exactly 0 or 1.
    #[must_use]
    pub fn firsts(&self, fit: &Fit, among: &[usize]) -> Vec<f64> {
        let freedom = among.iter().map(|&bot| self.freedom[bot]).fold(f64::INFINITY, f64::min);
        let chi = ChiSquared::new(freedom.max(1.0)).ok();
        let wins = (0..DRAWS)
            .into_par_iter()
            .map(|draw| {
                let mut rng = stream(0, Purpose::Bootstrap, draw as u64);
                let wide = chi.map_or(1.0, |chi| (freedom / chi.sample(&mut rng)).sqrt());
                let mut moves = vec![0.0; self.parameters];
                for row in self.influences.chunks_exact(self.parameters) {
                    let z: f64 = StandardNormal.sample(&mut rng);
                    for (value, influence) in moves.iter_mut().zip(row) {
                        *value += wide * z * influence;
                    }
                }
                self.add_drawn_trials(&mut moves, &mut rng);
                let rating = |bot: usize| fit.ratings[bot] + moves[bot];
                let best = among.iter().map(|&bot| rating(bot)).fold(f64::MIN, f64::max);
                let tied: Vec<usize> =
                    (0..among.len()).filter(|&i| best - rating(among[i]) < LEVEL).collect();
                tied
            })
            .collect::<Vec<_>>();
        // Half a draw more for each: what was never drawn is rare, not impossible.
        let total = DRAWS as f64 + 0.5 * among.len() as f64;
        let mut chances = vec![0.5; among.len()];
        for tied in wins {
            for &place in &tied {
                chances[place] += 1.0 / tied.len() as f64;
            }
        }
        chances.iter().map(|count| count / total).collect()
    }

    fn add_drawn_trials(&self, moves: &mut [f64], rng: &mut impl rand::Rng) {
        if self.trials.is_empty() {
            return;
        }
        let mut score = vec![0.0; self.parameters];
        for p in &self.trials {
            let z: f64 = StandardNormal.sample(rng);
            for (i, sign) in signs(p, self.seat) {
                score[i] += sign * z * p.trial_variance().sqrt();
            }
        }
        for (value, row) in moves.iter_mut().zip(self.bread.chunks_exact(self.parameters)) {
            *value += row.iter().zip(&score).map(|(a, b)| a * b).sum::<f64>();
        }
    }
}
/// Expected share of the points of the first bot of each pair.
fn expectations(fit: &Fit, seeds: &Seeds) -> Vec<f64> {
    let seat = fit.advantage.unwrap_or(0.0);
    let logit = |&(first, second): &(usize, usize)| fit.ratings[first] - fit.ratings[second] + seat;
    seeds.pairs.iter().map(|pair| expected(logit(pair))).collect()
}

/// Seed by seed what pulls at each parameter: points less expected points.
fn scores(fit: &Fit, seeds: &Seeds) -> Vec<f64> {
    let (parameters, expected) = (fit.parameters(), expectations(fit, seeds));
    let mut scores = vec![0.0; seeds.len() * parameters];
    for (row, own) in seeds.rows().zip(scores.chunks_exact_mut(parameters)) {
        for ((&[games, halves], &(first, second)), expected) in
            row.iter().zip(&seeds.pairs).zip(&expected)
        {
            if !fit.level(first, second) {
                // A perfect score, held: what it is off by is no spread.
                continue;
            }
            let excess = f64::from(halves) / 2.0 - f64::from(games) * expected;
            own[first] += excess;
            own[second] -= excess;
            if let Some(seat) = fit.seat() {
                own[seat] += excess;
            }
        }
    }
    scores
}

/// Seed by seed the share of the information on each parameter that the seed carries. Seeds on
/// which the same games were played have the same shares: they are reckoned once.
fn information_shares(fit: &Fit, seeds: &Seeds) -> Vec<f64> {
    let (parameters, expected) = (fit.parameters(), expectations(fit, seeds));
    let mut designs: BTreeMap<Vec<u16>, usize> = BTreeMap::new();
    let design_of: Vec<usize> = seeds
        .rows()
        .map(|row| {
            let next = designs.len();
            *designs.entry(row.iter().map(|cell| cell[0]).collect()).or_insert(next)
        })
        .collect();
    let mut games: Vec<&[u16]> = vec![&[]; designs.len()];
    for (design, &place) in &designs {
        games[place] = design;
    }
    let carried: Vec<Vec<f64>> = games
        .iter()
        .map(|games| {
            (0..parameters)
                .into_par_iter()
                .map(|i| {
                    let row = &fit.information[i * parameters..][..parameters];
                    let seat = fit.seat().map_or(0.0, |seat| row[seat]);
                    let cells = games.iter().zip(&seeds.pairs).zip(&expected);
                    cells
                        .filter(|((games, _), _)| **games > 0)
                        .map(|((&games, &(first, second)), expected)| {
                            let reach = row[first] - row[second] + seat;
                            f64::from(games) * expected * (1.0 - expected) * reach * reach
                        })
                        .sum()
                })
                .collect()
        })
        .collect();
    let mut all = vec![0.0; parameters];
    for &design in &design_of {
        for (sum, carried) in all.iter_mut().zip(&carried[design]) {
            *sum += carried;
        }
    }
    let share = |(carried, all): (&f64, &f64)| if *all > 0.0 { carried / all } else { 0.0 };
    design_of.iter().flat_map(|&design| carried[design].iter().zip(&all).map(share)).collect()
}

/// The pairings whose seeds show no spread of their own and count as trials: those with a score
/// that is held, and those of bots (or, for the advantage, all) whose seeds all gave what is
/// expected.
fn trials(fit: &Fit, seeds: &Seeds, scores: &[f64]) -> Vec<Pairing> {
    let parameters = fit.parameters();
    let mut squares = vec![0.0; parameters];
    for row in scores.chunks_exact(parameters) {
        for (sum, score) in squares.iter_mut().zip(row) {
            *sum += score * score;
        }
    }
    let still = |index: usize| squares[index] <= ROUNDING * seeds.len() as f64;
    let counts = |p: &Pairing| match fit.seat() {
        Some(seat) => still(seat),
        None => still(p.first) || still(p.second),
    };
    let pairings = seeds.pairings().into_iter().filter(|p| p.games > 0.0);
    pairings.filter(|p| !fit.level(p.first, p.second) || counts(p)).collect()
}

/// Sum of the outer products of `influences`, row after row of `n`.
fn products(influences: &[f64], n: usize) -> Vec<f64> {
    let mut result = vec![0.0; n * n];
    result.par_chunks_exact_mut(n.max(1)).enumerate().for_each(|(i, out)| {
        for row in influences.chunks_exact(n) {
            for (sum, value) in out.iter_mut().zip(row) {
                *sum += row[i] * value;
            }
        }
    });
    result
}

/// Adds what the trials contribute.
fn add_trials(total: &mut [f64], bread: &[f64], trials: &[Pairing], fit: &Fit) {
    if trials.is_empty() {
        return;
    }
    let n = fit.parameters();
    let meat = outer(n, fit.seat(), trials, Pairing::trial_variance);
    let added = product(&product(bread, &meat, n), bread, n);
    for (sum, added) in total.iter_mut().zip(added) {
        *sum += added;
    }
}

#[cfg(test)]
mod tests {
    use super::super::bradley_terry::{ELO, fit};
    use super::super::elo::{Counts, strength};
    use super::*;

    fn fitted(bots: usize, seeds: &Seeds) -> (Fit, Covariance) {
        let mut fit = fit(bots, &seeds.pairings(), false).expect("fits");
        fit.centre_on(&known(&fit, seeds));
        let covariance = Covariance::of(&fit, seeds);
        (fit, covariance)
    }

    /// Two bots, independent single games: the error is that of a mean, with Student's quantile.
    #[test]
    fn one_pair_has_the_error_of_a_mean() {
        let mut seeds = Seeds::new(vec![(0, 1)]);
        for seed in 0..20 {
            seeds.push(&[[1, if seed % 5 < 3 { 2 } else { 0 }]]);
        }
        let (fit, covariance) = fitted(2, &seeds);
        let elo = (fit.ratings[0] - fit.ratings[1]) * ELO;
        assert!((elo - 70.437).abs() < 1e-3, "{elo}");
        let told = covariance.of_difference(0, 1).expect("told");
        // sqrt(0.6 * 0.4 / 19) over the slope 0.6 * 0.4.
        let error = (0.24_f64 / 19.0).sqrt() / 0.24;
        assert!((told.error / error - 1.0).abs() < 1e-9 && (told.freedom - 19.0).abs() < 1e-6);
        assert!((told.half_width95() / (2.093_024 * error) - 1.0).abs() < 1e-6);
        let one = covariance.of_one(0).expect("told");
        assert!((one.error - told.error / 2.0).abs() < 1e-9);
    }

    /// Games of a pair, or pairs, that share a seed and always agree carry the information of one.
    #[test]
    fn what_shares_a_seed_is_one_block() {
        let table = |games: u16, pairs: Vec<(usize, usize)>| {
            let mut seeds = Seeds::new(pairs);
            for seed in 0..300 {
                let won = if seed % 3 > 0 { 2 * games } else { 0 };
                seeds.push(&vec![[games, won]; seeds.pairs.len()]);
            }
            let bots = seeds.pairs.len() + 1;
            fitted(bots, &seeds).1.of_difference(0, 1).expect("told").error
        };
        let once = table(1, vec![(0, 1)]);
        assert!((table(2, vec![(0, 1)]) / once - 1.0).abs() < 1e-9);
        // Three bots that all lose to the first on the same seeds: no better known.
        assert!((table(1, vec![(0, 1), (0, 2), (0, 3)]) / once - 1.0).abs() < 1e-9);
    }

    #[test]
    fn one_seed_is_too_little_and_two_are_wide() {
        let mut seeds = Seeds::new(vec![(0, 1), (0, 2), (1, 2)]);
        seeds.push(&[[2, 4], [2, 2], [2, 1]]);
        let (_, covariance) = fitted(3, &seeds);
        assert!((0..3).all(|bot| covariance.of_one(bot).is_none()));
        seeds.push(&[[2, 1], [2, 3], [2, 3]]);
        let (_, covariance) = fitted(3, &seeds);
        for bot in 0..3 {
            let told = covariance.of_one(bot).expect("told");
            assert!(
                (told.freedom - 1.0).abs() < 1e-6 && ELO * told.half_width95() > 100.0,
                "{told:?}"
            );
        }
    }

    /// A bot that joined for one seed is not known although the others are.
    #[test]
    fn a_bot_with_one_game_is_not_known() {
        let mut seeds = Seeds::new(vec![(0, 1), (0, 2)]);
        for seed in 0..100 {
            seeds.push(&[
                [1, if seed % 2 > 0 { 2 } else { 0 }],
                [u16::from(seed == 7), 2 * u16::from(seed == 7)],
            ]);
        }
        let (fit, covariance) = fitted(3, &seeds);
        assert_eq!(covariance.of_one(2), None);
        assert_eq!(covariance.of_difference(0, 2), None);
        assert!(covariance.of_difference(0, 1).expect("told").freedom > 90.0);
        assert!(covariance.of_one(0).expect("told").freedom > 90.0);
        assert!(fit.ratings[2] < fit.ratings[0]);
        assert!((fit.ratings[0] + fit.ratings[1]).abs() < 1e-9, "{:?}", fit.ratings);
    }

    /// Seeds without spread count as trials: no width is zero, no chance 0 or 1.
    #[test]
    fn thirty_draws_are_not_certain() {
        for (halves, games) in [(1, 1), (2, 2), (2, 1)] {
            let mut seeds = Seeds::new(vec![(0, 1)]);
            for _ in 0..30 {
                seeds.push(&[[games, halves]]);
            }
            let (fit, covariance) = fitted(2, &seeds);
            let told = covariance.of_difference(0, 1).expect("told");
            // The rule is that of one pair alone.
            let mut bins = vec![0; 2 * usize::from(games) + 1];
            bins[usize::from(halves)] = 30;
            let pair = strength(&Counts::new(bins).expect("valid"));
            let error = ELO * told.half_width95();
            assert!(
                (error / pair.elo_error - 1.0).abs() < 1e-9 && error > 100.0,
                "{error} {pair:?}"
            );
            let chance = told.chance_above_zero(fit.ratings[0] - fit.ratings[1]);
            assert!(chance < 1.0 && (halves == 2 && games == 1 || chance == 0.5), "{chance}");
            let firsts = covariance.firsts(&fit, &[0, 1]);
            assert!(firsts.iter().all(|&first| first > 0.0 && first < 1.0), "{firsts:?}");
        }
    }

    #[test]
    fn identical_bots_share_the_first_rank() {
        let mut seeds = Seeds::new(vec![(0, 1), (0, 2), (1, 2)]);
        for _ in 0..50 {
            seeds.push(&[[2, 2], [2, 2], [2, 2]]);
        }
        let (fit, covariance) = fitted(3, &seeds);
        let firsts = covariance.firsts(&fit, &[0, 1, 2]);
        assert!(firsts.iter().all(|first| (first - 1.0 / 3.0).abs() < 0.03), "{firsts:?}");
        assert!((firsts.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    /// The chance of being first agrees with that of being above the only other bot.
    #[test]
    fn the_chance_of_being_first_is_that_of_the_difference() {
        let mut seeds = Seeds::new(vec![(0, 1)]);
        for seed in 0..40 {
            seeds.push(&[[1, if seed % 20 < 12 { 2 } else { 0 }]]);
        }
        let (fit, covariance) = fitted(2, &seeds);
        let told = covariance.of_difference(0, 1).expect("told");
        let chance = told.chance_above_zero(fit.ratings[0] - fit.ratings[1]);
        let first = covariance.firsts(&fit, &[0, 1])[0];
        // Four standard deviations of a share of 4000 draws.
        assert!((first - chance).abs() < 4.0 * (0.25_f64 / 4000.0).sqrt(), "{first} {chance}");
    }
}
