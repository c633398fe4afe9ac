//! How well a fit describes its cells.

use super::design::{Cell, Point, Problem, log_likelihood, sigmoid};
use statrs::function::gamma::ln_gamma;

/// Measures over all cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Rows with a yes or a no.
    pub rows: u64,
    /// Cells.
    pub cells: usize,
    /// Log-likelihood over rows.
    pub log_likelihood: f64,
    /// `sum ln C(n, k)`: what the convention over cells adds to the log-likelihood.
    pub log_coefficients: f64,
    /// Twice the log-likelihood short of a perfect fit of every cell.
    pub deviance: f64,
    /// Pearson's chi-squared over cells.
    pub pearson: f64,
    /// Mean squared error of the probabilities over rows.
    pub brier: f64,
    /// Mean negative log-likelihood over rows, nats.
    pub log_loss: f64,
    /// Log loss of one probability for all rows.
    pub base_log_loss: f64,
}

/// One cell beside the fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// The cell.
    pub cell: Cell,
    /// The fitted probability.
    pub probability: f64,
    /// `(k - n p) / sqrt(n p (1 - p))`.
    pub z: f64,
}

/// A group of rows of similar probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Rows.
    pub rows: u64,
    /// Rows with success.
    pub successes: u64,
    /// Mean fitted probability.
    pub predicted: f64,
    /// Standard error of the share of successes if the fit holds.
    pub se: f64,
}

/// The fitted probability of a cell.
#[must_use]
pub fn probability(problem: &Problem, cell: &Cell, point: &Point) -> f64 {
    sigmoid(problem.predictor(cell, point))
}

/// Measures of `point` on the cells of `problem`.
#[must_use]
pub fn measures(problem: &Problem, point: &Point) -> Measures {
    let mut m = Measures { cells: problem.cells().len(), ..Measures::default() };
    let (mut squares, mut all) = (0.0, 0.0);
    for cell in problem.cells() {
        let (n, k) = (cell.trials as f64, cell.successes as f64);
        let x = problem.predictor(cell, point);
        let p = sigmoid(x);
        let here = log_likelihood(n, k, x);
        m.rows += cell.trials;
        all += k;
        m.log_likelihood += here;
        m.log_coefficients += ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
        m.deviance += 2.0 * (best(n, k) - here);
        m.pearson += z_of(n, k, p) * z_of(n, k, p);
        squares += k * (1.0 - p) * (1.0 - p) + (n - k) * p * p;
    }
    let rows = m.rows as f64;
    if m.rows > 0 {
        m.brier = squares / rows;
        m.log_loss = -m.log_likelihood / rows;
        m.base_log_loss = -best(rows, all) / rows;
    }
    m
}

/// The largest log-likelihood of `k` of `n` rows under one probability.
fn best(n: f64, k: f64) -> f64 {
    let term = |count: f64| if count > 0.0 { count * libm::log(count / n) } else { 0.0 };
    term(k) + term(n - k)
}

fn z_of(n: f64, k: f64, p: f64) -> f64 {
    let sd = (n * p * (1.0 - p)).sqrt();
    if sd > 0.0 { (k - n * p) / sd } else { 0.0 }
}

/// Every cell beside its fitted probability.
#[must_use]
pub fn residuals(problem: &Problem, point: &Point) -> Vec<Residual> {
    problem
        .cells()
        .iter()
        .map(|cell| {
            let p = probability(problem, cell, point);
            let z = z_of(cell.trials as f64, cell.successes as f64, p);
            Residual { cell: *cell, probability: p, z }
        })
        .collect()
}

/// Rows in `count` groups of nearly equal size, by rising fitted probability. A cell is not split.
#[must_use]
pub fn reliability(residuals: &[Residual], count: usize) -> Vec<Bin> {
    let sorted = by_probability(residuals);
    let rows: u64 = sorted.iter().map(|r| r.cell.trials).sum();
    let mut bins = Vec::with_capacity(count);
    let (mut at, mut before) = (0, 0_u64);
    for i in 1..=count as u64 {
        let until = rows.saturating_mul(i) / count as u64;
        let from = at;
        while at < sorted.len() && before + sorted[at].cell.trials / 2 < until {
            before += sorted[at].cell.trials;
            at += 1;
        }
        let end = if i == count as u64 { sorted.len() } else { at };
        bins.extend(bin(&sorted[from..end]));
    }
    bins
}

fn bin(members: &[Residual]) -> Option<Bin> {
    let rows: u64 = members.iter().map(|r| r.cell.trials).sum();
    if rows == 0 {
        return None;
    }
    let n = rows as f64;
    let mean: f64 = members.iter().map(|r| r.cell.trials as f64 * r.probability).sum::<f64>() / n;
    let variance: f64 =
        members.iter().map(|r| r.cell.trials as f64 * r.probability * (1.0 - r.probability)).sum();
    Some(Bin {
        rows,
        successes: members.iter().map(|r| r.cell.successes).sum(),
        predicted: mean,
        se: variance.sqrt() / n,
    })
}

fn by_probability(residuals: &[Residual]) -> Vec<Residual> {
    let mut sorted = residuals.to_vec();
    sorted.sort_by(|a, b| a.probability.total_cmp(&b.probability).then(a.cell.cmp(&b.cell)));
    sorted
}

/// The isotonic curve of observed shares over fitted probabilities, by pooling adjacent violators:
/// steps of (rows, mean fitted probability, share of successes).
#[must_use]
pub fn isotonic(residuals: &[Residual]) -> Vec<(u64, f64, f64)> {
    let mut steps: Vec<(u64, f64, u64)> = Vec::new();
    for r in by_probability(residuals) {
        let n = r.cell.trials;
        steps.push((n, r.probability * n as f64, r.cell.successes));
        while let [.., a, b] = steps[..]
            && u128::from(a.2) * u128::from(b.0) >= u128::from(b.2) * u128::from(a.0)
        {
            steps.truncate(steps.len() - 2);
            steps.push((a.0 + b.0, a.1 + b.1, a.2 + b.2));
        }
    }
    steps.into_iter().map(|(n, p, k)| (n, p / n as f64, k as f64 / n as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::design::Patterns;
    use super::*;

    /// One player, two cells of known probability: all sums by hand.
    #[test]
    fn measures_of_a_hand_example() {
        let mut patterns = Patterns::new();
        patterns.push(&[(0, -1.0)]);
        patterns.push(&[(1, -1.0)]);
        let cell = |pattern, trials, successes| Cell { block: 0, pattern, trials, successes };
        let problem = Problem::new(1, 2, patterns, vec![cell(0, 4, 3), cell(1, 2, 1)]);
        let point = Point { blocks: vec![0.0], shared: vec![-(3.0_f64.ln()), 0.0] };
        let m = measures(&problem, &point);
        let rows = 3.0 * 0.75_f64.ln() + 0.25_f64.ln() + 2.0 * 0.5_f64.ln();
        assert!((m.log_likelihood - rows).abs() < 1e-12);
        assert!((m.log_coefficients - 8.0_f64.ln()).abs() < 1e-12);
        assert!(m.deviance.abs() < 1e-12 && m.pearson.abs() < 1e-12);
        assert!((m.brier - (3.0 * 0.0625 + 0.5625 + 0.5) / 6.0).abs() < 1e-12);
        let bins = reliability(&residuals(&problem, &point), 10);
        assert_eq!(bins.iter().map(|b| b.rows).sum::<u64>(), 6);
        let steps = isotonic(&residuals(&problem, &point));
        assert_eq!(steps.len(), 2);
    }
}
