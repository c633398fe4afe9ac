//! Places where a seat does better to stay for ever than to leave.
//!
//! Play that never ends is worth one half. A set of states that are all worth less to a seat, and
//! that it can keep play in whatever is drawn, gains by being stayed in. Against a fixed policy the
//! other seat's states are chance: every way on must stay inside. Against best replies the other
//! seat may also leave where it loses by that: its best choices must stay inside, and the seat's
//! own choices must be best ones too, lest a reply gains by them. If no such set is left and no
//! single change gains, values are those of best play: where they are not, the states at which
//! most is missing are such a set.

use super::explore::{Edge, Goal, State};
use super::game::Game;
use super::optimise::GAIN;
use super::policy::{Choice, Policy};

/// How the other seat plays.
#[derive(Clone, Copy, Debug)]
pub(super) enum Replies<'a> {
    /// By this policy.
    Of(&'a Policy),
    /// By its best choices, whatever the seat does.
    Best,
}

/// What is looked for, and what is known.
struct Search<'a> {
    game: &'a Game,
    seat: usize,
    /// The value of every state to seat 0.
    values: &'a [f64],
    replies: Replies<'a>,
    /// The states that can still be in the set.
    inside: Vec<bool>,
}

impl Game {
    /// Lets `policy` of `seat` stay for ever where that is worth more than `values` say; whether
    /// there was such a place.
    pub(super) fn stay(
        &self,
        seat: usize,
        values: &[f64],
        policy: &mut Policy,
        replies: Replies<'_>,
    ) -> bool {
        let sign = if seat == 0 { 1.0 } else { -1.0 };
        let inside = values.iter().map(|value| sign * (value - 0.5) < -GAIN).collect();
        let mut search = Search { game: self, seat, values, replies, inside };
        search.shrink();
        let mut found = false;
        for (i, state) in self.reached.states.iter().enumerate() {
            if search.inside[i] && state.seat.map(usize::from) == Some(seat) {
                let staying = search.staying(i, state);
                staying.into_iter().for_each(|option| policy.choices[i] = Choice::Pure(option));
                found |= staying.is_some();
            }
        }
        found
    }
}

impl Search<'_> {
    /// Takes out states that play can leave, until there are none.
    fn shrink(&mut self) {
        let states = &self.game.reached.states;
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
        for (i, state) in states.iter().enumerate().filter(|(i, _)| self.inside[*i]) {
            for edge in state.options.iter().flat_map(|(_, row)| row) {
                if let Goal::State(to) = edge.to {
                    before[to as usize].push(i);
                }
            }
        }
        let mut open: Vec<usize> = (0..states.len()).filter(|i| self.inside[*i]).collect();
        while let Some(i) = open.pop() {
            if self.inside[i] && !self.holds(i, &states[i]) {
                self.inside[i] = false;
                open.extend(&before[i]);
            }
        }
    }

    fn holds(&self, i: usize, state: &State) -> bool {
        let best = || state.options.iter().filter(|(_, row)| self.is_best(i, state, row));
        match (state.seat.map(usize::from), self.replies) {
            (Some(seat), _) if seat == self.seat => self.staying(i, state).is_some(),
            (Some(_), Replies::Best) => best().all(|(_, row)| self.keeps(row)),
            (Some(_), Replies::Of(policy)) => match &policy.choices[i] {
                Choice::Pure(option) => self.keeps(&state.options[*option].1),
                Choice::Mixed(weights) => {
                    let played = state.options.iter().zip(weights).filter(|(_, w)| **w > 0.0);
                    played.map(|((_, row), _)| row).all(|row| self.keeps(row))
                }
            },
            (None, _) => state.options.iter().all(|(_, row)| self.keeps(row)),
        }
    }

    /// The first own choice that stays.
    fn staying(&self, i: usize, state: &State) -> Option<usize> {
        let allowed = |row: &[Edge]| match self.replies {
            Replies::Of(_) => true,
            Replies::Best => self.is_best(i, state, row),
        };
        state.options.iter().position(|(_, row)| self.keeps(row) && allowed(row))
    }

    fn keeps(&self, row: &[Edge]) -> bool {
        row.iter().all(|edge| match edge.to {
            Goal::State(to) => self.inside[to as usize],
            Goal::End(_) => false,
        })
    }

    /// Whether `row` is as good as the state for the seat that chooses there.
    fn is_best(&self, i: usize, state: &State, row: &[Edge]) -> bool {
        let loss = self.values[i] - self.game.ahead(row, self.values);
        let loss = if state.seat == Some(1) { -loss } else { loss };
        loss <= GAIN
    }
}
