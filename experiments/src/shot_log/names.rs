//! Names of players that may be one player's, or nobody's.

use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization as _;

/// What spreadsheets and data frames write for a missing value.
const MISSING: [&str; 7] = ["nan", "na", "n/a", "null", "none", "nil", "?"];

/// A warning for every set of names that differ only in case, in the composition of their letters or
/// in how a number is written, and for names that stand for a missing value.
#[must_use]
pub fn doubtful(names: &[&str]) -> Vec<String> {
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        alike.entry(plain(name)).or_default().push(name);
    }
    let mut doubts: Vec<String> = alike
        .values()
        .filter(|names| names.len() > 1)
        .map(|names| {
            let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "{} are taken for different players; write them alike if they are one.",
                quoted.join(" and ")
            )
        })
        .collect();
    let missing = names.iter().filter(|name| MISSING.contains(&plain(name).as_str()));
    doubts.extend(missing.map(|name| {
        format!("A player is called `{name}`: is that a missing value? Then the row has no player.")
    }));
    doubts
}

/// A name without what does not tell people apart.
fn plain(name: &str) -> String {
    let composed: String = name.nfkc().flat_map(char::to_lowercase).collect();
    let words = composed.split_whitespace().collect::<Vec<_>>().join(" ");
    let number = words.parse::<f64>().ok().filter(|number| number.is_finite());
    number.map_or(words, |number| format!("{}", number + 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_one_are_warned_of() {
        assert!(doubtful(&["ann", "bob", "1", "2"]).is_empty());
        for pair in [["ann", "Ann"], ["caf\u{e9}", "cafe\u{301}"], ["1", "1.0"], ["a b", "a  b"]] {
            let doubts = doubtful(&pair);
            assert_eq!(doubts.len(), 1, "{pair:?}");
            assert!(pair.iter().all(|name| doubts[0].contains(name)), "{doubts:?}");
        }
        assert!(doubtful(&["nan", "ann"])[0].contains("missing value"));
    }
}
