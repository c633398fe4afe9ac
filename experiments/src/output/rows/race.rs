//! Rows of `cuebench run` with `game = "snooker-race"`.

use super::row;

row! {
    /// One table of the race, played by one agent. `NAME.csv`.
    pub struct RaceTableRow as "race-table" {
        /// Name of the experiment.
        experiment: String,
        /// Seed of the table: `cuebench race --seed` shows the same one.
        table_seed: u64,
        /// The agent.
        agent: String,
        /// Whether the agent was given the hidden values (1), which no fair agent is (0).
        oracle: u8,
        /// Options that were set, `NAME=VALUE` joined by semicolons; empty if none was.
        parameters: String,
        /// Standard deviation of the angle of strokes, degrees; empty without aiming noise.
        noise_angle_deg: Option<f64>,
        /// Standard deviation of the speed of strokes, m/s; empty without aiming noise.
        noise_speed_m_s: Option<f64>,
        /// What thinking costs: `free` or `real`.
        time: String,
        /// Cloth speed of the table, mm/s².
        cloth_mm_s2: u32,
        /// Restitution of the rails, thousandths.
        restitution_thousandths: u32,
        /// Points, penalties taken off.
        score: i32,
        /// Strokes played.
        strokes: u32,
        /// Why the table closed: `cleared`, `shots` or `time`.
        closed: String,
        /// Whether the table was cleared, 1 or 0.
        cleared: u8,
        /// Strokes that were fouls.
        fouls: u32,
        /// How the table ended: `play`, or `timeout`, `crash`, `illegal`, `protocol` or `void`.
        reason: String,
        /// Own strokes after which the agent knew the hidden values; empty if it never did or does
        /// not ask.
        identified_after: Option<u32>,
        /// Shots that the agent simulated.
        sims: u64,
        /// Time charged from the start to the stroke that closed the table, ms.
        time_ms: u64,
        /// Time that the agent took, charged or not, ms.
        thought_ms: f64,
    }
}

row! {
    /// A match: two agents on the same table. `NAME-matches.csv`.
    pub struct RaceMatchRow as "race-match" {
        /// Name of the experiment.
        experiment: String,
        /// Seed of the table.
        table_seed: u64,
        /// Agent in seat 0.
        agent_0: String,
        /// Agent in seat 1.
        agent_1: String,
        /// Options that were set, `NAME=VALUE` joined by semicolons; empty if none was.
        parameters: String,
        /// Seat 0's result: 1, 0.5 or 0; empty where the harness itself failed.
        result_0: Option<f64>,
        /// What decided: `score`, `strokes`, `time` or `draw`; `forfeit` or `absent` where one seat
        /// broke off or never struck; empty where the harness itself failed.
        decided_by: String,
        /// Points of seat 0.
        score_0: i32,
        /// Points of seat 1.
        score_1: i32,
        /// Strokes of seat 0.
        strokes_0: u32,
        /// Strokes of seat 1.
        strokes_1: u32,
        /// How seat 0's table ended: `play`, or `timeout`, `crash`, `illegal`, `protocol` or `void`.
        reason_0: String,
        /// How seat 1's table ended.
        reason_1: String,
        /// Time charged to seat 0, ms.
        time_0_ms: u64,
        /// Time charged to seat 1, ms.
        time_1_ms: u64,
    }
}

row! {
    /// All tables of one agent under the same options. `NAME-agents.csv`.
    pub struct RaceAgentRow as "race-agent" {
        /// Name of the experiment.
        experiment: String,
        /// The agent.
        agent: String,
        /// Whether the agent was given the hidden values (1), which no fair agent is (0).
        oracle: u8,
        /// Options that were set, `NAME=VALUE` joined by semicolons; empty if none was.
        parameters: String,
        /// Tables played.
        tables: u64,
        /// Tables cleared.
        cleared: u64,
        /// Share of tables cleared, 0 to 1.
        clearance: f64,
        /// Lower end of the Wilson interval of the clearance at 95 %.
        clearance_low: f64,
        /// Upper end of the Wilson interval of the clearance at 95 %.
        clearance_high: f64,
        /// Mean score.
        mean_score: f64,
        /// Mean number of strokes, tables that were not cleared included.
        mean_strokes: f64,
        /// Standard error of the mean number of strokes; empty for a single table.
        mean_strokes_se: Option<f64>,
        /// Mean number of fouls a table.
        mean_fouls: f64,
        /// Tables whose hidden values the agent came to know.
        identified: u64,
        /// Mean number of own strokes after which it knew them; empty if it never did.
        mean_identified_after: Option<f64>,
        /// Mean number of shots simulated a table.
        mean_sims: f64,
        /// Mean time that the agent took for a table, ms.
        mean_thought_ms: f64,
        /// Seed of the experiment, which is that of its first table.
        seed: u64,
    }
}

row! {
    /// All matches of two agents under the same options. `NAME-pairs.csv`.
    pub struct RacePairRow as "race-pair" {
        /// Name of the experiment.
        experiment: String,
        /// Agent in seat 0.
        agent_0: String,
        /// Agent in seat 1.
        agent_1: String,
        /// Options that were set, `NAME=VALUE` joined by semicolons; empty if none was.
        parameters: String,
        /// Matches played.
        matches: u64,
        /// Matches that seat 0 won.
        wins_0: u64,
        /// Draws.
        draws: u64,
        /// Matches that seat 1 won.
        wins_1: u64,
        /// Seat 0's share of the points, 0 to 1; a draw counts one half.
        win_rate_0: f64,
        /// Lower end of the Wilson interval of that share at 95 %.
        win_rate_low: f64,
        /// Upper end of the Wilson interval of that share at 95 %.
        win_rate_high: f64,
        /// Matches decided by the score.
        by_score: u64,
        /// Matches decided by the number of strokes.
        by_strokes: u64,
        /// Matches decided by time.
        by_time: u64,
        /// Seed of the experiment, which is that of its first table.
        seed: u64,
    }
}
