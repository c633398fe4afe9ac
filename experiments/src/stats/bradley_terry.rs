//! Joint ratings of many bots by the model of Bradley and Terry (1952).
//!
//! A bot of rating a scores 1 / (1 + exp(b - a - h)) against one of rating b on average, where h
//! is the advantage of the first seat. The fit makes expected points equal observed points, draws
//! being half points. Ratings are natural log odds that sum to zero within each group of bots that
//! met; [`ELO`] converts them.

use super::elo::trial_elo_error;
use super::interval::Z95;
use super::linear::{Singular, inverse, product, solve_definite};

/// Elo points per unit of log odds: 400 / ln 10.
pub const ELO: f64 = 173.717_792_761_300_73;
/// Newton steps; a handful is usual.
const STEPS: u32 = 100;
/// Largest move of a rating in one Newton step.
const STRIDE: f64 = 2.0;
/// Standard error of an advantage, log odds, beyond which there is no finite estimate: a million games
/// of which one decides have an error of 1.
const BOUNDLESS: f64 = 20.0;
/// Part of a game by which a perfect score between two groups is held away from perfection.
const HELD: f64 = 0.25;

/// All games of one bot in the first seat against another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairing {
    /// Index of the bot in the first seat.
    pub first: usize,
    /// Index of its opponent.
    pub second: usize,
    /// Independent blocks in which they were played: single games, or seeds.
    pub blocks: f64,
    /// Games played.
    pub games: f64,
    /// Points of the first bot.
    pub points: f64,
    /// Sum over blocks of the squared deviation of the first bot's points from their mean: what
    /// the errors rest on. Blocks, not games, are independent.
    pub spread: f64,
}

impl Pairing {
    /// A pairing from counts of independent games.
    #[must_use]
    pub fn from_wdl(first: usize, second: usize, [wins, draws, losses]: [f64; 3]) -> Self {
        let games = wins + draws + losses;
        let points = wins + draws / 2.0;
        let spread = if games > 0.0 { wins + draws / 4.0 - points * points / games } else { 0.0 };
        Self { first, second, blocks: games, games, points, spread }
    }

    /// Variance of the points when each block counts as one trial: what stands where the blocks
    /// themselves show no spread. Two bots alone then have the error of their pair
    /// ([`trial_elo_error`]).
    #[must_use]
    pub fn trial_variance(&self) -> f64 {
        let held = self.points.clamp(HELD, self.games - HELD) / self.games;
        let shares = [self.points / self.games, 1.0 - self.points / self.games];
        let error = trial_elo_error(shares, self.blocks, self.games) / (Z95 * ELO);
        let points = error * self.games * held * (1.0 - held);
        points * points
    }
}

/// How far a rating can be trusted in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Nobody outside its group took a point from it: the rating is a lower limit.
    AtLeast,
    /// It took no point from anybody outside its group: the rating is an upper limit.
    AtMost,
    /// Both, against different bots: the rating is a guess.
    Loose,
}

impl Limit {
    /// The word for it in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::AtLeast => "at_least",
            Self::AtMost => "at_most",
            Self::Loose => "loose",
        }
    }
}

/// Fitted ratings.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Log odds, one a bot.
    pub ratings: Vec<f64>,
    /// Advantage of the first seat, log odds, if it was fitted.
    pub advantage: Option<f64>,
    /// Covariance of ratings (and of the advantage, last) from the information matrix, as if games
    /// were independent and never drawn; row after row.
    pub information: Vec<f64>,
    /// Limits of the ratings, where the results only bound them.
    pub limits: Vec<Option<Limit>>,
    /// The group of bots, joined by games, to which each bot belongs; ratings of different groups
    /// cannot be compared.
    pub groups: Vec<usize>,
    reach: Reach,
    played: Vec<Pairing>,
}

/// Why no ratings can be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// Not one game.
    #[error("there are no games to rate")]
    NoGames,
    /// Some bots are joined by so few games beside so many that floats cannot tell.
    #[error("the numbers of games differ too much in size for ratings to be told")]
    Uneven,
    /// The results cannot tell the advantage of a seat from strength.
    #[error("the first seat's advantage cannot be told from strength; let both bots sit first")]
    Advantage,
    /// Some pairing was won by the same side in every game, and without it nothing tells.
    #[error("the first seat's advantage has no finite estimate yet; play more games")]
    Boundless,
}

