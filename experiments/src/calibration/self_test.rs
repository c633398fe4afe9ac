//! What data of a given design can tell: many simulated logs, each calibrated, against the truth.

use super::definition::Calibrated;
use super::estimate::{Status, calibrate};
use super::model::{Fixed, Model};
use super::simulate::Simulator;
use crate::shot_log::schema::{
    Call, MISS_SCRATCH, POT_SCRATCH, SAFE_FOUL, SAFETY_RESULTS, SHOT_RESULTS,
};
use crate::shot_log::shots::{Counts, Player, Position};
use crate::stats::calibration::design::{Held, Parameter};
use crate::stats::calibration::newton::{self, Ending};
use crate::stats::calibration::proportion::Share;
use crate::stats::calibration::structure::Standing;
use crate::stats::interval::{Z95, wilson95};
use anyhow::ensure;
use rayon::prelude::*;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, Normal};

/// Rows on which a parameter must rest to be judged.
const JUDGED: u64 = 50;
/// Coverage that is called right.
const BAND: [f64; 2] = [0.94, 0.96];
/// Frames after which a log is given up.
const MAX_FRAMES: u64 = 10_000_000;
/// Groups of ranks.
const RANKS: usize = 10;

/// The design of the logs.
#[derive(Clone, Copy, Debug)]
pub struct Design {
    /// How many logs.
    pub logs: u64,
    /// Shots and safeties of each player in each log.
    pub shots: u64,
    /// The seed.
    pub seed: u64,
}

/// What came of one parameter over all logs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The parameter.
    pub name: String,
    /// The truth.
    pub truth: f64,
    /// Logs in which it rests on 50 rows or more and nothing is separated.
    pub judged: u64,
    /// Logs in which the whole fit is finite but it rests on fewer rows.
    pub thin: u64,
    /// Logs in which it has no estimate.
    pub without_estimate: u64,
    /// Mean of its rows over all logs.
    pub mean_rows: f64,
    /// Mean estimate less truth, over judged logs.
    pub bias: Option<f64>,
    /// Standard deviation of the estimates, over judged logs.
    pub deviation: Option<f64>,
    /// Mean standard error, over judged logs.
    pub mean_se: Option<f64>,
    /// Share of judged logs whose profile interval covers the truth.
    pub profile_coverage: Option<f64>,
    /// Wilson interval of that share.
    pub profile_coverage95: Option<[f64; 2]>,
    /// Share of judged logs whose Wald interval covers the truth.
    pub wald_coverage: Option<f64>,
    /// Share of thin logs whose profile interval covers the truth.
    pub thin_coverage: Option<f64>,
    /// Judged logs by tenths of the rank of the truth (signed root of the deviance); even if the
    /// intervals are right at every level.
    pub ranks: [u64; RANKS],
    /// Chi-squared of the ranks against even ones, 9 degrees of freedom.
    pub rank_chi_squared: Option<f64>,
    /// Whether the coverage lies in 0.94..0.96; none if nothing is judged, or for a share whose
    /// rarer outcome rests on fewer than 50 rows.
    pub right: Option<bool>,
}

/// What came of all logs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Logs simulated.
    pub logs: u64,
    /// Shots and safeties of each player.
    pub shots: u64,
    /// Logs without separated parameters.
    pub not_separated: u64,
    /// Logs with separated parameters.
    pub separated: u64,
    /// Logs with parameters that rows do not determine, or without rows.
    pub deficient: u64,
    /// The parameters.
    pub parameters: Vec<Line>,
}

/// A parameter in one log.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    n: u64,
    /// Rows with the rarer outcome, for shares; all rows otherwise.
    rarer: u64,
    /// Estimate, standard error, signed root of the deviance at the truth.
    found: Option<[f64; 3]>,
}

/// One log.
struct Replicate {
    status: Status,
    seen: Vec<Seen>,
}

/// Simulates logs under `calibrated` and calibrates each.
///
/// # Errors
/// When a log cannot be simulated or its structure not be decided.
pub fn run(
    calibrated: &Calibrated,
    simulator: &Simulator,
    skills: &[f64],
    design: Design,
) -> anyhow::Result<Summary> {
    ensure!(design.logs > 0 && design.shots > 0, "--self-test needs at least one log and one shot");
    let truth = truth(calibrated, skills);
    let replicates: Vec<Replicate> = (0..design.logs)
        .into_par_iter()
        .map(|log| replicate(calibrated, simulator, &truth, design, log))
        .collect::<anyhow::Result<_>>()?;
    let with = |wanted: fn(Status) -> bool| {
        replicates.iter().filter(|replicate| wanted(replicate.status)).count() as u64
    };
    Ok(Summary {
        logs: design.logs,
        shots: design.shots,
        not_separated: with(|status| status != Status::Separated),
        separated: with(|status| status == Status::Separated),
        deficient: with(|s| matches!(s, Status::RankDeficient | Status::EmptyLevel)),
        parameters: (0..truth.len()).map(|i| line(&truth[i], &replicates, i)).collect(),
    })
}

