//! From a log to frames: exact values of every pairing, and whole logs drawn anew against the
//! observed one, both over the posterior of all that the log leaves open.

use super::board::Board;
use super::caller::Caller;
use super::definition::Calibrated;
use super::posterior::{Numbers, Posterior};
use super::results::Results;
use super::simulate::{Frame, Simulator};
use crate::output::progress::Progress;
use crate::shot_log::frames::Frames;
use crate::shot_log::schema::Call;
use crate::shot_log::shots::Position;
use crate::stats::calibration::design::sigmoid;
use crate::stats::calibration::structure::Standing;
use crate::stats::interval::{Z95, wilson95};
use anyhow::{anyhow, bail, ensure};
use cuebench_engine::frame::{Exact, Policy, SEATS};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Exact solutions that are usually spent on the intervals of all pairings together.
pub const SOLUTIONS: u64 = 480;
/// The least and the most solutions of one pairing.
const EACH: [u64; 2] = [24, 240];
/// States of the shipped game, about.
const USUAL_STATES: usize = 1_100;
/// Draws from which an interval is read off them; fewer give mean and deviation.
const MANY: usize = 200;

/// An exact value with the uncertainty of its parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Who breaks.
    pub breaker: String,
    /// The other player.
    pub other: String,
    /// What is predicted.
    pub name: &'static str,
    /// The value at the estimates.
    pub value: f64,
    /// Its standard deviation over the posterior.
    pub se: f64,
    /// The 95 % interval over the posterior.
    pub interval95: [f64; 2],
}

/// A player's calls from a leave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallRow {
    /// The leave.
    pub leave: String,
    /// The player.
    pub player: String,
    /// The player's skill.
    pub skill: f64,
    /// Shots called.
    pub shots: u64,
    /// Safeties called.
    pub safeties: u64,
    /// The estimated chance of a shot.
    pub share: f64,
    /// Wilson's interval of the share of shots; all of 0..1 without a call.
    pub wilson95: [f64; 2],
}

/// All that predictions rest on.
#[derive(Debug)]
pub struct Forecast<'a> {
    calibrated: &'a Calibrated,
    results: &'a Results,
    /// What the log leaves open.
    pub posterior: Posterior<'a>,
    board: Arc<Board>,
    /// Who calls; the log's own shares without.
    caller: Option<Caller>,
    /// The estimates that stand for the log.
    centre: Numbers,
}

impl<'a> Forecast<'a> {
    /// Lays out the game. `caller` calls for all players; without one they call as the log shows.
    ///
    /// # Errors
    /// When the log has no leaves, nothing is determined, or the game cannot be laid out.
    pub fn new(
        calibrated: &'a Calibrated,
        results: &'a Results,
        frames: &Frames,
        caller: Option<Caller>,
        position: Position,
    ) -> anyhow::Result<Self> {
        ensure!(
            position == Position::Leave || calibrated.family.has_geometry(),
            "the log describes positions by geometry, and the definition's leaves have no points; \
             give a log with the column `leave`, or the definition that `calibrate --out` makes of \
             a log with geometry"
        );
        ensure!(
            position == Position::Leave || caller.is_some() || !frames.calls.is_empty(),
            "the log has no leaves to tell who calls what; name an agent, as in --policy threshold"
        );
        let held = &results.calibration.structure.held_over_all;
        let family = &calibrated.family;
        let posterior = Posterior::new(&results.model, held, family, &results.shares, frames)
            .ok_or_else(|| {
                anyhow!("the rows determine nothing that could be drawn; give a longer log")
            })?;
        let finite = |e: &super::estimate::Estimate| e.estimate.is_some();
        // Estimates where all that rows speak of have one, else those with Firth's penalty.
        let spoken = |e: &&super::estimate::Estimate| {
            !matches!(e.standing, Standing::Empty | Standing::Unidentified)
        };
        let all = results.fitted.estimates.iter().filter(spoken).all(finite);
        let mut point = results.fitted.point.clone();
        for (j, name) in results.model.terms.iter().enumerate() {
            if results.fitted.estimates[results.model.players.len() + j].estimate.is_none() {
                point.shared[j] = family.number(name);
            }
        }
        let centre = if all { posterior.at(&point) } else { posterior.centre.clone() };
        let board = Arc::new(Board::new(calibrated)?);
        Ok(Self { calibrated, results, posterior, board, caller, centre })
    }

    /// Where the log's players stand.
    ///
    /// # Errors
    /// When a player is not in the log.
    pub fn player(&self, name: &str) -> anyhow::Result<usize> {
        let players = &self.results.model.players;
        players.iter().position(|player| player == name).ok_or_else(|| {
            let near = cuebench_agents::spec::nearest(name, players);
            let near = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
            anyhow!("--players: `{name}` is not in the log{near}")
        })
    }

