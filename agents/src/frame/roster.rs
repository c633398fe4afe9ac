//! Texts such as `threshold:tau=0.4` to policies and agents.

use super::PolicyAgent;
use super::learned::{LearnedTable, MAX_TABLE_BYTES};
use crate::player::Player;
use crate::roster::{Entry, Opt, Roster};
use crate::spec::{AgentSpec, SpecError, nearest};
use cuebench_engine::frame::{FrameError, Game, Policy, SEATS};
use cuebench_engine::game::Seat;
use std::fs::File;
use std::io::Read as _;

/// Agents that play every definition; the definition's own come on top and go first.
pub const BUILT_IN: [&str; 5] = ["best_response", "learned", "optimal", "random", "search"];

/// Beyond a depth of 1000 nothing changes in games of this kind.
const DEPTH: Opt =
    Opt::new("depth", "a number of decisions of either seat, a whole number from 1 to 1000", "4");
const LEAF: Opt = Opt::new(
    "leaf",
    "what a frame is taken for worth to seat 0 where the search stops, a number from 0 to 1",
    "0.5",
);
const SEARCH: &[Opt] = &[DEPTH, LEAF];
const THRESHOLD: &[Opt] = &[Opt::new("tau", "a chance from 0 to 1", "the definition's")];

/// Why an agent cannot be had for a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameAgentError {
    /// The text is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The game refuses.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// Every agent name that plays `game`, its definition's own first.
#[must_use]
pub fn known_agents(game: &Game) -> Vec<String> {
    let own = game.definition().agents().filter(|(_, policy)| *policy).map(|(name, _)| name);
    let mut known: Vec<String> = own.map(str::to_owned).collect();
    for name in BUILT_IN {
        if !known.iter().any(|own| own == name) {
            known.push(name.to_owned());
        }
    }
    known
}

/// The policies of both seats. `best_response` answers the other seat's agent.
///
/// # Errors
/// When an agent or option is unknown (with the nearest name), a value is out of range, or the
/// game refuses the policy.
pub fn policies(
    game: &Game,
    specs: [&AgentSpec; SEATS],
) -> Result<[Policy; SEATS], FrameAgentError> {
    let answers = [0, 1].map(|seat| is_answer(game, specs[seat]));
    Ok(match answers {
        [false, false] => [policy(game, specs[0], 0)?, policy(game, specs[1], 1)?],
        [false, true] => {
            let first = policy(game, specs[0], 0)?;
            let answer = game.best_response(1, &first)?;
            [first, answer]
        }
        [true, false] => {
            let second = policy(game, specs[1], 1)?;
            [game.best_response(0, &second)?, second]
        }
        [true, true] => return Err(endless(specs[0]).into()),
    })
}

impl Roster for Game {
    fn entries(&self) -> Vec<Entry> {
        let about = |name: &str| match name {
            "best_response" => "the best answer to the other seat's agent",
            "learned" => "a table learned by self-play; a word is a file of one",
            "optimal" => "minimax: no opponent can do better against it",
            "random" => "any open action",
            "search" => "looks some decisions ahead",
            _ => "an agent of the definition; its options are constants that its policy reads",
        };
        let options = |name: &str| match name {
            "search" => SEARCH,
            "threshold" => THRESHOLD,
            _ => &[],
        };
        let entry = |name: &String| Entry::new(name, about(name), options(name));
        known_agents(self).iter().map(entry).collect()
    }

    fn player(
        &self,
        spec: &AgentSpec,
        seat: Seat,
        opponent: Option<&AgentSpec>,
    ) -> Result<Box<dyn Player<Self>>, SpecError> {
        let refused = |error: FrameAgentError| match error {
            FrameAgentError::Spec(error) => error,
            FrameAgentError::Frame(error) => unusable(spec, &error.to_string()),
        };
        let policy = if is_answer(self, spec) {
            let Some(opponent) = opponent else {
                let reason = "it answers an opponent with a known policy; name a built-in one";
                return Err(unusable(spec, reason));
            };
            let specs = if seat == 0 { [spec, opponent] } else { [opponent, spec] };
            let [first, second] = policies(self, specs).map_err(refused)?;
            if seat == 0 { first } else { second }
        } else {
            policy(self, spec, seat).map_err(refused)?
        };
        Ok(Box::new(PolicyAgent::new(policy)))
    }
}

