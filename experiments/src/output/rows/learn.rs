//! Rows of `cuebench learn race`.

use super::row;

row! {
    /// One round of a training of the race policy: tables played, networks fitted, strength
    /// measured. `NAME-curve.csv`.
    pub struct CurveRow as "learning curve" {
        /// Number of the round, from 1.
        round: u64,
        /// Training tables played so far.
        tables: u64,
        /// Positions that the round was fitted to.
        positions: u64,
        /// Mean squared error of the value in fitting, strokes².
        value_loss: f64,
        /// Cross-entropy of the policy's choice in fitting, nats.
        choice_loss: f64,
        /// Cross-entropy of the policy's pot chance in fitting, nats.
        pot_loss: f64,
        /// Root mean square error of the value on held-out tables, strokes; empty if there were
        /// none.
        held_out_rmse: Option<f64>,
        /// The same for the constant that suits the held-out positions best, strokes.
        constant_rmse: Option<f64>,
        /// Mean strokes to clear the measured tables (a table that was not cleared counts as the
        /// most strokes and one).
        mean_strokes: f64,
        /// Share of the measured tables that were cleared, 0 to 1.
        cleared: f64,
        /// Share of the measured tables whose first stroke `learned:hip` pots, 0 to 1.
        hip_pots: f64,
        /// Time spent so far, seconds.
        spent_s: f64,
    }
}

row! {
    /// Predicted against realised strokes beyond one a ball, on held-out tables: a tenth of the
    /// positions, in order of the prediction, a row. `NAME-reliability.csv`.
    pub struct ReliabilityRow as "value reliability" {
        /// Number of the tenth, from 1: lowest predictions first; 0 is all positions together.
        tenth: u64,
        /// Positions.
        positions: u64,
        /// Mean predicted strokes beyond one a ball.
        predicted: f64,
        /// Mean realised strokes beyond one a ball.
        realised: f64,
        /// Standard error of the realised mean; empty for one position.
        realised_se: Option<f64>,
        /// Root mean square error of the prediction, strokes.
        rmse: f64,
        /// Root mean square error of the overall mean as prediction, strokes.
        constant_rmse: f64,
    }
}

row! {
    /// One candidate that was tried in a position of a training table, with what the networks see;
    /// a position in which none was tried has one row with empty candidate columns. The inputs
    /// follow in columns named `value:NAME` and `policy:NAME`, in the order of
    /// `agents/src/race/learned/features.rs` and `candidates.rs`. `--dataset FILE`.
    pub struct DatasetRow as "learning data" {
        /// Number of the training table.
        table: u64,
        /// Strokes played before.
        stroke: u32,
        /// Colours left.
        left: u32,
        /// Strokes to clear from here; empty where neither play nor search could tell.
        strokes_to_clear: Option<f64>,
        /// Number of the candidate in the order tried, from 0.
        candidate: Option<u64>,
        /// Residual of the aim, half-windows.
        thin: Option<f32>,
        /// Residual of the speed, a logarithm.
        log_speed: Option<f32>,
        /// 1 if it potted legally, else 0.
        potted: Option<u8>,
        /// 1 if the search chose it, else 0.
        chosen: Option<u8>,
    }
}
