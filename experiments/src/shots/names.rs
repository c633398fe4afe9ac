//! Names of balls in files of shots.

/// The balls of the race, by slot.
pub const RACE: [&str; 7] = ["white", "yellow", "green", "brown", "blue", "pink", "black"];
/// The balls of a pool table, by slot.
pub const POOL: [&str; 16] =
    ["cue", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"];

/// The slot of a ball, and which of the two sets of names it belongs to.
#[must_use]
pub fn slot_of(name: &str) -> Option<(usize, NameSet)> {
    let find = |names: &[&str]| names.iter().position(|&known| known == name);
    find(&RACE)
        .map(|slot| (slot, NameSet::Race))
        .or_else(|| find(&POOL).map(|slot| (slot, NameSet::Pool)))
}

/// One of the two sets of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSet {
    /// white, yellow, green, brown, blue, pink, black.
    Race,
    /// cue, 1 to 15.
    Pool,
}

impl NameSet {
    /// The name of the ball in `slot`.
    #[must_use]
    pub fn name(self, slot: u8) -> &'static str {
        let names: &[&'static str] = match self {
            Self::Race => &RACE,
            Self::Pool => &POOL,
        };
        names.get(usize::from(slot)).copied().unwrap_or("?")
    }
}
