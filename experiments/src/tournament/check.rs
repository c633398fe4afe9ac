//! Does a bot conform to the protocol? Numbered steps, each with what went wrong and why.

use crate::games::Playable;
use cuebench_agents::clock::{Clock, milliseconds};
use cuebench_agents::external::bot::Bot;
use cuebench_agents::external::player::BotPlayer;
use cuebench_agents::external::transport::{Arrival, Incoming, SendError, Transport};
use cuebench_agents::fault::Fault;
use cuebench_agents::player::{Player, Start};
use cuebench_agents::referee::{Terms, play};
use cuebench_engine::game::{Refusal, Seed, Turn};
use serde::Serialize;
use std::fs::File;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// One step and how it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// From 1.
    pub number: usize,
    /// What was tried.
    pub name: &'static str,
    /// Whether the bot did as the protocol says; empty if it was not tried any more.
    pub passed: Option<bool>,
    /// What was seen, or what went wrong and the likely cause.
    pub detail: String,
}

/// The steps in their order.
pub const STEPS: [&str; 7] =
    ["start", "hello", "ready", "a legal move", "full clock use", "bad message", "quit"];

/// What a step found: words for people, either way.
type Found = Result<String, Fault>;

/// How to check.
pub struct Check<'a, G: Playable> {
    /// The game.
    pub game: &'a G,
    /// Time for hello and for ready.
    pub start_limit: Duration,
    /// A seat's time for a game.
    pub clock: Duration,
}

impl<G: Playable> Check<'_, G> {
    /// Goes through the steps with the process that `start` gives. After a step that failed the
    /// rest is not tried.
    pub fn run(&self, start: impl FnOnce() -> Result<Box<dyn Transport>, Fault>) -> Vec<Step> {
        let mut steps = Vec::new();
        let wire = match start() {
            Ok(wire) => wire,
            Err(fault) => {
                note(&mut steps, Err(fault));
                return fill(steps);
            }
        };
        note(&mut steps, Ok("the process runs".to_owned()));
        let greeted = Bot::greet(wire, G::NAME, self.start_limit);
        match greeted {
            Err(fault) => {
                note(&mut steps, Err(fault));
            }
            Ok(bot) => {
                let version = if bot.version().is_empty() { "" } else { " " };
                note(&mut steps, Ok(format!("{}{version}{}", bot.name(), bot.version())));
                self.play(BotPlayer::new(bot), &mut steps);
            }
        }
        fill(steps)
    }

    fn play(&self, mut bot: BotPlayer, steps: &mut Vec<Step>) {
        let trials: [&dyn Fn(&mut BotPlayer) -> Found; 4] =
            [&|bot| self.ready(bot), &|bot| self.probe(bot), &|bot| self.whole_game(bot), &|bot| {
                self.bad_message(bot)
            }];
        for trial in trials {
            if !note(steps, trial(&mut bot)) {
                return;
            }
        }
        let begun = Instant::now();
        let left = bot.quit();
        let took = milliseconds(begun.elapsed());
        let found = match left {
            true => Ok(format!("it left {took} ms after `quit`")),
            false => Err(Fault::Timeout(
                "it did not end within 2 s of `quit` and the end of its input; end when a read \
                 finds no more"
                    .to_owned(),
            )),
        };
        note(steps, found);
    }

    fn announce(&self, bot: &mut BotPlayer, game_id: &str) -> Result<(), Fault> {
        let seed = Seed::open(1);
        bot.new_game(&Start {
            game: self.game,
            seat: 0,
            game_id,
            clock: self.clock,
            agent_seed: seed.of_players(),
            secret: None,
        })
    }

    fn ready(&self, bot: &mut BotPlayer) -> Found {
        self.announce(bot, "check/ready")?;
        Ok(format!("ready after {} ms", milliseconds(bot.bot().waited())))
    }

    /// Asks for the first move of a game and says what it was.
    fn probe(&self, bot: &mut BotPlayer) -> Found {
        self.announce(bot, "check/probe")?;
        // A game may begin with the other seat's move, or be over at once by its draws.
        let mut states = (1..=100).map(|seed| self.game.start(Seed::open(seed)));
        let state = states
            .find(|state| self.game.turn(state) != Turn::Over && self.game.turn(state).allows(0));
        let mut state = state.ok_or_else(|| Fault::Void("no game lets seat 0 begin".to_owned()))?;
        let view = self.game.view(&state, 0);
        let action = bot.choose(self.game, &view, Clock::both(self.clock))?;
        let spoken = self.game.spoken(&view, &action);
        drop(view);
        self.game.play(&mut state, 0, &action, 0).map_err(|refusal| match refusal {
            Refusal::Illegal(reason) => Fault::Illegal(reason),
            other => Fault::Void(other.to_string()),
        })?;
        Ok(format!("{spoken} after {} ms", milliseconds(bot.bot().waited())))
    }

    /// A whole game against a built-in agent, on the bot's clock.
    fn whole_game(&self, bot: &mut BotPlayer) -> Found {
        let void = |error: &dyn std::fmt::Display| Fault::Void(error.to_string());
        let spec = self.game.sparring().parse().map_err(|error| void(&error))?;
        let mut agent = self.game.player(&spec, 1, None).map_err(|error| void(&error))?;
        let terms = Terms {
            game_id: "check/game",
            clock: self.clock,
            free: false,
            together: true,
            record: false,
        };
        let played = play(self.game, Seed::open(1), [bot, agent.as_mut()], &terms);
        let [own, _] = played.seats;
        match own.fault {
            Some(fault) => Err(fault),
            None => Ok(format!(
                "a whole game in {} of {} ms, {} strokes",
                milliseconds(own.time),
                milliseconds(self.clock),
                own.strokes
            )),
        }
    }

    /// Messages that a bot must ignore, then a game as usual.
    fn bad_message(&self, bot: &mut BotPlayer) -> Found {
        bot.bot_mut()
            .say_raw(br#"{"type":"weather","text":"a notice that this protocol does not know"}"#);
        bot.bot_mut().illegal("this is only a check");
        match self.probe(bot) {
            Ok(_) => Ok("unknown notices and an error notice are ignored".to_owned()),
            Err(fault) => Err(with_hint(&fault, "notices have no `id` and get no reply")),
        }
    }
}

