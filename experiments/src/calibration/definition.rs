//! A definition file as one of the family, and the same file with calibrated numbers.
//!
//! Of the family is a definition whose shot, safety and break have the chances of the outcome model
//! for any numbers and skill: they are computed at probe values and compared, so that another
//! spelling of the same formulas is recognised and another formula is not.

use super::family::Family;
use super::results::Results;
use super::spots::Difficulty;
use crate::shot_log::schema::{SAFETY_RESULTS, SHOT_RESULTS, Schema};
use crate::stats::calibration::design::sigmoid;
use anyhow::{Context as _, anyhow, bail, ensure};
use cuebench_engine::frame::{Definition, MAX_BYTES, Value};
use cuebench_engine::rng::{Purpose, stream};
use rand::RngExt as _;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

/// Probes at which formulas are compared.
const PROBES: usize = 8;
/// How far a chance may lie from the family's.
const TOLERANCE: f64 = 1e-9;
/// Numbers that a definition of the family has beside `D` and `BREAK`.
const SINGLE: [&str; 5] = ["POS_REQ", "G", "P_SCRATCH", "A0", "SAFE_FOUL"];

/// A definition that can be calibrated.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// Its words and numbers.
    pub family: Family,
    /// The definition.
    pub definition: Definition,
    text: String,
}

impl Calibrated {
    /// Reads a definition, or takes the shipped one.
    ///
    /// # Errors
    /// When the file cannot be read, is no definition, or is not of the family.
    pub fn read(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else { return Self::new(Definition::SHIPPED.to_owned()) };
        let place = || path.display().to_string();
        let mut text = String::new();
        let file = std::fs::File::open(path).with_context(place)?;
        // One byte more than is allowed: the definition's own limit speaks then.
        file.take(MAX_BYTES as u64 + 1).read_to_string(&mut text).with_context(place)?;
        Self::new(text).with_context(place)
    }

    /// Takes a definition's text.
    ///
    /// # Errors
    /// When it is no definition, or not of the family.
    pub fn new(text: String) -> anyhow::Result<Self> {
        let definition = Definition::parse(&text)?;
        let family = recognise(&definition).map_err(|reason| {
            anyhow!("the definition is not of the family that can be calibrated: {reason:#}")
        })?;
        Ok(Self { family, definition, text })
    }

    /// Whether it is the definition that ships, as it ships.
    #[must_use]
    pub fn is_shipped(&self) -> bool {
        self.text == Definition::SHIPPED
    }

    /// Gives the definition other numbers, each as in `P_SCRATCH=0.01`.
    ///
    /// # Errors
    /// When a setting is not `NAME=VALUE` or the definition refuses it.
    pub fn set(&mut self, settings: &[String]) -> anyhow::Result<()> {
        for setting in settings {
            let (name, value) = setting
                .split_once('=')
                .ok_or_else(|| anyhow!("--set {setting}: write it as NAME=VALUE"))?;
            let context = || format!("--set {setting}");
            self.definition.set(name.trim(), value.trim()).with_context(context)?;
        }
        self.family = recognise(&self.definition)?;
        Ok(())
    }

    /// The same words under other numbers, `c` in place of `G`; chances of a break may be given
    /// short of their sum.
    ///
    /// # Errors
    /// When there is no such number, or `POS_REQ` is 0.
    pub fn renumbered(&self, numbers: &[(String, f64)]) -> anyhow::Result<Self> {
        let mut other = self.clone();
        for (name, value) in numbers {
            let (name, value) = match name.as_str() {
                "c" => ("G", self.gain(*value)?),
                name => (name, *value),
            };
            other.definition.set_number(name, value)?;
            other.family.numbers.insert(name.to_owned(), value);
        }
        Ok(other)
    }

    /// The text with the estimates of `results` in place of its numbers (`G` becomes
    /// `c / POS_REQ`) and `more` numbers, such as the skills of seats; and the names that kept theirs
    /// because they have no estimate.
    ///
    /// # Errors
    /// When `POS_REQ` is 0, or the text cannot be rewritten.
    pub fn rewritten(
        &self,
        results: &Results,
        more: &[(String, f64)],
    ) -> anyhow::Result<(String, Vec<String>)> {
        let (mut numbers, kept) = self.numbers(results)?;
        numbers.extend_from_slice(more);
        Ok((Definition::rewrite(&self.text, &numbers)?, kept))
    }

