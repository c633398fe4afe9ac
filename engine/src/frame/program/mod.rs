//! A definition as a list of instructions over slots.
//!
//! Flow, effects, triggers and outcomes are laid out in line, so that a place in the program and
//! the values of the slots are the whole state of a frame: no call stack is left to remember.

mod build;
mod liveness;
mod resolve;
mod set;

pub(super) use set::SlotSet;

use super::definition::{Definition, EndResult, Kind, SEATS};
use super::error::{At, FrameError};
use super::expression::Expr;
use super::value::Value;
use std::sync::Arc;

/// The most instructions and slots of a program.
const MAX_CODE: usize = 20_000;
const MAX_SLOTS: usize = 1_024;

/// What a resolved name stands for.
#[derive(Clone, Debug)]
pub(super) enum Ref {
    Slot(usize),
    /// Two slots from this one on, a list by seat.
    Seats(usize),
    /// Slots from this one on, a mapping.
    Entries(usize, Arc<[Arc<str>]>),
    Derived(usize),
}

/// A resolved expression and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub expr: Expr<Ref>,
    pub at: At,
    /// Every slot it can read.
    pub reads: SlotSet,
}

/// A place in the state that one value is kept in.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub name: String,
    /// What it may hold; locals hold anything.
    pub kind: Option<Kind>,
}

/// What a `set` or `add` writes to.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Slot(usize),
    /// One of two slots, by seat.
    Seat(usize, Code),
    /// One of some slots, by key.
    Entry(usize, Arc<[Arc<str>]>, Code),
}

impl Target {
    /// Every slot that may be written.
    pub fn slots(&self) -> std::ops::Range<usize> {
        match self {
            Self::Slot(slot) => *slot..slot + 1,
            Self::Seat(first, _) => *first..first + SEATS,
            Self::Entry(first, keys, _) => *first..first + keys.len(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Instruction {
    /// A loop's pass begins here.
    Header {
        name: String,
    },
    /// The seat that acts in the step that begins here, if any.
    Actor(Option<Code>),
    Jump(usize),
    JumpUnless(Code, usize),
    /// The acting seat chooses among the actions whose condition holds; with none, goes on.
    Choice {
        options: Vec<ChoiceOption>,
        skip: usize,
    },
    /// An action begins.
    Perform(usize),
    Set(Target, Code),
    Add(Target, Code),
    Roll(Code, usize),
    Sample(Sample),
    /// End conditions are tested.
    Check,
    /// The flow has run out.
    Stop,
}

#[derive(Clone, Debug)]
pub(super) struct ChoiceOption {
    pub action: usize,
    pub pre: Option<Code>,
    pub goes_to: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub model: String,
    pub derived: Vec<(usize, Code)>,
    /// Probability of each outcome, and where its effects begin.
    pub outcomes: Vec<(Code, usize)>,
}

#[derive(Clone, Debug)]
pub(super) struct EndRule {
    pub id: String,
    pub condition: Code,
    pub who: Option<Code>,
    pub result: EndResult,
}

#[derive(Clone, Debug)]
pub(super) struct PolicyRule {
    pub code: Option<Code>,
}

/// A program and all that it needs to run.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub slots: Vec<Slot>,
    pub initial: Vec<Value>,
    /// Slots of state variables; those that follow are the decider and locals.
    pub globals: usize,
    pub code: Vec<(At, Instruction)>,
    /// For each instruction, the slots that can still be read from there on.
    pub live: Vec<SlotSet>,
    pub derived: Vec<(Arc<str>, Code)>,
    pub ends: Vec<EndRule>,
    pub policies: Vec<PolicyRule>,
    pub actions: Vec<Arc<str>>,
    /// For each action, whether performing it is a shot.
    pub shots: Vec<bool>,
    /// The slot of the variable `win_reason`, if there is one.
    pub reason: Option<usize>,
    /// Where each variable's slots begin, and how it is read whole.
    pub variables: Vec<(Arc<str>, Ref)>,
}

impl Program {
    /// Resolves every name of `definition` and lays its flow out.
    pub fn build(definition: &Definition) -> Result<Self, FrameError> {
        let mut program = build::program(definition)?;
        program.live = liveness::live(&program);
        Ok(program)
    }

    /// The slot that holds the seat that acts.
    pub const fn decider(&self) -> usize {
        self.globals
    }

    /// The policy rule of an agent with other constants: names are matched without case.
    pub fn policy_with(
        definition: &Definition,
        agent: &str,
        constants: &[(String, f64)],
    ) -> Result<Code, FrameError> {
        resolve::policy_with(definition, agent, constants)
    }
}
