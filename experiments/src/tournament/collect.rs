//! Gathering the games of events from their rows: by event, pair and seed, the last attempt of
//! each.

use super::points::Points;
use crate::output::rows::tournament::GameRow;
use std::collections::{BTreeMap, BTreeSet};

/// Games of an event, or of several, seed by seed.
#[derive(Clone, Debug, Default)]
pub struct Games {
    events: Vec<EventGames>,
    pairs: BTreeMap<(usize, usize), PairGames>,
    versions: BTreeMap<String, String>,
    rows: u64,
    /// Rows whose key had been there before: not counted twice.
    pub repeated_rows: u64,
    /// Time-outs of processes that used less than half of their time on a processor.
    pub idle_timeouts: u64,
    /// Games on seeds beyond the decision of a sequential test: not rated.
    pub beyond: u64,
}

/// An event of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventGames {
    /// Its name.
    pub name: String,
    /// Games of a pair on each seed, where that was told and not read off the rows.
    pub told: Option<u8>,
    /// Whether there are games with the seats swapped that are no copies.
    swapped: bool,
}

impl EventGames {
    /// Games of a pair on each seed that count. Where nobody told, two if there are games with the
    /// seats swapped; copies by which an event with one game a seed checks itself have digests.
    #[must_use]
    pub const fn orders(&self) -> u8 {
        match self.told {
            Some(orders) => orders,
            None if self.swapped => 2,
            None => 1,
        }
    }
}

/// Games of one pair in one event.
#[derive(Clone, Debug)]
pub struct PairGames {
    /// Id of bot a.
    pub bot_a: String,
    /// Id of bot b.
    pub bot_b: String,
    /// Games on each seed that count.
    orders: usize,
    seeds: BTreeMap<u64, [Option<Game>; 2]>,
}

/// What of a game counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// Points of bot a; none of a game that was not played.
    pub result: Option<Points>,
    /// Which of the bots broke off.
    pub forfeits: [bool; 2],
    /// Whether somebody's time ran out.
    pub timed_out: bool,
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

/// Games that say nothing of strength, among all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Trouble {
    /// Games that have a row.
    pub games: u64,
    /// Of these, games without a result, or in which both seats' time ran out before a stroke.
    pub void: u64,
    /// Further games in which somebody's time ran out.
    pub timed_out: u64,
}

impl Trouble {
    /// Share of the games that are void or timed out, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        (self.void + self.timed_out) as f64 / self.games.max(1) as f64
    }
}

/// The points of bot a in a game that was played. A game in which both seats' time ran out before
/// either made a stroke was not: it says something about the host.
#[must_use]
pub fn counted(row: &GameRow) -> Option<Points> {
    let late = row.reason_a == "timeout" && row.reason_b == "timeout";
    let idle = row.strokes_a.unwrap_or(0) == 0 && row.strokes_b.unwrap_or(0) == 0;
    row.result.filter(|_| !(late && idle))
}

