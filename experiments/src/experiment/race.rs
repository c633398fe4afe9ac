//! Experiments with `game = "snooker-race"`: every agent plays every table, and every two of them
//! are a match, as each seat plays its own copy of the table.

mod report;

use super::drive::Written;
use super::grid::{Grid, Point, Setting, describe};
use super::source::{Source, SourceError};
use super::{Game, GameExperiment, Overrides, Report, RowsOf, UnitRows, agent_files, name};
use crate::output::rows::race::{RaceMatchRow, RaceTableRow};
use cuebench_agents::race::play::{TableGame, no_time, play_table};
use cuebench_agents::race::race_agent;
use cuebench_agents::spec::{AgentSpec, nearest};
use cuebench_engine::snooker::{AimNoise, CLOCK_MS, Closed, Options, Setup, decide};
use serde::Deserialize;
use std::time::{Duration, Instant};
use toml::Spanned;

/// More tables than this are refused.
const MOST_TABLES: u64 = 10_000_000;
/// More agents than this are refused.
const MOST_AGENTS: usize = 64;
/// What `[grid]` and `--set` can set.
const PARAMETERS: [&str; 7] = ["pockets", "layout", "table", "order", "max_shots", "noise", "time"];

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "game")]
    _game: Game,
    name: Option<Spanned<String>>,
    /// Seed of the first table; the next has the next.
    seed: u64,
    /// Number of tables.
    tables: Spanned<u64>,
    agents: Spanned<Vec<Spanned<String>>>,
    /// Options of the race, one value or several.
    #[serde(default)]
    grid: Grid,
}

/// A resolved experiment.
#[derive(Debug)]
pub struct Race {
    name: String,
    seed: u64,
    tables: u64,
    agents: Vec<AgentSpec>,
    points: Vec<(Point, Conditions)>,
}

/// What holds for all tables of a point.
#[derive(Clone, Copy, Debug, Default)]
struct Conditions {
    options: Options,
    noise: Option<AimNoise>,
    /// Thinking runs on the seats' clocks.
    real_time: bool,
}

/// Resolves the experiment in `source`.
///
/// # Errors
/// Whatever is wrong with it, by line and column.
pub fn resolve(source: &Source, overrides: &Overrides) -> Result<Race, SourceError> {
    let file: File = source.parse()?;
    let seed = overrides.seed.unwrap_or(file.seed);
    let tables = *file.tables.get_ref();
    if tables == 0 || tables > MOST_TABLES || seed.checked_add(tables).is_none() {
        let message = format!("tables = {tables}: give a number from 1 to {MOST_TABLES}");
        return Err(source.error(file.tables.span(), message));
    }
    let mut agents: Vec<AgentSpec> = vec![];
    for text in file.agents.get_ref() {
        let at = |error: String| source.error(text.span(), error);
        let spec: AgentSpec = text.get_ref().parse().map_err(|error| at(format!("{error}")))?;
        race_agent(&spec).map_err(|error| at(error.to_string()))?;
        if agents.contains(&spec) {
            return Err(at(format!("`{spec}` stands twice; its tables would be the same")));
        }
        agents.push(spec);
    }
    if agents.is_empty() || agents.len() > MOST_AGENTS {
        let message = format!("agents: give 1 to {MOST_AGENTS}, as in [\"search\", \"threshold\"]");
        return Err(source.error(file.agents.span(), message));
    }
    let mut points = vec![];
    for point in file.grid.points(source, &overrides.set)? {
        let conditions = conditions(&point).map_err(|error| source.error(0..0, error))?;
        points.push((point, conditions));
    }
    Ok(Race { name: name(source, file.name.as_ref())?, seed, tables, agents, points })
}

fn conditions(point: &[Setting]) -> Result<Conditions, String> {
    let mut conditions = Conditions::default();
    let Conditions { options, noise, real_time } = &mut conditions;
    for Setting { name, value } in point {
        let error = |error: &dyn std::fmt::Display| error.to_string();
        match name.as_str() {
            "pockets" => {
                options.pockets = serde_json::from_value(value.as_str().into())
                    .map_err(|_| format!("pockets is `{value}`; it must be snooker or pool"))?;
            }
            "layout" => options.layout = value.parse().map_err(|e| error(&e))?,
            "table" => options.table = value.parse().map_err(|e| error(&e))?,
            "order" => options.order = value.parse().map_err(|e| error(&e))?,
            "max_shots" => options.max_shots = value.parse().map_err(|e| error(&e))?,
            "noise" => *noise = AimNoise::parse(value).map_err(|e| error(&e))?,
            "time" => {
                *real_time = match value.as_str() {
                    "free" => false,
                    "real" => true,
                    _ => return Err(format!("time is `{value}`; it must be free or real")),
                };
            }
            _ => {
                let near = nearest(name, &PARAMETERS);
                let near = near.map_or_else(String::new, |n| format!(" (did you mean `{n}`?)"));
                let known = PARAMETERS.join(", ");
                return Err(format!("the race has no option `{name}`{near}; it has: {known}"));
            }
        }
    }
    Ok(conditions)
}

