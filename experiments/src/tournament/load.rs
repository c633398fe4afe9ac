//! How busy the machine is while an event runs.

/// The greatest load that was seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load(Option<f64>);

impl Load {
    /// Looks at the load now: the mean number of processes that want a processor, over the last
    /// minute. Systems that do not tell it in `/proc/loadavg` have none.
    pub fn look(&mut self) {
        let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let now = text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
        self.0 = now.map_or(self.0, |now| Some(self.0.map_or(now, |most| most.max(now))));
    }

    /// The greatest so far.
    #[must_use]
    pub const fn greatest(self) -> Option<f64> {
        self.0
    }
}
