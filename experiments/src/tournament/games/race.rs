//! Tournaments of the snooker race. Each seat plays its own copy of the table that the seed gives,
//! one after the other, so that neither takes the other's processor.

use super::{
    Match, Played, Seat, SeatClock, Seated, Shown, TournamentGame, cpu_between, forfeit,
    milliseconds, void, wrong_fields,
};
use crate::output::svg::stacked;
use crate::race_drawing::draw_stroke;
use crate::tournament::points::Points;
use anyhow::Context as _;
use cuebench_agents::clock::Clock;
use cuebench_agents::external::bot::{Bot, NewGame};
use cuebench_agents::external::protocol::Reply;
use cuebench_agents::fault::Fault;
use cuebench_agents::race::{RaceAgent, RaceEnd, RaceStart, race_agent};
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::rng::{Purpose, salted, stream};
use cuebench_engine::shot::{Outcome, Stroke};
use cuebench_engine::snooker::{
    Action, AimNoise, Closed, Options, PublicView, SeatResult, SeatTable, Setup, StepError, decide,
};
use rand::Rng as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::hash::Hasher;
use std::time::Duration;

/// The race under the options of an event.
#[derive(Debug)]
pub struct Race {
    options: Options,
    noise: Option<AimNoise>,
    published: Value,
    public: Value,
}

/// `[options]` of a race: those of the game, and aiming noise.
#[derive(Debug, Deserialize)]
struct RaceOptions {
    noise: Option<String>,
    #[serde(flatten)]
    options: toml::Table,
}

impl Race {
    /// The race with the `[options]` of a tournament file.
    ///
    /// # Errors
    /// On unknown options and values.
    pub fn new(table: &toml::Table) -> anyhow::Result<Self> {
        let RaceOptions { noise, options } = table.clone().try_into().context("[options]")?;
        let options: Options = options.try_into().context("[options]")?;
        let noise = noise.as_deref().map(AimNoise::parse).transpose().context("[options] noise")?;
        let noise = noise.flatten();
        let example = SeatTable::new(Setup { options, ..Setup::new(0) })?;
        let mut published = serde_json::to_value(options)?;
        if let Some(noise) = noise {
            published["noise"] = serde_json::to_value(noise)?;
        }
        let public = json!({ "board": { "geometry": example.table().geometry() } });
        Ok(Self { options, noise, published, public })
    }

    fn setup(&self, seed: u64, salt: Option<u128>, clock_ms: u64) -> Setup {
        let &Self { options, noise, .. } = self;
        Setup { seed, salt, options, noise, clock_ms: Some(clock_ms) }
    }

    /// Plays one seat's table to its close or to a fault.
    fn seat(
        &self,
        seat: usize,
        game: &Match<'_>,
        player: &mut Seat<'_, Box<dyn RaceAgent>>,
    ) -> Result<Table, Fault> {
        let clock_ms = milliseconds(game.clock);
        let setup = self.setup(game.fixture.seed, game.salt, clock_ms);
        let void = |error: &dyn std::fmt::Display| Fault::Void(error.to_string());
        let table = SeatTable::new(setup).map_err(|error| void(&error))?;
        let mut played = Table { table, strokes: Vec::new(), seated: Seated::default() };
        let cpu = cpu_of(player);
        let ended = match self.welcome(seat, game, player, &played.table) {
            Err(fault) => {
                played.seated.absent = true;
                Err(fault)
            }
            Ok(()) => self.strokes(game, player, &mut played),
        };
        played.seated.cpu_ms = cpu_between(cpu, cpu_of(player));
        if let Err(fault) = ended {
            if matches!(fault, Fault::Timeout(_)) {
                played.table.time_out();
                played.seated.time = game.clock;
            }
            played.seated.fault = Some(fault);
        }
        Ok(played)
    }

    /// Tells the player of the game.
    fn welcome(
        &self,
        seat: usize,
        game: &Match<'_>,
        player: &mut Seat<'_, Box<dyn RaceAgent>>,
        table: &SeatTable,
    ) -> Result<(), Fault> {
        match player {
            Seat::Empty(fault) => Err(fault.clone()),
            Seat::Bot(bot) => self.tell(bot, seat, game.game_id, game.clock),
            Seat::Agent(agent) => {
                let knows = agent.wants_true_values();
                agent.new_game(&RaceStart {
                    seat: u8::from(seat != 0),
                    options: self.options,
                    noise: self.noise,
                    clock_ms: milliseconds(game.clock),
                    agent_seed: stream(game.fixture.seed, Purpose::Agent, 0).next_u64(),
                    true_values: knows.then(|| table.values()),
                })
            }
        }
    }

