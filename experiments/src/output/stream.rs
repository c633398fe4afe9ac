//! Files that are written piece by piece and still appear whole or not at all.

use super::write::make_folder_of;
use anyhow::Context as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where a stream of bytes goes: a file that appears when it is finished, or standard output.
#[derive(Debug)]
pub struct Stream {
    to: Box<dyn Sink>,
    /// The file to appear, and the one beside it that is being written.
    place: Option<(PathBuf, PathBuf)>,
}

trait Sink: Write + std::fmt::Debug {}
impl<T: Write + std::fmt::Debug> Sink for T {}

impl Stream {
    /// A stream to `path`, or to standard output without one.
    ///
    /// # Errors
    /// When the file beside `path` cannot be made.
    pub fn to(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else {
            return Ok(Self { to: Box::new(BufWriter::new(io::stdout())), place: None });
        };
        make_folder_of(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let file = File::create(&beside)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
        Ok(Self { to: Box::new(BufWriter::new(file)), place: Some((path.to_owned(), beside)) })
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.to.write_all(bytes).context("the output cannot be written")
    }

    /// Ends the stream: the file appears.
    ///
    /// # Errors
    /// When the rest cannot be written or the file not be renamed.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.to.flush().context("the output cannot be written")?;
        if let Some((path, beside)) = self.place.take() {
            std::fs::rename(&beside, &path)
                .with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        Ok(())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some((_, beside)) = &self.place {
            // Not finished: nothing is left behind.
            let _ = std::fs::remove_file(beside);
        }
    }
}
