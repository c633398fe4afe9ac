//! Files that grow by whole lines, so that a run can be gone on with whatever ended it: CSV files
//! with their header, and files of JSON lines. `run` and `tournament` keep their rows in it.
//!
//! What was interrupted is first read with [`read`], which tells how much of a file is whole; then
//! [`RowLog::open`] cuts off the rest and appends. Only who holds the [`FolderLock`] may do that.

use super::lock::FolderLock;
use anyhow::{Context as _, bail, ensure};
use cuebench_agents::lines::{Line, LineReader};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The longest line that is believed to be one of ours, bytes.
const MAX_LINE: usize = 1 << 20;
/// How often what was written is forced onto the disk.
const SYNC: Duration = Duration::from_secs(2);

/// One file of a log, as it is opened.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Its name in the folder.
    pub name: String,
    /// Its first line with its newline; empty if it has none.
    pub header: String,
    /// Its first bytes that stay, from [`read`]; 0 to begin anew.
    pub whole: u64,
}

/// Files of one folder, open for appending.
#[derive(Debug)]
pub struct RowLog {
    files: Vec<(PathBuf, File)>,
    synced: Instant,
}

impl RowLog {
    /// Opens the files in the locked folder: what follows the whole bytes is cut off, and a file
    /// of which nothing stays gets its header.
    ///
    /// # Errors
    /// When a file is no plain file or cannot be written.
    pub fn open(lock: &FolderLock, sheets: &[Sheet]) -> anyhow::Result<Self> {
        let open = |sheet: &Sheet| {
            let path = lock.folder().join(&sheet.name);
            let place = || unwritable(&path);
            if let Ok(there) = std::fs::metadata(&path) {
                ensure!(there.is_file(), "{}: no plain file; remove it", path.display());
            }
            let file = OpenOptions::new().create(true).append(true).open(&path);
            let mut file = file.with_context(place)?;
            if file.metadata().with_context(place)?.len() != sheet.whole {
                file.set_len(sheet.whole).and_then(|()| file.sync_all()).with_context(place)?;
            }
            if sheet.whole == 0 {
                file.write_all(sheet.header.as_bytes()).with_context(place)?;
            }
            Ok((path, file))
        };
        let files = sheets.iter().map(open).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Self { files, synced: Instant::now() })
    }

    /// Appends to each file, in order, its lines: whole ones, each with its newline, or none. Every
    /// two seconds everything is forced onto the disk.
    ///
    /// # Errors
    /// When a file cannot be written; the line may be torn then, and no more may be appended.
    pub fn append<'l>(&mut self, lines: impl IntoIterator<Item = &'l [u8]>) -> anyhow::Result<()> {
        for ((path, file), lines) in self.files.iter_mut().zip(lines) {
            if !lines.is_empty() {
                file.write_all(lines).with_context(|| unwritable(path))?;
            }
        }
        if self.synced.elapsed() >= SYNC {
            self.sync()?;
        }
        Ok(())
    }

    /// Forces everything onto the disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn sync(&mut self) -> anyhow::Result<()> {
        for (path, file) in &self.files {
            file.sync_data().with_context(|| unwritable(path))?;
        }
        self.synced = Instant::now();
        Ok(())
    }
}

fn unwritable(path: &Path) -> String {
    format!("{}: cannot be written", path.display())
}

/// What a file of a log amounts to beside its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Length of what is whole, bytes: everything but a torn last line.
    pub whole: u64,
    /// Number of the last line, if it is torn: it has no end and counts as never written.
    pub torn: Option<u64>,
}

/// A line of a log, without its end.
#[derive(Clone, Copy, Debug)]
pub struct LogLine<'a> {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its text.
    pub text: &'a [u8],
    /// The byte of the file after its end.
    pub end: u64,
}

/// Reads a file of a log from its beginning. `row` gets each whole line after the header and says
/// why it is no row, if it is none. Only one torn last line is left out. Line ends may be those of
/// Windows, and a byte order mark may come first, as spreadsheets write them. No file is an empty
/// one.
///
/// # Errors
/// When the file cannot be read, has another header or lines that are no rows (the first is named
/// with its reason), or `row` fails.
pub fn read(
    path: &Path,
    header: &str,
    mut row: impl FnMut(LogLine<'_>) -> anyhow::Result<Result<(), String>>,
) -> anyhow::Result<Scanned> {
    let unreadable = || format!("{}: cannot be read", path.display());
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Scanned::default()),
        Err(error) => return Err(error).with_context(unreadable),
    };
    let mut lines = LineReader::new(BufReader::with_capacity(1 << 16, file), MAX_LINE);
    let (mut whole, mut long, mut broken) = (0, None, Broken::default());
    let mut torn = None;
    while let Some(line) = lines.advance().with_context(unreadable)? {
        if let Some(number) = long.take() {
            broken.add(number, format!("longer than {MAX_LINE} bytes"));
        }
        if line.number == 1 && !header.is_empty() {
            check_header(line, header).with_context(|| path.display().to_string())?;
        }
        if line.too_long {
            long = Some(line.number);
        } else if !line.ended {
            torn = Some(line.number);
        } else {
            let end = whole + line.text.len() as u64 + 1;
            let text = line.text.strip_suffix(b"\r").unwrap_or(line.text);
            if line.number > 1 || header.is_empty() {
                let number = line.number;
                row(LogLine { number, text, end })?
                    .unwrap_or_else(|reason| broken.add(number, reason));
            }
            whole = end;
        }
    }
    broken.check(path)?;
    Ok(Scanned { whole, torn: torn.or(long) })
}

