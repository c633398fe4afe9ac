//! The one reader of CSV: lines of a file and the cells of a line. A cell never goes on over a
//! line's end, so that a stray quote costs one row and not the file.

use crate::output::rows::Row;
use anyhow::{Context as _, bail, ensure};
use cuebench_agents::lines::LineReader;
use cuebench_agents::spec::did_you_mean;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest line that is read, bytes.
pub const MAX_LINE: usize = 65_536;

/// A file that cannot be opened or read.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {source}")]
pub struct ReadError {
    /// The file as the user named it.
    file: String,
    /// What the system said.
    source: io::Error,
}

/// A line that has no cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// Longer than [`MAX_LINE`].
    #[error("the line is longer than {MAX_LINE} bytes")]
    TooLong,
    /// A quoted cell that does not end on its line, in this column, from 1.
    #[error("a quoted cell does not end on its line")]
    OpenQuote(usize),
    /// Text after a closing quote, in this column, from 1.
    #[error("text follows a closing quote")]
    AfterQuote(usize),
    /// Bytes that are not UTF-8, in this column, from 1.
    #[error("the cell is not UTF-8; save the file as UTF-8")]
    NotUtf8(usize),
}

/// The first bytes of a file that gzip made.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file that can be read more than once: what comes from a pipe is read once and kept.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    path: PathBuf,
    kept: Option<Arc<[u8]>>,
}

impl Source {
    /// The file at `path`, or standard input for `-`.
    ///
    /// # Errors
    /// When it cannot be opened, or a pipe not be read.
    pub fn new(path: &Path) -> Result<Self, ReadError> {
        let piped = path.as_os_str() == "-";
        let name = if piped { "standard input".to_owned() } else { path.display().to_string() };
        let fail = |source| ReadError { file: name.clone(), source };
        let mut kept = None;
        if piped {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map_err(fail)?;
            kept = Some(bytes.into());
        } else if !path.metadata().map_err(fail)?.is_file() {
            let mut bytes = Vec::new();
            File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(fail)?;
            kept = Some(bytes.into());
        }
        Ok(Self { name, path: path.to_owned(), kept })
    }

    /// Its lines from the first one on; those of a file that gzip made are unpacked.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn lines(&self) -> Result<Lines, ReadError> {
        let fail = |source| ReadError { file: self.name.clone(), source };
        let mut input: Box<dyn BufRead + Send> = match &self.kept {
            Some(bytes) => Box::new(io::Cursor::new(bytes.clone())),
            None => {
                let file = File::open(&self.path).map_err(fail)?;
                Box::new(BufReader::with_capacity(1 << 18, file))
            }
        };
        if input.fill_buf().map_err(fail)?.starts_with(&GZIP) {
            let unpacked = flate2::bufread::MultiGzDecoder::new(input);
            input = Box::new(BufReader::with_capacity(1 << 18, unpacked));
        }
        let input = LineReader::new(Input(input), MAX_LINE);
        Ok(Lines { input, name: self.name.clone(), number: 0, too_long: false })
    }
}

/// Any input.
struct Input(Box<dyn BufRead + Send>);

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Input")
    }
}

impl io::Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.0.consume(amount);
    }
}

/// Reads a file line by line into one buffer.
#[derive(Debug)]
pub struct Lines {
    input: LineReader<Input>,
    name: String,
    number: u64,
    too_long: bool,
}

impl Lines {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        Source { name: path.display().to_string(), path: path.to_owned(), kept: None }.lines()
    }

    /// The file as the user named it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Moves to the next line that is not empty and gives its number, from 1; none at the end.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn advance(&mut self) -> Result<Option<u64>, ReadError> {
        loop {
            let fail = |source| ReadError { file: self.name.clone(), source };
            let Some(line) = self.input.advance().map_err(fail)? else { return Ok(None) };
            (self.number, self.too_long) = (line.number, line.too_long);
            if self.too_long || !self.line().is_empty() {
                return Ok(Some(self.number));
            }
        }
    }

    /// The line that [`Self::advance`] moved to, without its end and a byte order mark.
    #[must_use]
    pub fn line(&self) -> &[u8] {
        let mut line = self.input.line();
        while let Some(shorter) = line.strip_suffix(b"\r") {
            line = shorter;
        }
        if self.number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line }
    }

    /// Splits the line into `cells`.
    ///
    /// # Errors
    /// When it is too long, not UTF-8 or wrongly quoted.
    pub fn split(&self, cells: &mut Cells) -> Result<(), BadLine> {
        if self.too_long {
            return Err(BadLine::TooLong);
        }
        cells.split(self.line())
    }
}

