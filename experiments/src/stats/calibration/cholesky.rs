//! Cholesky factors of small symmetric matrices.

/// A lower factor, row by row.
#[derive(Clone, Debug)]
pub struct Cholesky {
    n: usize,
    l: Vec<f64>,
}

impl Cholesky {
    /// Factors the `n` by `n` matrix in `a` (row by row, lower part read), or none when a pivot
    /// falls below 1e-13 of its diagonal element: the matrix is not safely positive definite.
    #[must_use]
    pub fn new(n: usize, a: &[f64]) -> Option<Self> {
        let mut l = a.to_vec();
        for i in 0..n {
            for j in 0..=i {
                let mut sum = l[i * n + j];
                for k in 0..j {
                    sum -= l[i * n + k] * l[j * n + k];
                }
                if i == j {
                    if sum.is_nan() || sum <= 1e-13 * a[i * n + i].abs() || sum <= 0.0 {
                        return None;
                    }
                    l[i * n + i] = sum.sqrt();
                } else {
                    l[i * n + j] = sum / l[j * n + j];
                }
            }
        }
        Some(Self { n, l })
    }

    /// Solves `A x = b` in place.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| self.l[i * n + k] * b[k]).sum();
            b[i] = (b[i] - sum) / self.l[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| self.l[k * n + i] * b[k]).sum();
            b[i] = (b[i] - sum) / self.l[i * n + i];
        }
    }

    /// `bᵀ A⁻¹ b`.
    #[must_use]
    pub fn quadratic(&self, b: &[f64]) -> f64 {
        let mut y = b.to_vec();
        let n = self.n;
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| self.l[i * n + k] * y[k]).sum();
            y[i] = (y[i] - sum) / self.l[i * n + i];
        }
        y.iter().map(|v| v * v).sum()
    }

    /// `A⁻¹`, row by row.
    #[must_use]
    pub fn inverse(&self) -> Vec<f64> {
        let n = self.n;
        let mut inverse = vec![0.0; n * n];
        for j in 0..n {
            let mut column = vec![0.0; n];
            column[j] = 1.0;
            self.solve(&mut column);
            for (i, value) in column.into_iter().enumerate() {
                inverse[i * n + j] = value;
            }
        }
        inverse
    }

    /// `ln det A`.
    #[must_use]
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.n).map(|i| libm::log(self.l[i * self.n + i])).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_solve_and_refuse() {
        let a = [4.0, 2.0, 2.0, 3.0];
        let factor = Cholesky::new(2, &a).expect("positive definite");
        let mut b = [8.0, 7.0];
        factor.solve(&mut b);
        assert!((b[0] - 1.25).abs() < 1e-15 && (b[1] - 1.5).abs() < 1e-15);
        assert!((factor.log_determinant() - 8.0_f64.ln()).abs() < 1e-15);
        assert!((factor.inverse()[0] - 0.375).abs() < 1e-15);
        assert!((factor.quadratic(&[8.0, 7.0]) - 20.5).abs() < 1e-12);
        assert!(Cholesky::new(2, &[1.0, 1.0, 1.0, 1.0]).is_none());
    }
}
