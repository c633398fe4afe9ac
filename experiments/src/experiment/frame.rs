//! Experiments with `game = "frame"`: a round robin of agents on an outcome-model definition, at
//! several pairs of skills, over a grid of parameters.
//!
//! ```toml
//! game = "frame"
//! definition = "my.yaml"              # beside this file; the shipped 8-ball unless given
//! agents = ["threshold", "optimal"]   # every ordered pair: seat 0 breaks
//! self_play = true                    # each against itself too; true unless given
//! skills = [[2.0, 2.0], [3.0, 1.0]]   # the definition's unless given
//! frames = 1_000_000                  # for each row
//! seed = 7
//! [grid]                              # every combination, the last name varying fastest
//! break_scratch_bih = ["kitchen", "anywhere"]
//! "D.hard" = [2.5, 3.0]
//! ```

use super::drive::Written;
use super::grid::{Grid, Point, Setting, describe};
use super::source::Source;
use super::{GameExperiment, Overrides, Report, RowsOf, UnitRows, contenders, named};
use crate::contender::{Contender, Stable, Written as WrittenContender};
use crate::games::read_definition;
use crate::output::manifest::digest;
use crate::output::rows::frame::FrameRow;
use crate::output::table::Table;
use crate::stats::interval::wilson95;
use anyhow::{Context as _, ensure};
use cuebench_agents::fault::Fault;
use cuebench_agents::frame::policies;
use cuebench_agents::referee::{Terms, play};
use cuebench_engine::frame::{BLOCK_FRAMES, Definition, FrameSummary, Game, Policy, Sampler};
use cuebench_engine::game::Seed;
use rayon::prelude::*;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use toml::Spanned;

/// More frames than this a row are refused: their sums would not fit.
const MAX_FRAMES: u64 = 1_000_000_000_000;
/// More rows than this are refused.
const MAX_ROWS: usize = 200_000;
/// Of up to this many rows everything that was prepared is kept until it is played. Of more, it
/// is prepared anew when its turn comes, so that memory does not grow with the grid.
const KEPT_ROWS: usize = 1_000;
/// More agents than this are refused.
const MOST_AGENTS: usize = 1_000;
/// Frames of a block where a process plays.
const PLAYED_BLOCK: u64 = 16;
/// A process's time for a frame.
const CLOCK: Duration = Duration::from_secs(30);

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "game")]
    _game: String,
    name: Option<Spanned<String>>,
    definition: Option<Spanned<PathBuf>>,
    agents: Spanned<Vec<Spanned<WrittenContender>>>,
    #[serde(default = "yes")]
    self_play: bool,
    skills: Option<Spanned<Vec<Spanned<[f64; 2]>>>>,
    frames: Spanned<u64>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    grid: Grid,
}

const fn yes() -> bool {
    true
}

/// A resolved frame experiment: every pairing at every point has been compiled once, so that
/// nothing can be wrong with it any more.
#[derive(Debug)]
pub struct FrameExperiment {
    name: String,
    seed: u64,
    frames: u64,
    definition: Definition,
    /// How the definition stands in the manifest.
    origin: serde_json::Value,
    stable: Stable,
    setups: Vec<Setup>,
    cells: Vec<Cell>,
}

/// A point of the grid at one pair of skills: one game.
#[derive(Debug)]
struct Setup {
    point: Point,
    /// Skills in force, if the definition has any.
    skills: Option<[f64; 2]>,
    /// What is set, in order.
    settings: Vec<Setting>,
}

/// One row: two agents in one setup.
#[derive(Debug)]
struct Cell {
    setup: usize,
    agents: [usize; 2],
    seed: u64,
    exact: Option<Known>,
    /// Kept from the check or made by the first block that needs it, dropped with the last.
    ready: Mutex<Option<Ready>>,
}

/// What the blocks of a row share.
#[derive(Clone, Debug)]
enum Ready {
    /// Two built-in agents: their frames are sampled.
    Sampled(Arc<Sampler>),
    /// A process is among them: their frames are played.
    Played(Arc<Game>),
}

/// What a block returns.
#[derive(Clone, Debug, Default)]
pub struct Block {
    summary: FrameSummary,
    /// Frames that a fault of an agent decided.
    faults: u64,
}

