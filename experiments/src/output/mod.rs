//! Everything that reaches a file or the terminal. Machine output goes to standard output or to
//! files, progress and notes to standard error.

pub mod html;
pub mod manifest;
pub mod plot;
pub mod progress;
pub mod row_file;
pub mod rows;
pub mod stream;
pub mod svg;
pub mod table;
pub mod write;

use std::io::{self, Write as _};

/// Writes one JSON value and a newline to standard output.
///
/// # Errors
/// When standard output cannot be written.
pub fn print_json(value: &impl serde::Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, value)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Writes text to standard output.
///
/// # Errors
/// When standard output cannot be written.
pub fn print_text(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a note for the reader to standard error.
pub fn note(text: &str) {
    // Standard error may be closed; notes are not needed then.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes an error as one line on standard error: the contexts from the outside in.
pub fn report_error(error: &anyhow::Error) {
    let line = format!("{error:#}").replace('\n', " ");
    // Standard error may be closed; the exit code still tells.
    let _ = writeln!(io::stderr().lock(), "cuebench: {line}");
}
