//! Exact values of two fixed policies.

use super::chain::Chain;
use super::definition::SEATS;
use super::eliminate::Equations;
use super::error::FrameError;
use super::explore::{Edge, Goal};
use super::game::Game;
use super::policy::{Choice, Policy};

/// What two policies come to.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Exact {
    /// Probability that seat 0 wins.
    pub p0_win: f64,
    /// Probability that nobody wins, play that never ends included.
    pub draw: f64,
    /// Probability that play never ends; not 0 only from [`Game::solve_endless`].
    pub endless: f64,
    /// What the frame is worth to seat 0: a win 1, a draw or play that never ends one half.
    pub value: f64,
    /// Expected shots a frame, safeties included, the break not counted; infinite where play may
    /// never end.
    pub mean_shots: f64,
    /// Expected innings a frame: visits of either seat to the table, the break's included;
    /// infinite where play may never end.
    pub mean_innings: f64,
    /// Probability that the seat that breaks wins in its first inning.
    pub break_and_run: f64,
    /// Probability of each way to end, by seat.
    pub win_reasons: Vec<WinReason>,
    /// Expected choices of each action a frame.
    pub actions: Vec<ActionCount>,
    /// States where a seat chooses.
    pub states: usize,
    /// Greatest difference between the two sides of an equation that was solved.
    pub residual: f64,
    /// Probability that seat 0 wins from each state, a draw counting one half, in the order of
    /// [`Game::views`] with states of pure chance between them.
    #[serde(skip)]
    pub values: Vec<f64>,
}

/// How often frames end in one way.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct WinReason {
    /// The value of `win_reason`, or the id of the end condition.
    pub reason: String,
    /// Probability that seat 0 wins in this way.
    pub seat0: f64,
    /// Probability that seat 1 does.
    pub seat1: f64,
    /// Probability of this end, draws included.
    pub total: f64,
}

/// How often an action is chosen.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ActionCount {
    /// The action.
    pub action: String,
    /// Expected choices of it a frame, by both seats.
    pub mean: f64,
}

impl Exact {
    /// The probability that a frame ends for `reason`, 0 if none can.
    #[must_use]
    pub fn reason(&self, reason: &str) -> f64 {
        let found = self.win_reasons.iter().find(|known| known.reason == reason);
        found.map_or(0.0, |known| known.total)
    }
}

impl Game {
    /// Exact values of `policies`, one a seat.
    ///
    /// # Errors
    /// When a frame can get where these policies never end it, or the equations are too large.
    pub fn solve(&self, policies: [&Policy; SEATS]) -> Result<Exact, FrameError> {
        let chain = Chain::new(self, policies);
        chain.check(self)?;
        self.exact(&chain, policies, false)
    }

    /// As [`Self::solve`], but policies may go on for ever: that counts as a draw.
    ///
    /// # Errors
    /// When the equations are too large.
    pub fn solve_endless(&self, policies: [&Policy; SEATS]) -> Result<Exact, FrameError> {
        let chain = Chain::new(self, policies);
        let endless = chain.check(self).is_err();
        self.exact(&chain, policies, endless)
    }

    fn exact(
        &self,
        chain: &Chain,
        policies: [&Policy; SEATS],
        endless: bool,
    ) -> Result<Exact, FrameError> {
        let ends = self.ends().len();
        let actions = self.actions();
        let columns = 2 + ends + actions.len();
        let mut rewards = vec![0.0; chain.rows.len() * columns];
        for (i, row) in chain.rows.iter().enumerate() {
            let reward = &mut rewards[i * columns..][..columns];
            edge_rewards(row, reward);
            self.action_rewards(i, policies, &actions, &mut reward[2 + ends..]);
        }
        let equations = Equations { rows: &chain.rows, columns, rewards };
        let values = equations.solve(if endless { 0.0 } else { f64::NAN })?;
        let mut total = vec![0.0; columns];
        edge_rewards(&chain.start, &mut total);
        for edge in &chain.start {
            if let Goal::State(to) = edge.to {
                let row = &values[to as usize * columns..][..columns];
                total.iter_mut().zip(row).for_each(|(sum, v)| *sum += edge.probability * v);
            }
        }
        if endless {
            // Sums over play that may never end.
            total[..2].fill(f64::INFINITY);
            total[2 + ends..].fill(f64::INFINITY);
        }
        let ended = |row: &[f64]| row[2..2 + ends].iter().sum::<f64>();
        let never = |row: &[f64]| if endless { (1.0 - ended(row)).max(0.0) } else { 0.0 };
        let win_reasons = self.win_reasons(&total[2..2 + ends]);
        let counts = actions.iter().zip(&total[2 + ends..]);
        let worth = |i: usize| {
            let row = &values[i * columns..][..columns];
            let ends = row[2..2 + ends].iter().zip(self.ends());
            ends.map(|(p, end)| p * worth(end.winner)).sum::<f64>() + worth_of_none(never(row))
        };
        let p0_win: f64 = win_reasons.iter().map(|reason| reason.seat0).sum();
        let drawn: f64 = win_reasons.iter().map(|r| r.total - (r.seat0 + r.seat1)).sum();
        let draw = drawn + never(&total);
        Ok(Exact {
            p0_win,
            draw,
            endless: never(&total),
            value: p0_win + worth_of_none(draw),
            mean_shots: total[0],
            mean_innings: 1.0 + total[1],
            break_and_run: self.first_inning(chain)?,
            win_reasons,
            actions: counts
                .map(|(action, mean)| ActionCount { action: (*action).to_owned(), mean: *mean })
                .collect(),
            states: self.states(),
            residual: equations.residual(&values, &chain.ending()),
            values: (0..chain.rows.len()).map(worth).collect(),
        })
    }

