//! Balls that touch: order by exact distance, overlaps of the start, balls that lean on each other.

use cuebench_engine::shot::{Balls, Met, Mix, Stroke, random_shot};
use cuebench_engine::table::{PocketSet, Table, TableSpec};
use cuebench_engine::units::Point;
use cuebench_tests::workspace;
use serde_json::Value;

const RACE: [&str; 7] = ["white", "yellow", "green", "brown", "blue", "pink", "black"];

/// A case of `tests/data/touching.jsonl`: answers of an independent float reference, those of the
/// first two also by 60-digit arithmetic.
struct Case {
    id: String,
    table: Table,
    balls: Balls,
    stroke: Stroke,
    answer: Value,
}

fn slot(name: &str) -> usize {
    RACE.iter().position(|race| *race == name).unwrap_or_else(|| name.parse().unwrap_or(0))
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(workspace().join("tests/data/touching.jsonl"));
    let case = |line: &str| {
        let raw: Value = serde_json::from_str(line).expect("JSON");
        let number = |key: &str| raw[key].as_u64().expect("a number") as u32;
        let pockets = if raw["pockets"] == "pool" { PocketSet::Pool } else { PocketSet::Snooker };
        let spec =
            TableSpec { pockets, cloth: number("cloth"), restitution: number("restitution") };
        let mut balls = Balls::default();
        for (name, at) in raw["balls"].as_object().expect("balls") {
            let um = |axis: usize| at[axis].as_i64().expect("µm") as i32;
            balls.at[slot(name)] = Some(Point::new(um(0), um(1)));
        }
        Case {
            id: raw["id"].as_str().expect("a name").to_owned(),
            table: Table::new(spec).expect("valid"),
            balls,
            stroke: Stroke::new(number("angle"), number("power")).expect("valid"),
            answer: raw["answer"].clone(),
        }
    };
    text.expect("the data").lines().map(case).collect()
}

#[test]
fn clusters_with_known_answers_agree_event_by_event() {
    for Case { id, table, balls, stroke, answer } in cases() {
        let (outcome, trace) = table.trace(&balls, stroke.into()).expect("valid");
        assert!(!outcome.capped, "{id}");
        let want: Vec<(String, usize, usize)> = answer["events"]
            .as_array()
            .expect("events")
            .iter()
            .map(|event| {
                let text = |i: usize| event[i].as_str().unwrap_or_default();
                let other = if text(0) == "ball" { slot(text(2)) } else { 0 };
                (text(0).to_owned(), slot(text(1)), other)
            })
            .collect();
        let got: Vec<(String, usize, usize)> = trace
            .events
            .iter()
            .map(|event| {
                let other = if let Met::Ball(other) = event.met { other.into() } else { 0 };
                (event.met.kind().to_owned(), usize::from(event.ball), other)
            })
            .collect();
        assert_eq!(got, want, "{id}");
        for (name, at) in answer["balls"].as_object().expect("balls") {
            let got = outcome.balls.at[slot(name)];
            assert_eq!(got.is_none(), at.is_null(), "{id} {name}");
            let Some(got) = got else { continue };
            for (axis, um) in [got.x_um, got.y_um].into_iter().enumerate() {
                let off = f64::from(um) - at[axis].as_f64().expect("µm");
                assert!(off.abs() <= 3.0, "{id} {name}: {off} µm");
            }
        }
    }
}

/// A gap of exactly 0 comes before a gap of a hundredth of a micrometre, whatever the angle, and
/// two gaps of 0 in the order of the balls.
#[test]
fn a_pair_with_gap_0_is_in_its_place_of_the_order() {
    let spec = TableSpec { pockets: PocketSet::Snooker, cloth: 1_000, restitution: 750 };
    let table = Table::new(spec).expect("valid");
    // Offsets at a distance of exactly 57 000 µm, and one that overlaps.
    let exact = [[57_000, 0], [34_200, 45_600], [45_600, 34_200], [0, 57_000], [54_720, 15_960]];
    let overlapping = [49_363, 28_499];
    for (index, [x, y]) in exact.into_iter().enumerate() {
        let mut balls = Balls::default();
        balls.at[0] = Some(Point::new(1_000_000, 500_000));
        balls.at[1] = Some(Point::new(1_000_000 + x, 500_000 + y));
        balls.at[2] = Some(Point::new(1_000_000 - overlapping[0], 500_000 + overlapping[1]));
        let along = f64::atan2(f64::from(y), f64::from(x)).to_degrees();
        for step in 1..2_000 {
            // Into both, up to a hair's breadth of grazing the first.
            let angle = along + 90.0 - 0.001 - f64::from(step) * 0.01;
            let other = f64::atan2(f64::from(overlapping[1]), -f64::from(overlapping[0]));
            if (angle - other.to_degrees()).abs() >= 89.9 {
                continue;
            }
            let angle = (angle.rem_euclid(360.0) * 1e3) as u32;
            let stroke = Stroke::new(angle, 300).expect("valid");
            let outcome = table.simulate(&balls, stroke).expect("valid");
            assert_eq!(outcome.first_hit, Some(1), "{index}: {angle}");
        }
    }
}

#[test]
fn an_overlap_of_the_start_is_not_undone() {
    let (mut moved, mut slow) = (0, 0);
    for index in 0..3_000 {
        let shot = random_shot(Mix::Hard, 41, index, 16);
        let (_, trace) = shot.table.trace(&shot.balls, shot.launch).expect("valid");
        let mut met = std::collections::HashSet::new();
        for event in &trace.events {
            let Met::Ball(other) = event.met else { continue };
            let first = met.insert((event.ball, other));
            let shift = event.before[0].at.distance_squared_um2(event.after[0].at);
            if shift > 0 {
                assert!(!first, "shot {index}: {event:?}");
                assert!(shift <= 2, "shot {index}: {event:?}");
                moved += 1;
            }
            slow += i32::from(!first);
        }
    }
    assert!(moved > 0 && slow > 100 * moved, "{moved} of {slow}");
}

#[test]
fn no_shot_of_allowed_values_is_capped() {
    for (balls, count) in [(16, 1_500), (5, 2_000)] {
        for index in 0..count {
            clean(42, index, balls);
        }
    }
    // Balls whose turning about each other holds them at the least closing speed.
    clean(12, 1_785_753, 16);
    clean(12, 3_380_473, 16);
    // Balls jammed between the rubber of a pocket's two sides.
    clean(12, 4_041_816, 16);
    clean(12, 351_202, 16);
    clean(12, 1_916_711, 16);
}

fn clean(seed: u64, index: u64, balls: usize) {
    let shot = random_shot(Mix::HardAnyTable, seed, index, balls);
    let outcome = shot.play().expect("valid");
    assert!(!outcome.capped, "{seed} {index}");
    assert_eq!(shot.table.check(&outcome.balls), Ok(()), "{seed} {index}");
}
