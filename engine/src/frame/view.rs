//! What a seat sees when it has to choose: the public state of a frame.

use super::definition::SEATS;
use super::expression::{Environment, evaluate};
use super::game::Game;
use super::program::{Program, Ref};
use super::value::Value;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A state of one game, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateId(pub(super) u32);

impl StateId {
    /// The number, as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One of the actions that are open at a state: the place in [`View::actions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActionId(pub(super) u16);

impl ActionId {
    /// The first open action, which every state has.
    #[must_use]
    pub const fn first() -> Self {
        Self(0)
    }

    pub(super) const fn option(self) -> usize {
        self.0 as usize
    }
}

/// The public state where a seat chooses. Serialised, it is the `state` of the bot protocol:
/// the state variables and derived values that can still matter, then `skills`, `parameters` and
/// `actions`.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    game: &'a Game,
    state: StateId,
}

impl<'a> View<'a> {
    pub(super) const fn new(game: &'a Game, state: StateId) -> Self {
        Self { game, state }
    }

    /// The game.
    #[must_use]
    pub const fn game(&self) -> &'a Game {
        self.game
    }

    /// The state's number.
    #[must_use]
    pub const fn state(&self) -> StateId {
        self.state
    }

    fn data(&self) -> &'a super::explore::State {
        &self.game.reached.states[self.state.index()]
    }

    /// The seat that chooses.
    #[must_use]
    pub fn seat(&self) -> usize {
        self.data().seat.map_or(0, usize::from)
    }

    /// Names of the open actions.
    #[must_use]
    pub fn actions(&self) -> Vec<&'a str> {
        let name = |(action, _): &(usize, _)| &*self.game.program.actions[*action];
        self.data().options.iter().map(name).collect()
    }

    /// How many actions are open.
    #[must_use]
    pub fn action_count(&self) -> usize {
        self.data().options.len()
    }

    /// The open action at place `index` of [`Self::actions`].
    #[must_use]
    pub fn action_at(&self, index: usize) -> Option<ActionId> {
        (index < self.action_count()).then_some(ActionId(index as u16))
    }

    /// The place of an open action in [`Self::actions`].
    #[must_use]
    pub const fn place_of(&self, action: ActionId) -> usize {
        action.option()
    }

    /// The open action called `name`.
    #[must_use]
    pub fn action(&self, name: &str) -> Option<ActionId> {
        self.actions().iter().position(|known| *known == name).map(|i| ActionId(i as u16))
    }

    /// The name of an open action.
    #[must_use]
    pub fn action_name(&self, action: ActionId) -> &'a str {
        let action = self.data().options.get(action.option()).map(|(action, _)| *action);
        action.map_or("", |action| &self.game.program.actions[action])
    }

    /// The state variables that can still matter and the derived values, by name.
    #[must_use]
    pub fn values(&self) -> Vec<(&'a str, Value)> {
        let program = &self.game.program;
        let slots = &self.data().slots;
        let env = StateEnv { program, slots };
        let live = |reference: &Ref| match reference {
            Ref::Slot(slot) => !matches!(slots[*slot], Value::None),
            Ref::Seats(first) => slots[*first..first + SEATS].iter().any(|v| *v != Value::None),
            Ref::Entries(first, keys) => {
                slots[*first..first + keys.len()].iter().any(|v| *v != Value::None)
            }
            Ref::Derived(_) => true,
        };
        let variables = program.variables.iter().filter(|(_, reference)| live(reference));
        let variables =
            variables.filter_map(|(name, reference)| Some((&**name, env.get(reference).ok()?)));
        // A derived value that cannot be read here does not exist here.
        let derived = program.derived.iter();
        let derived =
            derived.filter_map(|(name, code)| Some((&**name, evaluate(&code.expr, &env).ok()?)));
        variables.chain(derived).collect()
    }

    /// The state's values, in the order of [`Game::columns`] and with blanks between: different
    /// for different states, and the same for the same state under other numbers.
    #[must_use]
    pub fn key(&self) -> String {
        self.row().join(" ")
    }

    /// The parts of [`Self::key`].
    #[must_use]
    pub fn row(&self) -> Vec<String> {
        let program = &self.game.program;
        let values = &self.data().slots[..program.globals];
        let word = |value: &Value| match value {
            Value::None => "-".to_owned(),
            value => value.to_string(),
        };
        values.iter().map(word).collect()
    }
}

impl Game {
    /// Names of the values that make up a state, as in [`View::key`].
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        let slots = &self.program.slots[..self.program.globals];
        slots.iter().map(|slot| slot.name.clone()).collect()
    }
}

impl Serialize for View<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let parameters = self.game.definition.parameters();
        let mut map = to.serialize_map(None)?;
        for (name, value) in self.values().iter().filter(|(name, _)| *name != "skill") {
            map.serialize_entry(name, value)?;
        }
        let skills: Vec<&Value> = parameters
            .iter()
            .filter(|parameter| !parameter.constant && parameter.name.starts_with("skill["))
            .map(|parameter| &parameter.value)
            .collect();
        map.serialize_entry("skills", &skills)?;
        map.serialize_entry("parameters", &Parameters(&parameters))?;
        map.serialize_entry("actions", &self.actions())?;
        map.end()
    }
}

struct Parameters<'a>(&'a [super::Parameter]);

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|parameter| (&parameter.name, &parameter.value)))
    }
}

/// The values of one state, for expressions.
pub(super) struct StateEnv<'a> {
    pub program: &'a Program,
    pub slots: &'a [Value],
}

impl Environment<Ref> for StateEnv<'_> {
    fn get(&self, reference: &Ref) -> Result<Value, String> {
        match reference {
            Ref::Slot(slot) => Ok(self.slots[*slot].clone()),
            Ref::Seats(first) => Ok(Value::List(self.slots[*first..first + SEATS].into())),
            Ref::Entries(first, keys) => {
                let values = &self.slots[*first..first + keys.len()];
                Ok(Value::Dict(keys.iter().cloned().zip(values.iter().cloned()).collect()))
            }
            Ref::Derived(i) => evaluate(&self.program.derived[*i].1.expr, self),
        }
    }
}
