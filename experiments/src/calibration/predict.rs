//! From estimates to frames: exact values with the uncertainty of the estimates (delta method), and
//! whole logs drawn from the estimates' normal approximation against the observed one.

use super::definition::Calibrated;
use super::results::Results;
use super::simulate::{Shooter, Simulator, constants};
use crate::shot_log::frames::Frames;
use crate::shot_log::schema::Call;
use crate::stats::calibration::design::sigmoid;
use crate::stats::interval::Z95;
use anyhow::{anyhow, bail, ensure};
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::frame::{Definition, Exact, Game, Policy, SEATS};
use cuebench_engine::rng::{Purpose, Rng, stream};
use rand::RngExt as _;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;

/// Step of the central differences, in parameters of the order of one.
const STEP: f64 = 1e-4;

/// An exact value with the uncertainty of its parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// What is predicted.
    pub name: &'static str,
    /// The value at the estimates.
    pub value: f64,
    /// Its standard error by the delta method.
    pub se: f64,
    /// The 95 % interval: on the logit scale for chances, on the log scale for lengths.
    pub interval95: [f64; 2],
}

/// Estimated parameters of a game of two players, with their covariance.
#[derive(Clone, Debug)]
struct Uncertain {
    names: Vec<String>,
    values: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl Uncertain {
    /// The regression's parameters for `players` (skills under the names of their seats), then the
    /// shares.
    fn new(results: &Results, players: &[Shooter]) -> Self {
        let (all, matrix) = results.covariance(usize::MAX);
        let mut kept = Vec::new();
        let mut names = Vec::new();
        for (i, name) in all.iter().enumerate() {
            match name.strip_prefix("skill.") {
                None => {
                    kept.push(i);
                    names.push(name.clone());
                }
                Some(player) => {
                    let seat = players.iter().position(|p| p.name == player);
                    if let Some(seat) = seat {
                        kept.push(i);
                        names.push(format!("skill[{seat}]"));
                    }
                }
            }
        }
        let estimate = |i: usize| {
            let found = results.estimates.iter().find(|line| line.name == all[i]);
            found.and_then(|line| line.estimate).unwrap_or_default()
        };
        let mut values: Vec<f64> = kept.iter().map(|&i| estimate(i)).collect();
        let mut covariance: Vec<Vec<f64>> =
            kept.iter().map(|&i| kept.iter().map(|&j| matrix[i][j]).collect()).collect();
        for named in &results.shares {
            let Some(share) = &named.share else { continue };
            let at = names.len();
            let (p, n) = (share.estimate, share.trials as f64);
            covariance.iter_mut().for_each(|row| row.push(0.0));
            let mut row = vec![0.0; at + 1];
            row[at] = p * (1.0 - p) / n;
            if named.outcomes > 2 {
                for j in (0..at).filter(|&j| names[j].starts_with("BREAK.")) {
                    row[j] = -p * values[j] / n;
                    covariance[j][at] = row[j];
                }
            }
            covariance.push(row);
            names.push(named.name.clone());
            values.push(p);
        }
        Self { names, values, covariance }
    }

    /// The definition with these values.
    fn applied(
        &self,
        calibrated: &Calibrated,
        base: &Definition,
        values: &[f64],
    ) -> anyhow::Result<Definition> {
        let mut definition = base.clone();
        let breaks: f64 = self
            .names
            .iter()
            .zip(values)
            .filter(|(name, _)| name.starts_with("BREAK."))
            .map(|(_, value)| value)
            .sum();
        for (name, &value) in self.names.iter().zip(values) {
            if name == "c" {
                definition.set_number("G", calibrated.gain(value)?)?;
            } else if name.starts_with("BREAK.") {
                // Chances of a break sum to 1, whatever is done to one of them.
                definition.set_number(name, value / breaks)?;
            } else {
                definition.set_number(name, value)?;
            }
        }
        Ok(definition)
    }
}

/// The players called `names`, with their estimated skills.
///
/// # Errors
/// When a player is not in the log or has no finite estimate.
pub fn shooters(results: &Results, names: &[String]) -> anyhow::Result<Vec<Shooter>> {
    names
        .iter()
        .map(|name| {
            let line = results
                .estimates
                .iter()
                .find(|line| line.name.strip_prefix("skill.") == Some(name))
                .ok_or_else(|| anyhow!("--players: `{name}` is not in the log"))?;
            let skill = line.estimate.ok_or_else(|| {
                anyhow!("--players: the skill of `{name}` has no finite estimate; use --firth")
            })?;
            Ok(Shooter { name: name.clone(), skill })
        })
        .collect()
}

/// Exact predictions for two players, the first of whom breaks, under a policy of the definition.
///
/// # Errors
/// When the game cannot be laid out or solved.
pub fn predictions(
    calibrated: &Calibrated,
    results: &Results,
    players: &[Shooter; SEATS],
    policy: &AgentSpec,
) -> anyhow::Result<Vec<Prediction>> {
    let base = calibrated.with(results)?;
    let uncertain = Uncertain::new(results, players);
    let mut seated = base.clone();
    for (seat, player) in players.iter().enumerate() {
        seated.set_number(&format!("skill[{seat}]"), player.skill)?;
    }
    let at = |values: &[f64]| uncertain.applied(calibrated, &seated, values);
    let centre = Game::compile(&at(&uncertain.values)?)?;
    let options = constants(policy)?;
    let policies =
        [centre.policy(&policy.name, &options, 0)?, centre.policy(&policy.name, &options, 1)?];
    let values = outputs(&centre.solve([&policies[0], &policies[1]])?);
    let gradients: Vec<[f64; 6]> = (0..uncertain.values.len())
        .into_par_iter()
        .map(|i| {
            let value = uncertain.values[i];
            let share = uncertain.names[i].starts_with("BREAK.")
                || matches!(uncertain.names[i].as_str(), "P_SCRATCH" | "SAFE_FOUL");
            // A share at its end has no variance, and no room to step.
            let step = if share { STEP.min(value / 2.0).min((1.0 - value) / 2.0) } else { STEP };
            if step <= 0.0 {
                return Ok([0.0; 6]);
            }
            let mut ends = [[0.0; 6]; 2];
            for (end, sign) in ends.iter_mut().zip([-1.0, 1.0]) {
                let mut moved = uncertain.values.clone();
                moved[i] += sign * step;
                *end = outputs(&solved(&at(&moved)?, centre.states(), &policies)?);
            }
            Ok(std::array::from_fn(|k| (ends[1][k] - ends[0][k]) / (2.0 * step)))
        })
        .collect::<anyhow::Result<_>>()?;
    let variance = |k: usize| {
        let mut sum = 0.0;
        for (i, row) in uncertain.covariance.iter().enumerate() {
            for (j, covariance) in row.iter().enumerate() {
                sum += gradients[i][k] * covariance * gradients[j][k];
            }
        }
        sum.max(0.0)
    };
    Ok((0..6).map(|k| prediction(k, values[k], variance(k).sqrt())).collect())
}

/// The perturbed game under the policies of the unperturbed one.
fn solved(definition: &Definition, states: usize, policies: &[Policy; 2]) -> anyhow::Result<Exact> {
    let game = Game::compile(definition)?;
    ensure!(game.states() == states, "a small change of a parameter changes what can be reached");
    Ok(game.solve([&policies[0], &policies[1]])?)
}

const NAMES: [&str; 6] =
    ["breaker_win", "break_and_run", "shots", "innings", "attacks", "safeties"];

fn outputs(exact: &Exact) -> [f64; 6] {
    let action = |name: &str| {
        exact.actions.iter().find(|count| count.action == name).map_or(0.0, |count| count.mean)
    };
    [
        exact.p0_win,
        exact.break_and_run,
        exact.mean_shots,
        exact.mean_innings,
        action("call_shot"),
        action("call_safety"),
    ]
}

fn prediction(k: usize, value: f64, se: f64) -> Prediction {
    let interval95 = if k < 2 {
        let scale = value * (1.0 - value);
        if scale > 0.0 {
            let logit = libm::log(value / (1.0 - value));
            [-1.0, 1.0].map(|side| sigmoid(logit + side * Z95 * se / scale))
        } else {
            [value, value]
        }
    } else if value > 0.0 {
        [-1.0, 1.0].map(|side| value * libm::exp(side * Z95 * se / value))
    } else {
        [value, value]
    };
    Prediction { name: NAMES[k], value, se, interval95 }
}

/// One line of the table of whole logs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predictive {
    /// What is compared.
    pub name: &'static str,
    /// In the observed log; none if it does not tell.
    pub observed: Option<f64>,
    /// Mean over drawn logs.
    pub mean: f64,
    /// 2.5 % and 97.5 % points over drawn logs.
    pub interval95: [f64; 2],
    /// Share of drawn logs at or above the observed value.
    pub share_above: Option<f64>,
}

