//! The rows of ratings and pairs.

use super::collect::{Games, PairGames};
use crate::output::rows::tournament::{PairRow, RatingRow};
use crate::stats::bradley_terry::{ELO, Fit, FitError, Limit, Pairing, fit};
use crate::stats::clusters::{Covariance, Seeds, Uncertainty, known};
use crate::stats::elo::{Counts, Strength, interval_of_spread, strength, strength_of_few};
use crate::stats::interval::{Z95, wilson95};
use crate::stats::student::Quantiles;
use std::collections::{BTreeMap, BTreeSet};

/// The joint fit and its errors.
pub(super) struct Joint {
    pub fit: Fit,
    errors: Errors,
}

/// What the errors rest on.
enum Errors {
    /// Seeds.
    Seeds(Covariance),
    /// Independent games.
    Games(Vec<f64>),
}

impl Joint {
    /// The fit of what was played seed by seed.
    pub fn of_seeds(bots: usize, seeds: &Seeds, advantage: bool) -> Result<Self, FitError> {
        let mut fit = fit(bots, &seeds.pairings(), advantage)?;
        fit.centre_on(&known(&fit, seeds));
        let errors = Errors::Seeds(Covariance::of(&fit, seeds));
        Ok(Self { fit, errors })
    }

    /// The fit of independent games.
    pub fn of_games(bots: usize, games: &[Pairing], advantage: bool) -> Result<Self, FitError> {
        let fit = fit(bots, games, advantage)?;
        let errors = Errors::Games(fit.sandwich());
        Ok(Self { fit, errors })
    }

    pub fn elo(&self, bot: usize) -> f64 {
        ELO * self.fit.ratings[bot]
    }

    /// The uncertainty of a rating, log odds; the number of bots stands for the advantage. Nothing
    /// is known of a bot without a game.
    pub fn of_one(&self, index: usize) -> Option<Uncertainty> {
        match &self.errors {
            Errors::Seeds(covariance) => covariance.of_one(index),
            Errors::Games(sandwich) => normal(self.fit.error(sandwich, index)),
        }
    }

    fn of_difference(&self, a: usize, b: usize) -> Option<Uncertainty> {
        match &self.errors {
            Errors::Seeds(covariance) => covariance.of_difference(a, b),
            Errors::Games(sandwich) => normal(self.fit.difference_error(sandwich, a, b)),
        }
    }

    fn groups(&self) -> usize {
        self.fit.groups.iter().max().map_or(0, |last| last + 1)
    }
}

fn normal(error: f64) -> Option<Uncertainty> {
    let freedom = f64::INFINITY;
    (error > 0.0 && error.is_finite()).then_some(Uncertainty { error, freedom })
}

/// What was played, seed by seed, both orders of a pair together.
pub(super) struct Table {
    pub seeds: Seeds,
    pairs: Vec<[usize; 2]>,
}

impl Table {
    /// The table of `games`; `clean` leaves out every block in which somebody broke off. Events
    /// that use the same seed share it: what was played on it may be alike.
    pub fn of(games: &Games, bots: &[String], clean: bool) -> Self {
        let place = places(bots);
        let pairs: Vec<[usize; 2]> =
            games.pairs().map(|pair| [place[&*pair.bot_a], place[&*pair.bot_b]]).collect();
        let mut rows: BTreeMap<u64, Vec<[u16; 2]>> = BTreeMap::new();
        for (column, pair) in games.pairs().enumerate() {
            for block in pair.blocks().filter(|block| !(clean && block.broken_off)) {
                let row = rows.entry(block.seed).or_insert_with(|| vec![[0; 2]; pairs.len()]);
                row[column] = [block.games() as u16, block.halves() as u16];
            }
        }
        let mut seeds = Seeds::new(pairs.iter().map(|&[a, b]| (a, b)).collect());
        for row in rows.values() {
            seeds.push(row);
        }
        Self { seeds, pairs }
    }

    /// Each bot's blocks, games, points and the interval of its score.
    pub fn tallies(&self, bots: usize, quantiles: &mut Quantiles) -> Vec<Tally> {
        let mut tallies = vec![Tally::default(); bots];
        let mut of_seed = vec![[0.0; 2]; bots];
        let mut all: Vec<Vec<[f64; 2]>> = vec![Vec::new(); bots];
        for row in self.seeds.rows() {
            of_seed.fill([0.0; 2]);
            for (&[games, halves], &[a, b]) in row.iter().zip(&self.pairs) {
                let (games, points) = (f64::from(games), f64::from(halves) / 2.0);
                for (bot, points) in [(a, points), (b, games - points)] {
                    tallies[bot].add(f64::from(u8::from(games > 0.0)), games, points);
                    of_seed[bot][0] += games;
                    of_seed[bot][1] += points;
                }
            }
            for (all, &seed) in all.iter_mut().zip(&of_seed) {
                all.extend((seed[0] > 0.0).then_some(seed));
            }
        }
        for (tally, seeds) in tallies.iter_mut().zip(&all) {
            tally.interval = score_interval(seeds, quantiles);
        }
        tallies
    }
}

