//! A CSV file that grows by whole rows, so that an interrupted run can be taken up again. A row is
//! a line: no field may hold a line break.

use super::rows::Column;
use super::write::make_folder_of;
use anyhow::{Context as _, ensure};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// A CSV file open for more rows.
#[derive(Debug)]
pub struct RowFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl RowFile {
    /// Begins the file with its header; what was there is gone.
    ///
    /// # Errors
    /// When the file or its folder cannot be written.
    pub fn create(path: &Path, columns: &[Column]) -> anyhow::Result<Self> {
        make_folder_of(path)?;
        let file = File::create(path).with_context(|| unwritable(path))?;
        let mut rows = Self { path: path.to_owned(), file: BufWriter::new(file) };
        rows.append(header(columns).as_bytes())?;
        rows.flush()?;
        Ok(rows)
    }

    /// Opens the file after its first `rows` complete rows and cuts off whatever follows, such as
    /// a torn last line.
    ///
    /// # Errors
    /// When it has fewer complete rows, other columns, or cannot be read or written.
    pub fn resume(path: &Path, columns: &[Column], rows: u64) -> anyhow::Result<Self> {
        if rows == 0 {
            return Self::create(path, columns);
        }
        let (found, end) = scan(path, columns, rows)?;
        ensure!(found == rows, "{}: {found} complete rows, not {rows}", path.display());
        let mut file =
            OpenOptions::new().write(true).open(path).with_context(|| unwritable(path))?;
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .with_context(|| unwritable(path))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    /// How many complete rows the file has; 0 when there is no such file.
    ///
    /// # Errors
    /// When it has other columns or cannot be read.
    pub fn complete_rows(path: &Path, columns: &[Column]) -> anyhow::Result<u64> {
        Ok(scan(path, columns, u64::MAX)?.0)
    }

    /// Appends rows that end in a newline.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&mut self, rows: &[u8]) -> anyhow::Result<()> {
        self.file.write_all(rows).with_context(|| unwritable(&self.path))
    }

    /// Hands everything appended so far to the system.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        self.file.flush().with_context(|| unwritable(&self.path))
    }
}

fn header(columns: &[Column]) -> String {
    let names: Vec<_> = columns.iter().map(|column| column.name).collect();
    names.join(",") + "\n"
}

fn unwritable(path: &Path) -> String {
    format!("{}: cannot be written", path.display())
}

/// The number of complete rows, at most `most`, and the byte after the last of them.
fn scan(path: &Path, columns: &[Column], most: u64) -> anyhow::Result<(u64, u64)> {
    let unreadable = || format!("{}: cannot be read", path.display());
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((0, 0)),
        Err(error) => return Err(error).with_context(unreadable),
    };
    let complete = bytes_of_whole_lines(&file).with_context(unreadable)?;
    (&file).seek(SeekFrom::Start(0)).with_context(unreadable)?;
    if complete == 0 {
        return Ok((0, 0));
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(file.take(complete));
    let found = reader.byte_headers().with_context(unreadable)?;
    ensure!(
        found.iter().eq(columns.iter().map(|column| column.name.as_bytes())),
        "{}: its columns are not those of this version; run without --resume to write it anew",
        path.display()
    );
    let (mut rows, mut end) = (0, reader.position().byte());
    let mut record = csv::ByteRecord::new();
    while rows < most && reader.read_byte_record(&mut record).with_context(unreadable)? {
        if record.len() != columns.len() {
            break;
        }
        rows += 1;
        end = reader.position().byte();
    }
    Ok((rows, end))
}

/// Bytes up to and with the last newline.
fn bytes_of_whole_lines(mut file: &File) -> std::io::Result<u64> {
    let (mut seen, mut end, mut buffer) = (0_u64, 0, vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(end);
        }
        if let Some(last) = buffer[..read].iter().rposition(|&byte| byte == b'\n') {
            end = seen + last as u64 + 1;
        }
        seen += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const COLUMNS: &[Column] = &[Column { name: "a", about: "" }, Column { name: "b", about: "" }];

    #[test]
    fn a_torn_last_line_is_cut_and_rows_go_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        let whole = "a,b\n1,2\n3,\"x,y\"\n5,6\n7,8\n";
        for torn in 0..whole.len() {
            fs::write(&path, &whole[..torn]).expect("written");
            let rows = RowFile::complete_rows(&path, COLUMNS).expect("counted");
            let mut file = RowFile::resume(&path, COLUMNS, rows).expect("resumed");
            let rest = ["1,2\n", "3,\"x,y\"\n", "5,6\n", "7,8\n"];
            rest[rows as usize..].iter().for_each(|row| file.append(row.as_bytes()).expect("row"));
            drop(file);
            assert_eq!(fs::read_to_string(&path).expect("read"), whole, "torn at {torn}");
        }
    }

    #[test]
    fn rows_beyond_those_asked_for_are_cut() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        fs::write(&path, "a,b\n1,2\n3,4\n5,6\n").expect("written");
        RowFile::resume(&path, COLUMNS, 1).expect("resumed");
        assert_eq!(fs::read_to_string(&path).expect("read"), "a,b\n1,2\n");
        assert!(RowFile::resume(&path, COLUMNS, 2).is_err());
    }

    #[test]
    fn other_columns_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        fs::write(&path, "a,c\n1,2\n").expect("written");
        let error = RowFile::complete_rows(&path, COLUMNS).expect_err("refused");
        assert!(error.to_string().contains("--resume"), "{error}");
    }
}