/// Frames by breaker and other player.
type Pairings = Vec<([usize; SEATS], u64)>;

/// Whole logs, each from one draw of the parameters, with as many frames of every pairing as the
/// observed log has.
///
/// # Errors
/// When the log does not name breakers, a player has no estimate, or a game fails.
pub fn predictive(
    calibrated: &Calibrated,
    results: &Results,
    frames: &Frames,
    breakers: &HashMap<String, String>,
    policy: &AgentSpec,
    draws: u64,
    seed: u64,
) -> anyhow::Result<Vec<Predictive>> {
    let (observed, pairings, names) = observe(frames, breakers)?;
    let players = shooters(results, &names)?;
    let uncertain = Uncertain::new(results, &players);
    let base = calibrated.with(results)?;
    let factor = factor(&uncertain.covariance);
    let drawn: Vec<[f64; 4]> = (0..draws)
        .into_par_iter()
        .map(|draw| {
            let mut rng = stream(seed, Purpose::Bootstrap, draw);
            let values = draw_values(&uncertain, &factor, &mut rng);
            let mut players = players.clone();
            let mut one = uncertain.clone();
            for (name, value) in uncertain.names.iter().zip(&values) {
                let seat = name.strip_prefix("skill[").and_then(|s| s.strip_suffix(']'));
                if let Some(seat) = seat.and_then(|seat| seat.parse::<usize>().ok()) {
                    players[seat].skill = *value;
                }
            }
            let shared: Vec<usize> =
                (0..one.names.len()).filter(|&i| !one.names[i].starts_with("skill[")).collect();
            one.names = shared.iter().map(|&i| uncertain.names[i].clone()).collect();
            let shared: Vec<f64> = shared.iter().map(|&i| values[i]).collect();
            let definition = one.applied(calibrated, &base, &shared)?;
            let seed = rng.random();
            whole_log(calibrated, definition, &players, &pairings, policy, seed)
        })
        .collect::<anyhow::Result<_>>()?;
    Ok((0..4).map(|k| compared(k, observed[k], &drawn)).collect())
}

