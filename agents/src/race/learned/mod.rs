//! The learned policy of the race: a value of the leave and a policy over candidate strokes, two
//! small networks that `cuebench learn race` trains.
//!
//! On a known table without noise the networks guide a search for a whole line of strokes
//! ([`plan`]); in doubt about the aim or the table they judge what sampled simulations lead to
//! ([`doubt`]); and they can do without any simulation ([`hip`]). What they see is described in
//! [`features`] and [`candidates`].

mod agent;
pub mod candidates;
pub mod doubt;
pub mod features;
pub mod hip;
pub mod model;
pub mod plan;
pub mod roster;

pub use agent::{LearnedAgent, LearnedConfig};
pub use candidates::{Candidate, CandidateConfig, POLICY_NAMES};
pub use doubt::{Choice, DoubtConfig, Question, Truth};
pub use features::{POLICY_INPUTS, Position, VALUE_INPUTS, VALUE_NAMES};
pub use hip::{HipConfig, choose as choose_from_the_hip};
pub use model::{Evaluator, Judgement, Model, POLICY_WIDTHS, VALUE_WIDTHS};
pub use plan::{Plan, PlanConfig, Planner, Step, Tried};
pub use roster::{OPTIONS, learned};
