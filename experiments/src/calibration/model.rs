//! The regression behind the counts of a log: names of its parameters, what fixes its location,
//! what is held at a given value.

use crate::shot_log::schema::{
    MISS, MISS_SCRATCH, POT_NO_POSITION, POT_POSITION, POT_SCRATCH, SAFE_GOOD, SAFE_POOR,
    SHOT_RESULTS,
};
use crate::shot_log::shots::{Counts, Geometry, Position};
use crate::stats::calibration::design::{Cell, Held, Parameter, Patterns, Point, Problem};
use cuebench_agents::spec::did_you_mean;
use std::collections::BTreeMap;

/// What a row asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Pot or miss.
    Pot,
    /// Position or none, after a clean pot.
    Position,
    /// Good or poor, after a safety without foul.
    Safety,
}

impl Stage {
    /// The stages in order.
    pub const ALL: [Self; 3] = [Self::Pot, Self::Position, Self::Safety];

    /// The stage's word in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pot => "pot",
            Self::Position => "position",
            Self::Safety => "safety",
        }
    }
}

/// What a pattern stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meaning {
    /// The stage.
    pub stage: Stage,
    /// The leave, where leaves describe positions.
    pub leave: Option<usize>,
    /// The geometry, where geometry does.
    pub geometry: Option<Geometry>,
}

/// A parameter held at a value, as the user wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// The parameter's name.
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// Why a parameter cannot be held.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FixError {
    /// No parameter has that name.
    #[error("--fix {name}: there is no such parameter{near}; there are: {known}")]
    Unknown {
        /// The name as given.
        name: String,
        /// The nearest name, as a question.
        near: String,
        /// The names that exist.
        known: String,
    },
    /// The value is no finite number.
    #[error("--fix {name}: the value must be a finite number")]
    Value {
        /// The parameter.
        name: String,
    },
}

/// The regression with its names.
#[derive(Clone, Debug)]
pub struct Model {
    /// Cells and patterns.
    pub problem: Problem,
    /// What each pattern stands for.
    pub meanings: Vec<Meaning>,
    /// The players.
    pub players: Vec<String>,
    /// Names of the shared terms: `D.LEAVE` (or `b0` .. `b3`), `c`, `A0`.
    pub terms: Vec<String>,
    /// Parameters that are given.
    pub held: Held,
    /// Their values; elsewhere where a fit begins: skills and difficulties at the location that is
    /// held, so that every chance is one half there, and 0 for the rest.
    pub start: Point,
    /// What fixes the location, in words.
    pub anchor: String,
    /// Whether the tool chose it.
    pub anchor_chosen: bool,
}

impl Model {
    /// The regression of `counts`, described by `position`, with leaves as in the schema.
    /// `fixed` may name any skill or shared term; `reference` gives values for an anchor that the
    /// tool chooses itself (by the shared term's name).
    ///
    /// # Errors
    /// When `fixed` names no parameter.
    pub fn new(
        counts: &Counts,
        position: Position,
        leaves: &[String],
        fixed: &[Fixed],
        reference: impl Fn(&str) -> f64,
    ) -> Result<Self, FixError> {
        let players: Vec<String> = counts.players.iter().map(|p| p.name.clone()).collect();
        let (terms, meanings, problem) = match position {
            Position::Leave => by_leave(counts, leaves),
            Position::Geometry => by_geometry(counts),
        };
        let (held, start) = (problem.all_free(), problem.origin());
        let anchor = String::new();
        let mut model =
            Self { problem, meanings, players, terms, held, start, anchor, anchor_chosen: false };
        for Fixed { name, value } in fixed {
            model.hold(name, *value)?;
        }
        model.anchor(reference);
        model.locate();
        Ok(model)
    }

