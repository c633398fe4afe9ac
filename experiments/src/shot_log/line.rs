//! Lines of a CSV file and the cells of a line. A cell never goes on over a line's end, so that a
//! stray quote costs one row and not the file.

use super::fault::{Fault, LogError, Reason};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

/// The longest line that is read, bytes.
const MAX_LINE: usize = 65_536;

/// Reads a file line by line into one buffer.
#[derive(Debug)]
pub struct Lines {
    input: BufReader<File>,
    name: String,
    number: u64,
    buffer: Vec<u8>,
}

impl Lines {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let name = path.display().to_string();
        let file =
            File::open(path).map_err(|source| LogError::Io { file: name.clone(), source })?;
        Ok(Self {
            input: BufReader::with_capacity(1 << 18, file),
            name,
            number: 0,
            buffer: Vec::new(),
        })
    }

    /// The file as the user named it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Moves to the next line that is not blank and gives its number, from 1; none at the end.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn advance(&mut self) -> Result<Option<u64>, LogError> {
        loop {
            self.buffer.clear();
            let fail = |source| LogError::Io { file: self.name.clone(), source };
            let limit = MAX_LINE as u64 + 2;
            let read = self.input.by_ref().take(limit).read_until(b'\n', &mut self.buffer);
            if read.map_err(fail)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.buffer.last() != Some(&b'\n') && self.buffer.len() > MAX_LINE {
                self.skip_rest()?;
            }
            while matches!(self.buffer.last(), Some(b'\n' | b'\r')) {
                self.buffer.pop();
            }
            if self.number == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
                self.buffer.drain(..3);
            }
            if !self.buffer.is_empty() {
                return Ok(Some(self.number));
            }
        }
    }

    /// Reads past the end of an overlong line without keeping it.
    fn skip_rest(&mut self) -> Result<(), LogError> {
        loop {
            let fail = |source| LogError::Io { file: self.name.clone(), source };
            let chunk = self.input.fill_buf().map_err(fail)?;
            let (taken, done) = match chunk.iter().position(|&b| b == b'\n') {
                Some(at) => (at + 1, true),
                None => (chunk.len(), chunk.is_empty()),
            };
            self.input.consume(taken);
            if done {
                return Ok(());
            }
        }
    }

    /// The line that [`Lines::advance`] moved to.
    #[must_use]
    pub fn line(&self) -> &[u8] {
        &self.buffer
    }
}

/// The cells of one line, in buffers that are used again.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    text: String,
    ends: Vec<usize>,
}

impl Cells {
    /// Splits a line at commas; cells may be quoted, a doubled quote stands for one. White space
    /// around unquoted cells is cut off.
    ///
    /// # Errors
    /// When the line is too long, not UTF-8 or wrongly quoted.
    pub fn split(&mut self, line: &[u8]) -> Result<(), Fault> {
        self.text.clear();
        self.ends.clear();
        if line.len() > MAX_LINE {
            let detail = format!("the line is longer than {MAX_LINE} bytes");
            return Err(Fault::of_line(Reason::TooLong, detail));
        }
        let Ok(text) = std::str::from_utf8(line) else { return Err(not_utf8(line)) };
        if line.contains(&b'"') {
            return self.split_quoted(text);
        }
        for cell in text.split(',') {
            self.text.push_str(cell.trim());
            self.ends.push(self.text.len());
        }
        Ok(())
    }

    fn split_quoted(&mut self, text: &str) -> Result<(), Fault> {
        let mut rest = Some(text);
        while let Some(cell) = rest {
            let begin = cell.trim_start();
            if let Some(quoted) = begin.strip_prefix('"') {
                rest = self.quoted(quoted)?;
            } else {
                let (value, after) = match cell.split_once(',') {
                    Some((value, after)) => (value, Some(after)),
                    None => (cell, None),
                };
                self.text.push_str(value.trim());
                rest = after;
            }
            self.ends.push(self.text.len());
        }
        Ok(())
    }

    /// Takes a quoted cell after its opening quote and gives what follows its comma.
    fn quoted<'a>(&mut self, mut text: &'a str) -> Result<Option<&'a str>, Fault> {
        let column = self.ends.len() + 1;
        let fault = |detail: &str| Fault {
            reason: Reason::Quote,
            column: Some((column, String::new())),
            detail: detail.to_owned(),
        };
        loop {
            let Some((value, after)) = text.split_once('"') else {
                return Err(fault("a quoted cell does not end on its line"));
            };
            self.text.push_str(value);
            if let Some(more) = after.strip_prefix('"') {
                self.text.push('"');
                text = more;
                continue;
            }
            let after = after.trim_start();
            return match (after.is_empty(), after.strip_prefix(',')) {
                (true, _) => Ok(None),
                (false, Some(rest)) => Ok(Some(rest)),
                (false, None) => Err(fault("text follows a closing quote")),
            };
        }
    }

    /// How many cells there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Cell `i`, empty past the end.
    #[must_use]
    pub fn get(&self, i: usize) -> &str {
        let begin = if i == 0 { 0 } else { self.ends.get(i - 1).copied().unwrap_or_default() };
        self.ends.get(i).map_or("", |&end| &self.text[begin..end])
    }

    /// All cells.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }
}

/// The fault of a line that is not UTF-8, with the column where it begins.
fn not_utf8(line: &[u8]) -> Fault {
    let good = std::str::from_utf8(line).map_or_else(|error| error.valid_up_to(), str::len);
    let column = 1 + line[..good].iter().filter(|&&b| b == b',').count();
    Fault {
        reason: Reason::NotUtf8,
        column: Some((column, String::new())),
        detail: "the cell is not UTF-8; save the file as UTF-8".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(line: &str) -> Result<Vec<String>, Reason> {
        let mut cells = Cells::default();
        cells.split(line.as_bytes()).map_err(|fault| fault.reason)?;
        Ok(cells.iter().map(str::to_owned).collect())
    }

    #[test]
    fn cells_split_and_unquote() {
        assert_eq!(cells("a, b ,,d"), Ok(["a", "b", "", "d"].map(str::to_owned).to_vec()));
        assert_eq!(
            cells("a,\"b,\"\"c\"\"\" ,d"),
            Ok(["a", "b,\"c\"", "d"].map(str::to_owned).to_vec())
        );
        assert_eq!(cells("a,\"b"), Err(Reason::Quote));
        assert_eq!(cells("\"b\"c"), Err(Reason::Quote));
        let mut broken = Cells::default();
        let fault = broken.split(b"a,b\xff,c").expect_err("not UTF-8");
        assert_eq!(fault.column.map(|(column, _)| column), Some(2));
    }
}
