//! Which outcome was drawn on the way from one choice to the next.

/// An outcome of a `sample` instruction; nothing in games that do not record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::frame) struct Drawn(u64);

impl Drawn {
    /// No outcome.
    pub const NOTHING: Self = Self(0);
    /// More than one.
    const SEVERAL: Self = Self(u64::MAX);

    /// Outcome `outcome` of the instruction at `pc`.
    pub const fn of(pc: usize, outcome: usize) -> Self {
        Self(((pc as u64) << 32) | (outcome as u64 + 1))
    }

    /// This and then `next`.
    pub fn and(self, next: Self) -> Self {
        match (self, next) {
            (Self::NOTHING, one) | (one, Self::NOTHING) => one,
            _ => Self::SEVERAL,
        }
    }

    /// The instruction and the outcome, if exactly one was drawn.
    pub fn one(self) -> Option<(usize, usize)> {
        if matches!(self, Self::NOTHING | Self::SEVERAL) {
            return None;
        }
        Some(((self.0 >> 32) as usize, (self.0 & 0xffff_ffff) as usize - 1))
    }
}