    /// The break skill of a player, 0 where the log does not tell.
    fn break_skill(&self, player: usize) -> f64 {
        let name = &self.results.model.players[player];
        self.results.breaks.as_ref().and_then(|breaks| breaks.of(name)).unwrap_or_default()
    }

    /// The definition with drawn numbers.
    fn with(&self, numbers: &Numbers) -> anyhow::Result<Calibrated> {
        self.calibrated.renumbered(&numbers.numbers)
    }

    fn caller(&self, numbers: &Numbers) -> Caller {
        self.caller.clone().unwrap_or_else(|| Caller::Log(numbers.calls.clone()))
    }

    /// The calls of the log by leave and player, the least skilled first.
    #[must_use]
    pub fn calls(&self) -> Vec<CallRow> {
        let players = &self.results.model.players;
        let mut order: Vec<usize> = (0..players.len()).collect();
        order.sort_by(|&a, &b| self.centre.skills[a].total_cmp(&self.centre.skills[b]));
        let leaves = &self.calibrated.family.schema.leaves;
        let row = |leave: usize, player: usize| {
            let [shots, safeties] = self.posterior.calls()[player][leave];
            CallRow {
                leave: leaves[leave].clone(),
                player: players[player].clone(),
                skill: self.centre.skills[player],
                shots,
                safeties,
                share: self.centre.calls[player][leave],
                wilson95: wilson95(shots as f64, (shots + safeties) as f64),
            }
        };
        let all = (0..leaves.len()).flat_map(|leave| order.iter().map(move |&p| (leave, p)));
        all.map(|(leave, player)| row(leave, player)).collect()
    }

    /// Exact values of the given pairings, the first of each breaks, with intervals from about
    /// `solutions` exact solutions for all of them.
    ///
    /// # Errors
    /// When a game cannot be solved.
    pub fn exact(
        &self,
        pairings: &[[usize; SEATS]],
        solutions: u64,
        seed: u64,
    ) -> anyhow::Result<Vec<Prediction>> {
        if pairings.is_empty() {
            return Ok(Vec::new());
        }
        let count = (solutions / pairings.len() as u64).clamp(EACH[0], EACH[1]);
        // A larger game takes as much more time for each.
        let size = (self.board.places.len() / USUAL_STATES).max(1) as u64;
        let count = (count / size).max(EACH[0]);
        let draws = self.posterior.draws(count, seed);
        let drawn: Vec<Calibrated> =
            draws.iter().map(|numbers| self.with(numbers)).collect::<anyhow::Result<_>>()?;
        let centre = self.with(&self.centre)?;
        let progress = Progress::start(pairings.len() as u64, 0, "pairings");
        let mut predictions = Vec::with_capacity(6 * pairings.len());
        for &players in pairings {
            let (exact, held) = self.solved(&centre, &self.centre, players, None)?;
            let values: Vec<[f64; 6]> = draws
                .par_iter()
                .zip(&drawn)
                .map(|(numbers, calibrated)| {
                    let (exact, _) = self.solved(calibrated, numbers, players, Some(&held))?;
                    Ok(outputs(&exact))
                })
                .collect::<anyhow::Result<_>>()?;
            let [breaker, other] = players.map(|p| self.results.model.players[p].clone());
            for (k, value) in outputs(&exact).into_iter().enumerate() {
                let drawn: Vec<f64> = values.iter().map(|row| row[k]).collect();
                let (se, interval95) = spread(k < 2, value, &drawn);
                let (breaker, other) = (breaker.clone(), other.clone());
                predictions.push(Prediction {
                    breaker,
                    other,
                    name: NAMES[k],
                    value,
                    se,
                    interval95,
                });
            }
            progress.add(1);
        }
        Ok(predictions)
    }

