//! The flow: sequences, loops and steps.

use super::fields::{Fields, refuse, sequence, word};
use super::{FlowKind, FlowNode};
use crate::frame::error::FrameError;
use crate::frame::yaml::{Body, Node};
use crate::naming::did_you_mean;
use std::sync::Arc;

const KINDS: [(&str, &[&str]); 3] = [
    ("sequence", &["id", "kind", "children"]),
    ("loop", &["id", "kind", "children", "until", "until_x"]),
    ("step", &["id", "kind", "actor", "actor_x", "do"]),
];

/// Reads a node of the flow; what a text says without an expression goes to `not_modelled`.
pub(super) fn flow(node: &Node, not_modelled: &mut Vec<String>) -> Result<FlowNode, FrameError> {
    let every: Vec<&str> = KINDS.iter().flat_map(|(_, keys)| keys.iter().copied()).collect();
    let kind = Fields::new(node, "a node of the flow", &every)?.word("kind")?;
    let Some((_, keys)) = KINDS.iter().find(|(name, _)| *name == &*kind) else {
        let known = KINDS.map(|(name, _)| name);
        let hint = did_you_mean(&kind, known);
        let message = format!("no kind of flow `{kind}`{hint}; known: {}", known.join(", "));
        return Err(refuse(node.at, message));
    };
    let what = format!("a {kind} of the flow");
    let fields = Fields::new(node, &what, keys)?;
    let id = fields.words("id")?.map_or_else(|| kind.to_string(), |id| id.to_string());
    let kind = match &*kind {
        "sequence" => FlowKind::Sequence(children(&fields, not_modelled)?),
        "loop" => {
            let until = fields.formula("until_x")?;
            if until.is_none()
                && let Some(text) = fields.words("until")?
            {
                not_modelled.push(format!(
                    "loop {id}: until \"{text}\" has no expression: it runs until an end condition"
                ));
            }
            FlowKind::Loop { until, children: children(&fields, not_modelled)? }
        }
        _ => step(&fields, &id, not_modelled)?,
    };
    Ok(FlowNode { id, at: node.at, kind })
}

fn children(
    fields: &Fields<'_>,
    not_modelled: &mut Vec<String>,
) -> Result<Vec<FlowNode>, FrameError> {
    let node = fields.need("children")?;
    let children: Vec<_> = sequence(node, "`children`")?
        .iter()
        .map(|child| flow(child, not_modelled))
        .collect::<Result<_, _>>()?;
    if children.is_empty() {
        return Err(refuse(node.at, "`children` is empty; give it a step"));
    }
    Ok(children)
}

fn step(
    fields: &Fields<'_>,
    id: &str,
    not_modelled: &mut Vec<String>,
) -> Result<FlowKind, FrameError> {
    let node = fields.need("do")?;
    let actions: Vec<Arc<str>> = match &node.body {
        Body::Sequence(items) => {
            items.iter().map(|item| word(item, "do")).collect::<Result<_, _>>()?
        }
        _ => vec![word(node, "do")?],
    };
    let actor = fields.formula("actor_x")?;
    if actions.is_empty() {
        return Err(refuse(node.at, "`do` is empty; name an action"));
    }
    if actions.iter().enumerate().any(|(i, name)| actions[..i].contains(name)) {
        return Err(refuse(node.at, "`do` names an action twice; name it once"));
    }
    if actions.len() > 1 && actor.is_none() {
        let message = "a step with several actions needs an `actor_x`, the seat that chooses";
        return Err(refuse(fields.at, message));
    }
    let role = fields.words("actor")?;
    if let (None, Some(role)) = (&actor, &role) {
        not_modelled.push(format!(
            "step {id}: actor \"{role}\" has no expression `actor_x`: nobody acts in it"
        ));
    }
    Ok(FlowKind::Step { actor, actions, role })
}
