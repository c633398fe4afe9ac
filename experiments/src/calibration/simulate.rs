//! Logs from the outcome model: frames of the definition's own game, each outcome named.

use super::board::{Board, Branch, Next, Prices};
use super::caller::{Caller, Calls};
use super::definition::Calibrated;
use super::family::{Family, Role};
use crate::shot_log::schema::{Call, Schema};
use anyhow::{bail, ensure};
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::frame::SEATS;
use cuebench_engine::rng::{Purpose, Rng, stream};
use rand::RngExt as _;
use std::sync::Arc;

/// Shots after which a frame is given up: far beyond what any pair that can end needs.
const MAX_SHOTS: usize = 100_000;

/// A simulated player.
#[derive(Clone, Debug, PartialEq)]
pub struct Shooter {
    /// The name in the log.
    pub name: String,
    /// The skill.
    pub skill: f64,
}

/// One shot of a simulated frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The player, as an index.
    pub player: usize,
    /// The other player.
    pub opponent: usize,
    /// The leave, as an index of the schema.
    pub leave: usize,
    /// The call.
    pub call: Call,
    /// The result, as an index among those of the call.
    pub result: usize,
}

/// A simulated frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Who breaks.
    pub breaker: usize,
    /// The outcome of the break, as an index of the schema.
    pub outcome: usize,
    /// The shots in order.
    pub shots: Vec<Shot>,
    /// Who won, if anybody.
    pub winner: Option<usize>,
}

impl Frame {
    /// Visits to the table, the break's included.
    #[must_use]
    pub fn innings(&self) -> usize {
        let mut at = self.breaker;
        let mut innings = 1;
        for shot in &self.shots {
            innings += usize::from(shot.player != at);
            at = shot.player;
        }
        innings
    }
}

/// Frames between players.
#[derive(Debug)]
pub struct Simulator {
    board: Arc<Board>,
    family: Family,
    calls: Arc<Calls>,
    skills: Vec<f64>,
    prices: Vec<Prices>,
    /// The chances of a break by player.
    breaks: Vec<Vec<f64>>,
}

impl Simulator {
    /// Frames of every two players under the definition and a policy of it, as in `threshold` or
    /// `threshold:tau=0.4:explore=0.2` (the option `explore` is the chance of any open action in
    /// place of the policy's, so that every leave is shot at).
    ///
    /// # Errors
    /// When there are fewer than two players, the policy does not exist, or the game cannot be
    /// laid out.
    pub fn new(
        calibrated: &Calibrated,
        players: &[Shooter],
        policy: &AgentSpec,
    ) -> anyhow::Result<Self> {
        let board = Arc::new(Board::new(calibrated)?);
        let skills: Vec<f64> = players.iter().map(|player| player.skill).collect();
        Self::on(&board, calibrated, &skills, &Caller::Agent(policy.clone()))
    }

