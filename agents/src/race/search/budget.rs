//! How long a search may think: in simulations, which repeat exactly, or in seconds.

use std::time::{Duration, Instant};

/// Simulations between two looks at the clock.
const CLOCK_EVERY: u64 = 32;

/// What is left of the thinking that one decision may do.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    left: u64,
    deadline: Option<Instant>,
}

impl Budget {
    /// At most `sims` simulations.
    #[must_use]
    pub const fn of_sims(sims: u64) -> Self {
        Self { left: sims, deadline: None }
    }

    /// At most `time` from now.
    #[must_use]
    pub fn of_time(time: Duration) -> Self {
        Self { left: u64::MAX, deadline: Instant::now().checked_add(time) }
    }

    /// Takes one simulation; false when nothing is left.
    pub fn spend(&mut self) -> bool {
        if self.left.is_multiple_of(CLOCK_EVERY)
            && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.left = 0;
        }
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }

    /// Whether nothing is left.
    #[must_use]
    pub const fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Simulations left, without regard to the clock.
    #[must_use]
    pub const fn sims_left(&self) -> u64 {
        self.left
    }

    /// A part of this budget of at most `sims` simulations; give it back with [`Self::settle`].
    #[must_use]
    pub fn part(&self, sims: u64) -> Self {
        Self { left: self.left.min(sims), deadline: self.deadline }
    }

    /// Takes what `part`, once cut off with room for `sims`, has used.
    pub fn settle(&mut self, sims: u64, part: &Self) {
        self.left = self.left.saturating_sub(self.left.min(sims) - part.left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_taken_from_the_whole() {
        let mut whole = Budget::of_sims(100);
        let mut part = whole.part(30);
        for _ in 0..40 {
            part.spend();
        }
        assert!(part.is_spent());
        whole.settle(30, &part);
        assert_eq!(whole.sims_left(), 70);
    }

    #[test]
    fn a_deadline_ends_the_search() {
        let mut budget = Budget::of_time(Duration::ZERO);
        let spent = (0..=CLOCK_EVERY).filter(|_| budget.spend()).count();
        assert!(budget.is_spent() && spent < CLOCK_EVERY as usize);
    }
}
