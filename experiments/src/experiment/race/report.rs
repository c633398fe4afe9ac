//! The end of a race experiment: what each agent did, and how each two of them compare.

use crate::experiment::Report;
use crate::experiment::drive::Written;
use crate::output::rows::race::{RaceAgentRow, RaceMatchRow, RacePairRow, RaceTableRow};
use crate::output::table::Table;
use crate::stats::interval::{Z95, wilson95};

/// Reads the rows back, adds them up by agent and by pair, and writes both.
pub fn report(seed: u64, pairs: usize, written: &mut Written<'_>) -> anyhow::Result<Report> {
    let mut agents: Vec<AgentSum> = vec![];
    for row in written.rows::<RaceTableRow>(0)? {
        let row = row?;
        let same =
            |s: &AgentSum| s.first.agent == row.agent && s.first.parameters == row.parameters;
        match agents.iter_mut().rev().find(|sum| same(sum)) {
            Some(sum) => sum.add(&row),
            None => agents.push(AgentSum::new(row)),
        }
    }
    let agents: Vec<RaceAgentRow> = agents.into_iter().map(|sum| sum.row(seed)).collect();
    written.add_rows("-agents", &agents)?;
    let mut sums: Vec<PairSum> = vec![];
    if pairs > 0 {
        for row in written.rows::<RaceMatchRow>(1)? {
            let row = row?;
            match sums.iter_mut().rev().find(|sum| sum.is_of(&row)) {
                Some(sum) => sum.add(&row),
                None => sums.push(PairSum::new(row)),
            }
        }
    }
    let pairs: Vec<RacePairRow> = sums.into_iter().map(|sum| sum.row(seed)).collect();
    if !pairs.is_empty() {
        written.add_rows("-pairs", &pairs)?;
    }
    let mut text = agents_table(&agents).to_string();
    if !pairs.is_empty() {
        text.push('\n');
        text.push_str(&pairs_table(&pairs).to_string());
    }
    Ok(Report { text, json: serde_json::json!({ "agents": agents, "pairs": pairs }) })
}

/// Tables of one agent at one point, added up in the order of their rows.
struct AgentSum {
    first: RaceTableRow,
    tables: u64,
    cleared: u64,
    score: i64,
    strokes: u64,
    strokes_squared: u64,
    fouls: u64,
    identified: u64,
    identified_after: u64,
    sims: u64,
    thought_ms: f64,
}

impl AgentSum {
    fn new(first: RaceTableRow) -> Self {
        let mut sum = Self {
            first: first.clone(),
            tables: 0,
            cleared: 0,
            score: 0,
            strokes: 0,
            strokes_squared: 0,
            fouls: 0,
            identified: 0,
            identified_after: 0,
            sims: 0,
            thought_ms: 0.0,
        };
        sum.add(&first);
        sum
    }

    fn add(&mut self, row: &RaceTableRow) {
        let strokes = u64::from(row.strokes);
        self.tables += 1;
        self.cleared += u64::from(row.cleared);
        self.score += i64::from(row.score);
        self.strokes += strokes;
        self.strokes_squared += strokes * strokes;
        self.fouls += u64::from(row.fouls);
        self.identified += u64::from(row.identified_after.is_some());
        self.identified_after += u64::from(row.identified_after.unwrap_or_default());
        self.sims += row.sims;
        self.thought_ms += row.thought_ms;
    }

    fn row(self, seed: u64) -> RaceAgentRow {
        let tables = self.tables as f64;
        let mean = |sum: u64| sum as f64 / tables;
        let [clearance_low, clearance_high] = wilson95(self.cleared as f64, tables);
        RaceAgentRow {
            experiment: self.first.experiment,
            agent: self.first.agent,
            oracle: self.first.oracle,
            parameters: self.first.parameters,
            tables: self.tables,
            cleared: self.cleared,
            clearance: mean(self.cleared),
            clearance_low,
            clearance_high,
            mean_score: self.score as f64 / tables,
            mean_strokes: mean(self.strokes),
            mean_strokes_se: standard_error(self.tables, self.strokes, self.strokes_squared),
            mean_fouls: mean(self.fouls),
            identified: self.identified,
            mean_identified_after: (self.identified > 0)
                .then(|| self.identified_after as f64 / self.identified as f64),
            mean_sims: mean(self.sims),
            mean_thought_ms: self.thought_ms / tables,
            seed,
        }
    }
}