    /// Frames on a board that was laid out before, under the numbers of `calibrated`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn on(
        board: &Arc<Board>,
        calibrated: &Calibrated,
        skills: &[f64],
        caller: &Caller,
    ) -> anyhow::Result<Self> {
        ensure!(skills.len() >= SEATS, "a log needs at least {SEATS} players");
        let calls = Arc::new(caller.calls(board, calibrated, skills)?);
        Ok(Self::called(board, calibrated, skills, calls))
    }

    /// Frames with a caller who knows the game already, be it from other numbers.
    #[must_use]
    pub fn called(
        board: &Arc<Board>,
        calibrated: &Calibrated,
        skills: &[f64],
        calls: Arc<Calls>,
    ) -> Self {
        let family = calibrated.family.clone();
        Self {
            calls,
            board: board.clone(),
            skills: skills.to_vec(),
            prices: skills.iter().map(|&skill| Prices::new(&family, skill)).collect(),
            breaks: vec![family.breaks(0.0); skills.len()],
            family,
        }
    }

    /// The same frames with breaks by players of these break skills.
    ///
    /// # Errors
    /// When breaks of the definition take no skill.
    pub fn with_break_skills(mut self, skills: &[f64]) -> anyhow::Result<Self> {
        ensure!(
            self.family.break_skill,
            "the definition's break takes no skill; use one that gives each share an expression of \
             `break_skill`, such as engine/games/eightball_break_skill.yaml"
        );
        self.breaks = skills.iter().map(|skill| self.family.breaks(*skill)).collect();
        Ok(self)
    }

    /// The words of the log.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.family.schema
    }

    /// How many players there are.
    #[must_use]
    pub const fn players(&self) -> usize {
        self.skills.len()
    }

    /// Frame `index` under `seed`: pairs take turns, and so does the break.
    ///
    /// # Errors
    /// When the policy fails, or the frame does not end.
    pub fn frame(&self, seed: u64, index: u64) -> anyhow::Result<Frame> {
        self.frame_of(pair(self.skills.len() as u64, index), seed, index)
    }

    /// A frame between two players, the first of whom breaks, with draws of index `index`.
    ///
    /// # Errors
    /// As [`Self::frame`].
    pub fn frame_of(&self, seats: [usize; SEATS], seed: u64, index: u64) -> anyhow::Result<Frame> {
        let mut choices = stream(seed, Purpose::Agent, index);
        let mut draws = stream(seed, Purpose::Log, index);
        let broken = drawn(&self.board.opening, &mut draws, |role| match role {
            Some(Role::Break(at)) => self.breaks[seats[0]][at],
            _ => 0.0,
        });
        let Branch { role: Some(Role::Break(outcome)), to: mut at, .. } = *broken else {
            bail!("the opening of a frame is not one break");
        };
        let mut shots = Vec::new();
        loop {
            let state = match at {
                Next::State(state) => state,
                Next::End(winner) => {
                    let winner = winner.map(|seat| seats[seat]);
                    return Ok(Frame { breaker: seats[0], outcome, shots, winner });
                }
            };
            let place = &self.board.places[state.index()];
            let Some(seat) = place.seat else {
                at = drawn(&place.options[0].1, &mut draws, |_| 1.0).to;
                continue;
            };
            ensure!(
                shots.len() < MAX_SHOTS,
                "frame {index} does not end within {MAX_SHOTS} shots; take another policy or skill"
            );
            let skills = seats.map(|player| self.skills[player]);
            let option = self.calls.option(&self.board, state, seats, skills, &mut choices)?;
            let Some((Some(call), row)) = place.options.get(option) else {
                bail!("the policy is of another game");
            };
            let (player, leave, lie) = (seats[seat], place.leave, place.lie);
            let branch = drawn(row, &mut draws, |role| match role {
                Some(Role::Call(call, result)) => self.prices[player].of(lie, call, result),
                _ => 0.0,
            });
            let Some(Role::Call(_, result)) = branch.role else {
                bail!("an action does not draw exactly one outcome of a shot or a safety");
            };
            shots.push(Shot { player, opponent: seats[1 - seat], leave, call: *call, result });
            at = branch.to;
        }
    }
}

/// One of the branches, by a single draw.
fn drawn<'a>(
    row: &'a [Branch],
    draws: &mut Rng,
    chance: impl Fn(Option<Role>) -> f64,
) -> &'a Branch {
    let mut left: f64 = draws.random();
    // Rounding can leave a hair beyond the last branch that can be: that one then.
    let mut taken = &row[0];
    for branch in row {
        let probability = branch.share * chance(branch.role);
        if probability > 0.0 {
            taken = branch;
        }
        left -= probability;
        if left < 0.0 {
            break;
        }
    }
    taken
}

/// Pair number `index` of `players`: in any stretch of pairs the players take turns, first every
/// distance round the table, then every player.
fn pair(players: u64, index: u64) -> [usize; SEATS] {
    let at = index % (players * (players - 1));
    let (first, distance) = (at % players, 1 + at / players);
    [first as usize, ((first + distance) % players) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_take_turns() {
        let all: Vec<[usize; 2]> = (0..6).map(|index| pair(3, index)).collect();
        assert_eq!(all, [[0, 1], [1, 2], [2, 0], [0, 2], [1, 0], [2, 1]]);
    }

    #[test]
    fn frames_are_logged_as_the_rules_say() {
        let calibrated = Calibrated::read(None).expect("shipped");
        let players =
            [("a", 2.0), ("b", 2.0)].map(|(name, skill)| Shooter { name: name.to_owned(), skill });
        let policy: AgentSpec = "threshold".parse().expect("a policy");
        let simulator = Simulator::new(&calibrated, &players, &policy).expect("games");
        let (mut shots, mut wins) = (0, 0);
        let frames = 2_000;
        for index in 0..frames {
            let frame = simulator.frame(7, index).expect("a frame");
            assert_eq!(frame, simulator.frame(7, index).expect("the same frame"));
            shots += frame.shots.len();
            wins += usize::from(frame.winner == Some(frame.breaker));
            // The last shot pots the 8, cleanly or not.
            let last = frame.shots.last().expect("a shot");
            assert_eq!(last.call, Call::Shot);
            assert!(last.result <= 2);
        }
        // Exact values: 26.4518 shots (standard deviation 9.88), 0.4911 for the breaker.
        let mean = shots as f64 / frames as f64;
        assert!((mean - 26.4518).abs() < 4.0 * 9.88 / (frames as f64).sqrt(), "{mean}");
        let share = wins as f64 / frames as f64;
        assert!((share - 0.4911).abs() < 4.0 * 0.5 / (frames as f64).sqrt(), "{share}");
    }
}
