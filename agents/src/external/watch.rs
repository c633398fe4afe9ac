//! A watch over the memory, processes and CPU time of all bots of a harness.

use super::limits::Limits;
use super::processes::{self, Process, pages_to_bytes, ticks_to_ms, tree};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Least time between two looks.
const PERIOD: Duration = Duration::from_millis(50);
/// A look takes at most one part in this many of a core.
const SHARE: u32 = 40;

/// One bot under watch.
#[derive(Debug)]
pub struct Watched {
    pid: u32,
    mark: String,
    limits: Limits,
    /// CPU time, all processes and games, at which the bot is stopped, ms.
    cpu_end_ms: AtomicU64,
    /// CPU time at the last look, ms.
    cpu_ms: AtomicU64,
    breach: OnceLock<String>,
    seen: Mutex<BTreeSet<(u32, u64)>>,
}

impl Watched {
    /// A bot whose first process is `pid` and whose processes carry `mark` (`NAME=VALUE`) in their
    /// environment.
    #[must_use]
    pub fn new(pid: u32, mark: String, limits: Limits) -> Self {
        Self {
            pid,
            mark,
            limits,
            cpu_end_ms: AtomicU64::new(u64::MAX),
            cpu_ms: AtomicU64::new(0),
            breach: OnceLock::new(),
            seen: Mutex::default(),
        }
    }

    /// Lets the CPU limit of a game begin now.
    pub fn game_begins(&self, cpu_ms: u64) {
        if self.limits.cpu_s > 0 {
            self.cpu_end_ms.store(cpu_ms + self.limits.cpu_s * 1000, Ordering::Relaxed);
        }
    }

    /// The limit that was broken, for people.
    #[must_use]
    pub fn breach(&self) -> Option<&str> {
        self.breach.get().map(String::as_str)
    }

    /// CPU time at the last look, ms.
    #[must_use]
    pub fn cpu_ms(&self) -> u64 {
        self.cpu_ms.load(Ordering::Relaxed)
    }

    /// Kills every process that belongs to the bot or ever was seen to.
    pub fn kill_all(&self) {
        // What is killed may have forked in between; a second round finds nothing, as a rule.
        for _ in 0..3 {
            let all = processes::all();
            let mut doomed = tree(&all, self.pid);
            doomed.extend(processes::marked(&all, &self.mark));
            let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
            doomed.extend(all.iter().filter(|p| seen.contains(&(p.pid, p.started))));
            doomed.retain(|p| !p.ended);
            if doomed.is_empty() {
                return;
            }
            kill(&doomed);
        }
    }

    /// Compares what the bot uses with its limits.
    fn look(&self, all: &[Process]) {
        let tree: Vec<Process> = tree(all, self.pid).into_iter().filter(|p| !p.ended).collect();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|&(pid, started)| all.iter().any(|p| p.pid == pid && p.started == started));
        seen.extend(tree.iter().map(|p| (p.pid, p.started)));
        drop(seen);
        let bytes = pages_to_bytes(tree.iter().map(|p| p.resident_pages).sum());
        let cpu_ms = ticks_to_ms(tree.iter().map(|p| p.cpu_ticks).sum());
        self.cpu_ms.fetch_max(cpu_ms, Ordering::Relaxed);
        let Limits { memory_mib, processes, cpu_s, .. } = self.limits;
        let breach = if bytes > memory_mib << 20 {
            format!("memory limit: {} MiB resident, {memory_mib} allowed", bytes >> 20)
        } else if tree.len() > processes as usize {
            format!("process limit: {} alive, {processes} allowed", tree.len())
        } else if cpu_ms > self.cpu_end_ms.load(Ordering::Relaxed) {
            format!("CPU limit: more than {cpu_s} s in a game")
        } else {
            return;
        };
        let _ = self.breach.set(breach);
        kill(&tree);
    }
}

/// Kills processes; those that have ended meanwhile are no matter.
pub fn kill(doomed: &[Process]) {
    #[cfg(unix)]
    for process in doomed {
        use nix::sys::signal::{Signal, kill};
        if let Ok(pid) = i32::try_from(process.pid) {
            let _ = kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
    #[cfg(not(unix))]
    let _ = doomed;
}

/// The watch. Clones share one thread, which ends with the last of them.
#[derive(Clone, Debug)]
pub struct Watch(Arc<Mutex<Vec<Weak<Watched>>>>);

impl Watch {
    /// Starts a watch.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start() -> std::io::Result<Self> {
        let list = Arc::new(Mutex::new(Vec::new()));
        let watched = Arc::downgrade(&list);
        std::thread::Builder::new().name("bot watch".to_owned()).spawn(move || {
            while let Some(list) = watched.upgrade() {
                std::thread::sleep(look_at(&list));
            }
        })?;
        Ok(Self(list))
    }

    /// Puts a bot under watch for as long as it lives.
    pub fn over(&self, bot: &Arc<Watched>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(bot));
    }
}

/// One look at every bot; returns how long to wait for the next.
fn look_at(list: &Mutex<Vec<Weak<Watched>>>) -> Duration {
    let begun = Instant::now();
    let bots: Vec<Arc<Watched>> = {
        let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|bot| bot.strong_count() > 0);
        list.iter().filter_map(Weak::upgrade).collect()
    };
    if !bots.is_empty() {
        let all = processes::all();
        for bot in &bots {
            bot.look(&all);
        }
    }
    PERIOD.max(begun.elapsed() * SHARE)
}
