//! Chess pool at the command line.

use super::{Drawing, Loaded, Playable};
use crate::chess_pool::drawing::{draw_position, draw_shot};
use crate::chess_pool::playthrough::{Playthrough, Step, answer};
use crate::chess_pool::referee::ending;
use crate::chess_pool::setup::Setup;
use crate::command::{Exit, run};
use crate::experiment::grid::Setting;
use crate::experiment::source::Source;
use crate::experiment::{Overrides, chess_pool};
use anyhow::anyhow;
use cuebench_agents::record::{self, Record};
use cuebench_engine::chess_pool::action::Action;
use cuebench_engine::chess_pool::game::ChessPool;
use cuebench_engine::chess_pool::notation::of_outcome;
use cuebench_engine::chess_pool::play::{Event, LastShot};
use cuebench_engine::chess_pool::reason::Reason;
use cuebench_engine::shot::Stroke;
use serde_json::{Map, Value};
use std::path::Path;

impl Playable for ChessPool {
    fn load(settings: &[Setting], _: &Path) -> anyhow::Result<Loaded<Self>> {
        let (mut breaker, mut rest) = (0, vec![]);
        for setting in settings {
            match (setting.name.as_str(), setting.value.as_str()) {
                ("breaker", "0") => breaker = 0,
                ("breaker", "1") => breaker = 1,
                ("breaker", other) => return Err(anyhow!("breaker={other}: a seat is 0 or 1")),
                _ => rest.push(setting.clone()),
            }
        }
        let Setup { table, rules } = Setup::of(&rest).map_err(|error| anyhow!(error))?;
        Ok(Loaded { game: Self { table, rules, breaker }, sources: vec![] })
    }

    fn narrate(&self, record: &Record, [one, other]: [&str; 2]) -> anyhow::Result<String> {
        let Self { table, rules, breaker } = *self;
        let heading = format!(
            "chess pool, seed {}: seat 0 {one}, seat 1 {other}; seat {breaker} breaks",
            record.seed
        );
        let mut text = Playthrough::new(&[heading], &Setup { table, rules }, breaker);
        let end = record.replay(self, |step| tell(self, &mut text, step))?;
        let shots = end.frame().shots();
        let ending = match record.broke_off.first() {
            Some((seat, why, _)) => {
                format!("seat {seat} fails after {shots} shots: {}", why.name())
            }
            None => ending(end.frame()),
        };
        Ok(text.finish(&format!("end: {ending}")))
    }

    /// Every answer: the shots as they ran, the others as the balls lie.
    fn draw(&self, record: &Record) -> anyhow::Result<Vec<Drawing>> {
        let mut drawings = vec![];
        record.replay(self, |step| drawings.push(draw(self, step)))?;
        drawings.into_iter().collect()
    }

    fn summary_follows() -> bool {
        false
    }

    fn explained(&self, step: &record::Step<'_, Self>) -> Map<String, Value> {
        let (mut again, mut shot) = (*step.before.frame(), LastShot::default());
        let mut reasons: Vec<String> = vec![];
        let because = |reason: Reason| reasons.push(reason.to_string());
        let event = again.apply_explained(&self.table, step.action, &mut shot, because);
        let verdict = match event {
            Ok(Event::Break(verdict)) => serde_json::to_value(verdict),
            Ok(Event::Shot(verdict)) => serde_json::to_value(verdict),
            _ => return Map::new(),
        };
        let told = [
            ("shot", of_outcome(&shot.outcome).into()),
            ("verdict", verdict.unwrap_or_default()),
            ("reasons", reasons.into()),
        ];
        told.map(|(name, value): (&str, Value)| (name.to_owned(), value)).into_iter().collect()
    }

    fn experiment(
        source: &Source,
        overrides: &Overrides,
        args: &run::Args,
    ) -> anyhow::Result<Exit> {
        run::carry_out(&chess_pool::resolve(source, overrides)?, args)
    }
}

fn draw(game: &ChessPool, step: &record::Step<'_, ChessPool>) -> anyhow::Result<Drawing> {
    let board = (&game.table, game.rules.options.grid);
    let after = step.after.frame();
    let lines = [format!("{}. seat {} {}", after.shots(), step.seat, answer(step.action))];
    let svg = match *step.action {
        Action::Break { angle, power, .. } | Action::Shot { angle, power, .. } => {
            let launch = Stroke::new(angle, power)?.into();
            draw_shot(board, &step.after.last_shot().before, launch, &lines)?
        }
        Action::Side { .. } | Action::King { .. } => draw_position(board, after.balls(), &lines),
    };
    Ok(Drawing { name: format!("{:03}", step.number), svg })
}

/// Adds a step and the reasons for its verdict, which judging it again gives.
fn tell(game: &ChessPool, text: &mut Playthrough, step: &record::Step<'_, ChessPool>) {
    let (mut again, mut shot) = (*step.before.frame(), LastShot::default());
    let mut reasons = vec![];
    let event =
        again.apply_explained(&game.table, step.action, &mut shot, |reason| reasons.push(reason));
    if let Ok(event) = event {
        text.step(&Step {
            seat: step.seat,
            action: step.action,
            event: &event,
            shot: &shot,
            reasons: &reasons,
            after: step.after.frame(),
        });
    }
}
