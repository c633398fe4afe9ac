//! Tournaments of chess pool. Both seats play one frame; seat 0 breaks, and the two orders of a
//! pair give each bot the break once.

use super::{
    Match, Played, Seat, SeatClock, Seated, Shown, TournamentGame, cpu_between, milliseconds, void,
    wrong_fields,
};
use crate::chess_pool::drawing::draw_shot;
use crate::chess_pool::playthrough::{Playthrough, answer};
use crate::chess_pool::setup::Setup;
use crate::experiment::grid::Setting;
use crate::tournament::points::Points;
use anyhow::{Context as _, anyhow};
use cuebench_agents::chess_pool::{
    ChessPoolAgent, ChessPoolEnd, ChessPoolStart, Step, View, chess_pool_agent,
};
use cuebench_agents::clock::Clock;
use cuebench_agents::external::bot::{Bot, NewGame};
use cuebench_agents::external::protocol::{Malformed, Reply};
use cuebench_agents::fault::Fault;
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::chess_pool::action::{Action, Phase};
use cuebench_engine::chess_pool::call::{Call, on_table};
use cuebench_engine::chess_pool::frame::State;
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::chess_pool::play::LastShot;
use cuebench_engine::rng::{Purpose, stream};
use cuebench_engine::shot::Stroke;
use cuebench_engine::units::Point;
use rand::Rng as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The seat that breaks.
const BREAKER: usize = 0;

/// Chess pool under the options of an event.
#[derive(Debug)]
pub struct ChessPool {
    setup: Setup,
    published: Value,
    public: Value,
}

impl ChessPool {
    /// The game with the `[options]` of a tournament file.
    ///
    /// # Errors
    /// On unknown options and values.
    pub fn new(table: &toml::Table) -> anyhow::Result<Self> {
        let settings: Vec<Setting> = table
            .iter()
            .map(|(name, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                Setting { name: name.clone(), value }
            })
            .collect();
        let setup = Setup::of(&settings).map_err(|error| anyhow!("[options]: {error}"))?;
        let spec = setup.table.spec();
        let mut published = serde_json::to_value(setup.rules.options)?;
        published["cloth"] = spec.cloth.into();
        published["restitution"] = spec.restitution.into();
        published["max_shots"] = setup.rules.max_shots.into();
        let public = json!({ "board": { "geometry": setup.table.geometry() } });
        Ok(Self { setup, published, public })
    }

    fn tell(&self, bot: &mut Bot, seat: usize, id: &str, time: Duration) -> Result<(), Fault> {
        let (options, public) = (&self.published, &self.public);
        bot.new_game(&NewGame { game_id: id, seat, options, public, time })
    }

    fn welcome(
        &self,
        seat: usize,
        game: &Match<'_>,
        player: &mut Seat<'_, Box<dyn ChessPoolAgent>>,
    ) -> Result<(), Fault> {
        match player {
            Seat::Empty(fault) => Err(fault.clone()),
            Seat::Bot(bot) => self.tell(bot, seat, game.game_id, game.clock),
            Seat::Agent(agent) => agent.new_game(&ChessPoolStart {
                seat,
                breaker: BREAKER,
                rules: self.setup.rules,
                table: &self.setup.table,
                agent_seed: stream(game.fixture.seed, Purpose::Agent, 0).next_u64(),
            }),
        }
    }

    fn view<'a>(&'a self, state: &'a State) -> View<'a> {
        View { state, table: &self.setup.table }
    }

    /// Answers until the frame is over or a seat fails.
    fn frame(&self, players: &mut [Seat<'_, Box<dyn ChessPoolAgent>>; 2], frame: &mut Frame) {
        let mut shot = LastShot::default();
        while frame.state.phase() != Phase::Over && frame.fault_free() {
            let seat = frame.state.to_move();
            let before = frame.state;
            let left = [frame.clocks[seat].left(), frame.clocks[1 - seat].left()];
            let clock = &mut frame.clocks[seat];
            players[1 - seat].rest();
            let chosen = choose(&mut players[seat], &self.view(&before), clock, left);
            frame.seated[seat].time = clock.used();
            if let Seat::Bot(bot) = &players[seat] {
                frame.seated[seat].overrun = bot.overrun();
            }
            let applied = chosen.and_then(|action| {
                frame.state.apply(&self.setup.table, &action, &mut shot).map_err(|error| {
                    let message = error.to_string();
                    if let Seat::Bot(bot) = &mut players[seat] {
                        bot.illegal(&message);
                    }
                    Fault::Illegal(message)
                })?;
                Ok(action)
            });
            match applied {
                Ok(action) => {
                    let stroke = matches!(action, Action::Break { .. } | Action::Shot { .. });
                    *frame.seated[seat].strokes.get_or_insert(0) += u32::from(stroke);
                    let time_ms = milliseconds(frame.clocks[seat].used());
                    frame.answers.push(Answered { action, time_ms });
                }
                Err(fault) => frame.seated[seat].fault = Some(fault),
            }
        }
    }
}

/// A frame as it is played.
struct Frame {
    state: State,
    clocks: [SeatClock; 2],
    seated: [Seated; 2],
    answers: Vec<Answered>,
}

impl Frame {
    fn fault_free(&self) -> bool {
        self.seated.iter().all(|seat| seat.fault.is_none())
    }

