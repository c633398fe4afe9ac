//! A leave's geometry as a few equally likely points.
//!
//! Difficulty is one number of the geometry, `b0 + b1 theta + b2 l_ob + b3 l_cb`, so the shots that
//! were played from a leave are put in order of difficulty, cut into groups of equal weight, and
//! each group stands by its mean geometry, whose difficulty is the group's mean. The chances that
//! come of it are compared with those of all shots over a range of skills; the greatest difference
//! is the error that is stated.

use crate::stats::calibration::design::sigmoid;

/// Skills over which the error is looked for, in steps of [`STEP`].
const SKILLS: [f64; 2] = [-1.0, 5.0];
const STEP: f64 = 0.1;

/// Geometry and how many shots had it: cut angle (degrees), object ball to pocket and cue ball to
/// contact (mm).
pub type Weighted = ([f64; 3], u64);

/// What makes a geometry difficult: `b0` and the slopes of its three parts, and the price of
/// position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difficulty {
    /// `b0` to `b3`.
    pub b: [f64; 4],
    /// What position costs on top, `G * POS_REQ`.
    pub c: f64,
}

impl Difficulty {
    /// The difficulty of a geometry.
    #[must_use]
    pub fn of(&self, [theta, ob, cb]: [f64; 3]) -> f64 {
        self.b[0] + self.b[1] * theta + self.b[2] * ob + self.b[3] * cb
    }

    /// The mean difficulty of shots, none without any.
    #[must_use]
    pub fn mean(&self, shots: &[Weighted]) -> Option<f64> {
        let total: u64 = shots.iter().map(|(_, count)| count).sum();
        let sum: f64 = shots.iter().map(|(g, count)| self.of(*g) * *count as f64).sum();
        (total > 0).then(|| sum / total as f64)
    }
}

/// The points of a leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Spots {
    /// Their geometry, from easy to hard, each as likely as the others.
    pub points: Vec<[f64; 3]>,
    /// Greatest difference of the chances of a pot, and of a pot with position, from those of all
    /// shots, at skills from -1 to 5.
    pub error: f64,
}

/// `count` points for `shots`; none without shots.
#[must_use]
pub fn spots(shots: &[Weighted], difficulty: Difficulty, count: usize) -> Option<Spots> {
    let total: u64 = shots.iter().map(|(_, count)| count).sum();
    if total == 0 || count == 0 {
        return None;
    }
    let mut sorted = shots.to_vec();
    let parts = |g: &[f64; 3]| [difficulty.of(*g), g[0], g[1], g[2]];
    sorted.sort_by(|(a, _), (b, _)| {
        let pairs = parts(a).into_iter().zip(parts(b));
        pairs.map(|(x, y)| x.total_cmp(&y)).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    let room = total as f64 / count as f64;
    let mut points = vec![[0.0; 3]; count];
    let (mut at, mut free) = (0, room);
    for (geometry, shots) in sorted {
        let mut left = shots as f64;
        while left > 0.0 {
            // Rounding may leave a hair for a group after the last.
            let take = if at + 1 < count { left.min(free) } else { left };
            for (sum, part) in points[at].iter_mut().zip(geometry) {
                *sum += take / room * part;
            }
            left -= take;
            free -= take;
            if free <= 1e-9 * room && at + 1 < count {
                (at, free) = (at + 1, room);
            }
        }
    }
    let error = error(shots, &points, difficulty);
    Some(Spots { points, error })
}

/// The greatest difference between the chances of `shots` and those of `points`.
fn error(shots: &[Weighted], points: &[[f64; 3]], difficulty: Difficulty) -> f64 {
    let total = shots.iter().map(|(_, count)| *count as f64).sum::<f64>();
    let all: Vec<(f64, f64)> =
        shots.iter().map(|(g, count)| (difficulty.of(*g), *count as f64 / total)).collect();
    let few: Vec<(f64, f64)> =
        points.iter().map(|g| (difficulty.of(*g), 1.0 / points.len() as f64)).collect();
    let chances = |of: &[(f64, f64)], skill: f64| {
        of.iter().fold([0.0; 2], |[pot, both], (d, weight)| {
            let p = sigmoid(skill - d);
            [pot + weight * p, both + weight * p * sigmoid(skill - d - difficulty.c)]
        })
    };
    let steps = ((SKILLS[1] - SKILLS[0]) / STEP) as usize;
    (0..=steps)
        .map(|i| SKILLS[0] + STEP * i as f64)
        .map(|skill| {
            let (a, b) = (chances(&all, skill), chances(&few, skill));
            (a[0] - b[0]).abs().max((a[1] - b[1]).abs())
        })
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shots() -> Vec<Weighted> {
        (0..1_000)
            .map(|i| ([f64::from(i % 70), 200.0 + f64::from(i * 7 % 900), 500.0], 1))
            .collect()
    }

    const DIFFICULTY: Difficulty = Difficulty { b: [0.4, 0.03, 0.001, 0.0], c: 1.0 };

    /// The stated error falls with the square of the number of points, and the mean stays.
    #[test]
    fn more_points_state_a_smaller_error() {
        let shots = shots();
        let mean = DIFFICULTY.mean(&shots).expect("shots");
        let mut last = f64::INFINITY;
        for count in [1, 2, 4, 8, 16] {
            let spots = spots(&shots, DIFFICULTY, count).expect("points");
            assert_eq!(spots.points.len(), count);
            let points: Vec<Weighted> = spots.points.iter().map(|g| (*g, 1)).collect();
            assert!((DIFFICULTY.mean(&points).expect("points") - mean).abs() < 1e-9);
            assert!(spots.error < last / 2.5, "{count}: {} after {last}", spots.error);
            last = spots.error;
        }
        assert!(last < 1e-3, "{last}");
    }

    #[test]
    fn as_many_points_as_shots_have_no_error() {
        let few = &shots()[..8];
        let spots = spots(few, DIFFICULTY, 8).expect("points");
        assert!(spots.error < 1e-12, "{}", spots.error);
        assert!(super::spots(&[], DIFFICULTY, 4).is_none());
        let heavy = [([10.0, 500.0, 500.0], 3), ([50.0, 500.0, 500.0], 1)];
        let spots = super::spots(&heavy, DIFFICULTY, 4).expect("points");
        assert_eq!(spots.points[2], [10.0, 500.0, 500.0]);
        assert_eq!(spots.points[3], [50.0, 500.0, 500.0]);
    }
}