    /// All parameters in the order of reports: skills, then shared terms.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter> + use<> {
        let (blocks, shared) = (self.players.len(), self.terms.len());
        (0..blocks).map(Parameter::Block).chain((0..shared).map(Parameter::Shared))
    }

    /// The name of a parameter.
    #[must_use]
    pub fn name(&self, parameter: Parameter) -> String {
        match parameter {
            Parameter::Block(p) => format!("skill.{}", self.players[p]),
            Parameter::Shared(j) => self.terms[j].clone(),
        }
    }

    /// The index of the shared term `name`.
    #[must_use]
    pub fn term(&self, name: &str) -> Option<usize> {
        self.terms.iter().position(|term| term == name)
    }

    fn hold(&mut self, name: &str, value: f64) -> Result<(), FixError> {
        if !value.is_finite() {
            return Err(FixError::Value { name: name.to_owned() });
        }
        let player = name.strip_prefix("skill.");
        let parameter = player
            .and_then(|player| self.players.iter().position(|p| p == player))
            .map(Parameter::Block)
            .or_else(|| self.term(name).map(Parameter::Shared))
            .ok_or_else(|| self.unknown(name))?;
        self.held = self.held.and(parameter);
        self.start.set(parameter, value);
        Ok(())
    }

    fn unknown(&self, name: &str) -> FixError {
        let mut known: Vec<String> = self.parameters().map(|p| self.name(p)).collect();
        let near = did_you_mean(name, &known);
        if self.players.len() > 20 {
            known.drain(..self.players.len());
            known.insert(0, "skill.PLAYER".to_owned());
        }
        known.extend(["P_SCRATCH".to_owned(), "SAFE_FOUL".to_owned()]);
        FixError::Unknown { name: name.to_owned(), near, known: known.join(", ") }
    }

    /// Describes what fixes the location, and chooses something if nothing does.
    fn anchor(&mut self, reference: impl Fn(&str) -> f64) {
        let fixed: Vec<String> = self
            .parameters()
            .filter(|&p| self.held.get(p) && self.locates(p))
            .map(|p| format!("{}={}", self.name(p), self.start.get(p)))
            .collect();
        if !fixed.is_empty() {
            self.anchor = fixed.join(", ");
            return;
        }
        let chosen = self.best_anchor();
        let value = reference(&self.terms[chosen]);
        self.held = self.held.and(Parameter::Shared(chosen));
        self.start.shared[chosen] = value;
        self.anchor = format!("{}={value}", self.terms[chosen]);
        self.anchor_chosen = true;
    }

    /// Begins the fit at the held location: the mean of what is held, for all that may not be far
    /// from it.
    fn locate(&mut self) {
        let located: Vec<Parameter> = self.parameters().filter(|&p| self.locates(p)).collect();
        let (held, free): (Vec<_>, Vec<_>) = located.into_iter().partition(|&p| self.held.get(p));
        if held.is_empty() {
            return;
        }
        let sum: f64 = held.iter().map(|&p| self.start.get(p)).sum();
        for parameter in free {
            self.start.set(parameter, sum / held.len() as f64);
        }
    }

    /// Whether holding the parameter fixes the location: a skill, `D`, `b0` or `A0` does.
    fn locates(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::Block(_) => true,
            Parameter::Shared(j) => {
                matches!(self.terms[j].as_str(), "b0" | "A0") || self.terms[j].starts_with("D.")
            }
        }
    }

    /// The first leave with both outcomes; else the first with rows; else `A0`; else the first.
    fn best_anchor(&self) -> usize {
        let candidates: Vec<usize> =
            (0..self.terms.len()).filter(|&j| self.locates(Parameter::Shared(j))).collect();
        let mut seen = vec![(0, 0); self.terms.len()];
        for cell in self.problem.cells() {
            let pattern = cell.pattern as usize;
            if self.meanings[pattern].stage != Stage::Position {
                for &(j, _) in self.problem.patterns.terms(pattern) {
                    seen[j as usize].0 += cell.successes;
                    seen[j as usize].1 += cell.trials - cell.successes;
                }
            }
        }
        let both = |j: &&usize| seen[**j].0 > 0 && seen[**j].1 > 0;
        let any = |j: &&usize| seen[**j].0 + seen[**j].1 > 0;
        let found = candidates.iter().find(both).or_else(|| candidates.iter().find(any));
        found.or_else(|| candidates.first()).copied().unwrap_or_default()
    }

    /// Rows behind every parameter: for `D`, `b0` .. `b3` the pot rows; for `c` the position rows;
    /// for `A0` the safeties without foul; for a skill all shots and such safeties of the player.
    #[must_use]
    pub fn rows(&self) -> (Vec<u64>, Vec<u64>) {
        let (mut blocks, mut shared) = (vec![0; self.players.len()], vec![0; self.terms.len()]);
        let c = self.term("c");
        for cell in self.problem.cells() {
            let pattern = cell.pattern as usize;
            let position = self.meanings[pattern].stage == Stage::Position;
            if !position {
                blocks[cell.block as usize] += cell.trials;
            }
            for &(j, _) in self.problem.patterns.terms(pattern) {
                if !position || Some(j as usize) == c {
                    shared[j as usize] += cell.trials;
                }
            }
        }
        (blocks, shared)
    }
}

