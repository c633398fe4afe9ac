//! What intervals of calibrations and predictions cover, by simulation of known truth: small ones in
//! the suite, whole ones by name, which write `results/calibration-coverage.csv` and
//! `results/prediction-coverage.csv`.

use cuebench_agents::spec::AgentSpec;
use cuebench_experiments::calibration::board::Board;
use cuebench_experiments::calibration::caller::Caller;
use cuebench_experiments::calibration::definition::Calibrated;
use cuebench_experiments::calibration::predict::{Forecast, Observation};
use cuebench_experiments::calibration::results::Method;
use cuebench_experiments::calibration::self_test::{Design, Summary, run};
use cuebench_experiments::calibration::simulate::Simulator;
use cuebench_experiments::rollout::Stop;
use cuebench_experiments::shot_log::shots::Position;
use cuebench_experiments::stats::interval::wilson95;
use cuebench_tests::calibration::{calibrated_by, simulated_log};
use cuebench_tests::workspace;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

const SEED: u64 = 20_261_130;

fn agent() -> AgentSpec {
    "threshold:explore=0.2".parse().expect("an agent")
}

/// Skills around 2 with a sample standard deviation of `spread`.
fn skills(players: usize, spread: f64) -> Vec<f64> {
    let middle = (players as f64 - 1.0) / 2.0;
    let raw: Vec<f64> = (0..players).map(|i| i as f64 - middle).collect();
    let square: f64 = raw.iter().map(|x| x * x).sum();
    let scale = spread / (square / (players as f64 - 1.0)).sqrt();
    raw.iter().map(|x| 2.0 + scale * x).collect()
}

fn self_test(players: usize, spread: f64, shots: u64, logs: u64) -> Summary {
    let calibrated = Calibrated::read(None).expect("shipped");
    let design = Design {
        skills: skills(players, spread),
        caller: Caller::Agent(agent()),
        random_skills: true,
        logs,
        shots,
        seed: SEED,
    };
    run(&calibrated, &design, &Stop::new()).expect("logs").expect("some")
}

/// Logs judged and covered, by parameter; skills of all players together.
fn covered(summary: &Summary) -> BTreeMap<String, [f64; 2]> {
    let mut covered: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    for line in &summary.parameters {
        let Some(coverage) = line.profile_coverage else { continue };
        let name = if line.name.starts_with("skill.") { "skill" } else { &line.name };
        let judged = line.judged as f64;
        let sum = covered.entry(name.to_owned()).or_default();
        sum[0] += judged;
        sum[1] += coverage * judged;
    }
    covered
}

#[test]
fn random_skills_cover_their_truth_in_a_small_simulation() {
    let found = covered(&self_test(3, 0.8, 400, 40));
    for name in ["skill", "c", "A0", "D.medium", "skills.mean", "skills.spread"] {
        let [judged, covered] = found[name];
        // Four standard errors below 0.95 (skills of one log hang together: as if one were one).
        let least = 0.95 - 4.0 * (0.0475 / judged.min(30.0)).sqrt();
        assert!(judged > 10.0 && covered / judged > least, "{name}: {covered} of {judged}");
    }
}

#[test]
#[ignore = "takes minutes: the coverage of random skills for 3, 6, 20 players at 100 and 400 shots"]
fn random_skills_cover_93_to_97_percent() {
    let mut text = "players,spread,shots,logs,parameter,judged,coverage,low95,high95\n".to_owned();
    for (players, logs) in [(3, 600), (6, 400), (20, 150)] {
        for spread in [0.8, 0.0] {
            for shots in [100, 400] {
                let summary = self_test(players, spread, shots, logs);
                for (name, [judged, covered]) in covered(&summary) {
                    let [low, high] = wilson95(covered, judged);
                    let share = covered / judged;
                    let _ = writeln!(
                        text,
                        "{players},{spread},{shots},{logs},{name},{judged},{share:.4},{low:.4},{high:.4}"
                    );
                }
                let path = workspace().join("results/calibration-coverage.csv");
                std::fs::write(path, &text).expect("written");
            }
        }
    }
}

