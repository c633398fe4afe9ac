//! A TOML file as it was read, so that everything wrong with it is reported by line and column.

use super::grid::Setting;
use cuebench_agents::spec::nearest;
use cuebench_agents::words::plain;
use serde::de::DeserializeOwned;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Larger files are refused unread, bytes.
const MAX_BYTES: u64 = 1 << 20;

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The file cannot be read, is too large or no text.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A setting of the command line.
    #[error("--set {setting}: {message}")]
    Set {
        /// The setting.
        setting: Setting,
        /// What is wrong.
        message: String,
    },
    /// Something in the text, with the remedy where there is one.
    #[error("{}:{line}:{column}: {message}", path.display())]
    At {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, characters from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
}

/// The text of a TOML file and where it came from.
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is larger than 1 MiB or not UTF-8.
    pub fn read(path: &Path) -> Result<Self, SourceError> {
        let text = read_text(path, MAX_BYTES)?;
        Ok(Self::new(path, text))
    }

    /// A text that has been read already; `path` is only named.
    #[must_use]
    pub fn new(path: &Path, text: String) -> Self {
        Self { path: path.to_owned(), text }
    }

    /// Where it came from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that the file lies in.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        }
    }

    /// A path written in the file, which is relative to the file's folder.
    #[must_use]
    pub fn beside(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    /// The text as a `T`. Declare `T` with `deny_unknown_fields`: a slip in a key is then named
    /// with the nearest key.
    ///
    /// # Errors
    /// Broken TOML, unknown, missing or doubled keys, and values of another kind.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, SourceError> {
        toml::from_str(&self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            self.error(span, with_nearest(&plain(error.message())))
        })
    }

    /// An error at `span`, the bytes of a `toml::Spanned` value.
    pub fn error(&self, span: Range<usize>, message: impl fmt::Display) -> SourceError {
        let before = self.text.get(..span.start.min(self.text.len())).unwrap_or_default();
        let last_line = before.rsplit('\n').next().unwrap_or_default();
        SourceError::At {
            path: self.path.clone(),
            line: before.matches('\n').count() + 1,
            column: last_line.chars().count() + 1,
            message: message.to_string().replace('\n', " "),
        }
    }
}

/// Reads a text file of at most `most` bytes; a larger one is refused without reading it all.
///
/// # Errors
/// When it cannot be read, is larger or not UTF-8.
pub fn read_text(path: &Path, most: u64) -> Result<String, SourceError> {
    let unreadable = |reason: String| SourceError::Unreadable { path: path.to_owned(), reason };
    let mut bytes = vec![];
    File::open(path)
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > most {
        return Err(unreadable(format!("larger than {most} bytes; is it the right file?")));
    }
    String::from_utf8(bytes).map_err(|_| unreadable("not UTF-8 text".into()))
}

/// Serde's `unknown field` and `unknown variant` messages quote the word and then what was
/// expected; this adds which of those is nearest.
fn with_nearest(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let slip = if message.starts_with("unknown ") { quoted.next() } else { None };
    let known: Vec<&str> = quoted.collect();
    let message = message.trim_end();
    match slip.and_then(|slip| nearest(slip, &known)) {
        Some(nearest) => format!("{message}; did you mean `{nearest}`?"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::Spanned;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        frames: Spanned<u64>,
        #[serde(default)]
        seed: u64,
    }

    fn refusal(text: &str) -> String {
        let source = Source::new(Path::new("dir/x.toml"), text.into());
        source.parse::<Sample>().expect_err("refused").to_string()
    }

    #[test]
    fn slips_are_named_with_place_and_nearest_key() {
        let error = refusal("frames = 1\nsede = 2\n");
        assert!(error.starts_with("dir/x.toml:2:1: unknown field `sede`"), "{error}");
        assert!(error.ends_with("did you mean `seed`?"), "{error}");
        let error = refusal("seed = 1\nfames = 2\n");
        assert!(error.contains(":2:1: ") && error.contains("did you mean `frames`?"), "{error}");
    }

    #[test]
    fn broken_doubled_and_missing_keys_are_placed() {
        assert!(refusal("frames = 1\nframes = 2\n").starts_with("dir/x.toml:2:1: duplicate key"));
        assert!(refusal("frames = = 1\n").starts_with("dir/x.toml:1:10: "));
        assert!(refusal("frames = \"many\"\n").starts_with("dir/x.toml:1:10: invalid type"));
        assert!(refusal("seed = 1\n").contains("missing field `frames`"));
    }

    #[test]
    fn a_span_becomes_line_and_column() {
        let source = Source::new(Path::new("x.toml"), "# é\nframes = 0\nseed = 3\n".into());
        let sample: Sample = source.parse().expect("well formed");
        let error = source.error(sample.frames.span(), "frames is 0");
        assert_eq!(error.to_string(), "x.toml:2:10: frames is 0");
        assert_eq!(source.beside(Path::new("a/b.yaml")), Path::new("a/b.yaml"));
        assert_eq!(sample.seed, 3);
    }

    #[test]
    fn unreadable_files_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("none.toml");
        let error = Source::read(&path).expect_err("missing").to_string();
        assert!(error.contains("none.toml: cannot be read"), "{error}");
        std::fs::write(&path, [b'a', 0xff]).expect("written");
        assert!(Source::read(&path).expect_err("no text").to_string().contains("not UTF-8"));
        std::fs::write(&path, vec![b'#'; 2 << 20]).expect("written");
        assert!(Source::read(&path).expect_err("large").to_string().contains("larger than"));
    }
}
