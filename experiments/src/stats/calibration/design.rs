//! Rows as cells: who, under which shared terms, how often, how often with success.

/// Rows of one player under one pattern of shared terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// The player, as an index of blocks.
    pub block: u32,
    /// The pattern of shared terms.
    pub pattern: u32,
    /// Rows, at least one.
    pub trials: u64,
    /// Rows with success, at most `trials`.
    pub successes: u64,
}

impl Cell {
    /// Whether both outcomes were seen.
    #[must_use]
    pub const fn is_mixed(&self) -> bool {
        self.successes > 0 && self.successes < self.trials
    }

    /// +1 when all rows are successes, -1 when none is, 0 when both were seen.
    #[must_use]
    pub const fn sign(&self) -> f64 {
        if self.is_mixed() {
            0.0
        } else if self.successes == 0 {
            -1.0
        } else {
            1.0
        }
    }
}

/// Shared terms of many patterns, one after another: pattern `k` is `scale * (s + sum coefficient *
/// shared[index])`.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    starts: Vec<usize>,
    terms: Vec<(u32, f64)>,
    scales: Vec<f64>,
}

impl Patterns {
    /// No pattern yet.
    #[must_use]
    pub fn new() -> Self {
        Self { starts: vec![0], terms: Vec::new(), scales: Vec::new() }
    }

    /// Adds a pattern of slope 1 and returns its index.
    pub fn push(&mut self, terms: &[(u32, f64)]) -> u32 {
        self.terms.extend_from_slice(terms);
        self.starts.push(self.terms.len());
        self.scales.push(1.0);
        (self.scales.len() - 1) as u32
    }

    /// The terms of pattern `k`: shared index and coefficient.
    #[must_use]
    pub fn terms(&self, k: usize) -> &[(u32, f64)] {
        &self.terms[self.starts[k]..self.starts[k + 1]]
    }

    /// The slope of pattern `k`.
    #[must_use]
    pub fn scale(&self, k: usize) -> f64 {
        self.scales[k]
    }

    /// Sets the slope of pattern `k`.
    pub fn set_scale(&mut self, k: usize, scale: f64) {
        self.scales[k] = scale;
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// `sum coefficient * shared[index]` of pattern `k`.
    #[must_use]
    pub fn dot(&self, k: usize, shared: &[f64]) -> f64 {
        self.terms(k).iter().map(|&(j, x)| x * shared[j as usize]).sum()
    }
}

/// A parameter of the regression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parameter {
    /// The skill of a player.
    Block(usize),
    /// A shared term.
    Shared(usize),
}

/// Values of all parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// One a player.
    pub blocks: Vec<f64>,
    /// The shared terms.
    pub shared: Vec<f64>,
}

impl Point {
    /// The value of `parameter`.
    #[must_use]
    pub fn get(&self, parameter: Parameter) -> f64 {
        match parameter {
            Parameter::Block(p) => self.blocks[p],
            Parameter::Shared(j) => self.shared[j],
        }
    }

    /// Sets the value of `parameter`.
    pub fn set(&mut self, parameter: Parameter, value: f64) {
        match parameter {
            Parameter::Block(p) => self.blocks[p] = value,
            Parameter::Shared(j) => self.shared[j] = value,
        }
    }
}

/// Which parameters a fit leaves alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// One a player.
    pub blocks: Vec<bool>,
    /// The shared terms.
    pub shared: Vec<bool>,
}

impl Held {
    /// Whether `parameter` is held.
    #[must_use]
    pub fn get(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::Block(p) => self.blocks[p],
            Parameter::Shared(j) => self.shared[j],
        }
    }

    /// These and `parameter`.
    #[must_use]
    pub fn and(&self, parameter: Parameter) -> Self {
        let mut held = self.clone();
        match parameter {
            Parameter::Block(p) => held.blocks[p] = true,
            Parameter::Shared(j) => held.shared[j] = true,
        }
        held
    }

    /// How many parameters are free.
    #[must_use]
    pub fn free(&self) -> usize {
        self.blocks.iter().chain(&self.shared).filter(|held| !**held).count()
    }
}

/// The data of a fit. Cells are sorted by player and pattern, each pair once.
#[derive(Clone, Debug)]
pub struct Problem {
    /// How many players there are.
    pub blocks: usize,
    /// How many shared terms there are.
    pub shared: usize,
    /// The shared terms of the cells.
    pub patterns: Patterns,
    cells: Vec<Cell>,
    starts: Vec<usize>,
}

impl Problem {
    /// Sorts `cells` and merges those of equal player and pattern. Cells without rows vanish.
    #[must_use]
    pub fn new(blocks: usize, shared: usize, patterns: Patterns, mut cells: Vec<Cell>) -> Self {
        cells.retain(|cell| cell.trials > 0);
        cells.sort_unstable();
        cells.dedup_by(|next, kept| {
            let same = (next.block, next.pattern) == (kept.block, kept.pattern);
            if same {
                kept.trials += next.trials;
                kept.successes += next.successes;
            }
            same
        });
        let starts =
            (0..=blocks).map(|p| cells.partition_point(|c| (c.block as usize) < p)).collect();
        Self { blocks, shared, patterns, cells, starts }
    }

    /// All cells in order.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The indices of the cells of player `p`.
    #[must_use]
    pub fn of_block(&self, p: usize) -> std::ops::Range<usize> {
        self.starts[p]..self.starts[p + 1]
    }

    /// `logit P` of a cell at `point`.
    #[must_use]
    pub fn predictor(&self, cell: &Cell, point: &Point) -> f64 {
        let k = cell.pattern as usize;
        self.patterns.scale(k)
            * (point.blocks[cell.block as usize] + self.patterns.dot(k, &point.shared))
    }

    /// The same problem with only the cells marked in `kept`.
    #[must_use]
    pub fn restricted(&self, kept: &[bool]) -> Self {
        let cells = self.cells.iter().zip(kept).filter(|(_, k)| **k).map(|(c, _)| *c).collect();
        Self::new(self.blocks, self.shared, self.patterns.clone(), cells)
    }

    /// All values zero.
    #[must_use]
    pub fn origin(&self) -> Point {
        Point { blocks: vec![0.0; self.blocks], shared: vec![0.0; self.shared] }
    }

    /// Nothing held.
    #[must_use]
    pub fn all_free(&self) -> Held {
        Held { blocks: vec![false; self.blocks], shared: vec![false; self.shared] }
    }
}

/// `1 / (1 + exp(-x))`, the same bits everywhere; exactly one half at zero.
#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + libm::exp(-x))
    } else {
        let e = libm::exp(x);
        e / (1.0 + e)
    }
}

/// The log-likelihood of `successes` of `trials` rows at `logit P = x`, without cancellation.
#[must_use]
pub fn log_likelihood(trials: f64, successes: f64, x: f64) -> f64 {
    let tail = trials * libm::log1p(libm::exp(-x.abs()));
    if x > 0.0 { (successes - trials) * x - tail } else { successes * x - tail }
}
