//! Flow and effects to instructions.

use super::resolve::{Resolver, Scope};
use super::{
    ChoiceOption, EndRule, Instruction, MAX_CODE, PolicyRule, Program, Sample, SlotSet, Target,
};
use crate::frame::definition::{
    Action, Amount, Definition, FlowKind, FlowNode, Formula, Model, Operation, OperationKind,
};
use crate::frame::error::{At, FrameError};
use crate::naming::did_you_mean;
use std::sync::Arc;

/// The action whose performances are counted as shots, where there is one.
const SHOT: &str = "execute_shot";

struct Builder<'a> {
    definition: &'a Definition,
    resolver: Resolver,
    code: Vec<(At, Instruction)>,
    /// Slots that some end condition reads.
    end_reads: SlotSet,
    /// Models and events that are being laid out: none may contain itself.
    inside: Vec<String>,
}

pub(super) fn program(definition: &Definition) -> Result<Program, FrameError> {
    let resolver = Resolver::new(definition)?;
    let globals = resolver.slots.len() - 1;
    let none = Scope::new();
    let mut end_reads = SlotSet::default();
    for end in &definition.ends {
        end_reads.extend(&resolver.code(&end.condition, &none)?.reads);
    }
    let (code, inside) = (Vec::new(), Vec::new());
    let mut builder = Builder { definition, resolver, code, end_reads, inside };
    // Every part is laid out once on its own, so that slips in unused parts are found too.
    builder.unused_parts()?;
    builder.code.clear();
    builder.resolver = Resolver::new(definition)?;
    builder.flow(&definition.flow)?;
    builder.push(definition.flow.at, Instruction::Stop)?;
    let ends = definition.ends.iter().map(|end| {
        Ok(EndRule {
            id: end.id.clone(),
            condition: builder.resolver.code(&end.condition, &none)?,
            who: end.who.as_ref().map(|who| builder.resolver.code(who, &none)).transpose()?,
            result: end.result,
        })
    });
    let ends = ends.collect::<Result<Vec<_>, FrameError>>()?;
    let policies = definition.agents.iter().map(|agent| {
        let policy = agent.policy.as_ref();
        let code = policy.map(|formula| builder.resolver.code(formula, &none)).transpose()?;
        Ok(PolicyRule { code })
    });
    let policies = policies.collect::<Result<Vec<_>, FrameError>>()?;
    let reason = builder.resolver.slots.iter().position(|slot| slot.name == "win_reason");
    let Resolver { slots, initial, variables, derived, .. } = builder.resolver;
    Ok(Program {
        slots,
        initial,
        globals,
        code: builder.code,
        live: Vec::<SlotSet>::new(),
        derived,
        ends,
        policies,
        actions: definition.actions.iter().map(|action| action.name.clone()).collect(),
        shots: shots(definition),
        reason,
        variables,
    })
}

/// Which actions are shots: `execute_shot`, or where there is none, every action of a loop that
/// samples a model.
fn shots(definition: &Definition) -> Vec<bool> {
    fn samples(effect: &[Operation]) -> bool {
        effect.iter().any(|operation| match &operation.kind {
            OperationKind::Sample(_) => true,
            OperationKind::If { then, otherwise, .. } => samples(then) || samples(otherwise),
            _ => false,
        })
    }
    fn looped(node: &FlowNode, inside: bool, name: &str) -> bool {
        match &node.kind {
            FlowKind::Sequence(nodes) => nodes.iter().any(|node| looped(node, inside, name)),
            FlowKind::Loop { children, .. } => children.iter().any(|node| looped(node, true, name)),
            FlowKind::Step { actions, .. } => inside && actions.iter().any(|a| &**a == name),
        }
    }
    let named = definition.actions.iter().any(|action| &*action.name == SHOT);
    let is_shot = |action: &Action| match named {
        true => &*action.name == SHOT,
        false => samples(&action.effect) && looped(&definition.flow, false, &action.name),
    };
    definition.actions.iter().map(is_shot).collect()
}

