//! A calibration as JSON.

use super::results::{By, HeldOut, Results, Test};
use crate::shot_log::fault::Dropped;
use crate::stats::calibration::measures::Measures;
use serde_json::{Value, json};

/// What was read.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    /// Rows read in logs of shots.
    pub shot_rows: u64,
    /// Rows read in logs of breaks, if there were any.
    pub break_rows: Option<u64>,
    /// Bad rows dropped.
    pub dropped: &'a Dropped,
    /// Whether duplicates were looked for.
    pub keyed: bool,
}

/// The whole result.
#[must_use]
pub fn document(results: &Results, data: &Data<'_>, notes: &[String]) -> Value {
    json!({
        "estimates": results.lines(),
        "fit": fit(results),
        "status": results.fitted.status.word(),
        "problems": results.problems,
        "data": read(data),
        "tests": results.tests.iter().map(test).collect::<Vec<_>>(),
        "reliability": reliability(results),
        "flagged_cells": flagged(results),
        "held_out": results.held_out.as_ref().map(held_out),
        "notes": notes,
    })
}

fn fit(results: &Results) -> Value {
    let fitted = &results.fitted;
    let m = &fitted.measures;
    let k = fitted.parameters as f64;
    let cells = m.log_likelihood + m.log_coefficients;
    let fit = &results.calibration.fit;
    json!({
        "method": results.method.words(),
        "model": "logit P(pot) = s - d, logit P(position | clean pot) = s - d - c, \
                  logit P(good | safety without foul) = s - A0",
        "anchor": results.model.anchor,
        "anchor_chosen": results.model.anchor_chosen,
        "parameters": fitted.parameters,
        "rows": m.rows,
        "cells": m.cells,
        "rows_set_aside": rows_set_aside(results),
        "convention": "log_likelihood, aic and bic are over rows (yes or no each); *_cells add the \
                       log binomial coefficients of the cells; shares of scratches, fouls and \
                       breaks are not part of them",
        "log_likelihood": m.log_likelihood,
        "aic": 2.0 * k - 2.0 * m.log_likelihood,
        "bic": k * libm::log((m.rows as f64).max(1.0)) - 2.0 * m.log_likelihood,
        "bic_n": m.rows,
        "log_likelihood_cells": cells,
        "aic_cells": 2.0 * k - 2.0 * cells,
        "objective": fitted.by.objective(),
        "deviance": m.deviance,
        "pearson": m.pearson,
        "df": m.cells as i64 - fitted.parameters as i64,
        "brier": m.brier,
        "log_loss": m.log_loss,
        "base_rate_log_loss": m.base_log_loss,
        "steps": fitted.steps,
        "max_gradient": fit.max_gradient,
        "newton_decrement": fit.decrement,
        "skill_distribution": distribution(results),
    })
}

fn rows_set_aside(results: &Results) -> u64 {
    if !matches!(results.fitted.by, By::Likelihood { .. }) {
        return 0;
    }
    let cells = results.model.problem.cells().iter().zip(&results.calibration.structure.kept);
    cells.filter(|(_, kept)| !**kept).map(|(cell, _)| cell.trials).sum()
}

fn distribution(results: &Results) -> Option<Value> {
    let By::RandomSkills { distribution, .. } = &results.fitted.by else { return None };
    let [mean, spread] = &**distribution;
    Some(json!({ "mean": mean.line(), "standard_deviation": spread.line() }))
}

fn read(data: &Data<'_>) -> Value {
    let reasons: Vec<Value> = data
        .dropped
        .iter()
        .map(|(reason, rows, first)| {
            json!({ "reason": reason.word(), "rows": rows, "first": first })
        })
        .collect();
    json!({
        "shot_rows": data.shot_rows,
        "break_rows": data.break_rows,
        "dropped": data.dropped.total(),
        "dropped_by_reason": reasons,
        "duplicates_looked_for": data.keyed,
    })
}

fn test(test: &Test) -> Value {
    json!({
        "assumption": test.name,
        "slope": test.slope,
        "likelihood_ratio": test.ratio.map(|ratio| ratio.statistic),
        "df": test.ratio.map(|ratio| ratio.df),
        "p_value": test.ratio.map(|ratio| ratio.p_value),
    })
}

fn reliability(results: &Results) -> Value {
    let bins: Vec<Value> = results
        .bins
        .iter()
        .map(|bin| {
            json!({
                "rows": bin.rows,
                "predicted": bin.predicted,
                "observed": bin.successes as f64 / bin.rows as f64,
                "se": bin.se,
            })
        })
        .collect();
    json!(bins)
}

fn flagged(results: &Results) -> Value {
    let model = &results.model;
    let cells: Vec<Value> = results
        .residuals
        .iter()
        .filter(|residual| residual.z.abs() > 3.0)
        .map(|residual| {
            let meaning = &model.meanings[residual.cell.pattern as usize];
            let term = meaning.leave.and_then(|leave| model.terms[leave].strip_prefix("D."));
            json!({
                "player": model.players[residual.cell.block as usize],
                "stage": meaning.stage.word(),
                "leave": term,
                "geometry": meaning.geometry.map(crate::shot_log::shots::Geometry::values),
                "trials": residual.cell.trials,
                "successes": residual.cell.successes,
                "probability": residual.probability,
                "z": residual.z,
            })
        })
        .collect();
    json!(cells)
}

fn held_out(held: &HeldOut) -> Value {
    let Measures { rows, brier, log_loss, base_log_loss, .. } = held.measures;
    let value = |(estimate, se): (f64, f64)| json!({ "estimate": estimate, "se": se });
    json!({
        "rows": rows,
        "rows_without_estimate": held.rows_without_estimate,
        "brier": brier,
        "log_loss": log_loss,
        "base_rate_log_loss": base_log_loss,
        "calibration_intercept": held.intercept_and_slope.map(|pair| value(pair[0])),
        "calibration_slope": held.intercept_and_slope.map(|pair| value(pair[1])),
    })
}