impl Fit {
    /// Number of parameters: the bots, and the advantage if it was fitted.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.ratings.len() + usize::from(self.advantage.is_some())
    }

    /// Where the advantage stands among the parameters.
    #[must_use]
    pub fn seat(&self) -> Option<usize> {
        self.advantage.map(|_| self.ratings.len())
    }

    /// Whether chains of points lead from each of two bots to the other, so that their difference
    /// has a finite estimate.
    #[must_use]
    pub fn level(&self, a: usize, b: usize) -> bool {
        self.reach.level(a, b)
    }

    /// Makes the ratings of each group sum to zero over the bots that are `among`, where the group
    /// has any; what is not known of the others then does not make these less known.
    pub fn centre_on(&mut self, among: &[bool]) {
        let (n, groups) = (self.parameters(), self.groups.iter().max().map_or(0, |g| g + 1));
        let mut counts = vec![0.0; groups];
        for (&group, _) in self.groups.iter().zip(among).filter(|(_, among)| **among) {
            counts[group] += 1.0;
        }
        let centre = |values: &mut [f64]| {
            let mut sums = vec![0.0; groups];
            for ((value, &group), _) in
                values.iter().zip(&self.groups).zip(among).filter(|(_, among)| **among)
            {
                sums[group] += value;
            }
            for (value, &group) in values.iter_mut().zip(&self.groups) {
                if counts[group] > 0.0 {
                    *value -= sums[group] / counts[group];
                }
            }
        };
        centre(&mut self.ratings);
        for row in self.information.chunks_exact_mut(n) {
            centre(row);
        }
        for column in 0..n {
            let mut values: Vec<f64> = (0..n).map(|i| self.information[i * n + column]).collect();
            centre(&mut values);
            for (i, value) in values.into_iter().enumerate() {
                self.information[i * n + column] = value;
            }
        }
    }

    /// Covariance from the observed spread between blocks, which must be independent (sandwich
    /// estimator). Where a bot's blocks show no spread at all, each counts as one trial.
    #[must_use]
    pub fn sandwich(&self) -> Vec<f64> {
        let n = self.parameters();
        let mut own = vec![0.0; self.ratings.len()];
        for p in &self.played {
            own[p.first] += p.spread;
            own[p.second] += p.spread;
        }
        let spread = |p: &Pairing| {
            let trial =
                !self.level(p.first, p.second) || own[p.first] <= 0.0 || own[p.second] <= 0.0;
            if trial { p.spread.max(p.trial_variance()) } else { p.spread }
        };
        let meat = outer(n, self.seat(), &self.played, spread);
        product(&product(&self.information, &meat, n), &self.information, n)
    }

    /// Standard error of a rating (or of the advantage, whose index is the number of bots) under
    /// `covariance`, log odds.
    #[must_use]
    pub fn error(&self, covariance: &[f64], index: usize) -> f64 {
        covariance[index * self.parameters() + index].max(0.0).sqrt()
    }

    /// Standard error of the difference of two ratings under `covariance`, log odds.
    #[must_use]
    pub fn difference_error(&self, covariance: &[f64], a: usize, b: usize) -> f64 {
        let at = |i: usize, j: usize| covariance[i * self.parameters() + j];
        (at(a, a) + at(b, b) - 2.0 * at(a, b)).max(0.0).sqrt()
    }
}

/// Fits `bots` ratings to `pairings`, with the first seat's advantage as a parameter if asked.
///
/// A bot or group that took all points or none from the rest has no finite rating: there, scores
/// are held a quarter of a game away from perfection, and [`Fit::limits`] says so.
///
/// # Errors
/// Without games, or when the advantage cannot be told from strength or has no finite estimate.
pub fn fit(bots: usize, pairings: &[Pairing], advantage: bool) -> Result<Fit, FitError> {
    let played: Vec<Pairing> = pairings.iter().copied().filter(|p| p.games > 0.0).collect();
    if played.is_empty() {
        return Err(FitError::NoGames);
    }
    let reach = Reach::of(bots, &played);
    let held: Vec<Pairing> = played.iter().map(|&p| reach.held(p)).collect();
    let model = Model { bots, pairings: &held, advantage, groups: &reach.groups };
    let theta = model.newton()?;
    let information = model.information(&theta).map_err(|_| model.singular())?;
    let variance = information[information.len() - 1];
    if advantage && !(0.0..BOUNDLESS * BOUNDLESS).contains(&variance) {
        return Err(FitError::Boundless);
    }
    Ok(Fit {
        ratings: theta[..bots].to_vec(),
        advantage: advantage.then(|| theta[bots]),
        information,
        limits: (0..bots).map(|bot| reach.limit(bot)).collect(),
        groups: reach.groups.clone(),
        reach,
        played,
    })
}

