//! CSV files as tests look at them.

use cuebench_experiments::input::csv::{Cells, Lines};
use std::path::Path;

/// A CSV file: its header and its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    /// The rows, with as many cells each.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads a file.
    ///
    /// # Panics
    /// When it is no table.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let mut lines = Lines::open(path).expect("a file");
        let (mut cells, mut table) = (Cells::exact(), Self { names: vec![], rows: vec![] });
        while let Some(number) = lines.advance().expect("read") {
            lines.split(&mut cells).unwrap_or_else(|bad| panic!("{}: {bad}", path.display()));
            let row: Vec<String> = cells.iter().map(str::to_owned).collect();
            if table.names.is_empty() {
                table.names = row;
            } else {
                assert_eq!(row.len(), table.names.len(), "{}, line {number}", path.display());
                table.rows.push(row);
            }
        }
        table
    }

    /// The table without the columns whose name fits `drop`.
    #[must_use]
    pub fn without(self, drop: impl Fn(&str) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.names.len()).filter(|&i| !drop(&self.names[i])).collect();
        let pick = |row: &[String]| kept.iter().map(|&i| row[i].clone()).collect::<Vec<_>>();
        Self { names: pick(&self.names), rows: self.rows.iter().map(|row| pick(row)).collect() }
    }

    /// The place of a column.
    ///
    /// # Panics
    /// When there is none of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> usize {
        let at = self.names.iter().position(|found| found == name);
        at.unwrap_or_else(|| panic!("no column `{name}` in {:?}", self.names))
    }
}

/// Whether a column holds measured times, which differ from run to run.
#[must_use]
pub fn is_measured(name: &str) -> bool {
    name.contains("_ms") || name.ends_with("_s")
}
