//! From counts of shots to a calibrated outcome model.
//!
//! - [`model`]: the regression behind the counts, with names, anchor and fixed parameters;
//! - [`estimate`]: fit, intervals and standing of every parameter; [`remedy`]: for thin data;
//! - [`analysis`]: all of it, into [`mod@results`].

pub mod analysis;
pub mod board;
pub mod break_skills;
pub mod caller;
pub mod definition;
pub mod estimate;
pub mod family;
pub mod files;
pub mod json;
pub mod lies;
pub mod log_options;
pub mod model;
pub mod physics;
pub mod players;
pub mod posterior;
pub mod predict;
pub mod public_numbers;
pub mod remedy;
pub mod results;
pub mod self_test;
pub mod simulate;
pub mod spots;
pub mod words;
