//! Settings: other numbers for constants, other first values for state variables.

use super::{Constant, Definition, Init, Kind, SEATS, Variable};
use crate::frame::error::FrameError;
use crate::frame::expression::{Environment, Name, evaluate};
use crate::frame::value::{Value, list_index, no_key};
use crate::naming::nearest;
use std::sync::Arc;

/// A constant or state variable that can be set.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Parameter {
    /// Its name, as in `P_SCRATCH`, `D.hard`, `skill[0]`.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Whether it is a constant; otherwise it is the first value of a state variable.
    pub constant: bool,
}

impl Definition {
    /// Sets a constant or the first value of a state variable from text: `P_SCRATCH`, `D.hard`
    /// or `D[hard]`, `skill` (both seats), `skill[0]` (one seat), `break_scratch_bih`.
    ///
    /// # Errors
    /// When nothing is called `name` (the nearest names are given), or `value` does not fit: a
    /// number must be finite, a word must be one of the variable's enum.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), FrameError> {
        let value = value.trim();
        let (base, path) = split(name);
        let per_seat = self.variables.iter().any(|v| &*v.name == base && v.per_seat);
        if per_seat && path.is_empty() && value.contains(',') {
            let values: Vec<&str> = value.split(',').collect();
            if values.len() != SEATS {
                return Err(bad(
                    name,
                    value,
                    format!("one value, or {SEATS} with a comma between"),
                ));
            }
            return (0..SEATS)
                .try_for_each(|seat| self.set(&format!("{base}[{seat}]"), values[seat]));
        }
        self.set_value(name, scalar(name, value)?)
    }

    /// Sets a constant or the first value of a state variable to a number.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub fn set_number(&mut self, name: &str, value: f64) -> Result<(), FrameError> {
        if !value.is_finite() {
            return Err(bad(name, &value.to_string(), "a finite number"));
        }
        self.set_value(name, Value::Real(value))
    }

    fn set_value(&mut self, name: &str, value: Value) -> Result<(), FrameError> {
        let (base, path) = split(name);
        if let Some(constant) = self.constants.iter_mut().find(|c| &*c.name == base) {
            constant.value = replaced(name, &constant.value, &path, &value)?;
            return Ok(());
        }
        if let Some(i) = self.variables.iter().position(|v| &*v.name == base) {
            let constants = &self.constants;
            return self.variables[i].set(constants, name, &path, value);
        }
        Err(self.unknown(name))
    }

    fn unknown(&self, name: &str) -> FrameError {
        let parameters = self.parameters();
        let mut names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
        names.extend(self.constants.iter().map(|c| &*c.name));
        names.extend(self.variables.iter().map(|v| &*v.name));
        let near = nearest(name, names.iter().copied())
            .or_else(|| nearest(split(name).0, names.iter().copied()));
        let hint = near.map_or_else(
            || "; `cuebench check FILE` lists them".to_owned(),
            |near| format!(" (did you mean `{near}`?)"),
        );
        FrameError::UnknownName { name: name.chars().take(80).collect(), hint }
    }

    /// Everything that can be set, constants first, in the order of the text.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut all = Vec::new();
        for constant in &self.constants {
            flatten(constant.name.to_string(), &constant.value, true, &mut all);
        }
        for variable in &self.variables {
            let Ok(values) = variable.initial(&self.constants) else { continue };
            for (suffix, value) in variable.suffixes(&values) {
                let name = format!("{}{suffix}", variable.name);
                all.push(Parameter { name, value, constant: false });
            }
        }
        all
    }

    /// The value of a constant or of the first value of a variable, by its full name.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<Value> {
        let (base, path) = split(name);
        if let Some(constant) = self.constants.iter().find(|c| &*c.name == base) {
            return path.iter().try_fold(constant.value.clone(), |v, key| entry(&v, key));
        }
        self.parameters().into_iter().find(|p| p.name == name).map(|p| p.value)
    }
}

fn entry(value: &Value, key: &str) -> Option<Value> {
    match value {
        Value::List(items) => items.get(key.parse::<usize>().ok()?).cloned(),
        value => value.at(&Value::text(key)).ok(),
    }
}

/// `D.hard` or `D[hard]` to `D` and `hard`.
pub(super) fn split(name: &str) -> (&str, Vec<&str>) {
    let mut parts = name.split(['.', '[']).map(|part| part.trim_end_matches(']').trim());
    (parts.next().unwrap_or_default(), parts.collect())
}

fn flatten(name: String, value: &Value, constant: bool, all: &mut Vec<Parameter>) {
    match value {
        Value::Dict(entries) => {
            for (key, value) in entries.iter() {
                flatten(format!("{name}.{key}"), value, constant, all);
            }
        }
        Value::List(items) => {
            for (i, value) in items.iter().enumerate() {
                flatten(format!("{name}[{i}]"), value, constant, all);
            }
        }
        value => all.push(Parameter { name, value: value.clone(), constant }),
    }
}

