//! Tournaments: the same seeds for all bots, honest errors, nothing lost.
//!
//! [`mod@file`] says what an event is, [`schedule`] which games it consists of; [`runner`] plays them
//! and [`ledger`] keeps them. [`results`] recomputes everything else from what was kept.

pub mod bench;
pub mod blocks;
pub mod check;
pub mod collect;
pub mod cycles;
pub mod done;
pub mod event;
pub mod file;
pub mod folder;
pub mod ledger;
pub mod load;
mod notes;
pub mod points;
mod ratings;
pub mod results;
pub mod runner;
pub mod schedule;
pub mod secret;
pub mod standings;
pub mod wdl;
pub mod worker;