/// The 95 % interval of a score from [games, points] on each seed: the spread between seeds, each
/// residual made larger by the share of the games that lie on it.
fn score_interval(seeds: &[[f64; 2]], quantiles: &mut Quantiles) -> [f64; 2] {
    let games: f64 = seeds.iter().map(|seed| seed[0]).sum();
    if games <= 0.0 {
        return [0.0, 1.0];
    }
    let score = seeds.iter().map(|seed| seed[1]).sum::<f64>() / games;
    let (mut variance, mut shares) = (0.0, 0.0);
    for [own, points] in seeds {
        let (share, excess) = (own / games, points - own * score);
        variance += excess * excess / (1.0 - share).max(1e-9);
        shares += share * share;
    }
    let (freedom, blocks) = (1.0 / shares - 1.0, seeds.len() as f64);
    if freedom < 1.0 - 1e-9 {
        // One seed, in effect: one trial.
        return wilson95(score, 1.0);
    }
    let error = variance.sqrt() / games;
    // Rounding is no spread.
    let error = if error > 1e-12 { error } else { 0.0 };
    interval_of_spread(score, blocks, error, quantiles.t95(freedom.max(1.0)))
}

pub(super) fn places(bots: &[String]) -> BTreeMap<&str, usize> {
    bots.iter().enumerate().map(|(place, bot)| (&**bot, place)).collect()
}

/// Blocks, games and points of a bot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub blocks: f64,
    pub games: f64,
    pub points: f64,
    /// 95 % interval of the score.
    pub interval: [f64; 2],
}

impl Tally {
    pub fn add(&mut self, blocks: f64, games: f64, points: f64) {
        self.blocks += blocks;
        self.games += games;
        self.points += points;
    }

    fn score(&self) -> f64 {
        if self.games > 0.0 { self.points / self.games } else { 0.0 }
    }
}

/// All that the rows of ratings are made of.
pub(super) struct Rated<'a> {
    pub bots: &'a [String],
    pub versions: &'a dyn Fn(&str) -> String,
    pub tallies: Vec<Tally>,
    pub joint: &'a Joint,
    pub clean: Option<&'a Joint>,
    pub forfeits: &'a [u64],
}

/// The rows of ratings, best first.
pub(super) fn ratings(rated: &Rated<'_>, quantiles: &mut Quantiles) -> Vec<RatingRow> {
    let (joint, bots) = (rated.joint, rated.bots.len());
    let apart = joint.groups() > 1;
    let told: Vec<Option<Uncertainty>> = (0..bots).map(|bot| joint.of_one(bot)).collect();
    let mut order: Vec<usize> = (0..bots).collect();
    order.sort_by(|&a, &b| joint.elo(b).total_cmp(&joint.elo(a)).then(a.cmp(&b)));
    let ranked: Vec<usize> = order.iter().copied().filter(|&bot| told[bot].is_some()).collect();
    let firsts: BTreeMap<usize, f64> = match &joint.errors {
        Errors::Seeds(covariance) if !apart => {
            ranked.iter().copied().zip(covariance.firsts(&joint.fit, &ranked)).collect()
        }
        _ => BTreeMap::new(),
    };
    let level = |a: usize, b: usize| (joint.elo(a) - joint.elo(b)).abs() < 1e-6;
    let rank = |bot: usize| {
        1 + ranked.iter().take_while(|&&before| before != bot && !level(before, bot)).count()
    };
    let mut row = |&bot: &usize| {
        let tally = &rated.tallies[bot];
        let mut half = |told: Uncertainty| ELO * quantiles.t95(told.freedom) * told.error;
        let elo_error = told[bot].map(&mut half);
        let elo = joint.elo(bot);
        let untold = match (told[bot], apart) {
            (None, _) if tally.games <= 0.0 => "no_game",
            (None, _) => "one_seed",
            (_, true) => "groups",
            _ => "",
        };
        let information = matches!(joint.errors, Errors::Games(_));
        let clean = rated.clean.filter(|c| c.fit.error(&c.fit.information, bot) > 0.0);
        RatingRow {
            rank: (untold.is_empty()).then(|| rank(bot)),
            bot: rated.bots[bot].clone(),
            version: (rated.versions)(&rated.bots[bot]),
            blocks: tally.blocks as u64,
            games: tally.games as u64,
            points: tally.points,
            score: tally.score(),
            score_low: tally.interval[0],
            score_high: tally.interval[1],
            elo,
            elo_error,
            elo_error_information: information
                .then(|| Z95 * ELO * joint.fit.error(&joint.fit.information, bot))
                .filter(|&error| error > 0.0),
            elo_low: elo_error.map(|error| elo - error),
            elo_high: elo_error.map(|error| elo + error),
            first: firsts.get(&bot).copied(),
            untold: untold.to_owned(),
            limit: joint.fit.limits[bot].map_or("", Limit::word).to_owned(),
            group: joint.fit.groups[bot],
            forfeits: rated.forfeits[bot],
            elo_clean: clean.map(|clean| clean.elo(bot)),
            elo_clean_error: clean.and_then(|clean| clean.of_one(bot)).map(half),
        }
    };
    order.iter().map(&mut row).collect()
}

