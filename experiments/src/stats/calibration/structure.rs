//! What the data can tell, decided before any estimate: separation, dependent parameters, players
//! that nothing connects, levels without rows.
//!
//! A direction separates when no row loses along it and some row gains; the likelihood then rises
//! for ever and no finite maximum exists (Albert and Anderson 1984). Cells with both outcomes must
//! stay where they are, so most directions fall to plain elimination; what is left goes to a linear
//! programme. Rows that gain are set aside until none is left to gain: the rest has a finite
//! maximum (the limiting conditional model of Geyer 2009), and a parameter has an estimate exactly
//! if the rest determines it.

use super::cone::{Cone, POSITIVE, Row, Undecided};
use super::design::{Held, Parameter, Point, Problem};
use super::echelon::Echelon;
use super::newton;
use std::collections::BTreeSet;

/// Sums of squares below this share of their own size are called nothing: a shared term that moves
/// rows by less than a hundred thousandth beside the others. The factor of the information
/// ([`newton::Factor`]) holds out to 1e-13.
const NEGLIGIBLE: f64 = 1e-10;
/// Entries of a null vector below this are rounding.
const SLIGHT: f64 = 1e-7;

/// What can be said of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Held at a given value.
    Held,
    /// A finite estimate exists.
    Estimable,
    /// The likelihood never stops rising: `up` (`down`) when the interval is open above (below).
    Separated {
        /// Open above.
        up: bool,
        /// Open below.
        down: bool,
    },
    /// Rows touch it, but they determine it only together with other parameters.
    Unidentified,
    /// No row touches it.
    Empty,
    /// A finite estimate exists, but the fit did not come to its end.
    Unfinished,
    /// The estimate is the end of what is allowed.
    Boundary,
}

/// A direction along which rows only gain, and the rows that do.
#[derive(Clone, Debug)]
pub struct Separation {
    /// The parameters that move, with the sign of the move.
    pub moves: Vec<(Parameter, f64)>,
    /// Indices of the cells that gain.
    pub cells: Vec<usize>,
}

/// The answer for a whole problem.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Standing of the players.
    pub blocks: Vec<Standing>,
    /// Standing of the shared terms.
    pub shared: Vec<Standing>,
    /// The cells that keep a finite maximum.
    pub kept: Vec<bool>,
    /// What a fit of the kept cells leaves alone so that its information is regular.
    pub held: Held,
    /// The same for a (penalised) fit of all cells.
    pub held_over_all: Held,
    /// The number of parameter combinations that all rows together speak of.
    pub rank: usize,
    /// The separating directions found, in order.
    pub separations: Vec<Separation>,
}

impl Structure {
    /// The standing of `parameter`.
    #[must_use]
    pub fn get(&self, parameter: Parameter) -> Standing {
        match parameter {
            Parameter::Block(p) => self.blocks[p],
            Parameter::Shared(j) => self.shared[j],
        }
    }

    /// Whether every parameter is held or estimable.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let fine = |s: &Standing| matches!(s, Standing::Held | Standing::Estimable);
        self.blocks.iter().all(fine) && self.shared.iter().all(fine)
    }
}

/// Decides what `problem` can tell when the parameters in `held` are given.
///
/// # Errors
/// When the linear programme cannot be decided.
pub fn analyse(problem: &Problem, held: &Held) -> Result<Structure, Undecided> {
    let mut all = Search::new(problem, held);
    let determined = all.determined(|_| true);
    // What no row moves is set still first: it can neither separate nor be separated.
    let mut still = held.clone();
    for (column, _) in &determined.null {
        still.shared[all.columns[*column]] = true;
    }
    let mut search = Search::new(problem, &still);
    loop {
        search.peel();
        if !search.separate()? {
            break;
        }
    }
    all.kept = search.kept;
    all.separations = search.separations;
    all.finish(&determined)
}

