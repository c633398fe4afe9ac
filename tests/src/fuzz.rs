//! What is asked of any bytes that are taken for a game definition. Both the test suite and the
//! fuzz target of `tests/fuzz` call it.

use cuebench_engine::frame::{Definition, Game, Sampler};

/// How far a definition came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Came {
    /// No text, no YAML, or no definition.
    Nowhere,
    /// A definition, but no game.
    Definition,
    /// A game.
    Game,
}

/// Reads, compiles, solves and samples whatever `bytes` are.
///
/// # Panics
/// When the answer is not what every game's is: ends whose chances sum to 1, and an end for every
/// frame that is played.
#[must_use]
pub fn definition(bytes: &[u8]) -> Came {
    let Ok(text) = std::str::from_utf8(bytes) else { return Came::Nowhere };
    let Ok(definition) = Definition::parse(text) else { return Came::Nowhere };
    let Ok(game) = Game::compile(&definition) else { return Came::Definition };
    let random = game.random_policy();
    let Ok(exact) = game.solve([&random, &random]) else { return Came::Game };
    let sum: f64 = exact.win_reasons.iter().map(|reason| reason.total).sum();
    assert!((sum - 1.0).abs() < 1e-9, "the ends' chances sum to {sum}");
    if let Ok(sampler) = Sampler::new(&game, [&random, &random]) {
        assert_eq!(sampler.block(1, 0, 50).ends.iter().sum::<u64>(), 50, "a frame has no end");
    }
    Came::Game
}
