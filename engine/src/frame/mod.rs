//! Frames of outcome-model games: a [`Definition`] is data, a [`Game`] the finite turn-based game
//! that it compiles to, and a pair of [`Policy`] values makes of that a Markov chain that can be
//! solved exactly ([`Game::solve`]) or sampled.
//!
//! What a definition means, key by key: [`language`], which is
//! `engine/docs/eightball.md`.

mod chain;
mod definition;
mod eliminate;
mod error;
mod exact;
mod explore;
mod expression;
mod game;
mod graph;
#[doc = include_str!("../../docs/eightball.md")]
pub mod language {}
mod optimise;
mod play;
mod policy;
mod program;
mod review;
mod sample;
mod stay;
mod story;
mod summary;
mod value;
mod view;
mod ways;
mod yaml;

pub use crate::naming::nearest;
pub use definition::{Definition, OpenQuestion, Parameter, SEATS};
pub use error::{At, FrameError};
pub use exact::{ActionCount, Exact, WinReason};
pub use explore::{GameEnd, MAX_STATES};
pub use game::Game;
pub use play::{FramePlay, FrameState, MAX_DECISIONS};
pub use policy::Policy;
pub use review::Review;
pub use sample::{BLOCK_FRAMES, Sampler};
pub use story::{Story, Teller, Told};
pub use summary::FrameSummary;
pub use value::Value;
pub use view::{ActionId, StateId, View};
pub use ways::{Onward, Rule, Way};
pub use yaml::MAX_BYTES;
