//! Limits that exploring and sampling share, and numbers as YAML 1.2 writes them.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_engine::frame::{Definition, Game, Sampler, Value};
use cuebench_tests::workspace;

fn lottery() -> String {
    std::fs::read_to_string(workspace().join("tests/data/frames/lottery300.yaml")).unwrap()
}

/// `frames` and `solve` agree past 65 536 ways: 90 000 to open, 20 000 of which win.
#[test]
fn sampling_goes_as_far_as_exploring() {
    for (limit, wanted) in [("70000", 2.0 / 9.0), ("100", 1.0 - 100.0 / 90_000.0)] {
        let mut definition = Definition::parse(&lottery()).unwrap();
        definition.set("K", limit).unwrap();
        let game = Game::compile(&definition).unwrap();
        let keeper = [0, 1].map(|seat| game.policy("keeper", &[], seat).unwrap());
        let policies = [&keeper[0], &keeper[1]];
        assert!((game.solve(policies).unwrap().p0_win - wanted).abs() < 1e-9);
        let frames = 60_000;
        let summary = Sampler::new(&game, policies).unwrap().block(5, 0, frames);
        let spread = (wanted * (1.0 - wanted) / frames as f64).sqrt();
        let z = (summary.win_rate() - wanted) / spread;
        assert!(z.abs() < 4.0, "K = {limit}: {} is not {wanted}", summary.win_rate());
    }
}

/// `0o10` is 8, `0x1F` is 31; what looks like one and is none is refused, never a word.
#[test]
fn octal_and_hexadecimal_are_numbers_or_refused() {
    let with = |number: &str| {
        let text = Definition::SHIPPED.replacen(
            "P_SCRATCH: 0.03",
            &format!("P_SCRATCH: 0.03\n  EXTRA: {number}"),
            1,
        );
        Definition::parse(&text)
    };
    for (text, value) in [("0o10", 8), ("0x1F", 31), ("0xff", 255), ("0o0", 0), ("+12", 12)] {
        assert_eq!(with(text).unwrap().parameter("EXTRA"), Some(Value::Int(value)), "{text}");
    }
    for text in ["0o18", "0x", "0xG1", "-0x1F", "+0o7", "0xFFFFFFFFFFFFFFFFF"] {
        let error = with(text).expect_err(text);
        assert!(error.to_string().contains(text) && error.at().is_some(), "{text}: {error}");
    }
    assert_eq!(with("'0x1F'").unwrap().parameter("EXTRA"), Some(Value::text("0x1F")));
}
