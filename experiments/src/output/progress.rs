//! Progress on standard error, with rate and time left: a bar on a terminal, else a line every ten
//! seconds.

use super::note;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal as _, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a line is written where there is no terminal.
const PERIOD: Duration = Duration::from_secs(10);

/// Progress that counts something.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// The thread that writes lines, which ends when the sender is dropped.
    lines: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Progress over `total` things of which `done` were there before; `things` names them.
    #[must_use]
    pub fn start(total: u64, done: u64, things: &'static str) -> Self {
        if !stderr().is_terminal() {
            return Self::lines(total, done, things, PERIOD, note);
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
        Self { bar, lines: None }
    }

    /// Progress that hands `write` a line every `period`.
    fn lines(
        total: u64,
        done: u64,
        things: &'static str,
        period: Duration,
        write: impl Fn(&str) + Send + 'static,
    ) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        bar.set_position(done);
        let (end, ended) = channel();
        let shown = bar.clone();
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(move || {
            while matches!(ended.recv_timeout(period), Err(RecvTimeoutError::Timeout)) {
                write(&words(&shown, done, things));
            }
        });
        // Without a thread the run is only silent.
        Self { bar, lines: thread.ok().map(|thread| (end, thread)) }
    }

    /// Counts `more` things.
    pub fn add(&self, more: u64) {
        self.bar.inc(more);
    }

    /// Shows a few words behind the bar, or in the next line.
    pub fn say(&self, words: impl Into<String>) {
        self.bar.set_message(words.into());
    }
}

/// `1234 of 10000 frames (12 %), 56 s, 3 minutes left`, and what was said last.
fn words(bar: &ProgressBar, before: u64, things: &str) -> String {
    let (done, total) = (bar.position(), bar.length().unwrap_or(0));
    let percent = (100 * u128::from(done)).checked_div(u128::from(total)).unwrap_or(100);
    let (spent, played) = (bar.elapsed(), done.saturating_sub(before));
    let left_s = spent.as_secs_f64() * total.saturating_sub(done) as f64 / played as f64;
    let left = match Duration::try_from_secs_f64(left_s) {
        Ok(left) => format!(", about {} left", HumanDuration(left)),
        // Nothing is done yet.
        Err(_) => String::new(),
    };
    let spent = spent.as_secs();
    let said = bar.message();
    let gap = if said.is_empty() { "" } else { "; " };
    format!("{done} of {total} {things} ({percent} %), {spent} s{left}{gap}{said}")
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        if let Some((end, thread)) = self.lines.take() {
            drop(end);
            // A writer that panicked has told why.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_at_intervals_and_tell_how_far_it_is() {
        let (sender, lines) = channel();
        let write = move |line: &str| drop(sender.send(line.to_owned()));
        let progress = Progress::lines(200, 50, "frames", Duration::from_millis(5), write);
        progress.add(50);
        progress.say("so far so good");
        let line = lines.iter().find(|line| line.ends_with("good")).expect("a line");
        assert!(line.starts_with("100 of 200 frames (50 %), 0 s, about "), "{line}");
        drop(progress);
        assert!(lines.iter().count() < 1000, "the lines end with the progress");
    }
}
