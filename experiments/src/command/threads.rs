//! `--threads`, which every command takes that plays in parallel. Flatten [`Threads`] into its
//! arguments.

use anyhow::Context as _;
use std::num::NonZeroUsize;

/// The option `--threads`.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Threads {
    /// Threads; as many as the machine has cores unless given. Results do not depend on it.
    #[arg(long = "threads", value_name = "T", value_parser = number)]
    given: Option<NonZeroUsize>,
}

impl Threads {
    /// The number of threads to use.
    #[must_use]
    pub fn count(self) -> usize {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.given.unwrap_or_else(cores).get()
    }

    /// That many threads.
    ///
    /// # Errors
    /// When the system refuses them.
    pub fn pool(self) -> anyhow::Result<rayon::ThreadPool> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(self.count());
        threads.build().context("threads cannot be started")
    }
}

fn number(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|&threads: &NonZeroUsize| threads.get() <= 1024)
        .ok_or_else(|| "give a whole number from 1 to 1024".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_threads_is_between_1_and_1024() {
        assert_eq!(number("7").map(NonZeroUsize::get), Ok(7));
        assert!(["0", "-1", "1025", "two", "1.5", ""].iter().all(|text| number(text).is_err()));
        assert!(Threads::default().count() >= 1);
    }
}