    /// The result, and what decided.
    fn verdict(&self) -> (Option<Points>, &'static str) {
        let seats = [&self.seated[0], &self.seated[1]];
        if void(seats) {
            return (None, "");
        }
        // A fault of any kind, the clock too, loses the frame.
        match (seats.map(|seat| seat.fault.is_some()), self.state.winner()) {
            ([true, false], _) => (Some(Points::Loss), "forfeit"),
            ([false, true], _) => (Some(Points::Win), "forfeit"),
            ([true, true], _) => (Some(Points::Draw), "draw"),
            (_, Some(0)) => (Some(Points::Win), "frame"),
            (_, Some(_)) => (Some(Points::Loss), "frame"),
            (_, None) => (Some(Points::Draw), "max_shots"),
        }
    }

    /// Pieces of the seat that are left.
    fn score(&self, seat: usize) -> Option<i32> {
        let side = self.state.side_of(seat)?;
        Some(on_table(self.state.balls()).intersection(side.pieces()).len() as i32)
    }
}

/// An answer and the time on its seat's clock after it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Answered {
    #[serde(flatten)]
    action: Action,
    time_ms: u64,
}

impl TournamentGame for ChessPool {
    type Agent = Box<dyn ChessPoolAgent>;

    fn name(&self) -> &'static str {
        "chess-pool"
    }

    fn published(&self) -> Value {
        self.published.clone()
    }

    fn orders(&self) -> u8 {
        2
    }

    fn check(&self, spec: &AgentSpec) -> anyhow::Result<()> {
        Ok(chess_pool_agent(spec).map(drop)?)
    }

    fn agent(&self, specs: [Option<&AgentSpec>; 2], seat: usize) -> anyhow::Result<Self::Agent> {
        let spec = specs[seat].with_context(|| format!("seat {seat} is no built-in agent"))?;
        Ok(chess_pool_agent(spec)?)
    }

    fn announce(&self, bot: &mut Bot, game_id: &str, clock: Duration) -> Result<(), Fault> {
        self.tell(bot, BREAKER, game_id, clock)
    }

    fn probe(&self, bot: &mut Bot, clock: Duration) -> Result<String, Fault> {
        self.tell(bot, BREAKER, "check/probe", clock)?;
        let mut state = State::new(self.setup.rules, BREAKER);
        let reply = bot.ask(&self.view(&state), clock, clock)?;
        let action = action(state.phase(), &reply)?;
        state
            .apply(&self.setup.table, &action, &mut LastShot::default())
            .map_err(|error| Fault::Illegal(error.to_string()))?;
        Ok(format!("{} after {} ms", answer(&action), milliseconds(bot.waited())))
    }

    fn sparring(&self) -> &'static str {
        "random"
    }

    fn play(&self, game: &Match<'_>, mut seats: [Seat<'_, Self::Agent>; 2]) -> Played {
        let mut frame = Frame {
            state: State::new(self.setup.rules, BREAKER),
            clocks: [SeatClock::new(game.clock); 2],
            seated: [Seated::default(), Seated::default()],
            answers: vec![],
        };
        let cpu = [cpu_of(&seats[0]), cpu_of(&seats[1])];
        for (seat, player) in seats.iter_mut().enumerate() {
            frame.seated[seat].fault = self.welcome(seat, game, player).err();
            frame.seated[seat].absent = frame.seated[seat].fault.is_some();
        }
        self.frame(&mut seats, &mut frame);
        for (seat, player) in seats.iter_mut().enumerate() {
            frame.seated[seat].cpu_ms = cpu_between(cpu[seat], cpu_of(player));
            frame.seated[seat].score = frame.score(seat);
            // An answer too many that has come by now counts.
            if let (Seat::Bot(bot), None) = (player, &frame.seated[seat].fault) {
                frame.seated[seat].fault = bot.drain().err();
            }
        }
        let (result, decided_by) = frame.verdict();
        for (seat, player) in seats.iter_mut().enumerate() {
            let points = if seat == 0 { result } else { result.map(Points::other) };
            tell_end(player, &frame.seated[seat], points, frame.state.winner());
        }
        let mut replay = Map::new();
        let answers = serde_json::to_value(&frame.answers).unwrap_or_default();
        replay.insert("answers".to_owned(), answers);
        Played {
            seats: frame.seated,
            result,
            decided_by: decided_by.to_owned(),
            digests: None,
            replay,
        }
    }

    fn show(&self, replay: &Value, svg: bool) -> anyhow::Result<Shown> {
        let answers = replay.get("answers").cloned().context("a frame of chess pool")?;
        let answers: Vec<Answered> =
            serde_json::from_value(answers).context("the answers of a frame of chess pool")?;
        let spec = self.setup.table.spec();
        let heading = format!(
            "chess pool: cloth {} mm/s², restitution {}/1000",
            spec.cloth, spec.restitution
        );
        let mut text = Playthrough::new(&[heading]);
        let (mut state, mut shot) = (State::new(self.setup.rules, BREAKER), LastShot::default());
        let mut image = None;
        for Answered { action, .. } in &answers {
            let (before, mut reasons) = (state, vec![]);
            let table = &self.setup.table;
            let event =
                state.apply_explained(table, action, &mut shot, |reason| reasons.push(reason))?;
            text.step(&Step {
                seat: before.to_move(),
                before: &before,
                action,
                event: &event,
                shot: &shot,
                reasons: &reasons,
                after: &state,
            });
            if let Action::Break { angle, power, .. } | Action::Shot { angle, power, .. } = *action
                && svg
            {
                let lines = [answer(action)];
                let launch = Stroke::new(angle, power)?.into();
                image = Some(draw_shot(table, &shot.before, launch, &lines)?);
            }
        }
        let ending = match state.winner() {
            Some(winner) => format!("end: seat {winner} wins after {} shots", state.shots()),
            None => format!("end: no winner after {} shots", state.shots()),
        };
        Ok(Shown { text: text.finish(&ending), svg: image })
    }
}

