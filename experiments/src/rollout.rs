//! Rollouts: a list of blocks, played on threads, delivered in order.
//!
//! A block is a pure function of its index, so the delivered sequence is the same at any number of
//! threads. At most a window of finished blocks waits for its turn, whatever the length of the
//! list. A [`Stop`] that is handed in ends a rollout early: blocks in flight are finished and
//! delivered, so what was delivered is always an unbroken prefix.
//!
//! ```
//! use cuebench_experiments::rollout::{self, Stop};
//!
//! let mut squares = Vec::new();
//! let ended = rollout::run(0..5, 2, &Stop::new(), |i| Ok::<_, String>(i * i), |_, square| {
//!     squares.push(square);
//!     Ok(())
//! });
//! assert_eq!(ended, Ok(rollout::Ended::Complete));
//! assert_eq!(squares, [0, 1, 4, 9, 16]);
//! ```

use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Blocks that may wait for their turn, a thread.
const WINDOW_PER_THREAD: u64 = 16;
/// How often a waiting thread looks at the stop token.
const LOOK: Duration = Duration::from_millis(50);

/// A request to end early. Clones ask for the same thing; nothing global is involved.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A token that nobody has asked to stop yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that Ctrl-C (and a termination request) asks to stop. The second Ctrl-C ends the
    /// process at once, with exit code 130.
    ///
    /// # Errors
    /// When the system refuses the signal handler.
    pub fn on_interrupt() -> io::Result<Self> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let stop = Self::new();
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag down, the second finds it up.
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop.0))?;
            signal_hook::flag::register(signal, Arc::clone(&stop.0))?;
        }
        Ok(stop)
    }

    /// Asks to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How a rollout ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every block was delivered.
    Complete,
    /// Stopped on request: the blocks before `next` were delivered.
    Stopped {
        /// The first block that was not delivered.
        next: u64,
    },
}

/// Why a rollout failed. The blocks before the failure were delivered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure<E> {
    /// The threads could not be started.
    #[error("threads cannot be started: {0}")]
    Threads(String),
    /// A block returned an error; of several, the one with the least index.
    #[error("block {index}: {error}")]
    Block {
        /// Which block.
        index: u64,
        /// Its error.
        error: E,
    },
    /// A block panicked, which is a defect of this program.
    #[error("block {index} panicked: {message}")]
    Panicked {
        /// Which block.
        index: u64,
        /// What the panic said.
        message: String,
    },
    /// The receiver of the results returned an error.
    #[error("block {index} could not be recorded: {error}")]
    Delivery {
        /// The block that was being delivered.
        index: u64,
        /// The receiver's error.
        error: E,
    },
}

/// Plays `blocks` on `threads` threads and hands each result to `deliver`, in order, on the
/// calling thread. A block may use rayon itself: it then shares these threads.
///
/// # Errors
/// See [`Failure`]; later blocks are not started then.
pub fn run<S: Send, E: Send>(
    blocks: Range<u64>,
    threads: usize,
    stop: &Stop,
    play: impl Fn(u64) -> Result<S, E> + Sync,
    deliver: impl FnMut(u64, S) -> Result<(), E>,
) -> Result<Ended, Failure<E>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .build()
        .map_err(|error| Failure::Threads(error.to_string()))?;
    let desk = Desk::new(blocks, WINDOW_PER_THREAD * threads.max(1) as u64);
    pool.in_place_scope(|scope| {
        // A broadcast, not a spawn: no worker's loop may be stolen by a block that waits for its
        // own parallel parts, or that block would wait for itself.
        scope.spawn_broadcast(|_, _| desk.work(stop, &play));
        desk.deliver(stop, deliver)
    })
}

/// Where workers fetch block numbers and leave results, and the receiver picks them up in order.
struct Desk<S, E> {
    end: u64,
    window: u64,
    ledger: Mutex<Ledger<S, E>>,
    /// A worker may fetch again.
    room: Condvar,
    /// A result was left.
    ready: Condvar,
}

struct Ledger<S, E> {
    /// The first block that no worker has fetched.
    unfetched: u64,
    /// The first block that was not delivered.
    undelivered: u64,
    waiting: BTreeMap<u64, Result<S, Failure<E>>>,
    /// No more blocks are handed out.
    closed: bool,
}

impl<S: Send, E: Send> Desk<S, E> {
    fn new(blocks: Range<u64>, window: u64) -> Self {
        let ledger = Ledger {
            unfetched: blocks.start,
            undelivered: blocks.start,
            waiting: BTreeMap::new(),
            closed: false,
        };
        Self {
            end: blocks.end.max(blocks.start),
            window,
            ledger: Mutex::new(ledger),
            room: Condvar::new(),
            ready: Condvar::new(),
        }
    }

    fn work(&self, stop: &Stop, play: &(impl Fn(u64) -> Result<S, E> + Sync)) {
        while let Some(index) = self.fetch(stop) {
            let result = match catch_unwind(AssertUnwindSafe(|| play(index))) {
                Ok(result) => result.map_err(|error| Failure::Block { index, error }),
                Err(panic) => Err(Failure::Panicked { index, message: said(&*panic) }),
            };
            self.lock().waiting.insert(index, result);
            self.ready.notify_one();
        }
    }

    fn fetch(&self, stop: &Stop) -> Option<u64> {
        let mut ledger = self.lock();
        loop {
            if ledger.closed || ledger.unfetched == self.end || stop.requested() {
                return None;
            }
            if ledger.unfetched - ledger.undelivered < self.window {
                ledger.unfetched += 1;
                return Some(ledger.unfetched - 1);
            }
            ledger = wait(&self.room, ledger);
        }
    }

