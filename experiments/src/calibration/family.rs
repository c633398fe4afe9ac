//! The family of definitions that can be calibrated, and what one of them says.

use crate::shot_log::schema::Schema;
use std::collections::BTreeMap;

/// A definition of the family: its words and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// The words of its logs.
    pub schema: Schema,
    /// Its numbers: `D.LEAVE`, `G`, `POS_REQ`, `A0`, `P_SCRATCH`, `SAFE_FOUL`, `BREAK.KEY`.
    pub numbers: BTreeMap<String, f64>,
}

impl Family {
    /// The number called `name`, 0 if there is none; `c` is `G * POS_REQ`.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        let of = |name: &str| self.numbers.get(name).copied().unwrap_or_default();
        if name == "c" { of("G") * of("POS_REQ") } else { of(name) }
    }
}
