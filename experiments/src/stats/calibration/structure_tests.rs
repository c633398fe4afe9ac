//! Tests of what data can tell, against brute force and known cases.

use super::super::design::{Cell, Patterns};
use super::*;
use proptest::prelude::*;

/// `logit P = s - d`: players by levels, cells as (player, level, trials, successes).
fn problem(players: usize, levels: usize, cells: &[(u32, u32, u64, u64)]) -> Problem {
    let mut patterns = Patterns::new();
    for level in 0..levels as u32 {
        patterns.push(&[(level, -1.0)]);
    }
    let cells = cells.iter().map(|&(block, pattern, trials, successes)| Cell {
        block,
        pattern,
        trials,
        successes,
    });
    Problem::new(players, levels, patterns, cells.collect())
}

fn anchored(problem: &Problem) -> Held {
    problem.all_free().and(Parameter::Shared(0))
}

/// The toy of three players on one level, 20 of 25, 8 of 20 and 12 of 12, for which usual
/// packages report an estimate above 20 with a standard error in the thousands.
#[test]
fn a_player_with_only_successes_is_separated_upward() {
    let toy = problem(3, 1, &[(0, 0, 25, 20), (1, 0, 20, 8), (2, 0, 12, 12)]);
    let structure = analyse(&toy, &anchored(&toy)).expect("decided");
    let open = Standing::Separated { up: true, down: false };
    assert_eq!(structure.blocks, [Standing::Estimable, Standing::Estimable, open]);
    assert_eq!(structure.separations[0].cells, [2]);
    assert_eq!(structure.rank, 3);
}

#[test]
fn players_that_nothing_connects_are_not_compared() {
    // Players 0 and 1 meet on levels 0 and 1, players 2 and 3 on levels 2 and 3.
    let cells = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (2, 3), (3, 2), (3, 3)];
    let cells = cells.map(|(p, l)| (p, l, 10, 4 + u64::from(p)));
    let apart = problem(4, 5, &cells);
    let structure = analyse(&apart, &anchored(&apart)).expect("decided");
    let (fine, loose) = (Standing::Estimable, Standing::Unidentified);
    assert_eq!(structure.blocks, [fine, fine, loose, loose]);
    assert_eq!(structure.shared, [Standing::Held, fine, loose, loose, Standing::Empty]);
    assert!(structure.separations.is_empty());
}

/// Two groups that only one-sided cells join: the second group can move up for ever, but not
/// by any single parameter.
#[test]
fn a_group_that_never_loses_to_the_other_moves_together() {
    let cells =
        [(0, 0, 10, 4), (0, 1, 10, 6), (1, 2, 10, 5), (1, 3, 10, 7), (1, 0, 6, 6), (1, 1, 3, 3)];
    let joined = problem(2, 4, &cells);
    let structure = analyse(&joined, &anchored(&joined)).expect("decided");
    let open = Standing::Separated { up: true, down: false };
    assert_eq!(structure.blocks, [Standing::Estimable, open]);
    assert_eq!(structure.shared, [Standing::Held, Standing::Estimable, open, open]);
    assert_eq!(structure.separations.len(), 1);
    assert_eq!(structure.separations[0].cells.len(), 2);
}

#[test]
fn continuous_covariates_are_separated_by_a_slope_or_not_at_all() {
    let line = |outcomes: [u64; 6]| {
        let mut patterns = Patterns::new();
        let cells = (0_u32..)
            .zip(outcomes)
            .map(|(i, successes)| {
                let pattern = patterns.push(&[(0, -1.0), (1, -100.0 * f64::from(i) - 7.0)]);
                Cell { block: 0, pattern, trials: 1, successes }
            })
            .collect();
        let problem = Problem::new(1, 2, patterns, cells);
        analyse(&problem, &anchored(&problem)).expect("decided")
    };
    assert!(line([1, 1, 0, 1, 0, 0]).is_sound());
    let apart = line([1, 1, 1, 0, 0, 0]);
    assert_eq!(apart.shared[1], Standing::Separated { up: true, down: false });
    assert!(apart.kept.iter().all(|kept| !kept));
}

/// The definition itself, as linear programmes over all parameters and all rows.
fn by_definition(problem: &Problem, held: &Held) -> Vec<Option<(bool, bool)>> {
    let parameters: Vec<Parameter> = (0..problem.blocks)
        .map(Parameter::Block)
        .chain((0..problem.shared).map(Parameter::Shared))
        .filter(|&p| !held.get(p))
        .collect();
    let mut cone = Cone { variables: parameters.len(), ..Cone::default() };
    for cell in problem.cells() {
        let mut row: Row = Vec::new();
        let mut add = |parameter, x| {
            if let Ok(at) = parameters.binary_search(&parameter) {
                row.push((at, x * if cell.sign() < 0.0 { -1.0 } else { 1.0 }));
            }
        };
        add(Parameter::Block(cell.block as usize), 1.0);
        for &(j, x) in problem.patterns.terms(cell.pattern as usize) {
            add(Parameter::Shared(j as usize), x);
        }
        if cell.sign() == 0.0 { &mut cone.zeros } else { &mut cone.gains }.push(row);
    }
    let mut sides = vec![None; problem.blocks + problem.shared];
    for (at, parameter) in parameters.iter().enumerate() {
        let index = match parameter {
            Parameter::Block(p) => *p,
            Parameter::Shared(j) => problem.blocks + j,
        };
        let side = |up| cone.can_move(at, up).expect("decided");
        sides[index] = Some((side(true), side(false)));
    }
    sides
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// A parameter is estimable exactly if no direction without loss moves it, and open on the
    /// sides to which one does.
    #[test]
    fn standings_agree_with_the_definition(
        cells in prop::collection::vec((0_u32..4, 0_u32..9, 1_u64..4, 0_u64..4), 1..16),
    ) {
        let mut patterns = Patterns::new();
        for level in 0..4 {
            patterns.push(&[(level, -1.0)]);
        }
        for level in 0..4 {
            patterns.push(&[(level, -1.0), (4, -1.0)]);
        }
        patterns.push(&[(5, -1.0)]);
        let cells = cells.into_iter().map(|(block, pattern, trials, successes)| Cell {
            block, pattern, trials, successes: successes.min(trials),
        });
        let problem = Problem::new(4, 6, patterns, cells.collect());
        let held = anchored(&problem);
        let structure = analyse(&problem, &held).expect("decided");
        let standings: Vec<_> =
            structure.blocks.iter().chain(&structure.shared).copied().collect();
        for (standing, sides) in standings.iter().zip(by_definition(&problem, &held)) {
            let agrees = match (standing, sides) {
                (Standing::Held, None) => true,
                (Standing::Estimable, Some(sides)) => sides == (false, false),
                (Standing::Unidentified | Standing::Empty, Some(sides)) => sides == (true, true),
                (Standing::Separated { up, down }, Some(sides)) => sides == (*up, *down),
                _ => false,
            };
            prop_assert!(agrees, "{:?} {:?} {:?}", standing, sides, problem);
        }
        // What is kept has a finite maximum that Newton reaches.
        let kept = problem.restricted(&structure.kept);
        let fit = newton::fit(&kept, &structure.held, problem.origin());
        prop_assert_eq!(fit.ending, newton::Ending::Converged);
    }
}
