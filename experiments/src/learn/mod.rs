//! Training.

pub mod race;
