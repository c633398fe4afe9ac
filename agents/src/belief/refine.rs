//! Finds the pairs of table values that replay a shot exactly, without replaying all 180 901.
//!
//! Where a ball ends is a smooth function of (cloth, restitution) as long as nothing changes in
//! its own history: the balls and rails it met, and theirs before they met it. The grid is cut
//! into cells, and five replays of a cell, at its corners and its middle, tell how far the places
//! seen lie outside those that the cell can reach, in units of the estimated reach: the cell's
//! *miss*. Cells are taken in order of their miss, cut in four, and small ones replayed pair by
//! pair, until a pair agrees and every cell left misses by too much; then the neighbours of
//! each pair found are replayed, and theirs. If no pair agrees, every cell is taken in the end.
//!
//! So the answer is exact but for one case: a pair that lies in a cell with a great miss, apart
//! from the pairs found. It would have to agree with them in every coordinate to the micrometre
//! by another course of events, which takes a shot that leaves next to nothing to be seen.

use super::cell::Cell;
use super::coordinates::miss;
use super::pair::{CLOTHS, PAIRS, Pair, RESTITUTIONS};
use super::trial::{Replay, Trial};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rows (cloth) and columns (restitution) of a coarsest cell.
const COARSE: [usize; 2] = [24, 12];
/// A cell of at most so many rows and columns is replayed pair by pair.
const FINE: usize = 2;
/// Once a pair agrees, cells that miss by more than this are left out.
const GREAT_MISS: f64 = 1.0;

/// The pairs of the grid that agree with the shot, in ascending order.
pub(super) fn consistent(trial: &mut Trial<'_>) -> Vec<Pair> {
    let mut search = Search {
        trial,
        node_at: vec![None; PAIRS],
        nodes: Vec::new(),
        state: vec![State::Untested; PAIRS],
        found: Vec::new(),
    };
    search.descend();
    search.spread();
    search.found.sort_unstable();
    search.found.into_iter().map(Pair::from_index).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Untested,
    Tested,
}

struct Search<'t, 'a> {
    trial: &'t mut Trial<'a>,
    /// Where the replay of each pair stands in `nodes`, for corners and middles of cells.
    node_at: Vec<Option<u32>>,
    nodes: Vec<Option<Replay>>,
    state: Vec<State>,
    /// Indices of the pairs that agree.
    found: Vec<usize>,
}

/// A cell in the queue: least miss first, then in order of the grid.
type Entry = Reverse<(OrderedMiss, Cell)>;

/// A miss, never NaN, in an order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OrderedMiss(f64);

impl Eq for OrderedMiss {}

impl PartialOrd for OrderedMiss {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedMiss {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Search<'_, '_> {
    /// Takes cells in order of their miss until the rest can be left out.
    fn descend(&mut self) {
        let mut queue: BinaryHeap<Entry> = BinaryHeap::new();
        for cell in coarsest() {
            queue.push(Reverse((self.miss(cell), cell)));
        }
        while let Some(Reverse((OrderedMiss(miss), cell))) = queue.pop() {
            if miss > GREAT_MISS && !self.found.is_empty() {
                return;
            }
            if cell.rows <= FINE && cell.columns <= FINE {
                self.replay_cell(cell);
            } else {
                for part in cell.parts() {
                    queue.push(Reverse((self.miss(part), part)));
                }
            }
        }
    }

    fn miss(&mut self, cell: Cell) -> OrderedMiss {
        // A replay is large: they are made first and then looked at where they stand.
        let nodes = cell.stencil().map(|(row, column)| self.node(row * RESTITUTIONS + column));
        let [Some(a), Some(b), Some(c), Some(d), Some(middle)] =
            nodes.map(|node| self.nodes[node as usize].as_ref())
        else {
            return OrderedMiss(0.0);
        };
        let slack = f64::from(self.trial.tolerance_um());
        OrderedMiss(miss(cell, [a, b, c, d, middle], self.trial.seen(), slack))
    }

    /// Where the replay of a pair stands among the nodes.
    fn node(&mut self, index: usize) -> u32 {
        if let Some(at) = self.node_at[index] {
            return at;
        }
        let replay = self.trial.replay(Pair::from_index(index));
        self.note(index, replay.as_ref().is_some_and(|r| self.trial.matches(&r.balls)));
        let at = self.nodes.len() as u32;
        self.node_at[index] = Some(at);
        self.nodes.push(replay);
        at
    }

    /// Tests a pair; true when it agrees and was not known to.
    fn test(&mut self, index: usize) -> bool {
        if self.state[index] == State::Tested {
            return false;
        }
        let agrees = self.trial.agrees(Pair::from_index(index));
        self.note(index, agrees);
        agrees
    }

    fn note(&mut self, index: usize, agrees: bool) {
        if self.state[index] == State::Untested {
            self.state[index] = State::Tested;
            if agrees {
                self.found.push(index);
            }
        }
    }

    fn replay_cell(&mut self, cell: Cell) {
        for row in cell.row..=cell.row + cell.rows {
            for column in cell.column..=cell.column + cell.columns {
                self.test(row * RESTITUTIONS + column);
            }
        }
    }

    /// Replays the neighbours of every pair that agrees, and theirs.
    fn spread(&mut self) {
        let mut edge = self.found.clone();
        while let Some(index) = edge.pop() {
            edge.extend(neighbours(index).filter(|&near| self.test(near)));
        }
    }
}

fn coarsest() -> impl Iterator<Item = Cell> {
    let [rows, columns] = COARSE;
    (0..CLOTHS - 1).step_by(rows).flat_map(move |row| {
        (0..RESTITUTIONS - 1).step_by(columns).map(move |column| Cell {
            row,
            column,
            rows,
            columns,
        })
    })
}

/// The pairs that differ by at most one in each value.
fn neighbours(index: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (index / RESTITUTIONS, index % RESTITUTIONS);
    let around = |at: usize, count: usize| at.saturating_sub(1)..=(at + 1).min(count - 1);
    around(row, CLOTHS).flat_map(move |row| {
        around(column, RESTITUTIONS).map(move |column| row * RESTITUTIONS + column)
    })
}
