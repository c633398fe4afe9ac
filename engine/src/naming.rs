//! The nearest known name, for errors that say what was probably meant. Everything that reads names
//! asks here.

/// The entry of `known` nearest to `word`, if it is near enough to be a slip: at most a third of
/// the word's letters (at least one) inserted, dropped, changed or swapped, case aside.
#[must_use]
pub fn nearest<'a, T: AsRef<str> + ?Sized + 'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a T>,
) -> Option<&'a str> {
    // Long words are not names of ours, and the distance costs their square.
    if word.len() > 64 {
        return None;
    }
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(AsRef::as_ref)
        .map(|name| (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= (word.chars().count() / 3).max(1))
        .min()
        .map(|(_, name)| name)
}

/// ` (did you mean `x`?)`, or nothing when no known name is near.
#[must_use]
pub fn did_you_mean<'a, T: AsRef<str> + ?Sized + 'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a T>,
) -> String {
    nearest(word, known).map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_near_and_strangers_are_not() {
        let known = ["P_SCRATCH", "POS_REQ", "TAU"];
        assert_eq!(nearest("P_SCRACH", known), Some("P_SCRATCH"));
        assert_eq!(nearest("tau", known), Some("TAU"));
        assert_eq!(nearest("skill", known), None);
        assert_eq!(nearest(&"x".repeat(100_000), known), None);
    }
}
