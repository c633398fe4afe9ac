//! The values that expressions compute with, and their arithmetic: Python's, on finite numbers.

use super::expression::{Arithmetic, Comparison};
use std::cmp::Ordering;
use std::sync::Arc;

/// A value of a constant, a state variable or an expression.
#[derive(Clone, Debug)]
pub enum Value {
    /// No value (`None`).
    None,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A finite real number.
    Real(f64),
    /// A word, such as the name of an outcome.
    Text(Arc<str>),
    /// A list or tuple.
    List(Arc<[Value]>),
    /// A mapping from words to values, in the order written.
    Dict(Arc<[(Arc<str>, Value)]>),
}

/// Values are equal as Python's `==` says: numbers and truth values by their worth.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Text(a), Self::Text(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Dict(a), Self::Dict(b)) => a == b,
            _ => self.order(other) == Some(Ordering::Equal),
        }
    }
}

impl Value {
    /// A word.
    #[must_use]
    pub fn text(word: &str) -> Self {
        Self::Text(Arc::from(word))
    }

    /// The value as a real number, if it is a number or truth value.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Bool(b) => Some(f64::from(*b)),
            Self::Int(i) => Some(*i as f64),
            Self::Real(x) => Some(*x),
            _ => None,
        }
    }

    /// The value as a whole number, if it is one (`True` is 1, 2.0 is none).
    #[must_use]
    pub fn integer(&self) -> Option<i64> {
        match self {
            Self::Bool(b) => Some(i64::from(*b)),
            Self::Int(i) => Some(*i),
            _ => None,
        }
    }

    /// Whether the value counts as true: all but `None`, `False`, 0, and what is empty.
    #[must_use]
    pub fn truth(&self) -> bool {
        match self {
            Self::None => false,
            Self::Bool(b) => *b,
            Self::Int(i) => *i != 0,
            Self::Real(x) => *x != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Dict(entries) => !entries.is_empty(),
        }
    }

    /// What kind of value it is, in words.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a truth value",
            Self::Int(_) => "a whole number",
            Self::Real(_) => "a real number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Dict(_) => "a mapping",
        }
    }

    /// The order of two numbers, two words or two lists; none for anything else.
    fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            (Self::List(a), Self::List(b)) => {
                for (x, y) in a.iter().zip(b.iter()) {
                    if x != y {
                        return x.order(y);
                    }
                }
                Some(a.len().cmp(&b.len()))
            }
            (Self::Real(_), _) | (_, Self::Real(_)) => real_order(self, other),
            _ => Some(self.integer()?.cmp(&other.integer()?)),
        }
    }

    /// Whether `self` stands in `container`: a list, the keys of a mapping, or a longer text.
    pub(super) fn is_in(&self, container: &Self) -> Result<bool, String> {
        match (self, container) {
            (_, Self::List(items)) => Ok(items.contains(self)),
            (Self::Text(key), Self::Dict(entries)) => Ok(entries.iter().any(|(k, _)| k == key)),
            (_, Self::Dict(_)) => Ok(false),
            (Self::Text(part), Self::Text(whole)) => Ok(whole.contains(&**part)),
            _ => Err(format!("`in` needs a list on its right, not {}", container.kind())),
        }
    }

    /// `self` compared with `other`.
    pub(super) fn compare(&self, with: Comparison, other: &Self) -> Result<bool, String> {
        let ordered = |wanted: &[Ordering]| match self.order(other) {
            Some(order) => Ok(wanted.contains(&order)),
            None => Err(format!("{} has no order with {}", self.kind(), other.kind())),
        };
        match with {
            Comparison::Equal => Ok(self == other),
            Comparison::NotEqual => Ok(self != other),
            Comparison::Less => ordered(&[Ordering::Less]),
            Comparison::LessEqual => ordered(&[Ordering::Less, Ordering::Equal]),
            Comparison::Greater => ordered(&[Ordering::Greater]),
            Comparison::GreaterEqual => ordered(&[Ordering::Greater, Ordering::Equal]),
            Comparison::In => self.is_in(other),
            Comparison::NotIn => self.is_in(other).map(|found| !found),
        }
    }

    /// `self` at `index`: an item of a list (negative from its end), or a key of a mapping.
    pub(super) fn at(&self, index: &Self) -> Result<Self, String> {
        match (self, index) {
            (Self::List(items), _) => {
                let i = list_index(index, items.len())?;
                Ok(items[i].clone())
            }
            (Self::Dict(entries), Self::Text(key)) => entries
                .iter()
                .find(|(k, _)| k == key)
                .map(|(_, value)| value.clone())
                .ok_or_else(|| no_key(key, entries.iter().map(|(k, _)| &**k))),
            (Self::Dict(_), _) => Err(format!("a key must be text, not {}", index.kind())),
            _ => Err(format!("{} cannot be indexed", self.kind())),
        }
    }

    /// `self` and `other` joined by an operator.
    pub(super) fn arithmetic(&self, with: Arithmetic, other: &Self) -> Result<Self, String> {
        if let (Some(a), Some(b)) = (self.integer(), other.integer()) {
            return integers(a, with, b);
        }
        match (self.number(), other.number()) {
            (Some(a), Some(b)) => reals(a, with, b),
            _ => Err(format!(
                "`{}` joins {} and {}; it takes numbers",
                with.symbol(),
                self.kind(),
                other.kind()
            )),
        }
    }
}

