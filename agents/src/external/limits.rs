//! What a bot may use, and the part of it that the operating system enforces by itself.

/// The greatest length of one line of a bot, bytes, without its end.
pub const MAX_LINE: usize = 1 << 20;

/// Limits of one bot, which may consist of several processes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Resident memory of all its processes together, MiB; watched.
    pub memory_mib: u64,
    /// Processes alive at the same time; watched.
    pub processes: u32,
    /// CPU time of a game, of all its processes together, s; watched. Zero: none.
    pub cpu_s: u64,
    /// Files open at the same time in one process.
    pub files: u64,
    /// Size of a file that it writes, MiB.
    pub file_mib: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_mib: 2048, processes: 16, cpu_s: 600, files: 256, file_mib: 256 }
    }
}

impl Limits {
    /// Sets the limits that the system enforces on the calling process and what becomes of it:
    /// open files, size of files, no core dumps.
    ///
    /// # Errors
    /// When the system refuses.
    #[cfg(unix)]
    pub fn impose(&self) -> std::io::Result<()> {
        use nix::sys::resource::{Resource, getrlimit, setrlimit};
        let bytes = self.file_mib.saturating_mul(1 << 20);
        let limits = [
            (Resource::RLIMIT_NOFILE, self.files),
            (Resource::RLIMIT_FSIZE, bytes),
            (Resource::RLIMIT_CORE, 0),
        ];
        for (resource, wanted) in limits {
            let (_, hard) = getrlimit(resource)?;
            let wanted = wanted.min(hard);
            setrlimit(resource, wanted, wanted)?;
        }
        Ok(())
    }
}
