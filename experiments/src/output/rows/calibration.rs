//! Rows of `cuebench calibrate` and `cuebench simulate-shots`.

use super::row;

row! {
    /// One parameter of a calibration. `REPORT/estimates.csv`.
    pub struct EstimateRow as "calibration-estimate" {
        /// `skill.PLAYER`, `D.LEAVE` (or `b0` .. `b3`), `c`, `A0`, `P_SCRATCH`, `SAFE_FOUL`, `BREAK.KEY`.
        name: String,
        /// Estimate, or the value the parameter was held at; empty if there is no finite one.
        estimate: Option<f64>,
        /// Standard error; empty if held or without estimate.
        se: Option<f64>,
        /// Lower end of the Wald interval at 95 %.
        wald95_low: Option<f64>,
        /// Upper end of the Wald interval at 95 %.
        wald95_high: Option<f64>,
        /// Lower end of the interval by the likelihood ratio at 95 %; empty if open or not asked for.
        profile95_low: Option<f64>,
        /// Upper end of the interval by the likelihood ratio at 95 %; empty if open or not asked for.
        profile95_high: Option<f64>,
        /// Rows behind it: pot rows for `D`, clean pots for `c`, safeties without foul for `A0`, both
        /// for a skill, all trials for shares.
        n: u64,
        /// `estimated`, `held`, `separated`, `unidentified`, `empty`, `unfinished` or `boundary`.
        standing: String,
        /// Lower end of the interval that is shown, at 95 %; empty if open.
        interval95_low: Option<f64>,
        /// Upper end of the interval that is shown, at 95 %; empty if open.
        interval95_high: Option<f64>,
        /// Which interval that is: `profile`, `penalised profile`, `marginal profile`, `posterior over
        /// spreads`, `restricted profile`, `Wilson` or `Wald`.
        interval: String,
    }
}

row! {
    /// One cell of a calibration beside its fit. `REPORT/cells.csv`.
    pub struct CellRow as "calibration-cell" {
        /// The player.
        player: String,
        /// `pot`, `position` (after a clean pot) or `safety` (without foul).
        stage: String,
        /// The leave; empty for safeties and where geometry describes positions.
        leave: Option<String>,
        /// Cut angle, degrees; empty unless geometry describes positions.
        theta_deg: Option<f64>,
        /// Object ball to pocket, mm; empty unless geometry describes positions.
        l_ob_mm: Option<f64>,
        /// Cue ball to contact, mm; empty unless geometry describes positions.
        l_cb_mm: Option<f64>,
        /// Rows of the cell.
        trials: u64,
        /// Rows with success.
        successes: u64,
        /// Fitted probability; 0 or 1 where the cell is separated.
        probability: f64,
        /// `(successes - trials p) / sqrt(trials p (1 - p))`.
        z: f64,
        /// 1 where |z| > 3.
        flagged: u8,
        /// 1 where the cell is separated and was set aside.
        set_aside: u8,
    }
}

row! {
    /// One group of rows of similar fitted probability. `REPORT/reliability.csv`.
    pub struct ReliabilityRow as "calibration-reliability" {
        /// Number of the group, from 0, by rising probability.
        bin: u64,
        /// Rows.
        rows: u64,
        /// Mean fitted probability.
        predicted: f64,
        /// Share of successes.
        observed: f64,
        /// Standard error of the share if the fit holds.
        se: f64,
        /// Observed less predicted in standard errors.
        z: f64,
    }
}

row! {
    /// One shot of a log. `simulate-shots --out`.
    pub struct ShotRow as "shot-log" {
        /// The frame.
        frame: u64,
        /// Number of the shot in its frame, from 1; the break is none.
        shot: u64,
        /// Who shoots.
        player: String,
        /// Who waits.
        opponent: String,
        /// The leave before the shot.
        leave: String,
        /// `shot` or `safety`.
        call: String,
        /// The outcome, as the definition names it.
        result: String,
    }
}

row! {
    /// One shot of a log of physical shots. `simulate-shots --physics --out`.
    pub struct PhysicsShotRow as "shot-log-physics" {
        /// The frame.
        frame: u64,
        /// Number of the shot in its frame, from 1.
        shot: u64,
        /// Who shoots.
        player: String,
        /// Who waits.
        opponent: String,
        /// Cut angle at the ball aimed at, degrees.
        theta_deg: f64,
        /// Object ball to pocket, mm.
        l_ob_mm: f64,
        /// Cue ball to contact, mm.
        l_cb_mm: f64,
        /// Always `shot`.
        call: String,
        /// The outcome, as the definition names it.
        result: String,
    }
}

row! {
    /// One break of a log. `simulate-shots --breaks-out`.
    pub struct BreakRow as "break-log" {
        /// The frame.
        frame: u64,
        /// Who breaks.
        breaker: String,
        /// The outcome, as the definition names it.
        outcome: String,
    }
}
