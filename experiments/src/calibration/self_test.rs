//! What data of a given design can tell: many simulated logs, each calibrated, against the truth.

use super::board::Board;
use super::caller::Caller;
use super::definition::Calibrated;
use super::estimate::{Status, calibrate};
use super::model::{Fixed, Model};
use super::remedy::pooled;
use super::simulate::Simulator;
use crate::output::progress::Progress;
use crate::rollout::Stop;
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
use cuebench_engine::rng::{Purpose, stream};
use rand_distr::{Distribution as _, StandardNormal};
use rayon::prelude::*;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, Normal};
use std::sync::Arc;

/// Rows on which a parameter must rest to be judged.
const JUDGED: u64 = 50;
/// Coverage that is called right: of fits by maximum likelihood, and of those with random skills.
pub const BANDS: [[f64; 2]; 2] = [[0.94, 0.96], [0.93, 0.97]];
/// Frames after which a log is given up.
const MAX_FRAMES: u64 = 10_000_000;
/// Groups of ranks.
const RANKS: usize = 10;

/// The design of the logs.
#[derive(Clone, Debug)]
pub struct Design {
    /// Skills of the players; with random skills the normal distribution that every log's are
    /// drawn from has their mean and standard deviation.
    pub skills: Vec<f64>,
    /// Who calls.
    pub caller: Caller,
    /// Fit skills as draws from a distribution.
    pub random_skills: bool,
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
    /// Whether the coverage lies in 0.94..0.96 (0.93..0.97 with random skills); none if nothing is judged, or for a share whose
    /// rarer outcome rests on fewer than 50 rows.
    pub right: Option<bool>,
}

/// What came of all logs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Logs asked for.
    pub asked: u64,
    /// Logs simulated: fewer than asked for when the test was interrupted.
    pub logs: u64,
    /// Whether skills were drawn and fitted as draws.
    pub random_skills: bool,
    /// With random skills, the logs in which their spread was estimated as 0.
    pub at_boundary: Option<u64>,
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
    /// Estimate less truth, standard error, signed root of the deviance at the truth.
    found: Option<[f64; 3]>,
}

/// One log.
struct Replicate {
    status: Status,
    /// Parameters without rows.
    empty: bool,
    /// The spread of random skills is estimated as 0.
    boundary: bool,
    seen: Vec<Seen>,
}

/// Simulates logs under `calibrated` and calibrates each, until all are done or `stop` asks to end:
/// then the summary is that of the logs that were finished, none without any.
///
/// # Errors
/// When a log cannot be simulated or its structure not be decided.
pub fn run(
    calibrated: &Calibrated,
    design: &Design,
    stop: &Stop,
) -> anyhow::Result<Option<Summary>> {
    ensure!(design.logs > 0 && design.shots > 0, "--self-test needs at least one log and one shot");
    let board = Arc::new(Board::new(calibrated)?);
    // What is wrong with the design shows before the first log.
    Simulator::on(&board, calibrated, &design.skills, &design.caller)?;
    let truth = truth(calibrated, design);
    let progress = Progress::start(design.logs, 0, "logs");
    let replicates: Vec<Replicate> = (0..design.logs)
        .into_par_iter()
        .filter(|_| !stop.requested())
        .map(|log| {
            let done = replicate(calibrated, &board, &truth, design, log);
            progress.add(1);
            done
        })
        .collect::<anyhow::Result<_>>()?;
    drop(progress);
    if replicates.is_empty() {
        return Ok(None);
    }
    let with = |wanted: fn(&Replicate) -> bool| {
        replicates.iter().filter(|replicate| wanted(replicate)).count() as u64
    };
    let band = BANDS[usize::from(design.random_skills)];
    Ok(Some(Summary {
        asked: design.logs,
        logs: replicates.len() as u64,
        random_skills: design.random_skills,
        at_boundary: design.random_skills.then(|| with(|log| log.boundary)),
        shots: design.shots,
        not_separated: with(|log| log.status != Status::Separated),
        separated: with(|log| log.status == Status::Separated),
        deficient: with(|log| log.status == Status::RankDeficient || log.empty),
        parameters: (0..truth.len()).map(|i| line(&truth[i], &replicates, i, band)).collect(),
    }))
}

