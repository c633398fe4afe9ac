//! Runs a program from one place until the next choice, loop pass or end, along every outcome.

use super::{Branch, Drawn, GameEnd, Stop};
use crate::frame::definition::{EndResult, SEATS};
use crate::frame::error::{At, FrameError};
use crate::frame::expression::{Environment, evaluate};
use crate::frame::program::{Code, Instruction, Program, Ref, Target};
use crate::frame::value::{Value, list_index, no_key};
use std::cell::Cell;

/// The most steps of expressions that one compilation takes.
const MAX_STEPS: u64 = 200_000_000;
/// The most branches of chance between two places where a frame is looked at.
const MAX_BRANCHES: usize = 100_000;
/// How far a sum of probabilities may lie from 1.
const TOLERANCE: f64 = 1e-9;

/// One line of play: where it stands and what happened on the way.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub pc: usize,
    pub slots: Vec<Value>,
    /// The seat that acted last, [`NOBODY`] before any did.
    pub active: u8,
    /// The seat that acted first on this line, if nobody had acted before it.
    pub breaker: Option<u8>,
    pub probability: f64,
    pub shots: u32,
    pub switches: u32,
    pub drawn: Drawn,
}

/// In place of a seat, before any has acted.
pub(super) const NOBODY: u8 = SEATS as u8;

impl Line {
    /// `seat` acts: the first to do so breaks, any change after that begins an inning.
    pub fn act(&mut self, seat: u8) {
        if self.active == NOBODY {
            self.breaker = Some(seat);
        } else {
            self.switches += u32::from(seat != self.active);
        }
        self.active = seat;
    }
}

pub(super) struct Machine<'a> {
    pub program: &'a Program,
    /// Whether lines keep what was drawn on them.
    recording: bool,
    steps: Cell<u64>,
}

struct Env<'a> {
    program: &'a Program,
    slots: &'a [Value],
    steps: &'a Cell<u64>,
}

impl Environment<Ref> for Env<'_> {
    fn get(&self, reference: &Ref) -> Result<Value, String> {
        match reference {
            Ref::Slot(slot) => Ok(self.slots[*slot].clone()),
            Ref::Seats(first) => Ok(Value::List(self.slots[*first..first + SEATS].into())),
            Ref::Entries(first, keys) => {
                let values = &self.slots[*first..first + keys.len()];
                Ok(Value::Dict(keys.iter().cloned().zip(values.iter().cloned()).collect()))
            }
            Ref::Derived(i) => evaluate(&self.program.derived[*i].1.expr, self),
        }
    }

    fn get_at(&self, reference: &Ref, index: &Value) -> Result<Value, String> {
        match reference {
            Ref::Seats(first) => Ok(self.slots[first + list_index(index, SEATS)?].clone()),
            Ref::Entries(first, keys) => Ok(self.slots[first + entry(index, keys)?].clone()),
            _ => self.get(reference)?.at(index),
        }
    }

    fn step(&self) -> Result<(), String> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MAX_STEPS {
            return Err(format!("the game takes more than {MAX_STEPS} steps to lay out"));
        }
        Ok(())
    }
}

/// The place of a key among `keys`.
fn entry(index: &Value, keys: &[std::sync::Arc<str>]) -> Result<usize, String> {
    match index {
        Value::Text(key) => keys
            .iter()
            .position(|known| known == key)
            .ok_or_else(|| no_key(key, keys.iter().map(|known| &**known))),
        _ => Err(format!("a key must be text, not {}", index.kind())),
    }
}

impl<'a> Machine<'a> {
    pub const fn new(program: &'a Program, recording: bool) -> Self {
        Self { program, recording, steps: Cell::new(0) }
    }

    /// The value of `code` on `slots`.
    pub fn value(&self, code: &Code, slots: &[Value]) -> Result<Value, FrameError> {
        let env = Env { program: self.program, slots, steps: &self.steps };
        evaluate(&code.expr, &env).map_err(|message| self.failed(code.at, message, slots))
    }

    pub fn failed(&self, at: At, message: String, slots: &[Value]) -> FrameError {
        FrameError::Evaluation { at, message, state: self.state(slots) }
    }

    /// The state in words.
    pub fn state(&self, slots: &[Value]) -> String {
        describe(self.program, slots)
    }

    /// Follows every outcome from `line` to its next stop. A loop pass that begins right where
    /// `line` stands is gone through.
    pub fn run(&self, line: Line) -> Result<Vec<Branch>, FrameError> {
        let mut done = Vec::new();
        let mut open = vec![line];
        let mut first = true;
        while let Some(mut line) = open.pop() {
            let passed = open.len();
            if done.len() + passed > MAX_BRANCHES {
                return Err(FrameError::TooManyStates {
                    limit: MAX_BRANCHES,
                    what: "branches of chance in one stretch of play",
                });
            }
            loop {
                if let Some(stop) = self.step(&mut line, &mut open, first)? {
                    done.extend(stop.map(|stop| Branch::new(stop, line)));
                    break;
                }
                first = false;
            }
            first = false;
            // What was opened last comes first: keep the order of the text.
            open[passed..].reverse();
        }
        Ok(done)
    }

