//! Best policies: against a given one, and against the best reply (minimax).
//!
//! Policy iteration with exact evaluation; for two players, Hoffman and Karp's strategy iteration
//! (1966, *Management Science* 12, 359-370). Seat 0 maximises the value, seat 1 minimises it.
//!
//! Play that never ends counts one half, so values are the limits of discounted ones: a frame that
//! ends later and later is worth less and less of its difference from one half. Where seats can
//! wait, a choice that is no better for the next decision may still be: staying for ever is worth
//! one half where leaving is worth less. When no single change gains, such places are looked for
//! ([`super::stay`]); with none left the policy is best. A choice changes only for a better one, so
//! ties keep the choice that was found first and the result is the same on every run.

use super::chain::Chain;
use super::definition::SEATS;
use super::eliminate::Equations;
use super::error::FrameError;
use super::exact::worth;
use super::explore::{Edge, Goal};
use super::game::Game;
use super::policy::{Choice, Policy};
use super::stay::Replies;

/// What a better choice must gain. Values are exact to about 1e-15.
pub(super) const GAIN: f64 = 1e-12;
/// More rounds than any game of this size needs.
const MAX_ROUNDS: usize = 1_000;

impl Game {
    /// Both seats' minimax policies.
    ///
    /// # Errors
    /// When the equations are too large.
    pub fn optimal(&self) -> Result<[Policy; SEATS], FrameError> {
        let uniform = self.random_policy();
        let values = self.values([&uniform, &uniform])?;
        let mut policies = [uniform.clone(), uniform];
        for (seat, policy) in policies.iter_mut().enumerate() {
            self.improve(seat, &values, policy);
        }
        for _ in 0..MAX_ROUNDS {
            let [mine, theirs] = policies;
            let theirs = self.iterate(1, theirs, &mine)?;
            let values = self.values([&mine, &theirs])?;
            policies = [mine, theirs];
            let [mine, _] = &mut policies;
            if !self.improve(0, &values, mine) && !self.stay(0, &values, mine, Replies::Best) {
                break;
            }
        }
        Ok(policies)
    }

    /// The best policy of `seat` against `other`.
    ///
    /// # Errors
    /// When the equations are too large.
    pub fn best_response(&self, seat: usize, other: &Policy) -> Result<Policy, FrameError> {
        self.iterate(seat, self.random_policy(), other)
    }

    fn iterate(&self, seat: usize, from: Policy, other: &Policy) -> Result<Policy, FrameError> {
        let mut policy = from;
        for _ in 0..MAX_ROUNDS {
            let pair = if seat == 0 { [&policy, other] } else { [other, &policy] };
            let values = self.values(pair)?;
            let replies = Replies::Of(other);
            if !self.improve(seat, &values, &mut policy)
                && !self.stay(seat, &values, &mut policy, replies)
            {
                break;
            }
        }
        Ok(policy)
    }

    /// The value of every state to seat 0.
    fn values(&self, policies: [&Policy; SEATS]) -> Result<Vec<f64>, FrameError> {
        let chain = Chain::new(self, policies);
        let rewards = chain.rows.iter().map(|row| self.won(row)).collect();
        Equations { rows: &chain.rows, columns: 1, rewards }.solve(0.5)
    }

    fn won(&self, row: &[Edge]) -> f64 {
        let worth = |edge: &Edge| match edge.to {
            Goal::End(end) => edge.probability * worth(self.ends()[end as usize].winner),
            Goal::State(_) => 0.0,
        };
        row.iter().map(worth).sum()
    }

    /// The worth to seat 0 of going along `row` to states worth `values`.
    pub(super) fn ahead(&self, row: &[Edge], values: &[f64]) -> f64 {
        let next = |edge: &Edge| match edge.to {
            Goal::State(to) => edge.probability * values[to as usize],
            Goal::End(_) => 0.0,
        };
        self.won(row) + row.iter().map(next).sum::<f64>()
    }

    /// Changes every choice of `seat` for which there is a better one; whether there was any.
    fn improve(&self, seat: usize, values: &[f64], policy: &mut Policy) -> bool {
        let sign = if seat == 0 { 1.0 } else { -1.0 };
        let mut better = false;
        for (i, state) in self.reached.states.iter().enumerate() {
            if state.seat.map(usize::from) != Some(seat) {
                continue;
            }
            let worth: Vec<f64> =
                state.options.iter().map(|(_, row)| sign * self.ahead(row, values)).collect();
            let best = (0..worth.len()).fold(0, |a, b| if worth[b] > worth[a] { b } else { a });
            let choice = &mut policy.choices[i];
            match choice {
                Choice::Pure(current) if worth[best] <= worth[*current] + GAIN => {}
                Choice::Pure(_) => {
                    *choice = Choice::Pure(best);
                    better = true;
                }
                // A mixture gives way to its first best part.
                Choice::Mixed(_) => {
                    let best = (0..worth.len()).find(|a| worth[*a] >= worth[best] - GAIN);
                    *choice = Choice::Pure(best.unwrap_or_default());
                    better = true;
                }
            }
        }
        better
    }

    /// The policy that looks `depth` decisions ahead, by either seat, and takes every state
    /// beyond for worth `leaf`.
    #[must_use]
    pub fn search_policy(&self, seat: usize, depth: u32, leaf: f64) -> Policy {
        let mut values = vec![leaf; self.reached.states.len()];
        for _ in 1..depth {
            values = self.one_deeper(&values);
        }
        let mut policy = self.random_policy();
        self.improve(seat, &values, &mut policy);
        policy
    }

    /// Values with one more decision looked ahead.
    fn one_deeper(&self, values: &[f64]) -> Vec<f64> {
        let better = |seat: Option<u8>, a: f64, b: f64| match seat {
            Some(1) => a.min(b),
            _ => a.max(b),
        };
        let deeper = |state: &super::explore::State| {
            let worth = state.options.iter().map(|(_, row)| self.ahead(row, values));
            worth.reduce(|a, b| better(state.seat, a, b)).unwrap_or(0.5)
        };
        self.reached.states.iter().map(deeper).collect()
    }
}