/// Mean and standard deviation of the skills of a design.
fn moments(skills: &[f64]) -> [f64; 2] {
    let n = skills.len() as f64;
    let mean = skills.iter().sum::<f64>() / n;
    let square: f64 = skills.iter().map(|s| (s - mean) * (s - mean)).sum();
    [mean, (square / (n - 1.0).max(1.0)).sqrt()]
}

/// All parameters with their true values: skills (their mean where every log draws its own),
/// shared terms, with random skills mean and spread, shares.
fn truth(calibrated: &Calibrated, design: &Design) -> Vec<(String, f64)> {
    let family = &calibrated.family;
    let [mean, spread] = moments(&design.skills);
    let of_skill = |(i, skill): (usize, &f64)| {
        (format!("skill.{i}"), if design.random_skills { mean } else { *skill })
    };
    let mut truth: Vec<(String, f64)> = design.skills.iter().enumerate().map(of_skill).collect();
    let number = |name: String| {
        let value = family.number(&name);
        (name, value)
    };
    truth.extend(family.schema.leaves.iter().map(|leave| number(format!("D.{leave}"))));
    truth.extend(["c", "A0"].map(|name| number(name.to_owned())));
    if design.random_skills {
        truth.extend([("skills.mean".to_owned(), mean), ("skills.spread".to_owned(), spread)]);
    }
    truth.extend(["P_SCRATCH", "SAFE_FOUL"].map(|name| number(name.to_owned())));
    truth.extend(family.schema.breaks.iter().map(|(_, key)| number(format!("BREAK.{key}"))));
    truth
}

fn replicate(
    calibrated: &Calibrated,
    board: &Arc<Board>,
    truth: &[(String, f64)],
    design: &Design,
    log: u64,
) -> anyhow::Result<Replicate> {
    let family = &calibrated.family;
    // Streams of different logs must not meet: every log has a seed of its own.
    let seed = crate::shot_log::keys::hash(&[&design.seed.to_string(), &log.to_string()]);
    let mut skills = design.skills.clone();
    if design.random_skills {
        let [mean, spread] = moments(&design.skills);
        let mut rng = stream(seed, Purpose::Layout, 0);
        for skill in &mut skills {
            let z: f64 = StandardNormal.sample(&mut rng);
            *skill = mean + spread * z;
        }
    }
    let simulator = Simulator::on(board, calibrated, &skills, &design.caller)?;
    let (counts, breaks) = simulated(&simulator, design, seed)?;
    let anchor = format!("D.{}", family.schema.leaves[0]);
    let fixed = [Fixed { value: family.number(&anchor), name: anchor }];
    let model = Model::new(&counts, Position::Leave, &family.schema.leaves, &fixed, |_| 0.0)?;
    let mut replicate =
        if design.random_skills { random(&model, &skills, truth)? } else { plain(&model, truth)? };
    let known = replicate.seen.len();
    replicate.seen.extend(shares(&counts, &breaks, &truth[known..]));
    Ok(replicate)
}

/// Rows behind every parameter, in the order of the model.
fn rows(model: &Model) -> Vec<u64> {
    let (blocks, shared) = model.rows();
    blocks.into_iter().chain(shared).collect()
}

fn plain(model: &Model, truth: &[(String, f64)]) -> anyhow::Result<Replicate> {
    let calibration = calibrate(model)?;
    let seen =
        model.parameters().zip(rows(model)).zip(truth).map(|((parameter, n), (_, value))| Seen {
            n,
            rarer: n,
            found: at_truth(&calibration, parameter, *value),
        });
    let structure = &calibration.structure;
    let empty = |s: &Standing| *s == Standing::Empty;
    Ok(Replicate {
        status: calibration.status(),
        empty: structure.blocks.iter().chain(&structure.shared).any(empty),
        boundary: false,
        seen: seen.collect(),
    })
}

