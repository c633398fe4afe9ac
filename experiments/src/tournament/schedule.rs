//! Which games an event consists of, and in which order: a pure function of its file.
//!
//! Nothing is stored: game `i` is computed when it is asked for, however long the schedule. Games
//! go by groups of seeds, within a group by pair, so that results of all pairs grow alike while a
//! process is still used for several games in a row.

/// Seeds in a group.
const GROUP: u64 = 10;

/// Who plays whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody against everybody.
    #[default]
    RoundRobin,
    /// The first bot against each of the rest.
    Gauntlet,
    /// Two bots.
    Match,
}

/// A schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pairs: Vec<[usize; 2]>,
    first_seed: u64,
    seeds: u64,
    orders: u64,
    /// The number of seeds, from the first, that are also played with the seats swapped although
    /// one game a seed is enough.
    mirrored: u64,
}

/// One game of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its place in the schedule, from 0.
    pub index: u64,
    /// Number of the pair.
    pub pair: usize,
    /// The two bots, the first named in the file first: bot a and bot b.
    pub bots: [usize; 2],
    /// The seed.
    pub seed: u64,
    /// 0: bot a has seat 0; 1: bot b has it.
    pub order: u8,
}

impl Fixture {
    /// The bots by seat.
    #[must_use]
    pub const fn seats(&self) -> [usize; 2] {
        let [a, b] = self.bots;
        if self.order == 0 { [a, b] } else { [b, a] }
    }
}

impl Schedule {
    /// The schedule of `bots` bots over `seeds` seeds from `first_seed`, with `orders` (1 or 2)
    /// games of a pair on each seed, and the first `mirrored` seeds with both orders anyway.
    #[must_use]
    pub fn new(
        bots: usize,
        format: Format,
        first_seed: u64,
        seeds: u64,
        orders: u8,
        mirrored: u64,
    ) -> Self {
        let firsts = if format == Format::RoundRobin { bots } else { bots.min(1) };
        let pairs = (0..firsts).flat_map(|a| (a + 1..bots).map(move |b| [a, b])).collect();
        let mirrored = if orders == 1 { mirrored.min(seeds) } else { 0 };
        Self { pairs, first_seed, seeds, orders: u64::from(orders), mirrored }
    }

    /// The pairs, by number.
    #[must_use]
    pub fn pairs(&self) -> &[[usize; 2]] {
        &self.pairs
    }

    /// The number of seeds.
    #[must_use]
    pub const fn seeds(&self) -> u64 {
        self.seeds
    }

    /// The number of games.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.games_before(self.seeds)
    }

    /// Whether there is no game.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Games of one pair on the first `seeds` seeds.
    fn games_of_pair(&self, seeds: u64) -> u64 {
        seeds * self.orders + seeds.min(self.mirrored)
    }

    /// Games of all pairs on the first `seeds` seeds.
    fn games_before(&self, seeds: u64) -> u64 {
        self.pairs.len() as u64 * self.games_of_pair(seeds)
    }

    /// The number of games of a pair on the seed with number `seed` from the first.
    #[must_use]
    pub fn orders(&self, seed: u64) -> u8 {
        if self.orders == 2 || seed < self.mirrored { 2 } else { 1 }
    }

    /// Game `index`; `None` beyond the last.
    #[must_use]
    pub fn game(&self, index: u64) -> Option<Fixture> {
        if index >= self.len() {
            return None;
        }
        let group = self.group_of(index);
        let (first, next) = self.bounds(group);
        let of_pair = self.games_of_pair(next) - self.games_of_pair(first);
        let within = index - self.games_before(first);
        let pair = usize::try_from(within / of_pair).ok()?;
        let mut rest = within % of_pair;
        let mut seed = first;
        while rest >= u64::from(self.orders(seed)) {
            rest -= u64::from(self.orders(seed));
            seed += 1;
        }
        let order = u8::try_from(rest).ok()?;
        Some(Fixture { index, pair, bots: self.pairs[pair], seed: self.first_seed + seed, order })
    }

    /// First seed of a group and of the next, counted from the first of all.
    fn bounds(&self, group: u64) -> (u64, u64) {
        (group * GROUP, ((group + 1) * GROUP).min(self.seeds))
    }

    /// The group that game `index` lies in, found by halving.
    fn group_of(&self, index: u64) -> u64 {
        let (mut low, mut high) = (0, self.seeds.div_ceil(GROUP));
        while high - low > 1 {
            let middle = u64::midpoint(low, high);
            if self.games_before((middle * GROUP).min(self.seeds)) <= index {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn all(schedule: &Schedule) -> Vec<Fixture> {
        (0..schedule.len()).map(|i| schedule.game(i).expect("inside")).collect()
    }

    #[test]
    fn a_round_robin_of_three_has_three_pairs() {
        let games = all(&Schedule::new(3, Format::RoundRobin, 5, 2, 2, 0));
        let bots: Vec<_> = games.iter().map(|g| (g.bots, g.seed, g.order)).collect();
        let expected: Vec<_> = [[0, 1], [0, 2], [1, 2]]
            .into_iter()
            .flat_map(|p| [(p, 5, 0), (p, 5, 1), (p, 6, 0), (p, 6, 1)])
            .collect();
        assert_eq!(bots, expected);
        assert_eq!(games[1].seats(), [1, 0]);
    }

    #[test]
    fn a_gauntlet_pairs_the_first_with_the_rest() {
        let schedule = Schedule::new(4, Format::Gauntlet, 1, 1, 1, 0);
        assert_eq!(schedule.pairs(), [[0, 1], [0, 2], [0, 3]]);
    }

    #[test]
    fn a_long_schedule_takes_no_memory() {
        let schedule = Schedule::new(100, Format::RoundRobin, 1, 1 << 40, 2, 0);
        let last = schedule.game(schedule.len() - 1).expect("inside");
        assert_eq!((last.seed, last.bots, last.order), (1 << 40, [98, 99], 1));
        assert_eq!(schedule.game(schedule.len()), None);
    }

    proptest! {
        #[test]
        fn every_key_occurs_once(
            bots in 2..6_usize, first in 0..9_u64, seeds in 1..35_u64, orders in 1..3_u8,
            mirrored in 0..40_u64, gauntlet: bool
        ) {
            let format = if gauntlet { Format::Gauntlet } else { Format::RoundRobin };
            let schedule = Schedule::new(bots, format, first, seeds, orders, mirrored);
            let games = all(&schedule);
            let keys: BTreeSet<_> = games.iter().map(|g| (g.pair, g.seed, g.order)).collect();
            prop_assert_eq!(keys.len(), games.len());
            for game in &games {
                prop_assert!(game.order < schedule.orders(game.seed - first));
                prop_assert!(game.seed >= first && game.seed < first + seeds);
            }
            let expected: u64 = (0..seeds).map(|s| u64::from(schedule.orders(s))).sum();
            prop_assert_eq!(schedule.len(), expected * schedule.pairs().len() as u64);
        }
    }
}
