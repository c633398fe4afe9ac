//! Chess pool at the command line: options of a frame, readable playthroughs, drawings.

pub mod board;
pub mod drawing;
pub mod events;
pub mod game_file;
pub mod keys;
pub mod playthrough;
pub mod readings;
pub mod referee;
pub mod replay;
pub mod setup;
