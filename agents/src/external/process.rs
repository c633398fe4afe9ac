//! The wire to a child process: its own process group, working folder and environment, its output
//! read by a thread each, and an end that leaves nothing behind.

use super::launch::Launch;
use super::leash::Leash;
use super::limits::MAX_LINE;
use super::transport::{Arrival, Incoming, SendError, Transport};
use super::watch::{Watch, Watched};
use crate::lines::{Cut, LineCutter};
#[cfg(unix)]
use nix::sys::signal::{Signal, killpg};
use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Name of the variable that marks the processes of a bot.
pub const MARK: &str = "CUEBENCH_BOT";
/// The most that is kept of a bot's standard error, bytes.
pub const MAX_STDERR: u64 = 1 << 20;
/// Time to leave after `quit`.
const QUIT: Duration = Duration::from_secs(2);
/// Time to leave after a termination signal.
const TERMINATE: Duration = Duration::from_millis(300);
/// Time to leave after a kill: only a process in the middle of a device's work needs it.
const KILLED: Duration = Duration::from_secs(2);
/// How often a wait looks whether the process is still there.
const LOOK: Duration = Duration::from_millis(20);
/// How long the output of a process that has ended may still be on its way.
const LINGER: Duration = Duration::from_millis(50);
/// How long the last of standard error is waited for.
const ERRORS: Duration = Duration::from_millis(500);
/// Lines that may wait to be read.
const BACKLOG: usize = 64;

/// How to start a bot.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program and its arguments; paths are absolute or found by `PATH`.
    pub command: Vec<OsString>,
    /// The whole environment, apart from [`MARK`].
    pub environment: Vec<(OsString, OsString)>,
    /// File to which standard error is appended.
    pub stderr: PathBuf,
    /// Working folder, limits, and what is hidden.
    pub launch: Launch,
    /// Program and arguments that end in [`super::launch::launch`]; without them the program
    /// is started directly, with no limits but those that are watched.
    pub launcher: Option<Vec<OsString>>,
    /// The watch to be under.
    pub watch: Option<Watch>,
    /// The leash to be on.
    pub leash: Option<Leash>,
    /// Whether the bot may run while it is not its turn.
    pub ponder: bool,
}

/// A bot's process.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    arrivals: Receiver<Arrival>,
    /// Closes when all of standard error has been kept.
    errors_kept: Receiver<Infallible>,
    unfinished: Arc<AtomicUsize>,
    watched: Arc<Watched>,
    watch: Option<Watch>,
    leash: Option<Leash>,
    ponder: bool,
    paused: bool,
    late: Option<Arrival>,
    told: Option<String>,
    ended: bool,
}

