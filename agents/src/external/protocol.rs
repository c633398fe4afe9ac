//! The messages of protocol 1, without any process behind them.
//!
//! A message with an `id` is a request and gets exactly one reply with the same `id`; one without
//! is a notice. Unknown fields and notices are ignored.

use serde::Serialize;
use serde_json::{Map, Value};

/// The version spoken here.
pub const PROTOCOL: u32 = 1;

/// What the harness asks.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request<'a, S> {
    /// Who are you?
    Hello {
        /// Number of the request.
        id: u64,
        /// [`PROTOCOL`].
        protocol: u32,
        /// `frame`, `snooker-race` or `chess-pool`.
        game: &'a str,
    },
    /// Get ready for a game; no clock runs yet.
    NewGame {
        /// Number of the request.
        id: u64,
        /// The game, unique in its event.
        game_id: &'a str,
        /// The bot's seat, 0 or 1.
        seat: usize,
        /// The game's options.
        options: &'a Value,
        /// What is public of this match from the start.
        #[serde(rename = "match")]
        public: &'a Value,
        /// The bot's time for the whole game, ms.
        time_ms: u64,
    },
    /// Your move.
    Move {
        /// Number of the request.
        id: u64,
        /// The full public state.
        state: &'a S,
        /// What is left of the bot's clock, ms.
        time_left_ms: u64,
        /// What is left of the opponent's clock, ms.
        opponent_time_left_ms: u64,
    },
}

/// A request that carries no state.
pub type Plain<'a> = Request<'a, ()>;

/// What the harness says without expecting a reply.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Notice<'a> {
    /// The bot did something that loses it the game.
    Error {
        /// A word for programs, such as `illegal_move`.
        code: &'a str,
        /// The reason, for people.
        message: &'a str,
    },
    /// The game has ended.
    GameOver {
        /// The bot's result: 1, 0.5 or 0; `null` when the game is void.
        result: Option<f64>,
        /// How the bot's game ended: `play`, `timeout`, `crash`, `illegal`, `protocol`, `void`.
        reason: &'a str,
        /// What was hidden until now.
        #[serde(flatten)]
        revealed: &'a Map<String, Value>,
    },
    /// End within two seconds.
    Quit,
}

/// What a bot said.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A reply to a request.
    Reply(Reply),
    /// Something that needs no attention: an empty line, a log, an unknown notice.
    Nothing,
}

/// A reply to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The request's number.
    pub id: u64,
    /// Its type.
    pub kind: String,
    /// All fields, `id` and `type` included.
    pub fields: Map<String, Value>,
}

/// Why a line is not of the protocol. The texts name the likely cause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// Bytes that are no UTF-8.
    #[error("a line is not UTF-8")]
    Utf8,
    /// Not JSON.
    #[error("a line is not JSON ({why}): {line} (is something printed for people? use stderr)")]
    Json {
        /// What is wrong.
        why: String,
        /// The line's beginning.
        line: String,
    },
    /// JSON, but not an object.
    #[error("a line is JSON but not an object: {0}")]
    NotAnObject(String),
    /// The `id` is no whole number.
    #[error("`id` must be the number of the request, not {0}")]
    Id(String),
    /// A reply without `type`.
    #[error("the reply to request {0} has no `type`")]
    NoType(u64),
    /// A field is missing or of the wrong type.
    #[error("the reply has no {expected} `{field}`")]
    Field {
        /// The field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
}

/// One line as it goes over the wire.
///
/// # Errors
/// When the message does not serialise, which is a defect of the harness.
pub fn line(message: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads one line that a bot wrote.
///
/// # Errors
/// [`Malformed`] when the line is not of the protocol.
pub fn parse(line: &[u8]) -> Result<Said, Malformed> {
    let text = std::str::from_utf8(line).map_err(|_| Malformed::Utf8)?;
    // Some languages begin their output with a byte-order mark.
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(Said::Nothing);
    }
    let value: Value = serde_json::from_str(text)
        .map_err(|why| Malformed::Json { why: why.to_string(), line: beginning(text) })?;
    let Value::Object(fields) = value else {
        return Err(Malformed::NotAnObject(beginning(text)));
    };
    let Some(id) = fields.get("id") else { return Ok(Said::Nothing) };
    let id = whole(id).ok_or_else(|| Malformed::Id(beginning(&id.to_string())))?;
    let kind = fields.get("type").and_then(Value::as_str).ok_or(Malformed::NoType(id))?;
    Ok(Said::Reply(Reply { id, kind: kind.to_owned(), fields }))
}

