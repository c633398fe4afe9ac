//! A definition as a finite game of two seats.

use super::definition::Definition;
use super::error::FrameError;
use super::explore::{Drawn, GameEnd, Reached, State, explore};
use super::expression::evaluate;
use super::policy::{Choice, Policy};
use super::program::{Code, Instruction, Program};
use super::value::Value;
use super::view::{StateEnv, StateId, View};
use crate::naming::did_you_mean;

/// A compiled game: every state that can be reached, with numbers for probabilities.
#[derive(Clone, Debug)]
pub struct Game {
    pub(super) definition: Definition,
    pub(super) program: Program,
    pub(super) reached: Reached,
}

impl Game {
    /// Explores `definition` from its start.
    ///
    /// # Errors
    /// When an expression fails at a reachable state, probabilities are no distribution, a loop
    /// cannot end, the flow runs out, or there are too many states.
    pub fn compile(definition: &Definition) -> Result<Self, FrameError> {
        let program = Program::build(definition)?;
        let reached = explore(&program, false)?;
        Ok(Self { definition: definition.clone(), program, reached })
    }

    /// Like [`Self::compile`], but ways from choice to choice that differ in the outcome drawn stay
    /// apart, so that [`super::FramePlay::drawn`] can name it.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn compile_recording(definition: &Definition) -> Result<Self, FrameError> {
        let program = Program::build(definition)?;
        let reached = explore(&program, true)?;
        Ok(Self { definition: definition.clone(), program, reached })
    }

    /// Model and outcome of a draw, if exactly one was recorded.
    pub(super) fn outcome(&self, drawn: Drawn) -> Option<(&str, &str)> {
        let (pc, outcome) = drawn.one()?;
        let Instruction::Sample(sample) = &self.program.code.get(pc)?.1 else { return None };
        let model = self.definition.models.iter().find(|model| *model.name == *sample.model)?;
        Some((&*model.name, model.outcomes.get(outcome)?.id.as_str()))
    }

    /// The definition, settings included.
    #[must_use]
    pub const fn definition(&self) -> &Definition {
        &self.definition
    }

    /// How many states there are where a seat chooses.
    #[must_use]
    pub fn states(&self) -> usize {
        self.reached.states.iter().filter(|state| state.seat.is_some()).count()
    }

    /// The states where a seat chooses, in the order of their discovery.
    pub fn views(&self) -> impl Iterator<Item = View<'_>> {
        (0..self.reached.states.len())
            .filter(|i| self.reached.states[*i].seat.is_some())
            .map(|i| View::new(self, StateId(i as u32)))
    }

    /// The ends that frames can have, numbered as in [`super::FrameSummary::ends`].
    #[must_use]
    pub fn ends(&self) -> &[GameEnd] {
        &self.reached.ends
    }

    /// Names of the actions that seats choose among.
    #[must_use]
    pub fn actions(&self) -> Vec<&str> {
        let chosen = |action: usize| {
            let mut options = self.reached.states.iter().flat_map(|state| &state.options);
            options.any(|(known, _)| *known == action)
        };
        let all = self.program.actions.iter().enumerate();
        all.filter(|(i, _)| chosen(*i)).map(|(_, name)| &**name).collect()
    }

    /// The policy that the definition gives `agent`, for `seat`; `constants` replaces numbers for
    /// this policy alone, as in `threshold:tau=0.4`. Their names are matched without case.
    ///
    /// # Errors
    /// When there is no such agent, policy or constant, or the policy fails or names an action
    /// that is not open at a state of `seat`.
    pub fn policy(
        &self,
        agent: &str,
        constants: &[(String, f64)],
        seat: usize,
    ) -> Result<Policy, FrameError> {
        let code = Self::policy_code(&self.definition, agent, constants)?;
        self.policy_by(seat, |index| self.choose(agent, &code, index))
    }

    /// The policy's expression of an agent of `definition` with other constants.
    pub(super) fn policy_code(
        definition: &Definition,
        agent: &str,
        constants: &[(String, f64)],
    ) -> Result<Code, FrameError> {
        let known: Vec<&str> = definition.agents().map(|(name, _)| name).collect();
        if !known.contains(&agent) {
            let hint = did_you_mean(agent, known.iter().copied());
            let message = format!(
                "the definition has no agent `{agent}`{hint}; it has: {}",
                known.join(", ")
            );
            return Err(FrameError::Agent(message));
        }
        let mut settings = Vec::with_capacity(constants.len());
        for (name, value) in constants {
            settings.push((Self::policy_constant(definition, agent, name)?, *value));
        }
        Program::policy_with(definition, agent, &settings)
    }

    /// The full name of the constant that `agent`'s policy reads as `name`.
    fn policy_constant(
        definition: &Definition,
        agent: &str,
        name: &str,
    ) -> Result<String, FrameError> {
        let constants: Vec<&str> = definition
            .constants
            .iter()
            .map(|constant| &*constant.name)
            .filter(|known| Program::policy_reads(definition, agent, known))
            .collect();
        let base = name.split(['.', '[']).next().unwrap_or_default();
        match constants.iter().find(|known| known.eq_ignore_ascii_case(base)) {
            Some(known) => Ok(format!("{known}{}", &name[base.len()..])),
            None => {
                let hint = did_you_mean(base, constants.iter().copied());
                let takes = constants.join(", ").to_lowercase();
                let takes = if takes.is_empty() { "none".to_owned() } else { takes };
                let message =
                    format!("agent `{agent}` has no option `{name}`{hint}; it takes: {takes}");
                Err(FrameError::Agent(message))
            }
        }
    }

    /// A policy from a choice at each state of `seat`.
    pub(super) fn policy_by(
        &self,
        seat: usize,
        mut choose: impl FnMut(usize) -> Result<usize, FrameError>,
    ) -> Result<Policy, FrameError> {
        let mut policy = Policy::first(&self.reached.states);
        for (index, state) in self.reached.states.iter().enumerate() {
            if state.seat.map(usize::from) == Some(seat) {
                policy.choices[index] = Choice::Pure(choose(index)?);
            }
        }
        Ok(policy)
    }

    /// A policy from the name of an action at each state of `seat`.
    ///
    /// # Errors
    /// What `choose` refuses.
    pub fn policy_from<E>(
        &self,
        seat: usize,
        mut choose: impl FnMut(&View<'_>) -> Result<super::ActionId, E>,
    ) -> Result<Policy, E> {
        let mut policy = Policy::first(&self.reached.states);
        for view in self.views().filter(|view| view.seat() == seat) {
            policy.choices[view.state().index()] = Choice::Pure(choose(&view)?.option());
        }
        Ok(policy)
    }

    /// Every open action with equal chance.
    #[must_use]
    pub fn random_policy(&self) -> Policy {
        Policy::uniform(&self.reached.states)
    }

    fn choose(&self, agent: &str, code: &Code, index: usize) -> Result<usize, FrameError> {
        let state = &self.reached.states[index];
        let env = StateEnv { program: &self.program, slots: &state.slots };
        self.chosen(agent, code.at, evaluate(&code.expr, &env), index)
    }

    /// The option of the state at place `index` that an agent's expression came to.
    pub(super) fn chosen(
        &self,
        agent: &str,
        at: super::At,
        choice: Result<Value, String>,
        index: usize,
    ) -> Result<usize, FrameError> {
        let state = &self.reached.states[index];
        let words = || super::explore::describe(&self.program, &state.slots);
        let choice = choice.map_err(|message| FrameError::Evaluation {
            at,
            message: format!("agent `{agent}`: {message}"),
            state: words(),
        })?;
        let names = |state: &State| -> Vec<&str> {
            state.options.iter().map(|(action, _)| &*self.program.actions[*action]).collect()
        };
        let open = names(state);
        let found = match &choice {
            Value::Text(name) => open.iter().position(|known| *known == &**name),
            _ => None,
        };
        found.ok_or_else(|| FrameError::IllegalChoice {
            at,
            agent: agent.to_owned(),
            choice: format!("`{choice}`"),
            state: words(),
            open: open.join(", "),
        })
    }
}