impl Process {
    /// Starts a process.
    ///
    /// # Errors
    /// When the program cannot be found or started, or a folder or file cannot be made.
    pub fn start(plan: &Plan) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        std::fs::create_dir_all(&plan.launch.work)?;
        let log = OpenOptions::new().create(true).append(true).open(&plan.stderr)?;
        let mut command = command(plan, &mark)?;
        let mark = format!("{MARK}={mark}");
        let mut spawn = || {
            let child = command.spawn()?;
            let limits = plan.launch.limits.clone();
            let watched = Arc::new(Watched::new(child.id(), mark.clone(), limits));
            Ok((child, watched))
        };
        let (mut child, watched) = match &plan.watch {
            Some(watch) => watch.over(spawn)?,
            None => spawn()?,
        };
        if let Some(leash) = &plan.leash {
            leash.add(child.id(), &mark);
        }
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (sender, arrivals) = sync_channel(BACKLOG);
        let (keeping, errors_kept) = sync_channel(0);
        let unfinished = Arc::new(AtomicUsize::new(0));
        let process = Self {
            child,
            input,
            arrivals,
            errors_kept,
            unfinished: Arc::clone(&unfinished),
            watched,
            watch: plan.watch.clone(),
            leash: plan.leash.clone(),
            ponder: plan.ponder,
            paused: false,
            late: None,
            told: None,
            ended: false,
        };
        // From here on dropping the process ends it.
        if let Some(input) = &process.input {
            never_block(input)?;
        }
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        if let Some(output) = output {
            thread("bot output").spawn(move || read_lines(output, &sender, &unfinished))?;
        }
        if let Some(errors) = errors {
            thread("bot errors").spawn(move || {
                keep_beginning(errors, log);
                drop(keeping);
            })?;
        }
        process.watched.game_begins(0);
        Ok(process)
    }

    /// Whether the process has ended; it is not collected yet, so that its number stays its own.
    fn has_ended(&mut self) -> bool {
        #[cfg(target_os = "linux")]
        {
            use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
            let Ok(pid) = i32::try_from(self.child.id()) else { return true };
            let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
            let state = waitid(Id::Pid(nix::unistd::Pid::from_raw(pid)), flags);
            !matches!(state, Ok(WaitStatus::StillAlive))
        }
        #[cfg(not(target_os = "linux"))]
        {
            !matches!(self.child.try_wait(), Ok(None))
        }
    }

    /// Waits until the process has ended, at most for `patience`.
    fn wait(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut pause = Duration::from_micros(200);
        loop {
            if self.has_ended() {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LOOK);
        }
    }

    /// How the process ended, for people.
    fn how(&mut self) -> String {
        if self.wait(LINGER) {
            let status = self.finish(None);
            return self.watched.breach().map_or_else(|| words(status), str::to_owned);
        }
        // Without output a bot is of no use, whatever else it does.
        self.finish(Some(TERMINATE));
        match self.watched.breach() {
            Some(breach) => breach.to_owned(),
            None => "it closed its standard output".to_owned(),
        }
    }

    /// Ends and collects everything. A process that still runs is asked to leave first, if it is
    /// given time for that.
    fn finish(&mut self, patience: Option<Duration>) -> Option<ExitStatus> {
        if std::mem::replace(&mut self.ended, true) {
            return None;
        }
        self.input = None;
        if let Some(patience) = patience {
            self.pause(false);
            self.signal_group(false);
            self.wait(patience);
        }
        // Descendants first: what is left of them when the process itself goes changes its parent.
        self.watched.kill_all();
        self.signal_group(true);
        self.watched.kill_all();
        let status = if self.wait(KILLED) { self.child.wait().ok() } else { None };
        if let Some(watch) = &self.watch {
            watch.sweep();
        }
        // Nobody can write any more; what was written is still on its way.
        let _ = self.errors_kept.recv_timeout(ERRORS);
        if let Some(leash) = &self.leash {
            leash.remove(self.child.id());
        }
        status
    }

    /// The end of the process, as something that arrived.
    fn tell_end(&mut self) -> Option<Arrival> {
        let at = Instant::now();
        let how = match self.told.clone() {
            Some(how) => how,
            None => self.how(),
        };
        self.told = Some(how.clone());
        Some(Arrival { at, what: Incoming::Ended(how) })
    }

    /// Signals the whole group; the process is not collected yet, so the group is still its own.
    fn signal_group(&mut self, kill: bool) {
        #[cfg(unix)]
        self.signal(if kill { Signal::SIGKILL } else { Signal::SIGTERM });
        #[cfg(not(unix))]
        if kill {
            let _ = self.child.kill();
        }
    }
}

#[cfg(unix)]
impl Process {
    fn signal(&self, signal: Signal) {
        if let Ok(pid) = i32::try_from(self.child.id()) {
            // A group that has ended needs no signal; one of another user cannot be had.
            let _ = killpg(nix::unistd::Pid::from_raw(pid), signal);
        }
    }
}

