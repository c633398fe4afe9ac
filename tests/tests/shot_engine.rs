//! The shot engine: golden hashes, properties, known answers.

use cuebench_engine::shot::{
    Balls, Launch, MAX_BALLS, Mix, Outcome, Shot, TraceHash, map_all, random_shot, simulate_all,
    trace_hash,
};
use cuebench_engine::table::{Pocket, Table, TableSpec};
use cuebench_engine::units::{FULL_TURN_MDEG, LENGTH_UM, Point, WIDTH_UM};

fn shots(mix: Mix, count: u64, balls: usize) -> Vec<Shot> {
    (0..count).map(|index| random_shot(mix, 1, index, balls)).collect()
}

fn outcomes(shots: &[Shot]) -> Vec<Outcome> {
    simulate_all(shots).into_iter().map(|outcome| outcome.expect("a valid shot")).collect()
}

/// A change here is a change of behaviour: name the reason in the commit message.
#[test]
fn golden_hashes() {
    assert_eq!(trace_hash(&outcomes(&shots(Mix::Open, 3_000, 7))), GOLDEN_OPEN);
    assert_eq!(trace_hash(&outcomes(&shots(Mix::Hard, 2_000, 16))), GOLDEN_HARD);
    assert_eq!(trace_hash(&outcomes(&shots(Mix::HardAnyTable, 2_000, 16))), GOLDEN_ANY_TABLE);
}

const GOLDEN_OPEN: u64 = 0x8aba_1859_f922_3868;
const GOLDEN_HARD: u64 = 0x26eb_22ec_9ed8_1f7d;
const GOLDEN_ANY_TABLE: u64 = 0xb2b6_b70f_f8e9_5ff5;

#[test]
fn threads_and_batches_change_nothing() {
    let shots = shots(Mix::Open, 1_000, 7);
    let whole = outcomes(&shots);
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        assert_eq!(pool.install(|| outcomes(&shots)), whole);
        let digests = pool.install(|| map_all(&shots, |_, played| played.expect("valid").digest));
        assert!(digests.iter().zip(&whole).all(|(digest, outcome)| *digest == outcome.digest));
    }
    let (first, second) = shots.split_at(317);
    assert_eq!([outcomes(first), outcomes(second)].concat(), whole);
    let mut parts = [TraceHash::default(); 2];
    for (index, outcome) in whole.iter().enumerate() {
        parts[index % 2].add(index as u64, outcome);
    }
    assert_eq!(parts[1].merge(parts[0]).value(), trace_hash(&whole));
}

#[test]
fn a_traced_shot_is_the_same_shot_and_replays() {
    for shot in shots(Mix::Hard, 500, 9) {
        let (outcome, trace) = shot.table.trace(&shot.balls, shot.launch).expect("valid");
        assert_eq!(shot.play().as_ref(), Ok(&outcome));
        assert_eq!(trace.events.len() as u32, outcome.events);
        assert!(trace.events.is_sorted_by_key(|event| event.time_ns));
        let again = shot.table.trace(&shot.balls, shot.launch).expect("valid");
        assert_eq!(again, (outcome, trace));
    }
}

#[test]
fn an_outcome_is_used_again_without_a_trace_of_the_last() {
    let shots = shots(Mix::Open, 200, 7);
    let mut outcome = Outcome::default();
    for shot in &shots {
        shot.play_into(&mut outcome).expect("valid");
        assert_eq!(Ok(&outcome), shot.play().as_ref());
    }
}

type Turn = fn(Point) -> Point;
type AngleTurn = fn(u32) -> u32;

fn mirrored(shot: &Shot, place: Turn, angle: AngleTurn) -> Shot {
    let launch = Launch::new(angle(shot.launch.angle_mdeg()), shot.launch.speed_um_s());
    Shot {
        table: shot.table,
        balls: Balls { at: shot.balls.at.map(|at| at.map(place)) },
        launch: launch.expect("in range"),
    }
}

/// The pocket whose aim point is the mirrored one.
fn pocket_at(table: &Table, pocket: Pocket, place: Turn) -> Pocket {
    let shapes = &table.geometry().pockets;
    let aim = place(shapes[pocket as usize].aim);
    shapes.iter().find(|shape| shape.aim == aim).expect("pockets are mirrored").pocket
}

