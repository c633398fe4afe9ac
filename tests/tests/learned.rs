//! The learned policy of the race and its training.

use cuebench_agents::aim::Pockets;
use cuebench_agents::race::learned::{
    Evaluator, HipConfig, Model, POLICY_NAMES, Position, VALUE_NAMES, choose_from_the_hip,
};
use cuebench_engine::rng::{Purpose, stream};
use cuebench_engine::shot::Balls;
use cuebench_engine::snooker::{AimNoise, Options, SeatTable, Setup, TableValues};
use cuebench_engine::table::{PocketSet, Table, TableSpec};
use cuebench_engine::units::{FULL_TURN_MDEG, LENGTH_UM, Point, WIDTH_UM};
use cuebench_tests::cuebench;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

const VALUES: TableValues = TableValues { cloth: 900, restitution: 800 };

fn pockets() -> Pockets {
    let TableValues { cloth, restitution } = VALUES;
    let spec = TableSpec { pockets: PocketSet::Snooker, cloth, restitution };
    Pockets::of(Table::new(spec).expect("a table").geometry())
}

fn start(seed: u64) -> Balls {
    let setup = Setup { options: Options::default(), ..Setup::new(seed) };
    *SeatTable::new(setup).balls()
}

fn mirrored(balls: &Balls, [x, y]: [bool; 2]) -> Balls {
    let mirror = |p: Point| {
        Point::new(
            if x { LENGTH_UM - p.x_um } else { p.x_um },
            if y { WIDTH_UM - p.y_um } else { p.y_um },
        )
    };
    Balls { at: balls.at.map(|place| place.map(mirror)) }
}

fn mirrored_angle(mdeg: u32, [x, y]: [bool; 2]) -> i64 {
    let (turn, mut angle) = (i64::from(FULL_TURN_MDEG), i64::from(mdeg));
    if x {
        angle = turn / 2 - angle;
    }
    if y {
        angle = -angle;
    }
    angle.rem_euclid(turn)
}

#[test]
fn mirrored_positions_give_mirrored_inputs_and_choices() {
    let (pockets, noise) = (pockets(), Some(AimNoise::OLYMPIAD));
    let model = Model::random(&mut stream(3, Purpose::Test, 0));
    let mut compared = 0;
    for seed in 1..=60 {
        let balls = start(seed);
        let position = Position::new(&pockets, VALUES, &balls, false, noise);
        let config = HipConfig::default();
        let stroke = choose_from_the_hip(&position, false, &mut Evaluator::new(&model), &config);
        for axes in [[true, false], [false, true], [true, true]] {
            let other = mirrored(&balls, axes);
            let other = Position::new(&pockets, VALUES, &other, false, noise);
            for (name, (a, b)) in
                VALUE_NAMES.iter().zip(position.value_inputs().iter().zip(&other.value_inputs()))
            {
                assert!((a - b).abs() < 1e-4, "seed {seed}, {axes:?}, {name}: {a} {b}");
            }
            // Plain contacts are tried in a fixed turn, which a mirror reverses.
            if position.pots.is_empty() {
                continue;
            }
            let mirror = choose_from_the_hip(&other, false, &mut Evaluator::new(&model), &config);
            let (stroke, mirror) = (stroke.expect("a pot"), mirror.expect("a pot"));
            let expected = mirrored_angle(stroke.angle_mdeg(), axes);
            let off = (i64::from(mirror.angle_mdeg()) - expected).abs();
            assert!(off <= 1 || off >= 359_999, "seed {seed}: {stroke:?} {mirror:?}");
            assert_eq!(stroke.power(), mirror.power());
            compared += 1;
        }
    }
    assert!(compared > 60, "too few tables with an open pot: {compared}");
}

#[test]
fn inputs_have_names_of_their_own() {
    for names in [&VALUE_NAMES[..], &POLICY_NAMES[..]] {
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}

const SETTINGS: &str = "tables_per_round = 6\nsims = 60\nstrength_tables = 4\nstrength_sims = 60\n";

fn learn(folder: &Path, out: &str, extra: &[&str]) -> Output {
    std::fs::write(folder.join("settings.toml"), SETTINGS).expect("written");
    cuebench()
        .args(["learn", "race", "--json", "--seed", "5", "--config"])
        .arg(folder.join("settings.toml"))
        .arg("--out")
        .arg(folder.join(out))
        .args(extra)
        .output()
        .expect("cuebench runs")
}

fn succeeded(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn training_repeats_at_any_thread_count_and_resumes_to_the_same_weights() {
    let folder = tempfile::tempdir().expect("a folder");
    let weights = |out: &str| std::fs::read(folder.path().join(out)).expect("weights");
    for noise in ["none", "olympiad"] {
        let run = |out: &str, extra: &[&str]| {
            succeeded(&learn(folder.path(), out, &[&["--noise", noise], extra].concat()));
        };
        run("one.safetensors", &["--tables", "12", "--threads", "1"]);
        run("two.safetensors", &["--tables", "12", "--threads", "2"]);
        assert_eq!(weights("one.safetensors"), weights("two.safetensors"), "noise {noise}");
        run("part.safetensors", &["--tables", "6"]);
        assert_ne!(weights("one.safetensors"), weights("part.safetensors"));
        run("part.safetensors", &["--tables", "12", "--resume"]);
        assert_eq!(weights("one.safetensors"), weights("part.safetensors"), "noise {noise}");
    }
}

#[test]
fn a_training_leaves_weights_curve_reliability_and_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data.csv");
    let output = learn(
        folder.path(),
        "w.safetensors",
        &["--tables", "6", "--dataset", data.to_str().expect("a path")],
    );
    succeeded(&output);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["made"]["tables"], 6);
    for name in ["w-curve.csv", "w-curve.svg", "w-reliability.csv", "w.checkpoint"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    let text = std::fs::read_to_string(&data).expect("data");
    let header = text.lines().next().expect("a header");
    let columns = 9 + VALUE_NAMES.len() + POLICY_NAMES.len();
    assert_eq!(header.split(',').count(), columns);
    assert!(text.lines().count() > 30 && text.lines().all(|l| l.split(',').count() == columns));
    let agent = format!("learned:sims=50:{}", folder.path().join("w.safetensors").display());
    let played = cuebench()
        .args(["play", "--seed", "3", "--table", "known", "--json", "--agents"])
        .arg(format!("{agent},learned:hip"))
        .output()
        .expect("cuebench runs");
    succeeded(&played);
}

#[test]
fn bad_calls_are_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("w.safetensors");
    std::fs::write(&file, b"not weights").expect("written");
    std::fs::write(folder.path().join("w.checkpoint"), b"not a checkpoint").expect("written");
    let cases: [(&[&str], &str); 6] = [
        (&["--tables", "0"], "--tables 0"),
        (&["--minutes", "NaN"], "--minutes"),
        (&["--minutes=-1"], "--minutes"),
        (&["--noise", "loud"], "--noise"),
        (&["--threads", "0"], "--threads 0"),
        (&["--resume"], "w.checkpoint"),
    ];
    for (arguments, word) in cases {
        let output = learn(folder.path(), "w.safetensors", arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(word) && output.stdout.is_empty(), "{arguments:?}: {error}");
    }
    assert_eq!(std::fs::read(&file).expect("still there"), b"not weights");
    let output = cuebench()
        .args(["play", "--seed", "1", "--agents"])
        .arg(format!("learned:{},random", file.display()))
        .output()
        .expect("cuebench runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not a whole safetensors file"));
}
