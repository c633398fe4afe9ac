//! Who decides: policies for every game, built in or run as processes.
//!
//! A roster turns text such as `search:depth=3` into an agent ([`spec::AgentSpec`]); what can go
//! wrong while an agent plays is a [`fault::Fault`], which is a result of a game and never an
//! error of the harness.

pub mod aim;
pub mod belief;
pub mod chess_pool;
pub mod clock;
pub mod external;
pub mod fault;
pub mod frame;
pub mod net;
pub mod race;
pub mod spec;
