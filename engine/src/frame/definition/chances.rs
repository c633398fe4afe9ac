//! The chances of an outcome model's outcomes at the definition's first values, and what the model
//! reads: how a definition is recognised as one of a family.

use super::{Definition, Kind, Model};
use crate::frame::error::FrameError;
use crate::frame::expression::{Environment, Expr, Name, evaluate};
use crate::frame::value::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The deepest chain of derived values that is followed.
const MAX_DEPTH: usize = 64;

/// Constants, first values, and what was bound on the way.
struct First<'a> {
    definition: &'a Definition,
    bound: Vec<(Arc<str>, Value)>,
    depth: usize,
}

impl Environment<Name> for First<'_> {
    fn get(&self, name: &Name) -> Result<Value, String> {
        if let Some((_, value)) = self.bound.iter().rev().find(|(known, _)| *known == name.text) {
            return Ok(value.clone());
        }
        let definition = self.definition;
        if let Some(constant) = definition.constants.iter().find(|c| c.name == name.text) {
            return Ok(constant.value.clone());
        }
        if let Some(variable) = definition.variables.iter().find(|v| v.name == name.text) {
            let values = variable.initial(&definition.constants).map_err(|e| e.to_string())?;
            return Ok(match (variable.per_seat, &variable.kind) {
                (true, _) => Value::List(values.into_iter().map(|(_, v)| v).collect()),
                (_, Kind::Dict) => Value::Dict(values.into()),
                _ => values.into_iter().next().map_or(Value::None, |(_, v)| v),
            });
        }
        let derived = definition.derived.iter().find(|d| d.name == name.text);
        match derived {
            Some(derived) if self.depth < MAX_DEPTH => {
                let deeper = Self { definition, bound: Vec::new(), depth: self.depth + 1 };
                evaluate(&derived.formula.expr, &deeper)
            }
            _ => Err(format!("`{}` has no first value", name.text)),
        }
    }
}

impl Definition {
    fn model(&self, name: &str) -> Option<&Model> {
        self.models.iter().find(|model| &*model.name == name)
    }

    /// The chance of each outcome of the model called `name` while every state variable has its
    /// first value ([`Definition::set`] gives others), none if there is no such model.
    ///
    /// # Errors
    /// When an expression of the model fails there or is no number.
    pub fn chances(&self, name: &str) -> Result<Option<Vec<(String, f64)>>, FrameError> {
        let Some(model) = self.model(name) else { return Ok(None) };
        let mut first = First { definition: self, bound: Vec::new(), depth: 0 };
        for derived in &model.derived {
            let value = evaluate(&derived.formula.expr, &first)
                .map_err(|message| FrameError::Expression { at: derived.formula.at, message })?;
            first.bound.push((derived.name.clone(), value));
        }
        let chance = |outcome: &super::Outcome| {
            let refuse = |message| FrameError::Expression { at: outcome.probability.at, message };
            let value = evaluate(&outcome.probability.expr, &first).map_err(refuse)?;
            let number = value.number().ok_or_else(|| {
                refuse(format!("a probability is {}, not a number", value.kind()))
            })?;
            Ok((outcome.id.clone(), number))
        };
        model.outcomes.iter().map(chance).collect::<Result<_, _>>().map(Some)
    }

    /// The constants and state variables that the probabilities of the model called `name` read,
    /// directly or through derived values, in order of name.
    #[must_use]
    pub fn reads(&self, name: &str) -> Vec<String> {
        let mut found = BTreeSet::new();
        if let Some(model) = self.model(name) {
            let local: Vec<&str> = model.derived.iter().map(|d| &*d.name).collect();
            let derived = model.derived.iter().map(|d| &d.formula.expr);
            for expr in derived.chain(model.outcomes.iter().map(|o| &o.probability.expr)) {
                self.collect(expr, &local, 0, &mut found);
            }
        }
        found.into_iter().collect()
    }

    fn collect(
        &self,
        expr: &Expr<Name>,
        local: &[&str],
        depth: usize,
        found: &mut BTreeSet<String>,
    ) {
        expr.references(&mut |name: &Name, _| {
            if local.contains(&&*name.text) {
                return;
            }
            let derived = self.derived.iter().find(|d| d.name == name.text);
            if let (Some(derived), true) = (derived, depth < MAX_DEPTH) {
                self.collect(&derived.formula.expr, &[], depth + 1, found);
            } else {
                found.insert(name.text.to_string());
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_shot_at_its_first_leave() {
        let mut definition = Definition::shipped().expect("shipped");
        definition.set("leave", "hard").expect("a leave");
        definition.set_number("skill", 2.5).expect("a skill");
        let chances = definition.chances("shot").expect("numbers").expect("a model");
        let (pot, position) = (1.0 / (1.0 + 0.5_f64.exp()), 1.0 / (1.0 + 1.5_f64.exp()));
        assert_eq!(chances[0].0, "pot_position");
        assert!((chances[0].1 - pot * position * 0.97).abs() < 1e-12, "{chances:?}");
        assert!((chances.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(
            definition.reads("shot"),
            ["D", "G", "POS_REQ", "P_SCRATCH", "leave", "shooter", "skill"]
        );
        assert!(definition.chances("serve").expect("no model").is_none());
    }
}
