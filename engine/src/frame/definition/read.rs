//! A YAML tree to a definition.

use super::fields::{Fields, formula, mapping, name, places, refuse, sequence, text, value, word};
use super::operation::operations;
use super::question::questions;
use super::{
    Action, AgentText, Constant, Definition, Derived, End, EndResult, Init, Kind, Model, Outcome,
    Placed, SEATS, Trigger, Variable, Warning,
};
use crate::frame::error::{At, FrameError};
use crate::frame::value::Value;
use crate::frame::yaml::{Body, Key, Node};
use crate::naming::did_you_mean;
use std::sync::Arc;

const TOP: [&str; 17] = [
    "game",
    "label",
    "players",
    "mode",
    "num_players",
    "demonstrates",
    "summary",
    "scope",
    "constants",
    "state",
    "flow",
    "actions",
    "outcomes",
    "agents",
    "triggers",
    "open_questions",
    "end",
];

pub(super) fn definition(root: &Node) -> Result<Definition, FrameError> {
    let top = Fields::new(root, "a definition", &TOP)?;
    if let Some(node) = top.get("num_players")
        && value(node)?.integer() != Some(SEATS as i64)
    {
        return Err(refuse(node.at, format!("a frame has {SEATS} players; write {SEATS}")));
    }
    let (mut not_modelled, mut warnings) = (Vec::new(), Vec::new());
    players(&top, &mut warnings)?;
    let state =
        Fields::new(top.need("state")?, "`state`", &["entity_types", "zones", "vars", "derived"])?;
    let things = named(state.get("entity_types"), "`entity_types`")?;
    not_modelled.extend(things.iter().map(|(thing, _)| {
        format!("entity type {thing}: a frame has no things, only the values of `vars`")
    }));
    let zones = named(state.get("zones"), "`zones`")?;
    not_modelled.extend(zones.iter().map(|(zone, _)| {
        format!("zone {zone}: nothing lies anywhere, and every agent sees the whole state")
    }));
    let definition = Definition {
        name: top.words("game")?.map_or_else(String::new, |name| name.to_string()),
        label: top.get("label").map_or(Ok(String::new()), |node| text(node, "label"))?,
        summary: top.get("summary").map_or(Ok(String::new()), |node| text(node, "summary"))?,
        scope: top.get("scope").map_or(Ok(String::new()), |node| text(node, "scope"))?,
        zones: zones.into_iter().map(|(zone, _)| zone).collect(),
        constants: each(top.get("constants"), "`constants`", constant)?,
        variables: each(Some(state.need("vars")?), "`vars`", variable)?,
        derived: each(state.get("derived"), "`derived`", derived)?,
        flow: super::flow::flow(top.need("flow")?, &mut not_modelled)?,
        actions: each(Some(top.need("actions")?), "`actions`", action)?,
        models: each(top.get("outcomes"), "`outcomes`", model)?,
        agents: agents(top.get("agents"), &mut not_modelled)?,
        triggers: triggers(top.get("triggers"), &mut not_modelled)?,
        ends: ends(top.need("end")?, &mut not_modelled)?,
        questions: questions(top.get("open_questions"))?,
        not_modelled,
        warnings,
    };
    definition.check_questions()?;
    Ok(definition)
}

/// Number words that `players` may use.
const NUMBERS: [&str; 11] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// Refuses a game for others than two competing seats.
fn players(top: &Fields<'_>, warnings: &mut Vec<Warning>) -> Result<(), FrameError> {
    if let Some(node) = top.get("mode") {
        let mode = word(node, "mode")?;
        if &*mode != "competitive" {
            let message =
                format!("`mode: {mode}`: a frame has two competing seats; write competitive");
            return Err(refuse(node.at, message));
        }
    }
    let Some(node) = top.get("players") else { return Ok(()) };
    let said = word(node, "players")?.to_lowercase();
    let number = |part: &str| {
        let known = NUMBERS.iter().position(|word| *word == part);
        part.parse().ok().or(known)
    };
    let numbers: Vec<usize> =
        said.split(|c: char| !c.is_alphanumeric()).filter_map(number).collect();
    match numbers[..] {
        [] => {
            let message = format!("`players: {said}` tells no number; a frame has {SEATS}");
            warnings.push((node.at, message));
            Ok(())
        }
        _ if numbers.iter().all(|number| *number == SEATS) => Ok(()),
        _ => {
            let message = format!("`players: {said}`: a frame has {SEATS} players; write {SEATS}");
            Err(refuse(node.at, message))
        }
    }
}

