//! Breaks by player: a multinomial logit in each player's break skill.
//!
//! Outcome `k` of a break by player `i` has the weight `e^(a_k + c_k b_i)`: `c_k` is the given slope
//! of the outcome, `a_k` is common to all, `b_i` is the player's break skill. The slopes say what a
//! unit of break skill is; its zero is the mean of the players, so that the shares at break skill 0
//! are those of a middling breaker. The likelihood is concave; Newton's method ends at its maximum.
//! A player all of whose breaks had outcomes of the greatest slope (or all of the least) has no finite
//! break skill and is set aside.

use super::cholesky::Cholesky;
use super::slope::LikelihoodRatio;

/// Newton steps before the fit gives up: it takes about six.
const MAX_STEPS: u32 = 100;
/// Half the Newton decrement at which the fit has converged.
const CONVERGED: f64 = 1e-12;
/// The longest step of a parameter.
const MAX_STEP: f64 = 3.0;
/// Half of a 95 % interval in standard errors.
const Z95: f64 = 1.959_963_984_540_054;

/// A value and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// The value.
    pub estimate: f64,
    /// Its standard error.
    pub se: f64,
}

impl Value {
    /// The Wald interval at 95 %.
    #[must_use]
    pub fn interval95(&self) -> [f64; 2] {
        [self.estimate - Z95 * self.se, self.estimate + Z95 * self.se]
    }
}

/// What breaks tell.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakFit {
    /// The break skill of each player; none where it is not finite or there are no breaks.
    pub skills: Vec<Option<Value>>,
    /// The share of each outcome at break skill 0.
    pub shares: Vec<Value>,
    /// Log-likelihood of the breaks of the players that were fitted.
    pub log_likelihood: f64,
    /// Break skills against one set of shares for all.
    pub against_fixed: LikelihoodRatio,
    /// Shares of each player's own against break skills; none where nothing is left to test.
    pub against_own: Option<LikelihoodRatio>,
}

/// Why there is no fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BreakError {
    /// All slopes are one number.
    #[error("every outcome of the break has the same slope, so break skill changes nothing")]
    Flat,
    /// Fewer than two players are left.
    #[error("break skill needs two players with breaks of both kinds, good and bad; there are {0}")]
    Players(usize),
    /// Newton's method did not end.
    #[error("the fit of the breaks did not converge")]
    Unfinished,
}

/// Fits `counts`, one row a player with one count an outcome, under the slopes of the outcomes.
///
/// # Errors
/// When slopes or players leave nothing to estimate, or the fit does not converge.
pub fn fit(counts: &[Vec<u64>], slopes: &[f64]) -> Result<BreakFit, BreakError> {
    let seen: Vec<usize> =
        (0..slopes.len()).filter(|&k| counts.iter().any(|row| row[k] > 0)).collect();
    let bound = |pick: fn(f64, f64) -> f64| seen.iter().map(|&k| slopes[k]).reduce(pick);
    let (Some(low), Some(high)) = (bound(f64::min), bound(f64::max)) else {
        return Err(BreakError::Players(0));
    };
    if low == high {
        return Err(BreakError::Flat);
    }
    let finite = |row: &Vec<u64>| {
        let at = |slope: f64| seen.iter().all(|&k| row[k] == 0 || slopes[k] == slope);
        row.iter().any(|n| *n > 0) && !at(low) && !at(high)
    };
    let kept: Vec<usize> = (0..counts.len()).filter(|&i| finite(&counts[i])).collect();
    if kept.len() < 2 {
        return Err(BreakError::Players(kept.len()));
    }
    // What nobody who is kept ever had has no weight.
    let mut outcomes: Vec<usize> =
        seen.into_iter().filter(|&k| kept.iter().any(|&i| counts[i][k] > 0)).collect();
    // The first has weight 1; the last, of another slope, holds the location.
    let other = outcomes.iter().position(|&k| slopes[k] != slopes[outcomes[0]]);
    let last = outcomes.len() - 1;
    outcomes.swap(other.ok_or(BreakError::Flat)?, last);
    let rows: Vec<Vec<u64>> =
        kept.iter().map(|&i| outcomes.iter().map(|&k| counts[i][k]).collect()).collect();
    let problem = Problem { slopes: outcomes.iter().map(|&k| slopes[k]).collect(), rows };
    let point = problem.maximum()?;
    problem.results(&point, counts.len(), slopes.len(), &kept, &outcomes)
}

/// The players and outcomes that are fitted.
struct Problem {
    slopes: Vec<f64>,
    /// Counts by player and outcome.
    rows: Vec<Vec<u64>>,
}

/// `a` by outcome (the first and last are held) and `b` by player.
#[derive(Clone)]
struct Point {
    a: Vec<f64>,
    b: Vec<f64>,
}

