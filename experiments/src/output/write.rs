//! The one way to write a file. A plain file appears whole or not at all: it is written beside its
//! place and renamed over it. A link is followed, never replaced; a device or FIFO is written
//! through.

use anyhow::{Context as _, bail};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// Writes `bytes` to `path` at once: whoever looks sees the old file or the whole new one. Missing
/// folders are made.
///
/// # Errors
/// As those of [`Stream`]; nothing is left behind then.
pub fn write_whole(path: &Path, bytes: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let mut stream = Stream::to(Some(path))?;
    stream.put(bytes.as_ref())?;
    stream.finish()
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

/// Bytes on their way to a file, which appears when they are [finished](Stream::finish), or to
/// standard output. Dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct Stream {
    to: BufWriter<Target>,
    /// The file as the user named it; none for standard output.
    name: Option<PathBuf>,
    /// The file to appear, and the one beside it that is being written.
    place: Option<Place>,
}

#[derive(Debug)]
enum Target {
    Stdout(io::Stdout),
    File(File),
}

#[derive(Debug)]
struct Place {
    path: PathBuf,
    beside: PathBuf,
    permissions: Option<Permissions>,
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(to) => to.write(bytes),
            Self::File(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(to) => to.flush(),
            Self::File(to) => to.flush(),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl Stream {
    /// A stream to `path`, or to standard output without one. Missing folders are made.
    ///
    /// # Errors
    /// When `path` is a folder, a disk or a link to nothing, or cannot be written.
    pub fn to(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else {
            let to = BufWriter::new(Target::Stdout(io::stdout()));
            return Ok(Self { to, name: None, place: None });
        };
        make_folder_of(path)?;
        let (file, place) = match destination(path)? {
            Destination::Through(file) => (file, None),
            Destination::Replace(path, permissions) => {
                let beside = beside(&path);
                let file = File::create(&beside).with_context(|| unwritable(&path))?;
                (file, Some(Place { path, beside, permissions }))
            }
        };
        Ok(Self { to: BufWriter::new(Target::File(file)), name: Some(path.to_owned()), place })
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn put(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.to.write_all(bytes).with_context(|| self.unwritable())
    }

    /// Ends the stream: the file appears.
    ///
    /// # Errors
    /// When the rest cannot be written or the file not be renamed.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.to.flush().with_context(|| self.unwritable())?;
        let Some(place) = &self.place else { return Ok(()) };
        let renamed = match self.to.get_ref() {
            Target::File(file) => place.appear(file),
            Target::Stdout(_) => Ok(()),
        };
        renamed.with_context(|| self.unwritable())?;
        self.place = None;
        Ok(())
    }

    /// The words for an error of writing: which output it was.
    fn unwritable(&self) -> String {
        self.name.as_deref().map_or_else(|| "standard output".to_owned(), unwritable)
    }
}

impl Place {
    /// Gives the finished `file` its name, and the permissions of the one that it replaces.
    fn appear(&self, file: &File) -> io::Result<()> {
        if let Some(permissions) = &self.permissions {
            file.set_permissions(permissions.clone())?;
        }
        file.sync_all()?;
        fs::rename(&self.beside, &self.path)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            // Not finished; whatever went wrong has been told.
            let _ = fs::remove_file(&place.beside);
        }
    }
}

/// What becomes of what is written to a path.
enum Destination {
    /// It goes into something that is there: a device or FIFO.
    Through(File),
    /// It replaces this plain file, or makes it.
    Replace(PathBuf, Option<Permissions>),
}

fn destination(path: &Path) -> anyhow::Result<Destination> {
    let there = match fs::metadata(path) {
        Ok(there) => there,
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| unwritable(path));
        }
        Err(_) if path.is_symlink() => {
            bail!("{}: a link to nothing; remove it or make what it points to", path.display())
        }
        Err(_) => return Ok(Destination::Replace(path.to_owned(), None)),
    };
    let kind = there.file_type();
    if kind.is_dir() || kind.is_block_device() {
        let what = if kind.is_dir() { "a folder" } else { "a disk" };
        bail!("{}: {what}; name a file", path.display());
    }
    if kind.is_file() && !is_descriptor(path) {
        let path = path.canonicalize().with_context(|| unwritable(path))?;
        return Ok(Destination::Replace(path, Some(there.permissions())));
    }
    let file = OpenOptions::new().append(true).open(path);
    Ok(Destination::Through(file.with_context(|| unwritable(path))?))
}

/// Whether a path such as `/dev/stdout` or `/dev/fd/3` stands for a file that is open already.
fn is_descriptor(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let of_the_system =
        folder.is_some_and(|folder| folder == Path::new("/dev") || folder.starts_with("/proc"));
    of_the_system && path.is_symlink()
}

/// A name in the same folder that belongs to this process alone.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