/// The names of a mapping's entries, or of a list.
fn named(node: Option<&Node>, what: &str) -> Result<Vec<Placed>, FrameError> {
    match node.map(|node| &node.body) {
        None => Ok(Vec::new()),
        Some(Body::Sequence(items)) => {
            items.iter().map(|item| Ok((word(item, what)?, item.at))).collect()
        }
        Some(Body::Scalar(_)) => {
            node.map(|node| Ok((word(node, what)?, node.at))).into_iter().collect()
        }
        Some(Body::Mapping(_)) => {
            each(node, what, |key, _| Ok((Arc::from(key.text.as_str()), key.at)))
        }
    }
}

/// Reads every entry of a mapping from names; an absent mapping is empty.
fn each<T>(
    node: Option<&Node>,
    what: &str,
    read: fn(&Key, &Node) -> Result<T, FrameError>,
) -> Result<Vec<T>, FrameError> {
    let Some(node) = node else { return Ok(Vec::new()) };
    mapping(node, what)?.iter().map(|(key, node)| read(key, node)).collect()
}

fn constant(key: &Key, node: &Node) -> Result<Constant, FrameError> {
    Ok(Constant { name: name(key)?, value: value(node)?, places: places(node) })
}

fn variable(key: &Key, node: &Node) -> Result<Variable, FrameError> {
    let fields = Fields::new(node, "a variable", &["scope", "type", "init", "init_x"])?;
    let per_seat = match fields.words("scope")?.as_deref() {
        None | Some("global") => false,
        Some("player") => true,
        Some(other) => {
            let message = format!("no scope `{other}`; known: global, player");
            return Err(refuse(fields.need("scope")?.at, message));
        }
    };
    let type_node = fields.need("type")?;
    let kind = kind(&word(type_node, "type")?, type_node.at)?;
    if per_seat && kind == Kind::Dict {
        return Err(refuse(type_node.at, "a dict cannot have scope player; use one dict a seat"));
    }
    let init = match (fields.get("init"), fields.formula("init_x")?) {
        (Some(node), Some(_)) => {
            return Err(refuse(node.at, "both `init` and `init_x`; keep one"));
        }
        (None, Some(formula)) => Init::Formula(formula),
        (Some(node), None) => Init::Value(value(node)?),
        (None, None) if matches!(kind, Kind::Enum(_)) => Init::Value(Value::text("none")),
        (None, None) => return Err(refuse(node.at, "a variable needs a key `init` or `init_x`")),
    };
    let places = fields.get("init").map(places).unwrap_or_default();
    let (name, at) = (name(key)?, node.at);
    Ok(Variable { name, at, per_seat, kind, init, entries: Vec::new(), places })
}

