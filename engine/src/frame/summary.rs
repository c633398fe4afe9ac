//! What is kept of sampled frames: whole numbers that merge by addition.

/// Sums over sampled frames. Its size does not depend on their number, and as the sums are whole
/// numbers the order of merging does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FrameSummary {
    /// Frames played.
    pub frames: u64,
    /// Frames that seat 0 won.
    pub wins0: u64,
    /// Frames that nobody won.
    pub draws: u64,
    /// Shots of all frames, safeties included, the break not counted.
    pub shots: u64,
    /// Sum over frames of the square of their shots.
    pub shots_squared: u64,
    /// Frames that ended in each end of the game, in the order of [`super::Game::ends`].
    pub ends: Vec<u64>,
}

impl FrameSummary {
    /// Adds the frames of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.frames += other.frames;
        self.wins0 += other.wins0;
        self.draws += other.draws;
        self.shots += other.shots;
        self.shots_squared += other.shots_squared;
        if self.ends.len() < other.ends.len() {
            self.ends.resize(other.ends.len(), 0);
        }
        for (mine, theirs) in self.ends.iter_mut().zip(&other.ends) {
            *mine += theirs;
        }
    }

    /// Share of frames that seat 0 won; NaN without frames.
    #[must_use]
    pub fn win_rate(&self) -> f64 {
        self.wins0 as f64 / self.frames as f64
    }

    /// Mean shots a frame; NaN without frames.
    #[must_use]
    pub fn mean_shots(&self) -> f64 {
        self.shots as f64 / self.frames as f64
    }

    /// Standard error of [`Self::mean_shots`]; NaN with fewer than two frames.
    #[must_use]
    pub fn mean_shots_se(&self) -> f64 {
        let n = self.frames as f64;
        // Whole numbers to the end: the difference of two large sums keeps every digit.
        let spread = u128::from(self.frames) * u128::from(self.shots_squared)
            - u128::from(self.shots) * u128::from(self.shots);
        (spread as f64 / n / (n - 1.0) / n).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_give_mean_and_standard_error() {
        let one = FrameSummary {
            frames: 2,
            wins0: 1,
            draws: 0,
            shots: 4,
            shots_squared: 10,
            ends: vec![2],
        };
        let mut sum = one.clone();
        sum.merge(&FrameSummary {
            frames: 1,
            wins0: 1,
            draws: 0,
            shots: 5,
            shots_squared: 25,
            ends: vec![0, 1],
        });
        // Frames of 1, 3 and 5 shots: mean 3, variance 4.
        assert_eq!((sum.frames, sum.wins0, &sum.ends[..]), (3, 2, &[2, 1][..]));
        assert!((sum.mean_shots() - 3.0).abs() < 1e-15);
        assert!((sum.mean_shots_se() - (4.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!(one.win_rate() == 0.5 && FrameSummary::default().win_rate().is_nan());
    }
}
