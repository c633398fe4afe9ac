//! Frames a second on one core, threshold against threshold, and the time to load, compile and
//! solve the shipped definition: `cargo bench -p cuebench-engine --bench frames`.

#![allow(clippy::print_stdout, reason = "a benchmark's result is what it prints")]

use cuebench_engine::frame::{BLOCK_FRAMES, Definition, FrameError, Game, Policy, Sampler};
use std::hint::black_box;
use std::time::Instant;

/// Runs of each measurement; the best and the median are told.
const RUNS: usize = 9;
/// Blocks of one run of sampling.
const BLOCKS: u64 = 32;

fn main() -> Result<(), FrameError> {
    let [best, median] = measured(|_| {
        let (game, [a, b]) = frame()?;
        black_box(game.solve([&a, &b])?);
        Ok(())
    })?;
    println!("load, compile, solve: {:.1} ms (median {:.1} ms)", best * 1e3, median * 1e3);
    let (game, [a, b]) = frame()?;
    let sampler = Sampler::new(&game, [&a, &b])?;
    let [best, median] = measured(|run| {
        for block in 0..BLOCKS {
            black_box(sampler.block(run, block, BLOCK_FRAMES));
        }
        Ok(())
    })?;
    let frames = (BLOCKS * BLOCK_FRAMES) as f64 / 1e6;
    println!("sampling: {:.2} M frames/s (median {:.2})", frames / best, frames / median);
    let [best, median] = measured(|_| {
        black_box(game.optimal()?);
        Ok(())
    })?;
    println!("optimal: {:.1} ms (median {:.1} ms)", best * 1e3, median * 1e3);
    Ok(())
}

fn frame() -> Result<(Game, [Policy; 2]), FrameError> {
    let game = Game::compile(&Definition::shipped()?)?;
    let policies = [game.policy("threshold", &[], 0)?, game.policy("threshold", &[], 1)?];
    Ok((game, policies))
}

/// Best and median time of a run, s.
fn measured(mut run: impl FnMut(u64) -> Result<(), FrameError>) -> Result<[f64; 2], FrameError> {
    let mut times = Vec::with_capacity(RUNS);
    for i in 0..RUNS {
        let began = Instant::now();
        run(i as u64)?;
        times.push(began.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok([times[0], times[RUNS / 2]])
}
