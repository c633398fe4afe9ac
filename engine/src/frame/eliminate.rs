//! Linear equations of Markov chains, `v = r + P v`, by eliminating states.
//!
//! Components of the chain are solved one after another, each after those that it leads to.
//! Within one, states are eliminated in the order of least fill, and `1 - p(s, s)` is taken as the
//! sum of the ways out of `s`, so that nothing is ever subtracted and no digits are lost
//! (Grassmann, Taksar and Heyman 1985, *Operations Research* 33, 1107-1116).

use super::error::FrameError;
use super::explore::{Edge, Goal};
use super::graph::components;
use std::collections::{BTreeMap, BTreeSet};

/// The most entries that elimination may fill in, and the most that it may change.
const MAX_FILL: usize = 4_000_000;
const MAX_WORK: usize = 300_000_000;

/// Equations with several right-hand sides.
pub(super) struct Equations<'a> {
    pub rows: &'a [Vec<Edge>],
    /// Right-hand sides a state.
    pub columns: usize,
    /// `rows.len() * columns` values, state by state.
    pub rewards: Vec<f64>,
}

impl Equations<'_> {
    /// The values, laid out as `rewards`. States from which no end is reached get `stuck`.
    pub fn solve(&self, stuck: f64) -> Result<Vec<f64>, FrameError> {
        let graph: Vec<Vec<usize>> = self
            .rows
            .iter()
            .map(|row| row.iter().filter_map(|edge| state(edge.to)).collect())
            .collect();
        let mut values = vec![0.0; self.rewards.len()];
        let mut local = vec![usize::MAX; self.rows.len()];
        for component in components(&graph) {
            component.iter().enumerate().for_each(|(i, member)| local[*member] = i);
            self.component(&component, &local, &mut values, stuck)?;
            component.iter().for_each(|member| local[*member] = usize::MAX);
        }
        Ok(values)
    }

    /// The greatest difference between the two sides of an equation of the states in `of`.
    pub fn residual(&self, values: &[f64], of: &[bool]) -> f64 {
        let k = self.columns;
        let mut worst = 0.0_f64;
        for (i, row) in self.rows.iter().enumerate().filter(|(i, _)| of[*i]) {
            for column in 0..k {
                let mut right = self.rewards[i * k + column];
                for edge in row {
                    if let Some(to) = state(edge.to) {
                        right += edge.probability * values[to * k + column];
                    }
                }
                worst = worst.max((values[i * k + column] - right).abs());
            }
        }
        worst
    }

    fn component(
        &self,
        members: &[usize],
        local: &[usize],
        values: &mut [f64],
        stuck: f64,
    ) -> Result<(), FrameError> {
        let k = self.columns;
        let mut part = Part::new(members.len(), k);
        for (i, &member) in members.iter().enumerate() {
            part.right[i * k..][..k].copy_from_slice(&self.rewards[member * k..][..k]);
            for edge in &self.rows[member] {
                match state(edge.to) {
                    Some(to) if local[to] != usize::MAX => {
                        part.link(i, local[to], edge.probability)
                    }
                    to => {
                        part.out[i] += edge.probability;
                        for column in 0..to.map_or(0, |_| k) {
                            let value = values[to.unwrap_or(0) * k + column];
                            part.right[i * k + column] += edge.probability * value;
                        }
                    }
                }
            }
        }
        if part.out.iter().all(|out| *out == 0.0) {
            members.iter().for_each(|&member| values[member * k..][..k].fill(stuck));
            return Ok(());
        }
        let solved = part.solve()?;
        for (i, &member) in members.iter().enumerate() {
            values[member * k..][..k].copy_from_slice(&solved[i * k..][..k]);
        }
        Ok(())
    }
}

const fn state(goal: Goal) -> Option<usize> {
    match goal {
        Goal::State(to) => Some(to as usize),
        Goal::End(_) => None,
    }
}

/// One component.
struct Part {
    columns: usize,
    rows: Vec<BTreeMap<usize, f64>>,
    before: Vec<BTreeSet<usize>>,
    /// Probability of leaving the component.
    out: Vec<f64>,
    right: Vec<f64>,
    fill: usize,
    work: usize,
}

impl Part {
    fn new(n: usize, columns: usize) -> Self {
        Self {
            columns,
            rows: vec![BTreeMap::new(); n],
            before: vec![BTreeSet::new(); n],
            out: vec![0.0; n],
            right: vec![0.0; n * columns],
            fill: 0,
            work: 0,
        }
    }

    /// Self-loops are left out: they follow from the rest of the row.
    fn link(&mut self, from: usize, to: usize, probability: f64) {
        if from != to {
            *self.rows[from].entry(to).or_insert(0.0) += probability;
            self.before[to].insert(from);
        }
    }

    fn cost(&self, i: usize) -> usize {
        self.rows[i].len() * self.before[i].len()
    }

    fn solve(mut self) -> Result<Vec<f64>, FrameError> {
        let n = self.rows.len();
        let mut queue: BTreeSet<(usize, usize)> = (0..n).map(|i| (self.cost(i), i)).collect();
        let mut order = Vec::with_capacity(n);
        while let Some((_, i)) = queue.pop_first() {
            self.eliminate(i, &mut queue)?;
            order.push(i);
        }
        let k = self.columns;
        let mut values = vec![0.0; n * k];
        for &i in order.iter().rev() {
            let exit = self.exit(i);
            for column in 0..k {
                let mut sum = self.right[i * k + column];
                for (&to, p) in &self.rows[i] {
                    sum += p * values[to * k + column];
                }
                values[i * k + column] = sum / exit;
            }
        }
        Ok(values)
    }

    /// The probability of ever leaving a state, self-loops aside: no subtraction.
    fn exit(&self, i: usize) -> f64 {
        self.rows[i].values().sum::<f64>() + self.out[i]
    }

    /// Sends what leads to `i` on to where `i` leads.
    fn eliminate(
        &mut self,
        i: usize,
        queue: &mut BTreeSet<(usize, usize)>,
    ) -> Result<(), FrameError> {
        let k = self.columns;
        let exit = self.exit(i);
        let row: Vec<(usize, f64)> = self.rows[i].iter().map(|(&to, &p)| (to, p)).collect();
        let before: Vec<usize> = std::mem::take(&mut self.before[i]).into_iter().collect();
        for &(to, _) in &row {
            queue.remove(&(self.cost(to), to));
        }
        for &from in &before {
            queue.remove(&(self.cost(from), from));
        }
        for &(to, _) in &row {
            self.before[to].remove(&i);
        }
        for &from in &before {
            let Some(p) = self.rows[from].remove(&i) else { continue };
            let weight = p / exit;
            for &(to, q) in row.iter().filter(|(to, _)| *to != from) {
                let entry = self.rows[from].entry(to).or_insert_with(|| {
                    self.fill += 1;
                    0.0
                });
                *entry += weight * q;
                self.before[to].insert(from);
            }
            self.out[from] += weight * self.out[i];
            for column in 0..k {
                self.right[from * k + column] += weight * self.right[i * k + column];
            }
        }
        for &j in before.iter().chain(row.iter().map(|(to, _)| to)) {
            queue.insert((self.cost(j), j));
        }
        self.work += before.len() * row.len();
        if self.fill > MAX_FILL {
            let what = "entries in the equations of states that lead to each other";
            return Err(FrameError::TooManyStates { limit: MAX_FILL, what });
        }
        if self.work > MAX_WORK {
            let what = "steps to solve the equations of states that lead to each other";
            return Err(FrameError::TooManyStates { limit: MAX_WORK, what });
        }
        Ok(())
    }
}
