//! The functions that expressions may call. Their transcendental parts come from `libm`, so they
//! give the same bits everywhere.

use super::super::value::{Value, finite};
use super::Comparison;

/// A function of numbers or lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `1 / (1 + e^-x)`, exactly 1/2 at 0.
    Sigmoid,
    /// `ln(p / (1 - p))`, the inverse of the sigmoid.
    Logit,
    /// `e^x`
    Exp,
    /// Natural logarithm.
    Log,
    /// Square root.
    Sqrt,
    /// Hyperbolic tangent.
    Tanh,
    /// Absolute value.
    Abs,
    /// Rounded down to a whole number.
    Floor,
    /// Rounded up to a whole number.
    Ceil,
    /// A whole number, the fraction cut off.
    Int,
    /// A real number.
    Float,
    /// A truth value.
    Bool,
    /// The least of its arguments or of a list.
    Min,
    /// The greatest of its arguments or of a list.
    Max,
    /// The sum of a list.
    Sum,
    /// The number of items.
    Len,
    /// Whether any item is true.
    Any,
    /// Whether all items are true.
    All,
}

/// Every function by name.
pub const FUNCTIONS: [(&str, Function); 19] = [
    ("sigmoid", Function::Sigmoid),
    ("logit", Function::Logit),
    ("exp", Function::Exp),
    ("log", Function::Log),
    ("ln", Function::Log),
    ("sqrt", Function::Sqrt),
    ("tanh", Function::Tanh),
    ("abs", Function::Abs),
    ("floor", Function::Floor),
    ("ceil", Function::Ceil),
    ("int", Function::Int),
    ("float", Function::Float),
    ("bool", Function::Bool),
    ("min", Function::Min),
    ("max", Function::Max),
    ("sum", Function::Sum),
    ("len", Function::Len),
    ("any", Function::Any),
    ("all", Function::All),
];

impl Function {
    /// The function called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    /// How many arguments it takes.
    pub(super) fn takes(self, arguments: usize) -> bool {
        match self {
            Self::Min | Self::Max => arguments >= 1,
            _ => arguments == 1,
        }
    }

    pub(super) fn call(self, arguments: &[Value]) -> Result<Value, String> {
        let [first, ..] = arguments else {
            return Err("a function without arguments".to_owned());
        };
        match self {
            Self::Min => extreme(arguments, Comparison::Less),
            Self::Max => extreme(arguments, Comparison::Greater),
            Self::Bool => Ok(Value::Bool(first.truth())),
            Self::Sum => sum(first),
            Self::Any => Ok(Value::Bool(items(first)?.iter().any(Value::truth))),
            Self::All => Ok(Value::Bool(items(first)?.iter().all(Value::truth))),
            Self::Len => length(first),
            Self::Abs | Self::Floor | Self::Ceil | Self::Int if first.integer().is_some() => {
                let whole = first.integer().unwrap_or_default();
                let result = if self == Self::Abs { whole.checked_abs() } else { Some(whole) };
                result.map(Value::Int).ok_or_else(|| format!("abs({whole}) is too large"))
            }
            _ => self.of_number(first),
        }
    }

    fn of_number(self, argument: &Value) -> Result<Value, String> {
        let Some(x) = argument.number() else {
            return Err(format!("a function of numbers is given {}", argument.kind()));
        };
        match self {
            Self::Sigmoid => Ok(Value::Real(sigmoid(x))),
            Self::Logit if x <= 0.0 || x >= 1.0 => {
                Err(format!("logit({x}) does not exist; its argument lies in (0, 1)"))
            }
            Self::Logit => Ok(Value::Real(libm::log(x) - libm::log1p(-x))),
            Self::Log if x <= 0.0 => {
                Err(format!("log({x}) does not exist; its argument is above 0"))
            }
            Self::Log => Ok(Value::Real(libm::log(x))),
            Self::Sqrt if x < 0.0 => Err(format!("sqrt({x}) does not exist")),
            Self::Sqrt => Ok(Value::Real(libm::sqrt(x))),
            Self::Exp => finite(libm::exp(x)),
            Self::Tanh => Ok(Value::Real(libm::tanh(x))),
            Self::Abs => Ok(Value::Real(libm::fabs(x))),
            Self::Floor => whole(libm::floor(x)),
            Self::Ceil => whole(libm::ceil(x)),
            Self::Int => whole(libm::trunc(x)),
            _ => Ok(Value::Real(x)),
        }
    }
}

/// `1 / (1 + e^-x)`, without overflow on either side and exactly 1/2 at 0.
#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + libm::exp(-x))
    } else {
        let e = libm::exp(x);
        e / (1.0 + e)
    }
}

fn whole(x: f64) -> Result<Value, String> {
    if x.abs() < 9.2e18 { Ok(Value::Int(x as i64)) } else { Err(format!("{x} is too large")) }
}

fn items(value: &Value) -> Result<&[Value], String> {
    match value {
        Value::List(items) => Ok(items),
        _ => Err(format!("a list is needed, not {}", value.kind())),
    }
}

fn length(value: &Value) -> Result<Value, String> {
    let length = match value {
        Value::List(items) => items.len(),
        Value::Dict(entries) => entries.len(),
        Value::Text(text) => text.chars().count(),
        _ => return Err(format!("len needs a list, not {}", value.kind())),
    };
    Ok(Value::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}

fn sum(list: &Value) -> Result<Value, String> {
    let values: Vec<Value> = match list {
        Value::Dict(entries) => entries.iter().map(|(_, value)| value.clone()).collect(),
        list => items(list)?.to_vec(),
    };
    values
        .iter()
        .try_fold(Value::Int(0), |total, item| total.arithmetic(super::Arithmetic::Add, item))
}

fn extreme(arguments: &[Value], better: Comparison) -> Result<Value, String> {
    let candidates = match arguments {
        [Value::List(items)] => items,
        [_] => return Err("one argument of min or max must be a list".to_owned()),
        _ => arguments,
    };
    let (first, rest) =
        candidates.split_first().ok_or_else(|| "min or max of an empty list".to_owned())?;
    let mut best = first;
    for candidate in rest {
        if candidate.compare(better, best)? {
            best = candidate;
        }
    }
    Ok(best.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sigmoid_is_exact_in_the_middle_and_finite_at_the_ends() {
        assert_eq!(sigmoid(0.0), 0.5);
        assert_eq!(sigmoid(-0.0), 0.5);
        assert_eq!(sigmoid(800.0), 1.0);
        assert_eq!(sigmoid(-800.0), 0.0);
        assert!((sigmoid(2.0) - 0.880_797_077_977_882_4).abs() < 1e-15);
        assert!((sigmoid(1.3) + sigmoid(-1.3) - 1.0).abs() < 1e-15);
    }
}