/// All parameters with their true values: skills, shared terms, shares.
fn truth(calibrated: &Calibrated, skills: &[f64]) -> Vec<(String, f64)> {
    let family = &calibrated.family;
    let mut truth: Vec<(String, f64)> =
        skills.iter().enumerate().map(|(i, skill)| (format!("skill.{i}"), *skill)).collect();
    let names = family.schema.leaves.iter().map(|leave| format!("D.{leave}"));
    let singles = ["c", "A0", "P_SCRATCH", "SAFE_FOUL"].map(str::to_owned);
    let breaks = family.schema.breaks.iter().map(|(_, key)| format!("BREAK.{key}"));
    truth.extend(names.chain(singles).chain(breaks).map(|name| {
        let value = family.number(&name);
        (name, value)
    }));
    truth
}

fn replicate(
    calibrated: &Calibrated,
    simulator: &Simulator,
    truth: &[(String, f64)],
    design: Design,
    log: u64,
) -> anyhow::Result<Replicate> {
    let family = &calibrated.family;
    let (counts, breaks) = simulated(simulator, design, log)?;
    let anchor = format!("D.{}", family.schema.leaves[0]);
    let fixed = [Fixed { value: family.number(&anchor), name: anchor }];
    let model = Model::new(&counts, Position::Leave, &family.schema.leaves, &fixed, |_| 0.0)?;
    let calibration = calibrate(&model)?;
    let (blocks, shared) = model.rows();
    let mut seen: Vec<Seen> = model
        .parameters()
        .zip(truth)
        .map(|(parameter, (_, value))| {
            let n = match parameter {
                Parameter::Block(p) => blocks[p],
                Parameter::Shared(j) => shared[j],
            };
            Seen { n, rarer: n, found: at_truth(&calibration, parameter, *value) }
        })
        .collect();
    seen.extend(shares(&counts, &breaks, &truth[seen.len()..]));
    Ok(Replicate { status: calibration.status(), seen })
}

/// Estimate, standard error and signed root of the deviance at the truth: the profile interval
/// covers the truth exactly if the root lies within its quantile.
fn at_truth(
    calibration: &super::estimate::Calibration,
    parameter: Parameter,
    value: f64,
) -> Option<[f64; 3]> {
    if calibration.structure.get(parameter) != Standing::Estimable {
        return None;
    }
    let fit = &calibration.fit;
    let se = fit.factor.as_ref()?.variance_of(parameter).sqrt();
    let held: Held = calibration.structure.held.and(parameter);
    let mut start = fit.point.clone();
    start.set(parameter, value);
    let given = newton::fit(&calibration.kept, &held, start);
    if given.ending != Ending::Converged || fit.ending != Ending::Converged {
        return None;
    }
    let estimate = fit.point.get(parameter);
    let root = (2.0 * (fit.log_likelihood - given.log_likelihood)).max(0.0).sqrt();
    Some([estimate, se, root * (value - estimate).signum()])
}

/// The shares of one log in the order of the truth.
fn shares(counts: &Counts, breaks: &[u64], truth: &[(String, f64)]) -> Vec<Seen> {
    let (mut shot, mut safety) = ([0_u64; SHOT_RESULTS], [0_u64; SAFETY_RESULTS]);
    for player in &counts.players {
        for results in &player.by_leave {
            shot.iter_mut().zip(results).for_each(|(sum, count)| *sum += count);
        }
        safety.iter_mut().zip(player.safeties).for_each(|(sum, count)| *sum += count);
    }
    let total: u64 = breaks.iter().sum();
    let mut counted = vec![(shot[POT_SCRATCH] + shot[MISS_SCRATCH], shot.iter().sum::<u64>())];
    counted.push((safety[SAFE_FOUL], safety.iter().sum()));
    counted.extend(breaks.iter().map(|&count| (count, total)));
    counted
        .into_iter()
        .zip(truth)
        .map(|((k, n), (_, p))| {
            let found = Share::new(k, n).map(|share| {
                let (k, n) = (k as f64, n as f64);
                let at = |p: f64| {
                    let term = |c: f64, p: f64| if c > 0.0 { c * libm::log(p) } else { 0.0 };
                    term(k, p) + term(n - k, 1.0 - p)
                };
                let root = (2.0 * (at(share.estimate) - at(*p))).max(0.0).sqrt();
                [share.estimate, share.se, root * (p - share.estimate).signum()]
            });
            Seen { n, rarer: k.min(n - k), found }
        })
        .collect()
}