/// Gradient and information, players apart: `d` of each player and its column `v` beside `a`.
struct Local {
    log_likelihood: f64,
    gradient_a: Vec<f64>,
    gradient_b: Vec<f64>,
    /// Information of `a` in rows.
    info: Vec<f64>,
    d: Vec<f64>,
    v: Vec<Vec<f64>>,
}

impl Problem {
    /// Free entries of `a`.
    fn free(&self) -> std::ops::Range<usize> {
        1..self.slopes.len() - 1
    }

    fn shares(&self, a: &[f64], b: f64) -> Vec<f64> {
        let weights: Vec<f64> =
            a.iter().zip(&self.slopes).map(|(a, slope)| a + slope * b).collect();
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = weights.iter().map(|w| libm::exp(w - most)).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|w| w / sum).collect()
    }

    fn local(&self, point: &Point) -> Local {
        let free = self.free();
        let m = free.len();
        let mut local = Local {
            log_likelihood: 0.0,
            gradient_a: vec![0.0; m],
            gradient_b: Vec::new(),
            info: vec![0.0; m * m],
            d: Vec::new(),
            v: Vec::new(),
        };
        for (row, &b) in self.rows.iter().zip(&point.b) {
            let p = self.shares(&point.a, b);
            let row: Vec<f64> = row.iter().map(|n| *n as f64).collect();
            let n: f64 = row.iter().sum();
            let mean: f64 = p.iter().zip(&self.slopes).map(|(p, c)| p * c).sum();
            let spread: f64 =
                p.iter().zip(&self.slopes).map(|(p, c)| p * (c - mean) * (c - mean)).sum();
            for (k, count) in row.iter().enumerate().filter(|(_, count)| **count > 0.0) {
                local.log_likelihood += count * libm::log(p[k]);
            }
            let pull = row.iter().zip(&self.slopes).map(|(count, c)| count * c).sum::<f64>();
            local.gradient_b.push(pull - n * mean);
            local.d.push(n * spread);
            local.v.push(free.clone().map(|k| n * p[k] * (self.slopes[k] - mean)).collect());
            for (i, k) in free.clone().enumerate() {
                local.gradient_a[i] += row[k] - n * p[k];
                for (j, l) in free.clone().enumerate() {
                    let own = if k == l { p[k] } else { 0.0 };
                    local.info[i * m + j] += n * (own - p[k] * p[l]);
                }
            }
        }
        local
    }

    fn maximum(&self) -> Result<Point, BreakError> {
        let mut point = Point { a: vec![0.0; self.slopes.len()], b: vec![0.0; self.rows.len()] };
        let totals = self.totals();
        let log = |k: usize| libm::log(totals[k] as f64 / totals[0] as f64);
        // The level at which the last outcome weighs as much as the first.
        let last = totals.len() - 1;
        let level = log(last) / (self.slopes[last] - self.slopes[0]);
        for k in self.free() {
            point.a[k] = log(k) - (self.slopes[k] - self.slopes[0]) * level;
        }
        point.b.fill(level);
        let mut local = self.local(&point);
        for _ in 0..MAX_STEPS {
            let (step, decrement) = local.step().ok_or(BreakError::Unfinished)?;
            if decrement / 2.0 < CONVERGED * (1.0 + local.log_likelihood.abs()) {
                // The last step brings the digits that are left.
                return Ok(self.moved(&point, &step, 1.0));
            }
            let longest = step.a.iter().chain(&step.b).fold(MAX_STEP, |m, s| m.max(s.abs()));
            let mut scale = MAX_STEP / longest;
            loop {
                let next = self.moved(&point, &step, scale);
                let there = self.local(&next);
                if there.log_likelihood >= local.log_likelihood || scale < 1e-9 {
                    (point, local) = (next, there);
                    break;
                }
                scale /= 2.0;
            }
        }
        Err(BreakError::Unfinished)
    }

    fn moved(&self, point: &Point, step: &Point, scale: f64) -> Point {
        let mut next = point.clone();
        for (i, k) in self.free().enumerate() {
            next.a[k] += scale * step.a[i];
        }
        next.b.iter_mut().zip(&step.b).for_each(|(b, s)| *b += scale * s);
        next
    }

    fn results(
        &self,
        point: &Point,
        players: usize,
        all_outcomes: usize,
        kept: &[usize],
        outcomes: &[usize],
    ) -> Result<BreakFit, BreakError> {
        let local = self.local(point);
        let count = self.rows.len() as f64;
        let middle = point.b.iter().sum::<f64>() / count;
        let (factor, m) = (local.schur().ok_or(BreakError::Unfinished)?, self.free().len());
        // Columns of the covariance between `a` and each `b`, but for the sign.
        let u: Vec<Vec<f64>> =
            local.v.iter().zip(&local.d).map(|(v, d)| v.iter().map(|v| v / d).collect()).collect();
        let mean_u: Vec<f64> =
            (0..m).map(|j| u.iter().map(|u| u[j]).sum::<f64>() / count).collect();
        let quadratic = |x: &[f64]| factor.as_ref().map_or(0.0, |factor| factor.quadratic(x));
        let own: f64 = local.d.iter().map(|d| 1.0 / d).sum::<f64>() / (count * count);
        let mut skills = vec![None; players];
        for (i, &player) in kept.iter().enumerate() {
            let apart: Vec<f64> = u[i].iter().zip(&mean_u).map(|(u, mean)| u - mean).collect();
            let variance = (1.0 - 2.0 / count) / local.d[i] + own + quadratic(&apart);
            let estimate = point.b[i] - middle;
            skills[player] = Some(Value { estimate, se: variance.max(0.0).sqrt() });
        }
        let centred: Vec<f64> =
            point.a.iter().zip(&self.slopes).map(|(a, slope)| a + slope * middle).collect();
        let p = self.shares(&centred, 0.0);
        let mean_slope: f64 = p.iter().zip(&self.slopes).map(|(p, c)| p * c).sum();
        let mut shares = vec![Value { estimate: 0.0, se: 0.0 }; all_outcomes];
        for (k, &outcome) in outcomes.iter().enumerate() {
            // The gradient of ln p_k by the free `a` and by the mean of `b`.
            let by_a: Vec<f64> = self.free().map(|l| f64::from(u8::from(k == l)) - p[l]).collect();
            let by_mean = self.slopes[k] - mean_slope;
            let joint: Vec<f64> = by_a.iter().zip(&mean_u).map(|(a, u)| a - by_mean * u).collect();
            let variance = quadratic(&joint) + by_mean * by_mean * own;
            shares[outcome] = Value { estimate: p[k], se: p[k] * variance.max(0.0).sqrt() };
        }
        let (fixed, separate) = (self.fixed(), self.separate());
        let free = kept.len() - 1;
        let left = (kept.len() * (outcomes.len() - 1)) - (free + outcomes.len() - 1);
        Ok(BreakFit {
            skills,
            shares,
            log_likelihood: local.log_likelihood,
            against_fixed: LikelihoodRatio::new(local.log_likelihood - fixed, free as u64)
                .ok_or(BreakError::Unfinished)?,
            against_own: LikelihoodRatio::new(separate - local.log_likelihood, left as u64),
        })
    }

    fn totals(&self) -> Vec<u64> {
        (0..self.slopes.len()).map(|k| self.rows.iter().map(|row| row[k]).sum()).collect()
    }

    /// The log-likelihood of one set of shares for all.
    fn fixed(&self) -> f64 {
        entropy(&self.totals())
    }

    /// The log-likelihood of shares of each player's own.
    fn separate(&self) -> f64 {
        self.rows.iter().map(|row| entropy(row)).sum()
    }
}

