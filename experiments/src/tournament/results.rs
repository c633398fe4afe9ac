//! Ratings, pairs and the summary of an event, recomputed from its games.

use super::blocks::Blocks;
use super::collect::{Block, Games, PairGames};
use super::cycles::circles;
use crate::output::rows::tournament::{PairRow, RatingRow};
use crate::stats::bootstrap::{Bootstrap, Seeds, bootstrap};
use crate::stats::bradley_terry::{ELO, Fit, FitError, Limit, Pairing, fit};
use crate::stats::elo::{Counts, Strength, strength};
use crate::stats::interval::{Z95, wilson95};
use crate::stats::sprt::{Decision, Sprt};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Resamplings of the seeds.
const SAMPLES: usize = 1000;

/// Everything that is said of an event.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// The bots, best first.
    pub ratings: Vec<RatingRow>,
    /// The pairs in the order of the file.
    pub pairs: Vec<PairRow>,
    /// Advantage of the first seat, where both orders are played.
    pub advantage: Option<Advantage>,
    /// The sequential test.
    pub sprt: Option<SprtReport>,
    /// Whether games were stopped because of their results: estimates are biased then.
    pub biased: bool,
    /// Games without a result, which count nowhere.
    pub void: u64,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// The advantage of the first seat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Advantage {
    /// Elo.
    pub elo: f64,
    /// Half-width of its 95 % interval.
    pub elo_error: f64,
}

/// A sequential test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SprtReport {
    /// The hypotheses, model and error probabilities.
    #[serde(flatten)]
    pub test: Sprt,
    /// Log-likelihood ratio at the last block that counted.
    pub llr: f64,
    /// Accepts H0 at or below this.
    pub lower: f64,
    /// Accepts H1 at or above this.
    pub upper: f64,
    /// The decision.
    pub decision: Decision,
    /// Blocks that the test saw.
    pub blocks: u64,
    /// Seeds after which it ends in any case.
    pub max_seeds: u64,
}

impl SprtReport {
    /// The state of a running test.
    #[must_use]
    pub fn of(blocks: &Blocks, max_seeds: u64) -> Self {
        let sequence = blocks.sequence();
        let test = *sequence.test();
        Self {
            test,
            llr: sequence.llr(),
            lower: test.lower(),
            upper: test.upper(),
            decision: sequence.decision(),
            blocks: sequence.blocks(),
            max_seeds,
        }
    }
}

/// Computes the results of `games`; empty ones without games.
///
/// # Errors
/// Never for what a games file can hold.
pub fn results(games: &Games, sprt: Option<SprtReport>) -> Result<Results, FitError> {
    let bots = games.bots();
    let table = Table::of(games, &bots, false);
    let biased = sprt.as_ref().is_some_and(|sprt| sprt.decision != Decision::Continue);
    let mut results = Results {
        ratings: Vec::new(),
        pairs: Vec::new(),
        advantage: None,
        sprt,
        biased,
        void: games.void,
        notes: Vec::new(),
    };
    remarks(games, biased, &mut results.notes);
    if table.seeds.is_empty() {
        results.notes.push("no game counts yet".to_owned());
        return Ok(results);
    }
    let joint = Joint::of(&table, bots.len(), SAMPLES)?;
    let clean = Table::of(games, &bots, true);
    let clean = Joint::of(&clean, bots.len(), 0).ok();
    bounds(&bots, &joint.fit, &mut results.notes);
    results.advantage = match advantage(games, &bots) {
        Err(error @ FitError::Boundless) => {
            results.notes.push(error.to_string());
            None
        }
        // Where only one order was played there is none to tell.
        told => told.ok(),
    };
    let forfeits = forfeits(games, &bots);
    results.ratings = ratings(&Rated {
        bots: &bots,
        versions: &|bot| games.version(bot).to_owned(),
        tallies: tallies(&table, bots.len()),
        joint: &joint,
        clean: clean.as_ref(),
        forfeits: &forfeits,
    });
    let place: BTreeMap<&str, usize> = bots.iter().enumerate().map(|(i, b)| (&**b, i)).collect();
    results.pairs = games
        .pairs()
        .filter_map(|pair| pair_row(pair, [place[&*pair.bot_a], place[&*pair.bot_b]], &joint))
        .collect();
    results.notes.extend(circles(&results.pairs));
    Ok(results)
}

