//! A game as data: constants, state, flow, actions, outcome models, agents, triggers and ends.
//!
//! [`Definition::parse`] reads untrusted text; what it returns is well formed and every name in
//! it exists. Whether it is a game (probabilities that sum to 1, loops that end) is seen when it
//! is compiled. The meaning of each part: `engine/docs/eightball.md`.

mod chances;
mod fields;
mod flow;
mod operation;
mod question;
mod read;
mod rewrite;
mod settings;

pub use question::OpenQuestion;
pub use settings::Parameter;

use super::error::{At, FrameError};
use super::expression::{Expr, Name};
use super::program::Program;
use super::value::Value;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// Seats of a frame.
pub const SEATS: usize = 2;

/// A game definition that was read and found well formed.
#[derive(Clone, Debug)]
pub struct Definition {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) summary: String,
    pub(super) scope: String,
    pub(super) zones: Vec<Arc<str>>,
    pub(super) constants: Vec<Constant>,
    pub(super) variables: Vec<Variable>,
    pub(super) derived: Vec<Derived>,
    pub(super) flow: FlowNode,
    pub(super) actions: Vec<Action>,
    pub(super) models: Vec<Model>,
    pub(super) agents: Vec<AgentText>,
    pub(super) triggers: Vec<Trigger>,
    pub(super) ends: Vec<End>,
    pub(super) questions: Vec<question::Question>,
    /// What the text names but the game does not model.
    pub(super) not_modelled: Vec<String>,
    /// What was seen to be odd while reading.
    pub(super) warnings: Vec<Warning>,
}

/// A place in the text and what is odd there.
pub(super) type Warning = (At, String);
/// A name and where it stands.
pub(super) type Placed = (Arc<str>, At);

/// A number in the text: its path below the constant or variable, and its bytes.
pub(super) type Places = Vec<(Vec<Arc<str>>, Range<usize>)>;

#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub name: Arc<str>,
    pub value: Value,
    pub places: Places,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: Arc<str>,
    pub at: At,
    pub per_seat: bool,
    pub kind: Kind,
    pub init: Init,
    /// Settings of single entries, applied over `init`: seat or key, and value.
    pub entries: Vec<(Value, Value)>,
    pub places: Places,
}

#[derive(Clone, Debug)]
pub(super) enum Init {
    Value(Value),
    Formula(Formula),
}

/// What values a state variable may hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Bool,
    /// Whole numbers in a range.
    Int(i64, i64),
    Real,
    /// A seat, 0 or 1.
    Seat,
    /// One of some words; `none` is always among them.
    Enum(Vec<Arc<str>>),
    /// A mapping whose keys are those of its first value.
    Dict,
}

/// An expression as read, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Formula {
    pub expr: Expr<Name>,
    pub at: At,
    /// Whether a character of the expression is a column of the text.
    pub straight: bool,
}