    /// Tells a process of a game.
    fn tell(&self, bot: &mut Bot, seat: usize, id: &str, time: Duration) -> Result<(), Fault> {
        let (options, public) = (&self.published, &self.public);
        bot.new_game(&NewGame { game_id: id, seat, options, public, time })
    }

    /// Strokes until the table is closed.
    fn strokes(
        &self,
        game: &Match<'_>,
        player: &mut Seat<'_, Box<dyn RaceAgent>>,
        played: &mut Table,
    ) -> Result<(), Fault> {
        let mut clock = SeatClock::new(game.clock);
        let mut outcome = Outcome::default();
        while played.table.closed().is_none() {
            let view = played.table.observe();
            let action = choose(player, &view, &mut clock, game);
            if let Seat::Bot(bot) = player {
                played.seated.overrun = bot.overrun();
            }
            played.seated.time = clock.used();
            let action = action?;
            match played.table.step_at(action, milliseconds(clock.used()), &mut outcome) {
                Ok(_) => {
                    played.strokes.push(Stroked { action, time_ms: milliseconds(clock.used()) })
                }
                Err(error @ StepError::Stroke(_)) => {
                    let message = error.to_string();
                    if let Seat::Bot(bot) = player {
                        bot.illegal(&message);
                    }
                    return Err(Fault::Illegal(message));
                }
                Err(error) => return Err(Fault::Void(error.to_string())),
            }
        }
        Ok(())
    }
}

/// One seat's table as it was played.
struct Table {
    table: SeatTable,
    strokes: Vec<Stroked>,
    seated: Seated,
}

/// A stroke and the time on the clock after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stroked {
    #[serde(flatten)]
    action: Action,
    time_ms: u64,
}

impl Table {
    /// What stands in the books, also of a table that a fault closed.
    fn result(&self) -> SeatResult {
        self.table.result().unwrap_or(SeatResult {
            score: self.table.score(),
            strokes: self.table.strokes(),
            time_ms: milliseconds(self.seated.time),
            closed: Closed::Time,
        })
    }

    /// Everything that the seat did: the start, the strokes and what came of them.
    fn digest(&self) -> u64 {
        let mut hasher = Fnv::default();
        for ball in self.table.starts().at.iter().chain(&self.table.balls().at).flatten() {
            hasher.write(&ball.x_um.to_le_bytes());
            hasher.write(&ball.y_um.to_le_bytes());
        }
        let values = self.table.values();
        for number in [values.cloth, values.restitution] {
            hasher.write(&number.to_le_bytes());
        }
        for Stroked { action, .. } in &self.strokes {
            hasher.write(&action.angle.to_le_bytes());
            hasher.write(&action.power.to_le_bytes());
        }
        hasher.finish()
    }
}

impl TournamentGame for Race {
    type Agent = Box<dyn RaceAgent>;