/// For each statistic and exact value how often it was looked at and how often it was covered, over
/// `logs` logs of `frames` frames.
fn predicted(frames: u64, logs: u64, solutions: u64, draws: u64) -> BTreeMap<String, [f64; 2]> {
    let calibrated = Calibrated::read(None).expect("shipped");
    let board = Arc::new(Board::new(&calibrated).expect("a board"));
    let skills = [2.5, 1.8, 2.1];
    let caller = Caller::Agent(agent());
    let simulator = Simulator::on(&board, &calibrated, &skills, &caller).expect("players");
    let game = board.game_of(&calibrated, [skills[0], skills[1]], 0.0).expect("a game");
    let policies = caller.policies(&board, &game, [0, 1]).expect("policies");
    let exact = game.solve([&policies[0], &policies[1]]).expect("solved");
    let truth = [exact.p0_win, exact.break_and_run, exact.mean_shots, exact.mean_innings];
    let one = |log: u64| -> Vec<(String, bool)> {
        let seen = simulated_log(&simulator, frames, SEED + 2 * log);
        let again = simulated_log(&simulator, frames, SEED + 2 * log + 1);
        let Some(found) = calibrated_by(&calibrated, &seen, Method::Likelihood, Vec::new()) else {
            return Vec::new();
        };
        let forecast = Forecast::new(&calibrated, &found, &seen.frames, None, Position::Leave);
        let forecast = forecast.expect("a forecast");
        let mut covered = Vec::new();
        if solutions > 0 {
            let exact = forecast.exact(&[[0, 1]], solutions, log).expect("exact values");
            for (line, truth) in exact.iter().zip(truth) {
                let [low, high] = line.interval95;
                covered.push((format!("exact_{}", line.name), low <= truth && truth <= high));
            }
        }
        let observed = Observation::new(&forecast, &seen.frames, &seen.breakers).expect("frames");
        let other = Observation::new(&forecast, &again.frames, &again.breakers).expect("frames");
        let tables = forecast.predictive(&observed, draws, log).expect("drawn logs");
        for (line, (name, value)) in tables.iter().flatten().zip(other.statistics()) {
            let [low, high] = line.interval95;
            if let Some(value) = value {
                covered.push((name, low <= value && value <= high));
            }
        }
        covered
    };
    let mut sums: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    let all: Vec<Vec<(String, bool)>> = (0..logs).into_par_iter().map(one).collect();
    for (name, covered) in all.into_iter().flatten() {
        let sum = sums.entry(name).or_default();
        sum[0] += 1.0;
        sum[1] += f64::from(u8::from(covered));
    }
    sums
}

#[test]
fn bands_of_small_logs_cover_a_second_log_in_a_small_simulation() {
    let found = predicted(10, 12, 0, 100);
    for name in ["shots_a_frame", "safeties_a_frame", "breaker_win_share", "innings_a_frame"] {
        let [looked, covered] = found[name];
        let least = 0.95 - 4.0 * (0.0475 / looked).sqrt();
        assert!(looked > 10.0 && covered / looked > least, "{name}: {covered} of {looked}");
    }
}

#[test]
#[ignore = "takes minutes: the coverage of predictions from 10, 30 and 100 frames"]
fn predictions_cover_at_10_30_and_100_frames() {
    let mut text = "frames,value,logs,coverage,low95,high95\n".to_owned();
    for (frames, logs) in [(10, 200), (30, 200), (100, 120)] {
        for (name, [looked, covered]) in predicted(frames, logs, 40, 200) {
            let [low, high] = wilson95(covered, looked);
            let share = covered / looked;
            let _ = writeln!(text, "{frames},{name},{looked},{share:.4},{low:.4},{high:.4}");
        }
        let path = workspace().join("results/prediction-coverage.csv");
        std::fs::write(path, &text).expect("written");
    }
}