/// Counts of one log: frames in turn, of every player the first shots, until all have them.
fn simulated(
    simulator: &Simulator,
    design: Design,
    log: u64,
) -> anyhow::Result<(Counts, Vec<u64>)> {
    let schema = simulator.schema();
    let mut players: Vec<Player> = (0..simulator.players())
        .map(|i| Player {
            name: i.to_string(),
            by_leave: vec![[0; SHOT_RESULTS]; schema.leaves.len()],
            ..Player::default()
        })
        .collect();
    let mut left = vec![design.shots; players.len()];
    let mut breaks = vec![0_u64; schema.breaks.len()];
    // Streams of different logs must not meet: every log has a seed of its own.
    let seed = crate::shot_log::keys::hash(&[&design.seed.to_string(), &log.to_string()]);
    let mut frame = 0;
    while left.iter().any(|left| *left > 0) {
        ensure!(frame < MAX_FRAMES, "the players do not come to {} shots each", design.shots);
        let played = simulator.frame(seed, frame)?;
        frame += 1;
        breaks[played.outcome] += 1;
        for shot in played.shots {
            if left[shot.player] == 0 {
                continue;
            }
            left[shot.player] -= 1;
            let player = &mut players[shot.player];
            match shot.call {
                Call::Shot => player.by_leave[shot.leave][shot.result] += 1,
                Call::Safety => player.safeties[shot.result] += 1,
            }
        }
    }
    Ok((Counts { players }, breaks))
}

fn line((name, truth): &(String, f64), replicates: &[Replicate], i: usize) -> Line {
    let seen = || replicates.iter().map(|replicate| (replicate.status, replicate.seen[i]));
    let finite = || seen().filter(|(status, _)| *status != Status::Separated).map(|(_, s)| s);
    let judged: Vec<[f64; 3]> =
        finite().filter(|s| s.n >= JUDGED).filter_map(|s| s.found).collect();
    let thin: Vec<[f64; 3]> = finite().filter(|s| s.n < JUDGED).filter_map(|s| s.found).collect();
    let covered = |list: &[[f64; 3]]| list.iter().filter(|f| f[2].abs() <= Z95).count() as f64;
    let share =
        |list: &[[f64; 3]], count: f64| (!list.is_empty()).then(|| count / list.len() as f64);
    let mean = |of: fn(&[f64; 3]) -> f64| share(&judged, judged.iter().map(of).sum());
    let average = mean(|f| f[0]);
    let deviation = average.filter(|_| judged.len() > 1).map(|average| {
        let squares: f64 = judged.iter().map(|f| (f[0] - average) * (f[0] - average)).sum();
        (squares / (judged.len() - 1) as f64).sqrt()
    });
    let wald = judged.iter().filter(|f| (f[0] - truth).abs() <= Z95 * f[1]).count() as f64;
    let ranks = ranks(&judged);
    let profile_coverage = share(&judged, covered(&judged));
    // A share whose rarer outcome is rare has few values, and no interval of it covers evenly.
    let even = finite().filter(|s| s.rarer >= JUDGED).count() * 2 > judged.len();
    Line {
        name: name.clone(),
        truth: *truth,
        judged: judged.len() as u64,
        thin: thin.len() as u64,
        without_estimate: seen().filter(|(_, s)| s.found.is_none()).count() as u64,
        mean_rows: seen().map(|(_, s)| s.n as f64).sum::<f64>() / replicates.len() as f64,
        bias: average.map(|average| average - truth),
        deviation,
        mean_se: mean(|f| f[1]),
        profile_coverage,
        profile_coverage95: profile_coverage
            .map(|_| wilson95(covered(&judged), judged.len() as f64)),
        wald_coverage: share(&judged, wald),
        thin_coverage: share(&thin, covered(&thin)),
        ranks,
        rank_chi_squared: (!judged.is_empty()).then(|| chi_squared(&ranks)),
        right: profile_coverage.filter(|_| even).map(|c| (BAND[0]..=BAND[1]).contains(&c)),
    }
}

fn ranks(judged: &[[f64; 3]]) -> [u64; RANKS] {
    let mut ranks = [0; RANKS];
    for found in judged {
        let rank = Normal::standard().cdf(found[2]);
        ranks[((rank * RANKS as f64) as usize).min(RANKS - 1)] += 1;
    }
    ranks
}

fn chi_squared(ranks: &[u64; RANKS]) -> f64 {
    let expected = ranks.iter().sum::<u64>() as f64 / RANKS as f64;
    ranks
        .iter()
        .map(|&count| (count as f64 - expected) * (count as f64 - expected) / expected)
        .sum()
}