impl Transport for Process {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn send(&mut self, line: &[u8], until: Instant) -> Result<Instant, SendError> {
        let input = self.input.as_mut().ok_or(SendError::Closed)?;
        let mut rest = line;
        while !rest.is_empty() {
            match input.write(rest) {
                Ok(0) => return Err(SendError::Closed),
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_for_room(input, until)?;
                }
                Err(_) => return Err(SendError::Closed),
            }
        }
        Ok(Instant::now())
    }

    fn receive(&mut self, until: Instant) -> Option<Arrival> {
        if self.late.as_ref().is_some_and(|arrival| arrival.at <= until) {
            return self.late.take();
        }
        loop {
            let now = Instant::now();
            let wait = until.saturating_duration_since(now).min(LOOK);
            match self.arrivals.recv_timeout(wait) {
                Ok(arrival) if arrival.at > until => {
                    self.late = Some(arrival);
                    return None;
                }
                Ok(arrival) => return Some(arrival),
                Err(RecvTimeoutError::Disconnected) => return self.tell_end(),
                Err(RecvTimeoutError::Timeout) if now >= until => return None,
                // A child of the bot may hold its output open when the bot itself has gone.
                Err(RecvTimeoutError::Timeout) if self.has_ended() => {
                    return match self.arrivals.recv_timeout(LINGER) {
                        Ok(arrival) => Some(arrival),
                        Err(_) => self.tell_end(),
                    };
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn unfinished(&self) -> usize {
        self.unfinished.load(Ordering::Relaxed)
    }

    fn cpu_ms(&self) -> Option<u64> {
        cpu_ms(self.child.id()).map(|own| own.max(self.watched.cpu_ms()))
    }

    fn game_begins(&mut self) {
        self.watched.game_begins(self.cpu_ms().unwrap_or(0));
    }

    fn pause(&mut self, paused: bool) {
        if self.ponder || self.ended || self.paused == paused {
            return;
        }
        self.paused = paused;
        #[cfg(unix)]
        self.signal(if paused { Signal::SIGSTOP } else { Signal::SIGCONT });
    }

    fn end(&mut self, politely: bool) -> bool {
        self.input = None;
        let left = !self.ended && politely && self.wait(QUIT);
        self.finish(if left { None } else { Some(TERMINATE) });
        left
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.finish(Some(Duration::ZERO));
    }
}

/// The command that starts a bot, cut off from the harness's terminal, folder and environment.
fn command(plan: &Plan, mark: &str) -> io::Result<Command> {
    let missing = || io::Error::new(io::ErrorKind::InvalidInput, "there is no command to run");
    let mut words = Vec::new();
    if let Some(launcher) = &plan.launcher {
        words.extend(launcher.iter().cloned());
        words.push(serde_json::to_string(&plan.launch).map_err(io::Error::other)?.into());
        words.push("--".into());
    }
    words.extend(plan.command.iter().cloned());
    let (program, arguments) = words.split_first().ok_or_else(missing)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(plan.environment.iter().map(|(name, value)| (name, value)))
        .env(MARK, mark)
        .current_dir(&plan.launch.work)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}

/// A bot that does not read must not stop the harness.
fn never_block(input: &ChildStdin) -> io::Result<()> {
    #[cfg(unix)]
    {
        use nix::fcntl::{FcntlArg, OFlag, fcntl};
        let flags = OFlag::from_bits_truncate(fcntl(input, FcntlArg::F_GETFL)?);
        fcntl(input, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    }
    #[cfg(not(unix))]
    let _ = input;
    Ok(())
}

/// Waits until the bot's input has room again.
#[cfg(unix)]
fn wait_for_room(input: &ChildStdin, until: Instant) -> Result<(), SendError> {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use std::os::fd::AsFd as _;
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(SendError::Timeout);
    }
    let wait = PollTimeout::try_from(left.min(LOOK)).unwrap_or(PollTimeout::ZERO);
    let mut room = [PollFd::new(input.as_fd(), PollFlags::POLLOUT)];
    match poll(&mut room, wait) {
        Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
        Err(_) => Err(SendError::Closed),
    }
}

#[cfg(not(unix))]
fn wait_for_room(_: &ChildStdin, until: Instant) -> Result<(), SendError> {
    if Instant::now() >= until {
        return Err(SendError::Timeout);
    }
    std::thread::sleep(Duration::from_millis(1));
    Ok(())
}

/// CPU time of one process and all its threads, ms.
fn cpu_ms(pid: u32) -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).ok()?);
        let time =
            nix::time::ClockId::pid_cpu_clock_id(pid).and_then(nix::time::ClockId::now).ok()?;
        u64::try_from(Duration::from(time).as_millis()).ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pid;
        None
    }
}

/// Hands on whatever arrives, stamped, until the output ends, breaks the limit or nobody listens.
fn read_lines(mut output: impl Read, sender: &SyncSender<Arrival>, unfinished: &AtomicUsize) {
    let mut buffer = vec![0; 1 << 16];
    let mut lines = LineCutter::new(MAX_LINE);
    loop {
        let read = match output.read(&mut buffer) {
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let at = Instant::now();
        let mut rest = &buffer[..read];
        while !rest.is_empty() {
            let (taken, cut) = lines.take(rest);
            rest = &rest[taken..];
            let (what, more) = match cut {
                None => break,
                Some(Cut::Line) => (Incoming::Line(lines.line().to_vec()), true),
                Some(Cut::TooLong) => (Incoming::TooLong, false),
            };
            if sender.send(Arrival { at, what }).is_err() || !more {
                return;
            }
        }
        unfinished.store(lines.unfinished(), Ordering::Relaxed);
    }
}

/// Drains standard error; what exceeds the limit is read and dropped.
fn keep_beginning(mut errors: impl Read, mut log: File) {
    let mut kept = log.metadata().map_or(MAX_STDERR, |data| data.len());
    let mut buffer = vec![0; 1 << 14];
    loop {
        match errors.read(&mut buffer) {
            Ok(0) => return,
            Ok(read) => {
                let room = usize::try_from(MAX_STDERR.saturating_sub(kept)).unwrap_or(0).min(read);
                kept += room as u64;
                let _ = log.write_all(&buffer[..room]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// An exit status for people.
fn words(status: Option<ExitStatus>) -> String {
    let Some(status) = status else { return "it ended in an unknown way".to_owned() };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = nix::sys::signal::Signal::try_from(signal).map_or("", |s| s.as_str());
        return format!("signal {signal} {name}").trim_end().to_owned();
    }
    match status.code() {
        Some(127) => "exit code 127 (is the program there and may it be run?)".to_owned(),
        Some(code) => format!("exit code {code}"),
        None => "it ended in an unknown way".to_owned(),
    }
}
