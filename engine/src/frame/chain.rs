//! A game under two fixed policies: a Markov chain.

use super::definition::SEATS;
use super::error::FrameError;
use super::explore::{Edge, Goal};
use super::game::Game;
use super::policy::{Choice, Policy};

/// For each state the edges on from it, none for a state that the start does not lead to.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub start: Vec<Edge>,
    pub rows: Vec<Vec<Edge>>,
}

impl Chain {
    pub fn new(game: &Game, policies: [&Policy; SEATS]) -> Self {
        let states = &game.reached.states;
        let rows = states.iter().enumerate().map(|(i, state)| {
            let seat = state.seat.map_or(0, usize::from);
            match &policies[seat].choices[i] {
                Choice::Pure(option) => state.options[*option].1.clone(),
                Choice::Mixed(weights) => mix(&state.options, weights),
            }
        });
        Self { start: game.reached.start.clone(), rows: rows.collect() }
    }

    /// The states that the start leads to.
    pub fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.rows.len()];
        let mut open: Vec<u32> = Vec::new();
        let mut visit = |edges: &[Edge], open: &mut Vec<u32>| {
            for edge in edges {
                if let Goal::State(to) = edge.to
                    && !std::mem::replace(&mut reached[to as usize], true)
                {
                    open.push(to);
                }
            }
        };
        visit(&self.start, &mut open);
        while let Some(state) = open.pop() {
            visit(&self.rows[state as usize], &mut open);
        }
        reached
    }

    /// For each state, whether an end can be reached from it.
    pub fn ending(&self) -> Vec<bool> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.rows.len()];
        let mut ending = vec![false; self.rows.len()];
        let mut open: Vec<u32> = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            for edge in row {
                match edge.to {
                    Goal::State(to) => before[to as usize].push(i as u32),
                    Goal::End(_) if !ending[i] => {
                        ending[i] = true;
                        open.push(i as u32);
                    }
                    Goal::End(_) => {}
                }
            }
        }
        while let Some(state) = open.pop() {
            for &earlier in &before[state as usize] {
                if !std::mem::replace(&mut ending[earlier as usize], true) {
                    open.push(earlier);
                }
            }
        }
        ending
    }

    /// Refuses a chain in which a frame can get where no end is.
    pub fn check(&self, game: &Game) -> Result<(), FrameError> {
        let (reached, ending) = (self.reached(), self.ending());
        match (0..self.rows.len()).find(|i| reached[*i] && !ending[*i]) {
            None => Ok(()),
            Some(stuck) => {
                let slots = &game.reached.states[stuck].slots;
                let state = super::explore::describe(&game.program, slots);
                Err(FrameError::NeverEnds { state })
            }
        }
    }
}

/// The edges of all options, weighted.
fn mix(options: &[(usize, Vec<Edge>)], weights: &[f64]) -> Vec<Edge> {
    let (mut merge, mut edges) = (super::explore::Merge::default(), Vec::new());
    for ((_, row), weight) in options.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
        for edge in row {
            merge.add(Edge { probability: edge.probability * weight, ..*edge }, &mut edges);
        }
    }
    edges
}
