//! A leash: a small process that outlives a harness which is killed, and then ends its bots.
//!
//! The harness tells it, over its standard input, of every bot that starts and ends. When the
//! harness dies, in whatever way, the input ends, and all bots that are left are killed.

use super::limits::Limits;
use super::watch::Watched;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// The harness's end. Clones share it.
#[derive(Clone, Debug)]
pub struct Leash(Arc<Mutex<ChildStdin>>);

impl Leash {
    /// Starts `command`, which must end in [`hold`].
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C in a terminal reaches the harness's group alone.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        // It ends, and is collected, when the input ends.
        std::thread::Builder::new().name("leash".to_owned()).spawn(move || child.wait())?;
        Ok(Self(Arc::new(Mutex::new(stdin))))
    }

    /// A bot has started; its processes carry `mark` in their environment.
    pub fn add(&self, pid: u32, mark: &str) {
        self.tell(&format!("+{pid} {mark}\n"));
    }

    /// A bot has ended and left nothing behind.
    pub fn remove(&self, pid: u32) {
        self.tell(&format!("-{pid}\n"));
    }

    fn tell(&self, line: &str) {
        // Without a leash bots still end with their input and by their parent's death.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}

/// The other end: reads until the input ends, then kills what is left.
///
/// # Errors
/// Never: an input that fails has ended.
pub fn hold(input: impl BufRead) {
    let mut bots = BTreeMap::new();
    for line in input.lines().map_while(Result::ok) {
        read(&line, &mut bots);
    }
    for (pid, mark) in bots {
        Watched::new(pid, mark, Limits::default()).kill_all();
    }
}

fn read(line: &str, bots: &mut BTreeMap<u32, String>) {
    if let Some((pid, mark)) = line.strip_prefix('+').and_then(|rest| rest.split_once(' ')) {
        if let Ok(pid) = pid.parse() {
            bots.insert(pid, mark.to_owned());
        }
    } else if let Some(pid) = line.strip_prefix('-').and_then(|pid| pid.parse().ok()) {
        bots.remove(&pid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_come_and_go() {
        let mut bots = BTreeMap::new();
        for line in ["+7 A=1", "+8 A=2", "-7", "nonsense", "+x y", "-9"] {
            read(line, &mut bots);
        }
        assert_eq!(bots, BTreeMap::from([(8, "A=2".to_owned())]));
    }
}
