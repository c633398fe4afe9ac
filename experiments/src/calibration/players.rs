//! Players of simulated logs and of predictions: names with skills.

use super::simulate::Shooter;
use crate::input::csv::{Cells, Table};
use anyhow::{Context as _, anyhow, bail, ensure};
use cuebench_agents::spec::did_you_mean;
use std::path::Path;

/// The most players given by number alone.
const MAX_COUNT: usize = 1_000_000;

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
            (2..=MAX_COUNT).contains(&count),
            "--players {count}: give 2 to {MAX_COUNT} players"
        );
        let step = (SPAN[1] - SPAN[0]) / (count - 1) as f64;
        (0..count)
            .map(|i| Shooter { name: i.to_string(), skill: SPAN[0] + step * i as f64 })
            .collect()
    } else {
        cells("--players", text)?
            .iter()
            .map(|text| one(text))
            .collect::<anyhow::Result<Vec<Shooter>>>()?
    };
    let mut known = std::collections::HashSet::new();
    if let Some(twice) = players.iter().find(|player| !known.insert(&player.name)) {
        bail!("--players: `{}` stands twice", twice.name);
    }
    Ok(players)
}

/// Break skills of `players` from text: `ann=0.5,bob=-0.5`, 0 for whoever is not named; or a number
/// S for break skills spread evenly from -S to S.
///
/// # Errors
/// When the text is neither, or names somebody who does not play.
pub fn break_skills(text: &str, players: &[Shooter]) -> anyhow::Result<Vec<f64>> {
    let finite = |text: &str| {
        let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| anyhow!("--break-skills: `{text}` is not a finite number"))
    };
    if !text.contains('=') {
        let (most, last) = (finite(text)?, (players.len() - 1) as f64);
        return Ok((0..players.len()).map(|i| most * (2.0 * i as f64 / last - 1.0)).collect());
    }
    let mut skills = vec![0.0; players.len()];
    for cell in cells("--break-skills", text)? {
        let (name, skill) = cell
            .rsplit_once('=')
            .with_context(|| format!("--break-skills: `{cell}`: write it as NAME=SKILL"))?;
        let at = players.iter().position(|player| player.name == name.trim());
        let at = at.with_context(|| format!("--break-skills: nobody is called `{name}`"))?;
        skills[at] = finite(skill)?;
    }
    Ok(skills)
}

/// Parts of a text between commas, each as a CSV cell: one with a comma stands in double quotes.
///
/// # Errors
/// When a quote is not closed.
pub fn cells(option: &str, text: &str) -> anyhow::Result<Vec<String>> {
    let mut cells = Cells::default();
    cells.split(text.as_bytes()).map_err(|fault| anyhow!("{option} {text}: {fault}"))?;
    Ok(cells.iter().map(str::to_owned).collect())
}

fn one(text: &str) -> anyhow::Result<Shooter> {
    let (name, skill) = text
        .rsplit_once('=')
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
    let known = skills(Path::new(file)).context("--players")?;
    let Some(wanted) = wanted else { return Ok(known) };
    let names: Vec<&str> = known.iter().map(|player| player.name.as_str()).collect();
    cells("--players", wanted)?
        .iter()
        .map(|name| {
            known.iter().find(|player| player.name == *name).cloned().ok_or_else(|| {
                let near = did_you_mean(name, &names);
                anyhow!("--players @{file}: no skill of `{name}` is estimated there{near}")
            })
        })
        .collect()
}

/// The skills in a table of estimates: rows `skill.NAME` of the columns `name` and `estimate`. Rows
/// without an estimate are passed over.
///
/// # Errors
/// When the file cannot be read, has other columns, or a skill is no finite number.
pub fn skills(file: &Path) -> anyhow::Result<Vec<Shooter>> {
    let mut table = Table::open(file)?;
    let (name, estimate) = (table.column("name")?, table.column("estimate")?);
    let mut known = Vec::new();
    while let Some(cells) = table.advance()? {
        let (Some(name), text) = (cells.get(name).strip_prefix("skill."), cells.get(estimate))
        else {
            continue;
        };
        if !text.is_empty() {
            let skill = text.parse().ok().filter(|skill: &f64| skill.is_finite());
            let skill = skill.with_context(|| {
                let file = file.display();
                format!("{file}: the estimate of `{name}` is `{text}`, not a finite number")
            })?;
            known.push(Shooter { name: name.to_owned(), skill });
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_read_in_three_ways() {
        let two = parse("ann=2, bob=-0.5").expect("two");
        assert_eq!((two[1].name.as_str(), two[1].skill), ("bob", -0.5));
        let eight = parse("8").expect("eight");
        let comma = parse("\"Smith, J.=2.5\",ann=1").expect("two");
        assert_eq!((comma[0].name.as_str(), comma[0].skill), ("Smith, J.", 2.5));
        assert!((eight[7].skill - 3.4).abs() < 1e-12 && eight[0].skill == 0.8);
        for bad in ["1", "ann", "ann=x", "ann=1,ann=2", "=2", "@no/such.csv:ann"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
