//! Linear programmes over the cone of directions that no row speaks against.

use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

/// Values of a programme above this are strictly positive: variables are boxed to -1..=1 and
/// columns scaled to 1.
pub const POSITIVE: f64 = 1e-7;

/// A sparse row.
pub type Row = Vec<(usize, f64)>;

/// The programme could not be decided in floating point.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the linear programme that looks for separation could not be decided: {0}")]
pub struct Undecided(String);

/// Rows that must be `>= 0` and rows that must be `= 0`, over variables in -1..=1.
#[derive(Clone, Debug, Default)]
pub struct Cone {
    /// How many variables.
    pub variables: usize,
    /// Rows that a direction may only gain on.
    pub gains: Vec<Row>,
    /// Rows that a direction must leave alone.
    pub zeros: Vec<Row>,
}

impl Cone {
    /// A direction with a positive sum over all gains, or none if every direction leaves every
    /// row alone. Source: Konis (2007), *Linear programming algorithms for detecting separated
    /// data*, primal form.
    ///
    /// # Errors
    /// When the solver gives up.
    pub fn separating(&self) -> Result<Option<Vec<f64>>, Undecided> {
        let mut objective = vec![0.0; self.variables];
        for &(j, x) in self.gains.iter().flatten() {
            objective[j] += x;
        }
        let largest = objective.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        let scaled: Vec<f64> = objective.iter().map(|v| v / largest).collect();
        let direction = self.best(&scaled)?;
        let value = |row: &Row| row.iter().map(|&(j, x)| x * direction[j]).sum::<f64>();
        let strict = self.gains.iter().any(|row| value(row) > POSITIVE);
        Ok(strict.then_some(direction))
    }

    /// Whether some direction moves variable `j` upward (or downward).
    ///
    /// # Errors
    /// When the solver gives up.
    pub fn can_move(&self, j: usize, upward: bool) -> Result<bool, Undecided> {
        let mut objective = vec![0.0; self.variables];
        objective[j] = if upward { 1.0 } else { -1.0 };
        Ok(self.best(&objective)?[j].abs() > POSITIVE)
    }

    fn best(&self, objective: &[f64]) -> Result<Vec<f64>, Undecided> {
        let mut programme = Problem::new(OptimizationDirection::Maximize);
        let variables: Vec<Variable> =
            objective.iter().map(|&gain| programme.add_var(gain, (-1.0, 1.0))).collect();
        for (rows, operator) in [(&self.gains, ComparisonOp::Ge), (&self.zeros, ComparisonOp::Eq)] {
            for row in rows.iter().filter(|row| !row.is_empty()) {
                let terms: Vec<(Variable, f64)> =
                    row.iter().map(|&(j, x)| (variables[j], x)).collect();
                programme.add_constraint(&terms, operator, 0.0);
            }
        }
        let outcome = programme.solve().map_err(|error| Undecided(error.to_string()))?;
        let solution = outcome
            .into_solution()
            .map_err(|_| Undecided("the solver stopped early".to_owned()))?;
        Ok(variables.iter().map(|&variable| solution.var_value(variable)).collect())
    }
}
