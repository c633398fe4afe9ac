//! Expressions: the Python-like subset of definitions. Literals, names, indexing, arithmetic,
//! chained comparisons, `in`, `and or not`, `a if c else b`, tuples, lists, mappings, and a few
//! functions of numbers.

mod evaluate;
mod function;
mod lexer;
mod parser;

pub(super) use evaluate::{Environment, evaluate};
pub use function::Function;
pub(super) use parser::parse;

use super::value::Value;
use std::sync::Arc;

/// The longest expression that is read, bytes.
pub const MAX_LENGTH: usize = 4096;
/// The deepest nesting that is read.
pub const MAX_DEPTH: usize = 64;

/// An expression over references `R`: names as read, or places in the state once resolved.
#[derive(Clone, Debug)]
pub(super) enum Expr<R> {
    Literal(Value),
    Reference(R),
    Index(Box<Expr<R>>, Box<Expr<R>>),
    Negate(Box<Expr<R>>),
    Plus(Box<Expr<R>>),
    Not(Box<Expr<R>>),
    Binary(Box<Expr<R>>, Arithmetic, Box<Expr<R>>),
    Compare(Box<Expr<R>>, Vec<(Comparison, Expr<R>)>),
    And(Vec<Expr<R>>),
    Or(Vec<Expr<R>>),
    If { condition: Box<Expr<R>>, then: Box<Expr<R>>, otherwise: Box<Expr<R>> },
    List(Vec<Expr<R>>),
    Dict(Vec<(Arc<str>, Expr<R>)>),
    Call(Function, Vec<Expr<R>>),
}

/// A name as read, and the characters before it.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: Arc<str>,
    pub offset: usize,
}

/// An operator that joins two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, always a real number
    Divide,
    /// `//`, rounded down
    FloorDivide,
    /// `%`, with the divisor's sign
    Remainder,
    /// `**`
    Power,
}

impl Arithmetic {
    /// How it is written.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::FloorDivide => "//",
            Self::Remainder => "%",
            Self::Power => "**",
        }
    }
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `in`
    In,
    /// `not in`
    NotIn,
}

/// Why an expression does not parse: where in it, in characters, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub offset: usize,
    pub message: String,
}

impl Fault {
    fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, message: message.into() }
    }
}

impl<R> Expr<R> {
    /// Calls `visit` with every reference, each with the index expression applied to it, if any.
    pub fn references<'a>(&'a self, visit: &mut impl FnMut(&'a R, Option<&'a Self>)) {
        match self {
            Self::Literal(_) => {}
            Self::Reference(reference) => visit(reference, None),
            Self::Index(base, index) => {
                match &**base {
                    Self::Reference(reference) => visit(reference, Some(index)),
                    base => base.references(visit),
                }
                index.references(visit);
            }
            Self::Negate(a) | Self::Plus(a) | Self::Not(a) => a.references(visit),
            Self::Binary(a, _, b) => {
                a.references(visit);
                b.references(visit);
            }
            Self::Compare(first, rest) => {
                first.references(visit);
                rest.iter().for_each(|(_, e)| e.references(visit));
            }
            Self::And(items) | Self::Or(items) | Self::List(items) | Self::Call(_, items) => {
                items.iter().for_each(|e| e.references(visit));
            }
            Self::Dict(entries) => entries.iter().for_each(|(_, e)| e.references(visit)),
            Self::If { condition, then, otherwise } => {
                condition.references(visit);
                then.references(visit);
                otherwise.references(visit);
            }
        }
    }

    /// The same expression with every reference replaced.
    pub fn resolve<S, E>(
        &self,
        to: &mut impl FnMut(&R) -> Result<Expr<S>, E>,
    ) -> Result<Expr<S>, E> {
        macro_rules! boxed {
            ($e:expr) => {
                Box::new($e.resolve(to)?)
            };
        }
        macro_rules! each {
            ($items:expr) => {
                $items.iter().map(|e| e.resolve(to)).collect::<Result<Vec<_>, E>>()?
            };
        }
        Ok(match self {
            Self::Literal(value) => Expr::Literal(value.clone()),
            Self::Reference(reference) => to(reference)?,
            Self::Index(a, b) => Expr::Index(boxed!(a), boxed!(b)),
            Self::Negate(a) => Expr::Negate(boxed!(a)),
            Self::Plus(a) => Expr::Plus(boxed!(a)),
            Self::Not(a) => Expr::Not(boxed!(a)),
            Self::Binary(a, with, b) => Expr::Binary(boxed!(a), *with, boxed!(b)),
            Self::Compare(first, rest) => {
                let first = boxed!(first);
                let mut resolved = Vec::with_capacity(rest.len());
                for (with, e) in rest {
                    resolved.push((*with, e.resolve(to)?));
                }
                Expr::Compare(first, resolved)
            }
            Self::And(items) => Expr::And(each!(items)),
            Self::Or(items) => Expr::Or(each!(items)),
            Self::List(items) => Expr::List(each!(items)),
            Self::Call(function, items) => Expr::Call(*function, each!(items)),
            Self::Dict(entries) => {
                let mut resolved = Vec::with_capacity(entries.len());
                for (key, e) in entries {
                    resolved.push((key.clone(), e.resolve(to)?));
                }
                Expr::Dict(resolved)
            }
            Self::If { condition, then, otherwise } => Expr::If {
                condition: boxed!(condition),
                then: boxed!(then),
                otherwise: boxed!(otherwise),
            },
        })
    }
}

#[cfg(test)]
mod tests;
