//! A piece of the grid of table values.

/// Rows `row..=row + rows` and columns `column..=column + columns` of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub row: usize,
    pub column: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Cell {
    /// The four corners, then the middle, as (row, column).
    pub const fn stencil(self) -> [(usize, usize); 5] {
        let Self { row, column, rows, columns } = self;
        [
            (row, column),
            (row, column + columns),
            (row + rows, column),
            (row + rows, column + columns),
            (row + rows / 2, column + columns / 2),
        ]
    }

    /// Cut in two each way that is longer than one step.
    pub fn parts(self) -> impl Iterator<Item = Self> {
        let rows = halves(self.row, self.rows);
        rows.into_iter().flatten().flat_map(move |(row, rows)| {
            halves(self.column, self.columns)
                .into_iter()
                .flatten()
                .map(move |(column, columns)| Self { row, column, rows, columns })
        })
    }
}

/// `start..=start + length` in two parts that share their border, as (start, length).
const fn halves(start: usize, length: usize) -> [Option<(usize, usize)>; 2] {
    if length < 2 {
        return [Some((start, length)), None];
    }
    let first = length / 2;
    [Some((start, first)), Some((start + first, length - first))]
}