fn bad(name: &str, value: &str, expected: impl Into<String>) -> FrameError {
    FrameError::BadValue { name: name.into(), value: value.into(), expected: expected.into() }
}

/// Text to a value: a truth value, a finite number, else a word.
fn scalar(name: &str, text: &str) -> Result<Value, FrameError> {
    match text {
        "" => return Err(bad(name, text, "a value; write NAME=VALUE")),
        "true" | "True" => return Ok(Value::Bool(true)),
        "false" | "False" => return Ok(Value::Bool(false)),
        _ => {}
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Ok(Value::Int(whole));
    }
    match text.parse::<f64>() {
        Ok(real) if real.is_finite() => Ok(Value::Real(real)),
        Ok(_) => Err(bad(name, text, "a finite number")),
        Err(_) => Ok(Value::text(text)),
    }
}

/// `old` with the entry at `path` replaced by `new`, which must be of the same kind.
fn replaced(name: &str, old: &Value, path: &[&str], new: &Value) -> Result<Value, FrameError> {
    let Some((key, rest)) = path.split_first() else {
        return match (old, new) {
            (Value::Int(_) | Value::Real(_), Value::Int(_) | Value::Real(_))
            | (Value::Bool(_), Value::Bool(_))
            | (Value::Text(_), Value::Text(_)) => Ok(new.clone()),
            (Value::Dict(entries), _) => {
                let keys: Vec<_> = entries.iter().map(|(key, _)| format!("{name}.{key}")).collect();
                let expected = format!("possible: it is a mapping; set one of {}", keys.join(", "));
                Err(bad(name, &new.to_string(), expected))
            }
            (old, new) => {
                Err(bad(name, &new.to_string(), format!("{}, as in the file", old.kind())))
            }
        };
    };
    let unknown = |hint| FrameError::UnknownName { name: name.to_owned(), hint };
    match old {
        Value::Dict(entries) => {
            let mut entries = entries.to_vec();
            let keys: Vec<Arc<str>> = entries.iter().map(|(key, _)| key.clone()).collect();
            let Some((_, value)) = entries.iter_mut().find(|(k, _)| &**k == *key) else {
                let why = no_key(key, keys.iter().map(|key| &**key));
                return Err(unknown(format!(": {why}")));
            };
            *value = replaced(name, value, rest, new)?;
            Ok(Value::Dict(entries.into()))
        }
        Value::List(items) => {
            let mut items = items.to_vec();
            let index = key.parse().map_or(Value::None, Value::Int);
            let i = list_index(&index, items.len()).map_err(|why| unknown(format!(": {why}")))?;
            items[i] = replaced(name, &items[i], rest, new)?;
            Ok(Value::List(items.into()))
        }
        _ => Err(unknown(format!(": `{}` is one value", split(name).0))),
    }
}

/// Constants alone, for first values that are computed.
struct Constants<'a>(&'a [Constant]);

impl Environment<Name> for Constants<'_> {
    fn get(&self, name: &Name) -> Result<Value, String> {
        self.0
            .iter()
            .find(|constant| constant.name == name.text)
            .map(|constant| constant.value.clone())
            .ok_or_else(|| format!("no constant `{}`; `init_x` reads constants only", name.text))
    }
}

impl Kind {
    /// `value` as this kind holds it.
    pub(in crate::frame) fn hold(&self, value: &Value) -> Result<Value, String> {
        match (self, value) {
            (Self::Bool, Value::Bool(_)) => return Ok(value.clone()),
            (Self::Real, value) => {
                if let (Some(x), false) = (value.number(), matches!(value, Value::Bool(_))) {
                    return Ok(Value::Real(x));
                }
            }
            (Self::Int(low, high), Value::Int(i)) if low <= i && i <= high => {
                return Ok(value.clone());
            }
            (Self::Int(low, high), Value::Real(x))
                if libm::floor(*x) == *x && (*low as f64) <= *x && *x <= (*high as f64) =>
            {
                return Ok(Value::Int(*x as i64));
            }
            (Self::Seat, value) => {
                if let Some(seat @ 0..=1) = value.integer() {
                    return Ok(Value::Int(seat));
                }
            }
            (Self::Enum(words), Value::Text(word)) => {
                if let Some(known) = words.iter().find(|known| *known == word) {
                    return Ok(Value::Text(known.clone()));
                }
                if &**word == "none" {
                    return Ok(value.clone());
                }
                let hint = crate::naming::did_you_mean(word, words.iter().map(|w| &**w));
                return Err(format!("`{word}`{hint} is not {}", self.expected()));
            }
            (Self::Dict, value @ Value::Dict(_)) => return Ok(value.clone()),
            _ => {}
        }
        Err(format!("`{value}` is not {}", self.expected()))
    }