    fn deliver(
        &self,
        stop: &Stop,
        mut deliver: impl FnMut(u64, S) -> Result<(), E>,
    ) -> Result<Ended, Failure<E>> {
        // However this ends, the workers must not wait for it.
        let _closing = Closing(self);
        loop {
            let (index, result) = match self.next(stop) {
                Ok(next) => next,
                Err(ended) => return Ok(ended),
            };
            deliver(index, result?).map_err(|error| Failure::Delivery { index, error })?;
        }
    }

    /// The next block in order with its result, or how the rollout ended.
    fn next(&self, stop: &Stop) -> Result<(u64, Result<S, Failure<E>>), Ended> {
        let mut ledger = self.lock();
        let index = ledger.undelivered;
        loop {
            if let Some(result) = ledger.waiting.remove(&index) {
                ledger.undelivered += 1;
                self.room.notify_all();
                return Ok((index, result));
            }
            if index == self.end {
                return Err(Ended::Complete);
            }
            if index == ledger.unfetched && stop.requested() {
                ledger.closed = true;
                return Err(Ended::Stopped { next: index });
            }
            ledger = wait(&self.ready, ledger);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Ledger<S, E>> {
        // No code of others runs under the lock, so a poisoned ledger is still in order.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Closing<'a, S: Send, E: Send>(&'a Desk<S, E>);

impl<S: Send, E: Send> Drop for Closing<'_, S, E> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.room.notify_all();
    }
}

fn wait<'a, T>(signal: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    signal.wait_timeout(guard, LOOK).unwrap_or_else(PoisonError::into_inner).0
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|&text| text.to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::sync::atomic::AtomicU64;

    /// A block whose time depends on its index, so that threads finish out of order.
    fn slow_square(index: u64) -> Result<u64, String> {
        std::thread::sleep(Duration::from_micros((index * 7919) % 300));
        Ok(index * index)
    }

    fn collect(threads: usize, stop: &Stop) -> (Vec<(u64, u64)>, Ended) {
        let mut seen = Vec::new();
        let ended = run(3..200, threads, stop, slow_square, |index, square| {
            seen.push((index, square));
            Ok(())
        });
        (seen, ended.expect("no failure"))
    }

    #[test]
    fn results_come_in_order_at_any_number_of_threads() {
        let expected: Vec<_> = (3..200).map(|i| (i, i * i)).collect();
        for threads in [1, 2, 7] {
            assert_eq!(collect(threads, &Stop::new()), (expected.clone(), Ended::Complete));
        }
    }

    #[test]
    fn no_more_than_a_window_of_blocks_waits() {
        let (begun, delivered) = (AtomicU64::new(0), AtomicU64::new(0));
        let most = AtomicU64::new(0);
        let play = |index| {
            let ahead = begun.fetch_add(1, Ordering::SeqCst) + 1 - delivered.load(Ordering::SeqCst);
            most.fetch_max(ahead, Ordering::SeqCst);
            Ok::<_, String>(index)
        };
        run(0..2_000, 2, &Stop::new(), play, |_, _| {
            std::thread::sleep(Duration::from_micros(20));
            delivered.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
        .expect("no failure");
        // One more than the window: the block in delivery has left it already.
        assert!(most.into_inner() <= 2 * WINDOW_PER_THREAD + 1);
    }

    #[test]
    fn a_stop_leaves_an_unbroken_prefix() {
        for threads in [1, 3] {
            let (stop, mut seen) = (Stop::new(), Vec::new());
            let ended = run(0..100_000, threads, &stop, slow_square, |index, _| {
                seen.push(index);
                if index == 40 {
                    stop.request();
                }
                Ok(())
            });
            let next = seen.len() as u64;
            assert_eq!(ended, Ok(Ended::Stopped { next }));
            assert_eq!(seen, (0..next).collect::<Vec<_>>());
            assert!((41..2_000).contains(&next), "{next}");
        }
        let stop = Stop::new();
        stop.request();
        assert_eq!(collect(2, &stop), (vec![], Ended::Stopped { next: 3 }));
    }

    #[test]
    fn the_first_failure_in_order_is_the_one_reported() {
        let play = |index| match index {
            20 => {
                std::thread::sleep(Duration::from_millis(5));
                Err("late but first")
            }
            21.. => Err("early but later"),
            _ => Ok(index),
        };
        let mut seen = 0;
        let ended = run(0..1_000, 4, &Stop::new(), play, |_, _| {
            seen += 1;
            Ok(())
        });
        assert_eq!(ended, Err(Failure::Block { index: 20, error: "late but first" }));
        assert_eq!(seen, 20);
    }

    #[test]
    fn a_panic_and_a_failing_receiver_are_typed() {
        let play = |index| if index == 5 { panic!("on purpose") } else { Ok(index) };
        let ended = run(0..1_000, 2, &Stop::new(), play, |_, _| Ok::<_, String>(()));
        assert_eq!(ended, Err(Failure::Panicked { index: 5, message: "on purpose".into() }));
        let ended = run(0..100_000, 2, &Stop::new(), Ok, |index, _| match index {
            9 => Err("disk full"),
            _ => Ok(()),
        });
        assert_eq!(ended, Err(Failure::Delivery { index: 9, error: "disk full" }));
    }

    #[test]
    fn blocks_may_be_parallel_themselves() {
        let play = |index: u64| {
            Ok::<u64, String>((0..2_000).into_par_iter().map(|i| i ^ index).max().unwrap_or(0))
        };
        let ended = run(0..500, 2, &Stop::new(), play, |_, _| Ok(()));
        assert_eq!(ended, Ok(Ended::Complete));
    }
}
