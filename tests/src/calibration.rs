//! Random small logs for calibration and prediction, and what must hold of whatever comes out.

use cuebench_engine::rng::{Purpose, stream};
use cuebench_experiments::calibration::analysis::results;
use cuebench_experiments::calibration::caller::Caller;
use cuebench_experiments::calibration::definition::Calibrated;
use cuebench_experiments::calibration::model::Fixed;
use cuebench_experiments::calibration::predict::{Forecast, Observation};
use cuebench_experiments::calibration::results::{Method, Request, Results};
use cuebench_experiments::calibration::simulate::Simulator;
use cuebench_experiments::shot_log::frames::{Frames, Seen};
use cuebench_experiments::shot_log::schema::Call;
use cuebench_experiments::shot_log::shots::{Counts, Player, Position};
use rand::RngExt as _;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The longest that anything may take; unoptimised, on a machine that does other things too, more.
pub const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 120 } else { 2 });

/// A random small log.
#[derive(Debug)]
pub struct SmallLog {
    /// Its counts.
    pub counts: Counts,
    /// Its frames.
    pub frames: Frames,
    /// Who broke.
    pub breakers: HashMap<String, String>,
    /// Breaks by outcome.
    pub breaks: Vec<u64>,
}

/// Log number `index`: one to four players, up to 60 rows over some of the leaves, now and then
/// counts up to 10^12.
#[must_use]
pub fn small_log(calibrated: &Calibrated, index: u64) -> SmallLog {
    let schema = &calibrated.family.schema;
    let mut rng = stream(0xca11, Purpose::Test, index);
    let players = rng.random_range(1..=4_usize);
    let leaves = rng.random_range(1..=schema.leaves.len());
    let huge = rng.random_range(0..8) == 0;
    let mut log = SmallLog {
        counts: Counts {
            players: (0..players)
                .map(|i| Player {
                    name: format!("p{i}"),
                    by_leave: vec![[0; 5]; schema.leaves.len()],
                    ..Player::default()
                })
                .collect(),
        },
        frames: Frames::default(),
        breakers: HashMap::new(),
        breaks: vec![0; schema.breaks.len()],
    };
    let lucky: f64 = rng.random();
    for row in 0..rng.random_range(1..60_u64) {
        let (player, leave) = (rng.random_range(0..players), rng.random_range(0..leaves));
        let frame = (row / 7).to_string();
        let count = if huge { 1_u64 << rng.random_range(0..40) } else { 1 };
        let call = if rng.random_range(0..4) == 0 { Call::Safety } else { Call::Shot };
        let result = match call {
            Call::Safety => rng.random_range(0..3),
            Call::Shot if rng.random::<f64>() < lucky => 0,
            Call::Shot => rng.random_range(0..5),
        };
        let counted = &mut log.counts.players[player];
        match call {
            Call::Shot => counted.by_leave[leave][result] += count,
            Call::Safety => counted.safeties[result] += count,
        }
        let (name, number) = (format!("p{player}"), row.to_string());
        let opponent = format!("p{}", (player + 1) % players);
        log.frames.add(Seen {
            frame: &frame,
            shot: &number,
            player: &name,
            opponent: if players > 1 { &opponent } else { "" },
            leave: Some(leave),
            geometry: None,
            call,
            result,
            count,
        });
        if row % 7 == 0 {
            log.breaks[rng.random_range(0..schema.breaks.len())] += 1;
            log.breakers.insert(frame, name);
        }
    }
    log.counts.players.retain(|player| player.rows() > 0);
    log
}

/// A log of `frames` frames between the players of `simulator` under `seed`.
///
/// # Panics
/// When a frame cannot be played.
#[must_use]
pub fn simulated_log(simulator: &Simulator, frames: u64, seed: u64) -> SmallLog {
    let schema = simulator.schema();
    let player = |i: usize| Player {
        name: format!("p{i}"),
        by_leave: vec![[0; 5]; schema.leaves.len()],
        ..Player::default()
    };
    let mut log = SmallLog {
        counts: Counts { players: (0..simulator.players()).map(player).collect() },
        frames: Frames::default(),
        breakers: HashMap::new(),
        breaks: vec![0; schema.breaks.len()],
    };
    for index in 0..frames {
        let played = simulator.frame(seed, index).expect("a frame");
        let frame = format!("{index:04}");
        log.breaks[played.outcome] += 1;
        for (number, shot) in played.shots.iter().enumerate() {
            let counted = &mut log.counts.players[shot.player];
            match shot.call {
                Call::Shot => counted.by_leave[shot.leave][shot.result] += 1,
                Call::Safety => counted.safeties[shot.result] += 1,
            }
            log.frames.add(Seen {
                frame: &frame,
                shot: &(number + 1).to_string(),
                player: &format!("p{}", shot.player),
                opponent: &format!("p{}", shot.opponent),
                leave: Some(shot.leave),
                geometry: None,
                call: shot.call,
                result: shot.result,
                count: 1,
            });
        }
        log.breakers.insert(frame, format!("p{}", played.breaker));
    }
    log
}