    /// One instruction. `Some(None)`: the line was split, its parts are in `open`.
    fn step(
        &self,
        line: &mut Line,
        open: &mut Vec<Line>,
        first: bool,
    ) -> Result<Option<Option<Stop>>, FrameError> {
        let program = self.program;
        let (at, instruction) = &program.code[line.pc];
        let mut next = line.pc + 1;
        match instruction {
            Instruction::Header { .. } if !first => return Ok(Some(Some(Stop::Pass))),
            Instruction::Header { .. } => {}
            Instruction::Actor(actor) => self.actor(actor.as_ref(), line)?,
            Instruction::Jump(to) => next = *to,
            Instruction::JumpUnless(code, to) => {
                if !self.value(code, &line.slots)?.truth() {
                    next = *to;
                }
            }
            Instruction::Choice { options, skip } => {
                let open_options = self.open_options(line)?;
                match open_options[..] {
                    [] => next = *skip,
                    [only] => next = options[only].goes_to,
                    _ => return Ok(Some(Some(Stop::Choice))),
                }
            }
            Instruction::Perform(action) => {
                if let Some(seat) = line.slots[program.decider()].integer() {
                    line.act(u8::from(seat == 1));
                }
                line.shots += u32::from(program.shots[*action]);
            }
            Instruction::Set(target, code) => {
                let value = self.value(code, &line.slots)?;
                self.write(*at, target, value, line)?;
            }
            Instruction::Add(target, code) => self.add(*at, target, code, line)?,
            Instruction::Roll(code, slot) => {
                self.roll(code, *slot, line, open)?;
                return Ok(Some(None));
            }
            Instruction::Sample(_) => {
                self.sample(*at, line, open)?;
                return Ok(Some(None));
            }
            Instruction::Check => {
                if let Some(end) = self.end(line)? {
                    return Ok(Some(Some(Stop::End(end))));
                }
            }
            Instruction::Stop => {
                return Err(FrameError::NoEnd { at: *at, state: self.state(&line.slots) });
            }
        }
        line.pc = next;
        Ok(None)
    }

    fn actor(&self, actor: Option<&Code>, line: &mut Line) -> Result<(), FrameError> {
        line.slots[self.program.decider()] = match actor {
            None => Value::None,
            Some(code) => Value::Int(self.seat(code, &line.slots)?),
        };
        Ok(())
    }

    fn seat(&self, code: &Code, slots: &[Value]) -> Result<i64, FrameError> {
        let value = self.value(code, slots)?;
        match value.integer() {
            Some(seat @ 0..=1) => Ok(seat),
            _ => Err(self.failed(code.at, format!("`{value}` is not a seat, 0 or 1"), slots)),
        }
    }

    /// The options of the choice where `line` stands whose condition holds.
    pub fn open_options(&self, line: &Line) -> Result<Vec<usize>, FrameError> {
        let Instruction::Choice { options, .. } = &self.program.code[line.pc].1 else {
            return Ok(Vec::new());
        };
        let mut open = Vec::with_capacity(options.len());
        for (i, option) in options.iter().enumerate() {
            let holds = option.pre.as_ref().map(|pre| self.value(pre, &line.slots)).transpose()?;
            if holds.is_none_or(|value| value.truth()) {
                open.push(i);
            }
        }
        Ok(open)
    }

    fn slot(&self, target: &Target, line: &Line) -> Result<usize, FrameError> {
        let (first, code, found) = match target {
            Target::Slot(slot) => return Ok(*slot),
            Target::Seat(first, code) => {
                (first, code, list_index(&self.value(code, &line.slots)?, SEATS))
            }
            Target::Entry(first, keys, code) => {
                (first, code, entry(&self.value(code, &line.slots)?, keys))
            }
        };
        found.map(|i| first + i).map_err(|message| self.failed(code.at, message, &line.slots))
    }

    fn write(
        &self,
        at: At,
        target: &Target,
        value: Value,
        line: &mut Line,
    ) -> Result<(), FrameError> {
        let index = self.slot(target, line)?;
        let slot = &self.program.slots[index];
        let value = match &slot.kind {
            Some(kind) => kind.hold(&value),
            None if matches!(value, Value::List(_) | Value::Dict(_)) => {
                Err(format!("an entry holds one value, not {}", value.kind()))
            }
            None => Ok(value),
        };
        line.slots[index] = value.map_err(|message| {
            self.failed(at, format!("`{}`: {message}", slot.name), &line.slots)
        })?;
        Ok(())
    }

