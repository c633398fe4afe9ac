//! From a program to a finite game: every state that can be reached from the start.
//!
//! Play is followed from each choice and each loop pass to the next ones ([`machine`]); then
//! loop passes, where nobody chooses, are folded into the draws that lead to them ([`fold`]).

mod drawn;
mod fold;
mod machine;

pub(super) use drawn::Drawn;
pub(super) use fold::Merge;
pub(super) use machine::describe;

use super::error::{At, FrameError};
use super::program::{Instruction, Program};
use super::value::Value;
use foldhash::{HashMap, HashMapExt as _};
use machine::{Line, Machine, NOBODY};
use std::sync::Arc;

/// The most places that are explored.
pub const MAX_STATES: usize = 100_000;
/// The most edges that are kept.
const MAX_EDGES: usize = 4_000_000;

/// How a frame ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct GameEnd {
    /// The id of the end condition.
    pub id: String,
    /// The value of the variable `win_reason` where the definition has one, else the id.
    pub reason: String,
    /// The seat that won; none for a draw.
    pub winner: Option<u8>,
}

/// Where a line of play stops.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    Choice,
    Pass,
    End(GameEnd),
}

/// A line of play that came to a stop.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    stop: Stop,
    line: Line,
}

impl Branch {
    const fn new(stop: Stop, line: Line) -> Self {
        Self { stop, line }
    }
}

/// Where an edge leads: a state, or an end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Goal {
    State(u32),
    End(u32),
}

/// One way on from a state: a probability, and what happens on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub to: Goal,
    pub probability: f64,
    pub shots: u32,
    /// Changes of the acting seat; the first seat to act changes nothing.
    pub switches: u32,
    /// The seat that acts first in the frame, if that happens on this way.
    pub breaker: Option<u8>,
    /// The outcome drawn, in a game that records outcomes.
    pub drawn: Drawn,
}

/// The edge on which `draw`, a number from 0 to 1, falls, and how far within it.
pub(super) fn drawn_edge(edges: &[Edge], draw: f64) -> Option<(&Edge, f64)> {
    let mut left = draw;
    for edge in edges {
        if left < edge.probability {
            return Some((edge, left));
        }
        left -= edge.probability;
    }
    // Rounding can leave a hair beyond the last edge: that one then.
    edges.last().map(|edge| (edge, edge.probability))
}

/// A state of the finite game.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The seat that chooses; none where only chance decides.
    pub seat: Option<u8>,
    /// Values by slot; `None` where the value can no longer be read.
    pub slots: Arc<[Value]>,
    pub at: At,
    /// Open actions in the order of the text, and the edges of each.
    pub options: Vec<(usize, Vec<Edge>)>,
}

/// All that can be reached from the start.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    /// Edges of the opening, up to the first choice.
    pub start: Vec<Edge>,
    pub states: Vec<State>,
    pub ends: Vec<GameEnd>,
}

/// Explores all of `program`; when `recording`, ways that differ in the outcome drawn stay apart.
pub(super) fn explore(program: &Program, recording: bool) -> Result<Reached, FrameError> {
    let mut explorer = Explorer {
        machine: Machine::new(program, recording),
        found: HashMap::new(),
        words: HashMap::new(),
        places: Vec::new(),
        ends: HashMap::new(),
        end_list: Vec::new(),
        edges: 0,
    };
    let start = explorer.start()?;
    let mut states = Vec::new();
    while states.len() < explorer.places.len() {
        let state = explorer.expand(states.len())?;
        states.push(state);
    }
    let names: Vec<Option<String>> = explorer
        .places
        .iter()
        .map(|place| match &program.code[place.pc].1 {
            Instruction::Header { name } => Some(name.clone()),
            _ => None,
        })
        .collect();
    let reached = Reached { start, states, ends: explorer.end_list };
    fold::fold(reached, &names, |slots| machine::describe(program, slots))
}

/// A place to look at: where in the program, with which values.
struct Place {
    pc: usize,
    active: u8,
    slots: Arc<[Value]>,
}

struct Explorer<'a> {
    machine: Machine<'a>,
    found: HashMap<Box<[u64]>, u32>,
    words: HashMap<Arc<str>, u64>,
    places: Vec<Place>,
    ends: HashMap<GameEnd, u32>,
    end_list: Vec<GameEnd>,
    edges: usize,
}

