//! Reading the fields of YAML nodes, with errors that name the place and the remedy.

use super::{Amount, Formula, Places};
use crate::frame::error::{At, FrameError};
use crate::frame::expression;
use crate::frame::value::Value;
use crate::frame::yaml::{Body, Key, Node, Scalar, Style};
use crate::naming::did_you_mean;
use std::sync::Arc;

/// Keys that document and may stand in any mapping.
const DOCUMENTATION: [&str; 16] = [
    "label",
    "note",
    "notes",
    "doc",
    "text",
    "source",
    "summary",
    "comment",
    "comments",
    "title",
    "description",
    "author",
    "url",
    "license",
    "prompt",
    "tags",
];

pub(super) fn refuse(at: At, message: impl Into<String>) -> FrameError {
    FrameError::Definition { at, message: message.into() }
}

/// The fields of one mapping.
pub(super) struct Fields<'a> {
    pub at: At,
    what: &'a str,
    entries: &'a [(Key, Node)],
}

impl<'a> Fields<'a> {
    /// The fields of `node`, which is `what` and has no other keys than `known`.
    pub fn new(node: &'a Node, what: &'a str, known: &[&str]) -> Result<Self, FrameError> {
        let entries = mapping(node, what)?;
        for (key, _) in entries {
            let name = key.text.as_str();
            if known.contains(&name) || DOCUMENTATION.contains(&name) {
                continue;
            }
            let hint = did_you_mean(name, known.iter().copied());
            let message = format!("{what} has no key `{name}`{hint}; known: {}", known.join(", "));
            return Err(refuse(key.at, message));
        }
        Ok(Self { at: node.at, what, entries })
    }

    pub fn get(&self, key: &str) -> Option<&'a Node> {
        self.entries.iter().find(|(k, _)| k.text == key).map(|(_, node)| node)
    }

    pub fn need(&self, key: &str) -> Result<&'a Node, FrameError> {
        self.get(key).ok_or_else(|| refuse(self.at, format!("{} needs a key `{key}`", self.what)))
    }

    /// The text of `key`.
    pub fn word(&self, key: &str) -> Result<Arc<str>, FrameError> {
        word(self.need(key)?, key)
    }

    /// The text of `key`, or nothing.
    pub fn words(&self, key: &str) -> Result<Option<Arc<str>>, FrameError> {
        self.get(key).map(|node| word(node, key)).transpose()
    }

    /// The expression of `key`, or nothing.
    pub fn formula(&self, key: &str) -> Result<Option<Formula>, FrameError> {
        self.get(key).map(|node| formula(node, key)).transpose()
    }

    pub fn need_formula(&self, key: &str) -> Result<Formula, FrameError> {
        formula(self.need(key)?, key)
    }

    /// `key` written out, or `key_x` to compute; exactly one of them.
    pub fn amount(&self, key: &str) -> Result<Amount, FrameError> {
        let computed = format!("{key}_x");
        match (self.get(key), self.get(&computed)) {
            (Some(_), Some(node)) => {
                let message = format!("both `{key}` and `{computed}`; keep one");
                Err(refuse(node.at, message))
            }
            (None, Some(node)) => Ok(Amount::Formula(formula(node, &computed)?)),
            (Some(node), None) => Ok(Amount::Value(value(node)?)),
            (None, None) => {
                let message = format!("{} needs a key `{key}` or `{computed}`", self.what);
                Err(refuse(self.at, message))
            }
        }
    }
}

pub(super) fn mapping<'a>(node: &'a Node, what: &str) -> Result<&'a [(Key, Node)], FrameError> {
    match &node.body {
        Body::Mapping(entries) => Ok(entries),
        _ => Err(refuse(node.at, format!("{what} must be a mapping of keys to values"))),
    }
}

pub(super) fn sequence<'a>(node: &'a Node, what: &str) -> Result<&'a [Node], FrameError> {
    match &node.body {
        Body::Sequence(items) => Ok(items),
        _ => Err(refuse(node.at, format!("{what} must be a list"))),
    }
}

fn scalar<'a>(node: &'a Node, what: &str) -> Result<&'a Scalar, FrameError> {
    match &node.body {
        Body::Scalar(scalar) => Ok(scalar),
        _ => Err(refuse(node.at, format!("`{what}` must be one value, not a list or mapping"))),
    }
}

/// A word, as for ids; never empty.
pub(super) fn word(node: &Node, what: &str) -> Result<Arc<str>, FrameError> {
    let scalar = scalar(node, what)?;
    if scalar.text.is_empty() {
        return Err(refuse(node.at, format!("`{what}` is empty; give it a name")));
    }
    Ok(Arc::from(scalar.text.as_str()))
}

