//! How an agent is written down: a name, then options joined by colons, as in
//! `search:sims=2000:hidden`. Commas separate agents.

pub use cuebench_engine::naming::{did_you_mean, nearest};

use std::fmt;
use std::str::FromStr;

/// The greatest length of one agent's text, bytes.
const MAX_TEXT: usize = 4096;

/// A parsed agent text: a name and its options in the order given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentSpec {
    /// The agent's name, never empty.
    pub name: String,
    /// `key=value` options, and words without a value.
    pub options: Vec<(String, Option<String>)>,
}

/// Why an agent text was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// Nothing where a name or an option should be.
    #[error("agent `{0}`: an empty name or option; write it as name:key=value:key=value")]
    Empty(String),
    /// Longer than any sensible agent text.
    #[error("an agent's text is {0} bytes long; at most {MAX_TEXT} are read")]
    TooLong(usize),
    /// No agent of that name plays this game.
    #[error("unknown agent `{name}`{}; known: {}", hint(.nearest.as_deref()), .known.join(", "))]
    UnknownAgent {
        /// The name as given.
        name: String,
        /// The known name nearest to it, if one is near.
        nearest: Option<String>,
        /// All names of the roster.
        known: Vec<String>,
    },
    /// The agent has no option of that name.
    #[error("agent `{agent}` has no option `{key}`{}; it takes: {}", hint(.nearest.as_deref()), or_none(.known))]
    UnknownOption {
        /// The agent's name.
        agent: String,
        /// The option as given.
        key: String,
        /// The known option nearest to it, if one is near.
        nearest: Option<String>,
        /// All options of the agent.
        known: Vec<String>,
    },
    /// An option whose value does not parse or lies outside its range.
    #[error("agent `{agent}`, option `{key}`: `{value}` is not {expected}")]
    BadValue {
        /// The agent's name.
        agent: String,
        /// The option.
        key: String,
        /// The value as given, empty if there was none.
        value: String,
        /// What would be right.
        expected: String,
    },
    /// An agent that was recognised but cannot be made here, with the reason.
    #[error("agent `{agent}`: {reason}")]
    Unusable {
        /// The agent's name.
        agent: String,
        /// Why, and the remedy.
        reason: String,
    },
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if text.len() > MAX_TEXT {
            return Err(SpecError::TooLong(text.len()));
        }
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let options: Vec<_> = parts
            .map(|part| match part.split_once('=') {
                Some((key, value)) => (key.trim().to_owned(), Some(value.trim().to_owned())),
                None => (part.to_owned(), None),
            })
            .collect();
        if name.is_empty() || options.iter().any(|(key, _)| key.is_empty()) {
            return Err(SpecError::Empty(text.to_owned()));
        }
        Ok(Self { name: name.to_owned(), options })
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (key, value) in &self.options {
            match value {
                Some(value) => write!(f, ":{key}={value}")?,
                None => write!(f, ":{key}")?,
            }
        }
        Ok(())
    }
}

impl AgentSpec {
    /// The value of `key` parsed as `T`, or `default` when the option is absent.
    ///
    /// # Errors
    /// [`SpecError::BadValue`] with `expected` when the value is missing or does not parse.
    pub fn value<T: FromStr>(&self, key: &str, default: T, expected: &str) -> Result<T, SpecError> {
        let Some((_, value)) = self.options.iter().rev().find(|(k, _)| k == key) else {
            return Ok(default);
        };
        let text = value.as_deref().unwrap_or_default();
        text.parse().map_err(|_| self.bad_value(key, text, expected))
    }

    /// A [`SpecError::BadValue`] for this agent, for values that parse but lie out of range.
    #[must_use]
    pub fn bad_value(&self, key: &str, value: &str, expected: &str) -> SpecError {
        SpecError::BadValue {
            agent: self.name.clone(),
            key: key.to_owned(),
            value: value.to_owned(),
            expected: expected.to_owned(),
        }
    }

    /// Refuses every option that is not in `known`.
    ///
    /// # Errors
    /// [`SpecError::UnknownOption`] for the first unknown option.
    pub fn only(&self, known: &[&str]) -> Result<(), SpecError> {
        match self.options.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, _)) => Err(SpecError::UnknownOption {
                agent: self.name.clone(),
                key: key.clone(),
                nearest: nearest(key, known.iter().copied()).map(str::to_owned),
                known: known.iter().map(|&k| k.to_owned()).collect(),
            }),
        }
    }

    /// The error for a name that no agent of `known` has.
    #[must_use]
    pub fn unknown(&self, known: &[&str]) -> SpecError {
        SpecError::UnknownAgent {
            name: self.name.clone(),
            nearest: nearest(&self.name, known.iter().copied()).map(str::to_owned),
            known: known.iter().map(|&k| k.to_owned()).collect(),
        }
    }
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| did_you_mean(name, [name]))
}

fn or_none(known: &[String]) -> String {
    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips_and_options_parse() {
        let spec: AgentSpec = "search:sims=200:fast".parse().expect("valid");
        assert_eq!(spec.to_string(), "search:sims=200:fast");
        assert_eq!(spec.value("sims", 1_u32, "a count"), Ok(200));
        assert_eq!(spec.value("depth", 2_u32, "a depth"), Ok(2));
        assert!(spec.value("fast", 1_u32, "a count").is_err());
    }

    #[test]
    fn slips_are_named() {
        let spec: AgentSpec = "serach:simz=1".parse().expect("valid");
        assert!(spec.unknown(&["search", "random"]).to_string().contains("did you mean `search`"));
        let error = spec.only(&["sims"]).expect_err("unknown option");
        assert!(error.to_string().contains("did you mean `sims`"), "{error}");
        assert!("".parse::<AgentSpec>().is_err() && "a::b".parse::<AgentSpec>().is_err());
    }
}
