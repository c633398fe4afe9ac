//! Shots as text: lines of JSON in, answers out, drawings.

pub mod acceptance;
pub mod answer;
pub mod drawing;
pub mod line;
pub mod names;
pub mod observed;
pub mod tally;
