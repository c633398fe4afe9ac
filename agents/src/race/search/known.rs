//! A known table: one set of values, on which every planned stroke comes out exactly as planned.

use super::budget::Budget;
use crate::aim::{Pockets, Scene};
use cuebench_engine::shot::{Balls, Launch, Layout, Outcome};
use cuebench_engine::table::{Table, TableSpec};

/// A table to plan on, with the buffers that planning reuses.
pub struct Known<'t> {
    table: Table,
    pockets: &'t Pockets,
    /// The position that was played from last: most strokes are tried from one and the same.
    layout: Option<Layout>,
    outcome: Outcome,
}

impl<'t> Known<'t> {
    /// A table to plan on; `pockets` are its own.
    #[must_use]
    pub fn new(table: Table, pockets: &'t Pockets) -> Self {
        Self { table, pockets, layout: None, outcome: Outcome::default() }
    }

    /// The position as geometry sees it.
    #[must_use]
    pub fn scene(&self, balls: &Balls) -> Scene<'t> {
        let restitution = f64::from(self.table.spec().restitution) / 1000.0;
        Scene::new(self.pockets, restitution, balls)
    }

    /// Pockets and values of the table.
    #[must_use]
    pub fn spec(&self) -> TableSpec {
        self.table.spec()
    }

    /// Cloth speed, mm/s².
    #[must_use]
    pub fn cloth(&self) -> f64 {
        self.table.spec().cloth.into()
    }

    /// Plays a stroke; `None` when the budget is spent or the engine refuses.
    pub fn play(&mut self, balls: &Balls, launch: Launch, budget: &mut Budget) -> Option<&Outcome> {
        if !budget.spend() {
            return None;
        }
        if self.layout.as_ref().is_none_or(|layout| layout.balls() != balls) {
            self.layout = self.table.layout(balls).ok();
        }
        self.layout.as_ref()?.launch_into(launch, &mut self.outcome);
        (!self.outcome.capped).then_some(&self.outcome)
    }
}
