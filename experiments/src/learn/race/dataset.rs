//! Positions, candidates and labels as columns, for those who train elsewhere.

use super::episode::Sample;
use crate::output::rows::Row as _;
use crate::output::rows::learn::DatasetRow;
use crate::output::write::Stream;
use cuebench_agents::race::learned::{POLICY_NAMES, VALUE_NAMES};
use std::path::Path;

/// A data set that grows by whole rounds; it appears under its name when it is finished.
pub struct Dataset {
    writer: csv::Writer<Stream>,
}

impl Dataset {
    /// Begins a file beside `path`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let stream = Stream::to(Some(path))?;
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(stream);
        let own = DatasetRow::KIND.columns.iter().map(|column| column.name.to_owned());
        let value = VALUE_NAMES.iter().map(|name| format!("value:{name}"));
        let policy = POLICY_NAMES.iter().map(|name| format!("policy:{name}"));
        writer.write_record(own.chain(value).chain(policy))?;
        Ok(Self { writer })
    }

    /// Adds samples.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add(&mut self, samples: &[Sample]) -> anyhow::Result<()> {
        for sample in samples {
            for index in 0..sample.tried.len().max(1) {
                self.writer.serialize(row(sample, index))?;
            }
        }
        Ok(())
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When it cannot be written or renamed.
    pub fn finish(self) -> anyhow::Result<()> {
        self.writer.into_inner().map_err(csv::IntoInnerError::into_error)?.finish()
    }
}

type Wide<'s> = (DatasetRow, &'s [f32], Vec<Option<f32>>);

fn row(sample: &Sample, index: usize) -> Wide<'_> {
    let tried = sample.tried.get(index);
    let own = DatasetRow {
        table: sample.table,
        stroke: sample.stroke,
        left: sample.left,
        strokes_to_clear: sample.strokes_to_clear,
        candidate: tried.map(|_| index as u64),
        thin: tried.map(|tried| tried.residual[0]),
        log_speed: tried.map(|tried| tried.residual[1]),
        potted: tried.map(|tried| u8::from(tried.potted)),
        chosen: tried.map(|_| u8::from(sample.chosen == Some(index))),
    };
    let policy = (0..POLICY_NAMES.len()).map(|input| tried.map(|tried| tried.inputs[input]));
    (own, &sample.inputs, policy.collect())
}
