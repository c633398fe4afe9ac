//! Commands as processes: fed, watched, interrupted.

use std::io::Write as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Runs a command to its end with `input` as its standard input.
///
/// # Panics
/// When it cannot be run.
#[must_use]
pub fn fed(command: &mut Command, input: &[u8]) -> Output {
    let mut child = piped(command);
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    // From another thread, so that neither side waits for the other; a command that refuses its
    // arguments reads nothing.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("no panic");
    output
}

/// Starts a command with pipes on all three sides.
///
/// # Panics
/// When it cannot be started.
#[must_use]
pub fn piped(command: &mut Command) -> Child {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command starts")
}

/// Waits until `ready`, at most a minute.
///
/// # Panics
/// When the command ends before that, or the minute does.
pub fn wait_for(child: &mut Child, ready: impl Fn() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing happens");
        assert!(child.try_wait().expect("watched").is_none(), "ended too early");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends what Ctrl-C sends, and waits for the end.
///
/// # Panics
/// When the command cannot be told.
#[must_use]
pub fn interrupted(child: Child) -> Output {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill runs").success());
    child.wait_with_output().expect("the command ends")
}

/// Standard error as text.
#[must_use]
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// That a command was refused: exit code 2, nothing on standard output, and one line on standard
/// error with each of `words`.
///
/// # Panics
/// When it was not.
pub fn refused(output: &Output, words: &[&str]) {
    let error = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
    assert!(output.stdout.is_empty() && error.trim_end().lines().count() == 1, "{error}");
    for word in words {
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
}
