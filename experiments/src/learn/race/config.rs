//! Every setting of the training in one place, with defaults that work.

use cuebench_agents::net::AdamConfig;
use cuebench_agents::race::learned::{DoubtConfig, HipConfig, PlanConfig};
use serde::{Deserialize, Serialize};

/// Settings of `cuebench learn race`; a TOML file may set any of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearnConfig {
    /// Tables of a round: play them, then fit.
    pub tables_per_round: u64,
    /// Simulations a stroke of the policy that plays.
    pub sims: u64,
    /// Share of strokes at which another legal pot than the best is played.
    pub explore_stroke: f64,
    /// Spread of the residuals that play adds: half-windows of aim, logarithm of speed.
    pub explore_residual: [f64; 2],
    /// Truths that a choice under noise compares on.
    pub truths: usize,
    /// Rounds whose positions are kept for fitting.
    pub window_rounds: usize,
    /// Passes over the kept positions in a round.
    pub passes: u64,
    /// Positions of a step of the optimiser.
    pub batch: usize,
    /// Positions of a piece of a batch; pieces are what threads share.
    pub piece: usize,
    /// Every how many tables one is held out of fitting.
    pub hold_out_every: u64,
    /// More strokes beyond one a ball than this count as this.
    pub most_excess: f64,
    /// Weight of the residual's error beside the other losses of the policy.
    pub residual_weight: f64,
    /// Optimiser of the value network.
    pub value: AdamConfig,
    /// Optimiser of the policy network.
    pub policy: AdamConfig,
    /// The rate of both falls by this factor every round.
    pub rate_decay: f64,
    /// Tables on which the strength after a round is measured.
    pub strength_tables: u64,
    /// Simulations a stroke of the policy that is measured.
    pub strength_sims: u64,
    /// Search on known tables.
    pub plan: PlanConfig,
    /// Choice under noise.
    pub doubt: DoubtConfig,
    /// Shooting without simulation.
    pub hip: HipConfig,
}

impl Default for LearnConfig {
    fn default() -> Self {
        let adam = AdamConfig { rate: 2e-3, weight_decay: 1e-3, ..AdamConfig::default() };
        Self {
            tables_per_round: 500,
            sims: 200,
            explore_stroke: 0.2,
            explore_residual: [0.25, 0.08],
            truths: 16,
            window_rounds: 8,
            passes: 2,
            batch: 256,
            piece: 32,
            hold_out_every: 10,
            most_excess: 12.0,
            residual_weight: 0.2,
            value: adam,
            policy: adam,
            rate_decay: 0.97,
            strength_tables: 100,
            strength_sims: 333,
            plan: PlanConfig::default(),
            doubt: DoubtConfig::default(),
            hip: HipConfig::default(),
        }
    }
}
