//! A frame between two agents.

use super::agent::{ChessPoolAgent, ChessPoolEnd, ChessPoolStart};
use super::tally::Tally;
use super::view::View;
use crate::clock::Clock;
use crate::fault::Fault;
use cuebench_engine::chess_pool::action::{Action, Phase};
use cuebench_engine::chess_pool::frame::{Rules, Seat, State};
use cuebench_engine::chess_pool::play::{Event, LastShot};
use cuebench_engine::chess_pool::reason::Reason;
use cuebench_engine::table::Table;

/// What determines a frame, beside its agents.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The table.
    pub table: &'a Table,
    /// The rules.
    pub rules: Rules,
    /// Who breaks.
    pub breaker: Seat,
    /// The seed of the agents' draws.
    pub agent_seed: u64,
}

/// How a frame ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameResult {
    /// Who won; `None` for a draw, and when the harness itself failed.
    pub winner: Option<Seat>,
    /// Shots played, the break included.
    pub shots: u32,
    /// Who failed and how; the other seat has won then, unless the fault is the harness's own.
    pub fault: Option<(Seat, Fault)>,
    /// Counts of both seats.
    pub tallies: [Tally; 2],
}

/// One answer and what it did.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Who answered.
    pub seat: Seat,
    /// The state before.
    pub before: &'a State,
    /// The answer.
    pub action: &'a Action,
    /// What it did.
    pub event: &'a Event,
    /// The last shot; this step's, if it was one.
    pub shot: &'a LastShot,
    /// The rules that decided.
    pub reasons: &'a [Reason],
    /// The state after.
    pub after: &'a State,
}

/// Plays a frame with agents that are at seats 0 and 1.
pub fn play_frame(frame: &Frame<'_>, agents: [&mut dyn ChessPoolAgent; 2]) -> FrameResult {
    play(frame, agents, None)
}

/// As [`play_frame`]; `watch` sees every step.
pub fn watch_frame(
    frame: &Frame<'_>,
    agents: [&mut dyn ChessPoolAgent; 2],
    mut watch: impl FnMut(&Step<'_>),
) -> FrameResult {
    play(frame, agents, Some(&mut watch))
}

/// Somebody who sees every step.
type Watch<'a> = &'a mut dyn FnMut(&Step<'_>);

fn play(
    frame: &Frame<'_>,
    mut agents: [&mut dyn ChessPoolAgent; 2],
    mut watch: Option<Watch<'_>>,
) -> FrameResult {
    let mut state = State::new(frame.rules, frame.breaker);
    let mut tallies = [Tally::default(); 2];
    let mut fault = begin(frame, &mut agents);
    let mut shot = LastShot::default();
    let mut reasons = Vec::new();
    while fault.is_none() && state.phase() != Phase::Over {
        let seat = state.to_move();
        let before = state;
        let view = View { state: &before, table: frame.table };
        let answer = agents[seat].choose(&view, Clock::both(u64::MAX));
        let applied = answer.and_then(|action| {
            reasons.clear();
            let table = frame.table;
            let event = if watch.is_some() {
                let reason = |reason| reasons.push(reason);
                state.apply_explained(table, &action, &mut shot, reason)
            } else {
                state.apply(table, &action, &mut shot)
            };
            event.map(|event| (action, event)).map_err(|error| Fault::Illegal(error.to_string()))
        });
        match applied {
            Err(failure) => fault = Some((seat, failure)),
            Ok((action, event)) => {
                tallies[seat].count(&action, &event);
                if let Some(watch) = &mut watch {
                    watch(&Step {
                        seat,
                        before: &before,
                        action: &action,
                        event: &event,
                        shot: &shot,
                        reasons: &reasons,
                        after: &state,
                    });
                }
            }
        }
    }
    finish(&state, fault, tallies, &mut agents)
}

fn begin(frame: &Frame<'_>, agents: &mut [&mut dyn ChessPoolAgent; 2]) -> Option<(Seat, Fault)> {
    agents.iter_mut().enumerate().find_map(|(seat, agent)| {
        let start = ChessPoolStart {
            seat,
            breaker: frame.breaker,
            rules: frame.rules,
            table: frame.table,
            agent_seed: frame.agent_seed,
        };
        agent.new_game(&start).err().map(|fault| (seat, fault))
    })
}

fn finish(
    state: &State,
    fault: Option<(Seat, Fault)>,
    mut tallies: [Tally; 2],
    agents: &mut [&mut dyn ChessPoolAgent; 2],
) -> FrameResult {
    let winner = match &fault {
        None => state.winner(),
        Some((_, Fault::Void(_))) => None,
        Some((seat, _)) => Some(1 - seat),
    };
    let reason = fault.as_ref().map_or("play", |(_, fault)| fault.reason());
    for (agent, tally) in agents.iter_mut().zip(&mut tallies) {
        agent.game_over(&ChessPoolEnd { winner, reason });
        tally.sims = agent.sims();
    }
    FrameResult { winner, shots: state.shots(), fault, tallies }
}
