//! One line of a file of shots: a JSON object with `pockets cloth restitution balls angle power`
//! and an optional `id`. Other keys are ignored. Lines are untrusted.

use super::names::{NameSet, slot_of};
use cuebench_agents::words;
use cuebench_engine::shot::{Balls, Stroke};
use cuebench_engine::table::{PocketSet, Table, TableSpec};
use cuebench_engine::units::Point;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// Longest line that is read, bytes.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// A shot that can be played.
#[derive(Clone, Debug)]
pub struct Shot {
    /// What the file calls it: text, a number or null.
    pub id: Value,
    /// The table.
    pub table: Table,
    /// Which names its balls have.
    pub names: NameSet,
    /// The balls' slots in the order of the line.
    pub order: Vec<u8>,
    /// Where they lie.
    pub balls: Balls,
    /// The stroke.
    pub stroke: Stroke,
}

/// A line that is no shot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its `id`, as far as it could be read.
    pub id: Value,
    /// Why.
    pub reason: String,
}

/// The refusal of a line longer than [`MAX_LINE_BYTES`].
#[must_use]
pub fn too_long() -> Refusal {
    let reason = format!("the line has more than {MAX_LINE_BYTES} bytes; give one shot a line");
    Refusal { id: Value::Null, reason }
}

/// Reads one line.
///
/// # Errors
/// With the reason, when the line is no JSON object, has a key twice, lacks one, or asks
/// for a table, balls or a stroke that cannot be.
pub fn read(line: &[u8]) -> Result<Shot, Refusal> {
    let mut id = Value::Null;
    let raw = serde_json::from_slice::<Raw>(line).map_err(|error| {
        if let Ok(OnlyId { id: Some(found) }) = serde_json::from_slice(line) {
            id = found;
        }
        Refusal { id: plain(std::mem::take(&mut id)), reason: reason(&error) }
    })?;
    let refuse = |reason: String| Refusal { id: raw.id.clone(), reason };
    let spec = TableSpec { pockets: raw.pockets, cloth: raw.cloth, restitution: raw.restitution };
    let table = Table::new(spec).map_err(|error| refuse(error.to_string()))?;
    let stroke = Stroke::new(raw.angle, raw.power).map_err(|error| refuse(error.to_string()))?;
    let NamedBalls { names, order, balls } = raw.balls;
    let named = |slot| names.name(slot).to_owned();
    table.check(&balls).map_err(|error| refuse(error.describe(named)))?;
    if balls.at[0].is_none() {
        return Err(refuse("there is no white (or cue) ball".to_owned()));
    }
    Ok(Shot { id: raw.id, table, names, order, balls, stroke })
}

/// An error of reading one line, in plain words. The reader counts lines of its own text, which is
/// always one line.
pub(super) fn reason(error: &serde_json::Error) -> String {
    words::plain(&error.to_string()).replace("line 1 column", "column")
}

fn plain(id: Value) -> Value {
    if id.is_string() || id.is_number() { id } else { Value::Null }
}

#[derive(Deserialize)]
struct OnlyId {
    id: Option<Value>,
}

struct Raw {
    id: Value,
    pockets: PocketSet,
    cloth: u32,
    restitution: u32,
    balls: NamedBalls,
    angle: u32,
    power: u32,
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with pockets, cloth, restitution, balls, angle and power")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut seen = BTreeSet::new();
        let (mut id, mut pockets, mut cloth, mut restitution) = (Value::Null, None, None, None);
        let (mut balls, mut angle, mut power) = (None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => id = map.next_value()?,
                "pockets" => pockets = Some(map.next_value()?),
                "cloth" => cloth = Some(map.next_value()?),
                "restitution" => restitution = Some(map.next_value()?),
                "balls" => balls = Some(map.next_value()?),
                "angle" => angle = Some(map.next_value()?),
                "power" => power = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("the key `{key}` stands twice")));
            }
        }
        if id.is_array() || id.is_object() || id.is_boolean() {
            return Err(A::Error::custom("`id` must be text or a number"));
        }
        let missing = A::Error::missing_field;
        Ok(Raw {
            id,
            pockets: pockets.ok_or_else(|| missing("pockets"))?,
            cloth: cloth.ok_or_else(|| missing("cloth"))?,
            restitution: restitution.ok_or_else(|| missing("restitution"))?,
            balls: balls.ok_or_else(|| missing("balls"))?,
            angle: angle.ok_or_else(|| missing("angle"))?,
            power: power.ok_or_else(|| missing("power"))?,
        })
    }
}

