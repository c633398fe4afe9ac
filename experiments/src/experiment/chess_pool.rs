//! Experiments with `game = "chess-pool"`: pairings of agents, each frame of which is played with
//! both break orders.

use super::drive::Written;
use super::grid::{Grid, Point, Setting, describe};
use super::source::{Source, SourceError};
use super::{GameExperiment, Overrides, Report, RowsOf, UnitRows, name, named};
use crate::contender::{Contender, Stable, Written as WrittenContender};
use crate::games::Playable as _;
use crate::output::rows::chess_pool::{ChessPoolFrameRow, ChessPoolRow};
use crate::output::table::Table as TextTable;
use crate::stats::interval::wilson95;
use anyhow::ensure;
use cuebench_agents::referee::{Played, Terms, play};
use cuebench_agents::roster::Roster as _;
use cuebench_engine::chess_pool::game::ChessPool as Rules;
use cuebench_engine::game::{Seat, Seed};
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;
use toml::Spanned;

/// A seat's time for a frame, which only processes spend.
const CLOCK: Duration = Duration::from_secs(30);
/// Frames of a pair: each agent breaks one.
const PAIR: u64 = 2;
/// More frames of a pairing than this are refused.
const MOST_FRAMES: u64 = 10_000_000;
/// More units than this are refused.
const MOST_UNITS: u64 = 1 << 32;

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "game")]
    _game: String,
    name: Option<Spanned<String>>,
    seed: u64,
    /// Pairs of agents: seat 0, seat 1.
    agents: Spanned<Vec<Spanned<[WrittenContender; 2]>>>,
    /// Frames of each pairing at each point: even, as each agent breaks one of two.
    frames: Spanned<u64>,
    /// Options of the game, one value or several.
    #[serde(default)]
    grid: Grid,
}

/// A resolved experiment.
#[derive(Debug)]
pub struct ChessPool {
    name: String,
    seed: u64,
    stable: Stable,
    /// Who plays whom, by place in the stable.
    pairings: Vec<[usize; 2]>,
    pairs: u64,
    /// The game at each point: seat 0 breaks.
    points: Vec<(Point, Rules)>,
}

/// Resolves the experiment in `source`.
///
/// # Errors
/// Whatever is wrong with it, by line and column.
pub fn resolve(source: &Source, overrides: &Overrides) -> Result<ChessPool, SourceError> {
    let file: File = source.parse()?;
    let at = |span, message: String| source.error(span, message);
    let frames = *file.frames.get_ref();
    if frames == 0 || !frames.is_multiple_of(PAIR) || frames > MOST_FRAMES {
        let message = format!(
            "frames = {frames}: give an even number from 2 to {MOST_FRAMES}, as each agent breaks \
             every other frame"
        );
        return Err(at(file.frames.span(), message));
    }
    let (mut pairings, mut all): (Vec<[usize; 2]>, Vec<Contender>) = (vec![], vec![]);
    for pair in file.agents.get_ref() {
        let [one, other] = pair.get_ref();
        let mut place = |written: &WrittenContender| {
            place_of(written, &mut all).map_err(|error| at(pair.span(), error))
        };
        pairings.push([place(one)?, place(other)?]);
    }
    if pairings.is_empty() {
        let message = "agents: give at least one pair, as in [[\"search\", \"threshold\"]]";
        return Err(at(file.agents.span(), message.to_owned()));
    }
    let mut points = vec![];
    for point in file.grid.points(source, &overrides.set)? {
        let loaded = Rules::load(&point, Path::new("")).map_err(|error| {
            let fails = |point: &[Setting]| Rules::load(point, Path::new("")).is_err();
            file.grid.blame(source, &overrides.set, &point, format!("{error:#}"), fails)
        });
        let game = loaded?.game;
        points.push((point, game));
    }
    let units = (pairings.len() * points.len()) as u64 * (frames / PAIR);
    if units > MOST_UNITS {
        return Err(at(file.frames.span(), format!("more than {MOST_UNITS} pairs of frames")));
    }
    let stable = Stable::new(all, &source.home());
    let stable = stable.map_err(|error| at(file.agents.span(), format!("{error:#}")))?;
    Ok(ChessPool {
        stable,
        name: name(source, file.name.as_ref())?,
        seed: overrides.seed.unwrap_or(file.seed),
        pairings,
        pairs: frames / PAIR,
        points,
    })
}

/// The place of a contender among `all`, where it is added if it is new.
fn place_of(written: &WrittenContender, all: &mut Vec<Contender>) -> Result<usize, String> {
    let contender = written.contender()?;
    if let Contender::Agent(spec) = &contender {
        let game = Rules::load(&[], Path::new("")).map_err(|error| error.to_string())?.game;
        game.player(spec, 0, None).map_err(|error| error.to_string())?;
    }
    let known = all.iter().position(|other| *other == contender);
    Ok(known.unwrap_or_else(|| {
        all.push(contender);
        all.len() - 1
    }))
}

