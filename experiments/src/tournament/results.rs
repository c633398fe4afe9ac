//! Ratings, pairs and the summary of an event, recomputed from its games.

use super::blocks::Blocks;
use super::collect::{Games, Trouble};
use super::cycles::{Duel, circles};
use super::file::Tournament;
use super::notes;
use super::ratings::{Joint, PairTally, Rated, Table, Tally, decided, pair_row, places, ratings};
use crate::output::rows::tournament::{PairRow, RatingRow};
use crate::stats::bradley_terry::{ELO, FitError, Pairing};
use crate::stats::clusters::Seeds;
use crate::stats::interval::wilson95;
use crate::stats::sprt::{Decision, Sprt, SprtError};
use crate::stats::student::Quantiles;
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything that is said of an event.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// What must be read before anything else: too many games say nothing of strength.
    pub warning: Option<String>,
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
    /// Games that say nothing of strength, among all.
    pub trouble: Trouble,
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
    /// The test of an event on its games, in schedule order, up to the first decision. What lies
    /// beyond it is taken out of `games`: it was played because others were slow.
    ///
    /// # Errors
    /// When the file's test makes no sense.
    pub fn of(games: &mut Games, file: &Tournament, orders: u8) -> Result<Option<Self>, SprtError> {
        let Some(table) = &file.sprt else { return Ok(None) };
        let test = table.test()?;
        let mut blocks = Blocks::new(test, file.seeds[0], orders);
        for pair in games.pairs_of(&file.event) {
            blocks.note_all(pair);
        }
        blocks.advance()?;
        if blocks.decided() {
            games.stop_at(&file.event, blocks.end());
        }
        let sequence = blocks.sequence();
        Ok(Some(Self {
            test,
            llr: sequence.llr(),
            lower: test.lower(),
            upper: test.upper(),
            decision: sequence.decision(),
            blocks: sequence.blocks(),
            max_seeds: file.seed_count(),
        }))
    }
}

/// Computes the results of `games`, which have been settled; empty ones without games. `load` is
/// the machine's greatest load while they were played, if it is known.
///
/// # Errors
/// When the numbers of games differ so much in size that floats cannot tell.
pub fn results(
    games: &Games,
    sprt: Option<SprtReport>,
    load: Option<f64>,
) -> Result<Results, FitError> {
    let bots = games.bots();
    let table = Table::of(games, &bots, false);
    let biased = sprt.as_ref().is_some_and(|sprt| sprt.decision != Decision::Continue);
    let trouble = games.trouble();
    let mut results = Results {
        warning: notes::warning(&trouble, load),
        ratings: Vec::new(),
        pairs: Vec::new(),
        advantage: None,
        sprt,
        biased,
        void: trouble.void,
        trouble,
        notes: notes::of_games(games, biased),
    };
    if table.seeds.is_empty() {
        results.notes.push("no game counts yet".to_owned());
        return Ok(results);
    }
    let joint = Joint::of_seeds(bots.len(), &table.seeds, false)?;
    let clean = Table::of(games, &bots, true);
    let clean = Joint::of_seeds(bots.len(), &clean.seeds, false).ok();
    results.notes.extend(notes::of_fit(&bots, &joint));
    match advantage(games, &bots) {
        Ok(told) => results.advantage = Some(told),
        Err(why) => results.notes.extend(why),
    }
    let mut quantiles = Quantiles::default();
    let forfeits = forfeits(games, &bots);
    let rated = Rated {
        bots: &bots,
        versions: &|bot| games.version(bot).to_owned(),
        tallies: table.tallies(bots.len(), &mut quantiles),
        joint: &joint,
        clean: clean.as_ref(),
        forfeits: &forfeits,
    };
    results.ratings = ratings(&rated, &mut quantiles);
    let place = places(&bots);
    let placed = |pair: &super::collect::PairGames| [place[&*pair.bot_a], place[&*pair.bot_b]];
    results.pairs = games
        .pairs()
        .filter_map(|pair| pair_row(pair, placed(pair), &joint, &mut quantiles))
        .collect();
    let duels: Vec<Duel<'_>> = games
        .pairs()
        .map(|pair| Duel { bots: [&pair.bot_a, &pair.bot_b], won: decided(pair) })
        .collect();
    results.notes.extend(circles(&duels));
    Ok(results)
}

