//! The shipped definition held to public numbers of professional and rated play.
//!
//! Sources: an 8-ball event of 124 frames on seven-foot tables (AtLarge, AzBilliards forum, "Break
//! Stats", Ultimate Pool USA Colorado Shootout, September 2024); feature-table frames of the CSI
//! Invitational 8-Ball (AzBilliards forum, thread 370576); Fargo ratings, whose 100 points are odds
//! of 2 to 1 (fargorate.com), and run-outs by rating (billiards.colostate.edu).

use anyhow::{Context as _, ensure};
use cuebench_engine::frame::{Definition, Exact, Game};

/// Share of breaks with a legal pot and no foul, the 8 not counted: 82 of 124 less the 8s.
const LEGAL_POT: f64 = 80.0 / 124.0;
/// Share of breaks that pot the 8.
const EIGHT: f64 = 2.0 / 124.0;
/// Break and runs: 51 of 124.
pub const BREAK_AND_RUN: f64 = 51.0 / 124.0;
/// Frames that the breaker won: 73 of 124.
pub const BREAKER_WINS: f64 = 73.0 / 124.0;
/// Break and runs on the feature table of an invitational.
pub const INVITATIONAL_RUNS: f64 = 0.54;
/// Win chance of 100 Fargo points.
const TWO_TO_ONE: f64 = 2.0 / 3.0;

/// What the definition needs to meet the numbers, and what it then says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Skill at which both players break and run as often as the event's.
    pub skill: f64,
    /// The breaker's win chance at that skill.
    pub breaker_wins: f64,
    /// Break and runs as skill grows without end: no skill gives more.
    pub most_runs: f64,
    /// The same with the chance of a scratch at 0.01.
    pub skill_at_low_scratch: f64,
    /// Skill for the invitational's break and runs with the chance of a scratch at 0.01.
    pub invitational_skill_at_low_scratch: f64,
    /// Skills at which 1 % and 10 % of first visits run out (Fargo 400 and 500).
    pub run_out_skills: [f64; 2],
    /// Skill behind 100 Fargo points by win odds: level, and the difference that wins 2 to 1.
    pub odds: Vec<(f64, f64)>,
}

/// Fits the shipped definition to the public numbers, one at a time.
///
/// # Errors
/// When a game cannot be laid out or solved.
pub fn findings() -> anyhow::Result<Findings> {
    let event = with_break(&Definition::shipped()?, LEGAL_POT, EIGHT)?;
    let mut clean = event.clone();
    clean.set_number("P_SCRATCH", 0.01)?;
    let runs = |definition: &Definition, skill: f64| {
        Ok(solve(definition, [skill; 2], "threshold")?.break_and_run)
    };
    let skill = meet(BREAK_AND_RUN, |skill| runs(&event, skill))?;
    Ok(Findings {
        skill,
        breaker_wins: solve(&event, [skill; 2], "threshold")?.p0_win,
        most_runs: runs(&event, 60.0)?,
        skill_at_low_scratch: meet(BREAK_AND_RUN, |skill| runs(&clean, skill))?,
        invitational_skill_at_low_scratch: meet(INVITATIONAL_RUNS, |skill| runs(&clean, skill))?,
        run_out_skills: [meet(0.01, first_visits)?, meet(0.10, first_visits)?],
        odds: [2.0, 3.0]
            .into_iter()
            .map(|level| Ok((level, meet(TWO_TO_ONE, |skill| wins(level, skill))? - level)))
            .collect::<anyhow::Result<_>>()?,
    })
}

/// The definition with these chances on the break, the others in the proportion they have.
fn with_break(definition: &Definition, legal_pot: f64, eight: f64) -> anyhow::Result<Definition> {
    let mut definition = definition.clone();
    let rest = ["legal_dry", "illegal", "scratch"].map(|key| format!("BREAK.{key}"));
    let mut values = [0.0; 3];
    for (value, name) in values.iter_mut().zip(&rest) {
        let parameter = definition.parameter(name).and_then(|value| value.number());
        *value = parameter.with_context(|| format!("{name} is missing"))?;
    }
    let scale = (1.0 - legal_pot - eight) / values.iter().sum::<f64>();
    for (name, value) in rest.iter().zip(values) {
        definition.set_number(name, value * scale)?;
    }
    definition.set_number("BREAK.legal_pot", legal_pot)?;
    definition.set_number("BREAK.eight", eight)?;
    Ok(definition)
}

fn solve(definition: &Definition, skills: [f64; 2], policy: &str) -> anyhow::Result<Exact> {
    let mut definition = definition.clone();
    for (seat, skill) in skills.into_iter().enumerate() {
        definition.set_number(&format!("skill[{seat}]"), skill)?;
    }
    let game = Game::compile(&definition)?;
    let policies = [game.policy(policy, &[], 0)?, game.policy(policy, &[], 1)?];
    Ok(game.solve([&policies[0], &policies[1]])?)
}

/// Run-outs of a first visit: the mean of break and runs and of run-outs from an open table, both
/// attacking. (An 8 on the break leaves the breaker an open table with all balls.)
fn first_visits(skill: f64) -> anyhow::Result<f64> {
    let shipped = Definition::shipped()?;
    let open = with_break(&shipped, 0.0, 1.0)?;
    let of = |definition: &Definition| solve(definition, [skill; 2], "always_attack");
    Ok(f64::midpoint(of(&shipped)?.break_and_run, of(&open)?.break_and_run))
}

/// The win chance of `skill` against `level`, the break shared.
fn wins(level: f64, skill: f64) -> anyhow::Result<f64> {
    let shipped = Definition::shipped()?;
    let first = solve(&shipped, [skill, level], "threshold")?.p0_win;
    let second = solve(&shipped, [level, skill], "threshold")?.p0_win;
    Ok(f64::midpoint(first, 1.0 - second))
}

/// The skill at which a rising function meets `target`.
fn meet(target: f64, of: impl Fn(f64) -> anyhow::Result<f64>) -> anyhow::Result<f64> {
    let (mut low, mut high) = (1.0, 8.0);
    ensure!(of(low)? < target && of(high)? > target, "no skill from 1 to 8 gives {target}");
    while high - low > 1e-4 {
        let middle = f64::midpoint(low, high);
        if of(middle)? < target { low = middle } else { high = middle }
    }
    Ok(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of an independent solver.
    #[test]
    fn the_findings_are_those_of_an_independent_solver() {
        let found = findings().expect("solved");
        assert!((found.skill - 4.37).abs() < 0.03, "{found:?}");
        assert!((found.breaker_wins - 0.566).abs() < 0.004, "{found:?}");
        assert!((found.most_runs - 0.518).abs() < 0.001, "{found:?}");
        assert!((found.skill_at_low_scratch - 3.97).abs() < 0.03, "{found:?}");
        assert!((found.invitational_skill_at_low_scratch - 4.87).abs() < 0.05, "{found:?}");
        let [one, ten] = found.run_out_skills;
        assert!((one - 1.91).abs() < 0.02 && (ten - 2.74).abs() < 0.02, "{found:?}");
        // 283 rating points a logit at the middle of the scale: 100 points are two to one.
        let (level, difference) = found.odds[0];
        assert!((level - 2.0).abs() < 1e-9 && (difference - 100.0 / 283.0).abs() < 0.04);
    }
}
