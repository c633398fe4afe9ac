//! The words that a log may use: leaves, calls, and the results of a definition's outcome models.

use serde::{Deserialize, Serialize};

/// What a result of a called shot says, in the order of [`Schema::shot`].
pub const SHOT_RESULTS: usize = 5;
/// Pot with position.
pub const POT_POSITION: usize = 0;
/// Pot without position.
pub const POT_NO_POSITION: usize = 1;
/// Pot and scratch.
pub const POT_SCRATCH: usize = 2;
/// Miss.
pub const MISS: usize = 3;
/// Miss and scratch.
pub const MISS_SCRATCH: usize = 4;
/// What a result of a safety says, in the order of [`Schema::safety`].
pub const SAFETY_RESULTS: usize = 3;
/// A good safety.
pub const SAFE_GOOD: usize = 0;
/// A poor safety.
pub const SAFE_POOR: usize = 1;
/// A foul on a safety.
pub const SAFE_FOUL: usize = 2;

/// The two calls, as a log writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Call {
    /// A called shot.
    Shot,
    /// A safety.
    Safety,
}

/// The words of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The leaves, in the order of the definition.
    pub leaves: Vec<String>,
    /// The results of a shot.
    pub shot: [String; SHOT_RESULTS],
    /// The results of a safety.
    pub safety: [String; SAFETY_RESULTS],
    /// The outcomes of a break: the identifier, and the key of its constant.
    pub breaks: Vec<(String, String)>,
}

impl Schema {
    /// All results and the call that each belongs to.
    pub fn results(&self) -> impl Iterator<Item = (&str, Call, usize)> {
        let shot = self.shot.iter().enumerate().map(|(i, id)| (id.as_str(), Call::Shot, i));
        let safety = self.safety.iter().enumerate().map(|(i, id)| (id.as_str(), Call::Safety, i));
        shot.chain(safety)
    }
}