/// A table as one agent played it.
#[derive(Debug)]
pub struct Played {
    game: TableGame,
    oracle: bool,
    thought: Duration,
}

impl Race {
    /// The point and the seed of the table.
    const fn place(&self, unit: u64) -> (usize, u64) {
        ((unit / self.tables) as usize, self.seed + unit % self.tables)
    }

    /// Every two agents, the earlier in seat 0.
    fn pairs(&self) -> Vec<[usize; 2]> {
        let all = 0..self.agents.len();
        all.clone().flat_map(|a| all.clone().skip(a + 1).map(move |b| [a, b])).collect()
    }

    fn play_agent(&self, spec: &AgentSpec, unit: u64) -> anyhow::Result<Played> {
        let (point, seed) = self.place(unit);
        let Conditions { options, noise, real_time } = self.points[point].1;
        let setup = Setup { seed, salt: None, options, noise, clock_ms: Some(CLOCK_MS) };
        let mut agent = race_agent(spec)?;
        let begun = Instant::now();
        let mut watch = || if real_time { begun.elapsed() } else { no_time() };
        // Seats see the same, so one table serves all matches of the agent.
        let game = play_table(agent.as_mut(), &setup, 0, &mut watch, &mut |_| ())?;
        Ok(Played { game, oracle: agent.wants_true_values(), thought: begun.elapsed() })
    }

    fn table_row(&self, unit: u64, agent: usize, played: &Played) -> RaceTableRow {
        let (point, table_seed) = self.place(unit);
        let (set, conditions) = &self.points[point];
        let Played { game: TableGame { result, fouls, report, table }, oracle, thought } = played;
        RaceTableRow {
            experiment: self.name.clone(),
            table_seed,
            agent: self.agents[agent].to_string(),
            oracle: u8::from(*oracle),
            parameters: describe(set),
            noise_angle_deg: conditions.noise.map(AimNoise::angle_deg),
            noise_speed_m_s: conditions.noise.map(AimNoise::speed_m_s),
            time: if conditions.real_time { "real" } else { "free" }.to_owned(),
            cloth_mm_s2: table.values().cloth,
            restitution_thousandths: table.values().restitution,
            score: result.score,
            strokes: result.strokes,
            closed: result.closed.name().to_owned(),
            cleared: u8::from(result.closed == Closed::Cleared),
            fouls: *fouls,
            identified_after: report.identified_after,
            sims: report.sims,
            time_ms: result.time_ms,
            thought_ms: thought.as_micros() as f64 / 1000.0,
        }
    }

    fn match_row(&self, unit: u64, pair: [usize; 2], played: &[Played]) -> RaceMatchRow {
        let (point, table_seed) = self.place(unit);
        let [a, b] = pair.map(|agent| &played[agent].game.result);
        let outcome = decide([a, b]);
        let [agent_0, agent_1] = pair.map(|agent| self.agents[agent].to_string());
        RaceMatchRow {
            experiment: self.name.clone(),
            table_seed,
            agent_0,
            agent_1,
            parameters: describe(&self.points[point].0),
            result_0: outcome.points(),
            decided_by: outcome.decided_by.name().to_owned(),
            score_0: a.score,
            score_1: b.score,
            strokes_0: a.strokes,
            strokes_1: b.strokes,
            time_0_ms: a.time_ms,
            time_1_ms: b.time_ms,
        }
    }
}

impl GameExperiment for Race {
    type Block = Vec<Played>;
    const EPISODES: &'static str = "tables";

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn resolved(&self) -> serde_json::Value {
        let points = self.points.iter().map(|(point, conditions)| {
            serde_json::json!({
                "set": describe(point),
                "options": conditions.options,
                "noise": conditions.noise,
                "real_time": conditions.real_time,
            })
        });
        serde_json::json!({
            "game": "snooker-race",
            "seed": self.seed,
            "tables": self.tables,
            "agents": self.agents.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "agent_files": agent_files(&self.agents),
            "points": points.collect::<Vec<_>>(),
        })
    }