    fn numbers(&self, results: &Results) -> anyhow::Result<(Numbers, Vec<String>)> {
        let (mut numbers, mut kept) = (Vec::new(), Vec::new());
        for line in results.fitted.estimates.iter().filter(|line| !line.name.starts_with("skill."))
        {
            match line.estimate {
                Some(value) if line.name == "c" => {
                    numbers.push(("G".to_owned(), self.gain(value)?));
                }
                Some(value) => numbers.push((line.name.clone(), value)),
                None => kept.push(line.name.clone()),
            }
        }
        for named in results.shares.iter().filter(|share| !results.is_replaced(&share.name)) {
            match named.held.or(named.share.as_ref().map(|share| share.estimate)) {
                Some(value) => numbers.push((named.name.clone(), value)),
                None => kept.push(named.name.clone()),
            }
        }
        if let Some(breaks) = &results.breaks {
            let shares = breaks.shares.iter().zip(&breaks.fit.shares);
            numbers.extend(shares.map(|(name, share)| (name.clone(), share.estimate)));
        }
        Ok((numbers, kept))
    }

    /// `G` for a price of position `c`.
    ///
    /// # Errors
    /// When `POS_REQ` is 0: then no `G` gives another `c`.
    pub fn gain(&self, c: f64) -> anyhow::Result<f64> {
        let requirement = self.family.number("POS_REQ");
        ensure!(requirement != 0.0, "POS_REQ is 0 in the definition, so no G gives c = {c}");
        Ok(c / requirement)
    }
}

/// Names of a definition's numbers with values.
type Numbers = Vec<(String, f64)>;

/// Numbers at which formulas are compared.
struct Probe {
    numbers: BTreeMap<String, f64>,
    skill: f64,
    break_skill: f64,
}

fn recognise(definition: &Definition) -> anyhow::Result<Family> {
    let numbers: BTreeMap<String, f64> = definition
        .parameters()
        .into_iter()
        .filter(|parameter| parameter.constant)
        .filter_map(|parameter| Some((parameter.name, parameter.value.number()?)))
        .collect();
    for name in SINGLE {
        ensure!(numbers.contains_key(name), "there is no constant `{name}`");
    }
    let keys = |base: &str| -> Vec<String> {
        definition
            .parameters()
            .iter()
            .filter_map(|p| p.name.strip_prefix(base)?.strip_prefix('.').map(str::to_owned))
            .collect()
    };
    let (leaves, breaks) = (keys("D"), keys("BREAK"));
    ensure!(!leaves.is_empty(), "there is no constant `D` with a difficulty per leave");
    ensure!(!breaks.is_empty(), "there is no constant `BREAK` with a chance per outcome");
    for (model, may_read) in [
        ("shot", &SHOT_READS[..]),
        ("safety", &["A0", "SAFE_FOUL", "shooter", "skill"]),
        ("break", &["BREAK", "BREAK_SLOPE", "break_skill", "shooter"]),
    ] {
        let other = definition.reads(model).into_iter().find(|name| !may_read.contains(&&**name));
        if let Some(other) = other {
            bail!("the chances of the model `{model}` depend on `{other}`");
        }
    }
    let probes: Vec<Probe> = (0..PROBES).map(|i| probe(&numbers, i as u64)).collect();
    let spots = spots(definition, &leaves)?;
    let shot = roles::<SHOT_RESULTS>(definition, "shot", &leaves, &spots, &probes, shot_chances)?;
    let safety = roles::<SAFETY_RESULTS>(
        definition,
        "safety",
        &leaves[..1],
        &[Vec::new()],
        &probes,
        safety_chances,
    )?;
    let breaks = break_roles(definition, &breaks, &probes)?;
    let break_skill = definition.reads("break").iter().any(|name| name == "break_skill");
    Ok(Family { schema: Schema { leaves, shot, safety, breaks }, numbers, spots, break_skill })
}

/// What the chances of a shot may read: leaves by difficulty, and leaves by geometry.
const SHOT_READS: [&str; 13] = [
    "D",
    "G",
    "POS_REQ",
    "P_SCRATCH",
    "leave",
    "shooter",
    "skill",
    "b0",
    "b1",
    "b2",
    "b3",
    "SPOTS",
    "spot",
];

/// The points of each leave that has any.
fn spots(definition: &Definition, leaves: &[String]) -> anyhow::Result<Vec<Vec<[f64; 3]>>> {
    let point = |value: &Value| -> Option<[f64; 3]> {
        let Value::List(parts) = value else { return None };
        let parts: Vec<f64> = parts.iter().map(Value::number).collect::<Option<_>>()?;
        parts.try_into().ok()
    };
    leaves
        .iter()
        .map(|leave| match definition.parameter(&format!("SPOTS.{leave}")) {
            None => Ok(Vec::new()),
            Some(Value::List(points)) => points
                .iter()
                .map(|value| {
                    point(value).ok_or_else(|| {
                        anyhow!("SPOTS.{leave}: write each point as [theta, l_ob, l_cb]")
                    })
                })
                .collect(),
            Some(_) => bail!("SPOTS.{leave} is no list of points"),
        })
        .collect()
}

