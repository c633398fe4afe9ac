//! The family of definitions that can be calibrated, and what one of them says.

use super::spots::Difficulty;
use crate::shot_log::schema::{Call, SAFETY_RESULTS, SHOT_RESULTS, Schema};
use crate::stats::calibration::design::sigmoid;
use std::collections::BTreeMap;

/// A definition of the family: its words and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// The words of its logs.
    pub schema: Schema,
    /// Its numbers: `D.LEAVE`, `G`, `POS_REQ`, `A0`, `P_SCRATCH`, `SAFE_FOUL`, `BREAK.KEY`; where a
    /// break takes skill, `BREAK_SLOPE.KEY`; where leaves are geometry, `b0` to `b3`.
    pub numbers: BTreeMap<String, f64>,
    /// Points of geometry of each leave, each as likely as the others; none where `D` says how hard
    /// the leave is.
    pub spots: Vec<Vec<[f64; 3]>>,
    /// Whether a break takes skill.
    pub break_skill: bool,
}

/// A leave, and one of its points where it has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lie {
    /// The leave, as an index of the schema.
    pub leave: usize,
    /// The point.
    pub spot: usize,
}

impl Family {
    /// The number called `name`, 0 if there is none; `c` is `G * POS_REQ`.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        let of = |name: &str| self.numbers.get(name).copied().unwrap_or_default();
        if name == "c" { of("G") * of("POS_REQ") } else { of(name) }
    }

    /// Whether some leave is geometry.
    #[must_use]
    pub fn has_geometry(&self) -> bool {
        self.spots.iter().any(|spots| !spots.is_empty())
    }

    /// Every leave with every point that it has.
    #[must_use]
    pub fn lies(&self) -> Vec<Lie> {
        let points = |(leave, spots): (usize, &Vec<[f64; 3]>)| {
            (0..spots.len().max(1)).map(move |spot| Lie { leave, spot })
        };
        self.spots.iter().enumerate().flat_map(points).collect()
    }

    /// What makes a geometry difficult.
    #[must_use]
    pub fn geometry(&self) -> Difficulty {
        let b = ["b0", "b1", "b2", "b3"].map(|name| self.number(name));
        Difficulty { b, c: self.number("c") }
    }

    /// How hard a lie is.
    #[must_use]
    pub fn difficulty(&self, lie: Lie) -> f64 {
        match self.spots[lie.leave].get(lie.spot) {
            Some(point) => self.geometry().of(*point),
            None => self.number(&format!("D.{}", self.schema.leaves[lie.leave])),
        }
    }

    /// The chances of the results of a shot from a lie by a player of `skill`, in the order of
    /// [`Schema::shot`].
    #[must_use]
    pub fn shot(&self, lie: Lie, skill: f64) -> [f64; SHOT_RESULTS] {
        let d = self.difficulty(lie);
        let pot = sigmoid(skill - d);
        let position = sigmoid(skill - d - self.number("c"));
        let scratch = self.number("P_SCRATCH");
        [
            pot * position * (1.0 - scratch),
            pot * (1.0 - position) * (1.0 - scratch),
            pot * scratch,
            (1.0 - pot) * (1.0 - scratch),
            (1.0 - pot) * scratch,
        ]
    }

    /// The chances of the results of a safety by a player of `skill`, in the order of
    /// [`Schema::safety`].
    #[must_use]
    pub fn safety(&self, skill: f64) -> [f64; SAFETY_RESULTS] {
        let good = sigmoid(skill - self.number("A0"));
        let foul = self.number("SAFE_FOUL");
        [good * (1.0 - foul), (1.0 - good) * (1.0 - foul), foul]
    }

    /// The chances of the outcomes of a break by a player of `break_skill`, in the order of
    /// [`Schema::breaks`].
    #[must_use]
    pub fn breaks(&self, break_skill: f64) -> Vec<f64> {
        let keys = self.schema.breaks.iter().map(|(_, key)| key);
        let shares: Vec<f64> = keys.map(|key| self.number(&format!("BREAK.{key}"))).collect();
        if !self.break_skill {
            return shares;
        }
        let slopes = self.break_slopes();
        let weights = shares.iter().zip(&slopes).map(|(p, c)| p * libm::exp(c * break_skill));
        let weights: Vec<f64> = weights.collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    /// What a unit of break skill adds to the logarithm of each outcome's weight.
    #[must_use]
    pub fn break_slopes(&self) -> Vec<f64> {
        let breaks = self.schema.breaks.iter();
        breaks.map(|(_, key)| self.number(&format!("BREAK_SLOPE.{key}"))).collect()
    }

    /// What an outcome of a model is among the family's: the break's, or a call's result.
    #[must_use]
    pub fn role(&self, outcome: &str) -> Option<Role> {
        let broken = self.schema.breaks.iter().position(|(id, _)| id == outcome);
        broken.map(Role::Break).or_else(|| {
            let mut results = self.schema.results();
            results.find(|(id, ..)| *id == outcome).map(|(_, call, at)| Role::Call(call, at))
        })
    }
}

/// What an outcome is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An outcome of the break.
    Break(usize),
    /// A result of a call.
    Call(Call, usize),
}
