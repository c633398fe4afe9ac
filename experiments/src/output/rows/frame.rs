//! Rows of `cuebench run` with `game = "frame"`.

use super::row;

row! {
    /// One pairing of a frame experiment at one pair of skills and one point of the grid, sampled.
    /// Seat 0 breaks. `NAME.csv`.
    pub struct FrameRow as "frame" {
        /// Name of the experiment.
        experiment: String,
        /// Agent in seat 0, which breaks.
        agent_0: String,
        /// Agent in seat 1.
        agent_1: String,
        /// Skill of seat 0; empty if the definition knows no skill.
        skill_0: Option<f64>,
        /// Skill of seat 1; empty if the definition knows no skill.
        skill_1: Option<f64>,
        /// Every parameter that was set, `NAME=VALUE` joined by semicolons; empty if none was.
        parameters: String,
        /// Frames sampled.
        frames: u64,
        /// Frames that seat 0 won.
        wins: u64,
        /// Frames that nobody won.
        draws: u64,
        /// Share of the frames that seat 0 won, 0 to 1.
        win_rate: f64,
        /// Lower end of the Wilson interval of the win rate at 95 %.
        win_rate_low: f64,
        /// Upper end of the Wilson interval of the win rate at 95 %.
        win_rate_high: f64,
        /// Exact probability that seat 0 wins, from the linear solve; empty where it was not solved.
        exact_win_rate: Option<f64>,
        /// Sampled less exact win rate in standard errors of the exact one; empty where it was not
        /// solved.
        z: Option<f64>,
        /// Mean number of shots in a frame: pots tried and safeties, the break not counted.
        mean_shots: f64,
        /// Standard error of the mean number of shots; empty for a single frame.
        mean_shots_se: Option<f64>,
        /// Exact mean number of shots; empty where it was not solved.
        exact_mean_shots: Option<f64>,
        /// Frames that a fault of an agent decided: a time-out, a crash, an illegal answer; 0 for
        /// built-in agents.
        faults: u64,
        /// Share of the frames that ended by `eight_foul`, 0 to 1; empty if the definition has no
        /// such end.
        eight_foul: Option<f64>,
        /// Seed of the experiment.
        seed: u64,
        /// Seed of this row: `cuebench frames --seed` samples the same frames with it.
        row_seed: u64,
    }
}
