//! Logs of shots and of breaks as CSV: read fast, checked row by row, gathered into counts.
//!
//! - [`mod@line`]: one line into cells; [`columns`]: which column is which; [`schema`]: the words of a
//!   definition; [`fault`]: why a row was refused; [`keys`]: rows named twice;
//! - [`shots`] and [`breaks`]: the two kinds of log.

pub mod breaks;
mod cell;
pub mod columns;
pub mod fault;
pub mod frames;
pub mod keys;
pub mod line;
pub mod schema;
pub mod shots;
pub mod template;