    /// The exact values of two players, and their policies: those in `held` unless the log calls.
    fn solved(
        &self,
        calibrated: &Calibrated,
        numbers: &Numbers,
        players: [usize; SEATS],
        held: Option<&[Policy; SEATS]>,
    ) -> anyhow::Result<(Exact, [Policy; SEATS])> {
        let skills = players.map(|player| numbers.skills[player]);
        let breaker = self.break_skill(players[0]);
        let game = self.board.game_of(calibrated, skills, breaker)?;
        let policies = match held.filter(|_| self.caller.is_some()) {
            Some(policies) => policies.clone(),
            None => self.caller(numbers).policies(&self.board, &game, players)?,
        };
        let exact = game.solve([&policies[0], &policies[1]])?;
        Ok((exact, policies))
    }
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

/// Standard deviation and interval of a value over draws of it; it lies inside.
fn spread(chance: bool, value: f64, drawn: &[f64]) -> (f64, [f64; 2]) {
    let n = drawn.len() as f64;
    let mean = drawn.iter().sum::<f64>() / n;
    let square: f64 = drawn.iter().map(|v| (v - mean) * (v - mean)).sum();
    let se = (square / (n - 1.0).max(1.0)).sqrt();
    let [low, high] = if drawn.len() >= MANY {
        let mut sorted = drawn.to_vec();
        sorted.sort_by(f64::total_cmp);
        [quantile(&sorted, 0.025), quantile(&sorted, 0.975)]
    } else {
        // Few draws: a normal distribution on the logit or the log scale.
        let inner = |v: f64| v.clamp(1e-9, 1.0 - 1e-9);
        let scaled = |v: f64| {
            if chance { libm::log(inner(v) / (1.0 - inner(v))) } else { libm::log(v.max(1e-9)) }
        };
        let logs: Vec<f64> = drawn.iter().map(|v| scaled(*v)).collect();
        let mean = logs.iter().sum::<f64>() / n;
        let square: f64 = logs.iter().map(|v| (v - mean) * (v - mean)).sum();
        let half = Z95 * (square / (n - 1.0).max(1.0)).sqrt();
        [-1.0, 1.0].map(|side| {
            let end = mean + side * half;
            if chance { sigmoid(end) } else { libm::exp(end) }
        })
    };
    (se, [low.min(value), high.max(value)])
}

/// The point below which the share `level` of sorted values lies, between them where it falls so.
fn quantile(sorted: &[f64], level: f64) -> f64 {
    // Weibull's places: the ends of few values are not taken for more than they are.
    let at = level * (sorted.len() as f64 + 1.0) - 1.0;
    let below = at.floor().clamp(0.0, sorted.len() as f64 - 1.0) as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (at - below as f64).clamp(0.0, 1.0)
}

/// One line of the table of whole logs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predictive {
    /// What is compared.
    pub name: String,
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

/// The observed log.
#[derive(Clone, Debug)]
pub struct Observation {
    pairings: Pairings,
    /// Each frame's length, innings and safeties.
    frames: Vec<[u64; 3]>,
    /// Frames that end, the breaker's wins among them, and those run out from the break.
    finished: [u64; 3],
}

impl Observation {
    /// What the log says of frames whose breaker is known.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn new(
        forecast: &Forecast<'_>,
        frames: &Frames,
        breakers: &HashMap<String, String>,
    ) -> anyhow::Result<Self> {
        let mut seen = Self { pairings: Vec::new(), frames: Vec::new(), finished: [0; 3] };
        let mut pairings: BTreeMap<[usize; SEATS], u64> = BTreeMap::new();
        let mut opponents: HashMap<&str, &str> = HashMap::new();
        for (name, frame) in &frames.frames {
            let Some(breaker) = breakers.get(name) else { continue };
            // A frame in which one player alone shot may not name the other; somebody whom the
            // breaker met before stands in.
            let other = frame.against(breaker).or_else(|| opponents.get(breaker.as_str()).copied());
            let Some(other) = other else { continue };
            opponents.insert(breaker, other);
            let players = [forecast.player(breaker), forecast.player(other)];
            let [Ok(first), Ok(second)] = players else { continue };
            *pairings.entry([first, second]).or_default() += 1;
            seen.frames.push([frame.shots, frame.innings(breaker), frame.safeties]);
            if let Some(winner) = frame.winner([breaker, other]) {
                seen.finished[0] += 1;
                seen.finished[1] += u64::from(winner == breaker);
                let alone = frame.players.iter().all(|player| player == breaker);
                seen.finished[2] += u64::from(winner == breaker && alone);
            }
        }
        if seen.frames.is_empty() {
            bail!(
                "no frame has both shots and a breaker: give logs of shots with the column `frame` \
                 and logs of breaks with `frame` and `breaker`"
            );
        }
        seen.pairings = pairings.into_iter().collect();
        Ok(seen)
    }

