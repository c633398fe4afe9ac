//! A frame told: which outcome each draw had, how likely it was, and what it followed from.
//!
//! A game that is played folds outcomes that lead to the same state into one way on. A second
//! layout of the same definition keeps them apart ([`Game::compile_recording`]); its states are
//! numbered alike, so where a draw fell within a folded way tells the outcome, with the right
//! chances and without changing the play.

use super::GameEnd;
use super::error::FrameError;
use super::explore::{Drawn, Edge, Goal, State, drawn_edge};
use super::expression::evaluate;
use super::game::Game;
use super::program::Instruction;
use super::value::Value;
use super::view::{ActionId, StateEnv, StateId, View};
use crate::rng::Rng;
use rand::RngExt as _;

/// What is needed to tell frames of a game.
#[derive(Clone, Debug)]
pub struct Teller<'g> {
    game: &'g Game,
    recording: Game,
}

/// A frame that is played again and told. It draws as [`super::FramePlay`] does.
#[derive(Clone, Debug)]
pub struct Story<'t> {
    teller: &'t Teller<'t>,
    rng: Rng,
    at: Goal,
    shots: u64,
    told: Vec<Told<'t>>,
}

/// One draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Told<'t> {
    /// The model.
    pub model: &'t str,
    /// The id of the outcome.
    pub outcome: &'t str,
    /// How likely it was.
    pub chance: f64,
    /// The model's `derived_x` values, as far as the state tells them.
    pub inputs: Vec<(&'t str, Value)>,
}

impl<'g> Teller<'g> {
    /// For frames of `game`.
    ///
    /// # Errors
    /// As [`Game::compile_recording`].
    pub fn new(game: &'g Game) -> Result<Self, FrameError> {
        let recording = Game::compile_recording(&game.definition)?;
        let (ours, theirs) = (&recording.reached, &game.reached);
        let same = |(a, b): (&State, &State)| a.slots == b.slots && a.seat == b.seat;
        let alike = ours.states.len() == theirs.states.len()
            && ours.ends == theirs.ends
            && ours.states.iter().zip(&theirs.states).all(same);
        if !alike {
            let text = "the game is too large to tell its outcomes apart".to_owned();
            return Err(FrameError::Agent(text));
        }
        Ok(Self { game, recording })
    }

    /// The frame that draws from `rng`, after its opening.
    #[must_use]
    pub fn begin(&self, rng: Rng) -> Story<'_> {
        let (at, told) = (Goal::State(0), Vec::new());
        let mut story = Story { teller: self, rng, at, shots: 0, told };
        story.go(None);
        story.pass();
        story
    }

    /// The ways on in `game`, by an option of a state or in the opening.
    fn edges(game: &Game, from: Option<(StateId, usize)>) -> &[Edge] {
        let reached = &game.reached;
        let Some((state, option)) = from else { return &reached.start };
        let options = reached.states.get(state.index()).map(|state| &state.options);
        options.and_then(|options| options.get(option)).map_or(&[], |(_, edges)| edges)
    }

    /// The outcome `drawn` on the way from a state, with its chance there.
    fn told(&self, from: Option<(StateId, usize)>, drawn: Drawn) -> Option<Told<'_>> {
        let (model, outcome) = self.recording.outcome(drawn)?;
        let edges = Self::edges(&self.recording, from);
        let chance = edges.iter().filter(|edge| edge.drawn == drawn).map(|e| e.probability).sum();
        let inputs = from.map_or_else(Vec::new, |(state, _)| self.inputs(state, drawn));
        Some(Told { model, outcome, chance, inputs })
    }

    fn inputs(&self, state: StateId, drawn: Drawn) -> Vec<(&str, Value)> {
        let program = &self.recording.program;
        let sample = drawn.one().and_then(|(pc, _)| program.code.get(pc));
        let Some((_, Instruction::Sample(sample))) = sample else { return Vec::new() };
        let Some(state) = self.recording.reached.states.get(state.index()) else {
            return Vec::new();
        };
        let mut slots = state.slots.to_vec();
        let mut inputs = Vec::new();
        for (slot, code) in &sample.derived {
            // What the state does not tell is left out, and what follows from it.
            let env = StateEnv { program, slots: &slots };
            let Ok(value) = evaluate(&code.expr, &env) else { continue };
            slots[*slot] = value.clone();
            inputs.push((program.slots[*slot].name.as_str(), value));
        }
        inputs
    }
}

impl<'t> Story<'t> {
    /// What the seat whose choice it is sees; nothing once the frame is over.
    #[must_use]
    pub const fn view(&self) -> Option<View<'t>> {
        match self.at {
            Goal::State(state) => Some(View::new(self.teller.game, StateId(state))),
            Goal::End(_) => None,
        }
    }

    /// Takes an open action and goes on to the next choice.
    pub fn apply(&mut self, action: ActionId) {
        if let Goal::State(state) = self.at {
            self.told.clear();
            self.go(Some((StateId(state), action.option())));
            self.pass();
        }
    }

    /// The outcomes drawn since the last choice, those of the opening at first. A way with
    /// several draws that the game does not tell apart has none.
    #[must_use]
    pub fn told(&self) -> &[Told<'t>] {
        &self.told
    }

    /// How the frame ended, once it is over.
    #[must_use]
    pub fn result(&self) -> Option<&'t GameEnd> {
        match self.at {
            Goal::State(_) => None,
            Goal::End(end) => self.teller.game.reached.ends.get(end as usize),
        }
    }

    /// Shots so far, the break not counted.
    #[must_use]
    pub const fn shots(&self) -> u64 {
        self.shots
    }

    fn go(&mut self, from: Option<(StateId, usize)>) {
        let edges = Teller::edges(self.teller.game, from);
        let Some((taken, within)) = drawn_edge(edges, self.rng.random()) else { return };
        let recorded = Teller::edges(&self.teller.recording, from);
        let drawn = outcome_within(recorded, taken, within);
        self.told.extend(self.teller.told(from, drawn));
        self.at = taken.to;
        self.shots += u64::from(taken.shots);
    }

    /// Goes through states where only chance decides.
    fn pass(&mut self) {
        while let Goal::State(state) = self.at {
            if self.teller.game.reached.states[state as usize].seat.is_some() {
                return;
            }
            self.go(Some((StateId(state), 0)));
        }
    }
}

/// The outcome of a draw that fell `within` from the start of the folded way `taken`.
fn outcome_within(edges: &[Edge], taken: &Edge, within: f64) -> Drawn {
    let mut left = within;
    let mut found = Drawn::NOTHING;
    for edge in edges {
        let agrees = edge.to == taken.to
            && edge.shots == taken.shots
            && edge.switches == taken.switches
            && edge.breaker == taken.breaker;
        if agrees {
            found = edge.drawn;
            left -= edge.probability;
            if left < 0.0 {
                break;
            }
        }
    }
    found
}
