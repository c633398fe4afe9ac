//! Bots that beat each other in a circle: then no single number can rank them, and the table of
//! pairs is what to read.

use crate::output::rows::tournament::PairRow;
use std::collections::{BTreeMap, BTreeSet};

/// Chance of being the better one from which a bot counts as beating another.
const CLEAR: f64 = 0.975;
/// Circles that are named.
const NAMED: usize = 3;

/// Names circles of three bots each of which clearly beats the next; nothing if there are none.
#[must_use]
pub fn circles(pairs: &[PairRow]) -> Option<String> {
    let mut beaten: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for PairRow { bot_a, bot_b, los, .. } in pairs {
        if *los >= CLEAR {
            beaten.entry(bot_a).or_default().insert(bot_b);
        } else if *los <= 1.0 - CLEAR {
            beaten.entry(bot_b).or_default().insert(bot_a);
        }
    }
    let by = |bot: &str| beaten.get(bot).into_iter().flatten().copied();
    let found: Vec<String> = beaten
        .keys()
        .flat_map(|&a| by(a).flat_map(move |b| by(b).map(move |c| [a, b, c])))
        // Each circle once: from its first name on.
        .filter(|[a, b, c]| a < b && a < c && by(c).any(|bot| bot == *a))
        .map(|[a, b, c]| format!("{a} beats {b} beats {c} beats {a}"))
        .collect();
    if found.is_empty() {
        return None;
    }
    let more = match found.len() {
        0..=NAMED => String::new(),
        all => format!(" and {} more", all - NAMED),
    };
    let named = found.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    Some(format!("no order of strength fits: {named}{more}; read the pairs, not the ratings"))
}

#[cfg(test)]
mod tests {
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
}
