//! Chess pool (Robert Price, version 0.50): rules as values, apart from the physics.
//!
//! [`recorded::judge`] turns a position, a call and the contacts of a shot into a verdict with a
//! reason for every rule that decided; [`frame::State`] carries a whole frame from the break to
//! its end. Both take finished shots, from the engine or from a real table. Each reading of the
//! rules that the source leaves open is an option ([`options::Options`]).
//!
//! The rules in full, with every reading beside its alternative: `engine/docs/chess-pool.md`.

pub mod action;
pub mod board;
pub mod call;
pub mod frame;
pub mod game;
pub mod judge;
pub mod notation;
pub mod opening;
pub mod options;
pub mod piece;
pub mod place;
pub mod play;
pub mod position;
pub mod rack;
pub mod reason;
pub mod record;
pub mod recorded;
pub mod tally;
pub mod view;
