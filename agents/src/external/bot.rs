//! The conversation with one bot: requests with ids, deadlines, and what its faults mean.

use super::limits::MAX_LINE;
use super::protocol::{Malformed, Notice, PROTOCOL, Plain, Reply, Request, Said, line, parse};
use super::transport::{Incoming, SendError, Transport};
use crate::fault::Fault;
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// How long a bot that overran its clock is listened to, so that the overrun can be recorded and
/// the bot be used again.
pub const OVERRUN: Duration = Duration::from_millis(1000);
/// How long a notice may wait for a bot that reads slowly.
const NOTICE: Duration = Duration::from_millis(250);
/// The most that a bot may print before it answers one request, bytes.
const MAX_CHATTER: usize = 4 * MAX_LINE;
/// Longest name or version that is kept, characters.
const MAX_NAME: usize = 100;

/// A bot that said hello.
pub struct Bot {
    wire: Box<dyn Transport>,
    /// Number of the last request.
    asked: u64,
    /// Number of the last request that was answered in time.
    answered: Option<u64>,
    name: String,
    version: String,
    start_limit: Duration,
    waited: Duration,
    overrun: Option<Duration>,
    spent: bool,
    resting: bool,
}

/// What a bot is told at the start of a game.
#[derive(Clone, Copy, Debug)]
pub struct NewGame<'a> {
    /// The game, unique in its event.
    pub game_id: &'a str,
    /// The bot's seat.
    pub seat: usize,
    /// The game's options.
    pub options: &'a Value,
    /// What is public of this match.
    pub public: &'a Value,
    /// The bot's time for the whole game.
    pub time: Duration,
}

impl Bot {
    /// Says hello over `wire` and waits at most `start_limit` for the answer.
    ///
    /// # Errors
    /// The fault that keeps the bot from playing; its process has been ended then.
    pub fn greet(
        wire: Box<dyn Transport>,
        game: &str,
        start_limit: Duration,
    ) -> Result<Self, Fault> {
        let until = wire.now() + start_limit;
        let mut bot = Self {
            asked: 1,
            answered: None,
            name: String::new(),
            version: String::new(),
            start_limit,
            waited: Duration::ZERO,
            overrun: None,
            spent: false,
            resting: false,
            wire,
        };
        let hello = Plain::Hello { id: 1, protocol: PROTOCOL, game };
        let reply = bot.request(&hello, "hello", Limit::Until(until))?;
        match bot.identify(&reply) {
            Ok(()) => Ok(bot),
            Err(malformed) => Err(bot.broken(Fault::Protocol(malformed.to_string()))),
        }
    }