/// What the linear solve says.
#[derive(Clone, Copy, Debug)]
struct Known {
    win_rate: f64,
    mean_shots: f64,
}

/// Reads and resolves a frame experiment.
///
/// # Errors
/// Everything that is wrong with the file, the definition, the agents, or a pairing of them.
pub fn resolve(source: &Source, overrides: &Overrides) -> anyhow::Result<FrameExperiment> {
    let file: File = source.parse()?;
    let name = super::name(source, file.name.as_ref())?;
    let frames = *file.frames.get_ref();
    if !(1..=MAX_FRAMES).contains(&frames) {
        let message = format!("frames = {frames}: give a number from 1 to {MAX_FRAMES}");
        return Err(source.error(file.frames.span(), message).into());
    }
    let (definition, origin) = definition(source, file.definition.as_ref())?;
    // Which agents there are depends on the definition: they are checked with their first row.
    let agents = contenders(source, &file.agents, MOST_AGENTS, |_| Ok(()))?;
    let stable = Stable::new(agents, &source.home());
    let stable = stable.map_err(|error| source.error(file.agents.span(), format!("{error:#}")))?;
    let mut experiment = FrameExperiment {
        name,
        seed: overrides.seed.unwrap_or(file.seed),
        frames,
        definition,
        origin,
        stable,
        setups: vec![],
        cells: vec![],
    };
    experiment.setups = setups(source, &file, &experiment.definition, &overrides.set)?;
    let pairs = pairs(experiment.stable.contenders().len(), file.self_play);
    if pairs.is_empty() {
        let message = "one agent and no self_play leave no pair; name another agent";
        return Err(source.error(file.agents.span(), message).into());
    }
    ensure!(
        pairs.len() * experiment.setups.len() <= MAX_ROWS,
        "{}: more than {MAX_ROWS} rows; make the grid smaller",
        source.path().display()
    );
    experiment.fill(&pairs)?;
    Ok(experiment)
}

/// The definition's text as a definition, and what the manifest says about it.
fn definition(
    source: &Source,
    path: Option<&Spanned<PathBuf>>,
) -> anyhow::Result<(Definition, serde_json::Value)> {
    let Some(path) = path else {
        let text = Definition::SHIPPED;
        return Ok((Definition::shipped()?, serde_json::json!({ "shipped": digest(text) })));
    };
    let given = path.get_ref();
    let found = source.beside(given);
    let (definition, text) = read_definition(&found)?;
    Ok((definition, serde_json::json!({ "file": given, "digest": digest(text) })))
}

/// Every point of the grid at every pair of skills.
fn setups(
    source: &Source,
    file: &File,
    definition: &Definition,
    set: &[Setting],
) -> anyhow::Result<Vec<Setup>> {
    let mut skills = vec![None];
    if let Some(pairs) = &file.skills {
        let finite = |pair: &&Spanned<[f64; 2]>| pair.get_ref().iter().all(|s| s.is_finite());
        if let Some(pair) = pairs.get_ref().iter().find(|pair| !finite(pair)) {
            return Err(source.error(pair.span(), "a skill must be a finite number").into());
        }
        // `--set skill=3` takes the place of the file's skills, as it does of a grid's values.
        if !set.iter().any(|setting| is_skill(&setting.name)) {
            skills = pairs.get_ref().iter().map(|pair| Some(*pair.get_ref())).collect();
        }
        if skills.is_empty() {
            return Err(source.error(pairs.span(), "no skills; leave the key out").into());
        }
    }
    let mut setups = vec![];
    for point in file.grid.points(source, set)? {
        for &pair in &skills {
            let setup = setup(definition, point.clone(), pair).map_err(|error| {
                let fails = |point: &[Setting]| setup(definition, point.to_vec(), pair).is_err();
                match &file.skills {
                    Some(pairs) if fails(&[]) => source.error(pairs.span(), format!("{error:#}")),
                    _ => file.grid.blame(source, set, &point, format!("{error:#}"), fails),
                }
            });
            setups.push(setup?);
        }
    }
    Ok(setups)
}

