//! A tree and an environment to a value.

use super::super::value::{Value, finite};
use super::Expr;

/// What the references of an expression stand for.
pub(in crate::frame) trait Environment<R> {
    /// The value of a reference.
    fn get(&self, reference: &R) -> Result<Value, String>;

    /// The value of a reference at an index; the default reads all of it first.
    fn get_at(&self, reference: &R, index: &Value) -> Result<Value, String> {
        self.get(reference)?.at(index)
    }

    /// Called once for every node; an error ends the evaluation.
    fn step(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The value of `expr`.
pub(in crate::frame) fn evaluate<R>(
    expr: &Expr<R>,
    env: &impl Environment<R>,
) -> Result<Value, String> {
    env.step()?;
    match expr {
        Expr::Literal(value) => Ok(value.clone()),
        Expr::Reference(reference) => env.get(reference),
        Expr::Index(base, index) => {
            let index = evaluate(index, env)?;
            match &**base {
                Expr::Reference(reference) => env.get_at(reference, &index),
                Expr::Literal(value) => value.at(&index),
                base => evaluate(base, env)?.at(&index),
            }
        }
        Expr::Binary(a, with, b) => evaluate(a, env)?.arithmetic(*with, &evaluate(b, env)?),
        Expr::Compare(first, rest) => chain(first, rest, env),
        Expr::Not(inner) => Ok(Value::Bool(!evaluate(inner, env)?.truth())),
        Expr::And(parts) => until(parts, false, env),
        Expr::Or(parts) => until(parts, true, env),
        Expr::If { condition, then, otherwise } => {
            if evaluate(condition, env)?.truth() {
                evaluate(then, env)
            } else {
                evaluate(otherwise, env)
            }
        }
        Expr::Negate(inner) => negate(&evaluate(inner, env)?),
        Expr::Plus(inner) => match evaluate(inner, env)? {
            Value::Bool(b) => Ok(Value::Int(i64::from(b))),
            value @ (Value::Int(_) | Value::Real(_)) => Ok(value),
            value => Err(format!("`+` needs a number, not {}", value.kind())),
        },
        Expr::List(items) => Ok(Value::List(all(items, env)?.into())),
        Expr::Call(function, items) => function.call(&all(items, env)?),
        Expr::Dict(entries) => {
            let mut values = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                values.push((key.clone(), evaluate(value, env)?));
            }
            Ok(Value::Dict(values.into()))
        }
    }
}

/// Nothing: an expression without references needs no environment.
struct Empty;

impl<R> Environment<R> for Empty {
    fn get(&self, _: &R) -> Result<Value, String> {
        Err("a reference without a value".to_owned())
    }
}

impl<R> Expr<R> {
    /// The same expression with every part that depends on nothing computed. A part that fails is
    /// kept: whether it is ever read is not known here.
    pub fn folded(self) -> Self {
        let folded = match self {
            Self::Index(a, b) => Self::Index(fold(*a), fold(*b)),
            Self::Negate(a) => Self::Negate(fold(*a)),
            Self::Plus(a) => Self::Plus(fold(*a)),
            Self::Not(a) => Self::Not(fold(*a)),
            Self::Binary(a, with, b) => Self::Binary(fold(*a), with, fold(*b)),
            Self::And(items) => Self::And(each(items)),
            Self::Or(items) => Self::Or(each(items)),
            Self::List(items) => Self::List(each(items)),
            Self::Call(function, items) => Self::Call(function, each(items)),
            Self::Compare(first, rest) => {
                let rest = rest.into_iter().map(|(with, e)| (with, e.folded()));
                Self::Compare(fold(*first), rest.collect())
            }
            Self::Dict(entries) => {
                Self::Dict(entries.into_iter().map(|(key, e)| (key, e.folded())).collect())
            }
            Self::If { condition, then, otherwise } => Self::If {
                condition: fold(*condition),
                then: fold(*then),
                otherwise: fold(*otherwise),
            },
            same => same,
        };
        let mut references = false;
        folded.references(&mut |_, _| references = true);
        if references {
            return folded;
        }
        evaluate(&folded, &Empty).map_or(folded, Self::Literal)
    }
}

fn fold<R>(expr: Expr<R>) -> Box<Expr<R>> {
    Box::new(expr.folded())
}

fn each<R>(items: Vec<Expr<R>>) -> Vec<Expr<R>> {
    items.into_iter().map(Expr::folded).collect()
}

fn all<R>(items: &[Expr<R>], env: &impl Environment<R>) -> Result<Vec<Value>, String> {
    items.iter().map(|item| evaluate(item, env)).collect()
}

/// `a < b < c`: every comparison until one fails, each part read once.
fn chain<R>(
    first: &Expr<R>,
    rest: &[(super::Comparison, Expr<R>)],
    env: &impl Environment<R>,
) -> Result<Value, String> {
    let mut left = evaluate(first, env)?;
    for (with, right) in rest {
        let right = evaluate(right, env)?;
        if !left.compare(*with, &right)? {
            return Ok(Value::Bool(false));
        }
        left = right;
    }
    Ok(Value::Bool(true))
}

/// `and`, `or`: the first part whose truth is `stop`, or the last.
fn until<R>(parts: &[Expr<R>], stop: bool, env: &impl Environment<R>) -> Result<Value, String> {
    let mut value = Value::None;
    for part in parts {
        value = evaluate(part, env)?;
        if value.truth() == stop {
            break;
        }
    }
    Ok(value)
}

fn negate(value: &Value) -> Result<Value, String> {
    match value {
        Value::Real(x) => finite(-x),
        value => match value.integer() {
            Some(whole) => {
                whole.checked_neg().map(Value::Int).ok_or_else(|| format!("-{whole} is too large"))
            }
            None => Err(format!("`-` needs a number, not {}", value.kind())),
        },
    }
}
