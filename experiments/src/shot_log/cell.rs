//! One cell of a log: its text as what it stands for, and the fault of one that stands for nothing.

use super::columns::Header;
use super::fault::{Fault, Reason};
use crate::input::csv::Cells;
use cuebench_agents::spec::did_you_mean;

/// The largest count of a row.
const MAX_COUNT: u64 = 1_000_000_000_000;

/// The fault of a line with too many or too few cells.
pub(super) fn ragged(cells: &Cells, header: &Header) -> Fault {
    let detail = format!("{} cells, but the header has {}", cells.len(), header.len());
    let column = (cells.len().min(header.len()) + 1, String::new());
    Fault { reason: Reason::Ragged, column: Some(column), detail }
}

/// A fault of one column.
pub(super) fn at_column(reason: Reason, header: &Header, at: usize, detail: String) -> Fault {
    Fault { reason, column: Some(header.label(at)), detail }
}

/// Fills in the name of a column that is known by number only.
pub(super) fn name_column(fault: &mut Fault, header: &Header) {
    if let Some((number, name)) = &mut fault.column
        && name.is_empty()
    {
        *name = header.label(*number - 1).1;
    }
}

/// The text of a cell that must not be empty.
pub(super) fn filled<'c>(cells: &'c Cells, at: usize, header: &Header) -> Result<&'c str, Fault> {
    let text = cells.get(at);
    if text.is_empty() {
        return Err(at_column(Reason::Missing, header, at, "the cell is empty".to_owned()));
    }
    Ok(text)
}

/// The count of a row: 1 when the log has no counts.
pub(super) fn count_of(cells: &Cells, at: Option<usize>, header: &Header) -> Result<u64, Fault> {
    let Some(at) = at else { return Ok(1) };
    let text = filled(cells, at, header)?;
    text.parse().ok().filter(|&count| count <= MAX_COUNT).ok_or_else(|| {
        let detail = format!("`{text}` is no count: a whole number from 0 to {MAX_COUNT}");
        at_column(Reason::BadCount, header, at, detail)
    })
}

pub(super) fn measure(text: &str, most: f64, decimal_comma: bool) -> Result<f64, String> {
    let point = if decimal_comma { text.replace(',', ".") } else { text.to_owned() };
    point
        .parse()
        .ok()
        .filter(|value: &f64| (0.0..=most).contains(value))
        .ok_or_else(|| format!("`{text}` is no number from 0 to {most}"))
}

/// The text for a word that is not known.
pub(super) fn unknown(kind: &str, word: &str, known: &[&str]) -> String {
    let near = did_you_mean(word, known);
    format!("`{word}` is no known {kind}{near}; known: {}", known.join(", "))
}
