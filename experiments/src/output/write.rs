//! Files that appear whole or not at all: written beside their place, then renamed over it.

use anyhow::Context as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Writes `bytes` to `path` at once: whoever looks sees the old file or the whole new one. Missing
/// folders are made.
///
/// # Errors
/// When the folder cannot be made, or the file not be written; nothing is left behind then.
pub fn write_whole(path: &Path, bytes: impl AsRef<[u8]>) -> anyhow::Result<()> {
    make_folder_of(path)?;
    let beside = beside(path);
    let written = File::create(&beside)
        .and_then(|mut file| file.write_all(bytes.as_ref()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    written.with_context(|| format!("{}: cannot be written", path.display()))
}

/// Makes the folder that `path` lies in.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder_of(path: &Path) -> anyhow::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => fs::create_dir_all(folder)
            .with_context(|| format!("{}: the folder cannot be made", folder.display())),
        _ => Ok(()),
    }
}

/// A name in the same folder that belongs to this process alone.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/er/file.txt");
        write_whole(&path, "one").expect("written");
        write_whole(&path, "two").expect("written again");
        assert_eq!(fs::read_to_string(&path).expect("read"), "two");
        assert_eq!(fs::read_dir(path.parent().expect("folder")).expect("listed").count(), 1);
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("taken");
        fs::create_dir_all(path.join("inside")).expect("a folder in the way");
        let error = write_whole(&path, "one").expect_err("a folder cannot be replaced");
        assert!(format!("{error:#}").contains("taken: cannot be written"), "{error:#}");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
    }
}
