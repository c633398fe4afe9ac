//! The definition's game as a table, laid out once for players of any skill: which leave a state
//! has, what may be called there, and where each result leads.

use super::definition::Calibrated;
use super::family::{Family, Lie, Role};
use crate::shot_log::schema::{Call, SAFETY_RESULTS, SHOT_RESULTS};
use anyhow::{anyhow, bail, ensure};
use cuebench_engine::frame::{Definition, Game, Onward, SEATS, StateId, Way};

/// Chances below this are laid out as if they were this, so that every result has its place.
const LEAST: f64 = 1e-9;

/// Where a way leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// To a state.
    State(StateId),
    /// To an end, with the seat that won.
    End(Option<usize>),
}

/// One way on: what was drawn on it, how likely it is once that was drawn, and where it leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Branch {
    /// What was drawn; nothing where only the table decides.
    pub role: Option<Role>,
    /// Its probability given what was drawn.
    pub share: f64,
    /// Where it leads.
    pub to: Next,
}

/// A state of the game.
#[derive(Clone, Debug)]
pub struct Place {
    /// The seat that chooses; none where only chance decides.
    pub seat: Option<usize>,
    /// The leave, as an index of the schema.
    pub leave: usize,
    /// The lie, as an index of [`Family::lies`].
    pub lie: usize,
    /// The ways on from each option, with its call.
    pub options: Vec<(Option<Call>, Vec<Branch>)>,
}

/// The game.
#[derive(Clone, Debug)]
pub struct Board {
    /// The game behind it; its chances are those of the definition at any skill.
    pub game: Game,
    /// The ways from the start to the first choice.
    pub opening: Vec<Branch>,
    /// The states, by number.
    pub places: Vec<Place>,
}

impl Board {
    /// Lays out the game of `calibrated`.
    ///
    /// # Errors
    /// When the game cannot be laid out, or draws several outcomes between two choices.
    pub fn new(calibrated: &Calibrated) -> anyhow::Result<Self> {
        let game = Game::compile_recording(&interior(calibrated)?)?;
        let family = &calibrated.family;
        let opening = branches(family, &game.opening());
        ensure!(
            opening.iter().all(|branch| matches!(branch.role, Some(Role::Break(_)))),
            "the opening of a frame is not one break"
        );
        let seats: Vec<Option<usize>> = game.seats().collect();
        let mut places: Vec<Place> = seats
            .into_iter()
            .enumerate()
            .map(|(i, seat)| {
                let options = game.ways(i);
                let options = options.iter().map(|row| option(family, row));
                Place { seat, leave: 0, lie: 0, options: options.collect() }
            })
            .collect();
        let lies = family.lies();
        for view in game.views() {
            let place = &mut places[view.state().index()];
            if place.options.iter().any(|(call, _)| call.is_none()) {
                bail!("an action does not draw exactly one outcome of a shot or a safety");
            }
            let values = view.values();
            let value = |wanted: &str| values.iter().find(|(name, _)| *name == wanted);
            place.leave = value("leave")
                .and_then(|(_, value)| {
                    let word = value.to_string();
                    family.schema.leaves.iter().position(|leave| *leave == word)
                })
                .ok_or_else(|| anyhow!("a seat chooses where the leave cannot be read"))?;
            let spot = value("spot").and_then(|(_, value)| value.integer()).unwrap_or_default();
            let own = Lie { leave: place.leave, spot: usize::try_from(spot).unwrap_or_default() };
            place.lie = lies
                .iter()
                .position(|lie| *lie == own)
                .or_else(|| lies.iter().position(|lie| lie.leave == place.leave))
                .unwrap_or_default();
        }
        Ok(Self { game, opening, places })
    }

    /// The game of two players under the numbers of `calibrated`; the first breaks.
    ///
    /// # Errors
    /// When the definition refuses a skill.
    pub fn game_of(
        &self,
        calibrated: &Calibrated,
        skills: [f64; SEATS],
        break_skill: f64,
    ) -> anyhow::Result<Game> {
        let mut definition = calibrated.definition.clone();
        for (seat, skill) in skills.iter().enumerate() {
            definition.set_number(&format!("skill[{seat}]"), *skill)?;
        }
        let family = &calibrated.family;
        let prices = [0, 1].map(|seat| Prices::new(family, skills[seat]));
        let breaks = family.breaks(break_skill);
        let chance = |state: Option<StateId>, _: &str, outcome: &str| {
            let place = state.and_then(|state| self.places.get(state.index()));
            match (family.role(outcome), place) {
                (Some(Role::Break(at)), _) => breaks[at],
                (Some(Role::Call(call, at)), Some(place)) => {
                    prices[place.seat.unwrap_or_default()].of(place.lie, call, at)
                }
                _ => 0.0,
            }
        };
        Ok(self.game.repriced(&definition, chance))
    }
}

/// The definition with every chance a little above 0, so that no result is left out of the layout.
fn interior(calibrated: &Calibrated) -> anyhow::Result<Definition> {
    let mut definition = calibrated.definition.clone();
    let family = &calibrated.family;
    for name in ["P_SCRATCH", "SAFE_FOUL"] {
        definition.set_number(name, family.number(name).clamp(LEAST, 1.0 - LEAST))?;
    }
    let breaks = family.breaks(0.0);
    let sum: f64 = breaks.iter().map(|chance| chance.max(LEAST)).sum();
    for ((_, key), chance) in family.schema.breaks.iter().zip(breaks) {
        definition.set_number(&format!("BREAK.{key}"), chance.max(LEAST) / sum)?;
    }
    Ok(definition)
}

fn option(family: &Family, row: &[Way<'_>]) -> (Option<Call>, Vec<Branch>) {
    let row = branches(family, row);
    let call = row.first().and_then(|first| match first.role {
        Some(Role::Call(call, _)) => Some(call),
        _ => None,
    });
    let same = |b: &Branch| matches!(b.role, Some(Role::Call(other, _)) if Some(other) == call);
    (call.filter(|_| row.iter().all(same)), row)
}

fn branches(family: &Family, row: &[Way<'_>]) -> Vec<Branch> {
    let drawn = |way: &Way<'_>| way.drawn.and_then(|(_, outcome)| family.role(outcome));
    row.iter()
        .map(|way| {
            let role = drawn(way);
            let alike = row.iter().filter(|other| drawn(other) == role);
            let sum: f64 = alike.map(|other| other.probability).sum();
            Branch {
                role,
                share: way.probability / sum,
                to: match way.to {
                    Onward::State(state) => Next::State(state),
                    Onward::End(end) => Next::End(end.winner.map(usize::from)),
                },
            }
        })
        .collect()
}

/// The chances of one player's results.
#[derive(Clone, Debug)]
pub struct Prices {
    shot: Vec<[f64; SHOT_RESULTS]>,
    safety: [f64; SAFETY_RESULTS],
}

impl Prices {
    /// Those of a player of `skill`.
    #[must_use]
    pub fn new(family: &Family, skill: f64) -> Self {
        let shot = family.lies().into_iter().map(|lie| family.shot(lie, skill));
        Self { shot: shot.collect(), safety: family.safety(skill) }
    }

    /// The chance of a result of a call at a lie.
    #[must_use]
    pub fn of(&self, lie: usize, call: Call, result: usize) -> f64 {
        match call {
            Call::Shot => self.shot[lie][result],
            Call::Safety => self.safety[result],
        }
    }
}
