//! A frame as a log that a player reads: the break and what came of it, each call with its
//! difficulty and chances, the outcome, what is left, and who is next.

use anyhow::Context as _;
use cuebench_engine::frame::{Game, Story, Teller, Told, Value, View};
use cuebench_engine::rng::Rng;
use std::fmt::Write as _;

/// The log of the frame of `game` that draws from `rng` and in which `actions` were chosen, one line
/// a break or call, and a last one on how it ended.
///
/// # Errors
/// When the game is too large to be told, or an action is not open.
pub fn frame_log<'a>(
    game: &Game,
    rng: Rng,
    actions: impl IntoIterator<Item = &'a str>,
) -> anyhow::Result<Vec<String>> {
    let teller = Teller::new(game)?;
    let mut story = teller.begin(rng);
    let mut lines = vec![opening(&story)];
    for (number, action) in (1..).zip(actions) {
        let view = story.view().context("the record goes on after the end of the frame")?;
        let id = view
            .action(action)
            .with_context(|| format!("the record has an action `{action}` that is not open"))?;
        story.apply(id);
        lines.push(call(number, &view, action, &story));
    }
    lines.push(match story.result() {
        None => "The frame was not played to its end.".to_owned(),
        Some(end) => {
            let reason = words(&end.reason);
            let after = format!("{} shots", story.shots());
            match end.winner {
                Some(seat) => format!("Seat {seat} wins after {after}: {reason}."),
                None => format!("Nobody wins after {after}: {reason}."),
            }
        }
    });
    Ok(lines)
}

fn opening(story: &Story<'_>) -> String {
    let mut line = "break  ".to_owned();
    let outcomes: Vec<String> = story.told().iter().map(outcome).collect();
    line += if outcomes.is_empty() { "the frame begins" } else { "" };
    line += &outcomes.join(", ");
    if let Some(view) = story.view() {
        let _ = write!(line, "; {}", position(&view));
        let _ = write!(line, "; seat {} is at the table", view.seat());
    }
    line
}

fn call(number: u64, before: &View<'_>, action: &str, story: &Story<'_>) -> String {
    let seat = before.seat();
    let mut line = format!("{number:>5}  seat {seat}: {}", words(action));
    for told in story.told() {
        let inputs: Vec<String> =
            told.inputs.iter().filter(|(name, _)| *name != "s").map(input).collect();
        if !inputs.is_empty() {
            let _ = write!(line, " ({})", inputs.join(", "));
        }
        let _ = write!(line, ": {}", outcome(told));
    }
    let Some(after) = story.view() else { return line };
    let changes = changes(before, &after);
    if !changes.is_empty() {
        let _ = write!(line, "; {}", changes.join(", "));
    }
    let next = after.seat();
    let _ = match next == seat {
        true => write!(line, "; seat {next} goes on"),
        false => write!(line, "; seat {next} is next"),
    };
    line
}

/// An outcome and how likely it was.
fn outcome(told: &Told<'_>) -> String {
    format!("{} ({})", words(told.outcome), percent(told.chance))
}

/// A derived value of a model: chances in per cent, the rest as it is.
fn input((name, value): &(&str, Value)) -> String {
    match (name.strip_prefix("p_"), value.number()) {
        (Some(chance), Some(p)) if (0.0..=1.0).contains(&p) => {
            format!("{} {}", words(chance), percent(p))
        }
        (_, Some(number)) => {
            let name = if *name == "d" { "difficulty".to_owned() } else { words(name) };
            format!("{name} {}", rounded(number))
        }
        _ => format!("{} {value}", words(name)),
    }
}

fn percent(p: f64) -> String {
    format!("{:.1} %", 100.0 * p)
}

/// At most three decimals.
fn rounded(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// The values of a state that a player cares for, as `name value`.
fn values(view: &View<'_>) -> Vec<(String, Value)> {
    let mut values = Vec::new();
    for (name, value) in view.values() {
        match value {
            Value::List(seats) => {
                for (seat, value) in seats.iter().enumerate() {
                    values.push((format!("{name} of seat {seat}"), value.clone()));
                }
            }
            Value::Dict(entries) => {
                for (key, value) in entries.iter() {
                    values.push((format!("{key} {name}"), value.clone()));
                }
            }
            value => values.push((name.to_owned(), value)),
        }
    }
    values
}

/// Said elsewhere in a line.
const SAID: [&str; 1] = ["shooter"];

fn position(view: &View<'_>) -> String {
    let shown = values(view).into_iter().filter(|(name, _)| !SAID.contains(&name.as_str()));
    shown.map(|(name, value)| said(&name, &value)).collect::<Vec<_>>().join(", ")
}

fn changes(before: &View<'_>, after: &View<'_>) -> Vec<String> {
    let old = values(before);
    let same = |now: &(String, Value)| old.iter().any(|was| was == now);
    let mut changed: Vec<String> = Vec::new();
    for (name, value) in values(after) {
        let shown = !SAID.contains(&name.as_str())
            && (name == "leave" || !same(&(name.clone(), value.clone())));
        if shown {
            changed.push(said(&name, &value));
        }
    }
    changed
}

fn said(name: &str, value: &Value) -> String {
    let text = value.to_string();
    match (name, text.strip_prefix("bih_")) {
        ("leave", Some("anywhere")) => "ball in hand anywhere".to_owned(),
        ("leave", Some("kitchen")) => "ball in hand behind the head string".to_owned(),
        _ => format!("{} {}", words(name), words(&text)),
    }
}
