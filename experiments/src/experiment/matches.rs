//! Experiments of any game: a round robin of matches between its contenders, every seed in each
//! order of the seats that a fair pairing of the game needs.
//!
//! ```toml
//! game = "nim"
//! agents = ["random", { id = "mine", command = ["python3", "mine.py"] }]
//! games = 100          # seeds for each pairing
//! seed = 1
//! [grid]               # options of the game
//! pile = [15, 21]
//! ```

use super::drive::Written;
use super::grid::{Grid, Point, Setting, describe};
use super::source::{Source, SourceError};
use super::{
    GameExperiment, Overrides, Report, RowsOf, UnitRows, agent_files, contenders, name, named,
};
use crate::contender::{Stable, Written as WrittenContender};
use crate::games::Playable;
use crate::output::rows::matches::{MatchRow, MatchSumRow};
use crate::output::table::Table;
use crate::stats::interval::wilson95;
use cuebench_agents::clock::milliseconds;
use cuebench_agents::referee::{Played, Terms, play};
use cuebench_engine::game::Seed;
use serde::Deserialize;
use std::time::Duration;
use toml::Spanned;

/// More seeds than this are refused.
const MOST_GAMES: u64 = 10_000_000;
/// More agents than this are refused.
const MOST_AGENTS: usize = 64;
/// A process's time for a game.
const CLOCK: Duration = Duration::from_secs(30);

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "game")]
    _game: String,
    name: Option<Spanned<String>>,
    /// Seed of the first game; the next has the next.
    seed: u64,
    /// Seeds for each pairing.
    games: Spanned<u64>,
    agents: Spanned<Vec<Spanned<WrittenContender>>>,
    /// Options of the game, one value or several.
    #[serde(default)]
    grid: Grid,
}

/// A resolved experiment.
#[derive(Debug)]
pub struct Matches<G> {
    name: String,
    seed: u64,
    games: u64,
    stable: Stable,
    pairs: Vec<[usize; 2]>,
    points: Vec<(Point, G)>,
}

/// Resolves the experiment in `source`.
///
/// # Errors
/// Whatever is wrong with it, by line and column.
pub fn resolve<G: Playable>(
    source: &Source,
    overrides: &Overrides,
) -> Result<Matches<G>, SourceError> {
    let file: File = source.parse()?;
    let games = *file.games.get_ref();
    let seed = overrides.seed.unwrap_or(file.seed);
    if games == 0 || games > MOST_GAMES || seed.checked_add(games).is_none() {
        let message = format!("games = {games}: give a number from 1 to {MOST_GAMES}");
        return Err(source.error(file.games.span(), message));
    }
    let mut points = vec![];
    for point in file.grid.points(source, &overrides.set)? {
        let loaded = G::load(&point, &source.home()).map_err(|error| {
            let fails = |point: &[Setting]| G::load(point, &source.home()).is_err();
            file.grid.blame(source, &overrides.set, &point, format!("{error:#}"), fails)
        });
        let game = loaded?.game;
        points.push((point, game));
    }
    let agents = contenders(source, &file.agents, MOST_AGENTS, |spec| {
        let refused = |(_, game): &(Point, G)| game.player(spec, 0, Some(spec)).err();
        points.iter().find_map(refused).map_or(Ok(()), |error| Err(error.to_string()))
    })?;
    let all = 0..agents.len();
    let pairs: Vec<[usize; 2]> =
        all.clone().flat_map(|a| all.clone().skip(a + 1).map(move |b| [a, b])).collect();
    if pairs.is_empty() {
        return Err(source.error(file.agents.span(), "one agent leaves no pair; name another"));
    }
    let stable = Stable::new(agents, &source.home());
    let stable = stable.map_err(|error| source.error(file.agents.span(), format!("{error:#}")))?;
    Ok(Matches { name: name(source, file.name.as_ref())?, seed, games, stable, pairs, points })
}

impl<G: Playable> Matches<G> {
    /// The point, the pair and the seed of a unit.
    fn place(&self, unit: u64) -> (usize, usize, u64) {
        let (group, game) = (unit / self.games, unit % self.games);
        let pairs = self.pairs.len() as u64;
        ((group / pairs) as usize, (group % pairs) as usize, self.seed + game)
    }

    fn game(&self, unit: u64, order: u8) -> anyhow::Result<Played<G>> {
        let (point, pair, seed) = self.place(unit);
        let game = &self.points[point].1;
        let mut seats = self.pairs[pair];
        if order == 1 {
            seats.reverse();
        }
        let [a, b] = seats;
        let mut one = self.stable.sit(game, a, 0, Some(b))?;
        let mut two = self.stable.sit(game, b, 1, Some(a))?;
        let game_id = format!("{}/{unit}/{order}", self.name);
        let terms = Terms { game_id: &game_id, together: true, ..Terms::free(CLOCK) };
        let played = play(game, Seed::open(seed), [one.player(), two.player()], &terms);
        self.stable.rise(a, one);
        self.stable.rise(b, two);
        Ok(played)
    }