/// Results of a plain table of wins, draws and losses: (bot a, bot b, [wins, draws, losses]). Games
/// are taken to be independent. Lines of the same two bots are added up in the table of pairs.
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
    let joint = Joint::of_games(bots.len(), &pairings, with_advantage)?;
    let mut tallies = vec![Tally::default(); bots.len()];
    for p in &pairings {
        tallies[p.first].add(p.games, p.games, p.points);
        tallies[p.second].add(p.games, p.games, p.games - p.points);
    }
    for tally in &mut tallies {
        tally.interval = wilson95(tally.points, tally.games);
    }
    let mut quantiles = Quantiles::default();
    let advantage = joint.fit.advantage.and_then(|advantage| {
        let told = joint.of_one(bots.len())?;
        Some(Advantage { elo: ELO * advantage, elo_error: ELO * told.half_width95() })
    });
    let ratings = ratings(
        &Rated {
            bots: &bots,
            versions: &|_| String::new(),
            tallies,
            joint: &joint,
            clean: None,
            forfeits: &vec![0; bots.len()],
        },
        &mut quantiles,
    );
    let added = added_up(rows);
    let pairs = added
        .iter()
        .filter_map(|&([a, b], tally)| {
            tally.row_of_games([a, b], [place[a], place[b]], &joint, &mut quantiles)
        })
        .collect();
    let duels: Vec<Duel<'_>> = added
        .iter()
        .map(|&(bots, PairTally { wins, losses, .. })| Duel { bots, won: [wins, losses] })
        .collect();
    let mut notes = notes::of_fit(&bots, &joint);
    notes.extend(circles(&duels));
    let trouble =
        Trouble { games: added.iter().map(|(_, tally)| tally.games()).sum(), ..Trouble::default() };
    Ok(Results {
        warning: None,
        ratings,
        pairs,
        advantage,
        sprt: None,
        biased: false,
        void: 0,
        trouble,
        notes,
    })
}

/// The lines of each two bots added up, in order of their first lines.
fn added_up(rows: &[(String, String, [u64; 3])]) -> Vec<([&str; 2], PairTally)> {
    let mut known: BTreeMap<[&str; 2], usize> = BTreeMap::new();
    let mut added: Vec<([&str; 2], PairTally)> = Vec::new();
    for (a, b, [wins, draws, losses]) in rows {
        let (names, turned) = ([a.as_str(), b.as_str()], [b.as_str(), a.as_str()]);
        let (place, [wins, losses]) = match known.get(&turned) {
            Some(&place) => (place, [losses, wins]),
            None => (*known.entry(names).or_insert(added.len()), [wins, losses]),
        };
        if place == added.len() {
            added.push((names, PairTally::default()));
        }
        let tally = &mut added[place].1;
        tally.wins += wins;
        tally.draws += draws;
        tally.losses += losses;
    }
    added
}

/// Games that each bot broke off.
fn forfeits(games: &Games, bots: &[String]) -> Vec<u64> {
    let (place, mut counts) = (places(bots), vec![0; bots.len()]);
    for pair in games.pairs() {
        for (side, name) in [&pair.bot_a, &pair.bot_b].into_iter().enumerate() {
            counts[place[name.as_str()]] +=
                pair.games().filter(|game| game.forfeits[side]).count() as u64;
        }
    }
    counts
}

/// The advantage of the first seat, where both orders are played, seed by seed whatever the bots'
/// strength; or why it cannot be told, unless only one order was played.
fn advantage(games: &Games, bots: &[String]) -> Result<Advantage, Option<String>> {
    let place = places(bots);
    let both: Vec<_> = games.pairs().filter(|pair| pair.orders() == 2).collect();
    if both.is_empty() {
        return Err(None);
    }
    let seated = both.iter().flat_map(|pair| {
        let [a, b] = [place[&*pair.bot_a], place[&*pair.bot_b]];
        [(a, b), (b, a)]
    });
    let mut seeds = Seeds::new(seated.collect());
    let mut rows: BTreeMap<u64, Vec<[u16; 2]>> = BTreeMap::new();
    for (number, pair) in both.iter().enumerate() {
        for block in pair.blocks() {
            let row = rows.entry(block.seed).or_insert_with(|| vec![[0; 2]; 2 * both.len()]);
            for (order, points) in block.points.iter().enumerate() {
                let Some(points) = points else { continue };
                let points = if order == 0 { *points } else { points.other() };
                row[2 * number + order] = [1, u16::from(points.halves())];
            }
        }
    }
    for row in rows.values() {
        seeds.push(row);
    }
    let joint = Joint::of_seeds(bots.len(), &seeds, true).map_err(|error| match error {
        FitError::Boundless => Some(error.to_string()),
        _ => None,
    })?;
    let advantage = joint.fit.advantage.ok_or(None)?;
    let told = joint.of_one(bots.len()).ok_or_else(|| {
        Some("too few seeds to tell the first seat's advantage: play two at least".to_owned())
    })?;
    Ok(Advantage { elo: ELO * advantage, elo_error: ELO * told.half_width95() })
}
