//! What a player can know of a hidden table: the cloth speeds and restitutions that replay every
//! one of its shots to the micrometre.
//!
//! A shot is a pure function of table, balls and stroke, so a pair of values either gives exactly
//! the positions that were seen or is ruled out. Every survivor has been replayed; how the pairs
//! that need no replay are found is told in `belief/refine.rs`.

mod cell;
mod coordinates;
mod history;
pub mod pair;
mod refine;
mod trial;

pub use pair::{CLOTH_RANGE, CLOTHS, PAIRS, Pair, RESTITUTION_RANGE, RESTITUTIONS};
pub use trial::{Observed, Trial};

/// So many pairs or fewer are simply replayed one by one.
const REPLAY_ALL: usize = 2_000;

/// The pairs of hidden values that agree with all shots seen so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Belief {
    tolerance_um: u32,
    /// `None` stands for the whole grid; else in ascending order.
    pairs: Option<Vec<Pair>>,
}

/// No pair that agreed with the earlier shots gives the positions of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no cloth speed and restitution that agree with the earlier shots give these positions; check \
     the pockets, the balls and the stroke, or allow for noise"
)]
pub struct Inconsistent;

impl Default for Belief {
    fn default() -> Self {
        Self::new()
    }
}

impl Belief {
    /// Nothing is known yet; shots are seen to the micrometre.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_tolerance(0)
    }

    /// Nothing is known yet; coordinates are seen to `tolerance_um` either way.
    #[must_use]
    pub const fn with_tolerance(tolerance_um: u32) -> Self {
        Self { tolerance_um, pairs: None }
    }

    /// How many pairs survive; never 0.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.as_ref().map_or(PAIRS, Vec::len)
    }

    /// Always false: a belief without a pair cannot arise (see [`Inconsistent`]).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The survivor number `index` in order of cloth, then restitution.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Pair> {
        match &self.pairs {
            None => (index < PAIRS).then(|| Pair::from_index(index)),
            Some(pairs) => pairs.get(index).copied(),
        }
    }

    /// The survivors in order of cloth, then restitution.
    pub fn iter(&self) -> impl Iterator<Item = Pair> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// The pair, once only one is left.
    #[must_use]
    pub fn certain(&self) -> Option<Pair> {
        if self.len() == 1 { self.get(0) } else { None }
    }

    /// Takes a shot into account, and tells how many replays that took.
    ///
    /// # Errors
    /// [`Inconsistent`] when no survivor replays it; the belief stays as it was.
    pub fn update(&mut self, shot: &Observed) -> Result<usize, Inconsistent> {
        let mut trial = Trial::new(shot, self.tolerance_um);
        let left = match &self.pairs {
            Some(pairs) if pairs.len() <= REPLAY_ALL => {
                pairs.iter().copied().filter(|&pair| trial.agrees(pair)).collect()
            }
            Some(pairs) => {
                let agreeing = refine::consistent(&mut trial);
                // Both lists are in ascending order.
                let mut kept = pairs.iter().peekable();
                let is_kept = |pair: &Pair| {
                    while kept.next_if(|&k| k < pair).is_some() {}
                    kept.peek() == Some(&pair)
                };
                agreeing.into_iter().filter(is_kept).collect()
            }
            None => refine::consistent(&mut trial),
        };
        if Vec::is_empty(&left) {
            return Err(Inconsistent);
        }
        self.pairs = Some(left);
        Ok(trial.replays())
    }
}

#[cfg(test)]
mod tests;