fn cpu_of(player: &Seat<'_, Box<dyn ChessPoolAgent>>) -> Option<u64> {
    match player {
        Seat::Bot(bot) => bot.cpu_ms(),
        Seat::Agent(_) | Seat::Empty(_) => None,
    }
}

/// Asks for one answer and charges the clock; `left` is one's own time and the opponent's.
fn choose(
    player: &mut Seat<'_, Box<dyn ChessPoolAgent>>,
    view: &View<'_>,
    clock: &mut SeatClock,
    left: [Duration; 2],
) -> Result<Action, Fault> {
    match player {
        Seat::Empty(fault) => Err(fault.clone()),
        Seat::Agent(agent) => {
            let [own, other] = left.map(milliseconds);
            let told = Clock { time_left_ms: own, opponent_time_left_ms: other };
            clock.time(|| agent.choose(view, told))
        }
        Seat::Bot(bot) => {
            let reply = bot.ask(view, left[0], left[1]);
            let charged = clock.charge(bot.waited());
            let action = action(view.state.phase(), &reply?);
            charged?;
            action.inspect_err(|fault| {
                if let Fault::Illegal(message) = fault {
                    bot.illegal(message);
                }
            })
        }
    }
}

#[derive(Deserialize)]
struct BreakReply {
    cue: Point,
    angle: u32,
    power: u32,
}

#[derive(Deserialize)]
struct ShotReply {
    call: Call,
    angle: u32,
    power: u32,
    cue: Option<Point>,
}

#[derive(Deserialize)]
struct SideReply {
    side: Side,
}

#[derive(Deserialize)]
struct KingReply {
    replace: Ball,
}

/// The answer to what `phase` asks for. A missing field is no reply, a wrong value is illegal.
fn action(phase: Phase, reply: &Reply) -> Result<Action, Fault> {
    match phase {
        Phase::Break => {
            let BreakReply { cue, angle, power } = read(reply, &["cue", "angle", "power"])?;
            Ok(Action::Break { cue, angle, power })
        }
        Phase::Side => {
            let SideReply { side } = read(reply, &["side"])?;
            Ok(Action::Side { side })
        }
        Phase::Shot => {
            let ShotReply { call, angle, power, cue } = read(reply, &["call", "angle", "power"])?;
            Ok(Action::Shot { call, angle, power, cue })
        }
        Phase::King => {
            let KingReply { replace } = read(reply, &["replace"])?;
            Ok(Action::King { replace })
        }
        Phase::Over => Err(Fault::Void("the frame is over".to_owned())),
    }
}

fn read<T: DeserializeOwned>(reply: &Reply, fields: &[&'static str]) -> Result<T, Fault> {
    if let Some(field) = fields.iter().find(|field| !reply.fields.contains_key(**field)) {
        let error = Malformed::Field { field, expected: "value" };
        return Err(wrong_fields(reply, &error));
    }
    serde_json::from_value(Value::Object(reply.fields.clone()))
        .map_err(|error| Fault::Illegal(error.to_string()))
}

fn tell_end(
    player: &mut Seat<'_, Box<dyn ChessPoolAgent>>,
    own: &Seated,
    points: Option<Points>,
    winner: Option<usize>,
) {
    match player {
        Seat::Empty(_) => {}
        Seat::Agent(agent) => agent.game_over(&ChessPoolEnd { winner, reason: own.reason() }),
        // What arrived by now has been judged already.
        Seat::Bot(bot) => {
            let _ = bot.game_over(points.map(Points::value), own.reason(), &Map::new());
        }
    }
}