fn with_hint(fault: &Fault, hint: &str) -> Fault {
    let text = |text: &str| format!("{text} ({hint})");
    match fault {
        Fault::Timeout(why) => Fault::Timeout(text(why)),
        Fault::Crash(why) => Fault::Crash(text(why)),
        Fault::Illegal(why) => Fault::Illegal(text(why)),
        Fault::Protocol(why) => Fault::Protocol(text(why)),
        other => other.clone(),
    }
}

/// Writes a step down; whether it passed.
fn note(steps: &mut Vec<Step>, found: Found) -> bool {
    let number = steps.len() + 1;
    let (passed, detail) = match found {
        Ok(detail) => (true, detail),
        Err(fault) => (false, fault.to_string()),
    };
    steps.push(Step { number, name: STEPS[number - 1], passed: Some(passed), detail });
    passed
}

/// Adds the steps that were not tried any more.
fn fill(mut steps: Vec<Step>) -> Vec<Step> {
    for number in steps.len() + 1..=STEPS.len() {
        let detail = "not tried".to_owned();
        steps.push(Step { number, name: STEPS[number - 1], passed: None, detail });
    }
    steps
}

/// A wire whose traffic is written down with times.
pub struct Recorded<W> {
    wire: W,
    file: File,
    begun: Instant,
}

impl<W: Transport> Recorded<W> {
    /// Writes the traffic of `wire` to `file`.
    #[must_use]
    pub fn new(wire: W, file: File) -> Self {
        let begun = wire.now();
        Self { wire, file, begun }
    }

    fn put(&mut self, at: Instant, mark: &str, text: &[u8]) {
        let ms = at.saturating_duration_since(self.begun).as_secs_f64() * 1000.0;
        let text = String::from_utf8_lossy(text);
        // A transcript that cannot be written must not change what is checked.
        let _ = writeln!(self.file, "{ms:>12.3} ms {mark} {}", text.trim_end());
    }
}

impl<W: Transport> Transport for Recorded<W> {
    fn now(&self) -> Instant {
        self.wire.now()
    }

    fn send(&mut self, line: &[u8], until: Instant) -> Result<Instant, SendError> {
        let sent = self.wire.send(line, until);
        match sent {
            Ok(at) => self.put(at, ">", line),
            Err(_) => self.put(self.wire.now(), "! not sent:", line),
        }
        sent
    }

    fn receive(&mut self, until: Instant) -> Option<Arrival> {
        let arrival = self.wire.receive(until)?;
        match &arrival.what {
            Incoming::Line(line) => self.put(arrival.at, "<", line),
            Incoming::TooLong => self.put(arrival.at, "!", b"a line that is too long"),
            Incoming::Ended(how) => self.put(arrival.at, "!", format!("ended: {how}").as_bytes()),
        }
        Some(arrival)
    }

    fn unfinished(&self) -> usize {
        self.wire.unfinished()
    }

    fn cpu_ms(&self) -> Option<u64> {
        self.wire.cpu_ms()
    }

    fn game_begins(&mut self) {
        self.wire.game_begins();
    }

    fn pause(&mut self, paused: bool) {
        self.wire.pause(paused);
    }

    fn end(&mut self, politely: bool) -> bool {
        self.wire.end(politely)
    }
}
