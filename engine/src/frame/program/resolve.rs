//! Names to what they stand for: locals first, then state, derived values and constants.

use super::{Code, MAX_SLOTS, Program, Ref, Slot, SlotSet, Target};
use crate::frame::definition::{Definition, Formula, Kind, SEATS, Variable};
use crate::frame::error::{At, FrameError};
use crate::frame::expression::{Expr, Function, Name};
use crate::frame::value::Value;
use crate::naming::did_you_mean;
use std::collections::HashMap;
use std::sync::Arc;

/// The longest chain of derived values that read each other.
const MAX_DERIVED_DEPTH: usize = 8;

/// Names of an effect list and where their values are kept.
pub(super) type Scope = Vec<(Arc<str>, usize)>;

/// All global names of a definition.
pub(super) struct Resolver {
    names: HashMap<Arc<str>, Expr<Ref>>,
    pub slots: Vec<Slot>,
    pub initial: Vec<Value>,
    pub variables: Vec<(Arc<str>, Ref)>,
    pub derived: Vec<(Arc<str>, Code)>,
    /// How many derived values deep each reaches.
    depths: Vec<usize>,
}

impl Resolver {
    pub fn new(definition: &Definition) -> Result<Self, FrameError> {
        let mut resolver = Self {
            names: HashMap::new(),
            slots: Vec::new(),
            initial: Vec::new(),
            variables: Vec::new(),
            derived: Vec::new(),
            depths: Vec::new(),
        };
        for constant in &definition.constants {
            resolver.define(
                &constant.name,
                Expr::Literal(constant.value.clone()),
                At::default(),
            )?;
        }
        resolver.variables(definition)?;
        resolver.derived(definition)?;
        Ok(resolver)
    }

    fn define(&mut self, name: &Arc<str>, expr: Expr<Ref>, at: At) -> Result<(), FrameError> {
        let taken = self.names.contains_key(name) || &**name == "decider";
        if taken || Function::named(name).is_some() {
            let message = format!("the name `{name}` is taken already; choose another");
            return Err(FrameError::Definition { at, message });
        }
        self.names.insert(name.clone(), expr);
        Ok(())
    }

    fn variables(&mut self, definition: &Definition) -> Result<(), FrameError> {
        let written = definition.written_variables();
        for variable in &definition.variables {
            let first = self.slots.len();
            let values = variable.initial(&definition.constants)?;
            if !written.contains(&variable.name) {
                // What nothing writes is a constant: states need not remember it.
                let value = whole(variable, values);
                self.define(&variable.name, Expr::Literal(value), variable.at)?;
                continue;
            }
            let keys: Arc<[Arc<str>]> = values.iter().map(|(key, _)| key.clone()).collect();
            for (i, (key, value)) in values.into_iter().enumerate() {
                let (name, kind) = match (&variable.kind, variable.per_seat) {
                    (Kind::Dict, _) => (format!("{}.{key}", variable.name), entry_kind(&value)),
                    (kind, true) => (format!("{}[{i}]", variable.name), Some(kind.clone())),
                    (kind, false) => (variable.name.to_string(), Some(kind.clone())),
                };
                self.slots.push(Slot { name, kind });
                self.initial.push(value);
            }
            let reference = match (&variable.kind, variable.per_seat) {
                (Kind::Dict, _) => Ref::Entries(first, keys),
                (_, true) => Ref::Seats(first),
                _ => Ref::Slot(first),
            };
            self.define(&variable.name, Expr::Reference(reference.clone()), variable.at)?;
            self.variables.push((variable.name.clone(), reference));
        }
        let decider = self.local("decider", At::default())?;
        self.names.insert(Arc::from("decider"), Expr::Reference(Ref::Slot(decider)));
        Ok(())
    }

    /// Derived values, each after those that it reads.
    fn derived(&mut self, definition: &Definition) -> Result<(), FrameError> {
        let mut left: Vec<_> = definition.derived.iter().collect();
        while !left.is_empty() {
            let waits = |formula: &Formula| {
                let mut waits = false;
                formula.expr.references(&mut |name: &Name, _| {
                    waits |= left.iter().any(|other| other.name == name.text);
                });
                waits
            };
            let Some(ready) = left.iter().position(|derived| !waits(&derived.formula)) else {
                let message = format!("derived `{}` reads itself, maybe by others", left[0].name);
                return Err(FrameError::Definition { at: left[0].formula.at, message });
            };
            let next = left.remove(ready);
            let code = self.code(&next.formula, &Scope::new())?;
            let mut depth = 1;
            code.expr.references(&mut |reference, _| {
                if let Ref::Derived(i) = reference {
                    depth = depth.max(1 + self.depths[*i]);
                }
            });
            if depth > MAX_DERIVED_DEPTH {
                let message = format!("more than {MAX_DERIVED_DEPTH} derived values in a chain");
                return Err(FrameError::Definition { at: code.at, message });
            }
            let reference = Expr::Reference(Ref::Derived(self.derived.len()));
            self.define(&next.name, reference, next.formula.at)?;
            self.derived.push((next.name.clone(), code));
            self.depths.push(depth);
        }
        Ok(())
    }

    /// A new slot for a value that is not part of the state.
    pub fn local(&mut self, name: &str, at: At) -> Result<usize, FrameError> {
        if self.slots.len() >= MAX_SLOTS {
            let message =
                format!("more than {MAX_SLOTS} values to remember; make the game smaller");
            return Err(FrameError::Definition { at, message });
        }
        self.slots.push(Slot { name: name.to_owned(), kind: None });
        self.initial.push(Value::None);
        Ok(self.slots.len() - 1)
    }

