//! Frames of outcome-model games: a [`Definition`] is data, a [`Game`] the finite turn-based game
//! that it compiles to, and a pair of [`Policy`] values makes of that a Markov chain that can be
//! solved exactly ([`Game::solve`]) or sampled.
//!
//! What a definition means: `design/eightball.md`.

mod chain;
mod definition;
mod eliminate;
mod error;
mod exact;
mod explore;
mod expression;
mod game;
mod graph;
mod naming;
mod optimise;
mod play;
mod policy;
mod program;
mod sample;
mod summary;
mod value;
mod view;
mod yaml;

pub use definition::{Definition, Parameter, SEATS};
pub use error::{At, FrameError};
pub use exact::{ActionCount, Exact, WinReason};
pub use explore::{GameEnd, MAX_STATES};
pub use game::Game;
pub use naming::nearest;
pub use play::FramePlay;
pub use policy::Policy;
pub use sample::{BLOCK_FRAMES, Sampler};
pub use summary::FrameSummary;
pub use value::Value;
pub use view::{ActionId, StateId, View};
pub use yaml::MAX_BYTES;
