//! The manifest beside a result: what was run, with what, and how it ended.

use super::write::write_whole;
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

/// Everything needed to make a result again, and what making it took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The command as it was typed.
    pub command: Vec<String>,
    /// Everything that determines the result.
    pub experiment: Value,
    /// Digest of `experiment`.
    pub digest: String,
    /// The master seed.
    pub seed: u64,
    /// What it was run with.
    pub build: Build,
    /// Threads of the last run.
    pub threads: usize,
    /// Whether the run reached its end.
    pub complete: bool,
    /// Rows in each file; of an incomplete run, those written when it ended.
    pub rows: serde_json::Map<String, Value>,
    /// Time of the run, with what it was resumed from, seconds.
    pub wall_time_s: f64,
}

/// Versions of what was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Version of cuebench.
    pub cuebench: String,
    /// The commit it was built from, if it was built from a checkout.
    pub git_commit: Option<String>,
    /// The compiler, if it told.
    pub rustc: Option<String>,
    /// Processor family and operating system.
    pub platform: String,
    /// Whether it was built with optimisation.
    pub optimised: bool,
}

impl Build {
    /// This program.
    #[must_use]
    pub fn this() -> Self {
        Self {
            cuebench: env!("CARGO_PKG_VERSION").to_owned(),
            git_commit: option_env!("CUEBENCH_COMMIT").map(str::to_owned),
            rustc: option_env!("CUEBENCH_RUSTC").map(str::to_owned),
            platform: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
            optimised: !cfg!(debug_assertions),
        }
    }
}

/// The command line of this process, under the program's plain name.
#[must_use]
pub fn command_line() -> Vec<String> {
    let arguments = std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned());
    std::iter::once("cuebench".to_owned()).chain(arguments).collect()
}

/// A digest of bytes that two different files will not share (SHA-256, hexadecimal).
#[must_use]
pub fn digest(bytes: impl AsRef<[u8]>) -> String {
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(bytes.as_ref()) {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl Manifest {
    /// Reads a manifest; none if there is no such file.
    ///
    /// # Errors
    /// When it cannot be read or is no manifest.
    pub fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("{}: cannot be read", path.display()));
            }
        };
        serde_json::from_slice(&text)
            .map(Some)
            .with_context(|| format!("{}: is no manifest", path.display()))
    }

    /// Writes it whole.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        write_whole(path, text)
    }
}

/// The first place where two experiments differ, for the reader: `frames is 1000, was 2000`.
#[must_use]
pub fn difference(now: &Value, was: &Value) -> Option<String> {
    fn walk(at: &str, now: &Value, was: &Value) -> Option<String> {
        let Value::Object(fields) = now else {
            return (now != was).then(|| format!("`{at}` is {}, was {}", short(now), short(was)));
        };
        let names = fields.keys().chain(was.as_object().into_iter().flat_map(|was| was.keys()));
        names
            .map(|name| {
                let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                walk(&at, fields.get(name).unwrap_or(&Value::Null), &was[name])
            })
            .find_map(|difference| difference)
    }
    walk("", now, was)
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The digest of the empty text and of `abc`, from FIPS 180-4's examples.
    #[test]
    fn digests_are_sha256() {
        assert!(digest("").starts_with("sha256:e3b0c44298fc1c149afbf4c8996fb924"));
        assert!(digest("abc").starts_with("sha256:ba7816bf8f01cfea414140de5dae2223"));
    }

    #[test]
    fn the_first_difference_is_named() {
        let was = json!({"a": 1, "b": {"c": [1, 2]}});
        assert_eq!(difference(&was, &was), None);
        let now = json!({"a": 1, "b": {"c": [1, 3]}});
        assert_eq!(difference(&now, &was).as_deref(), Some("`b.c` is [1,3], was [1,2]"));
        assert_eq!(difference(&json!({"a": 1}), &was).map(|text| text.len() > 3), Some(true));
        assert_eq!(difference(&json!(2), &was).map(|text| text.contains("is 2")), Some(true));
    }
}
