//! Small dense linear algebra.

/// A matrix has no inverse, or none that floats can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular;

/// Inverse of an `n` by `n` matrix, row after row, by Gauss-Jordan elimination with row pivots.
///
/// # Errors
/// [`Singular`] when a pivot vanishes against the largest entry.
pub fn inverse(mut matrix: Vec<f64>, n: usize) -> Result<Vec<f64>, Singular> {
    let scale = matrix.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
    let mut result = vec![0.0; n * n];
    for i in 0..n {
        result[i * n + i] = 1.0;
    }
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&a, &b| matrix[a * n + column].abs().total_cmp(&matrix[b * n + column].abs()))
            .ok_or(Singular)?;
        let value = matrix[pivot * n + column];
        if value.abs() <= scale * 1e-13 || value.is_nan() {
            return Err(Singular);
        }
        for j in 0..n {
            matrix.swap(column * n + j, pivot * n + j);
            result.swap(column * n + j, pivot * n + j);
        }
        for j in 0..n {
            matrix[column * n + j] /= value;
            result[column * n + j] /= value;
        }
        for row in (0..n).filter(|&row| row != column) {
            let factor = matrix[row * n + column];
            if factor != 0.0 {
                for j in 0..n {
                    matrix[row * n + j] -= factor * matrix[column * n + j];
                    result[row * n + j] -= factor * result[column * n + j];
                }
            }
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_undoes_its_matrix() {
        let matrix = vec![0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 4.0, 1.0, 0.5];
        let inverse = inverse(matrix.clone(), 3).expect("regular");
        for i in 0..3 {
            for j in 0..3 {
                let sum: f64 = (0..3).map(|k| matrix[i * 3 + k] * inverse[k * 3 + j]).sum();
                assert!((sum - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        assert_eq!(inverse(vec![1.0, 2.0, 2.0, 4.0], 2), Err(Singular));
        assert_eq!(inverse(vec![0.0; 4], 2), Err(Singular));
    }
}
