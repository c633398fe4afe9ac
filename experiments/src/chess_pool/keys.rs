//! Keys of JSON objects that people write: an unknown one is named, with the nearest known one.

use cuebench_agents::spec::nearest;
use serde_json::Value;

/// Whether every key of the object `value` is one of `known`; `place` says where it stands, empty
/// for the line itself. Anything but an object is left to whoever reads it.
///
/// # Errors
/// The first unknown key.
pub fn check_keys(value: &Value, place: &str, known: &[&str]) -> Result<(), String> {
    let Value::Object(object) = value else { return Ok(()) };
    let Some(key) = object.keys().find(|key| !known.contains(&key.as_str())) else {
        return Ok(());
    };
    let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
    let hint = nearest(key, known)
        .map_or_else(|| known.join(", "), |near| format!("did you mean `{near}`?"));
    let key: String = key.chars().take(40).collect();
    Err(format!("{place}unknown key `{key}`; {hint}"))
}

/// The keys of a call and of every ball pocketed in the line `value`.
///
/// # Errors
/// The first unknown key.
pub fn check_inner_keys(value: &Value) -> Result<(), String> {
    if let Some(call) = value.get("call") {
        let slop = call.get("kind").and_then(Value::as_str) == Some("slop");
        let known: &[&str] = if slop { &["kind"] } else { &["kind", "capturer", "target"] };
        check_keys(call, "call", known)?;
    }
    let falls = value.get("pocketed").and_then(Value::as_array);
    for (index, fall) in falls.into_iter().flatten().enumerate() {
        check_keys(fall, &format!("pocketed[{index}]"), &["ball", "pocket"])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_unknown_key_is_named_with_the_nearest_known_one() {
        let known = ["id", "options", "call"];
        assert_eq!(check_keys(&json!({"id": 1, "call": 2}), "", &known), Ok(()));
        let error = check_keys(&json!({"option": 1}), "", &known).expect_err("unknown");
        assert_eq!(error, "unknown key `option`; did you mean `options`?");
        let error = check_keys(&json!({"speed": 1}), "call", &known).expect_err("unknown");
        assert_eq!(error, "call: unknown key `speed`; id, options, call");
        let slop = json!({"call": {"kind": "slop", "target": "1"}});
        assert_eq!(check_inner_keys(&slop), Err("call: unknown key `target`; kind".to_owned()));
        let fall =
            json!({"pocketed": [{"ball": "1", "pocket": "tr"}, {"ball": "1", "hole": "tr"}]});
        assert!(check_inner_keys(&fall).is_err_and(|error| error.starts_with("pocketed[1]: ")));
    }
}
