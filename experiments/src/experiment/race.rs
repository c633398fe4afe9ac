//! Experiments with `game = "snooker-race"`: every agent plays every table, and every two of them
//! are a match, as each seat plays its own copy of the table.

mod report;

use super::drive::Written;
use super::grid::{Grid, Point, Setting, describe};
use super::source::{Source, SourceError};
use super::{
    GameExperiment, Overrides, Report, RowsOf, UnitRows, agent_files, contenders, name, named,
};
use crate::contender::{Stable, Written as WrittenContender};
use crate::games::race::of_settings;
use crate::output::rows::race::{RaceMatchRow, RaceTableRow};
use cuebench_agents::clock::milliseconds;
use cuebench_agents::referee::{Played, Seated, Terms, play_alone};
use cuebench_agents::roster::Roster as _;
use cuebench_engine::game::{Game as _, Seed};
use cuebench_engine::snooker::{AimNoise, CLOCK_MS, Closed, Race as Rules, RaceState};
use serde::Deserialize;
use std::time::{Duration, Instant};
use toml::Spanned;

/// More tables than this are refused.
const MOST_TABLES: u64 = 10_000_000;
/// More agents than this are refused.
const MOST_AGENTS: usize = 64;
/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "game")]
    _game: String,
    name: Option<Spanned<String>>,
    /// Seed of the first table; the next has the next.
    seed: u64,
    /// Number of tables.
    tables: Spanned<u64>,
    agents: Spanned<Vec<Spanned<WrittenContender>>>,
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
    stable: Stable,
    points: Vec<(Point, Conditions)>,
}

/// What holds for all tables of a point.
#[derive(Clone, Copy, Debug)]
struct Conditions {
    /// One seat's table: seats see the same, so one table serves all matches of an agent.
    race: Rules,
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
    let check = |spec: &_| {
        Rules::default().player(spec, 0, None).map(drop).map_err(|error| error.to_string())
    };
    let agents = contenders(source, &file.agents, MOST_AGENTS, check)?;
    let mut points = vec![];
    for point in file.grid.points(source, &overrides.set)? {
        let conditions = conditions(&point).map_err(|error| {
            let fails = |point: &[Setting]| conditions(point).is_err();
            file.grid.blame(source, &overrides.set, &point, error, fails)
        })?;
        points.push((point, conditions));
    }
    let stable = Stable::new(agents, &source.home());
    let stable = stable.map_err(|error| source.error(file.agents.span(), format!("{error:#}")))?;
    Ok(Race { name: name(source, file.name.as_ref())?, seed, tables, stable, points })
}

fn conditions(point: &[Setting]) -> Result<Conditions, String> {
    let (time, options): (Vec<_>, Vec<_>) =
        point.iter().cloned().partition(|setting| setting.name == "time");
    let real_time = match time.last().map_or("free", |setting| &setting.value) {
        "free" => false,
        "real" => true,
        other => return Err(format!("time is `{other}`; it must be free or real")),
    };
    let race = of_settings(&options).map_err(|error| format!("{error:#}"))?;
    Ok(Conditions { race: Rules { alone: true, ..race }, real_time })
}

