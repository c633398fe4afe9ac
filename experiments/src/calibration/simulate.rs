//! Logs from the outcome model: frames of the definition's own game, each outcome named.

use super::definition::Calibrated;
use crate::shot_log::schema::{Call, Schema};
use anyhow::{Context as _, anyhow, bail, ensure};
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::frame::{Definition, FramePlay, Game, Policy, SEATS};
use cuebench_engine::rng::{Purpose, stream};
use rand::RngExt as _;
use rayon::prelude::*;
use std::collections::HashMap;

/// The most players of a simulated log.
pub const MAX_PLAYERS: usize = 200;
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

/// The games of all pairs of players.
#[derive(Debug)]
pub struct Simulator {
    pairs: Vec<Pair>,
    players: usize,
    schema: Schema,
    results: HashMap<String, (Call, usize)>,
    breaks: HashMap<String, usize>,
}

/// The game of two players, the first of whom breaks.
#[derive(Debug)]
struct Pair {
    seats: [usize; SEATS],
    game: Game,
    policies: [Policy; SEATS],
    /// The chance that a seat takes any open action in place of its policy's.
    explore: f64,
    /// The leave of every state.
    leaves: Vec<usize>,
}

impl Simulator {
    /// Lays out the games of every two players under the definition and a policy of it, as in
    /// `threshold` or `threshold:tau=0.4:explore=0.2` (the option `explore` is the chance of any
    /// open action in place of the policy's, so that every leave is shot at).
    ///
    /// # Errors
    /// When there are fewer than two players, the policy does not exist, or the game cannot be
    /// laid out.
    pub fn new(
        calibrated: &Calibrated,
        players: &[Shooter],
        policy: &AgentSpec,
    ) -> anyhow::Result<Self> {
        ensure!(
            (2..=MAX_PLAYERS).contains(&players.len()),
            "a log needs 2 to {MAX_PLAYERS} players, not {}",
            players.len()
        );
        let seats: Vec<[usize; SEATS]> = pairs(players.len()).collect();
        Self::of_pairs(calibrated, players, &seats, policy)
    }

    /// Lays out the games of the given pairs of players alone.
    ///
    /// # Errors
    /// When the policy does not exist or a game cannot be laid out.
    pub fn of_pairs(
        calibrated: &Calibrated,
        players: &[Shooter],
        seats: &[[usize; SEATS]],
        policy: &AgentSpec,
    ) -> anyhow::Result<Self> {
        let schema = calibrated.family.schema.clone();
        let laid_out = seats
            .par_iter()
            .map(|&seats| Pair::new(&calibrated.definition, &schema, players, seats, policy))
            .collect::<anyhow::Result<Vec<Pair>>>()?;
        Ok(Self {
            pairs: laid_out,
            players: players.len(),
            results: schema.results().map(|(id, call, at)| (id.to_owned(), (call, at))).collect(),
            breaks: schema.breaks.iter().enumerate().map(|(i, (id, _))| (id.clone(), i)).collect(),
            schema,
        })
    }

    /// The words of the log.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How many players there are.
    #[must_use]
    pub const fn players(&self) -> usize {
        self.players
    }

    /// Frame `index` under `seed`: pairs take turns, and so does the break.
    ///
    /// # Errors
    /// When the game draws several outcomes between two choices, or does not end.
    pub fn frame(&self, seed: u64, index: u64) -> anyhow::Result<Frame> {
        let pair = &self.pairs[(index % self.pairs.len() as u64) as usize];
        self.play(pair, seed, index)
    }

    /// A frame of the pair at place `pair`, with draws of index `index`.
    ///
    /// # Errors
    /// As [`Self::frame`], and when there is no such pair.
    pub fn frame_of(&self, pair: usize, seed: u64, index: u64) -> anyhow::Result<Frame> {
        let pair = self.pairs.get(pair).context("there is no such pair")?;
        self.play(pair, seed, index)
    }

