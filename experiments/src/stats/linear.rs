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

/// Solves a symmetric positive definite `n` by `n` system by Cholesky's factorisation.
///
/// # Errors
/// [`Singular`] when a pivot vanishes against the largest entry.
pub fn solve_definite(
    mut matrix: Vec<f64>,
    mut right: Vec<f64>,
    n: usize,
) -> Result<Vec<f64>, Singular> {
    let scale = (0..n).map(|i| matrix[i * n + i]).fold(0.0_f64, f64::max);
    for i in 0..n {
        for j in 0..=i {
            let (before, row) = matrix.split_at(i * n);
            // Row j lies before row i unless they are the same.
            let other = if j < i { &before[j * n..j * n + j] } else { &row[..j] };
            let sum: f64 = other.iter().zip(row).map(|(a, b)| a * b).sum();
            let rest = matrix[i * n + j] - sum;
            if i > j {
                matrix[i * n + j] = rest / matrix[j * n + j];
            } else if rest > scale * 1e-14 {
                matrix[i * n + i] = rest.sqrt();
            } else {
                return Err(Singular);
            }
        }
    }
    for i in 0..n {
        let sum: f64 = matrix[i * n..i * n + i].iter().zip(&right).map(|(a, b)| a * b).sum();
        right[i] = (right[i] - sum) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| matrix[k * n + i] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i * n + i];
    }
    Ok(right)
}

/// Product of two `n` by `n` matrices, row after row.
#[must_use]
pub fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut result = vec![0.0; n * n];
    for i in 0..n {
        let out = &mut result[i * n..][..n];
        for k in 0..n {
            let factor = a[i * n + k];
            if factor != 0.0 {
                for (sum, value) in out.iter_mut().zip(&b[k * n..][..n]) {
                    *sum += factor * value;
                }
            }
        }
    }
    result
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
    fn a_definite_system_is_solved() {
        let matrix = vec![4.0, 2.0, 0.5, 2.0, 5.0, 1.0, 0.5, 1.0, 3.0];
        let solved = solve_definite(matrix.clone(), vec![1.0, -2.0, 7.0], 3).expect("definite");
        for (row, right) in matrix.chunks_exact(3).zip([1.0, -2.0, 7.0]) {
            let sum: f64 = row.iter().zip(&solved).map(|(a, b)| a * b).sum();
            assert!((sum - right).abs() < 1e-12);
        }
        assert_eq!(solve_definite(vec![1.0, 2.0, 2.0, 1.0], vec![1.0, 1.0], 2), Err(Singular));
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        assert_eq!(inverse(vec![1.0, 2.0, 2.0, 4.0], 2), Err(Singular));
        assert_eq!(inverse(vec![0.0; 4], 2), Err(Singular));
    }
}
