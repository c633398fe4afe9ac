//! How a game is written down: for bots, records, replays, the browser and Python.

use crate::external::protocol::Malformed;
use crate::fault::Fault;
use cuebench_engine::game::{Game, Seat};
use serde_json::{Map, Value};

/// A game that can be spoken of in JSON.
pub trait Wire: Game {
    /// The options as bots are told them and as manifests keep them: everything that the results
    /// depend on beside the seed.
    fn published(&self) -> Value;

    /// What is public of every match from the start, such as the geometry of the table.
    fn public(&self) -> Value;

    /// What follows from the hidden part of the seed, in a few words; empty if nothing does.
    fn hidden(&self) -> &'static str;

    /// The action that a reply to a request for a move means.
    ///
    /// # Errors
    /// [`Misread`]: a missing field is a fault of the protocol, a wrong value an illegal action.
    fn read(
        &self,
        view: &Self::View<'_>,
        reply: &Map<String, Value>,
    ) -> Result<Self::Action, Misread>;

    /// Appends an action to a record, as JSON.
    fn write(&self, view: &Self::View<'_>, action: &Self::Action, out: &mut String);

    /// The action that [`Self::write`] wrote.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    fn recorded(&self, view: &Self::View<'_>, written: &Value) -> Result<Self::Action, String>;

    /// An action as people read it in one short line.
    fn spoken(&self, view: &Self::View<'_>, action: &Self::Action) -> String {
        let mut text = String::new();
        self.write(view, action, &mut text);
        text
    }

    /// What a player is told of the end beside its result.
    fn revealed(&self, state: &Self::State, seat: Seat) -> Map<String, Value>;
}

/// Why a reply is no action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misread {
    /// A field that the game needs is not there or of another kind.
    #[error("{0}")]
    Field(#[from] Malformed),
    /// A value that the rules do not know.
    #[error("{0}")]
    Value(String),
}

impl Misread {
    /// The fault that it is. Fields of other games show which bot it is.
    #[must_use]
    pub fn fault(&self, reply: &Map<String, Value>) -> Fault {
        const KNOWN: [&str; 4] = ["action", "angle", "call", "cue"];
        match self {
            Self::Value(text) => Fault::Illegal(text.clone()),
            Self::Field(error) => {
                let has: Vec<&str> =
                    KNOWN.into_iter().filter(|field| reply.contains_key(*field)).collect();
                let also = if has.is_empty() {
                    String::new()
                } else {
                    format!("; it has {}", has.join(", "))
                };
                Fault::Protocol(format!("{error}{also}"))
            }
        }
    }
}
