//! What a reader of a definition should know: what it leaves open, what is read and not modelled,
//! and what looks like a slip though the game can be played.

use super::definition::{
    Definition, FlowKind, FlowNode, Model, OpenQuestion, Operation, OperationKind,
};
use super::error::At;
use super::game::Game;
use crate::naming::did_you_mean;
use std::collections::BTreeSet;

/// What [`Game::review`] finds.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Review {
    /// What the rules leave open.
    pub open_questions: Vec<OpenQuestion>,
    /// What the text names but the game does not model, one sentence each.
    pub not_modelled: Vec<String>,
    /// What looks like a slip, one sentence each with its line.
    pub warnings: Vec<String>,
}

impl Game {
    /// What a reader of the definition should know beside the game itself.
    #[must_use]
    pub fn review(&self) -> Review {
        let definition = &self.definition;
        let mut found = Warnings { definition, list: definition.warnings.clone() };
        found.triggers();
        found.models();
        found.agents();
        found.unused();
        for end in &definition.ends {
            if !self.reached.ends.iter().any(|known| known.id == end.id) {
                let text = format!(
                    "the end {} never comes: no play reaches a state where its `if_x` holds",
                    end.id
                );
                found.list.push((end.condition.at, text));
            }
        }
        found.list.sort();
        let lines = found.list.into_iter().map(|(at, text)| format!("line {}: {text}", at.line));
        Review {
            open_questions: definition.open_questions(),
            not_modelled: definition.not_modelled.clone(),
            warnings: lines.collect(),
        }
    }
}

struct Warnings<'a> {
    definition: &'a Definition,
    list: Vec<(At, String)>,
}

impl Warnings<'_> {
    fn add(&mut self, at: At, text: String) {
        self.list.push((at, text));
    }

    /// Triggers whose event nothing emits.
    fn triggers(&mut self) {
        let mut emitted = BTreeSet::new();
        every_operation(self.definition, &mut |operation| {
            if let OperationKind::Emit(event) = &operation.kind {
                emitted.insert(event.to_string());
            }
        });
        for trigger in &self.definition.triggers {
            if !emitted.contains(&*trigger.event) {
                let hint = did_you_mean(&trigger.event, emitted.iter().map(String::as_str));
                let text = format!(
                    "the trigger {} never runs: nothing emits the event `{}`{hint}",
                    trigger.id, trigger.event
                );
                self.add(trigger.at, text);
            }
        }
    }

    /// Models whose `skill`, `inputs` or `derived` say what is not so.
    fn models(&mut self) {
        let definition = self.definition;
        for model in &definition.models {
            self.skill(model);
            let local = model.derived.iter().map(|derived| &*derived.name);
            let known: Vec<&str> = definition.names().chain(local).collect();
            for (name, at) in model.inputs.iter().filter(|(name, _)| !known.contains(&&**name)) {
                let hint = did_you_mean(name, known.iter().copied());
                let text = format!(
                    "the input `{name}` of the model {} is no constant, variable or derived \
                     value{hint}",
                    model.name
                );
                self.add(*at, text);
            }
            for (name, at) in &model.described {
                if !model.derived.iter().any(|derived| derived.name == *name) {
                    let text = format!(
                        "`derived` of the model {} describes `{name}`, which `derived_x` does not \
                         compute",
                        model.name
                    );
                    self.add(*at, text);
                }
            }
        }
    }

    fn skill(&mut self, model: &Model) {
        let skills: Vec<String> =
            self.definition.skills().map(|name| format!("`{name}`")).collect();
        let reads = self.definition.reads(&model.name);
        let read = self.definition.skills().find(|name| reads.iter().any(|read| read == name));
        let text = match (model.skill, read) {
            (Some((true, at)), None) => {
                let of = match &skills[..] {
                    [] => "there is no variable of type real with scope player".to_owned(),
                    skills => format!("its chances do not read {}", skills.join(" or ")),
                };
                let name = &model.name;
                (at, format!("the model {name} says `skill: true`, but all play it alike: {of}"))
            }
            (Some((false, at)), Some(read)) => {
                let name = &model.name;
                (at, format!("the model {name} says `skill: false`, but its chances read `{read}`"))
            }
            _ => return,
        };
        self.list.push(text);
    }

    /// Agents that see zones or play roles that are nowhere.
    fn agents(&mut self) {
        let definition = self.definition;
        let mut roles: Vec<&str> = vec!["decider"];
        flow_roles(&definition.flow, &mut roles);
        for agent in &definition.agents {
            for (zone, at) in &agent.sees {
                if !definition.zones.iter().any(|known| known == zone) {
                    let hint = did_you_mean(zone, definition.zones.iter().map(|zone| &**zone));
                    let text =
                        format!("the agent {} sees `{zone}`, which is no zone{hint}", agent.name);
                    self.add(*at, text);
                }
            }
            for (role, at) in agent.roles.iter().filter(|(role, _)| !roles.contains(&&**role)) {
                let hint = did_you_mean(role, roles.iter().copied());
                let text = format!(
                    "the agent {} plays `{role}`, which is no `actor` of the flow{hint}",
                    agent.name
                );
                self.add(*at, text);
            }
        }
    }

    /// Actions that no step does, models that nothing samples.
    fn unused(&mut self) {
        let definition = self.definition;
        let mut done = BTreeSet::new();
        flow_actions(&definition.flow, &mut done);
        for action in definition.actions.iter().filter(|action| !done.contains(&*action.name)) {
            self.add(action.at, format!("no step does the action {}", action.name));
        }
        let mut sampled = BTreeSet::new();
        every_operation(definition, &mut |operation| {
            if let OperationKind::Sample(model) = &operation.kind {
                sampled.insert(model.to_string());
            }
        });
        for model in definition.models.iter().filter(|model| !sampled.contains(&*model.name)) {
            self.add(model.at, format!("nothing samples the model {}", model.name));
        }
    }
}