    fn name(&self) -> &'static str {
        "snooker-race"
    }

    fn orders(&self) -> u8 {
        1
    }

    fn published(&self) -> Value {
        self.published.clone()
    }

    fn check(&self, spec: &AgentSpec) -> anyhow::Result<()> {
        Ok(race_agent(spec).map(drop)?)
    }

    fn agent(&self, specs: [Option<&AgentSpec>; 2], seat: usize) -> anyhow::Result<Self::Agent> {
        Ok(race_agent(specs[seat].context("no built-in agent sits there")?)?)
    }

    fn play(&self, game: &Match<'_>, mut seats: [Seat<'_, Self::Agent>; 2]) -> Played {
        let mut tables = Vec::with_capacity(2);
        for seat in 0..2 {
            seats[1 - seat].rest();
            match self.seat(seat, game, &mut seats[seat]) {
                Ok(table) => tables.push(table),
                Err(fault) => return Played::void(&fault.to_string()),
            }
        }
        let Ok([mut a, mut b]) = <[Table; 2]>::try_from(tables) else {
            return Played::void("a table is missing");
        };
        for (table, player) in [&mut a, &mut b].into_iter().zip(&mut seats) {
            let SeatResult { score, strokes, .. } = table.result();
            (table.seated.score, table.seated.strokes) = (Some(score), Some(strokes));
            // An answer too many that has come by now counts.
            if let (Seat::Bot(bot), None) = (player, &table.seated.fault) {
                table.seated.fault = bot.drain().err();
            }
        }
        let (result, decided_by) = verdict(&a, &b);
        for (seat, player) in seats.iter_mut().enumerate() {
            let (own, points) = match seat {
                0 => (&a, result),
                _ => (&b, result.map(Points::other)),
            };
            tell_end(player, own, points);
        }
        Played {
            digests: Some([a.digest(), b.digest()]),
            replay: record(&a, &b),
            seats: [a.seated, b.seated],
            result,
            decided_by: decided_by.to_owned(),
        }
    }

    fn announce(&self, bot: &mut Bot, game_id: &str, clock: Duration) -> Result<(), Fault> {
        self.tell(bot, 0, game_id, clock)
    }

    fn probe(&self, bot: &mut Bot, clock: Duration) -> Result<String, Fault> {
        self.tell(bot, 0, "check/probe", clock)?;
        let void = |error: &dyn std::fmt::Display| Fault::Void(error.to_string());
        let setup = self.setup(1, None, milliseconds(clock));
        let mut table = SeatTable::new(setup).map_err(|error| void(&error))?;
        let reply = bot.ask(&table.observe(), clock, clock)?;
        let action = action(&reply)?;
        table.step(action).map_err(|error| Fault::Illegal(error.to_string()))?;
        let waited = milliseconds(bot.waited());
        Ok(format!("angle {}, power {} after {waited} ms", action.angle, action.power))
    }

    fn sparring(&self) -> &'static str {
        "random"
    }

    fn show(&self, replay: &Value, svg: bool) -> anyhow::Result<Shown> {
        show(self, replay, svg)
    }
}

/// Who won, and by what.
fn verdict(a: &Table, b: &Table) -> (Option<Points>, &'static str) {
    let seats = [&a.seated, &b.seated];
    if void(seats) {
        return (None, "");
    }
    if let Some(points) = forfeit(seats) {
        return (Some(points), "forfeit");
    }
    let results = [a.result(), b.result()];
    let both_broke_off = seats.iter().all(|seat| seat.forfeits());
    let outcome = decide([&results[0], &results[1]]);
    if both_broke_off && results[0].score == results[1].score {
        return (Some(Points::Draw), "draw");
    }
    let points = match outcome.winner {
        None => Points::Draw,
        Some(0) => Points::Win,
        Some(_) => Points::Loss,
    };
    (Some(points), outcome.decided_by.name())
}

fn cpu_of(player: &Seat<'_, Box<dyn RaceAgent>>) -> Option<u64> {
    match player {
        Seat::Bot(bot) => bot.cpu_ms(),
        Seat::Agent(_) | Seat::Empty(_) => None,
    }
}

/// Asks for one stroke and charges the clock.
fn choose(
    player: &mut Seat<'_, Box<dyn RaceAgent>>,
    view: &PublicView,
    clock: &mut SeatClock,
    game: &Match<'_>,
) -> Result<Action, Fault> {
    match player {
        Seat::Empty(fault) => Err(fault.clone()),
        Seat::Agent(agent) => {
            let left = Clock {
                time_left_ms: clock.left_ms(),
                opponent_time_left_ms: milliseconds(game.clock),
            };
            clock.time(|| agent.choose(view, left)).map(Action::from)
        }
        Seat::Bot(bot) => {
            // The seats play one after the other; nothing of the opponent's clock is told.
            let reply = bot.ask(view, clock.left(), game.clock);
            let charged = clock.charge(bot.waited());
            let action = action(&reply?);
            charged?;
            action.inspect_err(|fault| {
                if let Fault::Illegal(message) = fault {
                    bot.illegal(message);
                }
            })
        }
    }
}

/// Reads `angle` and `power`. Numbers that are not whole are illegal, missing ones no reply.
fn action(reply: &Reply) -> Result<Action, Fault> {
    let whole = |field: &'static str, range: &str| {
        let number = reply.number(field).map_err(|error| wrong_fields(reply, &error))?;
        let whole = number.as_u64().and_then(|number| u32::try_from(number).ok());
        whole.ok_or_else(|| Fault::Illegal(format!("{field} {number}: a whole number {range}")))
    };
    Ok(Action { angle: whole("angle", "0..359999")?, power: whole("power", "1..1000")? })
}