    fn row(&self, unit: u64, order: u8, played: &Played<G>) -> MatchRow {
        let (point, pair, game_seed) = self.place(unit);
        let [agent_a, agent_b] =
            self.pairs[pair].map(|who| self.stable.contenders()[who].to_string());
        let [a, b] = if order == 0 { [0, 1] } else { [1, 0] };
        let [seat_a, seat_b] = [&played.seats[a], &played.seats[b]];
        MatchRow {
            experiment: self.name.clone(),
            game_seed,
            order,
            agent_a,
            agent_b,
            parameters: describe(&self.points[point].0),
            result_a: played.points(a),
            decided_by: played
                .verdict
                .as_ref()
                .map_or_else(String::new, |verdict| verdict.decided_by.clone()),
            reason_a: seat_a.reason().to_owned(),
            reason_b: seat_b.reason().to_owned(),
            score_a: seat_a.score,
            score_b: seat_b.score,
            strokes_a: seat_a.strokes,
            strokes_b: seat_b.strokes,
            time_a_ms: milliseconds(seat_a.time),
            time_b_ms: milliseconds(seat_b.time),
        }
    }
}

impl<G: Playable> GameExperiment for Matches<G> {
    type Block = Vec<MatchRow>;
    const EPISODES: &'static str = "games";

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn resolved(&self) -> serde_json::Value {
        let points = self.points.iter().map(|(point, game)| {
            serde_json::json!({ "set": describe(point), "options": game.published() })
        });
        serde_json::json!({
            "game": G::NAME,
            "seed": self.seed,
            "games": self.games,
            "agents": named(self.stable.contenders()),
            "agent_files": agent_files(self.stable.contenders()),
            "points": points.collect::<Vec<_>>(),
        })
    }

    fn files(&self) -> Vec<RowsOf> {
        vec![RowsOf::new::<MatchRow>("", G::ORDERS.into())]
    }

    fn units(&self) -> u64 {
        self.games * (self.pairs.len() * self.points.len()) as u64
    }

    fn episodes(&self, _unit: u64, _block: u64) -> u64 {
        G::ORDERS.into()
    }

    fn play(&self, unit: u64, _block: u64) -> anyhow::Result<Vec<MatchRow>> {
        (0..G::ORDERS).map(|order| Ok(self.row(unit, order, &self.game(unit, order)?))).collect()
    }

    fn merge(&self, total: &mut Vec<MatchRow>, next: Vec<MatchRow>) {
        total.extend(next);
    }

    fn rows(&self, _: u64, total: Vec<MatchRow>, rows: &mut UnitRows) -> anyhow::Result<()> {
        total.iter().try_for_each(|row| rows.push(0, row))
    }

    fn report(&self, written: &mut Written<'_>) -> anyhow::Result<Report> {
        let mut sums: Vec<Sum> = vec![];
        for row in written.rows::<MatchRow>(0)? {
            let row = row?;
            match sums.iter_mut().rev().find(|sum| sum.is_of(&row)) {
                Some(sum) => sum.add(&row),
                None => sums.push(Sum::new(row)),
            }
        }
        let rows: Vec<MatchSumRow> = sums.into_iter().map(|sum| sum.row(self.seed)).collect();
        written.add_rows("-summary", &rows)?;
        Ok(Report { text: table(&rows), json: serde_json::to_value(&rows)? })
    }
}

/// Games of one pair at one point, added up from their rows.
struct Sum {
    first: MatchRow,
    /// Wins of a, draws, wins of b.
    results: [u64; 3],
    faults: u64,
}

impl Sum {
    fn new(first: MatchRow) -> Self {
        let mut sum = Self { first: first.clone(), results: [0; 3], faults: 0 };
        sum.add(&first);
        sum
    }

    fn is_of(&self, row: &MatchRow) -> bool {
        let MatchRow { agent_a, agent_b, parameters, .. } = &self.first;
        [agent_a, agent_b, parameters] == [&row.agent_a, &row.agent_b, &row.parameters]
    }

    fn add(&mut self, row: &MatchRow) {
        self.faults += u64::from(row.reason_a != "play" || row.reason_b != "play");
        if let Some(result) = row.result_a {
            let place = if result > 0.75 { 0 } else { 1 + usize::from(result < 0.25) };
            self.results[place] += 1;
        }
    }

    fn row(self, seed: u64) -> MatchSumRow {
        let [wins_a, draws, wins_b] = self.results;
        let games = wins_a + draws + wins_b;
        let points = wins_a as f64 + draws as f64 / 2.0;
        let rate = (games > 0).then(|| (points / games as f64, wilson95(points, games as f64)));
        MatchSumRow {
            experiment: self.first.experiment,
            agent_a: self.first.agent_a,
            agent_b: self.first.agent_b,
            parameters: self.first.parameters,
            games,
            wins_a,
            draws,
            wins_b,
            faults: self.faults,
            win_rate_a: rate.map(|(rate, _)| rate),
            win_rate_low: rate.map(|(_, [low, _])| low),
            win_rate_high: rate.map(|(_, [_, high])| high),
            seed,
        }
    }
}

fn table(rows: &[MatchSumRow]) -> String {
    let heads = ["a", "b", "set", "games", "won", "drawn", "lost", "faults", "win rate", "95 %"];
    let mut table = Table::new(heads);
    let number = |value: Option<f64>| value.map_or_else(String::new, |x| format!("{x:.4}"));
    for row in rows {
        table.row([
            row.agent_a.clone(),
            row.agent_b.clone(),
            row.parameters.clone(),
            row.games.to_string(),
            row.wins_a.to_string(),
            row.draws.to_string(),
            row.wins_b.to_string(),
            row.faults.to_string(),
            number(row.win_rate_a),
            format!("{}..{}", number(row.win_rate_low), number(row.win_rate_high)),
        ]);
    }
    table.to_string()
}