impl Definition {
    /// Constants, variables and derived values.
    fn names(&self) -> impl Iterator<Item = &str> {
        let constants = self.constants.iter().map(|known| &*known.name);
        let variables = self.variables.iter().map(|known| &*known.name);
        constants.chain(variables).chain(self.derived.iter().map(|known| &*known.name))
    }

    /// Variables that say how good each seat is: real numbers by seat that nothing writes.
    fn skills(&self) -> impl Iterator<Item = &str> {
        let written = self.written_variables();
        let skill = move |variable: &&super::definition::Variable| {
            variable.per_seat
                && variable.kind == super::definition::Kind::Real
                && !written.contains(&variable.name)
        };
        self.variables.iter().filter(skill).map(|variable| &*variable.name)
    }
}

fn flow_roles<'a>(node: &'a FlowNode, roles: &mut Vec<&'a str>) {
    match &node.kind {
        FlowKind::Sequence(children) | FlowKind::Loop { children, .. } => {
            children.iter().for_each(|child| flow_roles(child, roles));
        }
        FlowKind::Step { role, .. } => roles.extend(role.as_deref()),
    }
}

fn flow_actions<'a>(node: &'a FlowNode, done: &mut BTreeSet<&'a str>) {
    match &node.kind {
        FlowKind::Sequence(children) | FlowKind::Loop { children, .. } => {
            children.iter().for_each(|child| flow_actions(child, done));
        }
        FlowKind::Step { actions, .. } => done.extend(actions.iter().map(|action| &**action)),
    }
}

/// Every operation of every effect.
fn every_operation(definition: &Definition, visit: &mut impl FnMut(&Operation)) {
    let actions = definition.actions.iter().map(|action| &action.effect);
    let outcomes = definition.models.iter().flat_map(|model| &model.outcomes);
    let triggers = definition.triggers.iter().map(|trigger| &trigger.effect);
    for effect in actions.chain(outcomes.map(|outcome| &outcome.effect)).chain(triggers) {
        operations(effect, visit);
    }
}

fn operations(effect: &[Operation], visit: &mut impl FnMut(&Operation)) {
    for operation in effect {
        visit(operation);
        if let OperationKind::If { then, otherwise, .. } = &operation.kind {
            operations(then, visit);
            operations(otherwise, visit);
        }
    }
}
