//! Parameters of an experiment: what `--set` sets, and the grid of values that a file spans.

use super::source::{Source, SourceError};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::str::FromStr;
use toml::{Spanned, Value};

/// More points than this are refused.
const MAX_POINTS: usize = 100_000;

/// One parameter and its value, as in `P_SCRATCH=0.01`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Setting {
    /// Name of the parameter.
    pub name: String,
    /// Its value, as text.
    pub value: String,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                Ok(Self { name: name.to_owned(), value: value.to_owned() })
            }
            _ => Err("write it as NAME=VALUE".to_owned()),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

/// The options of a TOML table as settings, in their order: lists are joined by commas, and what
/// stands in a table called `set` counts as if it stood beside it.
///
/// # Errors
/// For a value that is no number, text, truth value or list of those.
pub fn settings(options: &toml::Table) -> anyhow::Result<Vec<Setting>> {
    fn text(name: &str, value: &Value) -> anyhow::Result<String> {
        Ok(match value {
            Value::String(text) => text.clone(),
            Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => value.to_string(),
            Value::Array(items) => {
                let items: anyhow::Result<Vec<String>> =
                    items.iter().map(|item| text(name, item)).collect();
                items?.join(",")
            }
            _ => anyhow::bail!("{name}: give a number, a text, true, false or a list of those"),
        })
    }
    let mut all = vec![];
    for (name, value) in options {
        match value {
            Value::Table(more) if name == "set" => all.extend(settings(more)?),
            _ => all.push(Setting { name: name.clone(), value: text(name, value)? }),
        }
    }
    Ok(all)
}

/// One point of a grid: the parameters that are set there, in the file's order.
pub type Point = Vec<Setting>;

/// How a point stands in a CSV column: `NAME=VALUE` joined by semicolons.
#[must_use]
pub fn describe(point: &[Setting]) -> String {
    point.iter().map(ToString::to_string).collect::<Vec<_>>().join(";")
}

/// The `[grid]` of an experiment file: a list of values for each name, in the file's order.
#[derive(Clone, Debug, Default)]
pub struct Grid(Vec<(String, Spanned<Value>)>);

impl<'de> Deserialize<'de> for Grid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Grid;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of parameter names with lists of values")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Grid, M::Error> {
                let mut axes = vec![];
                while let Some(axis) = map.next_entry()? {
                    axes.push(axis);
                }
                Ok(Grid(axes))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

impl Grid {
    /// Every combination of the values, the last name varying fastest; a name in `fixed` has that
    /// one value, in its place if the grid names it, else at the end.
    ///
    /// # Errors
    /// A name without values, a value that is no number, text or truth value, a number that is not
    /// finite, a value given twice, and more than 100 000 combinations.
    pub fn points(&self, source: &Source, fixed: &[Setting]) -> Result<Vec<Point>, SourceError> {
        let mut axes: Vec<(String, Vec<String>)> = vec![];
        let mut count = 1_usize;
        for (name, values) in &self.0 {
            let at = |error: String| source.error(values.span(), error);
            let texts = match fixed.iter().rev().find(|setting| setting.name == *name) {
                Some(setting) => vec![setting.value.clone()],
                None => axis(name, values.get_ref()).map_err(at)?,
            };
            count = count
                .checked_mul(texts.len())
                .filter(|&count| count <= MAX_POINTS)
                .ok_or_else(|| at(format!("the grid has more than {MAX_POINTS} points")))?;
            axes.push((name.clone(), texts));
        }
        for Setting { name, value } in fixed {
            axes.retain(|(axis, _)| axis != name || self.0.iter().any(|(own, _)| own == name));
            if !axes.iter().any(|(axis, _)| axis == name) {
                axes.push((name.clone(), vec![value.clone()]));
            }
        }
        Ok(product(&axes))
    }
}

impl Grid {
    /// The error of a point that is refused, at the place of the setting to blame: the last one of
    /// the shortest beginning of the point that `fails`. One that was given by --set is named as
    /// such.
    pub fn blame(
        &self,
        source: &Source,
        fixed: &[Setting],
        point: &[Setting],
        error: impl fmt::Display,
        fails: impl Fn(&[Setting]) -> bool,
    ) -> SourceError {
        let guilty = (1..point.len()).find(|&count| fails(&point[..count]));
        let Some(setting) = point.get(guilty.unwrap_or(point.len()).wrapping_sub(1)) else {
            return source.error(0..0, error);
        };
        if fixed.iter().any(|fixed| fixed.name == setting.name) {
            let message = error.to_string();
            return SourceError::Set { setting: setting.clone(), message };
        }
        let axis = self.0.iter().find(|(name, _)| *name == setting.name);
        source.error(axis.map_or(0..0, |(_, values)| values.span()), error)
    }
}