/// Calibrates log number `index` in a way that hangs on the index.
///
/// # Panics
/// When an interval is out of order, not a number, or does not hold its estimate; or when it takes
/// longer than [`LIMIT`].
pub fn calibrate_small_log(calibrated: &Calibrated, index: u64) {
    let log = small_log(calibrated, index);
    let method = [Method::Likelihood, Method::Firth, Method::RandomSkills][(index % 3) as usize];
    let fixed = match index % 5 {
        0 => vec![Fixed { name: "D.easy".to_owned(), value: 0.0 }],
        1 => vec![Fixed { name: "D.easy".to_owned(), value: 15.0 }],
        2 => vec![Fixed { name: "A0".to_owned(), value: -40.0 }],
        _ => Vec::new(),
    };
    let begun = Instant::now();
    let found = calibrated_by(calibrated, &log, method, fixed);
    let took = begun.elapsed();
    assert!(took < LIMIT, "log {index}: {took:?}");
    if let Some(found) = found {
        check(&found, index);
    }
}

/// The results of a log; none where it is refused.
#[must_use]
pub fn calibrated_by(
    calibrated: &Calibrated,
    log: &SmallLog,
    method: Method,
    fixed: Vec<Fixed>,
) -> Option<Results> {
    let request = Request { method, fixed, skill_profiles: true };
    let family = &calibrated.family;
    let breaks = Some(&log.breaks[..]);
    let counts = &log.counts;
    // A refusal with a reason is an answer too.
    results(counts, &Counts::default(), breaks, Position::Leave, family, &request).ok()
}

fn check(found: &Results, index: u64) {
    for line in found.lines() {
        let ends = [line.wald95, line.profile95, line.interval95];
        for [low, high] in ends {
            let finite = [low, high].into_iter().flatten().all(f64::is_finite);
            assert!(finite, "log {index}: {line:?}");
            assert!(low.zip(high).is_none_or(|(a, b)| a <= b), "log {index}: {line:?}");
            if let Some(value) = line.estimate {
                let inside = low.is_none_or(|a| a <= value) && high.is_none_or(|b| value <= b);
                assert!(inside, "log {index}: {line:?}");
            }
        }
        let numbers = [line.estimate, line.se];
        assert!(numbers.into_iter().flatten().all(f64::is_finite), "log {index}: {line:?}");
        // A finite estimate comes from a fit that ended.
        assert!(line.estimate.is_none() || line.standing != "unfinished", "log {index}: {line:?}");
    }
}

/// Predicts from log number `index`, by its own calls or an agent's.
///
/// # Panics
/// As [`calibrate_small_log`].
pub fn predict_small_log(calibrated: &Calibrated, index: u64) {
    let log = small_log(calibrated, index);
    let Some(found) = calibrated_by(calibrated, &log, Method::Likelihood, Vec::new()) else {
        return;
    };
    let agents = ["threshold", "always_attack:explore=0.3", "optimal"];
    let agent = agents.get(index as usize % 8).map(|text| text.parse().expect("an agent"));
    let begun = Instant::now();
    let caller = agent.map(Caller::Agent);
    let forecast = Forecast::new(calibrated, &found, &log.frames, caller, Position::Leave);
    let Ok(forecast) = forecast else { return };
    let players = log.counts.players.len();
    let pairs: Vec<[usize; 2]> = if players > 1 { vec![[0, 1]] } else { Vec::new() };
    let mut lines = Vec::new();
    match forecast.exact(&pairs, 24, index) {
        Ok(exact) => lines.extend(exact.iter().map(|p| (p.name.to_owned(), p.value, p.interval95))),
        Err(error) => assert!(error.to_string().contains("end"), "log {index}: {error:#}"),
    }
    if let Ok(seen) = Observation::new(&forecast, &log.frames, &log.breakers) {
        match forecast.predictive(&seen, 12, index) {
            Ok(tables) => {
                let of = |line: &cuebench_experiments::calibration::predict::Predictive| {
                    (line.name.clone(), line.mean, line.interval95)
                };
                lines.extend(tables.iter().flatten().map(of));
            }
            Err(error) => assert!(error.to_string().contains("end"), "log {index}: {error:#}"),
        }
    }
    let took = begun.elapsed();
    assert!(took < LIMIT, "log {index}: {took:?}");
    for (name, value, [low, high]) in lines {
        assert!(value.is_finite() && low.is_finite() && high.is_finite(), "log {index}: {name}");
        assert!(low <= high, "log {index}: {name} {low} {high}");
    }
}