    fn action_rewards(
        &self,
        state: usize,
        policies: [&Policy; SEATS],
        actions: &[&str],
        rewards: &mut [f64],
    ) {
        let data = &self.reached.states[state];
        let Some(seat) = data.seat else { return };
        let place = |option: usize| {
            let name = &*self.program.actions[data.options[option].0];
            actions.iter().position(|known| *known == name)
        };
        match &policies[usize::from(seat)].choices[state] {
            Choice::Pure(option) => place(*option).into_iter().for_each(|i| rewards[i] += 1.0),
            Choice::Mixed(weights) => {
                for (option, weight) in weights.iter().enumerate() {
                    place(option).into_iter().for_each(|i| rewards[i] += weight);
                }
            }
        }
    }

    fn win_reasons(&self, probabilities: &[f64]) -> Vec<WinReason> {
        let mut reasons: Vec<WinReason> = Vec::new();
        for (end, &p) in self.ends().iter().zip(probabilities) {
            let known = reasons.iter().position(|known| known.reason == end.reason);
            let at = known.unwrap_or_else(|| {
                let reason = end.reason.clone();
                reasons.push(WinReason { reason, seat0: 0.0, seat1: 0.0, total: 0.0 });
                reasons.len() - 1
            });
            let reason = &mut reasons[at];
            reason.total += p;
            match end.winner {
                Some(0) => reason.seat0 += p,
                Some(_) => reason.seat1 += p,
                None => {}
            }
        }
        reasons.sort_by(|a, b| a.reason.cmp(&b.reason));
        reasons
    }

    /// The probability that the seat that acts first wins before the other one acts.
    fn first_inning(&self, chain: &Chain) -> Result<f64, FrameError> {
        // An edge to the other seat ends the inning: send it to an end that nobody counts.
        let other = Goal::End(u32::MAX);
        let cut = |row: &[Edge]| -> Vec<Edge> {
            let cut = |e: &Edge| if e.switches > 0 { Edge { to: other, ..*e } } else { *e };
            row.iter().map(cut).collect()
        };
        let wins = |edge: &Edge, seat: usize| match edge.to {
            Goal::End(end) => {
                let end = self.ends().get(end as usize);
                end.is_some_and(|end| end.winner.map(usize::from) == Some(seat))
            }
            Goal::State(_) => false,
        };
        let won = |row: &[Edge], seat: usize| -> f64 {
            row.iter().filter(|edge| wins(edge, seat)).map(|edge| edge.probability).sum()
        };
        let rows: Vec<Vec<Edge>> = chain.rows.iter().map(|row| cut(row)).collect();
        let rewards = rows.iter().flat_map(|row| [won(row, 0), won(row, 1)]).collect();
        // For each state, what either seat wins from there on if it is the one that broke.
        let broke = Equations { rows: &rows, columns: SEATS, rewards }.solve(0.0)?;
        // From where nobody has acted yet: an edge on which a seat breaks ends the waiting.
        let broken = |row: &[Edge]| -> f64 {
            let worth = |edge: &Edge, seat: usize| match edge.to {
                Goal::State(to) => broke[to as usize * SEATS + seat],
                Goal::End(_) => f64::from(u8::from(wins(edge, seat))),
            };
            let broken = row.iter().filter_map(|edge| Some((edge, usize::from(edge.breaker?))));
            broken.map(|(edge, seat)| edge.probability * worth(edge, seat)).sum()
        };
        let waiting: Vec<Vec<Edge>> = rows
            .iter()
            .map(|row| {
                let acts =
                    |e: &Edge| if e.breaker.is_some() { Edge { to: other, ..*e } } else { *e };
                row.iter().map(acts).collect()
            })
            .collect();
        let rewards = rows.iter().map(|row| broken(row)).collect();
        let values = Equations { rows: &waiting, columns: 1, rewards }.solve(0.0)?;
        let start = cut(&chain.start);
        let mut total = broken(&start);
        for edge in start.iter().filter(|edge| edge.breaker.is_none()) {
            if let Goal::State(to) = edge.to {
                total += edge.probability * values[to as usize];
            }
        }
        Ok(total)
    }
}

/// What an end is worth to seat 0.
pub(super) const fn worth(winner: Option<u8>) -> f64 {
    match winner {
        Some(0) => 1.0,
        Some(_) => 0.0,
        None => 0.5,
    }
}

/// What it is worth to seat 0 that nobody wins with this probability.
fn worth_of_none(probability: f64) -> f64 {
    probability * worth(None)
}

/// Expected shots, switches and ends of one step along `row`.
fn edge_rewards(row: &[Edge], rewards: &mut [f64]) {
    for edge in row {
        rewards[0] += edge.probability * f64::from(edge.shots);
        rewards[1] += edge.probability * f64::from(edge.switches);
        if let Goal::End(end) = edge.to {
            rewards[2 + end as usize] += edge.probability;
        }
    }
}
