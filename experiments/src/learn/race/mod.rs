//! Training of the race policy by expert iteration: the current policy plays tables, search and
//! what followed label the positions, two small networks are fitted, and again.

pub mod checkpoint;
pub mod config;
pub mod curve;
pub mod dataset;
pub mod episode;
pub mod fit;
pub mod measure;
pub mod session;
