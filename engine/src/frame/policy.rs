//! What a seat does at every state.

use super::explore::State;

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

    /// The option taken at state `index`, if it is always the same.
    #[must_use]
    pub(super) fn option(&self, index: usize) -> Option<usize> {
        match &self.choices[index] {
            Choice::Pure(option) => Some(*option),
            Choice::Mixed(_) => None,
        }
    }
}