fn tell_end(player: &mut Seat<'_, Box<dyn RaceAgent>>, own: &Table, points: Option<Points>) {
    match player {
        Seat::Empty(_) => {}
        Seat::Agent(agent) => agent.game_over(&RaceEnd {
            points: points.map(Points::value),
            seat: own.result(),
            table: own.table.values(),
        }),
        Seat::Bot(bot) => tell_bot(bot, own, points),
    }
}

fn tell_bot(bot: &mut Bot, own: &Table, points: Option<Points>) {
    let mut revealed = Map::new();
    if let Ok(values) = serde_json::to_value(own.table.values()) {
        revealed.insert("table".to_owned(), values);
    }
    let SeatResult { score, strokes, time_ms, .. } = own.result();
    revealed.insert("score".to_owned(), score.into());
    revealed.insert("strokes".to_owned(), strokes.into());
    revealed.insert("used_ms".to_owned(), time_ms.into());
    // What arrived by now has been judged already.
    let _ = bot.game_over(points.map(Points::value), own.seated.reason(), &revealed);
}

/// What is kept of a game: starts, values and strokes. It can be shown without the event's salt.
fn record(a: &Table, b: &Table) -> Map<String, Value> {
    let mut record = Map::new();
    let values = serde_json::to_value(a.table.values()).unwrap_or_default();
    record.insert("table".to_owned(), values);
    let &Setup { seed, salt, noise, .. } = a.table.setup();
    if noise.is_some() {
        record.insert("draws".to_owned(), salted(seed, salt).into());
    }
    let start = SeatTable::new(*a.table.setup()).map(|table| table.observe());
    if let Ok(balls) = start.map(|view| serde_json::to_value(view).unwrap_or_default()) {
        record.insert("balls".to_owned(), balls["balls"].clone());
    }
    let strokes = [&a.strokes, &b.strokes];
    record.insert("seats".to_owned(), serde_json::to_value(strokes).unwrap_or_default());
    record
}

#[derive(Deserialize)]
struct Record {
    table: cuebench_engine::snooker::TableValues,
    balls: Value,
    seats: [Vec<Stroked>; 2],
    /// What the aiming noise follows from, where there is any.
    draws: Option<u64>,
}

/// Plays a record again, stroke by stroke.
fn show(race: &Race, replay: &Value, svg: bool) -> anyhow::Result<Shown> {
    let record: Record = serde_json::from_value(replay.clone()).context("the record of a race")?;
    let mut text = String::new();
    let mut drawings = Vec::new();
    let values = record.table;
    writeln!(text, "cloth {} mm/s², restitution {} ‰", values.cloth, values.restitution)?;
    writeln!(text, "start {}", record.balls)?;
    let noise = record.draws.and(race.noise);
    let setup =
        Setup { options: race.options, noise, ..Setup::new(record.draws.unwrap_or_default()) };
    for (seat, strokes) in record.seats.iter().enumerate() {
        writeln!(text, "seat {seat}")?;
        let balls = serde_json::from_value::<Places>(json!({ "balls": record.balls }))?.balls;
        let mut table = SeatTable::from_position(setup, balls, values)?;
        for stroke in strokes {
            let before = *table.balls();
            let Action { angle, power } = stroke.action;
            let launch = table.launch(Stroke::new(angle, power)?);
            table.step_at(stroke.action, stroke.time_ms, &mut Outcome::default())?;
            let view = table.observe();
            let fouls: Vec<&str> = view.fouls.iter().map(|foul| foul.name()).collect();
            let potted: Vec<&str> = view.potted.iter().map(|ball| ball.name()).collect();
            if svg {
                let title = format!(
                    "seat {seat}, stroke {}: angle {angle}, power {power}, score {}",
                    view.strokes, view.score
                );
                drawings.push(draw_stroke(table.table(), &before, launch, &[title])?);
            }
            writeln!(
                text,
                "{:>3}  {:>6} {:>4}  {:>6} ms  score {:>3}  potted [{}]  {}",
                view.strokes,
                angle,
                power,
                stroke.time_ms,
                view.score,
                potted.join(" "),
                fouls.join(" ")
            )?;
        }
        let closed = table.closed().map_or("not closed", Closed::name);
        writeln!(text, "     {closed}, score {}, {} strokes", table.score(), table.strokes())?;
    }
    Ok(Shown { text, svg: svg.then(|| stacked(&drawings)) })
}

#[derive(Deserialize)]
struct Places {
    #[serde(with = "cuebench_engine::snooker::named")]
    balls: cuebench_engine::shot::Balls,
}

/// The hash of Fowler, Noll and Vo (1a, 64 bits): stable, and enough to notice equal games.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