/// Whether `spec` is the built-in `best_response`.
fn is_answer(game: &Game, spec: &AgentSpec) -> bool {
    spec.name == "best_response" && spec.options.is_empty() && !is_own(game, &spec.name)
}

fn is_own(game: &Game, name: &str) -> bool {
    game.definition().agents().any(|(own, _)| own == name)
}

fn unusable(spec: &AgentSpec, reason: &str) -> SpecError {
    SpecError::Unusable { agent: spec.name.clone(), reason: reason.to_owned() }
}

fn endless(spec: &AgentSpec) -> SpecError {
    unusable(spec, "both seats answer each other; use `optimal`, where neither can do better")
}

/// The policy of an agent that needs no other.
fn policy(game: &Game, spec: &AgentSpec, seat: usize) -> Result<Policy, FrameAgentError> {
    if is_own(game, &spec.name) {
        return own(game, spec, seat);
    }
    match spec.name.as_str() {
        "random" => {
            spec.only(&[])?;
            Ok(game.random_policy())
        }
        "optimal" => {
            spec.only(&[])?;
            let [first, second] = game.optimal()?;
            Ok(if seat == 0 { first } else { second })
        }
        "search" => search(game, spec, seat),
        "learned" => learned(game, spec, seat),
        "best_response" => Err(spec.only(&[]).err().unwrap_or_else(|| endless(spec)).into()),
        _ => {
            let known = known_agents(game);
            Err(SpecError::UnknownAgent {
                name: spec.name.clone(),
                nearest: nearest(&spec.name, &known).map(str::to_owned),
                known,
            }
            .into())
        }
    }
}

/// An agent of the definition; its options are constants that its policy reads.
fn own(game: &Game, spec: &AgentSpec, seat: usize) -> Result<Policy, FrameAgentError> {
    let mut constants = Vec::with_capacity(spec.options.len());
    for (key, value) in &spec.options {
        let text = value.as_deref().unwrap_or_default();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => constants.push((key.clone(), number)),
            _ => return Err(spec.bad_value(key, text, "a finite number").into()),
        }
    }
    Ok(game.policy(&spec.name, &constants, seat)?)
}

fn search(game: &Game, spec: &AgentSpec, seat: usize) -> Result<Policy, FrameAgentError> {
    spec.only(&["depth", "leaf"])?;
    let depth = DEPTH.number(spec, [1, 1_000])?;
    Ok(game.search_policy(seat, depth, LEAF.number(spec, [0.0, 1.0])?))
}

/// The table that ships with the project, trained on the shipped definition.
const SHIPPED: &str = include_str!("../../models/eightball.json");

/// `learned`, or `learned:FILE`.
fn learned(game: &Game, spec: &AgentSpec, seat: usize) -> Result<Policy, FrameAgentError> {
    let text = match &spec.options[..] {
        [] => SHIPPED.to_owned(),
        [(file, None)] => read(file).map_err(|why| unusable(spec, &format!("{file}: {why}")))?,
        _ => return Err(unusable(spec, "write it as learned or learned:FILE").into()),
    };
    let table = LearnedTable::parse(&text).and_then(|table| table.policy(game, seat));
    Ok(table.map_err(|error| unusable(spec, &error.to_string()))?)
}

fn read(file: &str) -> Result<String, String> {
    let mut text = String::new();
    let opened = File::open(file).map_err(|error| format!("cannot be read: {error}"))?;
    let read = opened.take(MAX_TABLE_BYTES + 1).read_to_string(&mut text);
    match read {
        Ok(length) if length as u64 > MAX_TABLE_BYTES => {
            Err(format!("larger than {MAX_TABLE_BYTES} bytes; is it the right file?"))
        }
        Ok(_) => Ok(text),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}
