//! The log of breaks: frame, breaker, outcome and an optional count.

use super::cell::{at_column, count_of, filled, name_column, ragged, unknown};
use super::columns::{Header, Names};
use super::fault::{Dropped, Fault, LogError, Reason, Refusal, Refusals};
use super::keys::hash;
use super::schema::Schema;
use super::shots::named;
use crate::input::csv::Source;
use std::collections::HashSet;
use std::path::Path;

/// Breaks by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BreakCounts {
    /// One count for each outcome of the schema.
    pub counts: Vec<u64>,
    /// Rows read, good and bad.
    pub rows: u64,
    /// What `--skip-bad` dropped.
    pub dropped: Dropped,
    /// Who broke in which frame, where the logs say.
    pub breakers: std::collections::HashMap<String, String>,
    /// One count for each outcome of the schema by player, where the logs name the breaker.
    pub by_player: std::collections::BTreeMap<String, Vec<u64>>,
}

/// Reads logs of breaks. An outcome may be written as the outcome's identifier or as the key of its
/// constant. Without `skip_bad` bad rows are an error. With `separate_frames` the
/// frames of different files are different ones, those of the first file belong to the first log of
/// shots, and so on.
///
/// # Errors
/// When a file cannot be read, its header lacks a column, or rows are bad.
pub fn read(
    files: &[impl AsRef<Path>],
    schema: &Schema,
    names: &Names,
    skip_bad: bool,
    separate_frames: bool,
) -> Result<BreakCounts, LogError> {
    let mut breaks = BreakCounts { counts: vec![0; schema.breaks.len()], ..BreakCounts::default() };
    let mut seen = HashSet::new();
    let mut refusals = Refusals::default();
    for (index, file) in files.iter().enumerate() {
        let word = if separate_frames { index.to_string() } else { String::new() };
        let source = Source::new(file.as_ref())?;
        let mut lines = source.lines()?;
        let header = Header::read(&mut lines)?;
        header.ask(&["frame", "breaker", "outcome", "count"], names)?;
        let frame = header.find("frame", names)?;
        let breaker = header.find("breaker", names)?;
        let outcome = header.need("outcome", names)?;
        let count = header.find("count", names)?;
        let mut cells = header.cells();
        while let Some(line) = lines.advance()? {
            if Header::is_blank(lines.line()) {
                continue;
            }
            breaks.rows += 1;
            let row = lines.split(&mut cells).map_err(Fault::from).and_then(|()| {
                if cells.len() != header.len() {
                    return Err(ragged(&cells, &header));
                }
                let breaker = breaker.map(|at| filled(&cells, at, &header)).transpose()?;
                let key = frame.map(|frame| filled(&cells, frame, &header)).transpose()?;
                let at = outcome_of(filled(&cells, outcome, &header)?, schema)
                    .map_err(|detail| at_column(Reason::UnknownResult, &header, outcome, detail))?;
                let count = count_of(&cells, count, &header)?;
                if key.is_some_and(|key| !seen.insert(hash(&[&word, key]))) {
                    let detail = "the break of this frame stood in the logs before".to_owned();
                    return Err(at_column(
                        Reason::Duplicate,
                        &header,
                        frame.unwrap_or_default(),
                        detail,
                    ));
                }
                Ok((at, count, key.zip(breaker), breaker))
            });
            match row {
                Ok((at, count, names, breaker)) => {
                    breaks.counts[at] += count;
                    if let Some(breaker) = breaker {
                        let row = breaks.by_player.entry(breaker.to_owned());
                        row.or_insert_with(|| vec![0; schema.breaks.len()])[at] += count;
                    }
                    breaks.breakers.extend(
                        names.map(|(f, name)| (named(&word, f).into_owned(), name.to_owned())),
                    );
                }
                Err(mut fault) => {
                    name_column(&mut fault, &header);
                    let refusal = Refusal { file: lines.name().to_owned(), line, fault };
                    if skip_bad {
                        breaks.dropped.add(&refusal);
                    } else {
                        refusals.add(refusal);
                    }
                }
            }
        }
    }
    refusals.none()?;
    Ok(breaks)
}

fn outcome_of(text: &str, schema: &Schema) -> Result<usize, String> {
    let known = |(id, key): &(String, String)| id == text || key == text;
    schema.breaks.iter().position(known).ok_or_else(|| {
        let ids: Vec<&str> = schema.breaks.iter().map(|(id, _)| id.as_str()).collect();
        unknown("outcome of a break", text, &ids)
    })
}
