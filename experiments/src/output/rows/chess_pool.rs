//! Rows of `cuebench run` with `game = "chess-pool"`.

use super::row;

row! {
    /// One frame of chess pool. Two frames in a row are a pair with the same seed, of which each
    /// agent breaks one. `NAME.csv`.
    pub struct ChessPoolFrameRow as "chess-pool-frame" {
        /// Name of the experiment.
        experiment: String,
        /// Number of the frame within its pairing and point, from 0.
        frame: u64,
        /// Agent in seat 0.
        agent_0: String,
        /// Agent in seat 1.
        agent_1: String,
        /// Options that were set, `NAME=VALUE` joined by semicolons; empty if none was.
        parameters: String,
        /// The seat that broke.
        breaker: usize,
        /// Seat 0's result: 1, 0.5 (drawn at max_shots) or 0; empty when the harness failed.
        result_0: Option<f64>,
        /// `play`, or the fault that ended the frame.
        reason: String,
        /// Shots, the break included.
        shots: u32,
        /// Shots of seat 0.
        shots_0: u64,
        /// Shots of seat 1.
        shots_1: u64,
        /// Fouls of seat 0, scratches left out unless they were both.
        fouls_0: u64,
        /// Fouls of seat 1, scratches left out unless they were both.
        fouls_1: u64,
        /// Scratches of seat 0.
        scratches_0: u64,
        /// Scratches of seat 1.
        scratches_1: u64,
        /// Shots that seat 0 called as moves.
        moves_0: u64,
        /// Shots that seat 1 called as moves.
        moves_1: u64,
        /// Moves of seat 0 that were judged as moves.
        moves_made_0: u64,
        /// Moves of seat 1 that were judged as moves.
        moves_made_1: u64,
        /// Balls captured in seat 0's moves, of either side, the 8 too.
        captures_0: u64,
        /// Balls captured in seat 1's moves, of either side, the 8 too.
        captures_1: u64,
        /// Balls that left the game in seat 0's shots, of either side.
        removed_0: u64,
        /// Balls that left the game in seat 1's shots, of either side.
        removed_1: u64,
        /// Shots that seat 0 simulated in thought.
        sims_0: u64,
        /// Shots that seat 1 simulated in thought.
        sims_1: u64,
        /// Seed of the frame: `cuebench play --game chess-pool --seed` plays it again, with
        /// `--breaker`.
        frame_seed: u64,
    }
}

row! {
    /// One pairing of a chess-pool experiment at one point of the grid: all its frames.
    /// `NAME-summary.csv`.
    pub struct ChessPoolRow as "chess-pool" {
        /// Name of the experiment.
        experiment: String,
        /// Agent in seat 0; it breaks every other frame.
        agent_0: String,
        /// Agent in seat 1.
        agent_1: String,
        /// Options that were set, `NAME=VALUE` joined by semicolons; empty if none was.
        parameters: String,
        /// Frames with a result.
        frames: u64,
        /// Frames that seat 0 won.
        wins_0: u64,
        /// Frames drawn at max_shots.
        draws: u64,
        /// Frames that seat 1 won.
        wins_1: u64,
        /// Share of the frames that seat 0 won, 0 to 1.
        win_rate_0: f64,
        /// Lower end of the Wilson interval of the win rate at 95 %.
        win_rate_low: f64,
        /// Upper end of the Wilson interval of the win rate at 95 %.
        win_rate_high: f64,
        /// Share of the frames that the breaker won, 0 to 1.
        breaker_win_rate: f64,
        /// Frames that ended by an agent's fault.
        faults: u64,
        /// Mean number of shots in a frame, the break included.
        mean_shots: f64,
        /// Least number of shots in a frame.
        min_shots: u32,
        /// Greatest number of shots in a frame.
        max_shots: u32,
        /// Fouls of seat 0 per shot of its own.
        foul_rate_0: f64,
        /// Fouls of seat 1 per shot of its own.
        foul_rate_1: f64,
        /// Scratches of seat 0 per shot of its own.
        scratch_rate_0: f64,
        /// Scratches of seat 1 per shot of its own.
        scratch_rate_1: f64,
        /// Share of seat 0's called moves that were judged as moves; empty if it called none.
        move_rate_0: Option<f64>,
        /// Share of seat 1's called moves that were judged as moves; empty if it called none.
        move_rate_1: Option<f64>,
        /// Balls captured per called move of seat 0; empty if it called none.
        captures_per_move_0: Option<f64>,
        /// Balls captured per called move of seat 1; empty if it called none.
        captures_per_move_1: Option<f64>,
        /// Seed of the experiment.
        seed: u64,
    }
}
