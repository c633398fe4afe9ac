//! Student's distribution: what takes the place of the normal one where a spread is estimated from
//! few seeds.

use super::elo::normal_cdf;
use super::interval::Z95;
use statrs::distribution::{ContinuousCDF as _, StudentsT};
use std::collections::HashMap;

/// Degrees of freedom above which the normal distribution is as good.
const MANY: f64 = 1e6;

/// The 97.5 % point of Student's distribution with `freedom` degrees of freedom, at least 1;
/// infinity stands for the normal distribution.
#[must_use]
pub fn t95(freedom: f64) -> f64 {
    if freedom > MANY {
        return Z95;
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |student| student.inverse_cdf(0.975))
}

/// The 97.5 % points that were asked for before: to find one takes long, and seeds mostly leave
/// the same degrees of freedom.
#[derive(Clone, Debug, Default)]
pub struct Quantiles(HashMap<u64, f64>);

impl Quantiles {
    /// As [`t95`].
    pub fn t95(&mut self, freedom: f64) -> f64 {
        *self.0.entry(freedom.to_bits()).or_insert_with(|| t95(freedom))
    }
}

/// Student's distribution function with `freedom` degrees of freedom at `t`.
#[must_use]
pub fn t_cdf(t: f64, freedom: f64) -> f64 {
    if freedom > MANY {
        return normal_cdf(t);
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(0.5, |student| student.cdf(t))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures: any table of the distribution, three decimals.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, quantile) in
            [(1.0, 12.706), (4.0, 2.776), (19.0, 2.093), (49.0, 2.010), (f64::INFINITY, 1.960)]
        {
            assert!((t95(freedom) - quantile).abs() < 6e-4, "{freedom}: {}", t95(freedom));
            assert!((t_cdf(t95(freedom), freedom) - 0.975).abs() < 1e-9);
        }
    }
}