    fn files(&self) -> Vec<RowsOf> {
        let tables = RowsOf::new::<RaceTableRow>("", self.agents.len() as u64);
        match self.pairs().len() as u64 {
            0 => vec![tables],
            pairs => vec![tables, RowsOf::new::<RaceMatchRow>("-matches", pairs)],
        }
    }

    fn units(&self) -> u64 {
        self.tables * self.points.len() as u64
    }

    fn episodes(&self, _unit: u64, _block: u64) -> u64 {
        self.agents.len() as u64
    }

    fn play(&self, unit: u64, _block: u64) -> anyhow::Result<Vec<Played>> {
        self.agents.iter().map(|agent| self.play_agent(agent, unit)).collect()
    }

    fn merge(&self, total: &mut Vec<Played>, next: Vec<Played>) {
        total.extend(next);
    }

    fn rows(&self, unit: u64, total: Vec<Played>, rows: &mut UnitRows) -> anyhow::Result<()> {
        for (agent, played) in total.iter().enumerate() {
            rows.push(0, &self.table_row(unit, agent, played))?;
        }
        self.pairs()
            .into_iter()
            .try_for_each(|pair| rows.push(1, &self.match_row(unit, pair, &total)))
    }

    fn report(&self, written: &mut Written<'_>) -> anyhow::Result<Report> {
        report::report(self.seed, self.pairs().len(), written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::drive::{Options as Driving, drive};
    use crate::rollout::Stop;
    use std::path::Path;

    fn race(text: &str) -> Result<Race, SourceError> {
        let text = format!("game = \"snooker-race\"\nname = \"x\"\nseed = 5\n{text}");
        resolve(&Source::new(Path::new("x.toml"), text), &Overrides::default())
    }

    fn refusal(text: &str) -> String {
        race(text).expect_err("refused").to_string()
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let error = refusal("tables = 0\nagents = [\"random\"]\n");
        assert!(error.contains("x.toml:4:10: tables = 0"), "{error}");
        let error = refusal("tables = 1\nagents = [\"random\", \"randm\"]\n");
        assert!(error.contains("x.toml:5:21: unknown agent `randm` (did you mean `random`?)"));
        assert!(refusal("tables = 1\nagents = []\n").contains("agents: give 1 to"));
        assert!(refusal("tables = 1\nagents = [\"random\", \"random\"]\n").contains("twice"));
        let grid = |grid: &str| refusal(&format!("tables=1\nagents=[\"random\"]\n[grid]\n{grid}"));
        assert!(grid("tabel = \"known\"\n").contains("did you mean `table`?"));
        assert!(grid("max_shots = [10, 61]\n").contains("max_shots is 61"));
        assert!(grid("noise = \"some\"\n").contains("noise is `some`"));
    }

    /// The bytes of the files, without the columns of measured times.
    fn played(threads: usize) -> Vec<String> {
        let text = "tables = 6\nagents = [\"random\", \"first_hit\", \"random:max_power=300\"]\n\
                    [grid]\ntable = [\"hidden\", \"known\"]\nnoise = \"olympiad\"\n";
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().to_owned();
        let driving = Driving { out, threads, resume: false, stop: Stop::new() };
        let finished = drive(&race(text).expect("resolved"), &driving).expect("runs");
        assert_eq!(finished.units, [12, 12]);
        let mut texts = vec![];
        for (path, rows) in &finished.files {
            let mut reader = csv::Reader::from_path(path).expect("opened");
            let heads = reader.headers().expect("heads").clone();
            let mut count = 0;
            for record in reader.records() {
                let record = record.expect("a row");
                let timeless = heads.iter().zip(&record).filter(|(head, _)| !head.ends_with("_ms"));
                texts.push(timeless.map(|(_, cell)| cell).collect::<Vec<_>>().join(","));
                count += 1;
            }
            assert_eq!(count, *rows, "{}", path.display());
        }
        texts
    }

    #[test]
    fn rows_are_the_same_at_any_number_of_threads() {
        let rows = played(1);
        // Tables, matches, agents, pairs.
        assert_eq!(rows.len(), 12 * 3 + 12 * 3 + 2 * 3 + 2 * 3);
        assert_eq!(played(2), rows);
        assert_eq!(played(7), rows);
    }
}