fn product(axes: &[(String, Vec<String>)]) -> Vec<Point> {
    let mut points = vec![vec![]];
    for (name, values) in axes {
        points = points
            .iter()
            .flat_map(|point: &Point| {
                values.iter().map(|value| {
                    let mut longer = point.clone();
                    longer.push(Setting { name: name.clone(), value: value.clone() });
                    longer
                })
            })
            .collect();
    }
    points
}

fn axis(name: &str, values: &Value) -> Result<Vec<String>, String> {
    let list = match values {
        Value::Array(list) if !list.is_empty() => list.as_slice(),
        Value::Array(_) => return Err(format!("grid: `{name}` has no values")),
        one => std::slice::from_ref(one),
    };
    let mut texts: Vec<String> = vec![];
    for value in list {
        let text = text(value).ok_or_else(|| {
            format!("grid: `{name}` takes finite numbers, texts or true and false, not `{value}`")
        })?;
        if texts.contains(&text) {
            return Err(format!("grid: `{name}` has the value `{text}` twice"));
        }
        texts.push(text);
    }
    Ok(texts)
}

/// A value as a definition or an option would be given on the command line.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) if number.is_finite() => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[derive(Deserialize)]
    struct File {
        grid: Grid,
    }

    fn spanned(text: &str, fixed: &[&str]) -> Result<Vec<String>, String> {
        let source = Source::new(Path::new("x.toml"), format!("[grid]\n{text}\n"));
        let file: File = source.parse().expect("well formed");
        let fixed: Vec<_> = fixed.iter().map(|text| text.parse().expect("a setting")).collect();
        let points = file.grid.points(&source, &fixed).map_err(|error| error.to_string())?;
        Ok(points.iter().map(|point| describe(point)).collect())
    }

    #[test]
    fn the_last_name_varies_fastest_and_order_is_the_files() {
        let points = spanned("z = [0.5, 1]\n\"D.hard\" = [\"k\", true]", &[]).expect("valid");
        assert_eq!(
            points,
            ["z=0.5;D.hard=k", "z=0.5;D.hard=true", "z=1;D.hard=k", "z=1;D.hard=true"]
        );
    }

    #[test]
    fn a_fixed_parameter_replaces_its_axis() {
        assert_eq!(spanned("a = [1, 2]\nb = [3]", &["a=7", "c=8"]), Ok(vec!["a=7;b=3;c=8".into()]));
        assert!("a".parse::<Setting>().is_err() && "=1".parse::<Setting>().is_err());
    }

    #[test]
    fn the_setting_to_blame_is_named_with_its_line_or_as_an_option() {
        let source = Source::new(Path::new("x.toml"), "[grid]\na = [1]\nb = [2]\n".to_owned());
        let file: File = source.parse().expect("well formed");
        let set: Setting = "c=3".parse().expect("a setting");
        let fixed = [set];
        let points = file.grid.points(&source, &fixed).expect("valid");
        for (name, place) in
            [("a", "x.toml:2:5: no"), ("b", "x.toml:3:5: no"), ("c", "--set c=3: no")]
        {
            let fails = |point: &[Setting]| point.iter().any(|setting| setting.name == name);
            let error = file.grid.blame(&source, &fixed, &points[0], "no", fails);
            assert_eq!(error.to_string(), place);
        }
    }

    #[test]
    fn bad_grids_are_refused_with_their_place() {
        for (text, words) in [
            ("a = []", "`a` has no values"),
            ("a = [nan]", "not `nan`"),
            ("a = [[1]]", "finite numbers"),
            ("a = [1, 1]", "twice"),
        ] {
            let error = spanned(text, &[]).expect_err(text);
            assert!(error.starts_with("x.toml:2:5: ") && error.contains(words), "{error}");
        }
        let many: Vec<String> = (0..400).map(|i| i.to_string()).collect();
        let list = many.join(",");
        let error = spanned(&format!("a = [{list}]\nb = [{list}]"), &[]).expect_err("too many");
        assert!(error.contains("more than 100000"), "{error}");
    }
}