/// A pair of frames, each as it was played.
type Pair = Vec<Played<Rules>>;

impl ChessPool {
    /// The point, the pairing and the number of the pair within them.
    const fn place(&self, unit: u64) -> (usize, usize, u64) {
        let group = unit / self.pairs;
        let pairings = self.pairings.len() as u64;
        ((group / pairings) as usize, (group % pairings) as usize, unit % self.pairs)
    }

    /// The public seed of both frames of a unit: the first pair has the file's, the next the next.
    const fn frame_seed(&self, unit: u64) -> u64 {
        self.seed.wrapping_add(unit % self.pairs)
    }

    fn row(&self, unit: u64, breaker: usize, frame: &Played<Rules>) -> ChessPoolFrameRow {
        let (point, pairing, pair) = self.place(unit);
        let [a, b] = self.pairings[pairing].map(|who| &self.stable.contenders()[who]);
        let [one, other] = [frame.state.tally(0), frame.state.tally(1)];
        let result = frame.points(0);
        let fault = frame.seats.iter().find(|seated| seated.fault.is_some());
        let reason = fault.map_or("play", |seated| seated.reason());
        ChessPoolFrameRow {
            experiment: self.name.clone(),
            frame: pair * PAIR + breaker as u64,
            agent_0: a.to_string(),
            agent_1: b.to_string(),
            parameters: describe(&self.points[point].0),
            breaker,
            result_0: result,
            reason: reason.to_owned(),
            shots: frame.state.frame().shots(),
            shots_0: one.shots,
            shots_1: other.shots,
            fouls_0: one.fouls,
            fouls_1: other.fouls,
            scratches_0: one.scratches,
            scratches_1: other.scratches,
            moves_0: one.moves,
            moves_1: other.moves,
            moves_made_0: one.moves_made,
            moves_made_1: other.moves_made,
            captures_0: one.captures,
            captures_1: other.captures,
            removed_0: one.removed,
            removed_1: other.removed,
            sims_0: frame.seats[0].report.sims,
            sims_1: frame.seats[1].report.sims,
            frame_seed: self.frame_seed(unit),
        }
    }
}

impl ChessPool {
    fn frame(
        &self,
        unit: u64,
        point: usize,
        pairing: usize,
        breaker: Seat,
    ) -> anyhow::Result<Played<Rules>> {
        let game = Rules { breaker, ..self.points[point].1 };
        let [a, b] = self.pairings[pairing];
        let mut one = self.stable.sit(&game, a, 0, Some(b))?;
        let mut other = self.stable.sit(&game, b, 1, Some(a))?;
        let game_id = format!("{}/{unit}/{breaker}", self.name);
        let terms = Terms { game_id: &game_id, ..Terms::free(CLOCK) };
        let seed = Seed::open(self.frame_seed(unit));
        let played = play(&game, seed, [one.player(), other.player()], &terms);
        self.stable.rise(a, one);
        self.stable.rise(b, other);
        Ok(played)
    }
}

impl GameExperiment for ChessPool {
    type Block = Pair;
    const EPISODES: &'static str = "frames";

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn resolved(&self) -> serde_json::Value {
        let points = self.points.iter().map(|(point, game)| {
            let spec = game.table.spec();
            serde_json::json!({
                "set": describe(point),
                "cloth": spec.cloth,
                "restitution": spec.restitution,
                "max_shots": game.rules.max_shots,
                "options": game.rules.options,
            })
        });
        let all = self.stable.contenders();
        let agents = self.pairings.iter().map(|pair| named(&pair.map(|who| all[who].clone())));
        serde_json::json!({
            "game": "chess-pool",
            "seed": self.seed,
            "agents": agents.collect::<Vec<_>>(),
            "frames": self.pairs * PAIR,
            "points": points.collect::<Vec<_>>(),
        })
    }

    fn files(&self) -> Vec<RowsOf> {
        vec![RowsOf::new::<ChessPoolFrameRow>("", PAIR)]
    }

    fn units(&self) -> u64 {
        self.pairs * (self.pairings.len() * self.points.len()) as u64
    }

    fn episodes(&self, _unit: u64, _block: u64) -> u64 {
        PAIR
    }

    fn play(&self, unit: u64, _block: u64) -> anyhow::Result<Pair> {
        let (point, pairing, _) = self.place(unit);
        (0..PAIR as Seat).map(|breaker| self.frame(unit, point, pairing, breaker)).collect()
    }

    fn merge(&self, total: &mut Pair, next: Pair) {
        total.extend(next);
    }

    fn rows(&self, unit: u64, total: Pair, rows: &mut UnitRows) -> anyhow::Result<()> {
        ensure!(total.len() as u64 == PAIR, "{} frames in a pair", total.len());
        total
            .iter()
            .enumerate()
            .try_for_each(|(breaker, frame)| rows.push(0, &self.row(unit, breaker, frame)))
    }