impl Games {
    /// Takes a row.
    ///
    /// # Errors
    /// When two pairs of an event have the same number but different bots.
    pub fn add(&mut self, row: &GameRow) -> anyhow::Result<()> {
        let event = self.event(&row.event);
        let pair = self.pairs.entry((event, row.pair)).or_insert_with(|| PairGames {
            bot_a: row.bot_a.clone(),
            bot_b: row.bot_b.clone(),
            orders: 1,
            seeds: BTreeMap::new(),
        });
        if pair.bot_a != row.bot_a || pair.bot_b != row.bot_b {
            anyhow::bail!(
                "pair {} of event {} is {} and {} here but {} and {} before; the rows are of \
                 different events with the same name",
                row.pair,
                row.event,
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
            result: counted(row),
            forfeits: [&row.reason_a, &row.reason_b]
                .map(|reason| reason != "play" && reason != "void"),
            timed_out: row.reason_a == "timeout" || row.reason_b == "timeout",
            digest: row.digest.as_ref().and_then(|text| u128::from_str_radix(text, 16).ok()),
            attempt: row.attempt,
        };
        self.events[event].swapped |= order == 1 && game.digest.is_none();
        match cell {
            Some(kept) if kept.attempt >= game.attempt => self.repeated_rows += 1,
            _ => *cell = Some(game),
        }
        for (reason, cpu, time) in [
            (&row.reason_a, row.cpu_ms_a, row.time_ms_a),
            (&row.reason_b, row.cpu_ms_b, row.time_ms_b),
        ] {
            let idle = reason == "timeout" && cpu.is_some_and(|cpu| cpu < time.div_ceil(2));
            self.idle_timeouts += u64::from(idle);
        }
        for (bot, version) in [(&row.bot_a, &row.version_a), (&row.bot_b, &row.version_b)] {
            if !version.is_empty() && self.versions.get(bot) != Some(version) {
                self.versions.insert(bot.clone(), version.clone());
            }
        }
        Ok(())
    }

    fn event(&mut self, name: &str) -> usize {
        if let Some(place) = self.events.iter().rposition(|event| event.name == name) {
            return place;
        }
        self.events.push(EventGames { name: name.to_owned(), told: None, swapped: false });
        self.events.len() - 1
    }

    /// Settles how many games of a pair on each seed count, once all rows are in: those of the event
    /// `told`, if it is known; of others what their rows say.
    pub fn settle(&mut self, told: Option<(&str, u8)>) {
        for event in &mut self.events {
            event.told = told.filter(|(name, _)| *name == event.name).map(|(_, orders)| orders);
        }
        for (&(event, _), pair) in &mut self.pairs {
            pair.orders = usize::from(self.events[event].orders());
        }
    }

    /// Leaves out the games of an event on seeds from `end` on: a sequential test was decided
    /// before them.
    pub fn stop_at(&mut self, event: &str, end: u64) {
        for (&(place, _), pair) in &mut self.pairs {
            if self.events[place].name == event {
                let beyond = pair.seeds.split_off(&end);
                let games = beyond.values().flatten().flatten().count();
                self.beyond += games as u64;
            }
        }
    }

    /// The events, in order of their first rows.
    #[must_use]
    pub fn events(&self) -> &[EventGames] {
        &self.events
    }

    /// Number of rows.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Games without a result and games that timed out.
    #[must_use]
    pub fn trouble(&self) -> Trouble {
        let mut trouble = Trouble::default();
        for game in self.pairs.values().flat_map(PairGames::games) {
            trouble.games += 1;
            match game.result {
                None => trouble.void += 1,
                Some(_) => trouble.timed_out += u64::from(game.timed_out),
            }
        }
        trouble
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

    /// The pairs of an event by number.
    pub fn pairs_of(&self, event: &str) -> impl Iterator<Item = &PairGames> {
        let place = self.events.iter().position(|known| known.name == event);
        self.pairs.iter().filter(move |(key, _)| Some(key.0) == place).map(|(_, pair)| pair)
    }
}

impl PairGames {
    /// Games of a seed that count.
    #[must_use]
    pub const fn orders(&self) -> usize {
        self.orders
    }

    /// Whole blocks by seed. Half ones and those with a game that was not played do not count;
    /// where one game a seed is enough, a second with the seats swapped is a check and does not
    /// count either.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        self.seeds.iter().filter_map(|(&seed, games)| {
            let mut block = Block { seed, points: [None; 2], broken_off: false };
            for (place, game) in block.points.iter_mut().zip(games).take(self.orders) {
                let game = (*game)?;
                *place = Some(game.result?);
                block.broken_off |= game.forfeits.contains(&true);
            }
            Some(block)
        })
    }

    /// Seeds of which some games have a row and others have none yet: they wait.
    pub fn waiting(&self) -> impl Iterator<Item = u64> {
        self.seeds.iter().filter_map(|(&seed, games)| {
            let there = games[..self.orders].iter().flatten().count();
            (there > 0 && there < self.orders).then_some(seed)
        })
    }

    /// What has a row, by seed and order.
    pub fn seeds(&self) -> impl Iterator<Item = (u64, &[Option<Game>; 2])> {
        self.seeds.iter().map(|(&seed, games)| (seed, games))
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