/// Results of a plain table of wins, draws and losses: (bot a, bot b, [wins, draws, losses]).
///
/// # Errors
/// When nothing was played, or the advantage of the first seat is asked for and cannot be told.
pub fn results_of_counts(
    rows: &[(String, String, [u64; 3])],
    with_advantage: bool,
) -> Result<Results, FitError> {
    let mut bots: Vec<String> = Vec::new();
    let mut place = BTreeMap::new();
    for name in rows.iter().flat_map(|(a, b, _)| [a, b]) {
        place.entry(name.as_str()).or_insert_with(|| {
            bots.push(name.clone());
            bots.len() - 1
        });
    }
    let pairings: Vec<Pairing> = rows
        .iter()
        .map(|(a, b, wdl)| {
            Pairing::from_wdl(place[a.as_str()], place[b.as_str()], wdl.map(|n| n as f64))
        })
        .collect();
    let joint = Joint { fit: fit(bots.len(), &pairings, with_advantage)?, resampled: None };
    let mut tallies = vec![Tally::default(); bots.len()];
    for p in &pairings {
        tallies[p.first].add(p.games, p.games, p.points);
        tallies[p.second].add(p.games, p.games, p.games - p.points);
    }
    let mut notes = Vec::new();
    bounds(&bots, &joint.fit, &mut notes);
    let advantage = joint.fit.advantage.map(|advantage| Advantage {
        elo: ELO * advantage,
        elo_error: Z95 * ELO * joint.fit.error(&joint.fit.information, bots.len()),
    });
    let ratings = ratings(&Rated {
        bots: &bots,
        versions: &|_| String::new(),
        tallies,
        joint: &joint,
        clean: None,
        forfeits: &vec![0; bots.len()],
    });
    let pairs = rows
        .iter()
        .filter_map(|(a, b, [wins, draws, losses])| {
            let counts = Counts::new([*losses, *draws, *wins]).ok()?;
            let tally =
                PairTally { wins: *wins, draws: *draws, losses: *losses, ..PairTally::default() };
            Some(tally.row([a, b], [place[a.as_str()], place[b.as_str()]], &counts, &joint))
        })
        .collect::<Vec<_>>();
    notes.extend(circles(&pairs));
    Ok(Results { ratings, pairs, advantage, sprt: None, biased: false, void: 0, notes })
}

/// The joint fit and its resampling.
struct Joint {
    fit: Fit,
    resampled: Option<Bootstrap>,
}

impl Joint {
    fn of(table: &Table, bots: usize, samples: usize) -> Result<Self, FitError> {
        let fit = fit(bots, &table.seeds.pairings(), false)?;
        let resampled = match samples {
            0 => None,
            _ => Some(bootstrap(bots, &table.seeds, false, samples)?),
        };
        Ok(Self { fit, resampled })
    }

    fn elo(&self, bot: usize) -> f64 {
        ELO * self.fit.ratings[bot]
    }

    fn error(&self, bot: usize) -> f64 {
        Z95 * ELO * self.fit.error(&self.fit.sandwich, bot)
    }
}

/// What was played, seed by seed, both orders of a pair together.
struct Table {
    seeds: Seeds,
    pairs: Vec<[usize; 2]>,
    blocks: Vec<u64>,
}

impl Table {
    /// The table of `games`; `clean` leaves out every block in which somebody broke off.
    fn of(games: &Games, bots: &[String], clean: bool) -> Self {
        let place = |name: &str| bots.iter().position(|bot| bot == name).unwrap_or(0);
        let pairs: Vec<[usize; 2]> =
            games.pairs().map(|pair| [place(&pair.bot_a), place(&pair.bot_b)]).collect();
        let mut rows: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
        let mut blocks = vec![0; pairs.len()];
        for (column, pair) in games.pairs().enumerate() {
            for block in pair.blocks().filter(|block| !(clean && block.broken_off)) {
                let row = rows.entry(block.seed).or_insert_with(|| vec![(0.0, 0.0); pairs.len()]);
                row[column] = (block.games() as f64, block.halves() as f64 / 2.0);
                blocks[column] += 1;
            }
        }
        let mut seeds = Seeds::new(pairs.iter().map(|&[a, b]| (a, b)).collect());
        for row in rows.values() {
            seeds.push(row);
        }
        Self { seeds, pairs, blocks }
    }
}

/// Blocks, games and points of a bot.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    blocks: f64,
    games: f64,
    points: f64,
}

impl Tally {
    fn add(&mut self, blocks: f64, games: f64, points: f64) {
        self.blocks += blocks;
        self.games += games;
        self.points += points;
    }
}

