//! The processes of the system, as far as it tells: who is whose child, and what they use.

use std::collections::BTreeSet;

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Its session.
    pub session: u32,
    /// CPU time of all its threads and of the children it waited for, ticks.
    pub cpu_ticks: u64,
    /// Resident memory, pages.
    pub resident_pages: u64,
    /// When it was started, ticks since boot: tells it from a later process of the same number.
    pub started: u64,
    /// Whether it has ended and only waits to be collected.
    pub ended: bool,
}

/// Reads a line of `/proc/PID/stat` (proc(5)).
#[must_use]
pub fn parse_stat(text: &str) -> Option<Process> {
    // The name may hold blanks and brackets; the last closing one ends it.
    let (front, rest) = text.rsplit_once(')')?;
    let pid = front.split_once('(')?.0.trim().parse().ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |place: usize| fields.get(place - 3)?.parse::<u64>().ok();
    let small = |place: usize| u32::try_from(number(place)?).ok();
    Some(Process {
        pid,
        parent: small(4)?,
        group: small(5)?,
        session: small(6)?,
        cpu_ticks: (14..=17).map(number).sum::<Option<u64>>()?,
        resident_pages: number(24)?,
        started: number(22)?,
        ended: matches!(fields.first(), Some(&("Z" | "X"))),
    })
}

/// Every process that can be seen; empty where the system does not tell.
#[must_use]
pub fn all() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| {
            entry.file_name().to_string_lossy().starts_with(|c: char| c.is_ascii_digit())
        })
        .filter_map(|entry| std::fs::read(entry.path().join("stat")).ok())
        .filter_map(|stat| parse_stat(&String::from_utf8_lossy(&stat)))
        .collect()
}

/// Those of `all` that belong to the bot `root`: its group, its session and its descendants.
#[must_use]
pub fn tree(all: &[Process], root: u32) -> Vec<Process> {
    let mut pids: BTreeSet<u32> = all
        .iter()
        .filter(|p| p.pid == root || p.group == root || p.session == root)
        .map(|p| p.pid)
        .collect();
    loop {
        let before = pids.len();
        for p in all {
            if pids.contains(&p.parent) {
                pids.insert(p.pid);
            }
        }
        if pids.len() == before {
            return all.iter().filter(|p| pids.contains(&p.pid)).copied().collect();
        }
    }
}

/// Processes other than this one that carry `mark` in the environment they were started with.
#[must_use]
pub fn marked(all: &[Process], mark: &str) -> Vec<Process> {
    let carries = |p: &Process| {
        let environment = std::fs::read(format!("/proc/{}/environ", p.pid)).unwrap_or_default();
        environment.split(|&b| b == 0).any(|entry| entry == mark.as_bytes())
    };
    let own = std::process::id();
    all.iter().filter(|p| p.pid != own && carries(p)).copied().collect()
}

/// CPU ticks as milliseconds.
#[must_use]
pub fn ticks_to_ms(ticks: u64) -> u64 {
    // The unit of /proc is fixed at 100 a second on every Linux architecture in use.
    ticks * 10
}

/// Pages as bytes.
#[must_use]
pub fn pages_to_bytes(pages: u64) -> u64 {
    #[cfg(unix)]
    let size = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten();
    #[cfg(not(unix))]
    let size: Option<i64> = None;
    pages * size.and_then(|size| u64::try_from(size).ok()).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_confuse() {
        let line = "17 (a) (b c) S 3 17 9 0 -1 4194560 1 0 0 0 5 6 7 8 20 0 1 0 99 4096 321 \
                    18446744073709551615 0";
        let process = parse_stat(line).expect("reads");
        assert_eq!((process.pid, process.parent, process.group, process.session), (17, 3, 17, 9));
        assert_eq!((process.cpu_ticks, process.resident_pages, process.started), (26, 321, 99));
        assert!(!process.ended);
        assert_eq!(parse_stat("17 (a"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn a_tree_is_group_session_and_descendants() {
        let process = |pid, parent, group, session| Process {
            pid,
            parent,
            group,
            session,
            cpu_ticks: 0,
            resident_pages: 0,
            started: 0,
            ended: false,
        };
        let all = [
            process(1, 0, 1, 1),
            process(20, 10, 20, 20), // left the group, still a child
            process(10, 1, 10, 1),   // the bot
            process(11, 1, 10, 1),   // orphan of the group
            process(21, 20, 20, 20), // grandchild
            process(30, 1, 30, 30),  // somebody else
        ];
        let pids: Vec<u32> = tree(&all, 10).iter().map(|p| p.pid).collect();
        assert_eq!(pids, [20, 10, 11, 21]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_seen() {
        let all = all();
        let own = all.iter().find(|p| p.pid == std::process::id()).expect("runs");
        assert!(pages_to_bytes(own.resident_pages) > 1 << 20 && !own.ended);
    }
}