fn setup(definition: &Definition, point: Point, pair: Option<[f64; 2]>) -> anyhow::Result<Setup> {
    let seats = pair.into_iter().flat_map(|pair| pair.into_iter().enumerate());
    let mut settings: Vec<Setting> = seats
        .map(|(seat, skill)| Setting { name: format!("skill[{seat}]"), value: skill.to_string() })
        .collect();
    settings.extend(point.iter().cloned());
    let mut definition = definition.clone();
    for Setting { name, value } in &settings {
        definition.set(name, value)?;
    }
    let skill = |seat: usize| definition.parameter(&format!("skill[{seat}]"))?.number();
    let skills = skill(0).zip(skill(1)).map(|(one, other)| [one, other]);
    Ok(Setup { point, skills, settings })
}

fn is_skill(name: &str) -> bool {
    name.split(['[', '.']).next() == Some("skill")
}

/// Every ordered pair, row by row of the round robin.
fn pairs(agents: usize, self_play: bool) -> Vec<[usize; 2]> {
    let all = (0..agents).flat_map(|a| (0..agents).map(move |b| [a, b]));
    all.filter(|[a, b]| self_play || a != b).collect()
}

impl FrameExperiment {
    /// Compiles and solves every cell once, in parallel; of several errors the first in the order
    /// of rows is reported.
    fn fill(&mut self, pairs: &[[usize; 2]]) -> anyhow::Result<()> {
        let keep = pairs.len() * self.setups.len() <= KEPT_ROWS;
        for (index, setup) in self.setups.iter().enumerate() {
            let game = self.game(setup).with_context(|| self.place(setup))?;
            let cell = |&agents: &[usize; 2]| self.checked(&game, index, agents, keep);
            let cells: Vec<_> = pairs.par_iter().map(cell).collect();
            let cells: Vec<Cell> = cells.into_iter().collect::<anyhow::Result<_>>()?;
            self.cells.extend(cells);
        }
        Ok(())
    }

    /// The cell of `agents` in a setup, whose game is `game`.
    fn checked(
        &self,
        game: &Game,
        setup: usize,
        agents: [usize; 2],
        keep: bool,
    ) -> anyhow::Result<Cell> {
        let about = || self.about(&self.setups[setup], agents);
        let mut exact = None;
        let ready = if self.is_sampled(agents) {
            let [one, other] = self.policies(game, agents).with_context(about)?;
            exact = game.solve([&one, &other]).ok();
            let sampler = Sampler::new(game, [&one, &other]).with_context(about)?;
            Ready::Sampled(Arc::new(sampler))
        } else {
            // Its built-in agent, if it has one, must exist.
            for seat in 0..2 {
                if self.stable.agent(agents[seat]).is_some() {
                    let opponent = Some(agents[1 - seat]);
                    self.stable.sit(game, agents[seat], seat, opponent).with_context(about)?;
                }
            }
            Ready::Played(Arc::new(game.clone()))
        };
        Ok(Cell {
            setup,
            agents,
            seed: self.row_seed(&self.setups[setup], agents),
            exact: exact.map(|e| Known { win_rate: e.p0_win, mean_shots: e.mean_shots }),
            ready: Mutex::new(keep.then_some(ready)),
        })
    }

    /// Whether both are built in.
    fn is_sampled(&self, agents: [usize; 2]) -> bool {
        agents.iter().all(|&who| self.stable.agent(who).is_some())
    }

    fn game(&self, setup: &Setup) -> anyhow::Result<Game> {
        let mut definition = self.definition.clone();
        for Setting { name, value } in &setup.settings {
            definition.set(name, value)?;
        }
        Ok(Game::compile(&definition)?)
    }

    fn policies(&self, game: &Game, agents: [usize; 2]) -> anyhow::Result<[Policy; 2]> {
        let [Some(one), Some(other)] = agents.map(|who| self.stable.agent(who)) else {
            anyhow::bail!("a process has no policy that can be read");
        };
        Ok(policies(game, [one, other])?)
    }

    fn who(&self, place: usize) -> &Contender {
        &self.stable.contenders()[place]
    }

