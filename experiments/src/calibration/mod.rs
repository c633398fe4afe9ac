//! From counts of shots to a calibrated outcome model.
//!
//! - [`model`]: the regression behind the counts, with names, anchor and fixed parameters;
//! - [`estimate`]: fit, intervals and standing of every parameter.

pub mod estimate;
pub mod model;