/// Standard error of the mean of `count` whole numbers with this sum and this sum of squares.
fn standard_error(count: u64, sum: u64, squares: u64) -> Option<f64> {
    let (n, sum, squares) = (u128::from(count), u128::from(sum), u128::from(squares));
    // n times the sum of squared deviations, exactly.
    let spread = (n * squares).checked_sub(sum * sum)?;
    (n > 1).then(|| (spread as f64 / (n * n * (n - 1)) as f64).sqrt())
}

/// Matches of one pair at one point.
struct PairSum {
    first: RaceMatchRow,
    wins: [u64; 3],
    decided: [u64; 3],
}

impl PairSum {
    fn new(first: RaceMatchRow) -> Self {
        let mut sum = Self { first: first.clone(), wins: [0; 3], decided: [0; 3] };
        sum.add(&first);
        sum
    }

    fn is_of(&self, row: &RaceMatchRow) -> bool {
        let RaceMatchRow { agent_0, agent_1, parameters, .. } = &self.first;
        [agent_0, agent_1, parameters] == [&row.agent_0, &row.agent_1, &row.parameters]
    }

    fn add(&mut self, row: &RaceMatchRow) {
        let Some(result) = row.result_0 else { return };
        let place = if result > 0.75 { 0 } else { 1 + usize::from(result < 0.25) };
        self.wins[place] += 1;
        let by = ["score", "strokes", "time"].iter().position(|by| *by == row.decided_by);
        if let Some(by) = by {
            self.decided[by] += 1;
        }
    }

    fn row(self, seed: u64) -> RacePairRow {
        let [wins_0, draws, wins_1] = self.wins;
        let [by_score, by_strokes, by_time] = self.decided;
        let matches = wins_0 + draws + wins_1;
        let points = wins_0 as f64 + draws as f64 / 2.0;
        let [win_rate_low, win_rate_high] = wilson95(points, matches as f64);
        RacePairRow {
            experiment: self.first.experiment,
            agent_0: self.first.agent_0,
            agent_1: self.first.agent_1,
            parameters: self.first.parameters,
            matches,
            wins_0,
            draws,
            wins_1,
            win_rate_0: points / matches as f64,
            win_rate_low,
            win_rate_high,
            by_score,
            by_strokes,
            by_time,
            seed,
        }
    }
}

fn agents_table(rows: &[RaceAgentRow]) -> Table {
    let mut table = Table::new([
        "agent",
        "set",
        "tables",
        "cleared",
        "95 %",
        "score",
        "strokes",
        "±",
        "fouls",
        "known after",
        "sims",
        "ms",
    ]);
    for row in rows {
        let oracle = if row.oracle == 1 { " (knows the table)" } else { "" };
        table.row([
            format!("{}{oracle}", row.agent),
            row.parameters.clone(),
            row.tables.to_string(),
            format!("{:.4}", row.clearance),
            format!("{:.4}..{:.4}", row.clearance_low, row.clearance_high),
            format!("{:.3}", row.mean_score),
            format!("{:.3}", row.mean_strokes),
            row.mean_strokes_se.map_or_else(String::new, |se| format!("{:.3}", Z95 * se)),
            format!("{:.3}", row.mean_fouls),
            row.mean_identified_after.map_or_else(String::new, |mean| format!("{mean:.2}")),
            format!("{:.0}", row.mean_sims),
            format!("{:.1}", row.mean_thought_ms),
        ]);
    }
    table
}

fn pairs_table(rows: &[RacePairRow]) -> Table {
    let mut table = Table::new([
        "seat 0",
        "seat 1",
        "set",
        "matches",
        "won",
        "drawn",
        "lost",
        "win rate",
        "95 %",
        "by score",
        "by strokes",
        "by time",
    ]);
    for row in rows {
        table.row([
            row.agent_0.clone(),
            row.agent_1.clone(),
            row.parameters.clone(),
            row.matches.to_string(),
            row.wins_0.to_string(),
            row.draws.to_string(),
            row.wins_1.to_string(),
            format!("{:.4}", row.win_rate_0),
            format!("{:.4}..{:.4}", row.win_rate_low, row.win_rate_high),
            row.by_score.to_string(),
            row.by_strokes.to_string(),
            row.by_time.to_string(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sample variance 32 / 7.
    #[test]
    fn the_standard_error_is_that_of_the_sample() {
        let values = [2_u64, 4, 4, 4, 5, 5, 7, 9];
        let squares = values.iter().map(|v| v * v).sum();
        let error = standard_error(8, values.iter().sum(), squares).expect("eight values");
        assert!((error - (32.0_f64 / 7.0 / 8.0).sqrt()).abs() < 1e-12);
        assert_eq!(standard_error(1, 6, 36), None);
    }
}
