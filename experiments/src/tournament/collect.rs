//! Gathering the games of an event from its rows: by pair and seed, the last attempt of each.

use super::points::Points;
use crate::output::rows::tournament::GameRow;
use std::collections::{BTreeMap, BTreeSet};

/// Games of an event, seed by seed.
#[derive(Clone, Debug, Default)]
pub struct Games {
    pairs: BTreeMap<usize, PairGames>,
    versions: BTreeMap<String, String>,
    rows: u64,
    /// Rows whose key had been there before: not counted twice.
    pub repeated_rows: u64,
    /// Games without a result.
    pub void: u64,
    /// Time-outs of processes that used less than half of their time on a processor.
    pub idle_timeouts: u64,
}

/// Games of one pair.
#[derive(Clone, Debug)]
pub struct PairGames {
    /// Id of bot a.
    pub bot_a: String,
    /// Id of bot b.
    pub bot_b: String,
    seeds: BTreeMap<u64, [Option<Game>; 2]>,
}

/// What of a game counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// Points of bot a; none of a void game.
    pub result: Option<Points>,
    /// Which of the bots broke off.
    pub forfeits: [bool; 2],
    /// Digest of what was done.
    pub digest: Option<u128>,
    attempt: u32,
}

/// All games of a pair on one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The seed.
    pub seed: u64,
    /// Points of bot a by order; one game or two.
    pub points: [Option<Points>; 2],
    /// Whether somebody broke off.
    pub broken_off: bool,
}

impl Block {
    /// Number of games.
    #[must_use]
    pub fn games(&self) -> usize {
        self.points.iter().flatten().count()
    }

    /// Half points of bot a.
    #[must_use]
    pub fn halves(&self) -> usize {
        self.points.iter().flatten().map(|points| usize::from(points.halves())).sum()
    }
}

impl Games {
    /// Takes a row.
    ///
    /// # Errors
    /// When two pairs of the file have the same number but different bots.
    pub fn add(&mut self, row: &GameRow) -> anyhow::Result<()> {
        let pair = self.pairs.entry(row.pair).or_insert_with(|| PairGames {
            bot_a: row.bot_a.clone(),
            bot_b: row.bot_b.clone(),
            seeds: BTreeMap::new(),
        });
        if pair.bot_a != row.bot_a || pair.bot_b != row.bot_b {
            anyhow::bail!(
                "pair {} is {} and {} here but {} and {} before; rate one event at a time",
                row.pair,
                row.bot_a,
                row.bot_b,
                pair.bot_a,
                pair.bot_b
            );
        }
        self.rows += 1;
        let order = usize::from(row.order.min(1));
        let cell = &mut pair.seeds.entry(row.seed).or_default()[order];
        let game = Game {
            result: row.result,
            forfeits: [&row.reason_a, &row.reason_b]
                .map(|reason| reason != "play" && reason != "void"),
            digest: row.digest.as_ref().and_then(|text| u128::from_str_radix(text, 16).ok()),
            attempt: row.attempt,
        };
        match cell {
            Some(kept) if kept.attempt >= game.attempt => self.repeated_rows += 1,
            _ => {
                self.void += u64::from(game.result.is_none());
                self.void -= u64::from(cell.is_some_and(|kept| kept.result.is_none()));
                *cell = Some(game);
            }
        }
        for (reason, cpu, time) in [
            (&row.reason_a, row.cpu_ms_a, row.time_ms_a),
            (&row.reason_b, row.cpu_ms_b, row.time_ms_b),
        ] {
            let idle = reason == "timeout" && cpu.is_some_and(|cpu| 2 * cpu < time);
            self.idle_timeouts += u64::from(idle);
        }
        for (bot, version) in [(&row.bot_a, &row.version_a), (&row.bot_b, &row.version_b)] {
            if !version.is_empty() && self.versions.get(bot) != Some(version) {
                self.versions.insert(bot.clone(), version.clone());
            }
        }
        Ok(())
    }

    /// Number of rows.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// The bots, in the order of the pairs.
    #[must_use]
    pub fn bots(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let names = self.pairs.values().flat_map(|pair| [&pair.bot_a, &pair.bot_b]);
        names.filter(|name| seen.insert((*name).clone())).cloned().collect()
    }

    /// The version that a bot gave last.
    #[must_use]
    pub fn version(&self, bot: &str) -> &str {
        self.versions.get(bot).map_or("", String::as_str)
    }

    /// The pairs by number.
    pub fn pairs(&self) -> impl Iterator<Item = &PairGames> {
        self.pairs.values()
    }
}

impl PairGames {
    /// Games of a seed that count: 2 where most seeds have both orders, else 1.
    #[must_use]
    pub fn orders(&self) -> usize {
        let both = self.seeds.values().filter(|games| games[1].is_some()).count();
        if 2 * both > self.seeds.len() || self.seeds.values().all(|games| games[0].is_none()) {
            2
        } else {
            1
        }
    }

    /// Whole blocks by seed. Half ones and those with a void game do not count; where one game a
    /// seed is enough, a second with the seats swapped is a check and does not count either.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        let orders = self.orders();
        self.seeds.iter().filter_map(move |(&seed, games)| {
            let mut block = Block { seed, points: [None; 2], broken_off: false };
            for (place, game) in block.points.iter_mut().zip(games).take(orders) {
                let game = (*game)?;
                *place = Some(game.result?);
                block.broken_off |= game.forfeits.contains(&true);
            }
            Some(block)
        })
    }

    /// Every game that has a row.
    pub fn games(&self) -> impl Iterator<Item = &Game> {
        self.seeds.values().flatten().flatten()
    }

    /// Seeds played with both orders in a game that depends on nothing but what the bots do:
    /// how many came out the same, and the seeds that did not.
    #[must_use]
    pub fn mirrored(&self) -> (u64, Vec<u64>) {
        let (mut same, mut other) = (0, Vec::new());
        for (&seed, games) in &self.seeds {
            if let [Some(Game { digest: Some(one), .. }), Some(Game { digest: Some(two), .. })] =
                games
            {
                if one == two { same += 1 } else { other.push(seed) }
            }
        }
        (same, other)
    }

    /// Games on different seeds in which everything happened as in one before.
    #[must_use]
    pub fn repeats(&self) -> u64 {
        let mut seen = BTreeSet::new();
        let digests = self.seeds.values().filter_map(|games| games[0]?.digest);
        digests.filter(|&digest| !seen.insert(digest)).count() as u64
    }
}