#[test]
fn mirrored_tables_give_mirrored_shots() {
    let turns: [(Turn, AngleTurn); 2] = [
        (
            |at| Point::new(LENGTH_UM - at.x_um, at.y_um),
            |angle| (FULL_TURN_MDEG * 3 / 2 - angle) % FULL_TURN_MDEG,
        ),
        (
            |at| Point::new(at.x_um, WIDTH_UM - at.y_um),
            |angle| (FULL_TURN_MDEG - angle) % FULL_TURN_MDEG,
        ),
    ];
    for shot in shots(Mix::Open, 2_000, 7) {
        let outcome = shot.play().expect("valid");
        for (place, angle) in turns {
            let other = mirrored(&shot, place, angle).play().expect("valid");
            assert_eq!(other.balls.at, outcome.balls.at.map(|at| at.map(place)));
            let falls = outcome
                .falls
                .iter()
                .map(|fall| (fall.ball, pocket_at(&shot.table, fall.pocket, place), fall.time_ns));
            assert!(falls.eq(other.falls.iter().map(|f| (f.ball, f.pocket, f.time_ns))));
            assert_eq!(other.collisions, outcome.collisions);
        }
    }
}

#[test]
fn renaming_balls_changes_names_alone() {
    // White stays; the others move up by five slots, around.
    let name = |slot: usize| if slot == 0 { 0 } else { 1 + (slot + 4) % (MAX_BALLS - 1) };
    for shot in shots(Mix::Open, 1_000, 12) {
        let mut renamed = shot;
        for slot in 0..MAX_BALLS {
            renamed.balls.at[name(slot)] = shot.balls.at[slot];
        }
        let (a, b) = (shot.play().expect("valid"), renamed.play().expect("valid"));
        for slot in 0..MAX_BALLS {
            assert_eq!(b.balls.at[name(slot)], a.balls.at[slot]);
        }
        assert_eq!((a.duration_ns, a.events), (b.duration_ns, b.events));
        let hit = a.first_hit.map(|slot| name(usize::from(slot)) as u8);
        assert_eq!(b.first_hit, hit);
    }
}

#[test]
fn hard_shots_end_cleanly() {
    for (balls, count) in [(16, 1_000), (3, 1_000)] {
        for (index, shot) in shots(Mix::Hard, count, balls).iter().enumerate() {
            let outcome = shot.play().expect("valid");
            assert!(!outcome.capped, "{index}");
            assert_eq!(shot.table.check(&outcome.balls), Ok(()), "{index}");
        }
    }
}

/// The nightly-style stress: ten million shots. `cuebench shots --check` does the same by parts.
#[test]
#[ignore = "takes a minute or more in a release build"]
fn ten_million_shots_end_cleanly() {
    for part in 0..100 {
        let shots: Vec<Shot> = (0..100_000)
            .map(|i| random_shot(Mix::ALL[part % 3], 7, part as u64 * 100_000 + i, 16))
            .collect();
        let clean = map_all(&shots, |i, played| {
            let outcome = played.expect("valid");
            !outcome.capped && shots[i].table.check(&outcome.balls).is_ok()
        });
        assert!(clean.into_iter().all(|clean| clean), "{part}");
    }
}

#[test]
fn a_ball_frozen_to_a_rail_rolls_past_a_pocket() {
    for pockets in cuebench_engine::table::PocketSet::ALL {
        let table = Table::new(TableSpec { pockets, cloth: 700, restitution: 800 }).expect("valid");
        let mut balls = Balls::default();
        balls.at[0] = Some(Point::new(700_000, 28_500));
        let launch = Launch::new(0, 1_500_000).expect("in range");
        let (outcome, trace) = table.trace(&balls, launch).expect("valid");
        // 1.5² / (2 x 0.7) m further on, past the middle pocket, without a contact.
        assert_eq!(trace.events.len(), 1);
        let end = outcome.balls.at[0].expect("on the table");
        assert_eq!(end, Point::new(700_000 + 1_607_143, 28_500));
    }
}