    fn play(&self, pair: &Pair, seed: u64, index: u64) -> anyhow::Result<Frame> {
        let mut choices = stream(seed, Purpose::Agent, index);
        let mut play = FramePlay::new(&pair.game, stream(seed, Purpose::Log, index));
        let outcome = play
            .drawn()
            .and_then(|(_, id)| self.breaks.get(id).copied())
            .ok_or_else(|| anyhow!("the opening of a frame is not one break"))?;
        let mut shots = Vec::new();
        while let Some(view) = play.view() {
            ensure!(
                shots.len() < MAX_SHOTS,
                "frame {index} does not end within {MAX_SHOTS} shots; take another policy or skill"
            );
            let seat = view.seat();
            let explores = pair.explore > 0.0 && choices.random::<f64>() < pair.explore;
            let action = if explores {
                view.action_at(choices.random_range(0..view.action_count()))
            } else {
                pair.policies[seat].action(&view, || choices.random())
            };
            let action = action.context("the policy is of another game")?;
            let leave = pair.leaves[view.state().index()];
            play.apply(action);
            let Some(&(call, result)) = play.drawn().and_then(|(_, id)| self.results.get(id))
            else {
                bail!("an action does not draw exactly one outcome of a shot or a safety");
            };
            let (player, opponent) = (pair.seats[seat], pair.seats[1 - seat]);
            shots.push(Shot { player, opponent, leave, call, result });
        }
        let winner = play.result().and_then(|end| end.winner).map(|seat| pair.seats[seat as usize]);
        Ok(Frame { breaker: pair.seats[0], outcome, shots, winner })
    }
}

/// Ordered pairs such that in any stretch of them the players take turns: first every distance
/// round the table, then every player.
fn pairs(players: usize) -> impl Iterator<Item = [usize; SEATS]> {
    (1..players).flat_map(move |distance| {
        (0..players).map(move |first| [first, (first + distance) % players])
    })
}

impl Pair {
    fn new(
        definition: &Definition,
        schema: &Schema,
        players: &[Shooter],
        seats: [usize; SEATS],
        policy: &AgentSpec,
    ) -> anyhow::Result<Self> {
        let mut definition = definition.clone();
        for (seat, player) in seats.iter().enumerate() {
            definition.set_number(&format!("skill[{seat}]"), players[*player].skill)?;
        }
        let game = Game::compile_recording(&definition)?;
        let mut constants = constants(policy)?;
        let mut explore = 0.0;
        constants.retain(|(name, value)| {
            let known = name == "explore";
            explore = if known { *value } else { explore };
            !known
        });
        ensure!((0.0..=1.0).contains(&explore), "--policy {policy}: explore lies in 0..1");
        let policies =
            [game.policy(&policy.name, &constants, 0)?, game.policy(&policy.name, &constants, 1)?];
        let mut leaves = Vec::new();
        for view in game.views() {
            let leave = view
                .values()
                .into_iter()
                .find(|(name, _)| *name == "leave")
                .and_then(|(_, value)| {
                    let word = value.to_string();
                    schema.leaves.iter().position(|leave| *leave == word)
                })
                .ok_or_else(|| anyhow!("a seat chooses where the leave cannot be read"))?;
            let at = view.state().index();
            if leaves.len() <= at {
                leaves.resize(at + 1, 0);
            }
            leaves[at] = leave;
        }
        Ok(Self { seats, game, policies, explore, leaves })
    }
}

/// The constants that a policy's options replace.
///
/// # Errors
/// When an option is not a number.
pub fn constants(policy: &AgentSpec) -> anyhow::Result<Vec<(String, f64)>> {
    policy
        .options
        .iter()
        .map(|(name, value)| {
            let text = value.as_deref().unwrap_or_default();
            let number: f64 = text
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
                .ok_or_else(|| policy.bad_value(name, text, "a finite number"))?;
            Ok((name.clone(), number))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_take_turns() {
        let all: Vec<[usize; 2]> = pairs(3).collect();
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
