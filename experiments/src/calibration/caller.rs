//! Who calls: an agent of the definition, any other agent, or the shares of calls that a log shows.

use super::board::Board;
use super::definition::Calibrated;
use crate::shot_log::schema::Call;
use anyhow::{Context as _, ensure};
use cuebench_agents::frame as roster;
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::frame::{Game, Policy, Rule, SEATS, StateId};
use cuebench_engine::rng::Rng;
use rand::RngExt as _;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The chance of a shot, against a safety, for each player at each leave.
pub type Shares = Vec<Vec<f64>>;

/// Who calls for the players.
#[derive(Clone, Debug)]
pub enum Caller {
    /// An agent, and by its option `explore` any open action in its place.
    Agent(AgentSpec),
    /// The shares of a log.
    Log(Shares),
}

/// A caller who knows the game.
#[derive(Debug)]
pub struct Calls {
    by: By,
    /// The chance of any open action in place of the caller's.
    explore: f64,
}

#[derive(Debug)]
enum By {
    Rule(Box<Rule>),
    Shares(Shares),
    /// Policies of pairs of players, made when a pair first plays.
    Pairs {
        calibrated: Box<Calibrated>,
        skills: Vec<f64>,
        agent: AgentSpec,
        known: Mutex<HashMap<[usize; SEATS], Arc<[Policy; SEATS]>>>,
    },
}

/// An agent's text without its option `explore`, and that option.
///
/// # Errors
/// When the option is no chance.
pub fn explored(agent: &AgentSpec) -> anyhow::Result<(AgentSpec, f64)> {
    let explore = agent.value("explore", 0.0, "a chance, 0 to 1")?;
    ensure!((0.0..=1.0).contains(&explore), "agent `{agent}`: explore lies in 0..1");
    let mut plain = agent.clone();
    plain.options.retain(|(name, _)| name != "explore");
    Ok((plain, explore))
}

impl Caller {
    /// The caller on a board.
    ///
    /// # Errors
    /// When the agent or an option does not exist.
    pub fn calls(
        &self,
        board: &Board,
        calibrated: &Calibrated,
        skills: &[f64],
    ) -> anyhow::Result<Calls> {
        let agent = match self {
            Self::Log(shares) => {
                return Ok(Calls { by: By::Shares(shares.clone()), explore: 0.0 });
            }
            Self::Agent(agent) => agent,
        };
        let (plain, explore) = explored(agent)?;
        let own = calibrated.definition.agents().any(|(name, _)| name == plain.name);
        let by = if own {
            let rule = board.game.rule(&calibrated.definition, &plain.name, &constants(&plain)?)?;
            By::Rule(Box::new(rule))
        } else {
            // What is wrong with the text shows before the first frame.
            let first = board.game_of(calibrated, [skills[0], skills[1]], 0.0)?;
            roster::policies(&first, [&plain, &plain])?;
            let (calibrated, skills) = (Box::new(calibrated.clone()), skills.to_vec());
            By::Pairs { calibrated, skills, agent: plain, known: Mutex::default() }
        };
        Ok(Calls { by, explore })
    }

    /// The policies of two players in a game with their skills; `players` are their places in the
    /// shares of a log.
    ///
    /// # Errors
    /// When the agent or an option does not exist, or its policy fails.
    pub fn policies(
        &self,
        board: &Board,
        game: &Game,
        players: [usize; SEATS],
    ) -> anyhow::Result<[Policy; SEATS]> {
        match self {
            Self::Log(shares) => {
                Ok([0, 1]
                    .map(|seat| mixed(board, game, seat, |leave| shares[players[seat]][leave])))
            }
            Self::Agent(agent) => {
                let (plain, explore) = explored(agent)?;
                let [first, second] = roster::policies(game, [&plain, &plain])?;
                Ok([game.explored(&first, explore), game.explored(&second, explore)])
            }
        }
    }
}

/// The policy of a seat that shoots with a chance that hangs on the leave alone.
fn mixed(board: &Board, game: &Game, seat: usize, share: impl Fn(usize) -> f64) -> Policy {
    game.policy_mixed(seat, |view| {
        let place = &board.places[view.state().index()];
        let shot = share(place.leave);
        let chance = |call: Option<Call>| if call == Some(Call::Shot) { shot } else { 1.0 - shot };
        place.options.iter().map(|(call, _)| chance(*call)).collect()
    })
}

impl Calls {
    /// The option taken at a state by the seat whose choice it is.
    ///
    /// # Errors
    /// When a policy fails.
    pub fn option(
        &self,
        board: &Board,
        state: StateId,
        players: [usize; SEATS],
        skills: [f64; SEATS],
        choices: &mut Rng,
    ) -> anyhow::Result<usize> {
        let place = &board.places[state.index()];
        let count = place.options.len();
        if self.explore > 0.0 && choices.random::<f64>() < self.explore {
            return Ok(choices.random_range(0..count));
        }
        let seat = place.seat.unwrap_or_default();
        match &self.by {
            By::Rule(rule) => Ok(board.game.follow(rule, state, skills)?),
            By::Shares(shares) => {
                let shoots = choices.random::<f64>() < shares[players[seat]][place.leave];
                let wanted = if shoots { Call::Shot } else { Call::Safety };
                let found = place.options.iter().position(|(call, _)| *call == Some(wanted));
                Ok(found.unwrap_or_default())
            }
            By::Pairs { calibrated, skills, agent, known } => {
                let found =
                    known.lock().unwrap_or_else(PoisonError::into_inner).get(&players).cloned();
                let policies = match found {
                    Some(policies) => policies,
                    None => {
                        let skills = players.map(|player| skills[player]);
                        let game = board.game_of(calibrated, skills, 0.0)?;
                        let made = Arc::new(roster::policies(&game, [agent, agent])?);
                        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                        known.insert(players, made.clone());
                        made
                    }
                };
                let view = board.game.view_at(state);
                let action = policies[seat].action(&view, || choices.random());
                let action = action.context("the policy is of another game")?;
                Ok(view.place_of(action))
            }
        }
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