/// Clean and unclean pots, and the two stages of a shot: pot rows and position rows as
/// (trials, successes).
fn stages(results: &[u64; SHOT_RESULTS]) -> [(u64, u64); 2] {
    let clean = results[POT_POSITION] + results[POT_NO_POSITION];
    let pots = clean + results[POT_SCRATCH];
    let shots = pots + results[MISS] + results[MISS_SCRATCH];
    [(shots, pots), (clean, results[POT_POSITION])]
}

fn by_leave(counts: &Counts, leaves: &[String]) -> (Vec<String>, Vec<Meaning>, Problem) {
    let count = leaves.len();
    let (c, a0) = (count as u32, count as u32 + 1);
    let mut terms: Vec<String> = leaves.iter().map(|leave| format!("D.{leave}")).collect();
    terms.extend(["c".to_owned(), "A0".to_owned()]);
    let mut patterns = Patterns::new();
    let mut meanings = Vec::new();
    for stage in [Stage::Pot, Stage::Position] {
        for leave in 0..count {
            let own = (leave as u32, -1.0);
            match stage {
                Stage::Position => patterns.push(&[own, (c, -1.0)]),
                _ => patterns.push(&[own]),
            };
            meanings.push(Meaning { stage, leave: Some(leave), geometry: None });
        }
    }
    let safety = patterns.push(&[(a0, -1.0)]);
    meanings.push(Meaning { stage: Stage::Safety, leave: None, geometry: None });
    let mut cells = Vec::new();
    for (p, player) in counts.players.iter().enumerate() {
        for (leave, results) in player.by_leave.iter().enumerate() {
            for (stage, (trials, successes)) in stages(results).into_iter().enumerate() {
                let pattern = (stage * count + leave) as u32;
                cells.push(Cell { block: p as u32, pattern, trials, successes });
            }
        }
        cells.push(safety_cell(p, safety, player.safeties));
    }
    let problem = Problem::new(counts.players.len(), terms.len(), patterns, cells);
    (terms, meanings, problem)
}

fn by_geometry(counts: &Counts) -> (Vec<String>, Vec<Meaning>, Problem) {
    let terms = ["b0", "b1", "b2", "b3", "c", "A0"].map(str::to_owned).to_vec();
    let mut patterns = Patterns::new();
    let mut meanings = Vec::new();
    let safety = patterns.push(&[(5, -1.0)]);
    meanings.push(Meaning { stage: Stage::Safety, leave: None, geometry: None });
    // Patterns in the order of the geometry, whoever played it.
    let mut known: BTreeMap<Geometry, u32> = BTreeMap::new();
    for geometry in counts.players.iter().flat_map(|player| player.by_geometry.keys()) {
        known.insert(*geometry, 0);
    }
    for (geometry, first) in &mut known {
        let [theta, ob, cb] = geometry.values();
        let pot = [(0, -1.0), (1, -theta), (2, -ob), (3, -cb)];
        *first = patterns.push(&pot);
        patterns.push(&[pot[0], pot[1], pot[2], pot[3], (4, -1.0)]);
        for stage in [Stage::Pot, Stage::Position] {
            meanings.push(Meaning { stage, leave: None, geometry: Some(*geometry) });
        }
    }
    let mut cells = Vec::new();
    for (p, player) in counts.players.iter().enumerate() {
        for (geometry, results) in &player.by_geometry {
            for (stage, (trials, successes)) in (0_u32..).zip(stages(results)) {
                let pattern = known[geometry] + stage;
                cells.push(Cell { block: p as u32, pattern, trials, successes });
            }
        }
        cells.push(safety_cell(p, safety, player.safeties));
    }
    (terms, meanings, Problem::new(counts.players.len(), 6, patterns, cells))
}

fn safety_cell(player: usize, pattern: u32, safeties: [u64; 3]) -> Cell {
    let successes = safeties[SAFE_GOOD];
    let trials = successes + safeties[SAFE_POOR];
    Cell { block: player as u32, pattern, trials, successes }
}