const TABLE: [&str; 4] =
    ["break_and_run_share", "shots_a_frame", "safeties_a_frame", "breaker_win_share"];

fn compared(k: usize, observed: Option<f64>, drawn: &[[f64; 4]]) -> Predictive {
    let mut values: Vec<f64> = drawn.iter().map(|row| row[k]).collect();
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let point = |share: f64| values[((share * count) as usize).min(values.len() - 1)];
    Predictive {
        name: TABLE[k],
        observed,
        mean: values.iter().sum::<f64>() / count,
        interval95: [point(0.025), point(0.975)],
        share_above: observed
            .map(|observed| values.iter().filter(|v| **v >= observed).count() as f64 / count),
    }
}

/// The observed table, the pairings behind it, and the players.
fn observe(
    frames: &Frames,
    breakers: &HashMap<String, String>,
) -> anyhow::Result<([Option<f64>; 4], Pairings, Vec<String>)> {
    let mut names: Vec<String> = Vec::new();
    let mut pairings: std::collections::BTreeMap<[usize; SEATS], u64> = Default::default();
    let (mut count, mut shots, mut safeties) = (0_u64, 0_u64, 0_u64);
    let (mut finished, mut wins, mut runs) = (0_u64, 0_u64, 0_u64);
    let mut opponents: HashMap<&str, &str> = HashMap::new();
    for (name, frame) in &frames.frames {
        let Some(breaker) = breakers.get(name) else { continue };
        let other = frame.players.iter().find(|player| *player != breaker).map(String::as_str);
        // A frame in which one player alone shot does not name the other; somebody whom the breaker
        // met before stands in.
        let other = other.or_else(|| opponents.get(breaker.as_str()).copied());
        let Some(other) = other else { continue };
        opponents.insert(breaker, other);
        let mut index = |name: &str| {
            names.iter().position(|n| n == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            })
        };
        *pairings.entry([index(breaker), index(other)]).or_default() += 1;
        count += 1;
        shots += frame.shots;
        safeties += frame.safeties;
        if let Some(winner) = frame.winner([breaker, other]) {
            finished += 1;
            wins += u64::from(winner == breaker);
            let alone = frame.players.iter().all(|player| player == breaker);
            runs += u64::from(winner == breaker && alone);
        }
    }
    if count == 0 {
        bail!(
            "no frame has both shots and a breaker: give logs of shots with the column `frame` and \
             logs of breaks with `frame` and `breaker`"
        );
    }
    let share = |k: u64, n: u64| (n > 0).then(|| k as f64 / n as f64);
    let observed =
        [share(runs, finished), share(shots, count), share(safeties, count), share(wins, finished)];
    Ok((observed, pairings.into_iter().collect(), names))
}

