//! What is wrong with a data set, in words, with the rows behind it.

use super::estimate::Calibration;
use super::model::{Model, Stage};
use crate::stats::calibration::design::Parameter;
use crate::stats::calibration::structure::{Separation, Standing};
use serde::Serialize;
use std::fmt::Write as _;

/// The most cells that a problem lists.
const MAX_CELLS: usize = 50;

/// Rows of one player, stage and leave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rows {
    /// The player.
    pub player: String,
    /// The stage.
    pub stage: &'static str,
    /// The leave, where leaves describe positions.
    pub leave: Option<String>,
    /// Rows.
    pub trials: u64,
    /// Rows with success.
    pub successes: u64,
}

/// One thing that the data cannot tell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Problem {
    /// `separated`, `unidentified` or `empty`.
    pub kind: &'static str,
    /// The parameters concerned.
    pub parameters: Vec<String>,
    /// Rows behind it.
    pub rows: u64,
    /// The cells of these rows, the first 50.
    pub cells: Vec<Rows>,
    /// The problem in words.
    pub text: String,
}

/// All problems of a calibration; none if every free parameter has an estimate.
#[must_use]
pub fn problems(model: &Model, calibration: &Calibration, leaves: &[String]) -> Vec<Problem> {
    let structure = &calibration.structure;
    let mut problems: Vec<Problem> = structure
        .separations
        .iter()
        .map(|separation| separated(model, calibration, separation, leaves))
        .collect();
    let named = |wanted: Standing| -> Vec<String> {
        model.parameters().filter(|&p| structure.get(p) == wanted).map(|p| model.name(p)).collect()
    };
    let loose = named(Standing::Unidentified);
    if !loose.is_empty() {
        let text = format!(
            "{} cannot be told apart: the rows determine them only together, none connects them \
             with the anchor {}; hold one of them with --fix, or add rows that connect them",
            loose.join(", "),
            model.anchor
        );
        let rows = 0;
        problems.push(Problem {
            kind: "unidentified",
            parameters: loose,
            rows,
            cells: vec![],
            text,
        });
    }
    let empty = named(Standing::Empty);
    if !empty.is_empty() {
        let text = format!(
            "no data: no row tells anything about {}; --out and predict keep the definition's \
             numbers there",
            empty.join(", ")
        );
        let rows = 0;
        problems.push(Problem { kind: "empty", parameters: empty, rows, cells: vec![], text });
    }
    problems
}

fn separated(
    model: &Model,
    calibration: &Calibration,
    separation: &Separation,
    leaves: &[String],
) -> Problem {
    // A direction that several parameters share sets rows aside once; the rows behind a single
    // parameter are all of its rows.
    let cells: Vec<usize> = if separation.cells.is_empty() {
        let touched = |&i: &usize| {
            separation.moves.iter().any(|&(parameter, _)| touches(model, i, parameter))
        };
        (0..model.problem.cells().len()).filter(touched).collect()
    } else {
        separation.cells.clone()
    };
    let rows: Vec<Rows> = cells.iter().map(|&i| rows_of(model, i, leaves)).collect();
    let (trials, successes) =
        rows.iter().fold((0, 0), |(n, k), row| (n + row.trials, k + row.successes));
    let moves: Vec<String> = separation
        .moves
        .iter()
        .map(|&(p, sign)| format!("{} {}", model.name(p), if sign > 0.0 { "up" } else { "down" }))
        .collect();
    let mut text = format!("{} separated: ", moves_names(model, separation).join(", "));
    let _ = match (successes == trials, successes == 0) {
        (true, _) => write!(text, "all {trials} rows behind it are successes"),
        (_, true) => write!(text, "all {trials} rows behind it are failures"),
        _ => write!(
            text,
            "{successes} successes and {} failures are predicted without error",
            trials - successes
        ),
    };
    let _ =
        write!(text, " ({}); the likelihood rises for ever with {}", list(&rows), moves.join(", "));
    let single = separation.moves.first().filter(|_| separation.moves.len() == 1);
    if let Some((parameter, _)) = single
        && let Standing::Separated { up, down } = calibration.structure.get(*parameter)
        && up != down
    {
        let _ = write!(text, "; its interval is open {}", if up { "above" } else { "below" });
    }
    Problem {
        kind: "separated",
        parameters: moves_names(model, separation),
        rows: trials,
        cells: rows.into_iter().take(MAX_CELLS).collect(),
        text,
    }
}

fn moves_names(model: &Model, separation: &Separation) -> Vec<String> {
    separation.moves.iter().map(|&(parameter, _)| model.name(parameter)).collect()
}

fn touches(model: &Model, cell: usize, parameter: Parameter) -> bool {
    let cell = &model.problem.cells()[cell];
    match parameter {
        Parameter::Block(p) => cell.block as usize == p,
        Parameter::Shared(j) => {
            let terms = model.problem.patterns.terms(cell.pattern as usize);
            terms.iter().any(|t| t.0 as usize == j)
        }
    }
}

fn rows_of(model: &Model, cell: usize, leaves: &[String]) -> Rows {
    let cell = &model.problem.cells()[cell];
    let meaning = &model.meanings[cell.pattern as usize];
    Rows {
        player: model.players[cell.block as usize].clone(),
        stage: meaning.stage.word(),
        leave: meaning.leave.map(|leave| leaves[leave].clone()),
        trials: cell.trials,
        successes: cell.successes,
    }
}

/// The first few groups of rows in words.
fn list(rows: &[Rows]) -> String {
    let mut words: Vec<String> = rows
        .iter()
        .take(6)
        .map(|row| {
            let from =
                row.leave.as_ref().map_or_else(String::new, |leave| format!(" from {leave}"));
            let stage = if row.stage == Stage::Pot.word() { "pots" } else { row.stage };
            format!("{}: {} of {} {stage}{from}", row.player, row.successes, row.trials)
        })
        .collect();
    if rows.len() > words.len() {
        words.push(format!("and {} more cells", rows.len() - words.len()));
    }
    words.join("; ")
}
