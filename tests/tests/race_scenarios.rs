//! The rules of the race, sentence by sentence: positions and strokes with what must come of them.
//!
//! The scenarios lie in `cases/race/scenarios.jsonl`. Their figures are worked out by hand: on
//! cloth of 1000 mm/s² a stroke of power p rolls 18 p² µm in all, a head-on contact hands all of
//! it on, and balls that are put back stand where the rules say.

use cuebench_engine::game::Seed;
use cuebench_engine::shot::{Balls, Outcome};
use cuebench_engine::snooker::{
    Action, Ball, CLEARANCE_UM, CLOTH_MM_S2, Closed, Decided, Layout, MatchOutcome, Options,
    POCKET_CLEARANCE_UM, RESTITUTION, SeatTable, Setup, StepError, TableValues, decide, named,
    starting_position, table_values,
};
use cuebench_engine::units::{BALL_DIAMETER_UM, BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};
use serde_json::Value;
use std::collections::BTreeSet;

const RULES: &str = include_str!("../cases/race/rules.txt");
const SCENARIOS: &str = include_str!("../cases/race/scenarios.jsonl");

/// Sentences that a test of this file stands for.
const BY_TEST: [&str; 10] = [
    "game.same_table",
    "hidden.range",
    "layout.random",
    "layout.spots",
    "match.draw",
    "match.score",
    "match.strokes",
    "match.time",
    "settled.return_order",
    "stroke.bounds",
];

fn scenarios() -> Vec<Value> {
    SCENARIOS.lines().map(|line| serde_json::from_str(line).expect("a scenario")).collect()
}

#[test]
fn every_sentence_is_cited_and_every_citation_is_a_sentence() {
    let sentences: BTreeSet<&str> = RULES
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let scenarios = scenarios();
    let cited: BTreeSet<&str> = scenarios
        .iter()
        .flat_map(|scenario| scenario["cites"].as_array().expect("cites"))
        .map(|cite| cite.as_str().expect("a text"))
        .chain(BY_TEST)
        .collect();
    assert_eq!(sentences, cited);
    assert!(scenarios.len() >= 60, "{}", scenarios.len());
}

