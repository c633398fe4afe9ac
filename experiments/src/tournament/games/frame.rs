//! Tournaments of frames of an outcome model. Who breaks matters, so each pair plays every seed in
//! both orders, with the same draws.

use super::frame_drawing::{Decision, draw};
use super::{
    Match, Played, Seat, SeatClock, Seated, Shown, TournamentGame, cpu_between, milliseconds,
    wrong_fields,
};
use crate::output::manifest::digest;
use crate::tournament::points::Points;
use anyhow::{Context as _, ensure};
use cuebench_agents::clock::Clock;
use cuebench_agents::external::bot::{Bot, NewGame};
use cuebench_agents::fault::Fault;
use cuebench_agents::frame::{FrameAgent, FrameOver, FrameStart, frame_agent};
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::frame::{ActionId, Definition, FramePlay, Game, Parameter, View};
use cuebench_engine::rng::{Purpose, salted, stream};
use rand::Rng as _;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the definition in the folder of an event.
pub const DEFINITION: &str = "definition.yaml";
/// Longest definition that is read, bytes.
const MAX_DEFINITION: u64 = 1 << 20;
/// Decisions after which a frame between agents that never end it is a draw.
const MAX_DECISIONS: usize = 10_000;

/// The frames of an event.
#[derive(Debug)]
pub struct Frame {
    game: Game,
    /// The text of a definition that is not the shipped one.
    text: Option<String>,
    published: Value,
    public: Value,
}

/// `[options]` of frames.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameOptions {
    /// A definition beside the tournament file; the shipped one if left out.
    definition: Option<PathBuf>,
    /// Skills of seat 0, which breaks, and seat 1.
    skills: Option<[f64; 2]>,
    /// Constants and variables of the definition.
    #[serde(default)]
    set: BTreeMap<String, toml::Value>,
}

impl Frame {
    /// Frames with the `[options]` of a tournament file that lies in `home`.
    ///
    /// # Errors
    /// On unknown options and values, and for a definition that is refused.
    pub fn new(table: &toml::Table, home: &Path) -> anyhow::Result<Self> {
        let options: FrameOptions = table.clone().try_into().context("[options]")?;
        let (mut definition, text) = match &options.definition {
            None => (Definition::shipped()?, None),
            Some(path) => read(&home.join(path)).map(|(game, text)| (game, Some(text)))?,
        };
        let mut set: Vec<(String, String)> = options
            .set
            .iter()
            .map(|(name, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                (name.clone(), value)
            })
            .collect();
        if let Some([first, second]) = options.skills {
            set.push(("skill".to_owned(), format!("{first},{second}")));
        }
        for (name, value) in &set {
            definition.set(name, value).context("[options]")?;
        }
        let game = Game::compile(&definition)?;
        let number = |parameter: Parameter| {
            anyhow::Ok((parameter.name, serde_json::to_value(&parameter.value)?))
        };
        let parameters: Map<String, Value> =
            definition.parameters().into_iter().map(number).collect::<Result<_, _>>()?;
        let mut published = json!({ "actions": game.actions(), "parameters": parameters });
        if let Some(text) = &text {
            published["definition"] = digest(text).into();
        }
        Ok(Self { game, text, published, public: json!({}) })
    }

