//! Players of simulated logs and of predictions: names with skills.

use super::simulate::{MAX_PLAYERS, Shooter};
use crate::output::rows::calibration::EstimateRow;
use anyhow::{Context as _, anyhow, bail, ensure};
use cuebench_agents::spec::nearest;
use std::path::Path;

/// Skills of players given by number alone: evenly from the least to the greatest.
const SPAN: [f64; 2] = [0.8, 3.4];

/// Players from text: `ann=2,bob=1.5`; a number alone, as in `8`, for that many of evenly spread
/// skill from 0.8 to 3.4; or `@estimates.csv:ann,bob` for skills that were calibrated.
///
/// # Errors
/// When the text is none of these, or a file or a skill is not there.
pub fn parse(text: &str) -> anyhow::Result<Vec<Shooter>> {
    let players = if let Some(source) = text.strip_prefix('@') {
        from_estimates(source)?
    } else if let Ok(count) = text.trim().parse::<usize>() {
        ensure!(
            (2..=MAX_PLAYERS).contains(&count),
            "--players {count}: give 2 to {MAX_PLAYERS} players"
        );
        let step = (SPAN[1] - SPAN[0]) / (count - 1) as f64;
        (0..count)
            .map(|i| Shooter { name: i.to_string(), skill: SPAN[0] + step * i as f64 })
            .collect()
    } else {
        text.split(',').map(one).collect::<anyhow::Result<Vec<Shooter>>>()?
    };
    for (i, player) in players.iter().enumerate() {
        if players[..i].iter().any(|other| other.name == player.name) {
            bail!("--players: `{}` stands twice", player.name);
        }
    }
    Ok(players)
}

fn one(text: &str) -> anyhow::Result<Shooter> {
    let (name, skill) = text
        .split_once('=')
        .ok_or_else(|| anyhow!("--players: `{text}`: write NAME=SKILL, as in ann=2,bob=1.5"))?;
    let number: f64 =
        skill.trim().parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| {
            anyhow!("--players: the skill `{skill}` of `{name}` is no finite number")
        })?;
    ensure!(!name.trim().is_empty(), "--players: `{text}` has no name");
    Ok(Shooter { name: name.trim().to_owned(), skill: number })
}

fn from_estimates(source: &str) -> anyhow::Result<Vec<Shooter>> {
    let (file, wanted) = match source.rsplit_once(':') {
        Some((file, names)) => (file, Some(names)),
        None => (source, None),
    };
    let mut reader =
        csv::Reader::from_path(Path::new(file)).with_context(|| format!("--players @{file}"))?;
    let mut known = Vec::new();
    for row in reader.deserialize::<EstimateRow>() {
        let row = row.with_context(|| format!("--players @{file}"))?;
        if let (Some(name), Some(skill)) = (row.name.strip_prefix("skill."), row.estimate) {
            known.push(Shooter { name: name.to_owned(), skill });
        }
    }
    let Some(wanted) = wanted else { return Ok(known) };
    let names: Vec<&str> = known.iter().map(|player| player.name.as_str()).collect();
    wanted
        .split(',')
        .map(|name| {
            known.iter().find(|player| player.name == name).cloned().ok_or_else(|| {
                let near = nearest(name, &names)
                    .map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
                anyhow!("--players @{file}: no skill of `{name}` is estimated there{near}")
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_read_in_three_ways() {
        let two = parse("ann=2, bob=-0.5").expect("two");
        assert_eq!((two[1].name.as_str(), two[1].skill), ("bob", -0.5));
        let eight = parse("8").expect("eight");
        assert!((eight[7].skill - 3.4).abs() < 1e-12 && eight[0].skill == 0.8);
        for bad in ["1", "ann", "ann=x", "ann=1,ann=2", "=2", "@no/such.csv:ann"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
