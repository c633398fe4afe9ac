//! What the columns of the CSV files mean: one struct a kind of row, and nothing else describes
//! a column. `results/README.md` holds the dictionary that [`dictionary`] writes from the structs.
//!
//! A kind of row is declared with the macro `row!`, in a file of its own, and listed in [`KINDS`]:
//!
//! ```ignore
//! row! {
//!     /// One table of a race.
//!     pub struct TableRow as "race-table" {
//!         /// Number of the table, from 0.
//!         table: u64,
//!         /// Strokes to the clearance; empty if it was not cleared.
//!         strokes: Option<u32>,
//!     }
//! }
//! ```
//!
//! A missing value is an `Option` and stands as an empty field. Names carry units; measured times
//! end in `_ms` or `_s`, and nothing else depends on the machine. After a change,
//! `BLESS=1 cargo test -p cuebench-experiments dictionary` writes the dictionary anew.

pub mod calibration;
pub mod chess_pool;
pub mod frame;
pub mod learn;
pub mod matches;
pub mod race;
pub mod tournament;

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Write as _;

/// One column: its name in the header and what stands in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in the header.
    pub name: &'static str,
    /// Meaning, unit and range, as in the dictionary.
    pub about: &'static str,
}

/// A kind of row, as the dictionary names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The kind's name.
    pub name: &'static str,
    /// What one row is.
    pub about: &'static str,
    /// The columns in order.
    pub columns: &'static [Column],
}

impl Kind {
    /// The first line of a file of such rows, with its newline.
    #[must_use]
    pub fn header(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        names.join(",") + "\n"
    }
}

/// Usual length of a row, bytes.
const LINE: usize = 512;

/// Rows as lines of CSV, each with its newline, without a header.
///
/// # Errors
/// When a row cannot be written, which no row brings about.
pub fn lines_of<R: Row>(rows: &[R]) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .buffer_capacity(LINE)
        .from_writer(Vec::with_capacity(LINE * rows.len()));
    for row in rows {
        writer.serialize(row)?;
    }
    Ok(writer.into_inner().map_err(csv::IntoInnerError::into_error)?)
}

/// A whole CSV file of rows, its header first.
///
/// # Errors
/// As [`lines_of`].
pub fn text_of<R: Row>(rows: &[R]) -> anyhow::Result<Vec<u8>> {
    Ok([R::KIND.header().into_bytes(), lines_of(rows)?].concat())
}

/// A struct that is one row of a CSV file. Made by the macro `row!`.
pub trait Row: Serialize + DeserializeOwned {
    /// Name, meaning and columns.
    const KIND: Kind;
}

/// Declares a row: a struct whose fields are the columns and whose documentation is their
/// dictionary.
macro_rules! row {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident as $kind:literal {
            $( $(#[doc = $doc:literal])+ $field:ident: $type:ty, )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $name {
            $( $(#[doc = $doc])+ pub $field: $type, )+
        }

        impl $crate::output::rows::Row for $name {
            const KIND: $crate::output::rows::Kind = $crate::output::rows::Kind {
                name: $kind,
                about: concat!($($about),+),
                columns: &[
                    $( $crate::output::rows::Column {
                        name: stringify!($field),
                        about: concat!($($doc),+),
                    }, )+
                ],
            };
        }
    };
}
pub(crate) use row;

/// Every kind of row that the project writes, in the order of the dictionary.
pub const KINDS: &[Kind] = &[
    frame::FrameRow::KIND,
    race::RaceTableRow::KIND,
    race::RaceMatchRow::KIND,
    race::RaceAgentRow::KIND,
    race::RacePairRow::KIND,
    matches::MatchRow::KIND,
    matches::MatchSumRow::KIND,
    tournament::GameRow::KIND,
    tournament::RatingRow::KIND,
    tournament::PairRow::KIND,
    chess_pool::ChessPoolFrameRow::KIND,
    chess_pool::ChessPoolRow::KIND,
    calibration::EstimateRow::KIND,
    calibration::CellRow::KIND,
    calibration::ReliabilityRow::KIND,
    calibration::ShotRow::KIND,
    calibration::PhysicsShotRow::KIND,
    calibration::BreakRow::KIND,
    learn::CurveRow::KIND,
    learn::ReliabilityRow::KIND,
    learn::DatasetRow::KIND,
];

/// The dictionary of columns as Markdown, one section a kind.
#[must_use]
pub fn dictionary() -> String {
    let mut text = String::new();
    for kind in KINDS {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n### {}\n\n{}\n\n", kind.name, kind.about.trim());
        text.push_str("| column | meaning |\n| --- | --- |\n");
        for column in kind.columns {
            let about = column.about.trim().replace('|', "\\|");
            let _ = writeln!(text, "| `{}` | {about} |", column.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    row! {
        /// A row of this test,
        /// in two lines.
        pub struct Sample as "sample" {
            /// A count.
            count: u64,
            /// May be missing.
            share: Option<f64>,
        }
    }

    #[test]
    fn a_row_knows_its_columns_and_a_missing_value_is_empty() {
        let names: Vec<_> = Sample::KIND.columns.iter().map(|column| column.name).collect();
        assert_eq!(names, ["count", "share"]);
        assert_eq!(Sample::KIND.about, " A row of this test, in two lines.");
        let mut writer = csv::Writer::from_writer(vec![]);
        let rows = [Sample { count: 3, share: None }, Sample { count: 0, share: Some(0.25) }];
        rows.iter().for_each(|row| writer.serialize(row).expect("serialised"));
        let text = String::from_utf8(writer.into_inner().expect("flushed")).expect("text");
        assert_eq!(text, "count,share\n3,\n0,0.25\n");
        let read: Result<Vec<Sample>, _> =
            csv::Reader::from_reader(text.as_bytes()).deserialize().collect();
        assert_eq!(read.expect("read back"), rows);
    }

    /// The dictionary lies between two markers; the text around it is written by hand.
    #[test]
    fn dictionary_in_results_readme_names_every_column_and_nothing_else() {
        const BEGIN: &str = "<!-- dictionary: written by a test -->\n";
        const END: &str = "\n<!-- end of the dictionary -->\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/README.md");
        let text = std::fs::read_to_string(&path).expect("results/README.md");
        let (before, rest) = text.split_once(BEGIN).expect("the first marker");
        let (found, after) = rest.split_once(END).expect("the second marker");
        if found != dictionary() && std::env::var_os("BLESS").is_some() {
            let text = format!("{before}{BEGIN}{}{END}{after}", dictionary());
            crate::output::write::write_whole(&path, text).expect("written");
            return;
        }
        assert!(
            found == dictionary(),
            "results/README.md is stale: BLESS=1 cargo test -p cuebench-experiments dictionary"
        );
    }
}