fn check_header(line: Line<'_>, header: &str) -> anyhow::Result<()> {
    let found = line.text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line.text);
    let ours = header.trim_end().as_bytes();
    let fits = if line.ended { found.trim_ascii_end() == ours } else { ours.starts_with(found) };
    ensure!(
        fits && !line.too_long,
        "line 1 is not the header that this version writes; is it the right file?"
    );
    Ok(())
}

/// Lines that are no rows.
#[derive(Default)]
struct Broken {
    first: Option<(u64, String)>,
    more: u64,
}

impl Broken {
    fn add(&mut self, line: u64, reason: String) {
        match self.first {
            None => self.first = Some((line, reason)),
            Some(_) => self.more += 1,
        }
    }

    fn check(&self, path: &Path) -> anyhow::Result<()> {
        let Some((line, reason)) = &self.first else { return Ok(()) };
        let more = match self.more {
            0 => String::new(),
            more => format!("; {more} more lines are no rows either"),
        };
        bail!(
            "{}: line {line} is no row ({reason}){more}; mend or remove them, nothing was changed",
            path.display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const HEADER: &str = "a,b\n";

    fn lock() -> (tempfile::TempDir, FolderLock) {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = FolderLock::take(folder.path(), "test").expect("free");
        (folder, lock)
    }

    fn sheet(whole: u64) -> Sheet {
        Sheet { name: "rows.csv".to_owned(), header: HEADER.to_owned(), whole }
    }

    /// Rows have two cells; the numbers of their lines, and what is whole.
    fn rows(path: &Path) -> anyhow::Result<(Vec<u64>, u64)> {
        let mut numbers = vec![];
        let scanned = read(path, HEADER, |line| {
            if line.text.iter().filter(|&&byte| byte == b',').count() != 1 {
                return Ok(Err("not two cells".to_owned()));
            }
            numbers.push(line.number);
            Ok(Ok(()))
        })?;
        Ok((numbers, scanned.whole))
    }

    #[test]
    fn a_file_torn_anywhere_is_cut_and_rows_go_on() {
        let (folder, lock) = lock();
        let path = folder.path().join("rows.csv");
        let all = "a,b\n1,2\n5,6\n7,8\n";
        for torn in 0..=all.len() {
            fs::write(&path, &all[..torn]).expect("written");
            let (found, whole) = rows(&path).expect("read");
            let newlines = all[..torn].matches('\n').count();
            assert_eq!(found.len(), newlines.saturating_sub(1), "torn at {torn}");
            let mut log = RowLog::open(&lock, &[sheet(whole)]).expect("opened");
            for row in &["1,2\n", "5,6\n", "7,8\n"][found.len()..] {
                log.append([row.as_bytes()]).expect("appended");
            }
            log.sync().expect("forced");
            assert_eq!(fs::read_to_string(&path).expect("read"), all, "torn at {torn}");
        }
    }

    /// After a power loss a file may end in zeros.
    #[test]
    fn an_end_of_zeros_is_one_torn_line_and_a_hole_is_not_papered_over() {
        let (folder, lock) = lock();
        let path = folder.path().join("rows.csv");
        let zeros = [&b"a,b\n1,2\n"[..], &[0; 5000]].concat();
        fs::write(&path, zeros).expect("written");
        let (found, whole) = rows(&path).expect("read");
        assert_eq!(found, [2]);
        RowLog::open(&lock, &[sheet(whole)]).expect("opened");
        assert_eq!(fs::read_to_string(&path).expect("read"), "a,b\n1,2\n");
        for (bad, more) in [("half a row\n3,4\n", ""), ("x\ny\n", "; 1 more")] {
            let text = format!("a,b\n1,2\n{bad}");
            fs::write(&path, &text).expect("written");
            let error = rows(&path).expect_err("a hole").to_string();
            assert!(error.contains("rows.csv: line 3 is no row (not two cells)"), "{error}");
            assert!(error.contains(more), "{error}");
            assert_eq!(fs::read_to_string(&path).expect("read"), text);
        }
    }

    #[test]
    fn another_header_is_refused_and_the_file_stays() {
        let (folder, _lock) = lock();
        let path = folder.path().join("rows.csv");
        for text in ["a,c\n1,2\n", "some text"] {
            fs::write(&path, text).expect("written");
            let error = format!("{:#}", rows(&path).expect_err("refused"));
            assert!(error.contains("rows.csv: line 1 is not the header"), "{error}");
        }
        assert_eq!(rows(&folder.path().join("none.csv")).expect("nothing"), (vec![], 0));
    }

    #[test]
    fn files_of_a_log_grow_together_and_one_may_get_nothing() {
        let (folder, lock) = lock();
        let lines = Sheet { name: "lines.jsonl".to_owned(), header: String::new(), whole: 0 };
        let mut log = RowLog::open(&lock, &[lines, sheet(0)]).expect("opened");
        log.append([&b"{}\n"[..], b"1,2\n"]).expect("appended");
        log.append([&b""[..], b"3,4\n"]).expect("appended");
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).expect("read");
        assert_eq!(
            (text("lines.jsonl"), text("rows.csv")),
            ("{}\n".into(), "a,b\n1,2\n3,4\n".into())
        );
    }
}
