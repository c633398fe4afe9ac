//! Becoming a bot: the last steps inside the new process, before its program takes over.
//!
//! The harness starts itself again with a hidden command that ends here: limits are set, the event
//! folder is hidden, and the bot's program replaces the process. So everything is in place before
//! its first instruction, and no code of this crate runs between fork and exec.

use super::limits::Limits;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What to set up before the program takes over.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// Limits to impose.
    pub limits: Limits,
    /// A folder whose files the bot may not read, write or remove, where the system can do that
    /// (Linux 5.13 with Landlock): the harness's own files.
    pub hidden: Option<PathBuf>,
    /// A folder inside `hidden` that the bot may use.
    pub work: PathBuf,
}

/// Entries of the hidden folder that stay out of a bot's reach; so does everything whose name
/// begins with a dot.
pub const PRIVATE: [&str; 8] = [
    "games.csv",
    "manifest.json",
    "pairs.csv",
    "ratings.csv",
    "replays.jsonl",
    "stderr",
    "summary.json",
    "work",
];

/// Sets everything up and replaces this process by `command`. Returns only if that fails.
#[must_use]
#[cfg(unix)]
pub fn launch(launch: &Launch, command: &[OsString]) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    let Some((program, arguments)) = command.split_first() else {
        return io::Error::new(io::ErrorKind::InvalidInput, "there is no command to run");
    };
    if let Err(error) = set_up(launch) {
        return error;
    }
    std::process::Command::new(program).args(arguments).exec()
}

/// Bots run as they are where processes cannot replace themselves.
#[must_use]
#[cfg(not(unix))]
pub fn launch(_: &Launch, _: &[OsString]) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "bots are launched directly on this system")
}

#[cfg(unix)]
fn set_up(launch: &Launch) -> io::Result<()> {
    launch.limits.impose()?;
    #[cfg(target_os = "linux")]
    {
        // The harness may die without a word: its bots go with it.
        nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
        // Whatever the bot starts stays among its descendants, even when its own parent has gone.
        nix::sys::prctl::set_child_subreaper(true)?;
        if let Some(hidden) = &launch.hidden {
            hide(hidden, &launch.work)?;
        }
    }
    Ok(())
}

/// Whether this system can hide a folder from bots.
#[must_use]
pub fn can_hide() -> bool {
    #[cfg(target_os = "linux")]
    {
        use landlock::{
            ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
        };
        // Making a rule set restricts nobody; it fails where the kernel knows no Landlock.
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))
            .and_then(Ruleset::create)
            .is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        false
    }
}

/// Takes this process's access to the files of `hidden` away, except for those below `work` and
/// those that are not the harness's own. Does nothing where the kernel knows no Landlock.
///
/// Landlock knows permissions alone, so everything beside the way from the root to `hidden` is
/// allowed, entry by entry.
#[cfg(target_os = "linux")]
fn hide(hidden: &Path, work: &Path) -> io::Result<()> {
    use landlock::{
        ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
        RulesetCreatedAttr as _, Scope, path_beneath_rules,
    };
    let (hidden, work) = (hidden.canonicalize()?, work.canonicalize()?);
    let mut allowed = vec![work];
    let mut below: Option<&Path> = None;
    for folder in hidden.ancestors() {
        allowed.extend(beside(folder, below)?);
        below = Some(folder);
    }
    let access = AccessFs::from_all(ABI::V3) & !(AccessFs::ReadDir | AccessFs::Execute);
    let restricted = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(access)
        .and_then(|rules| rules.scope(Scope::Signal))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(path_beneath_rules(&allowed, access)))
        .and_then(landlock::RulesetCreated::restrict_self);
    restricted.map(drop).map_err(io::Error::other)
}

/// The entries of `folder` that a bot may use: all but the one that leads `below`, or, in the
/// hidden folder itself, all that are not the harness's. Links are left out: what they lead to is
/// reached by its own path.
#[cfg(target_os = "linux")]
fn beside(folder: &Path, below: Option<&Path>) -> io::Result<Vec<PathBuf>> {
    let mut allowed = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let barred = match below {
            Some(below) => entry.path() == below,
            None => name.starts_with('.') || PRIVATE.contains(&&*name),
        };
        // An entry that vanishes meanwhile needs no permission.
        if !barred && entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            allowed.push(entry.path());
        }
    }
    Ok(allowed)
}