/// The four numbers of one drawn log.
fn whole_log(
    calibrated: &Calibrated,
    definition: Definition,
    players: &[Shooter],
    pairings: &Pairings,
    policy: &AgentSpec,
    seed: u64,
) -> anyhow::Result<[f64; 4]> {
    let drawn = calibrated.renumbered(definition);
    let seats: Vec<[usize; SEATS]> = pairings.iter().map(|(seats, _)| *seats).collect();
    let simulator = Simulator::of_pairs(&drawn, players, &seats, policy)?;
    let (mut frames, mut shots, mut safeties, mut wins, mut runs) = (0_u64, 0, 0, 0_u64, 0_u64);
    for (pair, (_, count)) in pairings.iter().enumerate() {
        for _ in 0..*count {
            let frame = simulator.frame_of(pair, seed, frames)?;
            frames += 1;
            shots += frame.shots.len();
            safeties += frame.shots.iter().filter(|shot| shot.call == Call::Safety).count();
            let won = frame.winner == Some(frame.breaker);
            wins += u64::from(won);
            let alone = frame.shots.iter().all(|shot| shot.player == frame.breaker);
            runs += u64::from(won && alone);
        }
    }
    let n = frames as f64;
    Ok([runs as f64 / n, shots as f64 / n, safeties as f64 / n, wins as f64 / n])
}

/// A Cholesky-like factor of a covariance that may be singular (shares of a break sum to 1): rows
/// without variance left get none.
fn factor(covariance: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = covariance.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let left = covariance[i][j] - sum;
            l[i][j] = if i == j {
                if left > 1e-12 * covariance[i][i] { left.sqrt() } else { 0.0 }
            } else if l[j][j] > 0.0 {
                left / l[j][j]
            } else {
                0.0
            };
        }
    }
    l
}

fn draw_values(uncertain: &Uncertain, factor: &[Vec<f64>], rng: &mut Rng) -> Vec<f64> {
    let normals: Vec<f64> = factor
        .iter()
        .map(|_| {
            let radius = (-2.0 * libm::log(1.0 - rng.random::<f64>())).sqrt();
            radius * libm::cos(std::f64::consts::TAU * rng.random::<f64>())
        })
        .collect();
    uncertain
        .values
        .iter()
        .zip(factor)
        .zip(&uncertain.names)
        .map(|((value, row), name)| {
            let shift: f64 = row.iter().zip(&normals).map(|(l, z)| l * z).sum();
            let share =
                name.starts_with("BREAK.") || matches!(name.as_str(), "P_SCRATCH" | "SAFE_FOUL");
            // A share stays a share however its normal approximation falls.
            if share { (value + shift).clamp(0.0, 1.0) } else { value + shift }
        })
        .collect()
}
