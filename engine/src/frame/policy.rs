//! What a seat does at every state.

use super::explore::State;
use super::view::{ActionId, View};

/// A seat's choice at one state.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Choice {
    /// One of the state's options.
    Pure(usize),
    /// A probability for each of the state's options.
    Mixed(Box<[f64]>),
}

/// A fixed rule for one seat of a [`super::Game`]: a choice at every state of that seat.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    pub(super) choices: Vec<Choice>,
}

impl Policy {
    /// Every open action with equal chance.
    pub(super) fn uniform(states: &[State]) -> Self {
        let choice = |state: &State| match state.options.len() {
            1 => Choice::Pure(0),
            n => Choice::Mixed(vec![1.0 / n as f64; n].into()),
        };
        Self { choices: states.iter().map(choice).collect() }
    }

    /// The first option everywhere.
    pub(super) fn first(states: &[State]) -> Self {
        Self { choices: vec![Choice::Pure(0); states.len()] }
    }

    /// The action taken where `view` is; `draw` gives a number from 0 to 1, exclusive, and is
    /// asked only where the policy mixes. None when the policy is of another game.
    #[must_use]
    pub fn action(&self, view: &View<'_>, draw: impl FnOnce() -> f64) -> Option<ActionId> {
        let option = match self.choices.get(view.state().index())? {
            Choice::Pure(option) => *option,
            Choice::Mixed(weights) => {
                let mut left = draw();
                let mut beyond = |weight: &f64| {
                    left -= weight;
                    left >= 0.0
                };
                weights.iter().take_while(|w| beyond(w)).count().min(weights.len() - 1)
            }
        };
        view.action_at(option)
    }

    /// The action always taken where `view` is; none where the policy mixes.
    #[must_use]
    pub fn pure_action(&self, view: &View<'_>) -> Option<ActionId> {
        match self.choices.get(view.state().index())? {
            Choice::Pure(option) => view.action_at(*option),
            Choice::Mixed(_) => None,
        }
    }
}
