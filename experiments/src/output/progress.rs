//! The progress bar: on standard error, with rate and time left, and only on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal as _, stderr};
use std::time::Duration;

/// A progress bar that counts something.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar over `total` things of which `done` were there before; `things` names them.
    /// Nothing is drawn when standard error is no terminal.
    #[must_use]
    pub fn start(total: u64, done: u64, things: &'static str) -> Self {
        if !stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        // The template is constant and well formed; without it the bar would only look plainer.
        if let Ok(style) = ProgressStyle::with_template(
            "{wide_bar} {percent:>3} %  {human_pos}/{human_len} {prefix}, {per_sec}, {eta} left {msg}",
        ) {
            bar.set_style(style);
        }
        bar.set_prefix(things);
        bar.set_position(done);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Counts `more` things.
    pub fn add(&self, more: u64) {
        self.0.inc(more);
    }

    /// Shows a few words behind the bar.
    pub fn say(&self, words: impl Into<String>) {
        self.0.set_message(words.into());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