    fn start(&self, seat: usize, game: &Match<'_>) -> FrameStart<'_> {
        FrameStart {
            seat: u8::from(seat != 0),
            game: &self.game,
            clock_ms: milliseconds(game.clock),
            agent_seed: stream(game.fixture.seed, Purpose::Agent, seat as u64).next_u64(),
        }
    }

    fn welcome(
        &self,
        seat: usize,
        game: &Match<'_>,
        player: &mut Seat<'_, Box<dyn FrameAgent>>,
    ) -> Result<(), Fault> {
        match player {
            Seat::Empty(fault) => Err(fault.clone()),
            Seat::Agent(agent) => agent.new_game(&self.start(seat, game)),
            Seat::Bot(bot) => self.tell(bot, seat, game.game_id, game.clock),
        }
    }

    /// Tells a process of a game.
    fn tell(&self, bot: &mut Bot, seat: usize, id: &str, time: Duration) -> Result<(), Fault> {
        let (options, public) = (&self.published, &self.public);
        bot.new_game(&NewGame { game_id: id, seat, options, public, time })
    }

    /// Plays decisions until the frame is over; the seat and its fault if one ended it.
    fn decisions(&self, table: &mut Table<'_, '_>, clock: Duration) -> Result<(), (usize, Fault)> {
        let mut clocks = [SeatClock::new(clock); 2];
        while let Some(view) = table.play.view() {
            let seat = view.seat().min(1);
            if table.actions.len() >= MAX_DECISIONS {
                return Ok(());
            }
            let left = [clocks[seat].left(), clocks[1 - seat].left()];
            table.players[1 - seat].rest();
            let chosen = choose(&mut table.players[seat], &view, &mut clocks[seat], left);
            let seated = &mut table.seats[seat];
            seated.time = clocks[seat].used();
            if let Seat::Bot(bot) = &table.players[seat] {
                seated.overrun = bot.overrun();
            }
            let action = chosen.map_err(|fault| (seat, fault))?;
            table.actions.push(view.action_name(action));
            let before = table.play.shots();
            table.play.apply(action);
            let shots = u32::try_from(table.play.shots() - before).unwrap_or(u32::MAX);
            seated.strokes = Some(seated.strokes.unwrap_or(0).saturating_add(shots));
        }
        Ok(())
    }
}

fn read(path: &Path) -> anyhow::Result<(Definition, String)> {
    use std::io::Read as _;
    let place = || path.display().to_string();
    let mut text = String::new();
    let file = std::fs::File::open(path).with_context(place)?;
    file.take(MAX_DEFINITION + 1).read_to_string(&mut text).with_context(place)?;
    ensure!(text.len() as u64 <= MAX_DEFINITION, "{}: longer than 1 MiB", place());
    Ok((Definition::parse(&text).with_context(place)?, text))
}

/// A frame that is being played.
struct Table<'g, 'p> {
    play: FramePlay<'g>,
    players: [Seat<'p, Box<dyn FrameAgent>>; 2],
    seats: [Seated; 2],
    actions: Vec<&'g str>,
}

/// Asks for one action and charges the clock. `left` is the own clock, then the opponent's.
fn choose(
    player: &mut Seat<'_, Box<dyn FrameAgent>>,
    view: &View<'_>,
    clock: &mut SeatClock,
    [own, opponent]: [Duration; 2],
) -> Result<ActionId, Fault> {
    match player {
        Seat::Empty(fault) => Err(fault.clone()),
        Seat::Agent(agent) => {
            let left = Clock {
                time_left_ms: milliseconds(own),
                opponent_time_left_ms: milliseconds(opponent),
            };
            clock.time(|| agent.choose(view, left))
        }
        Seat::Bot(bot) => {
            let reply = bot.ask(view, own, opponent);
            let charged = clock.charge(bot.waited());
            let reply = reply?;
            let action = reply.text("action").map_err(|error| wrong_fields(&reply, &error))?;
            charged?;
            view.action(action).ok_or_else(|| {
                let open = view.actions().join(", ");
                let message = format!("action {action:.40?} is not open; open: {open}");
                bot.illegal(&message);
                Fault::Illegal(message)
            })
        }
    }
}

impl TournamentGame for Frame {
    type Agent = Box<dyn FrameAgent>;

    fn name(&self) -> &'static str {
        "frame"
    }

    fn orders(&self) -> u8 {
        2
    }

    fn published(&self) -> Value {
        self.published.clone()
    }

    fn sources(&self) -> Vec<(&'static str, &str)> {
        self.text.iter().map(|text| (DEFINITION, text.as_str())).collect()
    }

    fn check(&self, spec: &AgentSpec) -> anyhow::Result<()> {
        // Against itself every agent is as good as against others here.
        Ok(frame_agent(&self.game, spec, 0, Some(&standard(&self.game)?)).map(drop)?)
    }

    fn agent(&self, specs: [Option<&AgentSpec>; 2], seat: usize) -> anyhow::Result<Self::Agent> {
        let own = specs[seat].context("no built-in agent sits there")?;
        Ok(frame_agent(&self.game, own, seat, specs[1 - seat])?)
    }

    fn play(&self, game: &Match<'_>, mut players: [Seat<'_, Self::Agent>; 2]) -> Played {
        let draws = salted(game.fixture.seed, game.salt);
        let cpu = [cpu_of(&players[0]), cpu_of(&players[1])];
        let welcomed = [0, 1].map(|seat| self.welcome(seat, game, &mut players[seat]));
        let mut table = Table {
            play: FramePlay::new(&self.game, stream(draws, Purpose::Frames, 0)),
            players,
            seats: [Seated::default(), Seated::default()],
            actions: Vec::new(),
        };
        for (seated, welcome) in table.seats.iter_mut().zip(welcomed) {
            (seated.absent, seated.fault) = (welcome.is_err(), welcome.err());
            seated.strokes = Some(0);
        }
        if table.seats.iter().all(|seat| seat.fault.is_none())
            && let Err((seat, fault)) = self.decisions(&mut table, game.clock)
        {
            table.seats[seat].fault = Some(fault);
        }
        for (player, seated) in table.players.iter_mut().zip(&mut table.seats) {
            // An answer too many that has come by now counts.
            if let (Seat::Bot(bot), None) = (player, &seated.fault) {
                seated.fault = bot.drain().err();
            }
        }
        let (result, decided_by) = verdict(&table);
        self.finish(table, result, &decided_by, cpu, draws)
    }

    fn announce(&self, bot: &mut Bot, game_id: &str, clock: Duration) -> Result<(), Fault> {
        self.tell(bot, 0, game_id, clock)
    }