/// A JSON number that is whole and not negative, whichever way it is written (`3`, `3.0`, `-0`).
#[must_use]
pub fn whole(value: &Value) -> Option<u64> {
    /// Beyond this floats have gaps.
    const MOST: f64 = 9_007_199_254_740_992.0;
    let number = value.as_number()?;
    number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        (float.trunc() == float && (0.0..=MOST).contains(&float)).then_some(float as u64)
    })
}

impl Reply {
    /// The text of `field`.
    ///
    /// # Errors
    /// [`Malformed::Field`] when it is missing or no text.
    pub fn text(&self, field: &'static str) -> Result<&str, Malformed> {
        let text = self.fields.get(field).and_then(Value::as_str);
        text.ok_or(Malformed::Field { field, expected: "text" })
    }

    /// The number `field`, which may still be out of any range or no whole number.
    ///
    /// # Errors
    /// [`Malformed::Field`] when it is missing or no number.
    pub fn number(&self, field: &'static str) -> Result<&serde_json::Number, Malformed> {
        let number = self.fields.get(field).and_then(Value::as_number);
        number.ok_or(Malformed::Field { field, expected: "number" })
    }
}

/// The beginning of a text, fit to be quoted in one line.
#[must_use]
pub fn beginning(text: &str) -> String {
    const SHOWN: usize = 80;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_read_as_the_protocol_page_says() {
        let hello = Plain::Hello { id: 1, protocol: PROTOCOL, game: "frame" };
        assert_eq!(
            line(&hello).expect("serialises"),
            b"{\"type\":\"hello\",\"id\":1,\"protocol\":1,\"game\":\"frame\"}\n"
        );
        let over = Notice::GameOver { result: Some(1.0), reason: "play", revealed: &Map::new() };
        assert_eq!(
            line(&over).expect("serialises"),
            b"{\"type\":\"game_over\",\"result\":1.0,\"reason\":\"play\"}\n"
        );
        assert_eq!(line(&Notice::Quit).expect("serialises"), b"{\"type\":\"quit\"}\n");
    }

    #[test]
    fn replies_are_read_with_carriage_returns_and_blanks_around() {
        let said =
            parse(b"  {\"type\":\"move\",\"id\":3,\"power\":500,\"new\":[1]} \r").expect("ok");
        let Said::Reply(reply) = said else { panic!("{said:?}") };
        assert_eq!((reply.id, reply.kind.as_str()), (3, "move"));
        assert_eq!(reply.number("power").expect("there").as_u64(), Some(500));
        assert!(reply.number("angle").is_err() && reply.text("power").is_err());
    }

    #[test]
    fn a_byte_order_mark_and_whole_numbers_written_as_floats_are_forgiven() {
        let said = parse("\u{feff}{\"type\":\"move\",\"id\":3.0}".as_bytes()).expect("ok");
        assert!(matches!(said, Said::Reply(Reply { id: 3, .. })), "{said:?}");
        for (text, wanted) in [("90000.0", Some(90_000)), ("-0", Some(0)), ("-0.0", Some(0))] {
            assert_eq!(whole(&serde_json::from_str(text).expect("a number")), wanted, "{text}");
        }
        for text in ["1.5", "-1", "1e300", "\"3\"", "null"] {
            assert_eq!(whole(&serde_json::from_str(text).expect("JSON")), None, "{text}");
        }
    }

    #[test]
    fn logs_and_unknown_notices_are_nothing() {
        for line in ["", " \r", r#"{"type":"log","text":"x"}"#, r#"{"type":"later"}"#, "{}"] {
            assert_eq!(parse(line.as_bytes()), Ok(Said::Nothing), "{line}");
        }
    }

    #[test]
    fn other_lines_are_refused_with_their_cause() {
        for (line, cause) in [
            (&b"thinking..."[..], "stderr"),
            (b"\xff\xfe", "UTF-8"),
            (b"[1]", "not an object"),
            (b"{\"id\":1}", "no `type`"),
            (b"{\"id\":\"1\",\"type\":\"move\"}", "number of the request"),
            (b"{\"id\":1.5,\"type\":\"move\"}", "number of the request"),
            (b"{\"id\":-1,\"type\":\"move\"}", "number of the request"),
            (b"{\"id\":1,\"type\":\"move\",\"angle\":NaN}", "not JSON"),
        ] {
            let error = parse(line).expect_err("malformed").to_string();
            assert!(error.contains(cause), "{error}");
        }
        let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        assert!(parse(&deep).is_err());
    }

    proptest! {
        #[test]
        fn no_line_makes_the_parser_panic(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&line);
        }
    }
}
