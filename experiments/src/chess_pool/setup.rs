//! The options of a frame of chess pool, as texts: `cloth=900`, `win_on_last_swap=true`.

use crate::experiment::grid::Setting;
use cuebench_agents::spec::nearest;
use cuebench_engine::chess_pool::frame::{DEFAULT_MAX_SHOTS, Rules};
use cuebench_engine::chess_pool::options::Options;
use cuebench_engine::chess_pool::play::{CLOTH, RESTITUTION, pool_table};
use cuebench_engine::table::Table;
use serde_json::{Map, Value};

/// The greatest `max_shots`.
pub const MOST_SHOTS: u32 = 100_000;

/// The value of `max_shots` that switches the draw off.
pub const NO_LIMIT: &str = "off";

/// What the help texts say of the options.
pub const OPTIONS_HELP: &str = "\
Options of chess pool and their defaults: cloth=1000 (mm/s²), restitution=750 (thousandths), \
max_shots=200|off (a draw then), and the readings of the rules: grid=8x4|8x8, break_contact=any|apex, break_scratch_returns=true, \
break_foul_chooser=breaker|opponent, no_meeting=move|slop, move_pocketed=removed|returned, \
win_on_last_swap=false, foul_returns=true, cue_in_hand=scratch|foul.";

/// The table and the rules of a frame.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The table.
    pub table: Table,
    /// The rules.
    pub rules: Rules,
}

impl Setup {
    /// The setup with those options, the rest as usual; of an option given twice, the last counts.
    ///
    /// # Errors
    /// Unknown options, with the nearest known one, and values out of range: one line each.
    pub fn of(settings: &[Setting]) -> Result<Self, String> {
        let (mut cloth, mut restitution) = (CLOTH, RESTITUTION);
        let mut rules = Rules { options: Options::default(), max_shots: Some(DEFAULT_MAX_SHOTS) };
        for Setting { name, value } in settings {
            match name.as_str() {
                "cloth" => cloth = number(name, value)?,
                "restitution" => restitution = number(name, value)?,
                "max_shots" => rules.max_shots = shots(value)?,
                _ => {
                    let given = Map::from_iter([(name.clone(), reading(value))]);
                    rules.options = changed(&rules.options, given)?;
                }
            }
        }
        let table = pool_table(cloth, restitution).map_err(|error| error.to_string())?;
        Ok(Self { table, rules })
    }
}

impl Setup {
    /// All options as texts that [`Setup::of`] reads: those of the table and the limit, and the
    /// readings.
    #[must_use]
    pub fn settings(&self) -> [String; 2] {
        let (spec, most) = (self.table.spec(), self.rules.max_shots);
        let most = most.map_or_else(|| NO_LIMIT.to_owned(), |most| most.to_string());
        let (cloth, restitution) = (spec.cloth, spec.restitution);
        let table = format!("cloth={cloth} restitution={restitution} max_shots={most}");
        let readings = serde_json::to_value(self.rules.options).unwrap_or_default();
        let readings = readings.as_object().into_iter().flatten().map(|(name, value)| {
            value
                .as_str()
                .map_or_else(|| format!("{name}={value}"), |text| format!("{name}={text}"))
        });
        [table, readings.collect::<Vec<_>>().join(" ")]
    }
}

/// A text as the value of a reading.
fn reading(value: &str) -> Value {
    match value {
        "true" => true.into(),
        "false" => false.into(),
        word => word.into(),
    }
}

fn number(name: &str, value: &str) -> Result<u32, String> {
    value.parse().map_err(|_| format!("{name}={value}: give a whole number"))
}

fn shots(value: &str) -> Result<Option<u32>, String> {
    match value.parse() {
        _ if value == NO_LIMIT => Ok(None),
        Ok(shots) if (1..=MOST_SHOTS).contains(&shots) => Ok(Some(shots)),
        _ => Err(format!(
            "max_shots={value}: give a whole number from 1 to {MOST_SHOTS}, or {NO_LIMIT}"
        )),
    }
}

/// `options` with the readings of `given` in place of its own.
///
/// # Errors
/// Unknown readings, with the nearest known one, and values that a reading does not have.
pub fn changed(options: &Options, given: Map<String, Value>) -> Result<Options, String> {
    let Ok(Value::Object(mut all)) = serde_json::to_value(options) else {
        return Err("the options cannot be written".to_owned());
    };
    for (name, value) in given {
        let Some(usual) = all.get(&name).cloned() else {
            let table = ["cloth", "restitution", "max_shots"].into_iter();
            let known: Vec<&str> = table.chain(all.keys().map(String::as_str)).collect();
            let hint = nearest(&name, &known)
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            return Err(format!("no option `{name}`{hint}; {OPTIONS_HELP}"));
        };
        let shown = value.to_string();
        all.insert(name.clone(), value);
        if serde_json::from_value::<Options>(Value::Object(all.clone())).is_err() {
            let kind = if usual.is_boolean() { "true or false" } else { "one of its readings" };
            return Err(format!("{name}: {shown} is not {kind}; {OPTIONS_HELP}"));
        }
    }
    serde_json::from_value(Value::Object(all)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuebench_engine::chess_pool::board::Grid;
    use cuebench_engine::chess_pool::options::InHand;

    fn setup(texts: &[&str]) -> Result<Setup, String> {
        let settings: Result<Vec<Setting>, _> = texts.iter().map(|text| text.parse()).collect();
        Setup::of(&settings?)
    }

    #[test]
    fn settings_are_read_back() {
        for texts in [&[][..], &["max_shots=off", "grid=8x8", "foul_returns=false", "cloth=900"]] {
            let one = setup(texts).expect("options");
            let [table, readings] = one.settings();
            let again: Vec<&str> =
                table.split_whitespace().chain(readings.split_whitespace()).collect();
            let other = setup(&again).expect("settings");
            assert_eq!((one.rules, one.table.spec()), (other.rules, other.table.spec()));
            assert_eq!(again.len(), 3 + 9);
        }
    }

    #[test]
    fn options_are_read_and_slips_are_named() {
        let usual = setup(&[]).expect("the usual");
        assert_eq!((usual.rules, usual.table.spec().cloth), (Rules::default(), 1000));
        let other = setup(&["cloth=900", "max_shots=7", "cue_in_hand=foul"]).expect("options");
        assert_eq!((other.rules.max_shots, other.table.spec().cloth), (Some(7), 900));
        assert_eq!(other.rules.options.cue_in_hand, InHand::Foul);
        let other = setup(&["max_shots=off", "grid=8x8"]).expect("options");
        assert_eq!((other.rules.max_shots, other.rules.options.grid), (None, Grid::EightByEight));
        for (text, part) in [
            ("clooth=900", "no option"),
            ("win_on_last_swop=true", "did you mean `win_on_last_swap`?"),
            ("win_on_last_swap=1", "not true or false"),
            ("no_meeting=maybe", "not one of its readings"),
            ("max_shots=0", "from 1 to"),
            ("max_shots=-1", "whole number"),
            ("max_shots=none", "or off"),
            ("grid=4x8", "not one of its readings"),
            ("cloth=0", "cloth"),
        ] {
            let error = setup(&[text]).map(|_| ()).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
