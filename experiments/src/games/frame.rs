//! Frames of an outcome model at the command line.

use super::frame_drawing::{Decision, draw};
use super::{DEFINITION, Drawing, Loaded, Playable};
use crate::command::{Exit, run};
use crate::experiment::grid::Setting;
use crate::experiment::source::{Source, read_text};
use crate::experiment::{Overrides, frame};
use crate::frame_log::frame_log;
use anyhow::Context as _;
use cuebench_agents::record::Record;
use cuebench_engine::frame::{Definition, Game, MAX_BYTES};
use cuebench_engine::game::Game as _;
use cuebench_engine::rng::{Purpose, stream};
use std::path::Path;

/// Reads a definition and its text.
///
/// # Errors
/// When the file cannot be read, is too large or no definition: with place and remedy.
pub fn read_definition(path: &Path) -> anyhow::Result<(Definition, String)> {
    let text = read_text(path, MAX_BYTES as u64)?;
    let definition = Definition::parse(&text).with_context(|| path.display().to_string())?;
    Ok((definition, text))
}

impl Playable for Game {
    /// `definition` names a file, `skills` are those of seats 0 and 1 joined by a comma; everything
    /// else is a constant or variable of the definition.
    fn load(settings: &[Setting], home: &Path) -> anyhow::Result<Loaded<Self>> {
        let given = settings.iter().rev().find(|setting| setting.name == "definition");
        let (mut definition, sources) = match given {
            None => (Definition::shipped()?, vec![]),
            Some(Setting { value, .. }) => {
                let (definition, text) = read_definition(&home.join(value))?;
                (definition, vec![(DEFINITION, text)])
            }
        };
        for Setting { name, value } in settings.iter().filter(|s| s.name != "definition") {
            let name = if name == "skills" { "skill" } else { name };
            definition.set(name, value)?;
        }
        Ok(Loaded { game: Self::compile(&definition)?, sources })
    }

    fn narrate(&self, record: &Record, _: [&str; 2]) -> anyhow::Result<String> {
        let mut actions = vec![];
        record.replay(self, |step| {
            let view = self.view(step.before, step.seat);
            actions.push(view.action_name(*step.action).to_owned());
        })?;
        let draws = stream(record.seed().hidden, Purpose::Frames, 0);
        let lines = frame_log(self, draws, actions.iter().map(String::as_str))?;
        Ok(lines.into_iter().map(|line| line + "\n").collect())
    }

    fn draw(&self, record: &Record) -> anyhow::Result<Vec<Drawing>> {
        let mut decisions = Vec::new();
        let end = record.replay(self, |step| {
            let view = self.view(step.before, step.seat);
            let action = view.action_name(*step.action).to_owned();
            decisions.push(Decision { seat: step.seat, action, state: view.row() });
        })?;
        let svg = draw(&decisions, &self.columns(), &ending(self, &end));
        Ok(vec![Drawing { name: "frame".to_owned(), svg }])
    }

    fn experiment(
        source: &Source,
        overrides: &Overrides,
        args: &run::Args,
    ) -> anyhow::Result<Exit> {
        let threads = args.threads.pool()?;
        run::carry_out(&threads.install(|| frame::resolve(source, overrides))?, args)
    }
}

fn ending(game: &Game, end: &cuebench_engine::frame::FrameState) -> String {
    match game.verdict(end) {
        None => "not played to its end".to_owned(),
        Some(verdict) => match verdict.winner {
            Some(seat) => format!("{}: seat {seat} wins", verdict.decided_by),
            None => format!("{}: nobody wins", verdict.decided_by),
        },
    }
}
