//! Which column of a file holds what.

use super::fault::LogError;
use super::line::{Cells, Lines};
use cuebench_agents::spec::nearest;

/// Names that a user gave to columns: ours, then the file's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(pub Vec<(String, String)>);

impl Names {
    /// What the file calls our column `name`.
    fn of<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.iter().rev().find(|(ours, _)| ours == name).map_or(name, |(_, theirs)| theirs)
    }

    fn is_mapped(&self, name: &str) -> bool {
        self.0.iter().any(|(ours, _)| ours == name)
    }
}

/// The header of a file.
#[derive(Clone, Debug)]
pub struct Header {
    file: String,
    names: Vec<String>,
}

impl Header {
    /// Reads the first line.
    ///
    /// # Errors
    /// When there is none, it does not split, or a name stands twice.
    pub fn read(lines: &mut Lines) -> Result<Self, LogError> {
        let file = lines.name().to_owned();
        let refuse = |detail: String| LogError::Header { file: file.clone(), detail };
        if lines.advance()?.is_none() {
            return Err(refuse("the file is empty; it needs a header line".to_owned()));
        }
        let mut cells = Cells::default();
        cells.split(lines.line()).map_err(|fault| refuse(fault.detail))?;
        let names: Vec<String> = cells.iter().map(str::to_owned).collect();
        if let Some(twice) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return Err(refuse(format!("the column `{}` stands twice", names[twice])));
        }
        Ok(Self { file, names })
    }

    /// How many columns there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none; a header that was read has at least one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Number (from 1) and name of column `i`.
    #[must_use]
    pub fn label(&self, i: usize) -> (usize, String) {
        (i + 1, self.names.get(i).cloned().unwrap_or_default())
    }

    /// The place of our column `name`, if the file has it.
    ///
    /// # Errors
    /// When the user mapped it to a column that the file does not have.
    pub fn find(&self, name: &str, names: &Names) -> Result<Option<usize>, LogError> {
        let theirs = names.of(name);
        let at = self.names.iter().position(|n| n == theirs);
        if at.is_none() && names.is_mapped(name) {
            return Err(self.missing(name, theirs));
        }
        Ok(at)
    }

    /// The place of our column `name`.
    ///
    /// # Errors
    /// When the file does not have it.
    pub fn need(&self, name: &str, names: &Names) -> Result<usize, LogError> {
        self.find(name, names)?.ok_or_else(|| self.missing(name, names.of(name)))
    }

    fn missing(&self, name: &str, theirs: &str) -> LogError {
        let near = nearest(theirs, &self.names)
            .map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        let detail = format!(
            "no column `{theirs}`{near}; the header has: {}; name another with --column {name}=NAME",
            self.names.join(", ")
        );
        LogError::Header { file: self.file.clone(), detail }
    }
}