/// `bool`, `int`, `real`, `ref`, `dict`, `enum[a, b]`, `3..7`.
fn kind(text: &str, at: At) -> Result<Kind, FrameError> {
    let text = text.trim();
    match text {
        "bool" => return Ok(Kind::Bool),
        "int" => return Ok(Kind::Int(i64::MIN, i64::MAX)),
        "real" | "float" | "number" => return Ok(Kind::Real),
        "ref" => return Ok(Kind::Seat),
        "dict" => return Ok(Kind::Dict),
        _ => {}
    }
    if let Some(words) = text.strip_prefix("enum[").and_then(|rest| rest.strip_suffix(']')) {
        let words: Vec<Arc<str>> = words.split(',').map(|word| Arc::from(word.trim())).collect();
        if words.iter().any(|word| word.is_empty()) {
            return Err(refuse(at, "an enum has an empty word; write `enum[a, b]`"));
        }
        if let Some(i) = (1..words.len()).find(|i| words[..*i].contains(&words[*i])) {
            return Err(refuse(at, format!("the enum names `{}` twice", words[i])));
        }
        return Ok(Kind::Enum(words));
    }
    if let Some((low, high)) = text.split_once("..")
        && let (Ok(low), Ok(high)) = (low.trim().parse(), high.trim().parse())
        && low <= high
    {
        return Ok(Kind::Int(low, high));
    }
    let known = ["bool", "int", "real", "ref", "dict", "enum"];
    let hint = did_you_mean(text, known);
    Err(refuse(
        at,
        format!("no type `{text}`{hint}; known: bool, int, real, ref, dict, enum[a, b], 0..7"),
    ))
}

fn derived(key: &Key, node: &Node) -> Result<Derived, FrameError> {
    let fields = Fields::new(node, "a derived value", &["x"])?;
    Ok(Derived { name: name(key)?, formula: fields.need_formula("x")? })
}

fn action(key: &Key, node: &Node) -> Result<Action, FrameError> {
    let fields = Fields::new(node, "an action", &["pre", "pre_x", "effect"])?;
    let pre = fields.formula("pre_x")?;
    if pre.is_none()
        && let Some(node) = fields.get("pre")
    {
        return Err(refuse(node.at, "`pre` says it in words; add the expression as `pre_x`"));
    }
    let effect = operations(fields.need("effect")?, "`effect`")?;
    Ok(Action { name: Arc::from(key.text.as_str()), at: key.at, pre, effect })
}

fn model(key: &Key, node: &Node) -> Result<Model, FrameError> {
    let known = ["skill", "inputs", "derived", "derived_x", "outcomes"];
    let fields = Fields::new(node, "an outcome model", &known)?;
    let derived = each(fields.get("derived_x"), "`derived_x`", |key, node| {
        Ok(Derived { name: name(key)?, formula: formula(node, &key.text)? })
    })?;
    let list = fields.need("outcomes")?;
    let outcomes: Vec<Outcome> =
        sequence(list, "`outcomes`")?.iter().map(outcome).collect::<Result<_, _>>()?;
    if outcomes.is_empty() {
        return Err(refuse(list.at, "a model without outcomes; give it one"));
    }
    if let Some(i) =
        (1..outcomes.len()).find(|i| outcomes[..*i].iter().any(|o| o.id == outcomes[*i].id))
    {
        return Err(refuse(list.at, format!("two outcomes are called `{}`", outcomes[i].id)));
    }
    let skill = fields.get("skill").map(|node| match value(node)? {
        Value::Bool(skill) => Ok((skill, node.at)),
        other => Err(refuse(node.at, format!("`skill: {other}`: write true or false"))),
    });
    Ok(Model {
        name: Arc::from(key.text.as_str()),
        at: key.at,
        skill: skill.transpose()?,
        inputs: named(fields.get("inputs"), "`inputs`")?,
        described: named(fields.get("derived"), "`derived`")?,
        derived,
        outcomes,
    })
}

fn outcome(node: &Node) -> Result<Outcome, FrameError> {
    let fields = Fields::new(node, "an outcome", &["id", "p", "p_x", "effect"])?;
    Ok(Outcome {
        id: fields.word("id")?.to_string(),
        probability: fields.need_formula("p_x")?,
        effect: fields.get("effect").map_or(Ok(Vec::new()), |list| operations(list, "`effect`"))?,
    })
}