fn probe(numbers: &BTreeMap<String, f64>, index: u64) -> Probe {
    let mut rng = stream(0, Purpose::Test, index);
    let mut between = |low: f64, high: f64| low + (high - low) * rng.random::<f64>();
    let mut probe: BTreeMap<String, f64> = numbers
        .keys()
        .filter_map(|name| {
            let value = match name.as_str() {
                "POS_REQ" | "G" => between(0.3, 1.7),
                "P_SCRATCH" | "SAFE_FOUL" => between(0.05, 0.4),
                "A0" => between(0.0, 3.0),
                name if name.starts_with("D.") => between(-1.0, 4.0),
                name if name.starts_with("BREAK.") => between(0.2, 1.0),
                name if name.starts_with("BREAK_SLOPE.") => between(-1.0, 1.0),
                "b0" => between(-1.0, 1.0),
                "b1" => between(0.0, 0.05),
                "b2" | "b3" => between(0.0, 0.002),
                _ => return None,
            };
            Some((name.clone(), value))
        })
        .collect();
    let sum: f64 = probe.iter().filter(|(name, _)| name.starts_with("BREAK.")).map(|p| p.1).sum();
    for (_, value) in probe.iter_mut().filter(|(name, _)| name.starts_with("BREAK.")) {
        *value /= sum;
    }
    Probe { numbers: probe, skill: between(0.5, 3.5), break_skill: between(-1.0, 1.0) }
}

impl Probe {
    fn applied(&self, definition: &Definition) -> anyhow::Result<Definition> {
        let mut definition = definition.clone();
        for (name, value) in &self.numbers {
            definition.set_number(name, *value)?;
        }
        definition.set_number("skill", self.skill)?;
        if definition.reads("break").iter().any(|name| name == "break_skill") {
            definition.set_number("break_skill", self.break_skill)?;
        }
        Ok(definition)
    }

    fn number(&self, name: &str) -> f64 {
        self.numbers.get(name).copied().unwrap_or_default()
    }
}

/// The chances of the outcomes of a break with these keys.
fn break_chances(probe: &Probe, keys: &[String], skill: bool) -> Vec<f64> {
    let weight = |key: &String| {
        let slope = if skill { probe.number(&format!("BREAK_SLOPE.{key}")) } else { 0.0 };
        probe.number(&format!("BREAK.{key}")) * libm::exp(slope * probe.break_skill)
    };
    let sum: f64 = if skill { keys.iter().map(weight).sum() } else { 1.0 };
    keys.iter().map(|key| weight(key) / sum).collect()
}

/// The chances of the results of a shot in the order of [`Schema::shot`], from a leave or one of
/// its points.
fn shot_chances(probe: &Probe, leave: &str, point: Option<[f64; 3]>) -> [f64; SHOT_RESULTS] {
    let b = ["b0", "b1", "b2", "b3"].map(|name| probe.number(name));
    let d = match point {
        Some(point) => Difficulty { b, c: 0.0 }.of(point),
        None => probe.number(&format!("D.{leave}")),
    };
    let pot = sigmoid(probe.skill - d);
    let position = sigmoid(probe.skill - d - probe.number("G") * probe.number("POS_REQ"));
    let scratch = probe.number("P_SCRATCH");
    [
        pot * position * (1.0 - scratch),
        pot * (1.0 - position) * (1.0 - scratch),
        pot * scratch,
        (1.0 - pot) * (1.0 - scratch),
        (1.0 - pot) * scratch,
    ]
}

/// The chances of the results of a safety in the order of [`Schema::safety`].
fn safety_chances(probe: &Probe, _: &str, _: Option<[f64; 3]>) -> [f64; SAFETY_RESULTS] {
    let good = sigmoid(probe.skill - probe.number("A0"));
    let foul = probe.number("SAFE_FOUL");
    [good * (1.0 - foul), (1.0 - good) * (1.0 - foul), foul]
}