/// A search in progress.
struct Search<'a> {
    problem: &'a Problem,
    held: &'a Held,
    /// Free shared terms, and the size of their largest coefficient.
    columns: Vec<usize>,
    sizes: Vec<f64>,
    kept: Vec<bool>,
    separations: Vec<Separation>,
}

/// Elimination over a set of cells: what they leave free among the shared terms, and for each free
/// player the cell that fixes the skill.
struct Eliminated {
    null: Vec<(usize, Vec<f64>)>,
    pivots: Vec<Option<usize>>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, held: &'a Held) -> Self {
        let columns: Vec<usize> = (0..problem.shared).filter(|&j| !held.shared[j]).collect();
        let mut sizes = vec![0.0_f64; problem.shared];
        for k in 0..problem.patterns.len() {
            for &(j, x) in problem.patterns.terms(k) {
                sizes[j as usize] = sizes[j as usize].max(x.abs());
            }
        }
        let sizes = columns.iter().map(|&j| if sizes[j] > 0.0 { sizes[j] } else { 1.0 }).collect();
        let kept = vec![true; problem.cells().len()];
        Self { problem, held, columns, sizes, kept, separations: Vec::new() }
    }

    /// Sets aside rows that a single parameter separates, until there are none.
    fn peel(&mut self) {
        while let Some(found) = self.pure_parameters() {
            for (parameter, sign) in found {
                let cells: Vec<usize> = (0..self.kept.len())
                    .filter(|&i| self.kept[i] && self.coefficient(i, parameter) != 0.0)
                    .collect();
                for &i in &cells {
                    self.kept[i] = false;
                }
                self.separations.push(Separation { moves: vec![(parameter, sign)], cells });
            }
        }
    }

    /// Free parameters whose kept rows all want the same sign of change, if any.
    fn pure_parameters(&self) -> Option<Vec<(Parameter, f64)>> {
        let problem = self.problem;
        let mut blocks = vec![0_u8; problem.blocks];
        let mut patterns = vec![0_u8; problem.patterns.len()];
        for (cell, _) in problem.cells().iter().zip(&self.kept).filter(|(_, kept)| **kept) {
            let wish = wish(cell.sign());
            blocks[cell.block as usize] |= wish;
            patterns[cell.pattern as usize] |= wish;
        }
        let mut shared = vec![0_u8; problem.shared];
        for (k, &wish) in patterns.iter().enumerate() {
            for &(j, x) in problem.patterns.terms(k).iter().filter(|t| t.1 != 0.0) {
                shared[j as usize] |= if x > 0.0 { wish } else { swapped(wish) };
            }
        }
        let of = |wishes: Vec<u8>, held: &[bool], make: fn(usize) -> Parameter| {
            wishes
                .into_iter()
                .zip(held)
                .enumerate()
                .filter(|(_, (wish, held))| !**held && matches!(wish, 1 | 2))
                .map(|(j, (wish, _))| (make(j), if wish == 1 { 1.0 } else { -1.0 }))
                .collect::<Vec<_>>()
        };
        let mut found = of(blocks, &self.held.blocks, Parameter::Block);
        found.extend(of(shared, &self.held.shared, Parameter::Shared));
        (!found.is_empty()).then_some(found)
    }

    fn coefficient(&self, cell: usize, parameter: Parameter) -> f64 {
        let cell = &self.problem.cells()[cell];
        match parameter {
            Parameter::Block(p) => f64::from(u8::from(cell.block as usize == p)),
            Parameter::Shared(j) => self
                .problem
                .patterns
                .terms(cell.pattern as usize)
                .iter()
                .filter(|t| t.0 as usize == j)
                .map(|t| t.1)
                .sum(),
        }
    }

    /// The shared part of a cell's row over the free columns, scaled.
    fn row(&self, cell: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.columns.len()];
        for &(j, x) in self.problem.patterns.terms(self.problem.cells()[cell].pattern as usize) {
            if let Ok(at) = self.columns.binary_search(&(j as usize)) {
                row[at] += x / self.sizes[at];
            }
        }
        row
    }

    fn eliminate(&self, counts: impl Fn(usize) -> bool) -> Eliminated {
        let mut echelon = Echelon::new(self.columns.len());
        let mut pivots = vec![None; self.problem.blocks];
        for (p, own) in pivots.iter_mut().enumerate() {
            let free = !self.held.blocks[p];
            let mut first: Option<Vec<f64>> = None;
            for i in self.problem.of_block(p).filter(|&i| counts(i)) {
                if free && own.is_none() {
                    *own = Some(i);
                    continue;
                }
                if echelon.is_full() {
                    break;
                }
                let mut row = self.row(i);
                if let Some(pivot) = *own {
                    let base = first.get_or_insert_with(|| self.row(pivot));
                    row.iter_mut().zip(base.iter()).for_each(|(x, b)| *x -= b);
                }
                echelon.insert(row);
            }
        }
        Eliminated { null: echelon.null_space(), pivots }
    }

    /// Looks for a separating direction of several parameters among the kept rows; sets the rows
    /// that gain aside. False when there is none.
    fn separate(&mut self) -> Result<bool, Undecided> {
        let cells = self.problem.cells();
        let fixed = self.eliminate(|i| self.kept[i] && cells[i].is_mixed());
        // A player with cells of both outcomes is fixed by them; others by single parameters or not
        // at all, unless a shared term is still loose.
        if fixed.null.is_empty() || self.certified() {
            return Ok(false);
        }
        let Some(direction) = self.direction(&fixed)? else { return Ok(false) };
        let gains: Vec<usize> = (0..cells.len())
            .filter(|&i| self.kept[i] && cells[i].sign() * self.change(i, &direction) > POSITIVE)
            .collect();
        if gains.is_empty() {
            return Ok(false);
        }
        for &i in &gains {
            self.kept[i] = false;
        }
        let moves = moves(&direction, &gains, self.problem);
        self.separations.push(Separation { moves, cells: gains });
        Ok(true)
    }

    /// A proof by a few Newton steps that the kept rows have a finite maximum: [`newton::certified`].
    fn certified(&self) -> bool {
        let problem = self.problem.restricted(&self.kept);
        let mut held = self.held.clone();
        for p in 0..problem.blocks {
            held.blocks[p] |= problem.of_block(p).is_empty();
        }
        let mut point = problem.origin();
        for _ in 0..30 {
            let d = newton::derivatives(&problem, &point);
            if newton::certified(&problem, &held, &d) {
                return true;
            }
            let Some(factor) = newton::Factor::new(&d, &held) else { return false };
            let step = factor.step(&d.block_score, &d.shared_score);
            let longest = problem
                .cells()
                .iter()
                .fold(0.0_f64, |m, cell| m.max(problem.predictor(cell, &step).abs()));
            point = newton::moved(&point, &step, (2.0 / longest).min(1.0));
        }
        false
    }

    /// A direction that some kept row gains on and none loses on.
    fn direction(&self, fixed: &Eliminated) -> Result<Option<Point>, Undecided> {
        let free = fixed.null.len();
        let mut variables = free;
        let mut own = vec![None; self.problem.blocks];
        let mut cone = Cone::default();
        let mut seen = BTreeSet::new();
        for (p, own) in own.iter_mut().enumerate() {
            let loose = !self.held.blocks[p] && fixed.pivots[p].is_none();
            for i in self.problem.of_block(p).filter(|&i| self.kept[i]) {
                let sign = self.problem.cells()[i].sign();
                if sign == 0.0 {
                    continue;
                }
                let mut row = self.row(i);
                if let Some(pivot) = fixed.pivots[p] {
                    let base = self.row(pivot);
                    row.iter_mut().zip(base).for_each(|(x, b)| *x -= b);
                }
                let mut reduced: Row = (0..free)
                    .map(|f| (f, sign * dot(&row, &fixed.null[f].1)))
                    .filter(|(_, x)| x.abs() > 1e-12)
                    .collect();
                if loose {
                    let at = *own.get_or_insert_with(|| {
                        variables += 1;
                        variables - 1
                    });
                    reduced.push((at, sign));
                }
                let key: Vec<(usize, u64)> =
                    reduced.iter().map(|&(j, x)| (j, x.to_bits())).collect();
                if !reduced.is_empty() && seen.insert(key) {
                    cone.gains.push(reduced);
                }
            }
        }
        cone.variables = variables;
        let Some(values) = cone.separating()? else { return Ok(None) };
        Ok(Some(self.unreduced(fixed, &values, &own)))
    }

    /// The direction over all parameters behind a solution of the reduced programme.
    fn unreduced(&self, fixed: &Eliminated, values: &[f64], own: &[Option<usize>]) -> Point {
        let mut point = self.problem.origin();
        for (at, &j) in self.columns.iter().enumerate() {
            let moved: f64 =
                fixed.null.iter().zip(values).map(|((_, vector), z)| vector[at] * z).sum();
            point.shared[j] = if moved.abs() > 1e-12 { moved / self.sizes[at] } else { 0.0 };
        }
        for (p, value) in point.blocks.iter_mut().enumerate() {
            *value = match (fixed.pivots[p], own[p]) {
                (Some(pivot), _) => {
                    let k = self.problem.cells()[pivot].pattern as usize;
                    -self.problem.patterns.dot(k, &point.shared)
                }
                (None, Some(at)) => values[at],
                (None, None) => 0.0,
            };
        }
        point
    }

    /// The change of a cell's `logit P` (before its slope) along `direction`.
    fn change(&self, cell: usize, direction: &Point) -> f64 {
        let cell = &self.problem.cells()[cell];
        direction.blocks[cell.block as usize]
            + self.problem.patterns.dot(cell.pattern as usize, &direction.shared)
    }

    /// What the cells that count leave free: the one test of rank for design and factor. Players
    /// are swept out of the sums of squares of the rows, each row counted once, and shared terms
    /// whose squares fall below [`NEGLIGIBLE`] beside their own size depend on those before.
    fn determined(&self, counts: impl Fn(usize) -> bool) -> Eliminated {
        let m = self.columns.len();
        let mut pivots = vec![None; self.problem.blocks];
        let mut squares = vec![0.0; m * m];
        let mut own = vec![0.0; m];
        for (p, pivot) in pivots.iter_mut().enumerate() {
            let cells: Vec<usize> = self.problem.of_block(p).filter(|&i| counts(i)).collect();
            let rows: Vec<Vec<f64>> = cells.iter().map(|&i| self.row(i)).collect();
            let mut mean = vec![0.0; m];
            if !self.held.blocks[p] {
                *pivot = cells.first().copied();
                for j in 0..m {
                    mean[j] = rows.iter().map(|row| row[j]).sum::<f64>() / rows.len().max(1) as f64;
                }
            }
            for row in &rows {
                for i in 0..m {
                    own[i] += row[i] * row[i];
                    for j in 0..m {
                        squares[i * m + j] += (row[i] - mean[i]) * (row[j] - mean[j]);
                    }
                }
            }
        }
        Eliminated { null: dependent(m, squares, &own), pivots }
    }

    fn finish(self, all: &Eliminated) -> Result<Structure, Undecided> {
        let kept = self.determined(|i| self.kept[i]);
        let pivots = all.pivots.iter().flatten().count();
        let rank = pivots + self.columns.len() - all.null.len();
        let (loose_kept, loose_all) = (self.loose(&kept), self.loose(all));
        let touched = self.touched();
        let mut structure = Structure {
            blocks: vec![Standing::Held; self.problem.blocks],
            shared: vec![Standing::Held; self.problem.shared],
            kept: self.kept.clone(),
            held: self.regular(&kept),
            held_over_all: self.regular(all),
            rank,
            separations: self.separations.clone(),
        };
        let parameters = (0..self.problem.blocks)
            .map(Parameter::Block)
            .chain((0..self.problem.shared).map(Parameter::Shared));
        let mut sides = None;
        for parameter in parameters.filter(|&parameter| !self.held.get(parameter)) {
            let standing = if !touched.get(parameter) {
                Standing::Empty
            } else if loose_all.get(parameter) {
                Standing::Unidentified
            } else if loose_kept.get(parameter) {
                let sides = sides.get_or_insert_with(|| Sides::new(&self, &loose_kept));
                sides.standing(&self, parameter)?
            } else {
                Standing::Estimable
            };
            match parameter {
                Parameter::Block(p) => structure.blocks[p] = standing,
                Parameter::Shared(j) => structure.shared[j] = standing,
            }
        }
        Ok(structure)
    }

    /// What to hold so that the information of an elimination's cells is regular.
    fn regular(&self, eliminated: &Eliminated) -> Held {
        let mut held = self.held.clone();
        for (column, _) in &eliminated.null {
            held.shared[self.columns[*column]] = true;
        }
        for (held, pivot) in held.blocks.iter_mut().zip(&eliminated.pivots) {
            *held |= pivot.is_none();
        }
        held
    }

    /// Which parameters the cells of an elimination leave undetermined.
    fn loose(&self, eliminated: &Eliminated) -> Held {
        let mut loose = self.problem.all_free();
        for (_, vector) in &eliminated.null {
            for (at, &j) in self.columns.iter().enumerate() {
                loose.shared[j] |= vector[at].abs() > SLIGHT;
            }
        }
        for p in (0..self.problem.blocks).filter(|&p| !self.held.blocks[p]) {
            loose.blocks[p] = eliminated.pivots[p].is_none_or(|pivot| {
                let row = self.row(pivot);
                eliminated.null.iter().any(|(_, vector)| dot(&row, vector).abs() > 1e-4)
            });
        }
        loose
    }

    /// Which parameters any row touches.
    fn touched(&self) -> Held {
        let mut touched = self.problem.all_free();
        for cell in self.problem.cells() {
            touched.blocks[cell.block as usize] = true;
            for &(j, x) in self.problem.patterns.terms(cell.pattern as usize) {
                touched.shared[j as usize] |= x != 0.0;
            }
        }
        touched
    }
}