/// A map from names of balls to their places.
#[derive(Clone, Debug)]
pub(super) struct NamedBalls {
    pub names: NameSet,
    pub order: Vec<u8>,
    pub balls: Balls,
}

impl<'de> Deserialize<'de> for NamedBalls {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(BallsVisitor)
    }
}

struct BallsVisitor;

impl<'de> Visitor<'de> for BallsVisitor {
    type Value = NamedBalls;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object from names of balls to [x, y] in whole micrometres")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NamedBalls, A::Error> {
        let mut found = NamedBalls { names: NameSet::Race, order: vec![], balls: Balls::default() };
        let mut seen = 0_u16;
        while let Some(name) = map.next_key::<String>()? {
            let (slot, names) = slot_of(&name).ok_or_else(|| unknown(&name))?;
            if seen == 0 {
                found.names = names;
            } else if found.names != names {
                return Err(A::Error::custom(format!(
                    "ball `{name}` mixes the names white, yellow ... black with cue, 1 ... 15"
                )));
            }
            if seen & (1 << slot) != 0 {
                return Err(A::Error::custom(format!("ball `{name}` stands twice")));
            }
            seen |= 1 << slot;
            found.balls.at[slot] = map.next_value::<Option<Point>>()?;
            found.order.push(slot as u8);
        }
        Ok(found)
    }
}

fn unknown<E: serde::de::Error>(name: &str) -> E {
    let short: String = name.chars().take(40).collect();
    E::custom(format!(
        "there is no ball `{short}`; the balls are white yellow green brown blue pink black, or \
         cue and 1 to 15"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"id":"a","pockets":"pool","cloth":1000,"restitution":800,
        "balls":{"white":[600000,600000],"blue":[900000,600000],"pink":null},"angle":0,"power":300}"#;

    fn reason(text: &str) -> String {
        read(text.as_bytes()).expect_err(text).reason
    }

    #[test]
    fn a_good_line_is_a_shot() {
        let shot = read(GOOD.as_bytes()).unwrap();
        assert_eq!(shot.id, "a");
        assert_eq!(shot.order, [0, 4, 5]);
        assert_eq!(shot.balls.at[4], Some(Point::new(900_000, 600_000)));
        assert_eq!(shot.stroke.power(), 300);
    }

    #[test]
    fn reasons_name_what_is_wrong() {
        for (from, to, part) in [
            ("\"angle\":0", "\"angle\":360000", "angle 360000"),
            ("\"power\":300", "\"power\":0", "power 0"),
            ("\"power\":300", "\"power\":NaN", "expected value"),
            ("\"power\":300", "\"power\":3,\"power\":4", "`power` stands twice"),
            ("\"power\":300", "\"x\":3,\"x\":4,\"power\":4", "`x` stands twice"),
            ("\"cloth\":1000", "\"cloth\":7", "cloth 7"),
            ("\"cloth\":1000,", "", "missing field `cloth`"),
            ("900000,600000", "650000,600000", "white and blue overlap by 7000 µm"),
            ("900000,600000", "20000,600000", "blue overlaps bl-tl by 8500 µm"),
            ("900000,600000", "-20000000,600000", "blue at (-20000000, 600000)"),
            ("\"blue\"", "\"white\"", "`white` stands twice"),
            ("\"blue\"", "\"9\"", "mixes the names"),
            ("\"blue\"", "\"bleu\"", "no ball `bleu`"),
            ("\"white\"", "\"black\"", "no white"),
            ("pool", "poole", "unknown variant `poole`"),
            ("[600000,600000]", "[600000.5,600000]", "the number `600000.5`"),
            ("[600000,600000]", "[600000]", "length"),
            ("\"a\"", "[1]", "`id` must be"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let reason = reason(&GOOD.replacen(from, to, 1));
            assert!(reason.contains(part), "{from} -> {to}: {reason}");
        }
    }

    #[test]
    fn hostile_lines_are_refused() {
        let deep = format!("{{\"id\":{}", "[".repeat(60_000));
        for line in ["", "null", "[]", "{", "\u{0}", &deep] {
            assert_eq!(read(line.as_bytes()).unwrap_err().id, Value::Null);
        }
        assert_eq!(read(b"\xff\xfe").unwrap_err().id, Value::Null);
    }

    #[test]
    fn a_refusal_keeps_the_id() {
        let refusal = read(br#"{"id":7,"angle":-1}"#).unwrap_err();
        assert_eq!(refusal.id, 7);
    }
}