impl Formula {
    /// Where the character at `offset` stands.
    pub fn place(&self, offset: usize) -> At {
        let column = if self.straight { self.at.column + offset } else { self.at.column };
        At { line: self.at.line, column }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Derived {
    pub name: Arc<str>,
    pub formula: Formula,
}

#[derive(Clone, Debug)]
pub(super) struct FlowNode {
    pub id: String,
    pub at: At,
    pub kind: FlowKind,
}

#[derive(Clone, Debug)]
pub(super) enum FlowKind {
    Sequence(Vec<FlowNode>),
    Loop {
        until: Option<Formula>,
        children: Vec<FlowNode>,
    },
    Step {
        actor: Option<Formula>,
        actions: Vec<Arc<str>>,
        /// The actor in words.
        role: Option<Arc<str>>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Action {
    pub name: Arc<str>,
    pub at: At,
    pub pre: Option<Formula>,
    pub effect: Vec<Operation>,
}

#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub at: At,
    pub kind: OperationKind,
}

#[derive(Clone, Debug)]
pub(super) enum OperationKind {
    Set { target: Formula, value: Amount },
    Add { target: Formula, amount: Amount },
    Emit(Arc<str>),
    If { condition: Formula, then: Vec<Operation>, otherwise: Vec<Operation> },
    Sample(Arc<str>),
    Roll { die: Formula, bind: Arc<str> },
}

/// A value written out, or one to compute.
#[derive(Clone, Debug)]
pub(super) enum Amount {
    Value(Value),
    Formula(Formula),
}

#[derive(Clone, Debug)]
pub(super) struct Model {
    pub name: Arc<str>,
    pub at: At,
    /// Whether the text says that the chances depend on skill, and where.
    pub skill: Option<(bool, At)>,
    /// What the text says goes in.
    pub inputs: Vec<Placed>,
    /// Derived values that the text describes.
    pub described: Vec<Placed>,
    pub derived: Vec<Derived>,
    pub outcomes: Vec<Outcome>,
}

#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub id: String,
    pub probability: Formula,
    pub effect: Vec<Operation>,
}

#[derive(Clone, Debug)]
pub(super) struct AgentText {
    pub name: Arc<str>,
    pub policy: Option<Formula>,
    pub sees: Vec<Placed>,
    pub roles: Vec<Placed>,
    /// Whether there is a text for language models.
    pub prompt: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Trigger {
    pub id: String,
    pub at: At,
    pub event: Arc<str>,
    pub condition: Option<Formula>,
    pub effect: Vec<Operation>,
}

#[derive(Clone, Debug)]
pub(super) struct End {
    pub id: String,
    pub condition: Formula,
    /// The seat the result is for; absent for a draw.
    pub who: Option<Formula>,
    pub result: EndResult,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndResult {
    Win,
    Loss,
    Draw,
}

impl Definition {
    /// Reads a definition.
    ///
    /// # Errors
    /// When the text is too large, no YAML, no definition, or names what does not exist; the
    /// error knows line and column.
    pub fn parse(text: &str) -> Result<Self, FrameError> {
        let definition = read::definition(&super::yaml::parse(text)?)?;
        Program::build(&definition)?;
        Ok(definition)
    }

    /// The 8-ball definition that ships with the project.
    ///
    /// # Errors
    /// Never in a released build: the text is part of it and tested.
    pub fn shipped() -> Result<Self, FrameError> {
        Self::parse(Self::SHIPPED)
    }

    /// The text of the shipped definition.
    pub const SHIPPED: &str = include_str!("../../../games/eightball.yaml");

    /// The text of its variant whose leaves are points of geometry.
    pub const GEOMETRY: &str = include_str!("../../../games/eightball_geometry.yaml");

    /// The text of its variant whose break takes skill.
    pub const BREAK_SKILL: &str = include_str!("../../../games/eightball_break_skill.yaml");

    /// The game's short name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The game's name for people.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// What the game is about, in words; empty if the text does not say.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Which rules the game follows and how far, in words; empty if the text does not say.
    #[must_use]
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Agents that the definition names, and whether each has a policy.
    pub fn agents(&self) -> impl Iterator<Item = (&str, bool)> {
        self.agents.iter().map(|agent| (&*agent.name, agent.policy.is_some()))
    }

    /// Outcome models and the ids of their outcomes.
    pub fn models(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.models.iter().map(|model| {
            (&*model.name, model.outcomes.iter().map(|outcome| outcome.id.as_str()).collect())
        })
    }

    /// Variables that some operation writes to.
    pub(super) fn written_variables(&self) -> HashSet<Arc<str>> {
        fn visit(effect: &[Operation], written: &mut HashSet<Arc<str>>) {
            for operation in effect {
                match &operation.kind {
                    OperationKind::Set { target, .. } | OperationKind::Add { target, .. } => {
                        // The first name of `left[target]` is the variable.
                        let mut first = None;
                        target.expr.references(&mut |name, _| {
                            first.get_or_insert_with(|| name.text.clone());
                        });
                        written.extend(first);
                    }
                    OperationKind::If { then, otherwise, .. } => {
                        visit(then, written);
                        visit(otherwise, written);
                    }
                    _ => {}
                }
            }
        }
        let mut written = HashSet::new();
        self.actions.iter().for_each(|action| visit(&action.effect, &mut written));
        self.triggers.iter().for_each(|trigger| visit(&trigger.effect, &mut written));
        let outcomes = self.models.iter().flat_map(|model| &model.outcomes);
        outcomes.for_each(|outcome| visit(&outcome.effect, &mut written));
        written
    }

    /// What the text names but the game does not model, one line each.
    #[must_use]
    pub fn not_modelled(&self) -> &[String] {
        &self.not_modelled
    }
}