/// Finds the outcome that plays each role of a model, the same at every probe and leave.
fn roles<const N: usize>(
    definition: &Definition,
    model: &str,
    leaves: &[String],
    spots: &[Vec<[f64; 3]>],
    probes: &[Probe],
    expected: fn(&Probe, &str, Option<[f64; 3]>) -> [f64; N],
) -> anyhow::Result<[String; N]> {
    let mut found: Option<Vec<(String, Vec<bool>)>> = None;
    for probe in probes {
        let mut applied = probe.applied(definition)?;
        for (leave, spots) in leaves.iter().zip(spots) {
            applied.set("leave", leave)?;
            for spot in 0..spots.len().max(1) {
                if !spots.is_empty() {
                    applied.set("spot", &spot.to_string())?;
                }
                let chances = chances(&applied, model)?;
                let known = found.get_or_insert_with(|| {
                    chances.iter().map(|(id, _)| (id.clone(), vec![true; N])).collect()
                });
                let expected = expected(probe, leave, spots.get(spot).copied());
                for ((_, chance), (_, roles)) in chances.iter().zip(known) {
                    for (role, value) in roles.iter_mut().zip(expected) {
                        *role &= (chance - value).abs() < TOLERANCE;
                    }
                }
            }
        }
    }
    let found = found.unwrap_or_default();
    if let Some((id, _)) = found.iter().find(|(_, roles)| !roles.contains(&true)) {
        bail!("the chance of `{id}` in the model `{model}` is none of the outcome model's");
    }
    ensure!(
        found.len() == N,
        "the model `{model}` has {} outcomes, the outcome model has {N}",
        found.len()
    );
    let of = |role: usize| found.iter().find(|(_, roles)| roles[role]).map(|(id, _)| id.clone());
    let ids: Option<Vec<String>> = (0..N).map(of).collect();
    ids.and_then(|ids| ids.try_into().ok())
        .ok_or_else(|| anyhow!("two outcomes of the model `{model}` have the same chance"))
}

fn break_roles(
    definition: &Definition,
    keys: &[String],
    probes: &[Probe],
) -> anyhow::Result<Vec<(String, String)>> {
    let skill = definition.reads("break").iter().any(|name| name == "break_skill");
    let mut found: Option<Vec<(String, Vec<bool>)>> = None;
    for probe in probes {
        let chances = chances(&probe.applied(definition)?, "break")?;
        let known = found.get_or_insert_with(|| {
            chances.iter().map(|(id, _)| (id.clone(), vec![true; keys.len()])).collect()
        });
        let expected = break_chances(probe, keys, skill);
        for ((_, chance), (_, fits)) in chances.iter().zip(known) {
            for (fit, value) in fits.iter_mut().zip(&expected) {
                *fit &= (chance - value).abs() < TOLERANCE;
            }
        }
    }
    found
        .unwrap_or_default()
        .into_iter()
        .map(|(id, fits)| match fits.iter().position(|fit| *fit) {
            Some(at) => Ok((id, keys[at].clone())),
            None => Err(anyhow!("the chance of `{id}` on the break is no constant of `BREAK`")),
        })
        .collect()
}

fn chances(definition: &Definition, model: &str) -> anyhow::Result<Vec<(String, f64)>> {
    definition.chances(model)?.ok_or_else(|| anyhow!("there is no model `{model}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_definition_is_of_the_family() {
        let shipped = Calibrated::read(None).expect("of the family");
        let schema = &shipped.family.schema;
        assert_eq!(schema.leaves.len(), 6);
        assert_eq!(schema.shot[4], "miss_scratch");
        assert_eq!(schema.safety[2], "safe_foul");
        assert!(schema.breaks.contains(&("illegal_break".to_owned(), "illegal".to_owned())));
        assert_eq!(shipped.family.number("c"), 1.0);
    }

    #[test]
    fn another_spelling_is_recognised_and_another_formula_refused() {
        let text = Definition::SHIPPED;
        let same =
            text.replace("sigmoid(s - d - G * POS_REQ)", "1 / (1 + exp(d + POS_REQ * G - s))");
        assert_ne!(same, text);
        assert!(Calibrated::new(same).is_ok());
        for (from, to, reason) in [
            ("sigmoid(s - A0)", "sigmoid(s - A0 - 1)", "`safe_good` in the model `safety`"),
            ("sigmoid(s - d)\"", "sigmoid(s - d - left['solids'] / 9)\"", "depend on `left`"),
            ("sigmoid(s - d)\"", "sigmoid(2 * (s - d))\"", "in the model `shot`"),
        ] {
            let other = text.replace(from, to);
            assert_ne!(other, text, "{from}");
            let error = Calibrated::new(other).expect_err(to);
            assert!(format!("{error:#}").contains(reason), "{error:#}");
        }
    }
}
