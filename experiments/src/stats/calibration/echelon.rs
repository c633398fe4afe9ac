//! Gaussian elimination of rows that arrive one by one, and the null space of what came.

/// Rows smaller than this, after elimination and beside their own size, count as dependent.
const TOLERANCE: f64 = 1e-9;

/// A reduced row echelon form that grows.
#[derive(Clone, Debug)]
pub struct Echelon {
    columns: usize,
    rows: Vec<Vec<f64>>,
    pivots: Vec<usize>,
}

impl Echelon {
    /// No rows of `columns` numbers yet.
    #[must_use]
    pub const fn new(columns: usize) -> Self {
        Self { columns, rows: Vec::new(), pivots: Vec::new() }
    }

    /// Whether the rows span everything.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.rows.len() == self.columns
    }

    /// Adds a row; true if it is independent of those before.
    pub fn insert(&mut self, mut row: Vec<f64>) -> bool {
        let size = row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for (known, &pivot) in self.rows.iter().zip(&self.pivots) {
            subtract(&mut row, known, pivot);
        }
        let Some((pivot, largest)) =
            row.iter().copied().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        else {
            return false;
        };
        if largest.abs() <= TOLERANCE * size.max(f64::MIN_POSITIVE) {
            return false;
        }
        for value in &mut row {
            *value /= largest;
        }
        for known in &mut self.rows {
            subtract(known, &row, pivot);
        }
        self.rows.push(row);
        self.pivots.push(pivot);
        true
    }

    /// A basis of the null space: one vector a column without pivot, with that column.
    #[must_use]
    pub fn null_space(&self) -> Vec<(usize, Vec<f64>)> {
        (0..self.columns)
            .filter(|column| !self.pivots.contains(column))
            .map(|column| {
                let mut vector = vec![0.0; self.columns];
                vector[column] = 1.0;
                for (row, &pivot) in self.rows.iter().zip(&self.pivots) {
                    vector[pivot] = if row[column].abs() > TOLERANCE { -row[column] } else { 0.0 };
                }
                (column, vector)
            })
            .collect()
    }
}

/// Clears column `pivot` of `row` with `known`, whose entry there is one.
fn subtract(row: &mut [f64], known: &[f64], pivot: usize) {
    let factor = row[pivot];
    if factor != 0.0 {
        for (value, k) in row.iter_mut().zip(known) {
            *value -= factor * k;
        }
        row[pivot] = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependent_rows_are_seen() {
        let mut rows = Echelon::new(3);
        assert!(rows.insert(vec![1.0, -1.0, 0.0]));
        assert!(rows.insert(vec![0.0, 1.0, -1.0]));
        assert!(!rows.insert(vec![1.0, 0.0, -1.0]));
        assert!(!rows.is_full());
        let null = rows.null_space();
        assert_eq!(null.len(), 1);
        let (_, vector) = &null[0];
        assert!(vector.iter().all(|v| (v - vector[0]).abs() < 1e-12 && v.abs() > 0.5));
    }
}
