//! One frame after another, for games that do not fit packed tables.

use super::Tally;
use super::alias::{Column, table};
use crate::frame::chain::Chain;
use crate::frame::explore::{Edge, Goal};
use crate::rng::{Purpose, Rng, stream};
use rand::Rng as _;

/// A row of edges and its alias table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    columns: Vec<Column>,
    edges: Vec<(Goal, u32)>,
}

impl Row {
    pub fn new(edges: &[Edge]) -> Self {
        let probabilities: Vec<f64> = edges.iter().map(|edge| edge.probability).collect();
        let columns = table(&probabilities, edges.len().next_power_of_two());
        Self { columns, edges: edges.iter().map(|edge| (edge.to, edge.shots)).collect() }
    }

    /// One draw: where it leads, and the shots on the way.
    pub fn draw(&self, rng: &mut Rng) -> (Goal, u32) {
        let word = rng.next_u64();
        // The high bits choose the column, the low 48 the side of its threshold. A row of more
        // columns than the high bits can tell apart takes a word for the column alone.
        let mut chooser = word >> COLUMN_SHIFT;
        if self.columns.len() > MAX_SHARED {
            chooser = rng.next_u64();
        }
        let column = self.columns[chooser as usize & (self.columns.len() - 1)];
        let side = (word & 0xffff_ffff_ffff) as f64 / (1_u64 << COLUMN_SHIFT) as f64;
        let outcome = if side < column.threshold { column.own } else { column.alias };
        self.edges[outcome]
    }
}

/// Low bits of a word, which choose the side of a threshold.
const COLUMN_SHIFT: u32 = 48;
/// The most columns that the bits above can choose among.
const MAX_SHARED: usize = 1 << (u64::BITS - COLUMN_SHIFT);

/// The start and every state.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    start: Row,
    rows: Vec<Row>,
}

impl Tables {
    pub fn new(chain: &Chain) -> Self {
        Self {
            start: Row::new(&chain.start),
            rows: chain.rows.iter().map(|r| Row::new(r)).collect(),
        }
    }

    pub fn play(&self, seed: u64, block: u64, frames: u64, tally: &mut Tally) {
        let mut rng = stream(seed, Purpose::Frames, block);
        for _ in 0..frames {
            let (mut goal, shots) = self.start.draw(&mut rng);
            let mut shots = u64::from(shots);
            while let Goal::State(state) = goal {
                let (next, more) = self.rows[state as usize].draw(&mut rng);
                goal = next;
                shots += u64::from(more);
            }
            if let Goal::End(end) = goal {
                tally.add(end as usize, shots);
            }
        }
    }
}
