//! A watch over the memory, processes and CPU time of all bots of a harness.

use super::limits::Limits;
use super::processes::{self, Process, pages_to_bytes, ticks_to_ms, tree};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
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
pub struct Watch(Arc<Mutex<List>>);

/// Whom the watch knows.
#[derive(Debug)]
struct List {
    bots: Vec<Weak<Watched>>,
    /// Children of this process that were there before: process and start.
    others: BTreeSet<(u32, u64)>,
}

impl Watch {
    /// Starts a watch. From here on every new child of this process is taken for a bot's, unless
    /// it is of this process's own group.
    ///
    /// Where the system can do that (Linux), processes whose parents have gone become children of
    /// the bot that they descend from, and when that has gone of this process: none is lost sight
    /// of, whatever it does with its group, session and environment.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start() -> std::io::Result<Self> {
        #[cfg(target_os = "linux")]
        nix::sys::prctl::set_child_subreaper(true)?;
        let own = std::process::id();
        let others = processes::all().into_iter().filter(|p| p.parent == own);
        let others = others.map(|p| (p.pid, p.started)).collect();
        let list = Arc::new(Mutex::new(List { bots: Vec::new(), others }));
        let watched = Arc::downgrade(&list);
        std::thread::Builder::new().name("bot watch".to_owned()).spawn(move || {
            while let Some(list) = watched.upgrade() {
                std::thread::sleep(look_at(&list));
            }
        })?;
        Ok(Self(list))
    }

    /// Starts a bot with `spawn` and puts it under watch for as long as it lives.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn over<T>(
        &self,
        spawn: impl FnOnce() -> std::io::Result<(T, Arc<Watched>)>,
    ) -> std::io::Result<(T, Arc<Watched>)> {
        // Nobody looks before the bot is known.
        let mut list = lock(&self.0);
        let started = spawn()?;
        list.bots.push(Arc::downgrade(&started.1));
        Ok(started)
    }

    /// Kills and collects what bots that have gone left behind.
    pub fn sweep(&self) {
        for _ in 0..3 {
            let list = lock(&self.0);
            if list.sweep(&processes::all()) == 0 {
                return;
            }
            drop(list);
            // What was killed takes a moment to end, and its children to come here.
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn lock(list: &Mutex<List>) -> MutexGuard<'_, List> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

impl List {
    /// Kills children of this process that it did not start itself: they descend from bots that
    /// have gone, for those of others stay with them. Those that have ended are collected. Returns
    /// how many were killed.
    fn sweep(&self, all: &[Process]) -> usize {
        let own = std::process::id();
        let Some(group) = all.iter().find(|p| p.pid == own).map(|p| p.group) else { return 0 };
        let bots: BTreeSet<u32> =
            self.bots.iter().filter_map(|bot| Some(bot.upgrade()?.pid)).collect();
        let stray = |p: &&Process| {
            p.parent == own
                && p.group != group
                && !bots.contains(&p.pid)
                && !self.others.contains(&(p.pid, p.started))
        };
        let (ended, strays): (Vec<Process>, Vec<Process>) =
            all.iter().filter(stray).partition(|p| p.ended);
        kill(&strays);
        for process in ended {
            collect(&process);
        }
        strays.len()
    }
}

/// Collects a child that has ended.
fn collect(ended: &Process) {
    #[cfg(unix)]
    if let Ok(pid) = i32::try_from(ended.pid) {
        use nix::sys::wait::{WaitPidFlag, waitpid};
        let _ = waitpid(nix::unistd::Pid::from_raw(pid), Some(WaitPidFlag::WNOHANG));
    }
    #[cfg(not(unix))]
    let _ = ended;
}

/// One look at every bot; returns how long to wait for the next.
fn look_at(list: &Mutex<List>) -> Duration {
    let begun = Instant::now();
    let mut list = lock(list);
    list.bots.retain(|bot| bot.strong_count() > 0);
    let bots: Vec<Arc<Watched>> = list.bots.iter().filter_map(Weak::upgrade).collect();
    let all = processes::all();
    list.sweep(&all);
    drop(list);
    for bot in &bots {
        bot.look(&all);
    }
    PERIOD.max(begun.elapsed() * SHARE)
}