    /// A row's own seed: it depends on what stands in the row and on nothing else, so that a row
    /// stays the same when others are added, and different rows are independent. 53 bits, so that
    /// every reader of numbers keeps it whole.
    fn row_seed(&self, setup: &Setup, [one, other]: [usize; 2]) -> u64 {
        let Setup { settings, .. } = setup;
        let (one, other) = (self.who(one), self.who(other));
        let text = format!("{}\n{one}\n{other}\n{}", self.seed, describe(settings));
        let digits = digest(text);
        let hexadecimal = digits.rsplit(':').next().unwrap_or_default();
        u64::from_str_radix(&hexadecimal[..16], 16).unwrap_or_default() >> 11
    }

    /// What a game is compiled from, for messages.
    fn place(&self, setup: &Setup) -> String {
        let definition = self.origin["file"].as_str().unwrap_or("the shipped definition");
        match describe(&setup.settings) {
            settings if settings.is_empty() => definition.to_owned(),
            settings => format!("{definition} at {settings}"),
        }
    }

    /// What a cell is, for messages.
    fn about(&self, setup: &Setup, [one, other]: [usize; 2]) -> String {
        let (one, other) = (self.who(one), self.who(other));
        match describe(&setup.settings) {
            settings if settings.is_empty() => format!("{one} against {other}"),
            settings => format!("{one} against {other} at {settings}"),
        }
    }

    fn block_frames(&self, unit: u64) -> u64 {
        if self.is_sampled(self.cell(unit).agents) { BLOCK_FRAMES } else { PLAYED_BLOCK }
    }

    fn cell(&self, unit: u64) -> &Cell {
        &self.cells[unit as usize]
    }

    fn ready(&self, unit: u64) -> anyhow::Result<Ready> {
        let cell = self.cell(unit);
        // A panic under the lock leaves it empty or full, and either is in order.
        let mut kept = cell.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ready) = &*kept {
            return Ok(ready.clone());
        }
        let game = self.game(&self.setups[cell.setup])?;
        let ready = if self.is_sampled(cell.agents) {
            let [one, other] = self.policies(&game, cell.agents)?;
            Ready::Sampled(Arc::new(Sampler::new(&game, [&one, &other])?))
        } else {
            Ready::Played(Arc::new(game))
        };
        *kept = Some(ready.clone());
        Ok(ready)
    }

    /// Plays the frames of a block one by one: frame k of a row has the public seed `seed + k`.
    fn played(&self, game: &Game, unit: u64, first: u64, frames: u64) -> anyhow::Result<Block> {
        let [a, b] = self.cell(unit).agents;
        let mut block = Block::default();
        block.summary.ends = vec![0; game.ends().len()];
        for frame in first..first + frames {
            let mut one = self.stable.sit(game, a, 0, Some(b))?;
            let mut other = self.stable.sit(game, b, 1, Some(a))?;
            let game_id = format!("{}/{unit}/{frame}", self.name);
            let terms = Terms { game_id: &game_id, ..Terms::free(CLOCK) };
            let seed = Seed::open(self.seed.wrapping_add(frame));
            let played = play(game, seed, [one.player(), other.player()], &terms);
            self.stable.rise(a, one);
            self.stable.rise(b, other);
            block.faults += u64::from(played.seats.iter().any(|seated| seated.fault.is_some()));
            for seated in &played.seats {
                if let Some(fault @ Fault::Void(_)) = &seated.fault {
                    anyhow::bail!("{fault}");
                }
            }
            let (sum, shots) = (&mut block.summary, played.state.shots());
            let points = played.points(0);
            sum.frames += 1;
            sum.wins0 += u64::from(points == Some(1.0));
            sum.draws += u64::from(points == Some(0.5));
            sum.shots += shots;
            sum.shots_squared += shots * shots;
            if let Some(end) = played.state.end_index() {
                sum.ends[end] += 1;
            }
        }
        Ok(block)
    }

    fn row(&self, unit: u64, block: &Block, reasons: &[(String, u64)]) -> FrameRow {
        let Block { summary, faults } = block;
        let cell = self.cell(unit);
        let setup = &self.setups[cell.setup];
        let [one, other] = cell.agents.map(|who| self.who(who).to_string());
        let n = summary.frames as f64;
        let [win_rate_low, win_rate_high] = wilson95(summary.wins0 as f64, n);
        let foul: Vec<u64> =
            reasons.iter().filter(|(reason, _)| reason == "eight_foul").map(|r| r.1).collect();
        FrameRow {
            experiment: self.name.clone(),
            agent_0: one,
            agent_1: other,
            skill_0: setup.skills.map(|[skill, _]| skill),
            skill_1: setup.skills.map(|[_, skill]| skill),
            parameters: describe(&setup.point),
            frames: summary.frames,
            wins: summary.wins0,
            draws: summary.draws,
            win_rate: summary.win_rate(),
            win_rate_low,
            win_rate_high,
            exact_win_rate: cell.exact.map(|known| known.win_rate),
            z: cell.exact.and_then(|known| z(summary.win_rate(), known.win_rate, n)),
            mean_shots: summary.mean_shots(),
            mean_shots_se: Some(summary.mean_shots_se()).filter(|se| se.is_finite()),
            exact_mean_shots: cell.exact.map(|known| known.mean_shots),
            faults: *faults,
            eight_foul: (!foul.is_empty()).then(|| foul.iter().sum::<u64>() as f64 / n),
            seed: self.seed,
            row_seed: cell.seed,
        }
    }
}