#[test]
fn every_scenario_comes_out_as_expected() {
    let failures: Vec<String> = scenarios().iter().flat_map(differences).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Plays a scenario; what differs from the expectation.
fn differences(scenario: &Value) -> Vec<String> {
    let mut table = table(scenario);
    let times = scenario["times_ms"].as_array();
    let mut refused = None;
    for (number, stroke) in scenario["strokes"].as_array().expect("strokes").iter().enumerate() {
        let part = |index: usize| stroke[index].as_u64().expect("a number") as u32;
        let action = Action { angle: part(0), power: part(1) };
        let time_ms = times.map_or(0, |times| times[number].as_u64().expect("a time"));
        let before = table.observe();
        if let Err(error) = table.step_at(action, time_ms, &mut Outcome::default()) {
            assert_eq!(table.observe(), before, "a refused stroke changes nothing");
            refused = Some(error);
        }
    }
    let mut got = serde_json::to_value(table.observe()).expect("a view");
    got["time_ms"] = table.time_ms().into();
    got["refused"] = match refused {
        None => Value::Null,
        Some(StepError::Closed(_)) => "closed".into(),
        Some(other) => other.to_string().into(),
    };
    let mut differences = vec![];
    for (key, expected) in scenario["expect"].as_object().expect("an expectation") {
        let balls = if key == "balls" { expected.as_object() } else { None };
        let same = match balls {
            Some(balls) => balls.iter().all(|(name, place)| got[key][name] == *place),
            None => got[key] == *expected,
        };
        if !same {
            differences.push(format!("{}: {key} is {}, not {expected}", scenario["id"], got[key]));
        }
    }
    differences
}

fn table(scenario: &Value) -> SeatTable {
    let position = &scenario["position"];
    let options = scenario.get("options").cloned().unwrap_or_else(|| serde_json::json!({}));
    let setup = Setup {
        options: serde_json::from_value(options).expect("options"),
        clock_ms: scenario["clock_ms"].as_u64(),
        ..Setup::new(0)
    };
    let number = |key: &str| position[key].as_u64().expect("a number") as u32;
    let values = TableValues { cloth: number("cloth"), restitution: number("restitution") };
    let balls = named::deserialize(&position["balls"]).expect("balls");
    SeatTable::from_position(setup, balls, values).expect("a position")
}

/// game.same_table, hidden.range
#[test]
fn the_table_is_a_pure_function_of_the_seed_and_its_values_fill_their_ranges() {
    let options = Options::default();
    let drawn = |seed| table_values(Seed::open(seed), &options);
    assert_eq!(drawn(7), drawn(7));
    assert_eq!(starting_position(7, &options), starting_position(7, &options));
    let all: Vec<_> = (0..20_000).map(drawn).collect();
    let ends = |value: fn(&cuebench_engine::table::TableSpec) -> u32| {
        (all.iter().map(value).min(), all.iter().map(value).max())
    };
    let range = |range: std::ops::RangeInclusive<i32>| {
        (Some(range.start().unsigned_abs()), Some(range.end().unsigned_abs()))
    };
    assert_eq!(ends(|spec| spec.cloth), range(CLOTH_MM_S2));
    assert_eq!(ends(|spec| spec.restitution), range(RESTITUTION));
    // With a salt the layout stays and the values do not follow from the seed.
    let salted = (0..1000)
        .filter(|&seed| table_values(Seed::salted(seed, Some(9)), &options) == drawn(seed));
    assert!(salted.count() < 5);
}

/// layout.random
#[test]
fn random_layouts_are_clear_of_balls_cushions_and_pockets() {
    let options = Options::default();
    for seed in 0..2_000 {
        let balls = starting_position(seed, &options);
        let places: Vec<Point> = balls.at.iter().flatten().copied().collect();
        assert_eq!(places.len(), 7);
        for (index, &place) in places.iter().enumerate() {
            let inset = BALL_RADIUS_UM + CLEARANCE_UM;
            assert!((inset..=LENGTH_UM - inset).contains(&place.x_um), "seed {seed}");
            assert!((inset..=WIDTH_UM - inset).contains(&place.y_um), "seed {seed}");
            let far = |other: Point, least: i32| {
                place.distance_squared_um2(other) >= i64::from(least) * i64::from(least)
            };
            for pocket in [0, LENGTH_UM / 2, LENGTH_UM] {
                assert!(far(Point::new(pocket, 0), POCKET_CLEARANCE_UM), "seed {seed}");
                assert!(far(Point::new(pocket, WIDTH_UM), POCKET_CLEARANCE_UM), "seed {seed}");
            }
            for &other in &places[index + 1..] {
                assert!(far(other, BALL_DIAMETER_UM + CLEARANCE_UM), "seed {seed}");
            }
        }
    }
}

/// layout.spots. Places: 737/3569, 292/3569 and 324/3569 of 2540 mm, rounded half up.
#[test]
fn spots_are_the_snooker_spots_and_the_white_lies_in_the_d() {
    let options = Options { layout: Layout::Spots, ..Options::default() };
    let mut whites = BTreeSet::new();
    for seed in 0..500 {
        let balls = starting_position(seed, &options);
        for (ball, x, y) in [
            (Ball::Yellow, 524_511, 427_188),
            (Ball::Green, 524_511, 842_812),
            (Ball::Brown, 524_511, 635_000),
            (Ball::Blue, 1_270_000, 635_000),
            (Ball::Pink, 1_905_000, 635_000),
            (Ball::Black, 2_309_414, 635_000),
        ] {
            assert_eq!(balls.at[ball.slot()], Some(Point::new(x, y)), "{ball}");
        }
        let white = balls.at[0].expect("a white");
        assert!(white.x_um <= 524_511);
        let from_brown = white.distance_squared_um2(Point::new(524_511, 635_000));
        assert!(from_brown <= 207_812 * 207_812 && from_brown > 57_000 * 57_000);
        let table = SeatTable::new(Setup { options, ..Setup::new(seed) });
        assert_eq!(table.table().check(table.balls()), Ok(()));
        whites.insert(white);
    }
    assert!(whites.len() > 490);
}

/// stroke.bounds
#[test]
fn strokes_out_of_range_are_refused_and_change_nothing() {
    let mut table = SeatTable::new(Setup::new(3));
    let before = table.observe();
    for (angle, power) in [(360_000, 500), (u32::MAX, 500), (0, 0), (0, 1001), (0, u32::MAX)] {
        let refused = table.step(Action { angle, power });
        assert!(matches!(refused, Err(StepError::Stroke(_))), "{angle} {power}");
        assert_eq!(table.observe(), before);
    }
    for (angle, power) in [(0, 1), (359_999, 1000)] {
        assert!(table.step(Action { angle, power }).is_ok(), "{angle} {power}");
    }
}

/// match.score, match.strokes, match.time, match.draw: two seats play the same table.
#[test]
fn matches_go_by_score_then_strokes_then_time() {
    let position = r#"{"white":[1270000,635000],"black":[1270000,300000]}"#;
    let play = |strokes: &[(u32, u64)]| {
        let mut json = serde_json::Deserializer::from_str(position);
        let balls = named::deserialize(&mut json).expect("balls");
        let values = TableValues { cloth: 1000, restitution: 750 };
        let setup = Setup { clock_ms: Some(30_000), ..Setup::new(0) };
        let mut table = SeatTable::from_position(setup, balls, values).expect("a position");
        for &(angle, time_ms) in strokes {
            let action = Action { angle, power: 300 };
            table.step_at(action, time_ms, &mut Outcome::default()).expect("played");
        }
        table.time_out();
        table.result().expect("closed")
    };
    const POT: u32 = 270_000;
    // Straight into the opposite pocket: seven off, and the white is back where it was.
    const IN_OFF: u32 = 90_000;
    let cleared = play(&[(POT, 900)]);
    assert_eq!((cleared.score, cleared.strokes, cleared.closed), (7, 1, Closed::Cleared));
    for (a, b, winner, by) in [
        (play(&[(IN_OFF, 1), (POT, 2)]), cleared, Some(1), Decided::Score),
        (play(&[(IN_OFF, 1)]), play(&[(IN_OFF, 1), (IN_OFF, 2)]), Some(0), Decided::Score),
        // 0 points each: no stroke at all against a foul and a pot.
        (play(&[(IN_OFF, 1), (POT, 2)]), play(&[]), Some(1), Decided::Strokes),
        (play(&[(POT, 901)]), cleared, Some(1), Decided::Time),
        (play(&[(POT, 900)]), cleared, None, Decided::Draw),
        (play(&[]), play(&[]), None, Decided::Draw),
    ] {
        assert_eq!(decide([&a, &b]), MatchOutcome { winner, decided_by: by });
        let mirrored = winner.map(|seat| 1 - seat);
        assert_eq!(decide([&b, &a]), MatchOutcome { winner: mirrored, decided_by: by });
    }
}

/// What a seat sees never tells the hidden values while its table is open.
#[test]
fn two_tables_that_differ_in_hidden_values_alone_look_alike() {
    let setup = Setup::new(11);
    let balls: Balls = starting_position(11, &setup.options);
    let looks = [(700, 600), (1300, 900)].map(|(cloth, restitution)| {
        let values = TableValues { cloth, restitution };
        let table = SeatTable::from_position(setup, balls, values).expect("a table");
        serde_json::to_string(&table.observe()).expect("a view")
    });
    assert_eq!(looks[0], looks[1]);
}
