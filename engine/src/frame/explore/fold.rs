//! Folds the states where nobody chooses into the edges that lead to them.

use super::{Drawn, Edge, Goal, MAX_EDGES, Reached};
use crate::frame::error::FrameError;
use crate::frame::graph::components;
use crate::frame::value::Value;
use std::collections::HashMap;

/// Adds edges up, those that agree in all but probability into one.
#[derive(Default)]
pub(in crate::frame) struct Merge {
    /// Filled once there are too many edges to look through.
    known: HashMap<Agree, usize>,
}

/// What must agree.
type Agree = (Goal, u32, u32, Option<u8>, Drawn);

/// Up to this many edges are looked through one by one.
const FEW: usize = 16;

impl Merge {
    pub fn add(&mut self, edge: Edge, edges: &mut Vec<Edge>) {
        let agree = |edge: &Edge| -> Agree {
            (edge.to, edge.shots, edge.switches, edge.breaker, edge.drawn)
        };
        let key = agree(&edge);
        let known = if edges.len() < FEW {
            edges.iter().position(|known| agree(known) == key)
        } else {
            if self.known.is_empty() {
                self.known.extend(edges.iter().map(agree).zip(0..));
            }
            self.known.get(&key).copied()
        };
        if let Some(known) = known {
            edges[known].probability += edge.probability;
            return;
        }
        if edges.len() >= FEW {
            self.known.insert(key, edges.len());
        }
        edges.push(edge);
    }
}

/// What becomes of a state: kept, or replaced by what it leads to.
enum Fate {
    Kept,
    Folded(Vec<Edge>),
}

/// Folds `reached`; `names` are the loops of states that begin a pass.
pub(super) fn fold(
    reached: Reached,
    names: &[Option<String>],
    describe: impl Fn(&[Value]) -> String,
) -> Result<Reached, FrameError> {
    let Reached { start, mut states, ends } = reached;
    let passes = |to: Goal| match to {
        Goal::State(to) if states[to as usize].seat.is_none() => Some(to as usize),
        _ => None,
    };
    // Ways from pass to pass. Components come in an order such that what one leads to is first.
    let graph: Vec<Vec<usize>> = states
        .iter()
        .map(|state| match state.seat {
            Some(_) => Vec::new(),
            None => edges_of(&state.options).filter_map(|edge| passes(edge.to)).collect(),
        })
        .collect();
    let mut fates: Vec<Fate> = states.iter().map(|_| Fate::Kept).collect();
    let mut total = 0;
    let parts = components(&graph);
    let mut part_of = vec![0; states.len()];
    for (i, component) in parts.iter().enumerate() {
        component.iter().for_each(|member| part_of[*member] = i);
    }
    for component in parts {
        let first = component[0];
        if states[first].seat.is_some() {
            continue;
        }
        if component.len() > 1 || graph[first].contains(&first) {
            let inside = |edge: &Edge| match edge.to {
                Goal::State(to) => part_of[to as usize] == part_of[first],
                Goal::End(_) => false,
            };
            let stuck = |i: &usize| edges_of(&states[*i].options).all(inside);
            if component.iter().all(stuck) {
                let name = names[first].clone().unwrap_or_default();
                let state = describe(&states[first].slots);
                return Err(FrameError::EndlessLoop { at: states[first].at, name, state });
            }
            // Chance alone decides when this circle is left: its states stay states.
            continue;
        }
        let edges = expand(edges_of(&states[first].options), &fates);
        total = within_limit(total + edges.len())?;
        fates[first] = Fate::Folded(edges);
    }
    let start = expand(start.iter(), &fates);
    // Every limit of this place is one of the sampler, which lays out all that is kept.
    let mut kept = within_limit(start.len())?;
    for (state, fate) in states.iter_mut().zip(&fates) {
        if matches!(fate, Fate::Folded(_)) {
            continue;
        }
        for (_, edges) in &mut state.options {
            *edges = expand(edges.iter(), &fates);
            kept = within_limit(kept + edges.len())?;
        }
    }
    Ok(renumbered(Reached { start, states, ends }))
}

/// `ways`, unless there are too many.
fn within_limit(ways: usize) -> Result<usize, FrameError> {
    if ways > MAX_EDGES {
        return Err(FrameError::TooManyStates {
            limit: MAX_EDGES,
            what: "ways from state to state",
        });
    }
    Ok(ways)
}

fn edges_of(options: &[(usize, Vec<Edge>)]) -> impl Iterator<Item = &Edge> {
    options.iter().flat_map(|(_, edges)| edges)
}

/// `edges` with every folded state replaced by what it leads to.
fn expand<'a>(edges: impl Iterator<Item = &'a Edge>, fates: &[Fate]) -> Vec<Edge> {
    let (mut merged, mut result) = (Merge::default(), Vec::new());
    for edge in edges {
        let folded = match edge.to {
            Goal::State(to) => match &fates[to as usize] {
                Fate::Folded(edges) => Some(edges),
                Fate::Kept => None,
            },
            Goal::End(_) => None,
        };
        let Some(folded) = folded else {
            merged.add(*edge, &mut result);
            continue;
        };
        for next in folded {
            let joined = Edge {
                to: next.to,
                probability: edge.probability * next.probability,
                shots: edge.shots + next.shots,
                switches: edge.switches + next.switches,
                breaker: edge.breaker.or(next.breaker),
                drawn: edge.drawn.and(next.drawn),
            };
            merged.add(joined, &mut result);
        }
    }
    result
}

/// Keeps the states that the start still leads to, in the order in which it does.
fn renumbered(reached: Reached) -> Reached {
    let Reached { mut start, states, ends } = reached;
    let mut numbers: Vec<Option<u32>> = vec![None; states.len()];
    let mut order: Vec<usize> = Vec::new();
    let mut visit = |edges: &mut Vec<Edge>, order: &mut Vec<usize>| {
        for edge in edges {
            if let Goal::State(to) = &mut edge.to {
                let old = *to as usize;
                *to = *numbers[old].get_or_insert_with(|| {
                    order.push(old);
                    order.len() as u32 - 1
                });
            }
        }
    };
    visit(&mut start, &mut order);
    let mut states: Vec<Option<super::State>> = states.into_iter().map(Some).collect();
    let mut kept = Vec::new();
    let mut next = 0;
    while next < order.len() {
        if let Some(mut state) = states[order[next]].take() {
            state.options.iter_mut().for_each(|(_, edges)| visit(edges, &mut order));
            kept.push(state);
        }
        next += 1;
    }
    Reached { start, states: kept, ends }
}