fn unwritable(path: &Path) -> String {
    format!("{}: cannot be written", path.display())
}

/// Refuses an output that is one of the command's inputs, standard input among them, and two
/// outputs that are the same file. Call it before the first output is opened; devices and FIFOs
/// are nobody's.
///
/// # Errors
/// The first output that would be written over.
pub fn keep_apart<'p>(
    outputs: impl IntoIterator<Item = &'p Path>,
    inputs: impl IntoIterator<Item = &'p Path>,
) -> anyhow::Result<()> {
    let mut taken: Vec<(Identity, String)> = vec![];
    let standard_input = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    if let Ok(there) = standard_input.and_then(|file| file.metadata())
        && there.is_file()
    {
        taken.push((Identity::Node(there.dev(), there.ino()), "standard input".to_owned()));
    }
    for input in inputs {
        taken.extend(identity(input).map(|it| (it, format!("the input {}", input.display()))));
    }
    for output in outputs {
        let Some(it) = identity(output) else { continue };
        if let Some((_, what)) = taken.iter().find(|(other, _)| *other == it) {
            bail!("{}: would be written over {what}; name another file", output.display());
        }
        taken.push((it, format!("the output {}", output.display())));
    }
    Ok(())
}

/// What makes two paths the same file.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    Node(u64, u64),
    Place(PathBuf),
}

fn identity(path: &Path) -> Option<Identity> {
    match fs::metadata(path) {
        Ok(there) if there.is_file() => Some(Identity::Node(there.dev(), there.ino())),
        Ok(_) => None,
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize();
            Some(Identity::Place(folder.map_or_else(
                |_| path.to_owned(),
                |folder| folder.join(path.file_name().unwrap_or_default()),
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).expect("listed").count()
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/er/file.txt");
        write_whole(&path, "one").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("set");
        write_whole(&path, "two").expect("written again");
        assert_eq!(fs::read_to_string(&path).expect("read"), "two");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(entries(path.parent().expect("folder")), 1);
    }

    #[test]
    fn a_stream_that_is_not_finished_leaves_the_old_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file.txt");
        write_whole(&path, "one").expect("written");
        let mut stream = Stream::to(Some(&path)).expect("begun");
        stream.put(b"two").expect("written");
        drop(stream);
        assert_eq!(fs::read_to_string(&path).expect("read"), "one");
        assert_eq!(entries(folder.path()), 1);
    }

    #[test]
    fn a_folder_and_a_link_to_nothing_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let [taken, link] = ["taken", "link"].map(|name| folder.path().join(name));
        fs::create_dir_all(taken.join("inside")).expect("a folder in the way");
        symlink(folder.path().join("nothing"), &link).expect("linked");
        for (path, words) in [(&taken, "taken: a folder"), (&link, "link: a link to nothing")] {
            let error = write_whole(path, "one").expect_err("refused");
            assert!(format!("{error:#}").contains(words), "{error:#}");
        }
        assert!(link.is_symlink() && entries(folder.path()) == 2);
    }

    #[test]
    fn a_link_is_followed_and_stays_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, link] = ["sub/file", "link"].map(|name| folder.path().join(name));
        write_whole(&file, "one").expect("written");
        symlink("sub/file", &link).expect("linked");
        write_whole(&link, "two").expect("written");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("read"), "two");
    }

    #[test]
    fn a_device_and_a_fifo_are_written_through() {
        write_whole(Path::new("/dev/null"), "gone").expect("written");
        let kind = fs::metadata("/dev/null").expect("there").file_type();
        assert!(kind.is_char_device());
        let error = write_whole(Path::new("/dev/full"), "one").expect_err("full");
        assert!(format!("{error:#}").starts_with("/dev/full: cannot be written"), "{error:#}");
        let folder = tempfile::tempdir().expect("a folder");
        let fifo = folder.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.expect("mkfifo runs").success());
        let reader = std::thread::spawn({
            let fifo = fifo.clone();
            move || fs::read_to_string(fifo).expect("read")
        });
        write_whole(&fifo, "one").expect("written");
        assert_eq!(reader.join().expect("no panic"), "one");
        assert!(fs::metadata(&fifo).expect("there").file_type().is_fifo());
        assert_eq!(entries(folder.path()), 1);
    }

    #[test]
    fn an_output_over_an_input_or_another_output_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let [input, link, new] = ["in", "link", "new"].map(|name| folder.path().join(name));
        fs::write(&input, "one").expect("written");
        symlink(&input, &link).expect("linked");
        keep_apart([&*new], [&*input]).expect("apart");
        keep_apart([Path::new("/dev/null"); 2], []).expect("nobody's");
        for (outputs, words) in
            [([&*new, &*link], "link: would be written over the input"), ([&*new; 2], "the output")]
        {
            let error = keep_apart(outputs, [&*input]).expect_err("refused").to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