/// Numbers of which one is real; a whole number too large for a real is compared exactly.
fn real_order(a: &Value, b: &Value) -> Option<Ordering> {
    let exact = |whole: i64, real: f64| {
        let floor = libm::floor(real);
        if floor >= 9.3e18 {
            return Ordering::Less;
        }
        if floor < -9.3e18 {
            return Ordering::Greater;
        }
        // i128 holds every floor that is left.
        i128::from(whole).cmp(&(floor as i128)).then(if real > floor {
            Ordering::Less
        } else {
            Ordering::Equal
        })
    };
    match (a, b) {
        (Value::Real(x), Value::Real(y)) => x.partial_cmp(y),
        (Value::Real(x), _) => Some(exact(b.integer()?, *x).reverse()),
        _ => Some(exact(a.integer()?, b.number()?)),
    }
}

/// A whole index into a list of `len`, from its end when negative.
pub(super) fn list_index(index: &Value, len: usize) -> Result<usize, String> {
    let Some(i) = index.integer() else {
        return Err(format!("an index must be a whole number, not {}", index.kind()));
    };
    let from_start = if i < 0 { i.checked_add_unsigned(len as u64) } else { Some(i) };
    from_start
        .and_then(|i| usize::try_from(i).ok())
        .filter(|i| *i < len)
        .ok_or_else(|| format!("index {i} is outside a list of {len}"))
}

/// The message for a key that a mapping lacks.
pub(super) fn no_key<'a>(key: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let hint = crate::naming::did_you_mean(key, known.clone());
    let known: Vec<&str> = known.into_iter().take(20).collect();
    format!("no key `{key}`{hint}; known: {}", known.join(", "))
}

fn integers(a: i64, with: Arithmetic, b: i64) -> Result<Value, String> {
    let whole = match with {
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Subtract => a.checked_sub(b),
        Arithmetic::Multiply => a.checked_mul(b),
        Arithmetic::Divide => return reals(a as f64, with, b as f64),
        Arithmetic::FloorDivide | Arithmetic::Remainder if b == 0 => {
            return Err("division by zero".to_owned());
        }
        Arithmetic::FloorDivide => a.checked_div_euclid(b).and_then(|q| floor_fix(a, b, q)),
        Arithmetic::Remainder => {
            let r = a.checked_rem(b).unwrap_or(0);
            Some(if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
        }
        Arithmetic::Power if b < 0 => return reals(a as f64, with, b as f64),
        Arithmetic::Power => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
    };
    whole.map(Value::Int).ok_or_else(|| format!("{a} {} {b} is too large", with.symbol()))
}

/// Euclid's quotient to the floor: they differ for a negative divisor with a remainder.
fn floor_fix(a: i64, b: i64, euclid: i64) -> Option<i64> {
    if b < 0 && a.checked_rem_euclid(b)? != 0 { euclid.checked_sub(1) } else { Some(euclid) }
}

fn reals(a: f64, with: Arithmetic, b: f64) -> Result<Value, String> {
    let divides =
        matches!(with, Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Remainder);
    if b == 0.0 && divides {
        return Err("division by zero".to_owned());
    }
    finite(match with {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide => a / b,
        Arithmetic::FloorDivide => libm::floor((a - python_remainder(a, b)) / b + 0.5),
        Arithmetic::Remainder => python_remainder(a, b),
        Arithmetic::Power => libm::pow(a, b),
    })
}

/// The remainder with the divisor's sign.
fn python_remainder(a: f64, b: f64) -> f64 {
    let r = libm::fmod(a, b);
    if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
}

/// A real value, unless it is infinite or no number.
pub(super) fn finite(x: f64) -> Result<Value, String> {
    if x.is_finite() {
        Ok(Value::Real(x))
    } else {
        Err("the result is not a finite number".to_owned())
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(i) => write!(f, "{i}"),
            Self::Real(x) => write!(f, "{x:?}"),
            Self::Text(text) => f.write_str(text),
            Self::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Dict(entries) => {
                f.write_str("{")?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}

impl serde::Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => to.serialize_unit(),
            Self::Bool(b) => to.serialize_bool(*b),
            Self::Int(i) => to.serialize_i64(*i),
            Self::Real(x) => to.serialize_f64(*x),
            Self::Text(text) => to.serialize_str(text),
            Self::List(items) => to.collect_seq(items.iter()),
            Self::Dict(entries) => to.collect_map(entries.iter().map(|(k, v)| (&**k, v))),
        }
    }
}