    fn report(&self, written: &mut Written<'_>) -> anyhow::Result<Report> {
        let mut sums: Vec<Sum> = vec![];
        for (index, row) in written.rows::<ChessPoolFrameRow>(0)?.enumerate() {
            if (index as u64).is_multiple_of(self.pairs * PAIR) {
                sums.push(Sum::default());
            }
            if let Some(sum) = sums.last_mut() {
                sum.add(row?);
            }
        }
        let rows: Vec<ChessPoolRow> =
            sums.into_iter().filter_map(|sum| sum.row(self.seed)).collect();
        written.add_rows("-summary", &rows)?;
        Ok(Report { text: table(&rows), json: serde_json::to_value(&rows)? })
    }
}

/// Frames of one pairing at one point, added up from their rows.
#[derive(Debug, Default)]
struct Sum {
    first: Option<ChessPoolFrameRow>,
    /// Wins of seat 0, draws, wins of seat 1.
    results: [u64; 3],
    breaker_wins: u64,
    faults: u64,
    shots: u64,
    range: Option<[u32; 2]>,
    /// Shots, fouls, scratches, moves, moves made, captures, by seat.
    counts: [[u64; 6]; 2],
}

impl Sum {
    fn add(&mut self, row: ChessPoolFrameRow) {
        let place = match row.result_0 {
            None => return,
            Some(result) if result > 0.75 => 0,
            Some(result) if result < 0.25 => 2,
            Some(_) => 1,
        };
        self.results[place] += 1;
        self.breaker_wins += u64::from(place == 2 * row.breaker);
        self.faults += u64::from(row.reason != "play");
        self.shots += u64::from(row.shots);
        let [low, high] = self.range.unwrap_or([row.shots; 2]);
        self.range = Some([low.min(row.shots), high.max(row.shots)]);
        let seats = [
            [
                row.shots_0,
                row.fouls_0,
                row.scratches_0,
                row.moves_0,
                row.moves_made_0,
                row.captures_0,
            ],
            [
                row.shots_1,
                row.fouls_1,
                row.scratches_1,
                row.moves_1,
                row.moves_made_1,
                row.captures_1,
            ],
        ];
        for (sum, seat) in self.counts.iter_mut().flatten().zip(seats.iter().flatten()) {
            *sum += seat;
        }
        self.first.get_or_insert(row);
    }

    fn row(self, seed: u64) -> Option<ChessPoolRow> {
        let (first, [min_shots, max_shots]) = (self.first?, self.range?);
        let [wins_0, draws, wins_1] = self.results;
        let frames = wins_0 + draws + wins_1;
        let [low, high] = wilson95(wins_0 as f64, frames as f64);
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let rate =
            |seat: usize, count: usize| share(self.counts[seat][count], self.counts[seat][0]);
        let per_move = |seat: usize, count: usize| {
            let moves = self.counts[seat][3];
            (moves > 0).then(|| share(self.counts[seat][count], moves))
        };
        Some(ChessPoolRow {
            experiment: first.experiment,
            agent_0: first.agent_0,
            agent_1: first.agent_1,
            parameters: first.parameters,
            frames,
            wins_0,
            draws,
            wins_1,
            win_rate_0: share(wins_0, frames),
            win_rate_low: low,
            win_rate_high: high,
            breaker_win_rate: share(self.breaker_wins, frames),
            faults: self.faults,
            mean_shots: share(self.shots, frames),
            min_shots,
            max_shots,
            foul_rate_0: rate(0, 1),
            foul_rate_1: rate(1, 1),
            scratch_rate_0: rate(0, 2),
            scratch_rate_1: rate(1, 2),
            move_rate_0: per_move(0, 4),
            move_rate_1: per_move(1, 4),
            captures_per_move_0: per_move(0, 5),
            captures_per_move_1: per_move(1, 5),
            seed,
        })
    }
}

fn table(rows: &[ChessPoolRow]) -> String {
    let heads = [
        "seat 0",
        "seat 1",
        "set",
        "frames",
        "won",
        "drawn",
        "lost",
        "win rate",
        "95 %",
        "shots",
        "fouls",
        "scratches",
        "captures/move",
    ];
    let mut table = TextTable::new(heads);
    let both = |pair: [f64; 2]| format!("{:.3} {:.3}", pair[0], pair[1]);
    let per_move = |value: Option<f64>| value.map_or_else(|| "-".into(), |x| format!("{x:.3}"));
    for row in rows {
        table.row([
            row.agent_0.clone(),
            row.agent_1.clone(),
            row.parameters.clone(),
            row.frames.to_string(),
            row.wins_0.to_string(),
            row.draws.to_string(),
            row.wins_1.to_string(),
            format!("{:.4}", row.win_rate_0),
            format!("{:.4}..{:.4}", row.win_rate_low, row.win_rate_high),
            format!("{:.1}", row.mean_shots),
            both([row.foul_rate_0, row.foul_rate_1]),
            both([row.scratch_rate_0, row.scratch_rate_1]),
            format!("{} {}", per_move(row.captures_per_move_0), per_move(row.captures_per_move_1)),
        ]);
    }
    table.to_string()
}
