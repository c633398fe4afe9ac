//! Does a bot conform to the protocol? Numbered steps, each with what went wrong and why.

use super::games::{Match, Seat, TournamentGame, milliseconds};
use super::schedule::Fixture;
use cuebench_agents::external::bot::Bot;
use cuebench_agents::external::wire::{Arrival, Incoming, SendError, Wire};
use cuebench_agents::fault::Fault;
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
pub struct Check<'a, G: TournamentGame> {
    /// The game.
    pub game: &'a G,
    /// Time for hello and for ready.
    pub start_limit: Duration,
    /// A seat's time for a game.
    pub clock: Duration,
}

impl<G: TournamentGame> Check<'_, G> {
    /// Goes through the steps with the process that `start` gives. After a step that failed the
    /// rest is not tried.
    pub fn run(&self, start: impl FnOnce() -> Result<Box<dyn Wire>, Fault>) -> Vec<Step> {
        let mut steps = Vec::new();
        let wire = match start() {
            Ok(wire) => wire,
            Err(fault) => {
                note(&mut steps, Err(fault));
                return fill(steps);
            }
        };
        note(&mut steps, Ok("the process runs".to_owned()));
        let greeted = Bot::greet(wire, self.game.name(), self.start_limit);
        match greeted {
            Err(fault) => {
                note(&mut steps, Err(fault));
            }
            Ok(bot) => {
                let version = if bot.version().is_empty() { "" } else { " " };
                note(&mut steps, Ok(format!("{}{version}{}", bot.name(), bot.version())));
                self.play(bot, &mut steps);
            }
        }
        fill(steps)
    }

    fn play(&self, mut bot: Bot, steps: &mut Vec<Step>) {
        let trials: [&dyn Fn(&mut Bot) -> Found; 4] = [
            &|bot| self.ready(bot),
            &|bot| self.game.probe(bot, self.clock),
            &|bot| self.whole_game(bot),
            &|bot| self.bad_message(bot),
        ];
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

    fn ready(&self, bot: &mut Bot) -> Found {
        self.game.announce(bot, "check/ready", self.clock)?;
        Ok(format!("ready after {} ms", milliseconds(bot.waited())))
    }

    /// A whole game against a built-in agent, on the bot's clock.
    fn whole_game(&self, bot: &mut Bot) -> Found {
        let void = |error: &dyn std::fmt::Display| Fault::Void(error.to_string());
        let spec = self.game.sparring().parse().map_err(|error| void(&error))?;
        let mut agent = self.game.agent([None, Some(&spec)], 1).map_err(|error| void(&error))?;
        let fixture = Fixture { index: 0, pair: 0, bots: [0, 1], seed: 1, order: 0 };
        let game = Match { fixture, game_id: "check/game", salt: None, clock: self.clock };
        let played = self.game.play(&game, [Seat::Bot(bot), Seat::Agent(&mut agent)]);
        let [own, _] = played.seats;
        match own.fault {
            Some(fault) => Err(fault),
            None => Ok(format!(
                "a whole game in {} of {} ms, {} strokes",
                milliseconds(own.time),
                milliseconds(self.clock),
                own.strokes.unwrap_or(0)
            )),
        }
    }

    /// Messages that a bot must ignore, then a game as usual.
    fn bad_message(&self, bot: &mut Bot) -> Found {
        bot.say_raw(br#"{"type":"weather","text":"a notice that this protocol does not know"}"#);
        bot.illegal("this is only a check");
        match self.game.probe(bot, self.clock) {
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

impl<W: Wire> Recorded<W> {
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

impl<W: Wire> Wire for Recorded<W> {
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
