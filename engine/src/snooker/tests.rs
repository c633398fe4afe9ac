//! Properties of tables as values: bytes, clones, batches, noise.

use super::batch::{ABSENT, BatchError, BatchOut, OBSERVATION, observe_all, step_all};
use super::*;
use crate::game::Seed;
use crate::rng::{Purpose, Rng, between, stream};
use crate::shot::Outcome;
use ndarray::{Array1, Array2};

fn action(rng: &mut Rng) -> Action {
    let angle = between(rng, 0, 359_999).unsigned_abs();
    Action { angle, power: between(rng, 1, 1000).unsigned_abs() }
}

/// A table with options drawn from `seed`, some strokes into its game.
fn played(seed: u64) -> SeatTable {
    let mut rng = stream(seed, Purpose::Test, 0);
    let mut flag = || between(&mut rng, 0, 1) == 1;
    let options = Options {
        pockets: crate::table::PocketSet::ALL[usize::from(flag())],
        layout: if flag() { Layout::Spots } else { Layout::Random },
        table: if flag() { TableOption::Known } else { TableOption::Hidden },
        order: if flag() { Order::Any } else { Order::Snooker },
        max_shots: MaxShots::try_from(12).expect("in range"),
    };
    let setup = Setup {
        seed: Seed::salted(seed, flag().then_some(u128::MAX / 3)),
        options,
        noise: flag().then_some(AimNoise::OLYMPIAD),
        clock_ms: flag().then_some(CLOCK_MS),
    };
    let mut table = SeatTable::new(setup);
    for stroke in 0..seed % 14 {
        let time_ms = stroke * 2600;
        let _ = table.step_at(action(&mut rng), time_ms, &mut Outcome::default());
    }
    table
}

#[test]
fn bytes_round_trip_and_the_game_goes_on_the_same() {
    for seed in 0..150 {
        let mut table = played(seed);
        let bytes = table.to_bytes();
        let mut again = SeatTable::from_bytes(&bytes).expect("its own bytes");
        assert_eq!(again.to_bytes(), bytes);
        assert_eq!(again.observe(), table.observe());
        let mut clone = table.clone();
        let mut rng = stream(seed, Purpose::Test, 1);
        for _ in 0..3 {
            let stroke = action(&mut rng);
            let step = table.step(stroke);
            assert_eq!(again.step(stroke), step);
            assert_eq!(clone.step(stroke), step);
        }
        assert_eq!(again.observe(), table.observe());
        assert_eq!(clone.to_bytes(), table.to_bytes());
    }
}