impl Explorer<'_> {
    fn line(&self, place: &Place) -> Line {
        Line {
            pc: place.pc,
            slots: place.slots.to_vec(),
            active: place.active,
            breaker: None,
            probability: 1.0,
            shots: 0,
            switches: 0,
            drawn: Drawn::NOTHING,
        }
    }

    fn start(&mut self) -> Result<Vec<Edge>, FrameError> {
        let slots = self.machine.program.initial.clone().into();
        let line = self.line(&Place { pc: 0, active: NOBODY, slots });
        self.machine.check_start(&line)?;
        let branches = self.machine.run(line)?;
        self.edges(branches)
    }

    fn expand(&mut self, index: usize) -> Result<State, FrameError> {
        let place = &self.places[index];
        let (at, instruction) = &self.machine.program.code[place.pc];
        let (at, slots) = (*at, place.slots.clone());
        let line = self.line(place);
        let (seat, mut options) = match instruction {
            Instruction::Choice { options, .. } => {
                let open = self.machine.open_options(&line)?;
                let open = open.into_iter().map(|i| (options[i].action, options[i].goes_to));
                (Some(place.active), open.collect::<Vec<_>>())
            }
            _ => (None, vec![(usize::MAX, line.pc)]),
        };
        let mut expanded = Vec::with_capacity(options.len());
        for (action, pc) in options.drain(..) {
            let branches = self.machine.run(Line { pc, ..line.clone() })?;
            expanded.push((action, self.edges(branches)?));
        }
        Ok(State { seat, slots, at, options: expanded })
    }

    /// Branches to edges; those that agree in all but probability become one.
    fn edges(&mut self, branches: Vec<Branch>) -> Result<Vec<Edge>, FrameError> {
        let mut edges: Vec<Edge> = Vec::with_capacity(branches.len());
        let mut merged = fold::Merge::default();
        for Branch { stop, mut line } in branches {
            let to = match stop {
                Stop::End(end) => Goal::End(self.end(end)),
                Stop::Choice => {
                    // The step's actor is the one that acts now.
                    let seat = line.slots[self.machine.program.decider()].integer();
                    line.act(u8::from(seat == Some(1)));
                    Goal::State(self.place(line.pc, line.active, line.slots)?)
                }
                Stop::Pass => Goal::State(self.place(line.pc, line.active, line.slots)?),
            };
            let Line { probability, shots, switches, breaker, drawn, .. } = line;
            merged.add(Edge { to, probability, shots, switches, breaker, drawn }, &mut edges);
        }
        self.edges += edges.len();
        if self.edges > MAX_EDGES {
            return Err(FrameError::TooManyStates {
                limit: MAX_EDGES,
                what: "ways from state to state",
            });
        }
        Ok(edges)
    }

    fn end(&mut self, end: GameEnd) -> u32 {
        if let Some(index) = self.ends.get(&end) {
            return *index;
        }
        let index = self.end_list.len() as u32;
        self.end_list.push(end.clone());
        self.ends.insert(end, index);
        index
    }

    /// The number of a place, new or known. Only what can still be read tells places apart.
    fn place(&mut self, pc: usize, active: u8, slots: Vec<Value>) -> Result<u32, FrameError> {
        let live = &self.machine.program.live[pc];
        let mut key = Vec::with_capacity(2 * slots.len());
        key.push((pc as u64) << 2 | u64::from(active));
        for slot in live.iter() {
            encode(&slots[slot], &mut self.words, &mut key);
        }
        let key = key.into_boxed_slice();
        if let Some(index) = self.found.get(&key) {
            return Ok(*index);
        }
        if self.places.len() >= MAX_STATES {
            return Err(FrameError::TooManyStates { limit: MAX_STATES, what: "states" });
        }
        let index = self.places.len() as u32;
        self.found.insert(key, index);
        let kept = |(i, value)| if live.contains(i) { value } else { Value::None };
        let slots = slots.into_iter().enumerate().map(kept).collect();
        self.places.push(Place { pc, active, slots });
        Ok(index)
    }
}

/// A value as numbers; different values give different numbers.
fn encode(value: &Value, words: &mut HashMap<Arc<str>, u64>, key: &mut Vec<u64>) {
    match value {
        Value::None => key.push(0),
        Value::Bool(b) => key.extend([1, u64::from(*b)]),
        Value::Int(i) => key.extend([2, *i as u64]),
        Value::Real(x) => key.extend([3, x.to_bits()]),
        Value::Text(text) => {
            let next = words.len() as u64;
            let word = *words.entry(text.clone()).or_insert(next);
            key.extend([4, word]);
        }
        Value::List(items) => {
            key.extend([5, items.len() as u64]);
            items.iter().for_each(|item| encode(item, words, key));
        }
        Value::Dict(entries) => {
            key.extend([6, entries.len() as u64]);
            for (name, item) in entries.iter() {
                encode(&Value::Text(name.clone()), words, key);
                encode(item, words, key);
            }
        }
    }
}
