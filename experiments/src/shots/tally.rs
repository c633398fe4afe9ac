//! Counts of what random shots did, and what is wrong with one.

use cuebench_engine::shot::{
    Balls, Met, Outcome, Shot, ShotError, Sight, Trace, TraceEvent, TraceHash,
};
use cuebench_engine::table::Table;
use serde_json::{Map, Value, json};

/// Counts over shots; merging is commutative.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Events of all shots.
    pub events: u64,
    /// The hash of all shots.
    pub hash: TraceHash,
    most_events: u32,
    no_hit: u64,
    collisions: u64,
    rail_contacts: u64,
    jaw_contacts: u64,
    falls: u64,
    white_falls: u64,
    refused: u64,
    capped: u64,
    overlaps: u64,
    energy_gains: u64,
}

impl Tally {
    /// The counts of shot `index` alone.
    #[must_use]
    pub fn of(index: u64, played: Result<&Outcome, ShotError>) -> Self {
        let Ok(outcome) = played else { return Self { refused: 1, ..Self::default() } };
        let mut hash = TraceHash::default();
        hash.add(index, outcome);
        Self {
            events: u64::from(outcome.events),
            hash,
            most_events: outcome.events,
            no_hit: u64::from(outcome.first_hit.is_none()),
            collisions: outcome.collisions.len() as u64,
            rail_contacts: outcome.rail_contacts.len() as u64,
            jaw_contacts: u64::from(outcome.jaw_contacts),
            falls: outcome.falls.len() as u64,
            white_falls: u64::from(outcome.falls.iter().any(|fall| fall.ball == 0)),
            capped: u64::from(outcome.capped),
            ..Self::default()
        }
    }

    /// The same with checks of the final places and of the energy at every event.
    #[must_use]
    pub fn checked(index: u64, shot: &Shot) -> Self {
        match shot.table.trace(&shot.balls, shot.launch) {
            Ok((outcome, trace)) => Self {
                overlaps: u64::from(overlaps(&shot.table, &outcome, &trace)),
                energy_gains: u64::from(gains_energy(&trace)),
                ..Self::of(index, Ok(&outcome))
            },
            Err(error) => Self::of(index, Err(error)),
        }
    }

    /// The counts of both.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self {
            events: self.events + other.events,
            hash: self.hash.merge(other.hash),
            most_events: self.most_events.max(other.most_events),
            no_hit: self.no_hit + other.no_hit,
            collisions: self.collisions + other.collisions,
            rail_contacts: self.rail_contacts + other.rail_contacts,
            jaw_contacts: self.jaw_contacts + other.jaw_contacts,
            falls: self.falls + other.falls,
            white_falls: self.white_falls + other.white_falls,
            refused: self.refused + other.refused,
            capped: self.capped + other.capped,
            overlaps: self.overlaps + other.overlaps,
            energy_gains: self.energy_gains + other.energy_gains,
        }
    }

    /// Shots that show a defect of the engine.
    #[must_use]
    pub const fn failures(&self) -> u64 {
        self.refused + self.capped + self.overlaps + self.energy_gains
    }

    /// The counts by name.
    #[must_use]
    pub fn outcomes(&self) -> Map<String, Value> {
        [
            ("most_events", u64::from(self.most_events)),
            ("no_hit", self.no_hit),
            ("collisions", self.collisions),
            ("rail_contacts", self.rail_contacts),
            ("jaw_contacts", self.jaw_contacts),
            ("falls", self.falls),
            ("white_falls", self.white_falls),
            ("refused", self.refused),
            ("capped", self.capped),
            ("overlaps", self.overlaps),
            ("energy_gains", self.energy_gains),
        ]
        .into_iter()
        .map(|(name, count)| (name.to_owned(), json!(count)))
        .collect()
    }
}

/// Whether balls lie in one another afterwards, or any was in rubber at an event, by more than
/// rounding.
#[must_use]
pub fn overlaps(table: &Table, outcome: &Outcome, trace: &Trace) -> bool {
    let in_rubber = |event: &TraceEvent| {
        let mut alone = Balls::default();
        alone.at[0] = Some(event.after[0].at);
        !matches!(event.met, Met::Drop(_)) && table.check(&alone).is_err()
    };
    table.check(&outcome.balls).is_err() || trace.events.iter().any(in_rubber)
}

/// Whether balls leave a contact with balls or rails faster, in sum, than they came. (A jaw may
/// give back roll that it owes.)
#[must_use]
pub fn gains_energy(trace: &Trace) -> bool {
    trace.events.iter().any(|event| {
        let rolls = matches!(event.met, Met::Point(_) | Met::Facing(_) | Met::Mouth(_) | Met::Stop);
        !rolls && energy(event.after) > energy(event.before) + slack(event.before)
    })
}

fn energy(sights: [Sight; 2]) -> i128 {
    sights.iter().flat_map(|sight| sight.velocity).map(|v| i128::from(v).pow(2)).sum()
}

/// Rounding of velocities to whole µm/s.
fn slack(sights: [Sight; 2]) -> i128 {
    4 + 4 * sights
        .iter()
        .flat_map(|sight| sight.velocity)
        .map(|v| i128::from(v.abs()))
        .sum::<i128>()
}