    fn probe(&self, bot: &mut Bot, clock: Duration) -> Result<String, Fault> {
        self.tell(bot, 0, "check/probe", clock)?;
        let play = FramePlay::new(&self.game, stream(1, Purpose::Frames, 0));
        let Some(view) = play.view() else {
            return Err(Fault::Void("the frame was over at once".to_owned()));
        };
        let mut seat = Seat::Bot(bot);
        let mut on = SeatClock::new(clock);
        let action = choose(&mut seat, &view, &mut on, [clock, clock])?;
        Ok(format!("{} after {} ms", view.action_name(action), milliseconds(on.used())))
    }

    fn sparring(&self) -> &'static str {
        "random"
    }

    fn show(&self, replay: &Value, svg: bool) -> anyhow::Result<Shown> {
        let record: Record = serde_json::from_value(replay.clone()).context("a frame's record")?;
        let mut play = FramePlay::new(&self.game, stream(record.draws, Purpose::Frames, 0));
        let (mut text, mut decisions) = (String::new(), Vec::new());
        for action in record.actions.split_terminator(' ') {
            let view = play.view().context("the record goes on after the end of the frame")?;
            let (seat, state) = (view.seat(), view.row());
            writeln!(text, "seat {seat}  {action:<12}  {}", state.join(" "))?;
            decisions.push(Decision { seat, action, state });
            let id = view.action(action).context("the record has an action that is not open")?;
            play.apply(id);
        }
        let end = match play.result() {
            None => "not played to its end".to_owned(),
            Some(end) => match end.winner {
                Some(seat) => format!("{}: seat {seat} wins", end.reason),
                None => format!("{}: nobody wins", end.reason),
            },
        };
        writeln!(text, "{end}")?;
        let svg = svg.then(|| draw(&decisions, &self.game.columns(), &end));
        Ok(Shown { text, svg })
    }
}

#[derive(Deserialize)]
struct Record {
    draws: u64,
    actions: String,
}

impl Frame {
    /// Puts down what was played and tells the players.
    fn finish(
        &self,
        mut table: Table<'_, '_>,
        result: Option<Points>,
        decided_by: &str,
        cpu: [Option<u64>; 2],
        draws: u64,
    ) -> Played {
        for (seat, player) in table.players.iter_mut().enumerate() {
            let seated = &mut table.seats[seat];
            let points = if seat == 0 { result } else { result.map(Points::other) };
            seated.score = points.map(|points| i32::from(points == Points::Win));
            seated.cpu_ms = cpu_between(cpu[seat], cpu_of(player));
            match player {
                Seat::Empty(_) => {}
                Seat::Agent(agent) => agent.game_over(&FrameOver {
                    points: points.map_or(0.5, Points::value),
                    reason: decided_by,
                }),
                Seat::Bot(bot) => {
                    let mut revealed = Map::new();
                    revealed.insert("decided_by".to_owned(), decided_by.into());
                    // What arrived by now has been judged already.
                    let _ = bot.game_over(points.map(Points::value), seated.reason(), &revealed);
                }
            }
        }
        let mut replay = Map::new();
        replay.insert("draws".to_owned(), draws.into());
        replay.insert("actions".to_owned(), table.actions.join(" ").into());
        Played {
            seats: table.seats,
            result,
            decided_by: decided_by.to_owned(),
            digests: None,
            replay,
        }
    }
}

/// Who won, and by what. In a frame every fault loses; with two of them nobody wins.
fn verdict(table: &Table<'_, '_>) -> (Option<Points>, String) {
    let seats = &table.seats;
    if super::void([&seats[0], &seats[1]]) {
        return (None, String::new());
    }
    let lost = [0, 1].map(|seat| seats[seat].fault.is_some());
    match (lost, table.play.result()) {
        ([true, false], _) => (Some(Points::Loss), "forfeit".to_owned()),
        ([false, true], _) => (Some(Points::Win), "forfeit".to_owned()),
        ([true, true], _) => (Some(Points::Draw), "forfeit".to_owned()),
        (_, None) => (Some(Points::Draw), "unfinished".to_owned()),
        (_, Some(end)) => {
            let points = match end.winner {
                None => Points::Draw,
                Some(0) => Points::Win,
                Some(_) => Points::Loss,
            };
            (Some(points), end.reason.clone())
        }
    }
}

fn cpu_of(player: &Seat<'_, Box<dyn FrameAgent>>) -> Option<u64> {
    match player {
        Seat::Bot(bot) => bot.cpu_ms(),
        Seat::Agent(_) | Seat::Empty(_) => None,
    }
}

/// An agent that plays every definition.
fn standard(game: &Game) -> anyhow::Result<AgentSpec> {
    let known = cuebench_agents::frame::known_agents(game);
    Ok(known.iter().find(|name| *name == "random").context("no agent `random`")?.parse()?)
}
