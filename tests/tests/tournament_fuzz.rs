//! `stats` and `rate` on random small inputs: numbers are finite, intervals are ordered and hold
//! their estimate, and nothing takes long. `CUEBENCH_FUZZ=200000 cargo test --release -p
//! cuebench-tests --test tournament_fuzz` looks longer.

use cuebench_engine::rng::{Purpose, Rng, stream};
use cuebench_experiments::output::rows::tournament::GameRow;
use cuebench_experiments::stats::elo::{Counts, Strength, strength, strength_of_few};
use cuebench_experiments::stats::sprt::{Model, Sprt};
use cuebench_experiments::stats::student::Quantiles;
use cuebench_experiments::tournament::collect::Games;
use cuebench_experiments::tournament::points::Points;
use cuebench_experiments::tournament::results::{Results, results, results_of_counts};
use rand::RngExt as _;
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Cases of each kind.
fn cases() -> u64 {
    std::env::var("CUEBENCH_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// Runs `case` on so many streams; none may take longer than two seconds.
fn each(kind: u64, case: impl Fn(&mut Rng, &str) + Sync) {
    (0..cases()).into_par_iter().for_each(|number| {
        let begun = Instant::now();
        case(&mut stream(kind, Purpose::Test, number), &format!("case {number}"));
        assert!(begun.elapsed() < Duration::from_secs(2), "case {number} takes too long");
    });
}

/// A count: often none, mostly small, seldom huge.
fn count(rng: &mut Rng, most: u64) -> u64 {
    match rng.random_range(0..12_u32) {
        0..=3 => 0,
        4..=9 => rng.random_range(0..6),
        10 => rng.random_range(0..2000),
        _ => rng.random_range(0..=most),
    }
}

fn check_strength(s: &Strength, case: &str) {
    let numbers = [s.elo, s.elo_error, s.nelo, s.nelo_error, s.los, s.score];
    assert!(numbers.iter().all(|x| x.is_finite()), "{case}: {s:?}");
    let [low, high] = s.wilson95;
    assert!(0.0 <= low && low <= s.score && s.score <= high && high <= 1.0, "{case}: {s:?}");
    assert!(low < high && s.elo_error > 0.0 && s.nelo_error > 0.0, "{case}: {s:?}");
    assert!((0.0..=1.0).contains(&s.los), "{case}: {s:?}");
}

#[test]
fn stats_are_finite_and_ordered() {
    each(1, |rng, case| {
        let bins = if rng.random() { 3 } else { 5 };
        let counts: Vec<u64> = (0..bins).map(|_| count(rng, u64::MAX / 5)).collect();
        let case = format!("{case}: {counts:?}");
        let Ok(counts) = Counts::new(counts) else { return };
        check_strength(&strength(&counts), &case);
        check_strength(&strength_of_few(&counts, &mut Quantiles::default()), &case);
        let wide = if rng.random() { 10_000.0 } else { 300.0 };
        let (one, other) = (rng.random_range(-wide..wide), rng.random_range(-wide..wide));
        for model in [Model::Logistic, Model::Normalized, Model::Bayesian] {
            let Ok(test) = Sprt::new([one, other], 0.05, 0.05, model) else { continue };
            if let Ok(llr) = test.llr(&counts) {
                assert!(llr.is_finite(), "{case}: {model:?} {one} {other}: {llr}");
            } else {
                assert!(model == Model::Bayesian && bins == 5, "{case}: {model:?} {one} {other}");
            }
        }
    });
}

fn check_results(results: &Results, from_seeds: bool, case: &str) {
    for row in &results.ratings {
        let text = || format!("{case}: {row:?}");
        assert!(row.elo.is_finite() && (0.0..=1.0).contains(&row.score), "{}", text());
        assert!(row.score_low <= row.score && row.score <= row.score_high, "{}", text());
        assert!(row.score_low < row.score_high, "{}", text());
        for error in [row.elo_error, row.elo_clean_error, row.elo_error_information] {
            assert!(error.is_none_or(|error| error.is_finite() && error > 0.0), "{}", text());
        }
        assert!(row.elo_clean.is_none_or(f64::is_finite), "{}", text());
        match (row.elo_low, row.elo_high) {
            (Some(low), Some(high)) => {
                assert!(low < row.elo && row.elo < high && row.elo_error.is_some(), "{}", text());
            }
            ends => assert!(ends == (None, None) && !row.untold.is_empty(), "{}", text()),
        }
        assert_eq!(row.rank.is_some(), row.untold.is_empty(), "{}", text());
        assert!(row.first.is_none_or(|first| first > 0.0 && first <= 1.0), "{}", text());
    }
    let firsts: Vec<f64> = results.ratings.iter().filter_map(|row| row.first).collect();
    let sum: f64 = firsts.iter().sum();
    assert!(firsts.is_empty() || (sum - 1.0).abs() < 1e-9, "{case}: {firsts:?}");
    assert!(from_seeds || firsts.is_empty(), "{case}");
    assert!(firsts.len() < 2 || firsts.iter().all(|&first| first < 1.0), "{case}: {firsts:?}");
    for row in &results.pairs {
        let text = || format!("{case}: {row:?}");
        assert!(row.elo.is_finite() && row.elo_joint.is_finite(), "{}", text());
        assert!(row.score_a_low <= row.score_a && row.score_a <= row.score_a_high, "{}", text());
        assert!(row.score_a_low < row.score_a_high, "{}", text());
        assert!(row.elo_error.is_finite() && row.elo_error > 0.0, "{}", text());
        assert!(row.elo_joint_error.is_none_or(|e| e.is_finite() && e > 0.0), "{}", text());
        for chance in [Some(row.los), row.los_joint].into_iter().flatten() {
            assert!((0.0..=1.0).contains(&chance), "{}", text());
        }
    }
    if let Some(told) = results.advantage {
        let finite = told.elo.is_finite() && told.elo_error.is_finite();
        assert!(finite && told.elo_error > 0.0, "{case}: {told:?}");
    }
}

#[test]
fn ratings_of_counts_are_finite_and_ordered() {
    each(2, |rng, case| {
        let bots = rng.random_range(2..7_u32);
        let lines: Vec<(String, String, [u64; 3])> = (0..rng.random_range(1..12_u32))
            .filter_map(|_| {
                let [a, b] = [0, 1].map(|_| rng.random_range(0..bots));
                let counts = [0, 1, 2].map(|_| count(rng, 100_000));
                (a != b).then(|| (format!("b{a}"), format!("b{b}"), counts))
            })
            .collect();
        for advantage in [false, true] {
            if let Ok(results) = results_of_counts(&lines, advantage) {
                check_results(&results, false, &format!("{case}: {lines:?}"));
            } else {
                let played = lines.iter().any(|(.., wdl)| wdl.iter().any(|&n| n > 0));
                assert!(advantage || !played, "{case}: {lines:?}");
            }
        }
    });
}

#[test]
fn ratings_of_games_are_finite_and_ordered() {
    each(3, |rng, case| {
        let bots = rng.random_range(2..6_usize);
        let (seeds, full) = (rng.random_range(1..9_u64), rng.random_range(0..4_u32));
        // Some fields draw always, or hardly.
        let draws = [0.0, 0.2, 1.0][rng.random_range(0..3_usize)];
        let strong = [0.5, 0.9, 1.0][rng.random_range(0..3_usize)];
        let orders = rng.random_range(1..3_u8);
        let mut games = Games::default();
        let pairs = (0..bots).flat_map(|a| (a + 1..bots).map(move |b| [a, b]));
        for (pair, ab) in pairs.enumerate() {
            for seed in 0..seeds {
                for order in 0..orders {
                    if full == 0 && rng.random_bool(0.6) {
                        continue;
                    }
                    let mut row = GameRow::sample(pair, ab, seed);
                    row.order = order;
                    row.result = Some(match () {
                        () if rng.random_bool(draws) => Points::Draw,
                        () if rng.random_bool(strong) => Points::Win,
                        () => Points::Loss,
                    });
                    if rng.random_bool(0.05) {
                        row.result = None;
                    }
                    if rng.random_bool(0.05) {
                        row.reason_a = "timeout".to_owned();
                        row.reason_b = "timeout".to_owned();
                    }
                    if rng.random_bool(0.05) {
                        row.reason_b = "crash".to_owned();
                    }
                    games.add(&row).expect("a row");
                }
            }
        }
        games.settle(if rng.random() { Some(("sample", orders)) } else { None });
        let results = results(&games, None, Some(3.0)).expect("rated");
        check_results(&results, true, case);
    });
}