fn tallies(table: &Table, bots: usize) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); bots];
    for ((pairing, &[a, b]), &blocks) in
        table.seeds.pairings().iter().zip(&table.pairs).zip(&table.blocks)
    {
        tallies[a].add(blocks as f64, pairing.games, pairing.points);
        tallies[b].add(blocks as f64, pairing.games, pairing.games - pairing.points);
    }
    tallies
}

/// All that the rows of ratings are made of.
struct Rated<'a> {
    bots: &'a [String],
    versions: &'a dyn Fn(&str) -> String,
    tallies: Vec<Tally>,
    joint: &'a Joint,
    clean: Option<&'a Joint>,
    forfeits: &'a [u64],
}

fn ratings(rated: &Rated<'_>) -> Vec<RatingRow> {
    let joint = rated.joint;
    let mut order: Vec<usize> = (0..rated.bots.len()).collect();
    order.sort_by(|&a, &b| joint.elo(b).total_cmp(&joint.elo(a)).then(a.cmp(&b)));
    let level = |a: usize, b: usize| (joint.elo(a) - joint.elo(b)).abs() < 1e-6;
    let rank =
        |at: usize| 1 + order[..at].iter().take_while(|&&before| !level(before, order[at])).count();
    let row = |(at, &bot): (usize, &usize)| {
        let Tally { blocks, games, points } = rated.tallies[bot];
        let score = if games > 0.0 { points / games } else { 0.0 };
        let [score_low, score_high] = wilson95(score * blocks, blocks);
        let spread = joint.resampled.as_ref().map(|resampled| &resampled.bots[bot]);
        RatingRow {
            rank: rank(at),
            bot: rated.bots[bot].clone(),
            version: (rated.versions)(&rated.bots[bot]),
            blocks: blocks as u64,
            games: games as u64,
            points,
            score,
            score_low,
            score_high,
            elo: joint.elo(bot),
            elo_error: joint.error(bot),
            elo_error_information: Z95 * ELO * joint.fit.error(&joint.fit.information, bot),
            elo_low: spread.map(|spread| ELO * spread.interval[0]),
            elo_high: spread.map(|spread| ELO * spread.interval[1]),
            first: spread.map(|spread| spread.first),
            limit: joint.fit.limits[bot].map_or("", Limit::word).to_owned(),
            group: joint.fit.groups[bot],
            forfeits: rated.forfeits[bot],
            elo_clean: rated.clean.map(|clean| clean.elo(bot)),
            elo_clean_error: rated.clean.map(|clean| clean.error(bot)),
        }
    };
    order.iter().enumerate().map(row).collect()
}

/// Games of a pair.
#[derive(Clone, Copy, Debug, Default)]
struct PairTally {
    wins: u64,
    draws: u64,
    losses: u64,
    forfeits: [u64; 2],
}

fn pair_row(pair: &PairGames, places: [usize; 2], joint: &Joint) -> Option<PairRow> {
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
    Some(tally.row([&pair.bot_a, &pair.bot_b], places, &counts, joint))
}

impl PairTally {
    fn row(self, names: [&str; 2], [a, b]: [usize; 2], counts: &Counts, joint: &Joint) -> PairRow {
        let Strength { elo, elo_error, los, score, wilson95: [score_a_low, score_a_high], .. } =
            strength(counts);
        let bots = joint.fit.ratings.len();
        let resampled = joint.resampled.as_ref();
        let from_spread = Z95 * joint.fit.difference_error(&joint.fit.sandwich, a, b);
        let joint_error = resampled.map_or(from_spread, |r| r.difference[a * bots + b]);
        PairRow {
            bot_a: names[0].to_owned(),
            bot_b: names[1].to_owned(),
            blocks: counts.blocks() as u64,
            games: self.wins + self.draws + self.losses,
            wins_a: self.wins,
            draws: self.draws,
            wins_b: self.losses,
            score_a: score,
            score_a_low,
            score_a_high,
            elo,
            elo_error,
            los,
            elo_joint: joint.elo(a) - joint.elo(b),
            elo_joint_error: ELO * joint_error,
            los_joint: resampled.map(|r| r.ahead[a * bots + b]),
            forfeits_a: self.forfeits[0],
            forfeits_b: self.forfeits[1],
        }
    }
}

