//! Chess pool at the command line: options of a frame, readable playthroughs, drawings.

pub mod board;
pub mod drawing;
pub mod playthrough;
pub mod setup;
