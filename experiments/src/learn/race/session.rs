//! A training: rounds of play and fitting, with a checkpoint after each.

use super::checkpoint::{self, Progress};
use super::config::LearnConfig;
use super::curve::CurveRow;
use super::dataset::Dataset;
use super::episode::{Sample, play};
use super::fit::Fit;
use super::measure;
use crate::rollout::Stop;
use cuebench_engine::snooker::AimNoise;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// When a training ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// After the round in which so many tables are reached.
    Tables(u64),
    /// After the round in which so much time has been spent, resumed sessions included.
    Time(Duration),
}

/// A training.
pub struct Session<'s> {
    /// Settings.
    pub config: &'s LearnConfig,
    /// Aiming noise of its tables.
    pub noise: Option<AimNoise>,
    /// Its seed.
    pub seed: u64,
    /// When it ends.
    pub end: End,
    /// Its checkpoint's place and what it was asked for.
    pub checkpoint: (&'s Path, &'s str),
    /// Where positions go as columns, if anywhere.
    pub dataset: Option<Dataset>,
}

/// What a training has come to.
pub struct Trained {
    /// Where it stands.
    pub progress: Progress,
    /// Held-out samples of the kept rounds, for the reliability table.
    pub held_out: Vec<Sample>,
    /// Whether it was interrupted.
    pub stopped: bool,
}

impl Session<'_> {
    /// Goes on from `progress` until the end or a request to stop, which ends it after the round
    /// before. `report` is called after every round, and with the tables played in between.
    ///
    /// # Errors
    /// When a table cannot be played or a file not be written; the last checkpoint stays.
    pub fn run(
        mut self,
        mut progress: Progress,
        stop: &Stop,
        report: &mut dyn FnMut(Event<'_>),
    ) -> anyhow::Result<Trained> {
        while !self.is_over(&progress) && !stop.requested() {
            let begun = Instant::now();
            let Some(samples) = self.play_round(&progress, stop, report)? else { break };
            if let Some(dataset) = &mut self.dataset {
                dataset.add(&samples)?;
            }
            self.learn(&mut progress, samples, begun)?;
            checkpoint::save(self.checkpoint.0, &progress, self.checkpoint.1)?;
            if let Some(row) = progress.curve.last() {
                report(Event::Round(row));
            }
        }
        let stopped = !self.is_over(&progress);
        // An interrupted training leaves an older file as it is.
        if let Some(dataset) = self.dataset.take().filter(|_| !stopped) {
            dataset.finish()?;
        }
        let kept = progress.window.iter().flatten();
        let held_out = kept.filter(|s| is_held_out(self.config, s)).cloned().collect();
        Ok(Trained { progress, held_out, stopped })
    }

    fn is_over(&self, progress: &Progress) -> bool {
        match self.end {
            End::Tables(tables) => progress.rounds * self.config.tables_per_round >= tables,
            End::Time(time) => progress.spent_s >= time.as_secs_f64(),
        }
    }

    /// The samples of the next round's tables in order; `None` when it was stopped.
    fn play_round(
        &self,
        progress: &Progress,
        stop: &Stop,
        report: &mut dyn FnMut(Event<'_>),
    ) -> anyhow::Result<Option<Vec<Sample>>> {
        const PIECE: u64 = 50;
        let first = progress.rounds * self.config.tables_per_round;
        let mut samples = Vec::new();
        let mut from = first;
        let until = first + self.config.tables_per_round;
        while from < until {
            let to = (from + PIECE).min(until);
            let model = &progress.fit.model;
            let tables: Vec<_> = (from..to)
                .into_par_iter()
                .map(|table| play(model, self.config, self.noise, self.seed, table))
                .collect();
            for table in tables {
                samples.extend(table?);
            }
            report(Event::Tables(to - from));
            if stop.requested() {
                return Ok(None);
            }
            from = to;
        }
        Ok(Some(samples))
    }

    /// Fits to the kept rounds and measures.
    fn learn(
        &self,
        progress: &mut Progress,
        samples: Vec<Sample>,
        begun: Instant,
    ) -> anyhow::Result<()> {
        let config = self.config;
        // The fresh held-out tables are judged before the fit that follows them.
        let fresh: Vec<&Sample> = samples.iter().filter(|s| is_held_out(config, s)).collect();
        let errors = measure::errors(&measure::predictions(&progress.fit.model, &fresh, config));
        progress.window.push(samples);
        let excess = progress.window.len().saturating_sub(config.window_rounds);
        progress.window.drain(..excess);
        let kept: Vec<&Sample> =
            progress.window.iter().flatten().filter(|s| !is_held_out(config, s)).collect();
        let losses = progress.fit.round(&kept, config, self.seed, progress.rounds);
        let positions = kept.len() as u64;
        progress.rounds += 1;
        let strength =
            measure::strength(&Arc::new(progress.fit.model.clone()), config, self.noise)?;
        progress.spent_s += begun.elapsed().as_secs_f64();
        progress.curve.push(CurveRow {
            round: progress.rounds,
            tables: progress.rounds * config.tables_per_round,
            positions,
            value_loss: losses.value,
            choice_loss: losses.choice,
            pot_loss: losses.pot,
            held_out_rmse: errors.map(|[rmse, _]| rmse),
            constant_rmse: errors.map(|[_, constant]| constant),
            mean_strokes: strength.mean_strokes,
            cleared: strength.cleared,
            hip_pots: strength.hip_pots,
            spent_s: progress.spent_s,
        });
        Ok(())
    }

    /// Where a new training begins.
    #[must_use]
    pub fn start(seed: u64) -> Progress {
        Progress {
            rounds: 0,
            fit: Fit::new(seed),
            window: Vec::new(),
            curve: Vec::new(),
            spent_s: 0.0,
        }
    }
}

/// What happened, for whoever watches.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// So many more tables were played.
    Tables(u64),
    /// A round is done.
    Round(&'e CurveRow),
}

fn is_held_out(config: &LearnConfig, sample: &Sample) -> bool {
    config.hold_out_every > 0 && sample.table.is_multiple_of(config.hold_out_every)
}
