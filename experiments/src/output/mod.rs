//! Everything that reaches a file or the terminal. Machine output goes to standard output or to
//! files, progress and notes to standard error.

pub mod html;
pub mod lock;
pub mod manifest;
pub mod plot;
pub mod progress;
pub mod row_log;
pub mod rows;
pub mod svg;
pub mod table;
pub mod write;

use cuebench_agents::words::plain;
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
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output.
///
/// # Errors
/// When standard output cannot be written.
pub fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Text as it is shown: control codes in it never reach a terminal or a picture.
#[must_use]
pub fn shown(text: &str) -> String {
    let code = |c: char| c.is_control() && c != '\n';
    if !text.contains(code) {
        return text.to_owned();
    }
    let show = |c: char| if code(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(show).collect()
}

/// Writes a note for the reader to standard error.
pub fn note(text: &str) {
    // Standard error may be closed; notes are not needed then.
    let _ = writeln!(io::stderr().lock(), "{}", shown(text));
}

/// Whether the error is that nobody reads the output any more, as after `| head`: a reason to stop,
/// not a failure.
#[must_use]
pub fn is_reader_gone(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Writes an error as one line on standard error: the contexts from the outside in.
pub fn report_error(error: &anyhow::Error) {
    let line = plain(&format!("{error:#}")).replace('\n', " ");
    // Standard error may be closed; the exit code still tells.
    let _ = writeln!(io::stderr().lock(), "cuebench: {line}");
}