    fn add(&self, at: At, target: &Target, code: &Code, line: &mut Line) -> Result<(), FrameError> {
        let amount = self.value(code, &line.slots)?;
        let index = self.slot(target, line)?;
        let sum = line.slots[index].arithmetic(crate::frame::expression::Arithmetic::Add, &amount);
        let sum = sum.map_err(|message| self.failed(at, message, &line.slots))?;
        self.write(at, target, sum, line)
    }

    fn roll(
        &self,
        code: &Code,
        slot: usize,
        line: &Line,
        open: &mut Vec<Line>,
    ) -> Result<(), FrameError> {
        let die = self.value(code, &line.slots)?;
        let Value::List(faces) = &die else {
            let message = format!("a die is a list of values, not {}", die.kind());
            return Err(self.failed(code.at, message, &line.slots));
        };
        if faces.is_empty() || faces.len() > MAX_BRANCHES {
            let message = format!("a die with {} faces cannot be rolled", faces.len());
            return Err(self.failed(code.at, message, &line.slots));
        }
        for face in faces.iter() {
            let mut part = line.clone();
            part.slots[slot] = face.clone();
            part.probability /= faces.len() as f64;
            part.pc += 1;
            open.push(part);
        }
        Ok(())
    }

    fn sample(&self, at: At, line: &mut Line, open: &mut Vec<Line>) -> Result<(), FrameError> {
        let Instruction::Sample(sample) = &self.program.code[line.pc].1 else { return Ok(()) };
        for (slot, code) in &sample.derived {
            line.slots[*slot] = self.value(code, &line.slots)?;
        }
        let mut parts = Vec::with_capacity(sample.outcomes.len());
        let mut sum = 0.0;
        let refuse = |at: At, problem: String, sum: f64| FrameError::Probability {
            at,
            model: sample.model.clone(),
            problem,
            sum: format!("{sum}"),
            state: self.state(&line.slots),
        };
        for (code, goes_to) in &sample.outcomes {
            let value = self.value(code, &line.slots)?;
            let Some(p) = value.number() else {
                let problem = format!("a probability is {}, not a number", value.kind());
                return Err(refuse(code.at, problem, sum));
            };
            sum += p;
            parts.push((p, code.at, *goes_to));
        }
        for (p, at, _) in &parts {
            // Rounding may carry a sum of parts a hair beyond the ends.
            if !(-TOLERANCE..=1.0 + TOLERANCE).contains(p) {
                return Err(refuse(*at, format!("a probability is {p}"), sum));
            }
        }
        if (sum - 1.0).abs() > TOLERANCE {
            return Err(refuse(at, "its probabilities are no distribution".to_owned(), sum));
        }
        for (i, (p, _, goes_to)) in parts.into_iter().enumerate().filter(|(_, (p, ..))| *p > 0.0) {
            let mut part = line.clone();
            if self.recording {
                part.drawn = line.drawn.and(Drawn::of(line.pc, i));
            }
            part.probability *= p / sum;
            part.pc = goes_to;
            open.push(part);
        }
        Ok(())
    }

    /// Refuses a game that is over before it begins. With this known, ends need testing only
    /// where something that they read was written.
    pub fn check_start(&self, line: &Line) -> Result<(), FrameError> {
        for rule in &self.program.ends {
            if self.value(&rule.condition, &line.slots)?.truth() {
                let message = format!("the end `{}` holds before the frame begins", rule.id);
                return Err(self.failed(rule.condition.at, message, &line.slots));
            }
        }
        Ok(())
    }

    /// The end whose condition holds, if one does.
    fn end(&self, line: &Line) -> Result<Option<GameEnd>, FrameError> {
        for rule in &self.program.ends {
            if !self.value(&rule.condition, &line.slots)?.truth() {
                continue;
            }
            let who = rule.who.as_ref().map(|who| self.seat(who, &line.slots)).transpose()?;
            let who = who.map(|seat| u8::from(seat == 1));
            let winner = match rule.result {
                EndResult::Win => who,
                EndResult::Loss => who.map(|seat| 1 - seat),
                EndResult::Draw => None,
            };
            let reason = self.program.reason.map(|slot| line.slots[slot].to_string());
            let reason = reason.filter(|reason| reason != "none" && reason != "None");
            let reason = reason.unwrap_or_else(|| rule.id.clone());
            return Ok(Some(GameEnd { id: rule.id.clone(), reason, winner }));
        }
        Ok(None)
    }
}

/// Known values of the state in words; what can no longer be read is left out.
pub(in crate::frame) fn describe(program: &Program, slots: &[Value]) -> String {
    let known = slots.iter().zip(&program.slots).take(program.globals);
    let words: Vec<String> = known
        .filter(|(value, _)| !matches!(value, Value::None))
        .map(|(value, slot)| format!("{}={value}", slot.name))
        .collect();
    format!("({})", words.join(", "))
}
