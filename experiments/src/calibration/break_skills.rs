//! Break skills from logs of breaks: a definition whose break takes skill, and who broke how.

use super::family::Family;
use super::results::{Line, Test};
use crate::stats::calibration::break_skill::{self, BreakError, BreakFit, Value};
use crate::stats::calibration::slope::LikelihoodRatio;
use std::collections::BTreeMap;

/// Breaks by player and outcome.
pub type ByPlayer = BTreeMap<String, Vec<u64>>;

/// What breaks of known players tell.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakSkills {
    /// The players.
    pub players: Vec<String>,
    /// Breaks of each.
    pub breaks: Vec<u64>,
    /// The fit.
    pub fit: BreakFit,
    /// Names of the shares at break skill 0, `BREAK.KEY`.
    pub shares: Vec<String>,
}

impl BreakSkills {
    /// Fits the breaks of a log; nothing where breaks of the definition take no skill.
    ///
    /// # Errors
    /// When the breaks leave nothing to estimate.
    pub fn fit(by_player: &ByPlayer, family: &Family) -> Result<Option<Self>, BreakError> {
        if !family.break_skill || by_player.is_empty() {
            return Ok(None);
        }
        let counts: Vec<Vec<u64>> = by_player.values().cloned().collect();
        let fit = break_skill::fit(&counts, &family.break_slopes())?;
        Ok(Some(Self {
            players: by_player.keys().cloned().collect(),
            breaks: counts.iter().map(|row| row.iter().sum()).collect(),
            fit,
            shares: family.schema.breaks.iter().map(|(_, key)| format!("BREAK.{key}")).collect(),
        }))
    }

    /// The break skill of a player, if it is finite.
    #[must_use]
    pub fn of(&self, player: &str) -> Option<f64> {
        let at = self.players.iter().position(|known| known == player)?;
        self.fit.skills[at].map(|value| value.estimate)
    }

    /// Shares at break skill 0 and break skills, as outputs show them.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        let skills = self.players.iter().zip(&self.breaks).zip(&self.fit.skills);
        let skills =
            skills.map(|((player, n), value)| line(format!("break_skill.{player}"), *value, *n));
        let total = self.breaks.iter().sum();
        let shares = self.shares.iter().zip(&self.fit.shares);
        let shares = shares.map(|(name, value)| line(name.clone(), Some(*value), total));
        skills.chain(shares).collect()
    }

    /// Break skills against fixed shares, and each player's own shares against break skills.
    #[must_use]
    pub fn tests(&self) -> Vec<Test> {
        let test = |name: &str, ratio| Test { name: name.to_owned(), slope: None, ratio };
        vec![
            test("fixed shares of the break, against break skills", Some(self.fit.against_fixed)),
            test("break skills, against shares of each player's own", self.fit.against_own),
        ]
    }

    /// What a user should know.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let open: Vec<&str> = self
            .players
            .iter()
            .zip(&self.fit.skills)
            .filter(|(_, skill)| skill.is_none())
            .map(|(player, _)| player.as_str())
            .collect();
        let mut notes = vec![
            "Break skill 0 is the mean of the players; BREAK holds the shares there, and the slopes \
             are the definition's."
                .to_owned(),
        ];
        if !open.is_empty() {
            notes.push(format!(
                "Without a finite break skill, and set aside: {}; all of their breaks had one kind \
                 of outcome.",
                open.join(", ")
            ));
        }
        notes
    }
}

fn line(name: String, value: Option<Value>, n: u64) -> Line {
    let ends = value.map_or([None, None], |value| value.interval95().map(Some));
    Line {
        name,
        estimate: value.map(|value| value.estimate),
        se: value.map(|value| value.se),
        wald95: ends,
        profile95: [None, None],
        interval95: ends,
        interval: if value.is_some() { "Wald" } else { "" },
        n,
        standing: if value.is_some() { "estimated" } else { "separated" },
        open: None,
        share: None,
    }
}

/// Whether one set of shares serves all players, for a definition whose break takes no skill; none
/// with fewer than two players or outcomes.
#[must_use]
pub fn alike(by_player: &ByPlayer) -> Option<Test> {
    let rows: Vec<&Vec<u64>> =
        by_player.values().filter(|row| row.iter().any(|n| *n > 0)).collect();
    let outcomes = rows.first()?.len();
    let totals: Vec<u64> = (0..outcomes).map(|k| rows.iter().map(|row| row[k]).sum()).collect();
    let seen = totals.iter().filter(|n| **n > 0).count();
    if rows.len() < 2 || seen < 2 {
        return None;
    }
    let gain = rows.iter().map(|row| break_skill::entropy(row)).sum::<f64>()
        - break_skill::entropy(&totals);
    let df = ((rows.len() - 1) * (seen - 1)) as u64;
    let ratio = LikelihoodRatio::new(gain, df);
    Some(Test { name: "one set of shares of the break for all".to_owned(), slope: None, ratio })
}
