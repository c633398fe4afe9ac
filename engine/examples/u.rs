//! x
use cuebench_engine::frame::*;
fn main() {
    let d = Definition::shipped().unwrap();
    let g = Game::compile(&d).unwrap();
    let p = g.policy("threshold", &[], 0).unwrap();
    let q = g.policy("threshold", &[], 1).unwrap();
    let s = Sampler::new(&g, [&p, &q]).unwrap();
    let n = 60;
    let t = std::time::Instant::now();
    let mut sum = FrameSummary::default();
    for b in 0..n { sum.merge(&s.block(1, b, BLOCK_FRAMES)); }
    let e = t.elapsed();
    println!("{} {} {:?} {} M/s wall", sum.win_rate(), sum.mean_shots(), e, sum.frames as f64 / e.as_secs_f64() / 1e6);
}