impl Builder<'_> {
    fn push(&mut self, at: At, instruction: Instruction) -> Result<usize, FrameError> {
        if self.code.len() >= MAX_CODE {
            return Err(FrameError::TooManyStates { limit: MAX_CODE, what: "instructions" });
        }
        self.code.push((at, instruction));
        Ok(self.code.len() - 1)
    }

    /// Lets the jump at `from` lead to the next instruction.
    fn land(&mut self, from: usize) {
        let here = self.code.len();
        match &mut self.code[from].1 {
            Instruction::Jump(to) | Instruction::JumpUnless(_, to) => *to = here,
            Instruction::Choice { skip, .. } => *skip = here,
            _ => {}
        }
    }

    fn unused_parts(&mut self) -> Result<(), FrameError> {
        let definition = self.definition;
        for action in &definition.actions {
            if let Some(pre) = &action.pre {
                self.resolver.code(pre, &Scope::new())?;
            }
            self.effects(&action.effect, &mut Scope::new())?;
        }
        for model in &definition.models {
            self.inside.clear();
            self.sample(model, model.at)?;
        }
        self.inside.clear();
        for trigger in &definition.triggers {
            self.emit(&trigger.event, trigger.at)?;
        }
        Ok(())
    }

    fn flow(&mut self, node: &FlowNode) -> Result<(), FrameError> {
        match &node.kind {
            FlowKind::Sequence(children) => children.iter().try_for_each(|child| self.flow(child)),
            FlowKind::Loop { until, children } => {
                let start = self.push(node.at, Instruction::Header { name: node.id.clone() })?;
                let exit = until.as_ref().map(|until| self.until(until)).transpose()?;
                children.iter().try_for_each(|child| self.flow(child))?;
                self.push(node.at, Instruction::Jump(start))?;
                exit.into_iter().for_each(|exit| self.land(exit));
                Ok(())
            }
            FlowKind::Step { actor, actions, .. } => self.step(node.at, actor.as_ref(), actions),
        }
    }

    /// A jump that is taken when `until` holds.
    fn until(&mut self, until: &Formula) -> Result<usize, FrameError> {
        let code = self.resolver.code(until, &Scope::new())?;
        let go_on = self.push(until.at, Instruction::JumpUnless(code, 0))?;
        let exit = self.push(until.at, Instruction::Jump(0))?;
        self.land(go_on);
        Ok(exit)
    }

    fn step(
        &mut self,
        at: At,
        actor: Option<&Formula>,
        names: &[Arc<str>],
    ) -> Result<(), FrameError> {
        let none = Scope::new();
        let actor = actor.map(|actor| self.resolver.code(actor, &none)).transpose()?;
        self.push(at, Instruction::Actor(actor))?;
        let actions: Vec<usize> =
            names.iter().map(|name| self.action(name, at)).collect::<Result<_, _>>()?;
        let definition = self.definition;
        if let [action] = actions[..] {
            let pre = definition.actions[action].pre.as_ref();
            let skip = pre.map(|pre| {
                let code = self.resolver.code(pre, &none)?;
                self.push(pre.at, Instruction::JumpUnless(code, 0))
            });
            let skip = skip.transpose()?;
            self.perform(action, at)?;
            skip.into_iter().for_each(|skip| self.land(skip));
            return Ok(());
        }
        let choice = self.push(at, Instruction::Choice { options: Vec::new(), skip: 0 })?;
        let (mut options, mut exits) = (Vec::new(), Vec::new());
        for action in actions {
            let pre = definition.actions[action].pre.as_ref();
            let pre = pre.map(|pre| self.resolver.code(pre, &none)).transpose()?;
            options.push(ChoiceOption { action, pre, goes_to: self.code.len() });
            self.perform(action, at)?;
            exits.push(self.push(at, Instruction::Jump(0))?);
        }
        exits.into_iter().for_each(|exit| self.land(exit));
        self.code[choice].1 = Instruction::Choice { options, skip: 0 };
        self.land(choice);
        Ok(())
    }

    fn action(&self, name: &str, at: At) -> Result<usize, FrameError> {
        let actions = &self.definition.actions;
        actions.iter().position(|action| &*action.name == name).ok_or_else(|| {
            let hint = did_you_mean(name, actions.iter().map(|action| &*action.name));
            FrameError::Definition { at, message: format!("no action `{name}`{hint}") }
        })
    }

    fn perform(&mut self, action: usize, at: At) -> Result<(), FrameError> {
        self.push(at, Instruction::Perform(action))?;
        let definition = self.definition;
        self.effects(&definition.actions[action].effect, &mut Scope::new())
    }

    /// An effect list; names it binds end with it.
    fn effects(&mut self, effect: &[Operation], scope: &mut Scope) -> Result<(), FrameError> {
        let outer = scope.len();
        effect.iter().try_for_each(|operation| self.operation(operation, scope))?;
        scope.truncate(outer);
        Ok(())
    }

    fn operation(&mut self, operation: &Operation, scope: &mut Scope) -> Result<(), FrameError> {
        let at = operation.at;
        match &operation.kind {
            OperationKind::Set { target, value } => {
                let target = self.resolver.target(self.definition, target, scope)?;
                let value = self.amount(value, at, scope)?;
                self.written(at, &target, Instruction::Set(target.clone(), value))?;
            }
            OperationKind::Add { target, amount } => {
                let target = self.resolver.target(self.definition, target, scope)?;
                let amount = self.amount(amount, at, scope)?;
                self.written(at, &target, Instruction::Add(target.clone(), amount))?;
            }
            OperationKind::Emit(event) => {
                self.emit(event, at)?;
            }
            OperationKind::If { condition, then, otherwise } => {
                self.branch(condition, then, otherwise, scope)?;
            }
            OperationKind::Sample(name) => {
                let models = &self.definition.models;
                let Some(model) = models.iter().find(|model| model.name == *name) else {
                    let hint = did_you_mean(name, models.iter().map(|model| &*model.name));
                    let message = format!("no outcome model `{name}`{hint}");
                    return Err(FrameError::Definition { at, message });
                };
                self.sample(model, at)?;
            }
            OperationKind::Roll { die, bind } => {
                let die = self.resolver.code(die, scope)?;
                let slot = self.resolver.local(bind, at)?;
                self.push(at, Instruction::Roll(die, slot))?;
                scope.push((bind.clone(), slot));
            }
        }
        Ok(())
    }

    /// An instruction that writes to `target`, and a test of the ends if they read it: what no
    /// end reads cannot make one come true.
    fn written(
        &mut self,
        at: At,
        target: &Target,
        instruction: Instruction,
    ) -> Result<(), FrameError> {
        self.push(at, instruction)?;
        if target.slots().any(|slot| self.end_reads.contains(slot)) {
            self.push(at, Instruction::Check)?;
        }
        Ok(())
    }

    fn amount(&self, amount: &Amount, at: At, scope: &Scope) -> Result<super::Code, FrameError> {
        match amount {
            Amount::Value(value) => Ok(self.resolver.literal(value, at)),
            Amount::Formula(formula) => self.resolver.code(formula, scope),
        }
    }

    fn branch(
        &mut self,
        condition: &Formula,
        then: &[Operation],
        otherwise: &[Operation],
        scope: &mut Scope,
    ) -> Result<(), FrameError> {
        let code = self.resolver.code(condition, scope)?;
        let skip = self.push(condition.at, Instruction::JumpUnless(code, 0))?;
        self.effects(then, scope)?;
        if otherwise.is_empty() {
            self.land(skip);
            return Ok(());
        }
        let exit = self.push(condition.at, Instruction::Jump(0))?;
        self.land(skip);
        self.effects(otherwise, scope)?;
        self.land(exit);
        Ok(())
    }

    /// The triggers of `event`, in the order of the text.
    fn emit(&mut self, event: &str, at: At) -> Result<(), FrameError> {
        self.enter(format!("event {event}"), at)?;
        let definition = self.definition;
        for trigger in definition.triggers.iter().filter(|trigger| &*trigger.event == event) {
            let condition = trigger.condition.as_ref();
            let skip = condition.map(|condition| {
                let code = self.resolver.code(condition, &Scope::new())?;
                self.push(condition.at, Instruction::JumpUnless(code, 0))
            });
            let skip = skip.transpose()?;
            self.effects(&trigger.effect, &mut Scope::new())?;
            skip.into_iter().for_each(|skip| self.land(skip));
        }
        self.inside.pop();
        Ok(())
    }

    fn sample(&mut self, model: &Model, at: At) -> Result<(), FrameError> {
        self.enter(format!("model {}", model.name), at)?;
        let mut scope = Scope::new();
        let mut derived = Vec::new();
        for value in &model.derived {
            let code = self.resolver.code(&value.formula, &scope)?;
            let slot = self.resolver.local(&value.name, value.formula.at)?;
            derived.push((slot, code));
            scope.push((value.name.clone(), slot));
        }
        let outcomes = model
            .outcomes
            .iter()
            .map(|outcome| Ok((self.resolver.code(&outcome.probability, &scope)?, 0)));
        let outcomes = outcomes.collect::<Result<Vec<_>, FrameError>>()?;
        let sample = Sample { model: model.name.to_string(), derived, outcomes };
        let draw = self.push(model.at, Instruction::Sample(sample))?;
        let mut exits = Vec::new();
        for (i, outcome) in model.outcomes.iter().enumerate() {
            let here = self.code.len();
            if let Instruction::Sample(sample) = &mut self.code[draw].1 {
                sample.outcomes[i].1 = here;
            }
            self.effects(&outcome.effect, &mut scope)?;
            exits.push(self.push(at, Instruction::Jump(0))?);
        }
        exits.into_iter().for_each(|exit| self.land(exit));
        self.inside.pop();
        Ok(())
    }

    fn enter(&mut self, what: String, at: At) -> Result<(), FrameError> {
        if self.inside.contains(&what) {
            let message =
                format!("{what} leads back to itself, so it never ends; break the circle");
            return Err(FrameError::Definition { at, message });
        }
        self.inside.push(what);
        Ok(())
    }
}
