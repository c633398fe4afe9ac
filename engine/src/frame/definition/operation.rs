//! Operations of effect lists.

use super::fields::{Fields, refuse, sequence};
use super::{Operation, OperationKind};
use crate::frame::error::FrameError;
use crate::frame::expression::Expr;
use crate::frame::yaml::Node;
use crate::naming::did_you_mean;

const OPERATIONS: [(&str, &[&str]); 6] = [
    ("set", &["op", "var", "value", "value_x"]),
    ("add", &["op", "var", "amount", "amount_x"]),
    ("emit", &["op", "event"]),
    ("if", &["op", "cond", "cond_x", "then", "else"]),
    ("sample", &["op", "model"]),
    ("roll", &["op", "die", "die_x", "bind"]),
];

/// Reads an effect list.
pub(super) fn operations(node: &Node, what: &str) -> Result<Vec<Operation>, FrameError> {
    sequence(node, what)?.iter().map(operation).collect()
}

fn operation(node: &Node) -> Result<Operation, FrameError> {
    let every: Vec<&str> = OPERATIONS.iter().flat_map(|(_, keys)| keys.iter().copied()).collect();
    let op = Fields::new(node, "an operation", &every)?.word("op")?;
    let Some((_, keys)) = OPERATIONS.iter().find(|(name, _)| *name == &*op) else {
        let known = OPERATIONS.map(|(name, _)| name);
        let hint = did_you_mean(&op, known);
        let message = format!("no operation `{op}`{hint}; known: {}", known.join(", "));
        return Err(refuse(node.at, message));
    };
    let what = format!("the operation `{op}`");
    let fields = Fields::new(node, &what, keys)?;
    let kind = match &*op {
        "set" => OperationKind::Set { target: target(&fields)?, value: fields.amount("value")? },
        "add" => OperationKind::Add { target: target(&fields)?, amount: fields.amount("amount")? },
        "emit" => OperationKind::Emit(fields.word("event")?),
        "sample" => OperationKind::Sample(fields.word("model")?),
        "roll" => {
            OperationKind::Roll { die: fields.need_formula("die_x")?, bind: fields.word("bind")? }
        }
        _ => OperationKind::If {
            condition: fields.need_formula("cond_x")?,
            then: branch(&fields, "then")?,
            otherwise: branch(&fields, "else")?,
        },
    };
    Ok(Operation { at: node.at, kind })
}

fn branch(fields: &Fields<'_>, key: &str) -> Result<Vec<Operation>, FrameError> {
    fields.get(key).map_or(Ok(Vec::new()), |node| operations(node, &format!("`{key}`")))
}

/// `var`: a variable, or one entry of it.
fn target(fields: &Fields<'_>) -> Result<super::Formula, FrameError> {
    let formula = fields.need_formula("var")?;
    let whole = match &formula.expr {
        Expr::Index(base, _) => base,
        expr => expr,
    };
    if !matches!(whole, Expr::Reference(_)) {
        let message = "`var` must be a variable such as `leave` or `left[target]`";
        return Err(refuse(formula.at, message));
    }
    Ok(formula)
}
