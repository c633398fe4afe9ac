//! What a log leaves open, as draws: skills and difficulties, shares, and who calls what.
//!
//! Everything is drawn under Jeffreys' prior, whose mode for the regression is Firth's estimate: it is
//! proper wherever rows speak of a parameter, separated or not, so that a count of 0 and a small
//! log are as uncertain as they are. A large log leaves a normal distribution, which is drawn as
//! such.

use super::caller::Shares;
use super::family::Family;
use super::model::Model;
use super::results::NamedShare;
use crate::shot_log::frames::Frames;
use crate::stats::calibration::design::{Held, Parameter, Point, Problem};
use crate::stats::calibration::firth::{self, FirthFit};
use crate::stats::calibration::newton::{self, Factor};
use cuebench_engine::rng::{Purpose, Rng, stream};
use rand::RngExt as _;
use rand_distr::{ChiSquared, Distribution as _, Gamma, StandardNormal};

/// Rows a parameter from which the posterior is drawn as a normal distribution.
const MANY: u64 = 100;
/// Most parameters of which a small log's posterior is drawn by a chain.
const CHAINED: usize = 60;
/// Steps of the chain before the first draw, and from draw to draw.
const STEPS: [u64; 2] = [200, 12];
/// Degrees of freedom of the proposals.
const HEAVY: f64 = 5.0;
/// Rows that the share of calls at a leave over all players counts for beside a player's own.
const BORROWED: f64 = 1.0;

/// One draw, or the best guess, of all that a game needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// The players' skills.
    pub skills: Vec<f64>,
    /// The definition's numbers, by name; `c` in place of `G`.
    pub numbers: Vec<(String, f64)>,
    /// The chance of a shot for each player at each leave.
    pub calls: Shares,
}

/// Shots and safeties by player and leave.
pub type CallCounts = Vec<Vec<[u64; 2]>>;

/// The posterior of a log.
#[derive(Debug)]
pub struct Posterior<'a> {
    model: &'a Model,
    held: Held,
    fit: FirthFit,
    /// The point that stands for the posterior.
    pub centre: Numbers,
    shares: &'a [NamedShare],
    calls: CallCounts,
    /// Parameters that are not held, and a factor of their covariance.
    free: Vec<Parameter>,
    factor: Vec<Vec<f64>>,
    chained: bool,
}

impl<'a> Posterior<'a> {
    /// The posterior of `model` with the shares and calls of its log. What rows do not determine
    /// stays at the number of the definition. None when the information is singular.
    #[must_use]
    pub fn new(
        model: &'a Model,
        held: &Held,
        family: &Family,
        shares: &'a [NamedShare],
        frames: &Frames,
    ) -> Option<Self> {
        let mut start = model.start.clone();
        for (j, name) in model.terms.iter().enumerate() {
            if held.shared[j] && !model.held.shared[j] {
                start.shared[j] = family.number(name);
            }
        }
        let fit = firth::fit(&model.problem, held, None, start)?;
        let free: Vec<Parameter> = model.parameters().filter(|&p| !held.get(p)).collect();
        let rows: u64 = model.problem.cells().iter().map(|cell| cell.trials).sum();
        let chained = free.len() <= CHAINED && rows < MANY * free.len() as u64;
        let covariance: Vec<Vec<f64>> = free
            .iter()
            .map(|&p| {
                let row = fit.factor.covariances(p);
                free.iter().map(|&q| row.get(q)).collect()
            })
            .collect();
        let calls = call_counts(model, family, frames);
        let centre = Numbers {
            skills: fit.point.blocks.clone(),
            numbers: named(model, &fit.point, shares.iter().filter_map(centre_of)),
            calls: shrunk(&calls, |successes, failures| successes / (successes + failures)),
        };
        let factor = factor(&covariance);
        Some(Self { model, held: held.clone(), fit, centre, shares, calls, free, factor, chained })
    }

    /// Shots and safeties by player and leave.
    #[must_use]
    pub const fn calls(&self) -> &CallCounts {
        &self.calls
    }

    /// The centre with other values of the regression.
    #[must_use]
    pub fn at(&self, point: &Point) -> Numbers {
        Numbers {
            skills: point.blocks.clone(),
            numbers: named(self.model, point, self.shares.iter().filter_map(centre_of)),
            calls: self.centre.calls.clone(),
        }
    }

    /// The first `count` draws under `seed`.
    #[must_use]
    pub fn draws(&self, count: u64, seed: u64) -> Vec<Numbers> {
        let mut rng = stream(seed, Purpose::Bootstrap, 0);
        let points =
            if self.chained { self.chain(count, &mut rng) } else { self.normal(count, &mut rng) };
        points
            .into_iter()
            .map(|point| {
                let shares = self.drawn_shares(&mut rng);
                let calls = shrunk(&self.calls, |successes, failures| {
                    let (a, b) = (gamma(successes, &mut rng), gamma(failures, &mut rng));
                    a / (a + b)
                });
                let numbers = named(self.model, &point, shares.into_iter());
                Numbers { skills: point.blocks, numbers, calls }
            })
            .collect()
    }

    fn normal(&self, count: u64, rng: &mut Rng) -> Vec<Point> {
        (0..count).map(|_| self.moved(&self.fit.point, 1.0, rng)).collect()
    }

    /// `from` and a normal step of the fit's covariance times `length`.
    fn moved(&self, from: &Point, length: f64, rng: &mut Rng) -> Point {
        let normals: Vec<f64> = self.free.iter().map(|_| StandardNormal.sample(rng)).collect();
        let mut point = from.clone();
        for (&parameter, row) in self.free.iter().zip(&self.factor) {
            let step: f64 = row.iter().zip(&normals).map(|(l, z)| l * z).sum();
            point.set(parameter, point.get(parameter) + length * step);
        }
        point
    }