/// Expected share of points at a difference of `logit` log odds.
#[must_use]
pub fn expected(logit: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-logit))
}

/// Who took points from whom, directly or along a chain.
#[derive(Clone, Debug)]
struct Reach {
    bots: usize,
    /// `beats[a * bots + b]`: a chain of points leads from a to b.
    beats: Vec<bool>,
    groups: Vec<usize>,
}

impl Reach {
    fn of(bots: usize, pairings: &[Pairing]) -> Self {
        let mut scored = vec![Vec::new(); bots];
        let mut met = vec![Vec::new(); bots];
        for p in pairings {
            if p.points > 0.0 {
                scored[p.first].push(p.second);
            }
            if p.points < p.games {
                scored[p.second].push(p.first);
            }
            met[p.first].push(p.second);
            met[p.second].push(p.first);
        }
        let mut beats = vec![false; bots * bots];
        for (from, row) in beats.chunks_exact_mut(bots).enumerate() {
            spread(&scored, from, |bot| row[bot] = true);
        }
        let mut groups = vec![usize::MAX; bots];
        let mut next = 0;
        for bot in 0..bots {
            if groups[bot] == usize::MAX {
                spread(&met, bot, |other| groups[other] = next);
                next += 1;
            }
        }
        Self { bots, beats, groups }
    }

    fn level(&self, a: usize, b: usize) -> bool {
        self.beats[a * self.bots + b] && self.beats[b * self.bots + a]
    }

    /// A pairing with a perfect score between bots that no chain of points joins both ways, held.
    fn held(&self, mut p: Pairing) -> Pairing {
        if !self.level(p.first, p.second) {
            p.points = p.points.clamp(HELD, p.games - HELD);
        }
        p
    }

    fn limit(&self, bot: usize) -> Option<Limit> {
        let one_way = |from: usize, to: usize| {
            self.beats[from * self.bots + to] && !self.beats[to * self.bots + from]
        };
        let above = (0..self.bots).any(|other| one_way(bot, other));
        let below = (0..self.bots).any(|other| one_way(other, bot));
        match (above, below) {
            (true, false) => Some(Limit::AtLeast),
            (false, true) => Some(Limit::AtMost),
            (true, true) => Some(Limit::Loose),
            (false, false) => None,
        }
    }
}

/// Calls `visit` for `from` and everything that edges lead to from there.
fn spread(edges: &[Vec<usize>], from: usize, mut visit: impl FnMut(usize)) {
    let mut seen = vec![false; edges.len()];
    let mut stack = vec![from];
    while let Some(bot) = stack.pop() {
        if !std::mem::replace(&mut seen[bot], true) {
            visit(bot);
            stack.extend(edges[bot].iter().filter(|&&next| !seen[next]));
        }
    }
}

struct Model<'a> {
    bots: usize,
    pairings: &'a [Pairing],
    advantage: bool,
    groups: &'a [usize],
}