/// A table as one agent played it.
#[derive(Debug)]
pub struct Table {
    played: Played<Rules>,
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
        let all = 0..self.stable.contenders().len();
        all.clone().flat_map(|a| all.clone().skip(a + 1).map(move |b| [a, b])).collect()
    }

    fn play_agent(&self, who: usize, unit: u64) -> anyhow::Result<Table> {
        let (point, seed) = self.place(unit);
        let Conditions { race, real_time } = &self.points[point].1;
        let mut sitting = self.stable.sit(race, who, 0, None)?;
        let oracle = sitting.player().wants_secret();
        let game_id = format!("{}/{unit}/{who}", self.name);
        let terms = Terms {
            game_id: &game_id,
            free: !real_time,
            ..Terms::free(Duration::from_millis(CLOCK_MS))
        };
        let begun = Instant::now();
        let played = play_alone(race, Seed::open(seed), sitting.player(), &terms);
        let thought = begun.elapsed();
        self.stable.rise(who, sitting);
        Ok(Table { played, oracle, thought })
    }

    fn table_row(&self, unit: u64, who: usize, table: &Table) -> RaceTableRow {
        let (point, table_seed) = self.place(unit);
        let (set, conditions) = &self.points[point];
        let Table { played, oracle, thought } = table;
        let (state, [seated, _]) = (&played.state, &played.seats);
        let (result, values) = (state.result(0), state.table(0).values());
        RaceTableRow {
            experiment: self.name.clone(),
            table_seed,
            agent: self.stable.contenders()[who].to_string(),
            oracle: u8::from(*oracle),
            parameters: describe(set),
            noise_angle_deg: conditions.race.noise.map(AimNoise::angle_deg),
            noise_speed_m_s: conditions.race.noise.map(AimNoise::speed_m_s),
            time: if conditions.real_time { "real" } else { "free" }.to_owned(),
            cloth_mm_s2: values.cloth,
            restitution_thousandths: values.restitution,
            score: result.score,
            strokes: result.strokes,
            closed: result.closed.name().to_owned(),
            cleared: u8::from(result.closed == Closed::Cleared),
            fouls: state.fouls(0),
            reason: seated.reason().to_owned(),
            identified_after: seated.report.identified_after,
            sims: seated.report.sims,
            time_ms: milliseconds(seated.time),
            thought_ms: thought.as_micros() as f64 / 1000.0,
        }
    }

    fn match_row(&self, unit: u64, pair: [usize; 2], tables: &[Table]) -> RaceMatchRow {
        let (point, table_seed) = self.place(unit);
        let played = pair.map(|who| &tables[who].played);
        let both = RaceState::of_tables(played.map(|played| &played.state));
        let rules = Rules { alone: false, ..self.points[point].1.race };
        let void =
            |seated: &Seated| matches!(seated.fault, Some(cuebench_agents::fault::Fault::Void(_)));
        let void = played.iter().any(|played| void(&played.seats[0]));
        let verdict = if void { None } else { rules.verdict(&both) };
        let [a, b] = [both.result(0), both.result(1)];
        let [agent_0, agent_1] = pair.map(|who| self.stable.contenders()[who].to_string());
        let [reason_0, reason_1] = played.map(|played| played.seats[0].reason().to_owned());
        let [time_0_ms, time_1_ms] = played.map(|played| milliseconds(played.seats[0].time));
        RaceMatchRow {
            experiment: self.name.clone(),
            table_seed,
            agent_0,
            agent_1,
            parameters: describe(&self.points[point].0),
            result_0: verdict.as_ref().map(|verdict| verdict.points(0)),
            decided_by: verdict.map_or_else(String::new, |verdict| verdict.decided_by),
            score_0: a.score,
            score_1: b.score,
            strokes_0: a.strokes,
            strokes_1: b.strokes,
            reason_0,
            reason_1,
            time_0_ms,
            time_1_ms,
        }
    }
}

impl GameExperiment for Race {
    type Block = Vec<Table>;
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
                "options": conditions.race.options,
                "noise": conditions.race.noise,
                "real_time": conditions.real_time,
            })
        });
        serde_json::json!({
            "game": "snooker-race",
            "seed": self.seed,
            "tables": self.tables,
            "agents": named(self.stable.contenders()),
            "agent_files": agent_files(self.stable.contenders()),
            "points": points.collect::<Vec<_>>(),
        })
    }

    fn files(&self) -> Vec<RowsOf> {
        let tables = RowsOf::new::<RaceTableRow>("", self.stable.contenders().len() as u64);
        match self.pairs().len() as u64 {
            0 => vec![tables],
            pairs => vec![tables, RowsOf::new::<RaceMatchRow>("-matches", pairs)],
        }
    }

    fn units(&self) -> u64 {
        self.tables * self.points.len() as u64
    }

    fn episodes(&self, _unit: u64, _block: u64) -> u64 {
        self.stable.contenders().len() as u64
    }

    fn play(&self, unit: u64, _block: u64) -> anyhow::Result<Vec<Table>> {
        (0..self.stable.contenders().len()).map(|who| self.play_agent(who, unit)).collect()
    }

    fn merge(&self, total: &mut Vec<Table>, next: Vec<Table>) {
        total.extend(next);
    }

    fn rows(&self, unit: u64, total: Vec<Table>, rows: &mut UnitRows) -> anyhow::Result<()> {
        for (who, table) in total.iter().enumerate() {
            rows.push(0, &self.table_row(unit, who, table))?;
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
    use crate::experiment::drive::{Existing, Options as Driving, drive};
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
        let driving =
            Driving { out, threads, existing: Existing::Refuse, inputs: vec![], stop: Stop::new() };
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
