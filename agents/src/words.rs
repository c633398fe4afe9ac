//! Errors of reading in the words of the person who wrote the text, not of the program.

/// What a Rust type is called by people; the longest name that fits counts.
const KINDS: [(&str, &str); 24] = [
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("u64", "a whole number from 0"),
    ("u128", "a whole number from 0"),
    ("usize", "a whole number from 0"),
    ("i8", "a whole number from -128 to 127"),
    ("i16", "a whole number from -32768 to 32767"),
    ("i32", "a whole number from -2147483648 to 2147483647"),
    ("i64", "a whole number"),
    ("i128", "a whole number"),
    ("isize", "a whole number"),
    ("f32", "a number"),
    ("f64", "a number"),
    ("bool", "true or false"),
    ("a boolean", "true or false"),
    ("a string", "text"),
    ("string or map", "text or an object"),
    ("a sequence", "a list"),
    ("a map", "an object"),
    ("map", "an object"),
    ("unit", "nothing"),
    ("variant identifier", "one of its words"),
    ("field identifier", "one of its keys"),
];
/// Names of what was found where something else was expected.
const FOUND: [(&str, &str); 6] = [
    ("invalid type: map", "invalid type: an object"),
    ("invalid type: sequence", "invalid type: a list"),
    ("invalid type: unit value", "invalid type: nothing"),
    ("invalid type: newtype variant", "invalid type: an object"),
    ("invalid type: floating point", "invalid type: the number"),
    ("invalid type: integer", "invalid type: the whole number"),
];
/// What a type of the program is where its name follows.
const STRUCTURES: [(&str, &str); 5] = [
    ("struct variant ", "an object"),
    ("tuple struct ", "a list"),
    ("tuple variant ", "a list"),
    ("struct ", "an object"),
    ("enum ", "one of its words"),
];

/// `message` with plain words for what was expected and found: `expected u32` becomes `expected a
/// whole number from 0 to 4294967295`, `expected struct Action` becomes `expected an object`.
#[must_use]
pub fn plain(message: &str) -> String {
    let mut message = message.to_owned();
    for (theirs, ours) in FOUND {
        message = message.replace(theirs, ours);
    }
    let mut parts = message.split("expected ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("expected ");
        text.push_str(&kind(part));
    }
    text
}

/// `part`, which begins with what was expected.
fn kind(part: &str) -> String {
    let ends = |rest: &str| rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
    for (prefix, ours) in STRUCTURES {
        if let Some(rest) = part.strip_prefix(prefix) {
            let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
            return format!("{ours}{}", rest.trim_start_matches(name));
        }
    }
    for (prefix, list) in
        [("a tuple of size ", "a list of "), ("an array of length ", "a list of ")]
    {
        if let Some(rest) = part.strip_prefix(prefix) {
            return format!("{list}{rest}");
        }
    }
    for (theirs, ours) in KINDS {
        if let Some(rest) = part.strip_prefix(theirs).filter(|rest| ends(rest)) {
            return format!("{ours}{rest}");
        }
    }
    part.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    struct Pair {
        _angle: u32,
        _places: [i64; 2],
        _word: Word,
    }

    #[derive(Debug, Deserialize)]
    enum Word {
        One,
    }

    #[test]
    fn messages_never_name_types_of_the_program() {
        let good = r#"{"_angle":1,"_places":[1,2],"_word":"One"}"#;
        serde_json::from_str::<Pair>(good).expect("well formed");
        for (text, words) in [
            (good.replace(":1,", ":0.5,"), "the number `0.5`, expected a whole number from 0 to"),
            (good.replace(":1,", ":-1,"), "integer `-1`, expected a whole number from 0 to"),
            (good.replace("[1,2]", "{}"), "an object, expected a list of 2"),
            (good.replace("[1,2]", "[1]"), "invalid length 1, expected a list of 2"),
            (good.replace("[1,2]", "[1,\"x\"]"), "expected a whole number at"),
            ("7".to_owned(), "expected an object at"),
            (good.replace("\"One\"", "7"), "expected"),
        ] {
            let error = serde_json::from_str::<Pair>(&text).expect_err(&text).to_string();
            let plain = plain(&error);
            assert!(plain.contains(words), "{text}: {plain}");
            for word in ["u32", "i64", "struct", "Pair", "Word", "enum"] {
                assert!(!plain.contains(word), "{text}: {plain}");
            }
        }
        assert_eq!(plain("expected value at line 1"), "expected value at line 1");
        assert_eq!(
            plain("unknown field `x`, expected `a` or `b`"),
            "unknown field `x`, expected `a` or `b`"
        );
    }
}