    /// `formula` with every name resolved.
    pub fn code(&self, formula: &Formula, scope: &Scope) -> Result<Code, FrameError> {
        let expr = formula.expr.resolve(&mut |name: &Name| {
            if let Some((_, slot)) = scope.iter().rev().find(|(known, _)| *known == name.text) {
                return Ok(Expr::Reference(Ref::Slot(*slot)));
            }
            self.names.get(&name.text).cloned().ok_or_else(|| {
                let known = self.names.keys().chain(scope.iter().map(|(name, _)| name));
                // The map has no order of its own.
                let mut known: Vec<&str> = known.map(|name| &**name).collect();
                known.extend(["True", "False", "None"]);
                known.sort_unstable();
                let hint = did_you_mean(&name.text, known);
                let message = format!("nothing is called `{}`{hint}", name.text);
                FrameError::Expression { at: formula.place(name.offset), message }
            })
        })?;
        Ok(self.measured(expr.folded(), formula.at))
    }

    /// A value written out, as code.
    pub fn literal(&self, value: &Value, at: At) -> Code {
        Code { expr: Expr::Literal(value.clone()), at, reads: SlotSet::default() }
    }

    fn measured(&self, expr: Expr<Ref>, at: At) -> Code {
        let mut reads = SlotSet::default();
        expr.references(&mut |reference, index| match (reference, index) {
            (Ref::Slot(slot), _) => reads.insert(*slot),
            (Ref::Derived(i), _) => {
                reads.extend(&self.derived[*i].1.reads);
            }
            (Ref::Seats(first), Some(Expr::Literal(Value::Int(seat @ 0..=1)))) => {
                reads.insert(first + usize::from(*seat == 1));
            }
            (Ref::Seats(first), _) => (0..SEATS).for_each(|seat| reads.insert(first + seat)),
            (Ref::Entries(first, keys), index) => {
                for (i, key) in keys.iter().enumerate() {
                    match index {
                        Some(Expr::Literal(Value::Text(text))) if text != key => {}
                        _ => reads.insert(first + i),
                    }
                }
            }
        });
        Code { expr, at, reads }
    }

    /// What the `var` of an operation writes to.
    pub fn target(
        &self,
        definition: &Definition,
        formula: &Formula,
        scope: &Scope,
    ) -> Result<Target, FrameError> {
        let refuse = |message: String| FrameError::Definition { at: formula.at, message };
        let (base, index) = match &formula.expr {
            Expr::Index(base, index) => (&**base, Some(&**index)),
            base => (base, None),
        };
        let Expr::Reference(name) = base else {
            return Err(refuse("`var` must be a variable".to_owned()));
        };
        let Some((_, reference)) = self.variables.iter().find(|(known, _)| *known == name.text)
        else {
            let variables = definition.variables.iter().map(|variable| &*variable.name);
            let hint = did_you_mean(&name.text, variables);
            return Err(refuse(format!("no variable `{}`{hint}", name.text)));
        };
        let index = index
            .map(|expr| self.code(&Formula { expr: expr.clone(), ..formula.clone() }, scope))
            .transpose()?;
        match (reference, index) {
            (Ref::Slot(slot), None) => Ok(Target::Slot(*slot)),
            (Ref::Seats(first), Some(index)) => Ok(Target::Seat(*first, index)),
            (Ref::Entries(first, keys), Some(key)) => Ok(Target::Entry(*first, keys.clone(), key)),
            (Ref::Slot(_), Some(_)) => Err(refuse(format!("`{}` is one value", name.text))),
            _ => Err(refuse(format!("`{0}` has entries; write `{0}[...]`", name.text))),
        }
    }
}

/// A variable's first values as the one value that expressions read.
fn whole(variable: &Variable, values: Vec<(Arc<str>, Value)>) -> Value {
    match (&variable.kind, variable.per_seat) {
        (Kind::Dict, _) => Value::Dict(values.into()),
        (_, true) => Value::List(values.into_iter().map(|(_, value)| value).collect()),
        _ => values.into_iter().next().map_or(Value::None, |(_, value)| value),
    }
}

/// Entries of a mapping keep the kind of their first value.
fn entry_kind(value: &Value) -> Option<Kind> {
    match value {
        Value::Bool(_) => Some(Kind::Bool),
        Value::Int(_) => Some(Kind::Int(i64::MIN, i64::MAX)),
        Value::Real(_) => Some(Kind::Real),
        _ => None,
    }
}

/// See [`Program::policy_with`].
pub(super) fn policy_with(
    definition: &Definition,
    agent: &str,
    constants: &[(String, f64)],
) -> Result<Code, FrameError> {
    let mut changed = definition.clone();
    for (name, value) in constants {
        changed.set_number(name, *value)?;
    }
    let rule = changed.agents.iter().find(|known| &*known.name == agent);
    let Some(formula) = rule.and_then(|rule| rule.policy.as_ref()) else {
        return Err(FrameError::Agent(format!("the definition has no policy for `{agent}`")));
    };
    // Slots are laid out by the variables alone, so the code fits the program of `definition`.
    Resolver::new(&changed)?.code(formula, &Scope::new())
}

impl Program {
    /// Whether a policy reads the constant called `name`.
    pub fn policy_reads(definition: &Definition, agent: &str, name: &str) -> bool {
        let rule = definition.agents.iter().find(|known| &*known.name == agent);
        let mut found = false;
        if let Some(formula) = rule.and_then(|rule| rule.policy.as_ref()) {
            formula.expr.references(&mut |known: &Name, _| found |= &*known.text == name);
        }
        found
    }
}