/// Finds the open sides of separated parameters: a linear programme over the parameters that the
/// kept rows leave loose.
struct Sides {
    variables: Vec<Parameter>,
    cone: Cone,
    /// For each variable: a row with it alone wants it to go up (down).
    wants: Vec<(bool, bool)>,
}

impl Sides {
    fn new(search: &Search<'_>, loose: &Held) -> Self {
        let problem = search.problem;
        let variables: Vec<Parameter> = (0..problem.blocks)
            .map(Parameter::Block)
            .chain((0..problem.shared).map(Parameter::Shared))
            .filter(|&parameter| loose.get(parameter))
            .collect();
        let mut cone = Cone { variables: variables.len(), ..Cone::default() };
        let mut wants = vec![(false, false); variables.len()];
        let mut seen = BTreeSet::new();
        for (i, cell) in problem.cells().iter().enumerate() {
            let mut row: Row = Vec::new();
            if let Ok(at) = variables.binary_search(&Parameter::Block(cell.block as usize)) {
                row.push((at, 1.0));
            }
            for &(j, x) in problem.patterns.terms(cell.pattern as usize) {
                if let Ok(at) = variables.binary_search(&Parameter::Shared(j as usize)) {
                    let column = search.columns.binary_search(&(j as usize)).unwrap_or_default();
                    row.push((at, x / search.sizes[column]));
                }
            }
            let sign = if search.kept[i] { 0.0 } else { cell.sign() };
            if sign < 0.0 {
                row.iter_mut().for_each(|(_, x)| *x = -*x);
            }
            if let ([(at, x)], true) = (&row[..], sign != 0.0) {
                wants[*at].0 |= *x > 0.0;
                wants[*at].1 |= *x < 0.0;
            }
            let key: Vec<(usize, u64)> = row.iter().map(|&(j, x)| (j, x.to_bits())).collect();
            if !row.is_empty() && seen.insert((sign == 0.0, key)) {
                if sign == 0.0 { &mut cone.zeros } else { &mut cone.gains }.push(row);
            }
        }
        Self { variables, cone, wants }
    }

