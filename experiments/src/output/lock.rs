//! A folder that one process at a time writes into.

use anyhow::{Context as _, bail};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Name of the file that is locked. It stays in the folder; what counts is the lock on it.
pub const LOCK: &str = ".lock";
/// What is read of the holder's name, bytes.
const MAX_NAME: u64 = 200;

/// A folder, locked for this process until this is dropped. The system lets go of the lock however
/// the process ends.
#[derive(Debug)]
pub struct FolderLock {
    folder: PathBuf,
    _file: File,
}

impl FolderLock {
    /// Locks `folder`, which is made if need be. `who` names the holder to others that want the
    /// folder meanwhile: `run quickstart`.
    ///
    /// # Errors
    /// When another process holds it, who is named then, or the folder cannot be written.
    pub fn take(folder: &Path, who: &str) -> anyhow::Result<Self> {
        let place = || format!("{}: cannot be written", folder.display());
        std::fs::create_dir_all(folder).with_context(place)?;
        let path = folder.join(LOCK);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(place)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Whoever it is, the folder is not free.
                let _ = file.take(MAX_NAME).read_to_string(&mut holder);
                bail!(
                    "{}: `{}` writes there; wait for its end or choose another --out",
                    folder.display(),
                    holder.trim_end()
                )
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(place),
        }
        let name = format!("cuebench {who} (process {})\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(name.as_bytes())).with_context(place)?;
        Ok(Self { folder: folder.to_owned(), _file: file })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_refused_by_the_name_of_the_first_until_that_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new");
        let first = FolderLock::take(&path, "run one").expect("free");
        let error = FolderLock::take(&path, "run two").expect_err("taken").to_string();
        assert!(error.contains("new: `cuebench run one (process "), "{error}");
        drop(first);
        let second = FolderLock::take(&path, "run two").expect("free again");
        assert_eq!(second.folder(), path);
        let name = std::fs::read_to_string(path.join(LOCK)).expect("read");
        assert!(name.starts_with("cuebench run two (process ") && name.lines().count() == 1);
    }
}