impl Model<'_> {
    fn parameters(&self) -> usize {
        self.bots + usize::from(self.advantage)
    }

    fn seat(&self) -> Option<usize> {
        self.advantage.then_some(self.bots)
    }

    fn expected(&self, theta: &[f64], p: &Pairing) -> f64 {
        let seat = if self.advantage { theta[self.bots] } else { 0.0 };
        expected(theta[p.first] - theta[p.second] + seat)
    }

    /// The parameters that are free once one bot of each group is held at zero: the one with the
    /// most information.
    fn free(&self, diagonal: &[f64]) -> Vec<usize> {
        let groups = self.groups.iter().max().map_or(0, |last| last + 1);
        let mut held = vec![None; groups];
        for (bot, &group) in self.groups.iter().enumerate() {
            if held[group].is_none_or(|held: usize| diagonal[bot] > diagonal[held]) {
                held[group] = Some(bot);
            }
        }
        (0..self.parameters()).filter(|index| !held.contains(&Some(*index))).collect()
    }

    /// The information matrix on the free parameters, scaled to ones on its diagonal, the
    /// parameters and their scales.
    fn scaled(&self, theta: &[f64]) -> (Vec<f64>, Vec<(usize, f64)>) {
        let n = self.parameters();
        let matrix = outer(n, self.seat(), self.pairings, |p| {
            let share = self.expected(theta, p);
            p.games * share * (1.0 - share)
        });
        let diagonal: Vec<f64> = (0..n).map(|i| matrix[i * n + i]).collect();
        let scale = |i: usize| (i, 1.0 / diagonal[i].max(f64::MIN_POSITIVE).sqrt());
        let free: Vec<(usize, f64)> = self.free(&diagonal).into_iter().map(scale).collect();
        let scaled = free
            .iter()
            .flat_map(|&(i, a)| free.iter().map(move |&(j, b)| (i * n + j, a * b)))
            .map(|(place, scale)| matrix[place] * scale)
            .collect();
        (scaled, free)
    }

    /// Inverse of the information matrix on ratings that sum to zero within each group.
    fn information(&self, theta: &[f64]) -> Result<Vec<f64>, Singular> {
        let n = self.parameters();
        let (scaled, free) = self.scaled(theta);
        let small = inverse(scaled, free.len())?;
        let mut whole = vec![0.0; n * n];
        for (row, &(i, a)) in small.chunks_exact(free.len().max(1)).zip(&free) {
            for (value, &(j, b)) in row.iter().zip(&free) {
                whole[i * n + j] = value * a * b;
            }
        }
        // Both sides are centred: rows, then columns.
        for row in whole.chunks_exact_mut(n) {
            self.centre(row);
        }
        for column in 0..n {
            let mut values: Vec<f64> = (0..n).map(|i| whole[i * n + column]).collect();
            self.centre(&mut values);
            for (i, value) in values.into_iter().enumerate() {
                whole[i * n + column] = value;
            }
        }
        Ok(whole)
    }

    /// Makes the ratings of each group sum to zero.
    fn centre(&self, values: &mut [f64]) {
        let mut sums = vec![0.0; self.bots];
        for (value, &group) in values.iter().zip(self.groups) {
            sums[group] += value;
        }
        let sizes = self.group_sizes();
        for (value, &group) in values.iter_mut().zip(self.groups) {
            *value -= sums[group] / sizes[group];
        }
    }

    /// What makes the information singular.
    fn singular(&self) -> FitError {
        if self.advantage { FitError::Advantage } else { FitError::Uneven }
    }

    fn group_sizes(&self) -> Vec<f64> {
        let mut sizes = vec![0.0; self.bots];
        for &group in self.groups {
            sizes[group] += 1.0;
        }
        sizes
    }

    /// The gradient of the log-likelihood: observed minus expected points.
    fn gradient(&self, theta: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; self.parameters()];
        for p in self.pairings {
            let excess = p.points - p.games * self.expected(theta, p);
            for (i, sign) in signs(p, self.seat()) {
                gradient[i] += sign * excess;
            }
        }
        gradient
    }

    fn newton(&self) -> Result<Vec<f64>, FitError> {
        let n = self.parameters();
        let games: f64 = self.pairings.iter().map(|p| p.games).sum();
        let mut theta = vec![0.0; n];
        for _ in 0..STEPS {
            let gradient = self.gradient(&theta);
            let (scaled, free) = self.scaled(&theta);
            let right = free.iter().map(|&(i, scale)| gradient[i] * scale).collect();
            let solved = solve_definite(scaled, right, free.len());
            let solved = solved.map_err(|_| self.singular())?;
            let mut step = vec![0.0; n];
            for (&(i, scale), value) in free.iter().zip(solved) {
                step[i] = value * scale;
            }
            self.centre(&mut step);
            let longest = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
            // Far from the answer a full step may overshoot; the likelihood is concave, so a
            // shortened one still leads there.
            let shorten = if longest > STRIDE { STRIDE / longest } else { 1.0 };
            for (value, step) in theta.iter_mut().zip(&step) {
                *value += shorten * step;
            }
            if longest < 1e-12 || gradient.iter().all(|g| g.abs() < 1e-12 * games) {
                return Ok(theta);
            }
        }
        // Only an advantage can run away: perfect scores between bots are held.
        Err(self.singular())
    }
}