    fn standing(&self, search: &Search<'_>, parameter: Parameter) -> Result<Standing, Undecided> {
        let at = self.variables.binary_search(&parameter).unwrap_or_default();
        // The first direction that moves the parameter is open; rows that hold it alone close the
        // other side, and a programme decides where there are none.
        let first = search
            .separations
            .iter()
            .flat_map(|found| &found.moves)
            .find(|(moved, _)| *moved == parameter)
            .map_or(0.0, |(_, sign)| *sign);
        let (wants_up, wants_down) = self.wants[at];
        let up = first > 0.0 || (!wants_down && self.cone.can_move(at, true)?);
        let down = first < 0.0 || (!wants_up && self.cone.can_move(at, false)?);
        Ok(Standing::Separated { up, down })
    }
}

/// The null space of a symmetric matrix of sums of squares: for each column that depends on others
/// a vector with one there. `own` are the sums of squares before anything was swept out.
fn dependent(m: usize, mut squares: Vec<f64>, own: &[f64]) -> Vec<(usize, Vec<f64>)> {
    // Gauss-Jordan with the largest remaining pivot, each beside its own size.
    let mut swept: Vec<usize> = Vec::new();
    loop {
        let share = |j: usize| squares[j * m + j] / own[j].max(f64::MIN_POSITIVE);
        let Some(pivot) = (0..m)
            .filter(|j| !swept.contains(j) && share(*j) > NEGLIGIBLE)
            .reduce(|a, b| if share(b) > share(a) { b } else { a })
        else {
            break;
        };
        swept.push(pivot);
        let value = squares[pivot * m + pivot];
        for j in 0..m {
            squares[pivot * m + j] /= value;
        }
        for i in (0..m).filter(|&i| i != pivot) {
            let factor = squares[i * m + pivot];
            for j in 0..m {
                squares[i * m + j] -= factor * squares[pivot * m + j];
            }
        }
    }
    (0..m)
        .filter(|j| !swept.contains(j))
        .map(|column| {
            let mut vector = vec![0.0; m];
            vector[column] = 1.0;
            for &pivot in &swept {
                let value = -squares[pivot * m + column];
                vector[pivot] = if value.abs() > SLIGHT { value } else { 0.0 };
            }
            (column, vector)
        })
        .collect()
}

/// The parameters of `direction` that the gaining cells touch, with the sign of their move.
fn moves(direction: &Point, gains: &[usize], problem: &Problem) -> Vec<(Parameter, f64)> {
    let touched: BTreeSet<usize> =
        gains.iter().map(|&i| problem.cells()[i].block as usize).collect();
    let blocks = direction
        .blocks
        .iter()
        .enumerate()
        .filter(|(p, x)| {
            x.abs() > 1e-9 && (touched.contains(p) || !problem.of_block(*p).is_empty())
        })
        .map(|(p, x)| (Parameter::Block(p), x.signum()));
    let shared = direction.shared.iter().enumerate().filter(|(_, x)| x.abs() > 1e-9);
    blocks.chain(shared.map(|(j, x)| (Parameter::Shared(j), x.signum()))).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Bit 1: rows want more; bit 2: rows want less; both for a mixed cell.
fn wish(sign: f64) -> u8 {
    match sign {
        s if s > 0.0 => 1,
        s if s < 0.0 => 2,
        _ => 3,
    }
}

const fn swapped(wish: u8) -> u8 {
    ((wish & 1) << 1) | (wish >> 1)
}

#[cfg(test)]
#[path = "structure_tests.rs"]
mod tests;