    /// What it holds, in words.
    pub(in crate::frame) fn expected(&self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Real => "a finite number".to_owned(),
            Self::Int(i64::MIN, i64::MAX) => "a whole number".to_owned(),
            Self::Int(low, high) => format!("a whole number from {low} to {high}"),
            Self::Seat => "a seat, 0 or 1".to_owned(),
            Self::Enum(words) => format!("one of {}, none", words.join(", ")),
            Self::Dict => "a mapping".to_owned(),
        }
    }
}

impl Variable {
    /// The first values, one for each seat or key, or a single one.
    pub(in crate::frame) fn initial(
        &self,
        constants: &[Constant],
    ) -> Result<Vec<(Arc<str>, Value)>, FrameError> {
        let refuse = |message: String| FrameError::Definition {
            at: self.at,
            message: format!("the first value of `{}`: {message}", self.name),
        };
        let whole = match &self.init {
            Init::Value(value) => value.clone(),
            Init::Formula(formula) => evaluate(&formula.expr, &Constants(constants))
                .map_err(|message| FrameError::Expression { at: formula.at, message })?,
        };
        let mut values: Vec<(Arc<str>, Value)> = match (&whole, self.per_seat) {
            (Value::List(items), true) if items.len() == SEATS => {
                items.iter().map(|value| (Arc::from(""), value.clone())).collect()
            }
            (value, true) => vec![(Arc::from(""), value.clone()); SEATS],
            (Value::Dict(entries), false) if self.kind == Kind::Dict => entries.to_vec(),
            (value, false) => vec![(Arc::from(""), value.clone())],
        };
        for (key, value) in &self.entries {
            let place = match key {
                Value::Text(key) => values.iter().position(|(k, _)| k == key),
                key => list_index(key, values.len()).ok(),
            };
            if let Some(place) = place {
                values[place].1 = value.clone();
            }
        }
        if self.kind == Kind::Dict {
            if !matches!(whole, Value::Dict(_)) {
                return Err(refuse(format!("`{whole}` is not a mapping")));
            }
            let nested = |v: &Value| matches!(v, Value::Dict(_) | Value::List(_) | Value::None);
            if let Some((key, _)) = values.iter().find(|(_, value)| nested(value)) {
                return Err(refuse(format!("the entry `{key}` must be one value")));
            }
            return Ok(values);
        }
        for (_, value) in &mut values {
            *value = self.kind.hold(value).map_err(refuse)?;
        }
        Ok(values)
    }

    /// Each first value with what follows the variable's name in its full name.
    fn suffixes(&self, values: &[(Arc<str>, Value)]) -> Vec<(String, Value)> {
        values
            .iter()
            .enumerate()
            .map(|(i, (key, value))| {
                let suffix = match (&self.kind, self.per_seat) {
                    (Kind::Dict, _) => format!(".{key}"),
                    (_, true) => format!("[{i}]"),
                    _ => String::new(),
                };
                (suffix, value.clone())
            })
            .collect()
    }

    fn set(
        &mut self,
        constants: &[Constant],
        name: &str,
        path: &[&str],
        value: Value,
    ) -> Result<(), FrameError> {
        let shown = value.to_string();
        let current = self.initial(constants)?;
        let unknown = |hint| FrameError::UnknownName { name: name.to_owned(), hint };
        let fit = |kind: &Kind| kind.hold(&value).map_err(|_| bad(name, &shown, kind.expected()));
        match (path, self.per_seat, self.kind == Kind::Dict) {
            ([], _, false) => {
                self.init = Init::Value(fit(&self.kind)?);
                self.entries.clear();
            }
            ([seat], true, _) => {
                let index = seat.parse().map_or(Value::None, Value::Int);
                list_index(&index, SEATS).map_err(|why| unknown(format!(": {why}")))?;
                self.entries.push((index, fit(&self.kind)?));
            }
            ([key], _, true) => {
                let Some((_, old)) = current.iter().find(|(k, _)| &**k == *key) else {
                    let why = no_key(key, current.iter().map(|(k, _)| &**k));
                    return Err(unknown(format!(": {why}")));
                };
                let value = replaced(name, old, &[], &value)?;
                self.entries.push((Value::text(key), value));
            }
            ([], _, true) => {
                let keys: Vec<_> = current.iter().map(|(k, _)| format!("{name}.{k}")).collect();
                let expected = format!("possible: it is a mapping; set one of {}", keys.join(", "));
                return Err(bad(name, &shown, expected));
            }
            _ => return Err(unknown(format!(": `{}` has no such entry", self.name))),
        }
        Ok(())
    }
}