    fn identify(&mut self, reply: &Reply) -> Result<(), Malformed> {
        let shorten = |text: &str| -> String {
            text.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect()
        };
        self.name = shorten(reply.text("name")?);
        self.version = match reply.fields.get("version") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(version)) => shorten(version),
            Some(other) => shorten(&other.to_string()),
        };
        Ok(())
    }

    /// The bot's own name, for display only.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bot's own version, empty if it gave none.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// How long the last request waited for its answer.
    #[must_use]
    pub const fn waited(&self) -> Duration {
        self.waited
    }

    /// By how much the last request was overrun; at most [`OVERRUN`], which stands for more.
    #[must_use]
    pub const fn overrun(&self) -> Option<Duration> {
        self.overrun
    }

    /// CPU time since the process was started, ms, if it can be known.
    #[must_use]
    pub fn cpu_ms(&self) -> Option<u64> {
        self.wire.cpu_ms()
    }

    /// Whether this process cannot be used again: it ended, or its faults were such that nothing
    /// it says can be trusted any more.
    #[must_use]
    pub const fn spent(&self) -> bool {
        self.spent
    }

    /// Announces a game and waits until the bot is ready.
    ///
    /// # Errors
    /// The fault that keeps the bot from playing.
    pub fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), Fault> {
        let &NewGame { game_id, seat, options, public, time } = game;
        self.wire.game_begins();
        let (id, time_ms) = (self.next_id(), milliseconds(time));
        let request = Plain::NewGame { id, game_id, seat, options, public, time_ms };
        let until = self.wire.now() + self.start_limit;
        self.request(&request, "ready", Limit::Until(until)).map(drop)
    }

    /// Asks for a move on `state`. The clock runs from the last byte written to the newline read.
    ///
    /// # Errors
    /// The fault that ends the bot's game.
    pub fn ask(
        &mut self,
        state: &impl Serialize,
        left: Duration,
        opponent_left: Duration,
    ) -> Result<Reply, Fault> {
        let id = self.next_id();
        let (time_left_ms, opponent_time_left_ms) =
            (milliseconds(left), milliseconds(opponent_left));
        let request = Request::Move { id, state, time_left_ms, opponent_time_left_ms };
        self.request(&request, "move", Limit::Clock(left))
    }

    /// Lets the bot rest until it is next told something: it is not its turn, and the processors
    /// belong to its opponent.
    pub fn rest(&mut self) {
        if !self.spent && !self.resting {
            self.resting = true;
            self.wire.pause(true);
        }
    }

    fn wake(&mut self) {
        if self.resting {
            self.resting = false;
            self.wire.pause(false);
        }
    }

    /// Tells the bot that its move is not legal.
    pub fn illegal(&mut self, message: &str) {
        self.notify(&Notice::Error { code: "illegal_move", message });
    }

    /// Tells the bot how the game ended. A second answer that has arrived by now is a fault.
    ///
    /// # Errors
    /// A fault that the bot committed after its last answer.
    pub fn game_over(
        &mut self,
        result: Option<f64>,
        reason: &str,
        revealed: &Map<String, Value>,
    ) -> Result<(), Fault> {
        if self.spent {
            return Ok(());
        }
        let late = self.drain();
        self.notify(&Notice::GameOver { result, reason, revealed });
        late
    }

    /// Everything that has arrived and nobody asked for.
    ///
    /// # Errors
    /// A fault among it.
    pub fn drain(&mut self) -> Result<(), Fault> {
        let mut chatter = 0;
        while let Some(arrival) = self.wire.receive(self.wire.now()) {
            // The end of a process between games is noticed when it is next asked.
            if matches!(arrival.what, Incoming::Ended(_)) {
                self.spent = true;
                return Ok(());
            }
            self.read(arrival.what, &mut chatter, "")?;
        }
        Ok(())
    }

    /// Sends a notice; a bot that does not read it will be found out by the next request.
    fn notify(&mut self, notice: &Notice<'_>) {
        self.wake();
        if let (false, Ok(line)) = (self.spent, line(notice)) {
            let until = self.wire.now() + NOTICE;
            if self.wire.send(&line, until).is_err() {
                self.spent = true;
            }
        }
    }

    /// Ends the bot politely: `quit`, end of input, and two seconds. Whether it left by itself.
    #[must_use = "a bot that had to be killed may be worth a word"]
    pub fn quit(mut self) -> bool {
        self.notify(&Notice::Quit);
        let left = self.wire.end(!self.spent);
        self.spent = true;
        left
    }

    /// Sends a line as it is, for checks.
    pub fn say_raw(&mut self, line: &[u8]) {
        let until = self.wire.now() + NOTICE;
        // A bot that does not read is found out by the next request.
        let _ = self.wire.send(&[line, b"\n"].concat(), until);
    }

    fn next_id(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }

    /// Sends request `self.asked` and waits for its answer.
    fn request<S: Serialize>(
        &mut self,
        request: &Request<'_, S>,
        kind: &'static str,
        limit: Limit,
    ) -> Result<Reply, Fault> {
        (self.waited, self.overrun) = (Duration::ZERO, None);
        if self.spent {
            return Err(Fault::Crash("the process had ended".to_owned()));
        }
        self.wake();
        let line = line(request).map_err(|error| Fault::Void(error.to_string()))?;
        let asked = self.wire.now();
        let sent = match self.wire.send(&line, limit.end(asked)) {
            Ok(sent) => sent,
            Err(SendError::Timeout) => {
                self.waited = self.wire.now() - asked;
                let message =
                    format!("the {} was not read from standard input in time", asked_for(kind));
                return Err(self.broken(Fault::Timeout(message)));
            }
            // Why it closed is told by what arrives.
            Err(SendError::Closed) => self.wire.now(),
        };
        let until = limit.end(sent);
        let answer = self.answer(kind, [asked, sent], until);
        match answer {
            Err(fault @ Fault::Timeout(_)) => {
                self.waited = until - sent;
                Err(self.overran(fault, kind, until))
            }
            Err(fault) => Err(self.broken(fault)),
            Ok(reply) => Ok(reply),
        }
    }

    /// The answer to the last request, if it arrives in time.
    fn answer(
        &mut self,
        kind: &'static str,
        [asked, sent]: [Instant; 2],
        until: Instant,
    ) -> Result<Reply, Fault> {
        let (mut chatter, mut stray) = (0, None);
        loop {
            let arrival = self
                .wire
                .receive(until)
                .ok_or_else(|| Fault::Timeout(self.silence(kind, chatter, stray)))?;
            self.waited = arrival.at.saturating_duration_since(sent);
            match self.read(arrival.what, &mut chatter, kind)? {
                // What came before the question is no answer to it.
                Some(reply) if reply.id == self.asked && arrival.at >= asked => {
                    self.answered = Some(reply.id);
                    return self.fitting(reply, kind);
                }
                Some(reply) => stray = Some(reply.id),
                None => {}
            }
        }
    }

    /// A reply that may be one to the last request; `None` for what can be ignored.
    fn read(
        &self,
        what: Incoming,
        chatter: &mut usize,
        kind: &str,
    ) -> Result<Option<Reply>, Fault> {
        let line = match what {
            Incoming::Line(line) => line,
            Incoming::TooLong => {
                return Err(Fault::Protocol(format!("a line is longer than {MAX_LINE} bytes")));
            }
            Incoming::Ended(how) => return Err(Fault::Crash(how)),
        };
        *chatter += line.len() + 1;
        if *chatter > MAX_CHATTER {
            return Err(Fault::Protocol(format!(
                "more than {MAX_CHATTER} bytes without an answer to the {}",
                asked_for(kind)
            )));
        }
        match parse(&line).map_err(|malformed| Fault::Protocol(malformed.to_string()))? {
            Said::Nothing => Ok(None),
            Said::Reply(reply) if self.was_answered(reply.id) => {
                Err(Fault::Protocol(format!("request {} was answered twice", reply.id)))
            }
            Said::Reply(reply) => Ok(Some(reply)),
        }
    }

    /// Whether a request had its answer. After one that never gets any the process is not used
    /// again, so every number up to the last answered was.
    fn was_answered(&self, id: u64) -> bool {
        id > 0 && self.answered.is_some_and(|answered| id <= answered)
    }

    fn fitting(&self, reply: Reply, kind: &'static str) -> Result<Reply, Fault> {
        if reply.kind == kind {
            return Ok(reply);
        }
        let message = reply.fields.get("message").and_then(Value::as_str).unwrap_or_default();
        Err(Fault::Protocol(format!(
            "request {} wants a reply of type `{kind}`, not `{}` {message}",
            reply.id, reply.kind
        )))
    }

    /// Listens a little longer after a timeout: to record the overrun, and to learn whether the
    /// process can be used again.
    fn overran(&mut self, fault: Fault, kind: &'static str, until: Instant) -> Fault {
        let (mut chatter, patience) = (0, until + OVERRUN);
        while let Some(arrival) = self.wire.receive(patience) {
            self.overrun = Some(arrival.at.saturating_duration_since(until));
            match self.read(arrival.what, &mut chatter, kind) {
                Ok(Some(reply)) if reply.id == self.asked => {
                    self.answered = Some(self.asked);
                    return fault;
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        self.overrun = Some(OVERRUN);
        self.broken(fault)
    }

    /// A fault after which the process is not used again.
    fn broken(&mut self, fault: Fault) -> Fault {
        self.spent = true;
        self.wire.end(false);
        fault
    }

    /// What to say of a bot that did not answer in time.
    fn silence(&self, kind: &str, chatter: usize, stray: Option<u64>) -> String {
        let mut text = format!("no answer to the {}", asked_for(kind));
        match self.wire.unfinished() {
            0 => {}
            bytes => text += &format!("; {bytes} bytes came without an end of line"),
        }
        if let Some(id) = stray {
            text += &format!("; a reply to request {id} came, asked was {}", self.asked);
        } else if chatter == 0 {
            text += "; did you flush standard output after the line?";
        }
        text
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.wire.end(false);
    }
}

/// When a request must be answered.
#[derive(Clone, Copy)]
enum Limit {
    /// By a fixed time: start-up.
    Until(Instant),
    /// Within this time of the last byte written: a clock.
    Clock(Duration),
}

impl Limit {
    fn end(self, sent: Instant) -> Instant {
        match self {
            Self::Until(until) => until,
            Self::Clock(left) => sent + left,
        }
    }
}

/// The request that a kind of reply answers.
fn asked_for(kind: &str) -> &'static str {
    match kind {
        "hello" => "hello",
        "ready" => "new_game",
        _ => "move",
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "bot_tests.rs"]
mod tests;
