//! Logs of shots and of breaks as CSV: read fast, checked row by row, gathered into counts.
//!
//! - [`columns`]: which column is which; [`schema`]: the words of a
//!   definition; [`fault`]: why a row was refused; [`keys`]: rows named twice;
//! - [`shots`] and [`breaks`]: the two kinds of log.

pub mod breaks;
mod cell;
pub mod columns;
pub mod fault;
pub mod frames;
pub mod keys;
pub mod names;
pub mod schema;
pub mod shots;
pub mod template;