/// Games of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairTally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    forfeits: [u64; 2],
}

/// The blocks of a pair that each side won.
pub(super) fn decided(pair: &PairGames) -> [u64; 2] {
    let mut won = [0; 2];
    for block in pair.blocks() {
        match block.halves().cmp(&block.games()) {
            std::cmp::Ordering::Greater => won[0] += 1,
            std::cmp::Ordering::Less => won[1] += 1,
            std::cmp::Ordering::Equal => {}
        }
    }
    won
}

/// The row of a pair; none without a whole block.
pub(super) fn pair_row(
    pair: &PairGames,
    places: [usize; 2],
    joint: &Joint,
    quantiles: &mut Quantiles,
) -> Option<PairRow> {
    let mut bins = vec![0; 2 * pair.orders() + 1];
    let mut tally = PairTally::default();
    for block in pair.blocks() {
        bins[block.halves()] += 1;
        for points in block.points.iter().flatten() {
            match points.halves() {
                2 => tally.wins += 1,
                1 => tally.draws += 1,
                _ => tally.losses += 1,
            }
        }
    }
    for game in pair.games() {
        for (count, forfeit) in tally.forfeits.iter_mut().zip(game.forfeits) {
            *count += u64::from(forfeit);
        }
    }
    let counts = Counts::new(bins).ok()?;
    let strength = strength_of_few(&counts, quantiles);
    Some(tally.row([&pair.bot_a, &pair.bot_b], places, &counts, &strength, joint, quantiles))
}

impl PairTally {
    /// Number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The row of a pair that played independent games.
    pub fn row_of_games(
        self,
        names: [&str; 2],
        places: [usize; 2],
        joint: &Joint,
        quantiles: &mut Quantiles,
    ) -> Option<PairRow> {
        let counts = Counts::new([self.losses, self.draws, self.wins]).ok()?;
        Some(self.row(names, places, &counts, &strength(&counts), joint, quantiles))
    }

    fn row(
        self,
        names: [&str; 2],
        [a, b]: [usize; 2],
        counts: &Counts,
        strength: &Strength,
        joint: &Joint,
        quantiles: &mut Quantiles,
    ) -> PairRow {
        let told = joint.of_difference(a, b);
        let from_seeds = matches!(joint.errors, Errors::Seeds(_));
        let difference = joint.fit.ratings[a] - joint.fit.ratings[b];
        PairRow {
            bot_a: names[0].to_owned(),
            bot_b: names[1].to_owned(),
            blocks: counts.blocks() as u64,
            games: self.games(),
            wins_a: self.wins,
            draws: self.draws,
            wins_b: self.losses,
            score_a: strength.score,
            score_a_low: strength.wilson95[0],
            score_a_high: strength.wilson95[1],
            elo: strength.elo,
            elo_error: strength.elo_error,
            los: strength.los,
            elo_joint: ELO * difference,
            elo_joint_error: told.map(|told| ELO * quantiles.t95(told.freedom) * told.error),
            los_joint: told.filter(|_| from_seeds).map(|told| told.chance_above_zero(difference)),
            forfeits_a: self.forfeits[0],
            forfeits_b: self.forfeits[1],
        }
    }
}

/// The bots of which too little is known, by name.
pub(super) fn unknown<'a>(bots: &'a [String], joint: &Joint) -> BTreeSet<&'a str> {
    let unknown = (0..bots.len()).filter(|&bot| joint.of_one(bot).is_none());
    unknown.map(|bot| &*bots[bot]).collect()
}
