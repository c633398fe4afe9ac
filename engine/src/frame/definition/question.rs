//! Open questions: what the rules leave open, the parameter that answers each, and its readings.

use super::fields::{Fields, refuse, sequence, value};
use super::settings::split;
use super::{Definition, Kind};
use crate::frame::error::{At, FrameError};
use crate::frame::value::Value;
use crate::frame::yaml::Node;
use crate::naming::did_you_mean;

/// The widest range of whole numbers whose every number is a reading.
const MAX_READINGS: i64 = 20;

/// A question that the rules leave open and a parameter answers.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct OpenQuestion {
    /// Its id.
    pub id: String,
    /// The question.
    pub question: String,
    /// The constant or variable that answers it, as [`Definition::set`] takes it.
    pub parameter: String,
    /// The answer that the definition gives; none for a whole mapping.
    pub value: Option<Value>,
    /// The possible answers, none where they cannot be listed.
    pub readings: Vec<Value>,
}

/// A question as read: whether what it is about exists is not known yet.
#[derive(Clone, Debug)]
pub(in crate::frame) struct Question {
    id: String,
    question: String,
    about: String,
    at: At,
    readings: Option<(At, Vec<Value>)>,
}

/// Reads the list of open questions.
pub(super) fn questions(node: Option<&Node>) -> Result<Vec<Question>, FrameError> {
    let Some(node) = node else { return Ok(Vec::new()) };
    sequence(node, "`open_questions`")?.iter().map(question).collect()
}

fn question(node: &Node) -> Result<Question, FrameError> {
    let fields = Fields::new(node, "an open question", &["id", "about", "question", "readings"])?;
    let about = fields.need("about")?;
    let readings = fields.get("readings").map(|list| {
        let values = sequence(list, "`readings`")?.iter().map(value);
        Ok::<_, FrameError>((list.at, values.collect::<Result<_, _>>()?))
    });
    Ok(Question {
        id: fields.word("id")?.to_string(),
        question: fields.words("question")?.map_or_else(String::new, |text| text.trim().to_owned()),
        about: fields.word("about")?.trim().to_owned(),
        at: about.at,
        readings: readings.transpose()?,
    })
}

impl Definition {
    /// What the rules leave open, with the parameter that answers each question.
    #[must_use]
    pub fn open_questions(&self) -> Vec<OpenQuestion> {
        let resolved = self.questions.iter().filter_map(|question| self.resolve(question).ok());
        resolved.collect()
    }

    /// Refuses a question about something that does not exist, and a reading that does not fit.
    pub(super) fn check_questions(&self) -> Result<(), FrameError> {
        self.questions.iter().try_for_each(|question| self.resolve(question).map(drop))
    }

    fn resolve(&self, question: &Question) -> Result<OpenQuestion, FrameError> {
        let about = question.about.as_str();
        let of_state = about.strip_prefix("state.vars.").or_else(|| about.strip_prefix("vars."));
        let of_constants = about.strip_prefix("constants.");
        let parameter = of_state.or(of_constants).unwrap_or(about);
        let base = split(parameter).0;
        let variable = self.variables.iter().find(|known| &*known.name == base);
        let constant = self.constants.iter().find(|known| &*known.name == base);
        let found = match (of_state, of_constants) {
            (Some(_), _) => variable.is_some(),
            (_, Some(_)) => constant.is_some(),
            _ => variable.is_some() || constant.is_some(),
        };
        // A whole mapping or a variable of each seat has no value of its own.
        let whole = base == parameter;
        let value = self
            .parameter(parameter)
            .filter(|value| !matches!(value, Value::Dict(_) | Value::List(_)));
        if !found || (value.is_none() && !whole) {
            let names = self.variables.iter().map(|known| &*known.name);
            let names = names.chain(self.constants.iter().map(|known| &*known.name));
            let hint = did_you_mean(base, names);
            let message = format!(
                "`about: {about}` names no variable or constant{hint}; \
                 write state.vars.NAME or constants.NAME"
            );
            return Err(refuse(question.at, message));
        }
        let readings = match &question.readings {
            Some((at, readings)) => {
                self.fit(parameter, readings).map_err(|why| refuse(*at, why))?;
                readings.clone()
            }
            None => match (variable.map(|known| &known.kind), &value) {
                (Some(kind), _) => readings_of(kind),
                (None, Some(Value::Bool(_))) => readings_of(&Kind::Bool),
                _ => Vec::new(),
            },
        };
        let (id, text) = (question.id.clone(), question.question.clone());
        Ok(OpenQuestion { id, question: text, parameter: parameter.to_owned(), value, readings })
    }

    fn fit(&self, parameter: &str, readings: &[Value]) -> Result<(), String> {
        for reading in readings {
            let set = self.clone().set(parameter, &reading.to_string());
            set.map_err(|error| format!("the reading `{reading}` does not fit: {error}"))?;
        }
        Ok(())
    }
}

fn readings_of(kind: &Kind) -> Vec<Value> {
    match kind {
        Kind::Bool => vec![Value::Bool(true), Value::Bool(false)],
        Kind::Enum(words) => words.iter().map(|word| Value::Text(word.clone())).collect(),
        Kind::Int(low, high) if high.checked_sub(*low).is_some_and(|n| n < MAX_READINGS) => {
            (*low..=*high).map(Value::Int).collect()
        }
        Kind::Seat => vec![Value::Int(0), Value::Int(1)],
        Kind::Int(..) | Kind::Real | Kind::Dict => Vec::new(),
    }
}
