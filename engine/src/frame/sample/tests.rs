use super::*;
use crate::frame::Definition;

fn pair(first: &str, second: &str) -> (Game, [Policy; 2]) {
    let game = Game::compile(&Definition::shipped().unwrap()).unwrap();
    let policies = [game.policy(first, &[], 0).unwrap(), game.policy(second, &[], 1).unwrap()];
    (game, policies)
}

/// Both ways of playing agree with the exact values, and a block repeats.
#[test]
fn lanes_and_plain_agree_with_the_exact_values() {
    let (game, [a, b]) = pair("threshold", "always_attack");
    let exact = game.solve([&a, &b]).unwrap();
    let packed = Sampler::new(&game, [&a, &b]).unwrap();
    assert!(matches!(packed.tables, Tables::Lanes(_)));
    let chain = Chain::new(&game, [&a, &b]);
    let plain = Sampler { tables: Tables::Plain(plain::Tables::new(&chain)), ..packed.clone() };
    for sampler in [packed, plain] {
        let mut sum = FrameSummary::default();
        for block in 0..8 {
            let summary = sampler.block(7, block, BLOCK_FRAMES);
            assert_eq!(summary, sampler.block(7, block, BLOCK_FRAMES));
            sum.merge(&summary);
        }
        let n = sum.frames as f64;
        let z = (sum.win_rate() - exact.p0_win) / (exact.p0_win * (1.0 - exact.p0_win) / n).sqrt();
        let z_shots = (sum.mean_shots() - exact.mean_shots) / sum.mean_shots_se();
        let foul = sampler.reasons(&sum)[0].1 as f64 / n;
        let z_foul = (foul - 0.03) / (0.03 * 0.97 / n).sqrt();
        assert!(
            z.abs() < 4.0 && z_shots.abs() < 4.0 && z_foul.abs() < 4.0,
            "{z} {z_shots} {z_foul}"
        );
    }
}

/// Short blocks count every frame, whether or not there are as many as lanes.
#[test]
fn every_frame_is_counted() {
    let (game, [a, b]) = pair("threshold", "threshold");
    let sampler = Sampler::new(&game, [&a, &b]).unwrap();
    for frames in [0, 1, 15, 16, 17, 100, 1_000] {
        let summary = sampler.block(1, 0, frames);
        assert_eq!(summary.frames, frames);
        assert_eq!(summary.ends.iter().sum::<u64>(), frames);
    }
    assert_ne!(sampler.block(1, 0, 1_000), sampler.block(2, 0, 1_000));
    assert_ne!(sampler.block(1, 0, 1_000), sampler.block(1, 1, 1_000));
}
