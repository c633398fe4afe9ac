//! Planning by simulation: whole clearances on known tables, expected values in doubt.

mod agent;
mod any_order;
mod budget;
mod clear;
mod ease;
mod gamble;
mod goal;
mod known;

pub use agent::{SearchAgent, Thinking};
pub use budget::Budget;
pub(crate) use clear::contact_strokes;
pub use ease::ease;
pub use goal::Goal;
pub use known::Known;
