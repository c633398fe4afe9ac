//! Whether difficulties are the same for all shooters: each shooter gets a difficulty of his own for
//! every level, against common ones. The skill stays what it is on the reference level, so that
//! safeties are tied to it as before.

use super::cone::Undecided;
use super::design::{Cell, Held, Parameter, Patterns, Problem};
use super::newton;
use super::slope::LikelihoodRatio;
use super::structure::analyse;

/// What a row of the common model becomes in the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Pot on a level.
    Pot(usize),
    /// Position on a level.
    Position(usize),
    /// Safety.
    Safety,
}

/// The test of difficulty by shooter. `roles` says what each pattern of `problem` is, `levels` how
/// many levels there are, `reference` the level that the skill refers to; `log_likelihood` and
/// `rank` are those of the common model. None when there is nothing to test.
///
/// # Errors
/// When the structure of the larger model cannot be decided.
pub fn test(
    problem: &Problem,
    roles: &[Role],
    levels: usize,
    reference: usize,
    log_likelihood: f64,
    rank: usize,
) -> Result<Option<LikelihoodRatio>, Undecided> {
    let mut patterns = Patterns::new();
    let (pot, position) = (patterns.push(&[]), patterns.push(&[(0, -1.0)]));
    let safety = patterns.push(&[(1, -1.0)]);
    let cells = problem.cells().iter().map(|cell| {
        let (level, pattern) = match roles[cell.pattern as usize] {
            Role::Pot(level) => (level, pot),
            Role::Position(level) => (level, position),
            Role::Safety => (reference, safety),
        };
        let block = (cell.block as usize * levels + level) as u32;
        Cell { block, pattern, ..*cell }
    });
    let larger = Problem::new(problem.blocks * levels, 2, patterns, cells.collect());
    let held: Held = larger.all_free();
    let structure = analyse(&larger, &held)?;
    let kept = larger.restricted(&structure.kept);
    let fit = newton::fit(&kept, &structure.held, larger.origin());
    let df = structure.rank.saturating_sub(rank) as u64;
    if df == 0 || fit.ending != newton::Ending::Converged {
        return Ok(None);
    }
    Ok(LikelihoodRatio::new(fit.log_likelihood - log_likelihood, df))
}

/// The reference level: that of a held difficulty, or the first.
#[must_use]
pub fn reference(held: &Held, levels: usize) -> usize {
    (0..levels).find(|&level| held.get(Parameter::Shared(level))).unwrap_or_default()
}
