//! Alias tables (Walker 1977; Vose 1991, *IEEE Transactions on Software Engineering* 17,
//! 972-975): a draw from any distribution in one comparison.

/// One column: outcome `own` below `threshold` (of 1), else outcome `alias`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    pub threshold: f64,
    pub own: usize,
    pub alias: usize,
}

/// A table of `columns` columns, at least as many as there are probabilities, each as likely as
/// the others. The probabilities sum to 1 up to rounding, which the largest takes up.
pub(super) fn table(probabilities: &[f64], columns: usize) -> Vec<Column> {
    let total: f64 = probabilities.iter().sum();
    let mut left: Vec<f64> = (0..columns)
        .map(|i| probabilities.get(i).map_or(0.0, |p| p / total * columns as f64))
        .collect();
    let most = (0..columns).fold(0, |a, b| if left[b] > left[a] { b } else { a });
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..columns).rev().partition(|i| left[*i] < 1.0);
    let full = |own| Column { threshold: 1.0, own, alias: own };
    let mut table: Vec<Column> = (0..columns).map(full).collect();
    while let Some(own) = small.pop() {
        let Some(&alias) = large.last() else {
            // Only rounding leaves a column that is not full.
            let fill = if left[own] < 0.5 { most } else { own };
            table[own] = Column { threshold: left[own].min(1.0), own, alias: fill };
            continue;
        };
        table[own] = Column { threshold: left[own], own, alias };
        left[alias] -= 1.0 - left[own];
        if left[alias] < 1.0 {
            large.pop();
            small.push(alias);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_add_up_to_the_probabilities() {
        let tiny = [1.0 - 3e-12, 1e-12, 2e-12];
        for p in [&[1.0][..], &[0.5, 0.5], &[0.1, 0.2, 0.3, 0.15, 0.25], &[0.97, 0.01, 0.02], &tiny]
        {
            for columns in [8, 16] {
                let mut sums = vec![0.0; columns];
                for column in table(p, columns) {
                    sums[column.own] += column.threshold / columns as f64;
                    sums[column.alias] += (1.0 - column.threshold) / columns as f64;
                }
                for (i, sum) in sums.iter().enumerate() {
                    let wanted = p.get(i).copied().unwrap_or(0.0);
                    assert!((sum - wanted).abs() < 1e-15, "{p:?}: {i} has {sum}");
                }
            }
        }
    }
}