    /// A Metropolis chain whose steps are proposals from the mode (multivariate t) and from where
    /// it stands (normal) in turn.
    fn chain(&self, count: u64, rng: &mut Rng) -> Vec<Point> {
        let size = self.free.len() as f64;
        let near = 2.38 / size.max(1.0).sqrt();
        let density = |point: &Point| jeffreys(&self.model.problem, &self.held, point);
        let mut at = self.fit.point.clone();
        let mut here = density(&at).unwrap_or(f64::NEG_INFINITY);
        let mut draws = Vec::with_capacity(count as usize);
        let Ok(heavy) = ChiSquared::new(HEAVY) else { return draws };
        let mut step = 0;
        while (draws.len() as u64) < count {
            let far = step % 2 == 0;
            let next = if far {
                let scale: f64 = heavy.sample(rng) / HEAVY;
                self.moved(&self.fit.point, 1.1 / scale.sqrt(), rng)
            } else {
                self.moved(&at, near, rng)
            };
            if let Some(there) = density(&next) {
                let towards = if far { self.proposal(&at) - self.proposal(&next) } else { 0.0 };
                if libm::log(rng.random::<f64>()) < there - here + towards {
                    (at, here) = (next, there);
                }
            }
            step += 1;
            if step >= STEPS[0] && (step - STEPS[0]).is_multiple_of(STEPS[1]) {
                draws.push(at.clone());
            }
        }
        draws
    }

    /// Log density of the heavy proposal at `point`, up to a constant.
    fn proposal(&self, point: &Point) -> f64 {
        let mut white: Vec<f64> = Vec::with_capacity(self.free.len());
        for (i, &parameter) in self.free.iter().enumerate() {
            let away = point.get(parameter) - self.fit.point.get(parameter);
            let row = &self.factor[i];
            let known: f64 = row.iter().zip(&white).map(|(l, z)| l * z).sum();
            white.push(if row[i] > 0.0 { (away - known) / row[i] } else { 0.0 });
        }
        let square: f64 = white.iter().map(|z| z * z).sum();
        let size = self.free.len() as f64;
        -(HEAVY + size) / 2.0 * libm::log1p(square / (1.1 * 1.1 * HEAVY))
    }

    fn drawn_shares(&self, rng: &mut Rng) -> Vec<(String, f64)> {
        let mut drawn: Vec<(String, f64)> = Vec::new();
        let mut sum = 0.0;
        for named in self.shares {
            let Some(share) = &named.share else { continue };
            let (k, n) = (share.successes as f64, share.trials as f64);
            let a = gamma(k + 0.5, rng);
            if named.outcomes > 2 {
                // A Dirichlet distribution: gammas over their sum.
                sum += a;
                drawn.push((named.name.clone(), a));
            } else {
                let b = gamma(n - k + 0.5, rng);
                drawn.push((named.name.clone(), a / (a + b)));
            }
        }
        for (name, value) in &mut drawn {
            if name.starts_with("BREAK.") {
                *value /= sum;
            }
        }
        drawn
    }
}

/// Log-likelihood and half the logarithm of the information's determinant.
fn jeffreys(problem: &Problem, held: &Held, point: &Point) -> Option<f64> {
    let d = newton::derivatives(problem, point);
    let value = d.log_likelihood + Factor::new(&d, held)?.log_determinant() / 2.0;
    value.is_finite().then_some(value)
}

fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    Gamma::new(shape.max(1e-3), 1.0).map_or(shape, |gamma| gamma.sample(rng)).max(1e-300)
}

fn centre_of(named: &NamedShare) -> Option<(String, f64)> {
    Some((named.name.clone(), named.share.as_ref()?.estimate))
}

fn named(
    model: &Model,
    point: &Point,
    shares: impl Iterator<Item = (String, f64)>,
) -> Vec<(String, f64)> {
    let terms = model.terms.iter().cloned().zip(point.shared.iter().copied());
    terms.chain(shares).collect()
}

fn call_counts(model: &Model, family: &Family, frames: &Frames) -> CallCounts {
    let leaves = 0..family.schema.leaves.len();
    let of = |player: &String| {
        let known = frames.calls.get(player);
        leaves.clone().map(|l| known.and_then(|k| k.get(&l).copied()).unwrap_or_default()).collect()
    };
    model.players.iter().map(of).collect()
}

/// The chance of a shot of every player at every leave: `of` makes it from (pseudo-)counts of
/// shots and safeties, in which the share of all players at the leave counts for a row.
fn shrunk(counts: &CallCounts, mut of: impl FnMut(f64, f64) -> f64) -> Shares {
    let leaves = counts.first().map_or(0, Vec::len);
    let common: Vec<f64> = (0..leaves)
        .map(|leave| {
            let sum = |call: usize| counts.iter().map(|player| player[leave][call]).sum::<u64>();
            (sum(0) as f64 + 0.5) / ((sum(0) + sum(1)) as f64 + 1.0)
        })
        .collect();
    let share = |(&[shots, safeties], common): (&[u64; 2], &f64)| {
        let own = [shots as f64, safeties as f64];
        of(own[0] + BORROWED * common, own[1] + BORROWED * (1.0 - common))
    };
    let mut share = share;
    counts.iter().map(|player| player.iter().zip(&common).map(&mut share).collect()).collect()
}

/// A Cholesky-like factor of a covariance that may be singular: rows without variance left get none.
fn factor(covariance: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = covariance.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let left = covariance[i][j] - sum;
            l[i][j] = if i == j {
                if left > 1e-12 * covariance[i][i] { left.sqrt() } else { 0.0 }
            } else if l[j][j] > 0.0 {
                left / l[j][j]
            } else {
                0.0
            };
        }
    }
    l
}
