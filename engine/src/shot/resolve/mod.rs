//! What a contact does to velocities.

pub mod ball;
pub mod jaw;
pub mod rail;
