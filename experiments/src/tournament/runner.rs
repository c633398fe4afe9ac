//! Playing an event: workers fetch games, play them and write each down the moment it ends.

use super::bench::Starts;
use super::blocks::Blocks;
use super::done::Done;
use super::event::Event;
use super::games::TournamentGame;
use super::ledger::{Ledger, Lines};
use super::worker::{Finished, Worker};
use crate::output::rows::tournament::GameRow;
use crate::rollout::Stop;
use anyhow::Context as _;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often a look at the progress is offered.
const TICK: Duration = Duration::from_millis(200);

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
pub fn run<G: TournamentGame>(
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
    let (next, starts, halt) = (AtomicU64::new(0), Starts::new(event.players.len()), Stop::new());
    let desk = Mutex::new(Desk { ledger, test, audience, written: 0, failed: None });
    let index = &|| {
        let asked = stop.requested() || halt.requested();
        (!asked).then(|| next.fetch_add(1, Ordering::Relaxed))
    };
    let keep = &|game: Finished| {
        // A worker writes itself, for to hand a game on takes longer; what it writes is ready
        // before it waits for its turn.
        let lines = Lines::new(&game.row, game.replay);
        if !desk.lock().unwrap_or_else(PoisonError::into_inner).keep(&game.row, lines) {
            halt.request();
        }
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
