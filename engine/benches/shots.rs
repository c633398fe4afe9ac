//! Shots a second on one core, at the mix of `cuebench shots`, and the time of a traced shot:
//! `cargo bench -p cuebench-engine --bench shots`.

#![allow(clippy::print_stdout, reason = "a benchmark's result is what it prints")]

use cuebench_engine::shot::{Mix, Outcome, Shot, ShotError, TraceHash, random_shot};
use std::hint::black_box;
use std::time::Instant;

/// Runs of each measurement; the best and the median are told.
const RUNS: usize = 9;
/// Shots of one run.
const SHOTS: u64 = 20_000;

fn main() -> Result<(), ShotError> {
    for (name, mix, balls) in [
        ("open, 7 balls", Mix::Open, 7),
        ("open, 16 balls", Mix::Open, 16),
        ("hard, 16 balls", Mix::Hard, 16),
    ] {
        let shots: Vec<Shot> = (0..SHOTS).map(|index| random_shot(mix, 1, index, balls)).collect();
        let mut hash = TraceHash::default();
        let [best, median] = measured(|| {
            hash = play(&shots)?;
            Ok(())
        })?;
        let rate = |seconds: f64| SHOTS as f64 / seconds;
        println!(
            "{name}: {:.0} shots/s (median {:.0}), trace hash {:016x}",
            rate(best),
            rate(median),
            hash.value()
        );
    }
    let shot = random_shot(Mix::Open, 1, 0, 7);
    let [best, median] = measured(|| {
        black_box(shot.table.trace(&shot.balls, shot.launch)?);
        Ok(())
    })?;
    println!("one traced shot: {:.1} µs (median {:.1} µs)", best * 1e6, median * 1e6);
    Ok(())
}

fn play(shots: &[Shot]) -> Result<TraceHash, ShotError> {
    let (mut outcome, mut hash) = (Outcome::default(), TraceHash::default());
    for (index, shot) in shots.iter().enumerate() {
        shot.play_into(&mut outcome)?;
        hash.add(index as u64, &outcome);
    }
    Ok(hash)
}

/// The least and the median time of some runs, s.
fn measured(mut run: impl FnMut() -> Result<(), ShotError>) -> Result<[f64; 2], ShotError> {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok([times[0], times[RUNS / 2]])
}
