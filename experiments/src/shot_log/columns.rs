//! Which column of a file holds what.

use super::fault::LogError;
use crate::input::csv::{Cells, Lines};
use cuebench_agents::spec::did_you_mean;

/// Names that a user gave to columns, ours, then the file's; and columns that are nothing of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(pub Vec<(String, String)>, pub Vec<String>);

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
    separator: char,
}

/// What may stand between cells.
const SEPARATORS: [char; 3] = [',', ';', '\t'];
/// Names under which others write counts of rows; a weight that is no count must not be taken for
/// one, nor be left out without a word.
const COUNTS: [&str; 9] =
    ["weight", "weights", "freq", "frequency", "n", "times", "number", "reps", "counts"];

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
        let line = String::from_utf8_lossy(lines.line()).into_owned();
        let often = |separator: &char| line.matches(*separator).count();
        // The first of those that are equally often: a comma where there is none of any.
        let separator = SEPARATORS.iter().rev().max_by_key(|s| often(s)).copied().unwrap_or(',');
        let mut cells = Cells::separated(separator);
        lines.split(&mut cells).map_err(|bad| refuse(bad.to_string()))?;
        let names: Vec<String> = cells.iter().map(str::to_owned).collect();
        let twice = |i: &usize| !names[*i].is_empty() && names[..*i].contains(&names[*i]);
        if let Some(twice) = (1..names.len()).find(twice) {
            return Err(refuse(format!("the column `{}` stands twice", names[twice])));
        }
        Ok(Self { file, names, separator })
    }

    /// Buffers for the cells of the lines that follow.
    #[must_use]
    pub fn cells(&self) -> Cells {
        Cells::separated(self.separator)
    }

    /// Whether decimals may be written with a comma: where no comma stands between cells.
    #[must_use]
    pub const fn decimal_comma(&self) -> bool {
        self.separator != ','
    }

    /// Whether a line holds nothing but separators and blanks.
    #[must_use]
    pub fn is_blank(line: &[u8]) -> bool {
        line.iter().all(|byte| b" \t,;".contains(byte))
    }

    /// Asks about columns whose name is near one of `known` that the file lacks.
    ///
    /// # Errors
    /// When there is such a column and the user did not say what it is.
    pub fn ask(&self, known: &[&str], names: &Names) -> Result<(), LogError> {
        let plain = |name: &str| -> String {
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let theirs: Vec<&str> = known.iter().map(|&ours| names.of(ours)).collect();
        let missing =
            || known.iter().filter(|ours| !self.names.iter().any(|n| n == names.of(ours)));
        for name in self.names.iter().filter(|name| !theirs.contains(&name.as_str())) {
            if name.is_empty() || names.1.contains(name) {
                continue;
            }
            let word = plain(name);
            let near = |ours: &&&str| {
                cuebench_agents::spec::nearest(&word, &[plain(ours)]).is_some()
                    || (***ours == *"count" && COUNTS.contains(&word.as_str()))
            };
            if let Some(ours) = missing().find(near) {
                let detail = format!(
                    "is the column `{name}` our `{ours}`? then say --column {ours}={name}; if it is \
                     something else, say --ignore {name}"
                );
                return Err(LogError::Header { file: self.file.clone(), detail });
            }
        }
        Ok(())
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
        let near = did_you_mean(theirs, &self.names);
        let detail = format!(
            "no column `{theirs}`{near}; the header has: {}; name another with --column {name}=NAME",
            self.names.join(", ")
        );
        LogError::Header { file: self.file.clone(), detail }
    }
}