/// How far a sampled share of `n` lies from its exact value, in standard errors of the exact one;
/// nothing where that is 0.
fn z(sampled: f64, exact: f64, n: f64) -> Option<f64> {
    let error = (exact * (1.0 - exact) / n).sqrt();
    (error > 0.0).then(|| (sampled - exact) / error)
}

impl GameExperiment for FrameExperiment {
    type Block = Block;
    const EPISODES: &'static str = "frames";

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn resolved(&self) -> serde_json::Value {
        let setups = self.setups.iter().map(|setup| describe(&setup.settings));
        serde_json::json!({
            "game": "frame",
            "name": self.name,
            "definition": self.origin,
            "agents": named(self.stable.contenders()),
            "agent_files": super::agent_files(self.stable.contenders()),
            "rows": self.cells.len(),
            "frames": self.frames,
            "seed": self.seed,
            "setups": setups.collect::<Vec<_>>(),
        })
    }

    fn files(&self) -> Vec<RowsOf> {
        vec![RowsOf::new::<FrameRow>("", 1)]
    }

    fn units(&self) -> u64 {
        self.cells.len() as u64
    }

    fn blocks(&self, unit: u64) -> u64 {
        self.frames.div_ceil(self.block_frames(unit))
    }

    fn episodes(&self, unit: u64, block: u64) -> u64 {
        let whole = self.block_frames(unit);
        (self.frames - block * whole).min(whole)
    }

    fn play(&self, unit: u64, block: u64) -> anyhow::Result<Block> {
        let frames = self.episodes(unit, block);
        match self.ready(unit)? {
            Ready::Sampled(sampler) => {
                let summary = sampler.block(self.cell(unit).seed, block, frames);
                Ok(Block { summary, faults: 0 })
            }
            Ready::Played(game) => self.played(&game, unit, block * PLAYED_BLOCK, frames),
        }
    }

    fn merge(&self, total: &mut Block, next: Block) {
        total.summary.merge(&next.summary);
        total.faults += next.faults;
    }

    fn rows(&self, unit: u64, total: Block, rows: &mut UnitRows) -> anyhow::Result<()> {
        let reasons = match self.ready(unit)? {
            Ready::Sampled(sampler) => sampler.reasons(&total.summary),
            Ready::Played(game) => {
                let ends = game.ends().iter().zip(&total.summary.ends);
                ends.map(|(end, &frames)| (end.reason.clone(), frames)).collect()
            }
        };
        *self.cell(unit).ready.lock().unwrap_or_else(PoisonError::into_inner) = None;
        rows.push(0, &self.row(unit, &total, &reasons))
    }

