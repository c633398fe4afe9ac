//! Rows of experiments of games without rows of their own.

use super::row;

row! {
    /// One game between two agents. `NAME.csv`.
    pub struct MatchRow as "match" {
        /// Name of the experiment.
        experiment: String,
        /// Public seed of the game.
        game_seed: u64,
        /// 0: agent a in seat 0; 1: agent b in seat 0.
        order: u8,
        /// The agent named first.
        agent_a: String,
        /// The other.
        agent_b: String,
        /// Options that were set, `NAME=VALUE` joined by semicolons; empty if none was.
        parameters: String,
        /// Points of agent a: 1, 0.5 or 0; empty where the harness itself failed.
        result_a: Option<f64>,
        /// The game's word for what decided; empty where the harness itself failed.
        decided_by: String,
        /// How agent a's game ended: `play`, or `timeout`, `crash`, `illegal`, `protocol` or `void`.
        reason_a: String,
        /// How agent b's game ended.
        reason_b: String,
        /// Score of agent a; empty where the game has none.
        score_a: Option<i32>,
        /// Score of agent b.
        score_b: Option<i32>,
        /// Strokes of agent a.
        strokes_a: u32,
        /// Strokes of agent b.
        strokes_b: u32,
        /// Time charged to agent a, ms.
        time_a_ms: u64,
        /// Time charged to agent b, ms.
        time_b_ms: u64,
    }
}

row! {
    /// All games of two agents under the same options. `NAME-summary.csv`.
    pub struct MatchSumRow as "match-summary" {
        /// Name of the experiment.
        experiment: String,
        /// The agent named first.
        agent_a: String,
        /// The other.
        agent_b: String,
        /// Options that were set, `NAME=VALUE` joined by semicolons; empty if none was.
        parameters: String,
        /// Games that have a result.
        games: u64,
        /// Games that agent a won.
        wins_a: u64,
        /// Draws.
        draws: u64,
        /// Games that agent b won.
        wins_b: u64,
        /// Games that a fault of an agent or of the harness ended.
        faults: u64,
        /// Agent a's share of the points, 0 to 1; empty without games.
        win_rate_a: Option<f64>,
        /// Lower end of the Wilson interval of that share at 95 %.
        win_rate_low: Option<f64>,
        /// Upper end of the Wilson interval of that share at 95 %.
        win_rate_high: Option<f64>,
        /// Seed of the experiment, which is that of its first game.
        seed: u64,
    }
}