#[test]
fn cut_long_and_foreign_bytes_are_refused() {
    let bytes = played(9).to_bytes();
    for length in 0..bytes.len() {
        assert!(SeatTable::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
    let long = [&bytes[..], &[0]].concat();
    assert_eq!(SeatTable::from_bytes(&long).err(), Some(BytesError::Long(1)));
    assert_eq!(SeatTable::from_bytes(b"cuegames!").err(), Some(BytesError::Magic));
    let mut newer = bytes;
    newer[7] = 3;
    assert_eq!(SeatTable::from_bytes(&newer).err(), Some(BytesError::Version(3)));
}

/// Any change of the bytes is refused or gives a table that can be played on.
#[test]
fn hostile_bytes_never_panic() {
    let mut rng = stream(3, Purpose::Test, 2);
    for round in 0..20_000_u64 {
        let mut bytes = played(round % 40).to_bytes();
        for _ in 0..between(&mut rng, 1, 4) {
            let place = between(&mut rng, 8, bytes.len() as i32 - 1) as usize;
            bytes[place] = between(&mut rng, 0, 255) as u8;
        }
        if let Ok(mut table) = SeatTable::from_bytes(&bytes) {
            assert_eq!(table.to_bytes(), bytes);
            if round % 50 == 0 {
                let _ = table.step(action(&mut rng));
            }
        }
    }
}

/// Steps 100 tables six times, with bad strokes among the good ones, on `threads` threads.
fn batch(threads: usize) -> (Array2<i32>, Array1<i32>, Array1<u8>, Array1<u8>) {
    let mut tables: Vec<SeatTable> = (0..100).map(played).collect();
    let mut observations = Array2::zeros((100, OBSERVATION.len()));
    let mut score_changes = Array1::zeros(100);
    let (mut closed, mut status) = (Array1::zeros(100), Array1::zeros(100));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let mut rng = stream(4, Purpose::Test, 3);
    for _ in 0..6 {
        let actions = Array2::from_shape_fn((100, 2), |(_, part)| match part {
            0 => between(&mut rng, 0, 361_000).unsigned_abs(),
            _ => between(&mut rng, 0, 1000).unsigned_abs(),
        });
        let out = BatchOut {
            observations: observations.view_mut(),
            score_changes: score_changes.view_mut(),
            closed: closed.view_mut(),
            status: status.view_mut(),
        };
        pool.install(|| step_all(&mut tables, actions.view(), out)).expect("shapes fit");
    }
    (observations, score_changes, closed, status)
}

#[test]
fn a_batch_is_the_same_at_any_number_of_threads_and_equals_single_steps() {
    let one = batch(1);
    assert_eq!(batch(2), one);
    assert_eq!(batch(7), one);
    let (observations, _, closed, status) = one;
    assert!(closed.iter().any(|&code| code == 0) && closed.iter().any(|&code| code > 0));
    assert!(status.iter().any(|&code| code == 0) && status.iter().any(|&code| code == 2));
    let mut tables: Vec<SeatTable> = (0..100).map(played).collect();
    let mut rng = stream(4, Purpose::Test, 3);
    for _ in 0..6 {
        for table in &mut tables {
            let angle = between(&mut rng, 0, 361_000).unsigned_abs();
            let power = between(&mut rng, 0, 1000).unsigned_abs();
            let _ = table.step(Action { angle, power });
        }
    }
    let mut singly = Array2::zeros((100, OBSERVATION.len()));
    observe_all(&tables, singly.view_mut()).expect("shapes fit");
    assert_eq!(singly, observations);
}

#[test]
fn arrays_of_the_wrong_shape_are_refused_before_any_step() {
    let mut tables = vec![SeatTable::new(Setup::new(1))];
    let before = tables[0].to_bytes();
    let mut observations = Array2::zeros((1, OBSERVATION.len()));
    let (mut changes, mut closed, mut status) =
        (Array1::zeros(1), Array1::zeros(1), Array1::zeros(2));
    let out = BatchOut {
        observations: observations.view_mut(),
        score_changes: changes.view_mut(),
        closed: closed.view_mut(),
        status: status.view_mut(),
    };
    let refused = step_all(&mut tables, Array2::zeros((1, 2)).view(), out);
    assert!(matches!(refused, Err(BatchError::Shape { name: "status", .. })));
    assert_eq!(tables[0].to_bytes(), before);
}

#[test]
fn observations_hide_what_is_hidden() {
    let table = SeatTable::new(Setup::new(1));
    let row = super::batch::observation_row(&table);
    assert_eq!(row[22..], [ABSENT, ABSENT]);
    assert_eq!(row[14], 2);
    assert_eq!(row.iter().filter(|&&value| value == ABSENT).count(), 3);
}

#[test]
fn resetting_gives_the_table_of_the_seed_again() {
    let fresh = SeatTable::new(Setup::new(77));
    let mut used = SeatTable::new(Setup::new(5));
    used.step(Action { angle: 5, power: 900 }).expect("played");
    used.reset(Seed::open(77));
    assert_eq!(used.to_bytes(), fresh.to_bytes());
}

/// Mean 0 and the asked-for standard deviation within five standard errors, the same for every
/// caller, and other numbers give other errors.
#[test]
fn aiming_noise_has_its_size_and_follows_from_seed_and_number() {
    let noise = AimNoise::new(1.0, 0.5).expect("in range");
    let stroke = crate::shot::Stroke::new(180_000, 500).expect("in range");
    let mut sums = [0.0_f64; 4];
    let n = 20_000;
    for number in 0..n {
        let launch = noise.play(stroke, 6, number);
        assert_eq!(launch, noise.play(stroke, 6, number));
        let angle = (f64::from(launch.angle_mdeg()) - 180_000.0) / 1000.0;
        let speed = (f64::from(launch.speed_um_s()) - 3e6) / 1e6;
        for (sum, value) in sums.iter_mut().zip([angle, angle * angle, speed, speed * speed]) {
            *sum += value / f64::from(n);
        }
    }
    let bound = 5.0 / f64::from(n).sqrt();
    assert!(sums[0].abs() < bound && sums[2].abs() < 0.5 * bound, "{sums:?}");
    assert!((sums[1] - 1.0).abs() < 1.5 * bound && (sums[3] - 0.25).abs() < 0.4 * bound);
    assert_ne!(noise.play(stroke, 6, 0), noise.play(stroke, 6, 1));
    assert_ne!(noise.play(stroke, 6, 0), noise.play(stroke, 7, 0));
    assert!(AimNoise::new(f64::NAN, 0.0).is_err() && AimNoise::new(-1.0, 0.0).is_err());
    assert_eq!(AimNoise::parse("olympiad"), Ok(Some(AimNoise::OLYMPIAD)));
    assert_eq!(AimNoise::parse("none"), Ok(None));
    assert_eq!(AimNoise::parse("1,0.5"), Ok(Some(noise)));
}

/// Golden values: layouts and hidden values of two seeds. A change breaks every recorded result.
#[test]
fn layouts_and_values_of_known_seeds_never_change() {
    let start = |seed| starting_position(seed, &Options::default());
    let first = |seed| start(seed).at[0].map(<[i32; 2]>::from);
    let values = |seed| {
        let spec = table_values(Seed::open(seed), &Options::default());
        (spec.cloth, spec.restitution)
    };
    assert_eq!((first(4), values(4)), (Some([200_403, 627_137]), (943, 642)));
}