/// Text, which may be empty.
pub(super) fn text(node: &Node, what: &str) -> Result<String, FrameError> {
    Ok(scalar(node, what)?.text.trim_end().to_owned())
}

/// A name that expressions can use.
pub(super) fn name(key: &Key) -> Result<Arc<str>, FrameError> {
    let mut chars = key.text.chars();
    let first = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    if !first || !chars.all(|c| c.is_alphanumeric() || c == '_') || key.text.len() > 64 {
        let message = format!(
            "`{}` cannot be a name; use letters, digits and `_`, at most 64",
            key.text.chars().take(80).collect::<String>()
        );
        return Err(refuse(key.at, message));
    }
    Ok(Arc::from(key.text.as_str()))
}

pub(super) fn formula(node: &Node, what: &str) -> Result<Formula, FrameError> {
    let scalar = scalar(node, what)?;
    let at = At { column: node.at.column + usize::from(scalar.style == Style::Quoted), ..node.at };
    let straight = scalar.style != Style::Block
        && scalar.bytes.len()
            == scalar.text.len() + if scalar.style == Style::Quoted { 2 } else { 0 };
    match expression::parse(&scalar.text) {
        Ok(expr) => Ok(Formula { expr, at, straight }),
        Err(fault) => {
            let column = if straight { at.column + fault.offset } else { at.column };
            let message = format!("in `{what}`: {}", fault.message);
            Err(FrameError::Expression { at: At { column, ..at }, message })
        }
    }
}

/// A value written out.
pub(super) fn value(node: &Node) -> Result<Value, FrameError> {
    match &node.body {
        Body::Scalar(scalar) if scalar.style == Style::Plain => plain(&scalar.text, node.at),
        Body::Scalar(scalar) => Ok(Value::text(&scalar.text)),
        Body::Sequence(items) => {
            Ok(Value::List(items.iter().map(value).collect::<Result<Vec<_>, _>>()?.into()))
        }
        Body::Mapping(entries) => {
            let mut values = Vec::with_capacity(entries.len());
            for (key, node) in entries {
                values.push((Arc::from(key.text.as_str()), value(node)?));
            }
            Ok(Value::Dict(values.into()))
        }
    }
}

/// A plain scalar by YAML 1.2's core schema: truth values, numbers, else a word.
fn plain(text: &str, at: At) -> Result<Value, FrameError> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::None),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    if let Some(whole) = based(text, at)? {
        return Ok(Value::Int(whole));
    }
    let lower = text.to_ascii_lowercase();
    let infinite = matches!(lower.trim_start_matches(['+', '-']), ".inf" | ".nan");
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && text.contains(|c: char| c.is_ascii_digit());
    if numeric && let Ok(whole) = text.parse::<i64>() {
        return Ok(Value::Int(whole));
    }
    match text.parse::<f64>() {
        Ok(real) if numeric && real.is_finite() => Ok(Value::Real(real)),
        Ok(_) if numeric => Err(refuse(at, format!("`{text}` is too large a number"))),
        _ if infinite => Err(refuse(at, format!("`{text}` is not a finite number"))),
        _ => Ok(Value::text(text)),
    }
}

/// A whole number in base 8 or 16, as in `0o10` and `0x1F`; none if `text` is no such number.
fn based(text: &str, at: At) -> Result<Option<i64>, FrameError> {
    let unsigned = text.trim_start_matches(['+', '-']);
    let (digits, base) = match (unsigned.strip_prefix("0o"), unsigned.strip_prefix("0x")) {
        (Some(digits), _) => (digits, 8),
        (_, Some(digits)) => (digits, 16),
        _ => return Ok(None),
    };
    let number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(base));
    if !number || unsigned != text {
        // A word would pass for a number that a reader sees.
        let remedy = "write it in base 10, or in quotes if it is a word";
        return Err(refuse(at, format!("`{text}` is no number of base {base}; {remedy}")));
    }
    let whole = i64::from_str_radix(digits, base);
    whole.map(Some).map_err(|_| refuse(at, format!("`{text}` is too large a number")))
}

/// Where the single values of `node` stand in the text.
pub(super) fn places(node: &Node) -> Places {
    fn visit(node: &Node, path: &mut Vec<Arc<str>>, places: &mut Places) {
        match &node.body {
            Body::Scalar(scalar) => places.push((path.clone(), scalar.bytes.clone())),
            Body::Sequence(items) => {
                for (i, item) in items.iter().enumerate() {
                    path.push(i.to_string().into());
                    visit(item, path, places);
                    path.pop();
                }
            }
            Body::Mapping(entries) => {
                for (key, item) in entries {
                    path.push(key.text.as_str().into());
                    visit(item, path, places);
                    path.pop();
                }
            }
        }
    }
    let mut places = Vec::new();
    visit(node, &mut Vec::new(), &mut places);
    places
}