/// A log whose skills were drawn and are fitted as draws.
fn random(model: &Model, skills: &[f64], truth: &[(String, f64)]) -> anyhow::Result<Replicate> {
    let pooled = pooled(model)?;
    let fit = pooled.fit().filter(|fit| fit.best.converged);
    let (problem, n) = (&pooled.problem, rows(model));
    let players = skills.len();
    let mut seen: Vec<Seen> = n.iter().map(|&n| Seen { n, rarer: n, found: None }).collect();
    let all: u64 = n[..players].iter().sum();
    let mut pair = [Seen { n: all, rarer: all, found: None }; 2];
    if let Some(fit) = &fit {
        for (p, &skill) in skills.iter().enumerate() {
            let found = fit.skills[p];
            let se = found.se.unwrap_or_default();
            seen[p].found = Some([found.value - skill, se, fit.deviate(p, skill)]);
        }
        for j in 0..model.terms.len() {
            let value = truth[players + j].1;
            if pooled.structure.shared[j] == Standing::Estimable
                && let (Some(se), Some(root)) = (fit.se(j), fit.root(problem, j, value))
            {
                seen[players + j].found = Some([fit.best.values[j] - value, se, root]);
            }
        }
        let at = players + model.terms.len();
        let (mean, spread) = (truth[at].1, truth[at + 1].1);
        let se = fit.mean.se.unwrap_or_default();
        pair[0].found = Some([fit.mean.value - mean, se, fit.deviate(players, mean)]);
        let se = fit.spread.se.unwrap_or_default();
        let root = fit.spread_root(problem, spread);
        pair[1].found = root.map(|root| [fit.spread.value - spread, se, root]);
    }
    seen.extend(pair);
    let any = |wanted: fn(&Standing) -> bool| pooled.structure.shared.iter().any(wanted);
    let status = if fit.is_none() {
        Status::IterationLimit
    } else if any(|s| matches!(s, Standing::Separated { .. })) {
        Status::Separated
    } else if any(|s| *s == Standing::Unidentified) {
        Status::RankDeficient
    } else {
        Status::Converged
    };
    Ok(Replicate {
        status,
        empty: any(|s| *s == Standing::Empty),
        boundary: fit.is_some_and(|fit| fit.best.spread <= 0.0),
        seen,
    })
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
    Some([estimate - value, se, root * (value - estimate).signum()])
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
            // Wilson's interval, which is the one shown, is that of the score's deviate.
            let found = Share::new(k, n).map(|share| {
                let deviate = (p - share.estimate) / (p * (1.0 - p) / n as f64).sqrt();
                [share.estimate - p, share.se, deviate]
            });
            Seen { n, rarer: k.min(n - k), found }
        })
        .collect()
}

/// Counts of one log: frames in turn, of every player the first shots, until all have them.
fn simulated(
    simulator: &Simulator,
    design: &Design,
    seed: u64,
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

fn line((name, truth): &(String, f64), replicates: &[Replicate], i: usize, band: [f64; 2]) -> Line {
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
    let wald = judged.iter().filter(|f| f[0].abs() <= Z95 * f[1]).count() as f64;
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
        bias: average,
        deviation,
        mean_se: mean(|f| f[1]),
        profile_coverage,
        profile_coverage95: profile_coverage
            .map(|_| wilson95(covered(&judged), judged.len() as f64)),
        wald_coverage: share(&judged, wald),
        thin_coverage: share(&thin, covered(&thin)),
        ranks,
        rank_chi_squared: (!judged.is_empty()).then(|| chi_squared(&ranks)),
        right: profile_coverage.filter(|_| even).map(|c| (band[0]..=band[1]).contains(&c)),
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
