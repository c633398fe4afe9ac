//! Bots that beat each other in a circle: then no single number can rank them, and the table of
//! pairs is what to read.
//!
//! A bot beats another when so many of their decided blocks would come from equal bots only with a
//! small chance (sign test, exact). Equal bots are where circles arise most easily; there a circle
//! of three comes with the cube of that chance, either way round. The chance is therefore taken so
//! small that among all triples of the event a circle is named by mistake in at most one of twenty
//! events.

use statrs::function::beta::beta_reg;
use std::collections::BTreeMap;

/// Chance from which a bot counts as beating another, in small events.
const CLEAR: f64 = 0.025;
/// Chance of naming a circle where there is none.
const MISTAKE: f64 = 0.05;
/// Circles that are named.
const NAMED: usize = 3;

/// The decided blocks of two bots.
#[derive(Clone, Copy, Debug)]
pub struct Duel<'a> {
    /// The bots.
    pub bots: [&'a str; 2],
    /// Blocks that each of them won.
    pub won: [u64; 2],
}

/// Names circles of three bots each of which clearly beats the next; nothing if there are none.
/// Duels of the same bots are added up.
#[must_use]
pub fn circles(duels: &[Duel<'_>]) -> Option<String> {
    let mut place: BTreeMap<&str, usize> = BTreeMap::new();
    for name in duels.iter().flat_map(|duel| duel.bots) {
        place.entry(name).or_insert(0);
    }
    let names: Vec<&str> = place.keys().copied().collect();
    place.values_mut().enumerate().for_each(|(number, place)| *place = number);
    let bots = names.len();
    let mut won = vec![0_u64; bots * bots];
    for Duel { bots: [a, b], won: [over_b, over_a] } in duels {
        won[place[a] * bots + place[b]] += over_b;
        won[place[b] * bots + place[a]] += over_a;
    }
    let level = level(bots);
    let mut beats = vec![false; bots * bots];
    for a in 0..bots {
        for b in (0..bots).filter(|&b| b != a) {
            let (own, other) = (won[a * bots + b], won[b * bots + a]);
            beats[a * bots + b] = own > other && chance(own, other) <= level;
        }
    }
    let beats = |a: usize, b: usize| beats[a * bots + b];
    let (mut named, mut found) = (Vec::new(), 0);
    // Each circle once: from its first name on.
    for a in 0..bots {
        for b in (a + 1..bots).filter(|&b| beats(a, b)) {
            for c in (a + 1..bots).filter(|&c| beats(b, c) && beats(c, a)) {
                found += 1;
                if found <= NAMED {
                    let [a, b, c] = [a, b, c].map(|bot| names[bot]);
                    named.push(format!("{a} beats {b} beats {c} beats {a}"));
                }
            }
        }
    }
    if found == 0 {
        return None;
    }
    let more = match found {
        0..=NAMED => String::new(),
        all => format!(" and {} more", all - NAMED),
    };
    let named = named.join("; ");
    Some(format!("no order of strength fits: {named}{more}; read the pairs, not the ratings"))
}

/// The chance at which a bot beats another among so many bots.
fn level(bots: usize) -> f64 {
    let bots = bots as f64;
    let triples = (bots * (bots - 1.0) * (bots - 2.0) / 6.0).max(1.0);
    CLEAR.min(libm::cbrt(MISTAKE / (2.0 * triples)))
}

/// Chance that of two equal bots one wins at least `own` of the `own + other` decided blocks.
fn chance(own: u64, other: u64) -> f64 {
    if own == 0 { 1.0 } else { beta_reg(own as f64, other as f64 + 1.0, 0.5) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::results::results_of_counts;

    /// Notes on three bots that won so many of 100 games: a against b, b against c, a against c.
    fn notes([ab, bc, ac]: [u64; 3]) -> Vec<String> {
        let row = |a: &str, b: &str, wins| (a.to_owned(), b.to_owned(), [wins, 0, 100 - wins]);
        let rows = [row("a", "b", ab), row("b", "c", bc), row("a", "c", ac)];
        results_of_counts(&rows, false).expect("rated").notes
    }

    #[test]
    fn a_circle_is_named_and_an_order_is_not() {
        let circle = notes([70, 70, 30]);
        assert!(circle.iter().any(|n| n.contains("a beats b beats c beats a")), "{circle:?}");
        for order in [[70, 70, 70], [30, 30, 30], [70, 70, 50], [52, 52, 48]] {
            assert!(notes(order).iter().all(|note| !note.contains("beats")), "{order:?}");
        }
        let other = notes([30, 30, 70]);
        assert!(other.iter().any(|n| n.contains("a beats c beats b beats a")), "{other:?}");
    }

    #[test]
    fn pairs_are_added_up_over_lines() {
        let duel = |a, b| Duel { bots: [a, b], won: [9, 1] };
        let round = [("a", "b"), ("b", "c"), ("c", "a")];
        let there: Vec<Duel<'_>> = round.iter().map(|&(a, b)| duel(a, b)).collect();
        assert!(circles(&there).is_some());
        let back = round.iter().map(|&(a, b)| duel(b, a));
        assert_eq!(circles(&there.iter().copied().chain(back).collect::<Vec<_>>()), None);
    }

    #[test]
    fn the_sign_test_is_exact() {
        for (own, other, expected) in
            [(4, 0, 1.0 / 16.0), (3, 1, 5.0 / 16.0), (9, 1, 11.0 / 1024.0), (0, 3, 1.0)]
        {
            assert!((chance(own, other) - expected).abs() < 1e-12, "{own} {other}");
        }
    }

    /// Equal bots, some tens of them, few and many seeds: a circle is named in at most 5 % of the
    /// events, and some bot does beat another by chance, so the test has something to look at.
    #[test]
    fn equal_bots_are_called_a_circle_in_few_events() {
        use rand::RngExt as _;
        for (bots, games) in [(3, 8), (10, 4), (10, 60), (40, 30)] {
            let names: Vec<String> = (0..bots).map(|bot| format!("b{bot}")).collect();
            let (mut alarms, mut beaten, events) = (0, 0, 200);
            for event in 0..events {
                let mut rng =
                    cuebench_engine::rng::stream(9, cuebench_engine::rng::Purpose::Test, event);
                let mut duels = Vec::new();
                for a in 0..bots {
                    for b in a + 1..bots {
                        let won = (0..games).filter(|_| rng.random::<bool>()).count() as u64;
                        duels.push(Duel { bots: [&names[a], &names[b]], won: [won, games - won] });
                    }
                }
                alarms += u64::from(circles(&duels).is_some());
                beaten += duels.iter().filter(|d| chance(d.won[0], d.won[1]) <= CLEAR).count();
            }
            // 5 % of 200 and two standard deviations.
            assert!(alarms <= 16, "{bots} bots, {games} games: {alarms} of {events}");
            assert!(beaten > 0 || games < 6, "{bots} bots, {games} games");
        }
    }
}