    fn report(&self, written: &mut Written<'_>) -> anyhow::Result<Report> {
        let mut table = Table::new([
            "seat 0",
            "seat 1",
            "skills",
            "parameters",
            "win rate",
            "95 %",
            "exact",
            "z",
            "shots",
        ]);
        let mut json = vec![];
        for row in written.rows::<FrameRow>(0)? {
            let row = row?;
            let skill = |skill: Option<f64>| skill.map_or_else(String::new, |s| s.to_string());
            table.row([
                row.agent_0.clone(),
                row.agent_1.clone(),
                format!("{} {}", skill(row.skill_0), skill(row.skill_1)),
                row.parameters.clone(),
                format!("{:.5}", row.win_rate),
                format!("{:.5}-{:.5}", row.win_rate_low, row.win_rate_high),
                row.exact_win_rate.map_or_else(String::new, |exact| format!("{exact:.5}")),
                row.z.map_or_else(String::new, |z| format!("{z:.2}")),
                format!("{:.2}", row.mean_shots),
            ]);
            json.push(serde_json::to_value(&row)?);
        }
        Ok(Report { text: table.to_string(), json: json.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn resolved(text: &str, set: &[&str]) -> Result<FrameExperiment, String> {
        let source = Source::new(Path::new("x.toml"), format!("game = \"frame\"\n{text}"));
        let set = set.iter().map(|text| text.parse().expect("a setting")).collect();
        resolve(&source, &Overrides { seed: None, set }).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn every_ordered_pair_is_played_at_every_point_and_skill() {
        let text = "agents = [\"threshold\", \"always_attack\"]\nskills = [[2, 2], [3, 1]]\n\
                    frames = 10\n[grid]\nbreak_scratch_bih = [\"kitchen\", \"anywhere\"]\n";
        let experiment = resolved(text, &[]).expect("valid");
        assert_eq!(experiment.units(), 4 * 2 * 2);
        let apart = resolved(&text.replace("frames", "self_play = false\nframes"), &[]);
        assert_eq!(apart.expect("valid").units(), 2 * 2 * 2);
        let fixed = resolved(text, &["skill=1", "break_scratch_bih=anywhere"]).expect("valid");
        assert_eq!(fixed.units(), 4);
        assert_eq!(fixed.setups[0].skills, Some([1.0, 1.0]));
    }

    #[test]
    fn a_rows_seed_does_not_depend_on_the_other_rows() {
        let seeds = |text: &str| -> Vec<u64> {
            resolved(text, &[]).expect("valid").cells.iter().map(|cell| cell.seed).collect()
        };
        let two = seeds("agents = [\"threshold\", \"random\"]\nframes = 10\nseed = 3\n");
        let one = seeds("agents = [\"random\"]\nframes = 99\nseed = 3\n");
        assert_eq!(one[0], two[3]);
        assert!(two[0] != two[1] && two[1] != two[2] && two.iter().all(|&seed| seed < 1 << 53));
        assert_ne!(seeds("agents = [\"random\"]\nframes = 10\nseed = 4\n"), one);
    }

    #[test]
    fn whatever_is_wrong_is_refused_with_its_place() {
        for (text, words) in [
            ("agents = [\"threshold\"]\nframes = 0\n", "x.toml:3:10: frames = 0"),
            ("agents = [\"threshold\"]\nframes = -4\n", "x.toml:3:10: invalid value"),
            ("agents = []\nframes = 1\n", "x.toml:2:10: agents: give 1 to"),
            ("agents = [\"treshold\"]\nframes = 1\n", "did you mean `threshold`?"),
            ("agents = [\"random\", \"random\"]\nframes = 1\n", "x.toml:2:21: agent `random`"),
            ("agents = [\"random\"]\nself_play = false\nframes = 1\n", "x.toml:2:10: one agent"),
            ("agents = [\"random\"]\nskills = [[1, nan]]\nframes = 1\n", "x.toml:3:11: a skill"),
            ("agents = [\"random\"]\nframes = 1\nfarmes = 2\n", "did you mean `frames`?"),
            ("agents = [\"random\"]\nframes = 1\n[grid]\nP_SCRACH = [1]\n", "P_SCRATCH"),
            ("agents = [\"threshold\"]\nskills = [[-1, -1]]\nframes = 1\n", "skill[0]=-1"),
            ("agents = [\"random\"]\ndefinition = \"no.yaml\"\nframes = 1\n", "no.yaml"),
        ] {
            let error = resolved(text, &[]).expect_err(text);
            assert!(error.contains(words) && !error.contains('\n'), "{text}: {error}");
        }
    }
}
