//! A game from its file, played again on the engine.

use super::drawing::draw_shot;
use super::game_file::{Entry, GameFile, Said};
use super::playthrough::{Playthrough, Step, answer};
use super::referee::{action, ending};
use anyhow::{Context as _, bail, ensure};
use cuebench_engine::chess_pool::action::Action;
use cuebench_engine::chess_pool::frame::State;
use cuebench_engine::chess_pool::notation::{of_notes, of_outcome, parse};
use cuebench_engine::chess_pool::play::{Event, LastShot};
use cuebench_engine::shot::Stroke;

/// A game, played again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// For people.
    pub text: String,
    /// The last shot as an image.
    pub svg: Option<String>,
}

/// Plays the strokes of `file` again and shows what they do, as `cuebench play` does, with the last
/// shot as an image if that is wanted. `heading` is commentary.
///
/// # Errors
/// A shot without a stroke, an answer that is not allowed, and whatever comes out otherwise than
/// the file says.
pub fn play_again(file: &GameFile, heading: &[String], svg: bool) -> anyhow::Result<Shown> {
    let (table, rules) = (&file.setup.table, file.setup.rules);
    let mut text = Playthrough::new(heading, &file.setup, file.breaker);
    let (mut state, mut shot) = (State::new(rules, file.breaker), LastShot::default());
    let mut image = None;
    for entry in &file.entries {
        let place = || format!("line {}", entry.line);
        let action = stroke_of(entry).with_context(place)?;
        let (before, mut reasons) = (state, vec![]);
        ensure!(
            entry.seat.is_none_or(|seat| seat == before.to_move()),
            "line {}: seat {} is asked",
            entry.line,
            before.to_move()
        );
        let event = state
            .apply_explained(table, &action, &mut shot, |reason| reasons.push(reason))
            .with_context(place)?;
        check(entry, &event, &shot).with_context(place)?;
        text.step(&Step {
            seat: before.to_move(),
            action: &action,
            event: &event,
            shot: &shot,
            reasons: &reasons,
            after: &state,
        });
        if let Action::Break { angle, power, .. } | Action::Shot { angle, power, .. } = action
            && svg
        {
            let launch = Stroke::new(angle, power)?.into();
            let board = (table, rules.options.grid);
            image = Some(draw_shot(board, &shot.before, launch, &[answer(&action)])?);
        }
    }
    let ours = ending(&state);
    let ending = match &file.ending {
        None => ours,
        Some((_, said)) if *said == ours || said.contains(" fails after ") => said.clone(),
        Some((line, said)) => {
            bail!("line {line}: the file says `{said}`, played again it is `{ours}`")
        }
    };
    Ok(Shown { text: text.finish(&format!("end: {ending}")), svg: image })
}

fn stroke_of(entry: &Entry) -> anyhow::Result<Action> {
    match entry.said {
        Said::Break { stroke: None, .. } | Said::Shot { stroke: None, .. } => {
            bail!("no angle and power to play again; `cuebench judge --game` takes real shots")
        }
        Said::Break { stroke: Some(stroke), .. } | Said::Shot { stroke: Some(stroke), .. } => {
            Ok(action(entry.said, stroke))
        }
        Said::Side(_) | Said::King(_) => Ok(action(entry.said, [0, 0])),
    }
}

/// Whether the shot came out as the file says.
fn check(entry: &Entry, event: &Event, shot: &LastShot) -> anyhow::Result<()> {
    if let Some(happened) = &entry.happened {
        let ours = of_outcome(&shot.outcome);
        // Falls may stand apart from the contacts that they came between.
        let same = parse(&ours).is_ok_and(|notes| notes == happened.notes);
        ensure!(same, "the file says `{}`, played again it is `{ours}`", of_notes(&happened.notes));
        ensure!(
            happened.after == shot.outcome.balls,
            "played again, balls come to rest in other places"
        );
    }
    let verdict = match event {
        Event::Break(verdict) => verdict.to_string(),
        Event::Shot(verdict) => verdict.to_string(),
        Event::Side | Event::King => return Ok(()),
    };
    let theirs = entry.verdict.as_ref().unwrap_or(&verdict);
    ensure!(*theirs == verdict, "the file says `{theirs}`, played again it is `{verdict}`");
    Ok(())
}