fn agents(node: Option<&Node>, unmodelled: &mut Vec<String>) -> Result<Vec<AgentText>, FrameError> {
    let agents = each(node, "`agents`", |key, node| {
        let known = ["kind", "roles", "sees", "policy", "policy_x"];
        let fields = Fields::new(node, "an agent", &known)?;
        Ok(AgentText {
            name: Arc::from(key.text.as_str()),
            policy: fields.formula("policy_x")?,
            sees: named(fields.get("sees"), "`sees`")?,
            roles: named(fields.get("roles"), "`roles`")?,
            prompt: fields.get("prompt").is_some(),
        })
    })?;
    for agent in &agents {
        let name = &agent.name;
        let mut add = |what: String| unmodelled.push(format!("agent {name}: {what}"));
        let list =
            |names: &[Placed]| names.iter().map(|(name, _)| &**name).collect::<Vec<_>>().join(", ");
        if agent.policy.is_none() {
            add("it has no policy_x".to_owned());
        }
        if !agent.sees.is_empty() {
            add(format!("sees {}: every agent sees the whole state", list(&agent.sees)));
        }
        if !agent.roles.is_empty() {
            add(format!("roles {}: an agent chooses wherever its seat does", list(&agent.roles)));
        }
        if agent.prompt {
            add("its prompt is for language models; nothing here reads it".to_owned());
        }
    }
    Ok(agents)
}

fn triggers(
    node: Option<&Node>,
    not_modelled: &mut Vec<String>,
) -> Result<Vec<Trigger>, FrameError> {
    let mut triggers = Vec::new();
    let Some(node) = node else { return Ok(triggers) };
    for node in sequence(node, "`triggers`")? {
        let known = ["id", "source", "event", "timing", "if", "if_x", "do"];
        let fields = Fields::new(node, "a trigger", &known)?;
        if let Some(timing) = fields.words("timing")?
            && &*timing != "after"
        {
            let message = format!("no timing `{timing}`; triggers run `after` the emit");
            return Err(refuse(fields.need("timing")?.at, message));
        }
        let id = fields.words("id")?.map_or_else(|| "trigger".to_owned(), |id| id.to_string());
        let condition = fields.formula("if_x")?;
        if condition.is_none()
            && let Some(text) = fields.words("if")?
        {
            not_modelled.push(format!("trigger {id}: if \"{text}\" has no expression"));
            continue;
        }
        let effect = operations(fields.need("do")?, "`do`")?;
        let event = fields.word("event")?;
        triggers.push(Trigger { id, at: node.at, event, condition, effect });
    }
    Ok(triggers)
}

fn ends(node: &Node, not_modelled: &mut Vec<String>) -> Result<Vec<End>, FrameError> {
    let mut ends = Vec::new();
    for item in sequence(node, "`end`")? {
        let known = ["id", "check", "if", "if_x", "who", "who_x", "result"];
        let fields = Fields::new(item, "an end", &known)?;
        let id = fields.word("id")?.to_string();
        let result_node = fields.need("result")?;
        let result = match &*word(result_node, "result")? {
            "win" => EndResult::Win,
            "loss" => EndResult::Loss,
            "draw" => EndResult::Draw,
            other => {
                let hint = did_you_mean(other, ["win", "loss", "draw"]);
                let message = format!("no result `{other}`{hint}; known: win, loss, draw");
                return Err(refuse(result_node.at, message));
            }
        };
        let Some(condition) = fields.formula("if_x")? else {
            let text = fields.words("if")?.unwrap_or_default();
            not_modelled.push(format!("end {id}: \"{text}\" has no expression"));
            continue;
        };
        if let Some(check) = fields.words("check")?
            && &*check != "immediate"
        {
            let message = format!("no check `{check}`; ends are tested `immediate`ly");
            return Err(refuse(fields.need("check")?.at, message));
        }
        let who = match (result, fields.formula("who_x")?) {
            (EndResult::Draw, _) => None,
            (_, Some(who)) => Some(who),
            (_, None) => {
                return Err(refuse(item.at, "an end needs `who_x`, the seat of its result"));
            }
        };
        ends.push(End { id, condition, who, result });
    }
    if ends.is_empty() {
        return Err(refuse(node.at, "no end has an expression `if_x`; a frame could not end"));
    }
    Ok(ends)
}
