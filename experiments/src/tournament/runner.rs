//! Playing an event: workers fetch games, play them and write each down the moment it ends.

use super::bench::Starts;
use super::blocks::Blocks;
use super::done::Done;
use super::event::Event;
use super::ledger::{Ledger, Lines};
use super::worker::{Finished, Worker};
use crate::games::Playable;
use crate::output::rows::tournament::GameRow;
use crate::rollout::Stop;
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often a look at the progress is offered.
const TICK: Duration = Duration::from_millis(200);

/// Games, for each that is played at the same time, by which a sequential test lets workers run
/// ahead of the oldest one.
const AHEAD: u64 = 4;

/// How playing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All games are played.
    Complete,
    /// The SPRT reached a decision.
    Decided,
    /// On request; the event can be resumed.
    Stopped,
}

/// What watches an event: the command line, or a test.
pub trait Audience {
    /// A game has been written.
    fn game(&mut self, row: &GameRow);
    /// Time has passed.
    fn tick(&mut self);
}

/// Plays what is not done yet, and keeps it. `test` has been fed with what is done.
///
/// # Errors
/// When a file cannot be written or threads cannot be had.
pub fn run<G: Playable>(
    event: &Event<'_, G>,
    done: &Done,
    ledger: &mut Ledger,
    test: Option<&mut Blocks>,
    stop: &Stop,
    audience: &mut (impl Audience + Send),
) -> anyhow::Result<Ended> {
    if test.as_ref().is_some_and(|test| test.decided()) {
        return Ok(Ended::Decided);
    }
    let (starts, halt) = (Starts::new(event.players.len()), Stop::new());
    let window = match test {
        Some(_) => AHEAD * event.concurrency.max(1) as u64,
        None => u64::MAX,
    };
    let queue = Queue::new(event.schedule.len(), done, window);
    let desk = Mutex::new(Desk { ledger, test, audience, written: 0, failed: None });
    let index = &|| queue.next(|| stop.requested() || halt.requested());
    let keep = &|game: Finished| {
        let number = game.row.game_index;
        // A worker writes itself, for to hand a game on takes longer; what it writes is ready
        // before it waits for its turn.
        let lines = Lines::new(&game.row, game.replay);
        if !desk.lock().unwrap_or_else(PoisonError::into_inner).keep(&game.row, lines) {
            halt.request();
        }
        queue.finish(number);
    };
    std::thread::scope(|scope| {
        // Nothing is ever sent: the channel closes when the last worker is through.
        let (at_work, through) = channel::<Infallible>();
        for slot in 0..event.concurrency.max(1) {
            let (at_work, worker) = (at_work.clone(), Worker::new(event, done, &starts, slot));
            let work = move || {
                worker.work(index, keep);
                drop(at_work);
            };
            let thread = std::thread::Builder::new().name(format!("game {slot}"));
            let thread = thread.spawn_scoped(scope, work).context("no thread for a game");
            thread.inspect_err(|_| halt.request())?;
        }
        drop(at_work);
        while matches!(through.recv_timeout(TICK), Err(RecvTimeoutError::Timeout)) {
            desk.lock().unwrap_or_else(PoisonError::into_inner).audience.tick();
        }
        anyhow::Ok(())
    })?;
    let desk = desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = desk.failed {
        return Err(error);
    }
    desk.ledger.sync()?;
    Ok(if desk.test.is_some_and(|test| test.decided()) {
        Ended::Decided
    } else if done.count + desk.written == event.schedule.len() {
        Ended::Complete
    } else {
        Ended::Stopped
    })
}

/// Hands out the games that are to be played, in the order of the schedule.
///
/// Before a sequential test nobody runs far ahead of the oldest game that is still played: the test
/// takes blocks in order, so what lies beyond a slow one may turn out to be played for nothing.
struct Queue<'d> {
    games: u64,
    done: &'d Done,
    window: u64,
    state: Mutex<Handed>,
    moved: Condvar,
}

/// What was handed out.
struct Handed {
    next: u64,
    /// Games that are being played.
    open: BTreeSet<u64>,
}

impl<'d> Queue<'d> {
    fn new(games: u64, done: &'d Done, window: u64) -> Self {
        let state = Mutex::new(Handed { next: 0, open: BTreeSet::new() });
        Self { games, done, window, state, moved: Condvar::new() }
    }

    /// The next game; none when there is none left, or when `stopped`. Waits while it would be too
    /// far ahead.
    fn next(&self, stopped: impl Fn() -> bool) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if stopped() {
                return None;
            }
            while state.next < self.games && self.done.contains(state.next) {
                state.next += 1;
            }
            let next = state.next;
            if next >= self.games {
                return None;
            }
            let oldest = state.open.first().copied().unwrap_or(next);
            if next - oldest < self.window {
                state.open.insert(next);
                state.next += 1;
                return Some(next);
            }
            // The wait has an end because a request to stop wakes nobody.
            let woken = self.moved.wait_timeout(state, TICK);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn finish(&self, game: u64) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).open.remove(&game);
        self.moved.notify_all();
    }
}

/// Where games are written down, one at a time.
struct Desk<'d, A> {
    ledger: &'d mut Ledger,
    test: Option<&'d mut Blocks>,
    audience: &'d mut A,
    written: u64,
    failed: Option<anyhow::Error>,
}

impl<A: Audience> Desk<'_, A> {
    /// Writes a game down; false when no more are wanted. After a line that failed nothing is
    /// written, for that line may be torn.
    fn keep(&mut self, row: &GameRow, lines: anyhow::Result<Lines>) -> bool {
        if self.failed.is_none() {
            self.failed = lines.and_then(|lines| self.write(row, &lines)).err();
        }
        self.failed.is_none() && !self.test.as_ref().is_some_and(|test| test.decided())
    }

    fn write(&mut self, row: &GameRow, lines: &Lines) -> anyhow::Result<()> {
        self.ledger.append(lines)?;
        self.written += 1;
        if let Some(test) = &mut self.test {
            test.note(row);
            test.advance()?;
        }
        self.audience.game(row);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// While the first game is slow, no more than the window is handed out; then it goes on.
    #[test]
    fn nobody_runs_far_ahead_of_a_slow_game() {
        let done = Done::new();
        let queue = Queue::new(1000, &done, 8);
        let first = queue.next(|| false).expect("a game");
        let mut ahead = Vec::new();
        let looks = std::cell::Cell::new(0);
        // Whoever waits gives up at the second look.
        while let Some(game) = queue.next(|| looks.replace(looks.get() + 1) > 0) {
            queue.finish(game);
            ahead.push(game);
            looks.set(0);
        }
        assert_eq!((first, ahead), (0, (1..8).collect()));
        queue.finish(first);
        assert_eq!(queue.next(|| false), Some(8));
    }

    #[test]
    fn without_a_test_all_games_are_handed_out_once_in_order() {
        let done = Done::new();
        let queue = Queue::new(50, &done, u64::MAX);
        let games: Vec<u64> = std::iter::from_fn(|| queue.next(|| false)).collect();
        assert_eq!(games, (0..50).collect::<Vec<_>>());
    }
}