/// The parameters on which a pairing depends, with their signs.
pub(super) fn signs(
    p: &Pairing,
    seat: Option<usize>,
) -> impl Iterator<Item = (usize, f64)> + Clone + use<> {
    [(p.first, 1.0), (p.second, -1.0)].into_iter().chain(seat.map(|seat| (seat, 1.0)))
}

/// Sum over pairings of `weight` times the outer product of their signs, `n` by `n`.
pub(super) fn outer(
    n: usize,
    seat: Option<usize>,
    pairings: &[Pairing],
    weight: impl Fn(&Pairing) -> f64,
) -> Vec<f64> {
    let mut matrix = vec![0.0; n * n];
    for p in pairings {
        let weight = weight(p);
        for (i, a) in signs(p, seat) {
            for (j, b) in signs(p, seat) {
                matrix[i * n + j] += weight * a * b;
            }
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wins of the row's team over the column's: the American League in 1987 (Agresti 2002,
    /// p. 438), in the order Bal, Bos, Cle, Det, Mil, NY, Tor.
    const BASEBALL: [[f64; 7]; 7] = [
        [0.0, 1.0, 7.0, 4.0, 2.0, 3.0, 1.0],
        [12.0, 0.0, 7.0, 2.0, 6.0, 7.0, 6.0],
        [6.0, 6.0, 0.0, 4.0, 4.0, 6.0, 5.0],
        [9.0, 11.0, 9.0, 0.0, 6.0, 5.0, 7.0],
        [11.0, 7.0, 9.0, 7.0, 0.0, 7.0, 9.0],
        [10.0, 6.0, 7.0, 8.0, 6.0, 0.0, 6.0],
        [12.0, 7.0, 8.0, 6.0, 4.0, 7.0, 0.0],
    ];

    fn baseball() -> Fit {
        let mut pairings = Vec::new();
        for (i, row) in BASEBALL.iter().enumerate() {
            for (j, &wins) in row.iter().enumerate().skip(i + 1) {
                pairings.push(Pairing::from_wdl(i, j, [wins, 0.0, BASEBALL[j][i]]));
            }
        }
        fit(7, &pairings, false).expect("fits")
    }

    fn near(values: &[f64], published: &[f64], tolerance: f64) {
        assert_eq!(values.len(), published.len());
        for (a, b) in values.iter().zip(published) {
            assert!((a - b).abs() <= tolerance, "{values:?} {published:?}");
        }
    }

    #[test]
    fn baseball_strengths_hold() {
        let fit = baseball();
        let strengths: Vec<f64> =
            [2, 1, 5, 6, 3, 4].map(|i| fit.ratings[i] - fit.ratings[0]).into();
        near(&strengths, &[0.6839, 1.1077, 1.2476, 1.2945, 1.4364, 1.5814], 6e-5);
        let errors: Vec<f64> =
            [2, 1, 5, 6, 3, 4].map(|i| fit.difference_error(&fit.information, i, 0)).into();
        near(&errors, &[0.3319, 0.3339, 0.3359, 0.3367, 0.3396, 0.3433], 6e-5);
        let order = [4, 3, 6, 5, 1, 2, 0];
        let elo: Vec<f64> = order.map(|i| fit.ratings[i] * ELO).into();
        near(&elo, &[92.27, 67.09, 42.44, 34.29, 9.99, -63.64, -182.44], 6e-3);
        let errors: Vec<f64> = order.map(|i| Z95 * ELO * fit.error(&fit.information, i)).into();
        near(&errors, &[70.6, 69.5, 68.8, 68.6, 68.4, 69.8, 79.2], 0.06);
    }

    /// Where the second seat won every game of one order, a larger advantage always fits better.
    #[test]
    fn an_advantage_without_a_finite_estimate_is_refused() {
        let pairings = |lost| {
            [(0, 1, [2.0, 0.0, 3.0]), (1, 0, [5.0 - lost, 0.0, lost])]
                .map(|(first, second, wdl)| Pairing::from_wdl(first, second, wdl))
        };
        let fitted = |lost| fit(2, &pairings(lost), true).map(|fit| fit.advantage);
        assert_eq!(fitted(5.0), Err(FitError::Boundless));
        assert_eq!(fitted(0.0), Err(FitError::Boundless));
        // With one win each way: logit(2/5) + logit(1/5) = 2 h.
        let half = 0.5 * (libm::log(2.0 / 3.0) + libm::log(1.0 / 4.0));
        let told = fitted(4.0).expect("finite").expect("asked for");
        assert!((told - half).abs() < 1e-9, "{told} {half}");
    }

    /// Ratings and errors with draws: Ordo's ratings, and sandwich errors from observed variances.
    #[test]
    fn draws_are_half_points_and_shrink_the_errors() {
        let pairings = [
            (0, 1, [30.0, 40.0, 10.0]),
            (0, 2, [45.0, 20.0, 15.0]),
            (0, 3, [60.0, 15.0, 5.0]),
            (1, 2, [32.0, 28.0, 20.0]),
            (1, 3, [50.0, 18.0, 12.0]),
            (2, 3, [38.0, 24.0, 18.0]),
        ]
        .map(|(first, second, wdl)| Pairing::from_wdl(first, second, wdl));
        let fit = fit(4, &pairings, false).expect("fits");
        let elo: Vec<f64> = fit.ratings.iter().map(|r| r * ELO).collect();
        near(&elo, &[127.16, 35.44, -25.39, -137.21], 6e-3);
        let sandwich = fit.sandwich();
        let errors: Vec<f64> = (0..4).map(|i| Z95 * ELO * fit.error(&sandwich, i)).collect();
        near(&errors, &[28.79, 27.04, 28.96, 30.95], 6e-3);
        let difference = Z95 * ELO * fit.difference_error(&sandwich, 0, 1);
        assert!((difference - 43.5).abs() < 0.06, "{difference}");
    }

    #[test]
    fn a_perfect_scorer_is_bounded_and_named() {
        let pairings = [
            Pairing::from_wdl(0, 1, [10.0, 0.0, 0.0]),
            Pairing::from_wdl(0, 2, [10.0, 0.0, 0.0]),
            Pairing::from_wdl(1, 2, [5.0, 0.0, 5.0]),
        ];
        let fit = fit(3, &pairings, false).expect("fits");
        assert_eq!(fit.limits, [Some(Limit::AtLeast), Some(Limit::AtMost), Some(Limit::AtMost)]);
        let errors = fit.sandwich();
        assert!((0..3).all(|bot| fit.error(&errors, bot) > 0.1), "{errors:?}");
        assert!(fit.ratings[0] > 2.0 && fit.ratings[0] < 5.0, "{:?}", fit.ratings);
        assert!((fit.ratings[1] - fit.ratings[2]).abs() < 1e-9);
    }

    #[test]
    fn bots_that_never_met_form_groups() {
        let pairings =
            [Pairing::from_wdl(0, 1, [7.0, 0.0, 3.0]), Pairing::from_wdl(2, 3, [1.0, 8.0, 1.0])];
        let fit = fit(5, &pairings, false).expect("fits");
        assert_eq!(fit.groups, [0, 0, 1, 1, 2]);
        assert!((fit.ratings[0] + fit.ratings[1]).abs() < 1e-9 && fit.ratings[2].abs() < 1e-9);
        assert!(fit.ratings.iter().all(|r| r.is_finite()));
    }

    #[test]
    fn the_first_seat_has_its_own_parameter() {
        // Equal bots, the first seat scores 60 %.
        let pairings = [
            Pairing::from_wdl(0, 1, [60.0, 0.0, 40.0]),
            Pairing::from_wdl(1, 0, [60.0, 0.0, 40.0]),
        ];
        let both = fit(2, &pairings, true).expect("fits");
        assert!(both.ratings[0].abs() < 1e-9);
        assert!((both.advantage.expect("fitted") - (1.5_f64).ln()).abs() < 1e-9);
        let one = fit(2, &pairings[..1], true);
        assert_eq!(one.err(), Some(FitError::Advantage));
    }
}