/// The log-likelihood of counts under their own shares.
#[must_use]
pub fn entropy(counts: &[u64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    let seen = counts.iter().map(|n| *n as f64).filter(|n| *n > 0.0);
    seen.map(|n| n * libm::log(n / total)).sum()
}

impl Local {
    /// The information of `a` once every `b` is at its best; none inside when `a` is all held.
    fn schur(&self) -> Option<Option<Cholesky>> {
        let m = self.gradient_a.len();
        if m == 0 {
            return Some(None);
        }
        let mut info = self.info.clone();
        for (v, d) in self.v.iter().zip(&self.d) {
            for i in 0..m {
                for j in 0..m {
                    info[i * m + j] -= v[i] * v[j] / d;
                }
            }
        }
        Cholesky::new(m, &info).map(Some)
    }

    /// Newton's step and its decrement.
    fn step(&self) -> Option<(Point, f64)> {
        let mut a = self.gradient_a.clone();
        for ((v, d), g) in self.v.iter().zip(&self.d).zip(&self.gradient_b) {
            a.iter_mut().zip(v).for_each(|(a, v)| *a -= v * g / d);
        }
        if let Some(factor) = self.schur()? {
            factor.solve(&mut a);
        }
        let b: Vec<f64> = self
            .v
            .iter()
            .zip(&self.d)
            .zip(&self.gradient_b)
            .map(|((v, d), g)| (g - v.iter().zip(&a).map(|(v, a)| v * a).sum::<f64>()) / d)
            .collect();
        let along_a: f64 = a.iter().zip(&self.gradient_a).map(|(s, g)| s * g).sum();
        let along_b: f64 = b.iter().zip(&self.gradient_b).map(|(s, g)| s * g).sum();
        Some((Point { a, b }, along_a + along_b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuebench_engine::rng::{Purpose, Rng, stream};
    use rand::RngExt as _;

    const SLOPES: [f64; 5] = [1.0, 0.0, -0.5, -0.5, 1.0];
    const SHARES: [f64; 5] = [0.55, 0.30, 0.04, 0.08, 0.03];

    /// Breaks of players with these skills, `breaks` each.
    fn drawn(skills: &[f64], breaks: usize, rng: &mut Rng) -> Vec<Vec<u64>> {
        let row = |skill: &f64| {
            let weights: Vec<f64> =
                SHARES.iter().zip(SLOPES).map(|(p, c)| p * libm::exp(c * skill)).collect();
            let mut row = vec![0; SHARES.len()];
            for _ in 0..breaks {
                let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
                let mut past = |weight: &f64| {
                    left -= weight;
                    left >= 0.0
                };
                let at = weights.iter().take_while(|w| past(w)).count();
                row[at.min(SHARES.len() - 1)] += 1;
            }
            row
        };
        skills.iter().map(row).collect()
    }

    /// With two outcomes and two players the fit is the table itself.
    #[test]
    fn two_players_and_two_outcomes_have_a_closed_form() {
        let fit = fit(&[vec![30, 10], vec![20, 20]], &[1.0, 0.0]).expect("a fit");
        let (first, second) = (libm::log(3.0), 0.0);
        let skill = fit.skills[0].expect("finite");
        assert!((skill.estimate - (first - second) / 2.0).abs() < 1e-9);
        // The variance of a logit is 1 / successes + 1 / failures.
        let variance = (1.0 / 30.0 + 1.0 / 10.0 + 1.0 / 20.0 + 1.0 / 20.0) / 4.0;
        assert!((skill.se - f64::sqrt(variance)).abs() < 1e-9, "{skill:?}");
        let share = fit.shares[0];
        let middle = 1.0 / (1.0 + libm::exp(-(first + second) / 2.0));
        assert!((share.estimate - middle).abs() < 1e-9);
        assert!((share.se - middle * (1.0 - middle) * f64::sqrt(variance)).abs() < 1e-9);
        assert_eq!(fit.against_fixed.df, 1);
        assert!(fit.against_own.is_none());
    }

    #[test]
    fn players_without_a_finite_break_skill_are_set_aside() {
        let counts = [vec![10, 5], vec![4, 8], vec![9, 0], vec![0, 7], vec![0, 0]];
        let found = fit(&counts, &[1.0, 0.0]).expect("a fit");
        assert_eq!(found.skills.iter().filter(|skill| skill.is_some()).count(), 2);
        assert_eq!(fit(&counts[1..], &[1.0, 0.0]), Err(BreakError::Players(1)));
        assert_eq!(fit(&counts, &[1.0, 1.0]), Err(BreakError::Flat));
    }

    /// Simulation of known truth: intervals cover, and the test against fixed shares is true to its
    /// level and finds differences that are there.
    #[test]
    fn intervals_cover_and_the_test_against_fixed_shares_holds_its_level() {
        let skills = [-0.6, -0.2, 0.0, 0.1, 0.7];
        let (mut covered, mut shares_covered, mut all) = (0, 0, 0);
        let (mut alarms, mut found, mut misfits, logs) = (0, 0, 0, 600);
        for index in 0..logs {
            let mut rng = stream(5, Purpose::Test, index);
            let counts = drawn(&skills, 200, &mut rng);
            let apart = fit(&counts, &SLOPES).expect("a fit");
            for (value, truth) in apart.skills.iter().zip(skills) {
                let [low, high] = value.expect("finite").interval95();
                covered += usize::from(low <= truth && truth <= high);
                all += 1;
            }
            let [low, high] = apart.shares[0].interval95();
            shares_covered += usize::from(low <= SHARES[0] && SHARES[0] <= high);
            found += usize::from(apart.against_fixed.p_value < 0.05);
            misfits += usize::from(apart.against_own.expect("a test").p_value < 0.05);
            let alike = fit(&drawn(&[0.0; 5], 200, &mut rng), &SLOPES).expect("a fit");
            alarms += usize::from(alike.against_fixed.p_value < 0.05);
        }
        let logs = logs as f64;
        let coverage = covered as f64 / f64::from(all);
        assert!((0.93..=0.97).contains(&coverage), "break skills {coverage}");
        let coverage = shares_covered as f64 / logs;
        assert!((0.92..=0.98).contains(&coverage), "shares {coverage}");
        assert!((0.02..=0.08).contains(&(alarms as f64 / logs)), "alarms {alarms}");
        assert!(misfits as f64 / logs < 0.10, "misfits {misfits}");
        assert!(found as f64 / logs > 0.95, "found {found}");
    }
}
