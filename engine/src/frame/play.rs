//! One frame, decision by decision.

use super::GameEnd;
use super::explore::{Drawn, Edge, Goal};
use super::game::Game;
use super::view::{ActionId, StateId, View};
use crate::rng::Rng;
use rand::RngExt as _;

/// A frame in progress. Its draws come from the generator that it is begun with.
#[derive(Clone, Debug)]
pub struct FramePlay<'a> {
    game: &'a Game,
    rng: Rng,
    at: Goal,
    shots: u64,
    drawn: Drawn,
}

impl<'a> FramePlay<'a> {
    /// Begins a frame: plays the opening up to the first choice.
    #[must_use]
    pub fn new(game: &'a Game, rng: Rng) -> Self {
        let mut play = Self { game, rng, at: Goal::State(0), shots: 0, drawn: Drawn::NOTHING };
        play.restart();
        play
    }

    /// Begins another frame, with further draws of the same generator.
    pub fn restart(&mut self) {
        self.shots = 0;
        self.drawn = Drawn::NOTHING;
        self.go(&self.game.reached.start);
        self.pass();
    }

    /// What the seat whose choice it is sees; nothing once the frame is over.
    #[must_use]
    pub const fn view(&self) -> Option<View<'a>> {
        match self.at {
            Goal::State(state) => Some(View::new(self.game, StateId(state))),
            Goal::End(_) => None,
        }
    }

    /// Takes an open action and plays on to the next choice. An action that is not open counts
    /// as the first one that is: agents name actions through [`View`], which knows them.
    pub fn apply(&mut self, action: ActionId) {
        if let Goal::State(state) = self.at {
            let options = &self.game.reached.states[state as usize].options;
            let (_, edges) = options.get(action.option()).unwrap_or(&options[0]);
            self.drawn = Drawn::NOTHING;
            self.go(edges);
            self.pass();
        }
    }

    /// How the frame ended, once it is over.
    #[must_use]
    pub fn result(&self) -> Option<&'a GameEnd> {
        match self.at {
            Goal::State(_) => None,
            Goal::End(end) => self.game.reached.ends.get(end as usize),
        }
    }

    /// Shots so far, the break not counted.
    #[must_use]
    pub const fn shots(&self) -> u64 {
        self.shots
    }

    /// Model and outcome of the last draw (the opening's at first), in a game from
    /// [`Game::compile_recording`]; nothing if none or several were drawn since the last choice.
    #[must_use]
    pub fn drawn(&self) -> Option<(&'a str, &'a str)> {
        self.game.outcome(self.drawn)
    }

    /// One draw.
    fn go(&mut self, edges: &[Edge]) {
        let mut left: f64 = self.rng.random();
        // Rounding can leave a hair beyond the last edge: that one then.
        let mut taken = edges.last();
        for edge in edges {
            left -= edge.probability;
            if left < 0.0 {
                taken = Some(edge);
                break;
            }
        }
        if let Some(edge) = taken {
            self.at = edge.to;
            self.shots += u64::from(edge.shots);
            self.drawn = self.drawn.and(edge.drawn);
        }
    }

    /// Goes through states where only chance decides.
    fn pass(&mut self) {
        while let Goal::State(state) = self.at {
            let state = &self.game.reached.states[state as usize];
            if state.seat.is_some() {
                return;
            }
            self.go(&state.options[0].1);
        }
    }
}