/// The rows of a file that this program wrote, one by one: the header is that of `R`.
///
/// # Errors
/// When the file cannot be read or has other columns; each row may fail too, with its line.
pub fn rows<R: Row>(
    path: &Path,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<R>> + use<R>> {
    let mut lines = Lines::open(path)?;
    let mut cells = Cells::exact();
    ensure!(lines.advance()?.is_some(), "{}: empty", path.display());
    let split = lines.split(&mut cells);
    let columns = R::KIND.columns.iter().map(|column| column.name);
    if split.is_err() || !cells.iter().eq(columns) {
        bail!(
            "{}: line 1 is not the header of {} rows, as this version writes them",
            path.display(),
            R::KIND.name
        );
    }
    Ok(std::iter::from_fn(move || {
        let number = match lines.advance() {
            Ok(number) => number?,
            Err(error) => return Some(Err(error.into())),
        };
        let row = lines.split(&mut cells).map_err(Into::into).and_then(|()| cells.row());
        Some(row.with_context(|| format!("{}, line {number}", lines.name())))
    }))
}

/// A small table that people may have written: columns are found by their names.
#[derive(Debug)]
pub struct Table {
    lines: Lines,
    cells: Cells,
    names: Vec<String>,
}

impl Table {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// When it cannot be read or is empty.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let mut table = Self { lines: Lines::open(path)?, cells: Cells::new(), names: vec![] };
        ensure!(table.advance_line()?.is_some(), "{}: empty", path.display());
        table.names = table.cells.iter().map(str::to_owned).collect();
        Ok(table)
    }

    /// The place of the column `name`.
    ///
    /// # Errors
    /// When there is none.
    pub fn column(&self, name: &str) -> anyhow::Result<usize> {
        self.names.iter().position(|found| found == name).with_context(|| {
            let near = did_you_mean(name, &self.names);
            let known = self.names.join(", ");
            format!("{}: no column `{name}`{near}; it has {known}", self.lines.name())
        })
    }

    /// The next row; none at the end.
    ///
    /// # Errors
    /// When it cannot be read or does not have as many cells as the header.
    pub fn advance(&mut self) -> anyhow::Result<Option<&Cells>> {
        let Some(number) = self.advance_line()? else { return Ok(None) };
        let (found, columns) = (self.cells.len(), self.names.len());
        let name = self.lines.name();
        ensure!(found == columns, "{name}, line {number}: {found} cells, not {columns}");
        Ok(Some(&self.cells))
    }

    fn advance_line(&mut self) -> anyhow::Result<Option<u64>> {
        let number = self.lines.advance()?;
        if let Some(number) = number {
            let split = self.lines.split(&mut self.cells);
            split.with_context(|| format!("{}, line {number}", self.lines.name()))?;
        }
        Ok(number)
    }
}

/// The cells of one line, in buffers that are used again.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    text: String,
    ends: Vec<usize>,
    exact: bool,
    /// What stands between cells: a comma, unless another is named.
    separator: Option<char>,
}

impl Cells {
    /// Cells as people write them: white space around unquoted cells is cut off.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cells as a program wrote them: white space belongs to them.
    #[must_use]
    pub fn exact() -> Self {
        Self { exact: true, ..Self::default() }
    }

    /// Cells as people write them with something else than commas between.
    #[must_use]
    pub fn separated(by: char) -> Self {
        Self { separator: Some(by), ..Self::default() }
    }

    /// Splits a line into cells; they may be quoted, a doubled quote stands for one.
    ///
    /// # Errors
    /// When the line is not UTF-8 or wrongly quoted.
    pub fn split(&mut self, line: &[u8]) -> Result<(), BadLine> {
        self.text.clear();
        self.ends.clear();
        let separator = self.separator();
        let Ok(text) = std::str::from_utf8(line) else { return Err(not_utf8(line, separator)) };
        if line.contains(&b'"') {
            return self.split_quoted(text);
        }
        for cell in text.split(separator) {
            self.push(cell);
        }
        Ok(())
    }

    fn separator(&self) -> char {
        self.separator.unwrap_or(',')
    }

    fn push(&mut self, cell: &str) {
        self.text.push_str(if self.exact { cell } else { cell.trim() });
        self.ends.push(self.text.len());
    }

    fn split_quoted(&mut self, text: &str) -> Result<(), BadLine> {
        let mut rest = Some(text);
        while let Some(cell) = rest {
            let begin = if self.exact { cell } else { cell.trim_start() };
            if let Some(quoted) = begin.strip_prefix('"') {
                rest = self.quoted(quoted)?;
                self.ends.push(self.text.len());
            } else {
                let (value, after) = match cell.split_once(self.separator()) {
                    Some((value, after)) => (value, Some(after)),
                    None => (cell, None),
                };
                self.push(value);
                rest = after;
            }
        }
        Ok(())
    }

