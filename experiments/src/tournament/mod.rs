//! Tournaments: the same seeds for all bots, honest errors, nothing lost.
//!
//! [`mod@file`] says what an event is, [`schedule`] which games it consists of; [`runner`] plays them
//! ([`games`] has one file a game) and [`ledger`] keeps them. [`results`] recomputes everything
//! else from what was kept.

pub mod bench;
pub mod blocks;
pub mod check;
pub mod collect;
pub mod cycles;
pub mod done;
pub mod event;
pub mod file;
pub mod folder;
pub mod games;
pub mod ledger;
pub mod points;
pub mod results;
pub mod runner;
pub mod schedule;
pub mod secret;
pub mod standings;
pub mod wdl;
pub mod worker;
