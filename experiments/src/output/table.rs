//! A plain text table for the end of a run: columns as wide as needed, numbers to the right.

use std::fmt;

/// A table of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new<H: Into<String>>(heads: impl IntoIterator<Item = H>) -> Self {
        Self { heads: heads.into_iter().map(Into::into).collect(), rows: vec![] }
    }

    /// Adds a row. Missing cells at its end are blank, cells beyond the heads are not shown.
    pub fn row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let shown = |cell: C| super::shown(&cell.into());
        self.rows.push(cells.into_iter().map(shown).collect());
    }

    /// The heads, then the rows, cell by cell as they are shown.
    pub fn lines(&self) -> impl Iterator<Item = impl Iterator<Item = &str>> {
        let rows = std::iter::once(&self.heads).chain(&self.rows);
        rows.map(|row| (0..self.heads.len()).map(|column| self.cell(row, column)))
    }

    fn cell<'a>(&'a self, row: &'a [String], column: usize) -> &'a str {
        row.get(column).map_or("", String::as_str)
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| self.cell(row, column));
        cells
            .chain([self.heads[column].as_str()])
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    }

    /// Whether every cell that is not blank begins like a number.
    fn numeric(&self, column: usize) -> bool {
        self.rows.iter().map(|row| self.cell(row, column)).all(|cell| {
            cell.is_empty()
                || cell.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit())
        })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<_> = (0..self.heads.len())
            .map(|column| (self.width(column), self.numeric(column)))
            .collect();
        for row in self.lines() {
            let cells = columns.iter().zip(row).map(|(&(width, numeric), cell)| {
                if numeric { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_words_to_the_left() {
        let mut table = Table::new(["agent", "win rate", "z"]);
        table.row(["threshold", "0.4911", "-0.3"]);
        table.row(["always_attack", "0.5", ""]);
        assert_eq!(
            table.to_string(),
            "agent          win rate     z\n\
             threshold        0.4911  -0.3\n\
             always_attack       0.5\n"
        );
    }
}