    /// Takes a quoted cell after its opening quote and gives what follows its comma.
    fn quoted<'a>(&mut self, mut text: &'a str) -> Result<Option<&'a str>, BadLine> {
        let column = self.ends.len() + 1;
        loop {
            let (value, after) = text.split_once('"').ok_or(BadLine::OpenQuote(column))?;
            self.text.push_str(value);
            if let Some(more) = after.strip_prefix('"') {
                self.text.push('"');
                text = more;
                continue;
            }
            let after = if self.exact { after } else { after.trim_start() };
            return match (after.is_empty(), after.strip_prefix(self.separator())) {
                (true, _) => Ok(None),
                (false, Some(rest)) => Ok(Some(rest)),
                (false, None) => Err(BadLine::AfterQuote(column)),
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

    /// The cells as a row, in the order of its columns.
    ///
    /// # Errors
    /// When there are too many or too few, or a cell does not fit its field.
    pub fn row<R: Row>(&self) -> anyhow::Result<R> {
        let columns = R::KIND.columns.len();
        ensure!(self.len() == columns, "{} cells, not {columns}", self.len());
        let record: csv::StringRecord = self.iter().collect();
        record.deserialize(None).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Deserialize { err, .. } => {
                let column = err.field().and_then(|field| R::KIND.columns.get(field as usize));
                let name = column.map_or("?", |column| column.name);
                anyhow::anyhow!("column `{name}`: {}", err.kind())
            }
            other => anyhow::anyhow!("{other:?}"),
        })
    }
}

/// Where a line stops being UTF-8.
fn not_utf8(line: &[u8], separator: char) -> BadLine {
    let good = std::str::from_utf8(line).map_or_else(|error| error.valid_up_to(), str::len);
    BadLine::NotUtf8(1 + line[..good].iter().filter(|&&byte| char::from(byte) == separator).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::rows::row;

    row! {
        /// A row of this test.
        pub struct Sample as "sample" {
            /// A count.
            count: u64,
            /// May be missing.
            share: Option<f64>,
            /// A name.
            name: String,
        }
    }

    fn split(mut cells: Cells, line: &str) -> Result<Vec<String>, BadLine> {
        cells.split(line.as_bytes())?;
        Ok(cells.iter().map(str::to_owned).collect())
    }

    fn texts(cells: &[&str]) -> Result<Vec<String>, BadLine> {
        Ok(cells.iter().map(|&cell| cell.to_owned()).collect())
    }

    #[test]
    fn cells_split_and_unquote() {
        for (line, trimmed, exact) in [
            ("a, b ,,d", texts(&["a", "b", "", "d"]), texts(&["a", " b ", "", "d"])),
            ("a,\"b,\"\"c\"\"\" ,d", texts(&["a", "b,\"c\"", "d"]), Err(BadLine::AfterQuote(2))),
            ("a,\"b,\",\" c\"", texts(&["a", "b,", " c"]), texts(&["a", "b,", " c"])),
            ("a,\"b", Err(BadLine::OpenQuote(2)), Err(BadLine::OpenQuote(2))),
            ("\"b\"c", Err(BadLine::AfterQuote(1)), Err(BadLine::AfterQuote(1))),
        ] {
            assert_eq!(split(Cells::new(), line), trimmed, "{line}");
            assert_eq!(split(Cells::exact(), line), exact, "{line}");
        }
        assert_eq!(Cells::new().split(b"a,b\xff,c"), Err(BadLine::NotUtf8(2)));
    }

    /// Whatever the writer writes is read back, cell by cell.
    #[test]
    fn what_is_written_is_read_back() {
        for cells in [["", " x ", "a,b"], ["\"", "\"\"a", "é"], ["a\"b\"", ",", " \" "]] {
            let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(vec![]);
            writer.write_record(cells).expect("written");
            let line = writer.into_inner().expect("flushed");
            let mut read = Cells::exact();
            read.split(line.strip_suffix(b"\n").expect("a line")).expect("cells");
            assert_eq!(read.iter().collect::<Vec<_>>(), cells);
        }
    }

    #[test]
    fn cells_become_a_row_if_they_fit() {
        let mut cells = Cells::exact();
        cells.split(b"3,,x").expect("cells");
        let row: Sample = cells.row().expect("fits");
        assert_eq!(row, Sample { count: 3, share: None, name: "x".to_owned() });
        for line in ["3,", "3,,x,", "-3,,x", "3,y,x"] {
            cells.split(line.as_bytes()).expect("cells");
            assert!(cells.row::<Sample>().is_err(), "{line}");
        }
    }
}
