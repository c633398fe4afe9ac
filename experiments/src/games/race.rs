//! The race at the command line: its options as texts, its records as text and drawings.

use super::{Drawing, Loaded, Playable};
use crate::command::{Exit, run};
use crate::experiment::grid::Setting;
use crate::experiment::source::Source;
use crate::experiment::{Overrides, race};
use crate::race_drawing::draw_stroke;
use anyhow::{anyhow, bail};
use cuebench_agents::record::{Record, Step};
use cuebench_agents::spec::nearest;
use cuebench_engine::game::Game as _;
use cuebench_engine::shot::Stroke;
use cuebench_engine::snooker::{Action, AimNoise, Ball, Closed, Race};
use std::fmt::Write as _;
use std::path::Path;

/// What can be set.
const PARAMETERS: [&str; 6] = ["pockets", "layout", "table", "order", "max_shots", "noise"];

/// The race under `settings`.
///
/// # Errors
/// Unknown options, with the nearest known one, and values out of range: one line each.
pub fn of_settings(settings: &[Setting]) -> anyhow::Result<Race> {
    let mut race = Race::default();
    let options = &mut race.options;
    for Setting { name, value } in settings {
        match name.as_str() {
            "pockets" => {
                options.pockets = serde_json::from_value(value.as_str().into())
                    .map_err(|_| anyhow!("pockets is `{value}`; it must be snooker or pool"))?;
            }
            "layout" => options.layout = value.parse()?,
            "table" => options.table = value.parse()?,
            "order" => options.order = value.parse()?,
            "max_shots" => options.max_shots = value.parse()?,
            "noise" => race.noise = AimNoise::parse(value)?,
            _ => {
                let near = nearest(name, &PARAMETERS);
                let near = near.map_or_else(String::new, |n| format!(" (did you mean `{n}`?)"));
                let known = PARAMETERS.join(", ");
                bail!("the race has no option `{name}`{near}; it has: {known}");
            }
        }
    }
    Ok(race)
}

impl Playable for Race {
    fn load(settings: &[Setting], _: &Path) -> anyhow::Result<Loaded<Self>> {
        Ok(Loaded { game: of_settings(settings)?, sources: vec![] })
    }

    fn narrate(&self, record: &Record, _: [&str; 2]) -> anyhow::Result<String> {
        let start = self.start(record.seed());
        let values = start.table(0).values();
        let mut text = String::new();
        writeln!(text, "cloth {} mm/s², restitution {} ‰", values.cloth, values.restitution)?;
        let balls = &serde_json::to_value(start.table(0).observe())?["balls"];
        writeln!(text, "start {balls}")?;
        let mut seats = [String::new(), String::new()];
        let end = record.replay(self, |step| line(&mut seats[step.seat & 1], step))?;
        for (seat, strokes) in seats.iter().enumerate().take(if self.alone { 1 } else { 2 }) {
            let result = end.result(seat);
            let closed = end.table(seat).closed().map_or("not closed", Closed::name);
            writeln!(text, "seat {seat}\n{strokes}")?;
            text.pop();
            writeln!(text, "     {closed}, score {}, {} strokes", result.score, result.strokes)?;
        }
        Ok(text)
    }

    fn draw(&self, record: &Record) -> anyhow::Result<Vec<Drawing>> {
        let mut drawings = Vec::new();
        let mut failure = None;
        record.replay(self, |step| {
            if failure.is_none() {
                match draw(step) {
                    Ok(drawing) => drawings.push(drawing),
                    Err(error) => failure = Some(error),
                }
            }
        })?;
        failure.map_or(Ok(drawings), Err)
    }

    fn experiment(
        source: &Source,
        overrides: &Overrides,
        args: &run::Args,
    ) -> anyhow::Result<Exit> {
        run::carry_out(&race::resolve(source, overrides)?, args)
    }
}

/// A stroke as a line of text.
fn line(text: &mut String, step: &Step<'_, Race>) {
    let view = step.after.table(step.seat).observe();
    let fouls: Vec<&str> = view.fouls.iter().map(|foul| foul.name()).collect();
    let Action { angle, power } = step.action;
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{:>3}  {angle:>6} {power:>4}  {:>6} ms  score {:>3}  potted [{}]  {}",
        view.strokes,
        step.time_ms,
        view.score,
        names(&view.potted).join(" "),
        fouls.join(" ")
    );
}

fn draw(step: &Step<'_, Race>) -> anyhow::Result<Drawing> {
    let (before, view) = (step.before.table(step.seat), step.after.table(step.seat).observe());
    let Action { angle, power } = *step.action;
    let or_none = |names: Vec<&'static str>| match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    };
    let text = [
        format!(
            "seat {}, stroke {}: angle {angle}, power {power}; first hit {}; potted {}",
            step.seat,
            view.strokes,
            view.first_hit.map_or("none", |ball| ball.name()),
            or_none(names(&view.potted)),
        ),
        format!(
            "score {}; fouls {}",
            view.score,
            or_none(view.fouls.iter().map(|foul| foul.name()).collect())
        ),
    ];
    let launch = before.launch(Stroke::new(angle, power)?);
    let svg = draw_stroke(before.table(), before.balls(), launch, &text)?;
    Ok(Drawing { name: format!("seat{}-{:02}", step.seat, view.strokes), svg })
}

fn names(balls: &[Ball]) -> Vec<&'static str> {
    balls.iter().map(|ball| ball.name()).collect()
}