/// Games that each bot broke off.
fn forfeits(games: &Games, bots: &[String]) -> Vec<u64> {
    let mut counts = vec![0; bots.len()];
    for pair in games.pairs() {
        for (side, name) in [&pair.bot_a, &pair.bot_b].into_iter().enumerate() {
            if let Some(place) = bots.iter().position(|bot| bot == name) {
                counts[place] += pair.games().filter(|game| game.forfeits[side]).count() as u64;
            }
        }
    }
    counts
}

/// The advantage of the first seat, where both orders are played: from the mean score of seat 0,
/// block by block, whatever the bots' strength.
fn advantage(games: &Games, bots: &[String]) -> Result<Advantage, FitError> {
    let place = |name: &str| bots.iter().position(|bot| bot == name).unwrap_or(0);
    let mut pairings = Vec::new();
    for pair in games.pairs().filter(|pair| pair.orders() == 2) {
        let (a, b) = (place(&pair.bot_a), place(&pair.bot_b));
        let blocks: Vec<Block> = pair.blocks().collect();
        for (order, [first, second]) in [[a, b], [b, a]].into_iter().enumerate() {
            let mut wdl = [0.0; 3];
            for points in blocks.iter().filter_map(|block| block.points[order]) {
                let points = if order == 0 { points } else { points.other() };
                wdl[2 - usize::from(points.halves())] += 1.0;
            }
            pairings.push(Pairing::from_wdl(first, second, wdl));
        }
    }
    let fit = fit(bots.len(), &pairings, true)?;
    let error = fit.error(&fit.information, bots.len());
    let advantage = fit.advantage.ok_or(FitError::Advantage)?;
    Ok(Advantage { elo: ELO * advantage, elo_error: Z95 * ELO * error })
}

/// Names perfect scorers and groups that never met.
fn bounds(bots: &[String], fit: &Fit, notes: &mut Vec<String>) {
    for (limit, text) in [
        (Limit::AtLeast, "lost no point to the bots below: the rating is a lower limit"),
        (Limit::AtMost, "took no point from the bots above: the rating is an upper limit"),
        (Limit::Loose, "exchanged no points with the bots above or below: the rating is a guess"),
    ] {
        let names: Vec<&str> = (0..bots.len())
            .filter(|&bot| fit.limits[bot] == Some(limit))
            .map(|bot| &*bots[bot])
            .collect();
        if !names.is_empty() {
            notes.push(format!("{} {text}", names.join(", ")));
        }
    }
    let groups: BTreeSet<usize> = fit.groups.iter().copied().collect();
    if groups.len() > 1 {
        let members = |group: usize| {
            let names = (0..bots.len()).filter(|&bot| fit.groups[bot] == group);
            format!("[{}]", names.map(|bot| &*bots[bot]).collect::<Vec<_>>().join(", "))
        };
        let all: Vec<String> = groups.into_iter().map(members).collect();
        notes.push(format!("groups that never met cannot be compared: {}", all.join(" ")));
    }
}

/// What else a reader must know.
fn remarks(games: &Games, biased: bool, notes: &mut Vec<String>) {
    if biased {
        notes.push(
            "the test stopped because of the results: scores and ratings are biased, away from \
             the hypothesis that was refused"
                .to_owned(),
        );
    }
    if games.void > 0 {
        notes.push(format!("{} void games count nowhere; --retry-void plays them", games.void));
    }
    if games.repeated_rows > 0 {
        notes.push(format!("{} rows repeat a game and are not counted", games.repeated_rows));
    }
    if games.idle_timeouts > 0 {
        notes.push(format!(
            "{} time-outs of processes that were on a processor for less than half of their time: \
             they slept, or the machine was too busy",
            games.idle_timeouts
        ));
    }
    for pair in games.pairs() {
        let names = format!("{} and {}", pair.bot_a, pair.bot_b);
        let (same, other) = pair.mirrored();
        if same > 0 && other.is_empty() {
            notes.push(format!(
                "{names}: {same} of {same} seeds give the same game with the seats swapped; that \
                 is no new data, one game a seed is enough"
            ));
        } else if let Some(seed) = other.first() {
            notes.push(format!(
                "{names}: {} of {} seeds give another game with the seats swapped (seed {seed} \
                 first): a bot plays at random, by the clock or by the seat",
                other.len(),
                same as usize + other.len()
            ));
        }
        let repeats = pair.repeats();
        if repeats > 0 {
            notes.push(format!(
                "{names}: {repeats} games repeat one on another seed stroke by stroke; they are no \
                 new data, and the errors are too small"
            ));
        }
    }
}
