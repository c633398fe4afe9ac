//! Which slots can still be read from each instruction on: a state need not remember the others.

use super::{Instruction, Program, SlotSet, Target};

/// For each instruction the slots that are read there or after it before they are written.
pub(super) fn live(program: &Program) -> Vec<SlotSet> {
    let ends = read_by_ends(program);
    let policies = read_by_policies(program);
    let mut live = vec![SlotSet::default(); program.code.len()];
    // Backward to a fixed point: only jumps to a loop's start lead backward.
    let mut changed = true;
    while changed {
        changed = false;
        for (i, (_, instruction)) in program.code.iter().enumerate().rev() {
            let mut set = after(instruction, i, &live);
            transfer(instruction, &mut set, &ends, &policies, program.decider());
            changed |= live[i].extend(&set);
        }
    }
    live
}

fn read_by_ends(program: &Program) -> SlotSet {
    let mut set = SlotSet::default();
    for end in &program.ends {
        set.extend(&end.condition.reads);
        end.who.iter().for_each(|who| {
            set.extend(&who.reads);
        });
    }
    program.reason.into_iter().for_each(|slot| set.insert(slot));
    set
}

fn read_by_policies(program: &Program) -> SlotSet {
    let mut set = SlotSet::default();
    for code in program.policies.iter().filter_map(|rule| rule.code.as_ref()) {
        set.extend(&code.reads);
    }
    set.insert(program.decider());
    set
}

/// What is live after instruction `i`.
fn after(instruction: &Instruction, i: usize, live: &[SlotSet]) -> SlotSet {
    let mut set = SlotSet::default();
    let mut from = |to: usize| {
        live.get(to).into_iter().for_each(|other| {
            set.extend(other);
        });
    };
    match instruction {
        Instruction::Stop => {}
        Instruction::Jump(to) => from(*to),
        Instruction::JumpUnless(_, to) => {
            from(*to);
            from(i + 1);
        }
        Instruction::Choice { options, skip } => {
            // With an action that is always open nobody can pass.
            if options.iter().all(|option| option.pre.is_some()) {
                from(*skip);
            }
            options.iter().for_each(|option| from(option.goes_to));
        }
        Instruction::Sample(sample) => sample.outcomes.iter().for_each(|(_, to)| from(*to)),
        _ => from(i + 1),
    }
    set
}

fn transfer(
    instruction: &Instruction,
    set: &mut SlotSet,
    ends: &SlotSet,
    policies: &SlotSet,
    decider: usize,
) {
    match instruction {
        Instruction::Actor(code) => {
            set.remove(decider);
            code.iter().for_each(|code| {
                set.extend(&code.reads);
            });
        }
        Instruction::Perform(_) => set.insert(decider),
        Instruction::JumpUnless(code, _) => {
            set.extend(&code.reads);
        }
        Instruction::Choice { options, .. } => {
            set.extend(policies);
            for code in options.iter().filter_map(|option| option.pre.as_ref()) {
                set.extend(&code.reads);
            }
        }
        Instruction::Set(target, code) => {
            if let Target::Slot(slot) = target {
                set.remove(*slot);
            }
            set.extend(&code.reads);
            index(target, set);
        }
        Instruction::Add(target, code) => {
            target.slots().for_each(|slot| set.insert(slot));
            set.extend(&code.reads);
            index(target, set);
        }
        Instruction::Roll(code, slot) => {
            set.remove(*slot);
            set.extend(&code.reads);
        }
        Instruction::Sample(sample) => {
            for (code, _) in &sample.outcomes {
                set.extend(&code.reads);
            }
            for (slot, code) in sample.derived.iter().rev() {
                set.remove(*slot);
                set.extend(&code.reads);
            }
        }
        Instruction::Check => {
            set.extend(ends);
        }
        Instruction::Header { .. } | Instruction::Jump(_) | Instruction::Stop => {}
    }
}

/// Reads of a target's index; an entry chosen by it may or may not be overwritten.
fn index(target: &Target, set: &mut SlotSet) {
    match target {
        Target::Slot(_) => {}
        Target::Seat(_, code) | Target::Entry(_, _, code) => {
            set.extend(&code.reads);
        }
    }
}