    /// Every ordered pair of players who met, the breaker first.
    #[must_use]
    pub fn pairs(&self) -> Vec<[usize; SEATS]> {
        let mut pairs: Vec<[usize; SEATS]> =
            self.pairings.iter().flat_map(|([a, b], _)| [[*a, *b], [*b, *a]]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Names and values of the log's statistics, in the order of the two tables of
    /// [`Forecast::predictive`].
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        statistics(&self.frames, self.finished)
    }
}

/// Names and values of a log: those of the table, then those of distributions.
pub type Statistics = Vec<(String, Option<f64>)>;

/// How many statistics are those of the table.
const TABLE: usize = 4;
/// Points of the distributions over frames.
const POINTS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

fn statistics(frames: &[[u64; 3]], [finished, wins, runs]: [u64; 3]) -> Statistics {
    let n = frames.len() as f64;
    let share = |k: u64| (finished > 0).then(|| k as f64 / finished as f64);
    let mean = |k: usize| Some(frames.iter().map(|frame| frame[k] as f64).sum::<f64>() / n);
    let mut list: Statistics = vec![
        ("break_and_run_share".to_owned(), share(runs)),
        ("shots_a_frame".to_owned(), mean(0)),
        ("safeties_a_frame".to_owned(), mean(2)),
        ("breaker_win_share".to_owned(), share(wins)),
        ("innings_a_frame".to_owned(), mean(1)),
    ];
    for (k, name) in [(0, "shots"), (1, "innings"), (2, "safeties")] {
        let mut sorted: Vec<f64> = frames.iter().map(|frame| frame[k] as f64).collect();
        sorted.sort_by(f64::total_cmp);
        for point in POINTS {
            let label = format!("{name}_{:.0}_percent_point", 100.0 * point);
            list.push((label, Some(quantile(&sorted, point))));
        }
    }
    list
}

impl Forecast<'_> {
    /// Whole logs, each from one draw of the posterior, with as many frames of every pairing as the
    /// observed log has: the table against the log, and the distributions over frames.
    ///
    /// # Errors
    /// When a frame fails.
    pub fn predictive(
        &self,
        seen: &Observation,
        draws: u64,
        seed: u64,
    ) -> anyhow::Result<[Vec<Predictive>; 2]> {
        let centre = self.with(&self.centre)?;
        let calls = match &self.caller {
            Some(caller) => {
                Some(Arc::new(caller.calls(&self.board, &centre, &self.centre.skills)?))
            }
            None => None,
        };
        let numbers = self.posterior.draws(draws, seed);
        let progress = Progress::start(draws, 0, "drawn logs");
        let drawn: Vec<Statistics> = numbers
            .par_iter()
            .enumerate()
            .map(|(draw, numbers)| {
                let calibrated = self.with(numbers)?;
                let simulator = match &calls {
                    Some(calls) => {
                        Simulator::called(&self.board, &calibrated, &numbers.skills, calls.clone())
                    }
                    None => {
                        let caller = self.caller(numbers);
                        Simulator::on(&self.board, &calibrated, &numbers.skills, &caller)?
                    }
                };
                let simulator = match &self.results.breaks {
                    Some(_) => {
                        let players = 0..self.results.model.players.len();
                        let skills: Vec<f64> = players.map(|p| self.break_skill(p)).collect();
                        simulator.with_break_skills(&skills)?
                    }
                    None => simulator,
                };
                let words = [seed.to_string(), draw.to_string()];
                let seed = crate::shot_log::keys::hash(&[&words[0], &words[1]]);
                let log = whole_log(&simulator, &seen.pairings, seed)?;
                progress.add(1);
                Ok(log)
            })
            .collect::<anyhow::Result<_>>()?;
        let observed = seen.statistics();
        let mut lines = observed.into_iter().enumerate().map(|(k, line)| compared(k, line, &drawn));
        let table = lines.by_ref().take(TABLE).collect();
        Ok([table, lines.collect()])
    }
}

fn compared(k: usize, (name, observed): (String, Option<f64>), drawn: &[Statistics]) -> Predictive {
    let mut values: Vec<f64> = drawn.iter().filter_map(|log| log[k].1).collect();
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    Predictive {
        name,
        observed,
        mean: values.iter().sum::<f64>() / count,
        interval95: [quantile(&values, 0.025), quantile(&values, 0.975)],
        share_above: observed
            .map(|observed| values.iter().filter(|v| **v >= observed).count() as f64 / count),
    }
}

/// The statistics of one drawn log.
fn whole_log(simulator: &Simulator, pairings: &Pairings, seed: u64) -> anyhow::Result<Statistics> {
    let mut lengths = Vec::new();
    let (mut wins, mut runs) = (0, 0);
    for (pair, count) in pairings {
        for _ in 0..*count {
            let frame: Frame = simulator.frame_of(*pair, seed, lengths.len() as u64)?;
            let safeties = frame.shots.iter().filter(|shot| shot.call == Call::Safety).count();
            lengths.push([frame.shots.len() as u64, frame.innings() as u64, safeties as u64]);
            let won = frame.winner == Some(frame.breaker);
            wins += u64::from(won);
            runs += u64::from(won && frame.innings() == 1);
        }
    }
    let frames = lengths.len() as u64;
    Ok(statistics(&lengths, [frames, wins, runs]))
}
