//! Conversations with a scripted bot on a scripted clock.

use super::*;
use crate::external::transport::Arrival;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// What the scripted bot does, in turn: lines after a delay, or its end.
#[derive(Clone)]
enum Act {
    Say(u64, &'static str),
    /// A line that had arrived a millisecond before it is looked for.
    Early(&'static str),
    Long(u64),
    End(u64),
}

#[derive(Default)]
struct Record {
    sent: Vec<String>,
    ended: Option<bool>,
}

struct Script {
    now: Instant,
    acts: VecDeque<Act>,
    record: Arc<Mutex<Record>>,
}

impl Transport for Script {
    fn now(&self) -> Instant {
        self.now
    }

    fn send(&mut self, line: &[u8], _: Instant) -> Result<Instant, SendError> {
        let line = String::from_utf8(line.to_vec()).expect("UTF-8");
        self.record.lock().expect("unpoisoned").sent.push(line);
        Ok(self.now)
    }

    fn receive(&mut self, until: Instant) -> Option<Arrival> {
        let delay = match self.acts.front()? {
            Act::Say(delay, _) | Act::Long(delay) | Act::End(delay) => *delay,
            Act::Early(line) => {
                let what = Incoming::Line(line.as_bytes().to_vec());
                self.acts.pop_front();
                return Some(Arrival { at: self.now - Duration::from_millis(1), what });
            }
        };
        let at = self.now + Duration::from_millis(delay);
        if at > until {
            // What was waited for counts towards the delay.
            let waited = u64::try_from((until - self.now).as_millis()).expect("short");
            match self.acts.front_mut()? {
                Act::Say(delay, _) | Act::Long(delay) | Act::End(delay) => *delay -= waited,
                Act::Early(_) => {}
            }
            self.now = until;
            return None;
        }
        self.now = at;
        let what = match self.acts.pop_front()? {
            Act::Say(_, line) | Act::Early(line) => Incoming::Line(line.as_bytes().to_vec()),
            Act::Long(_) => Incoming::TooLong,
            Act::End(_) => Incoming::Ended("exit code 3".to_owned()),
        };
        Some(Arrival { at, what })
    }

    fn unfinished(&self) -> usize {
        7
    }

    fn cpu_ms(&self) -> Option<u64> {
        None
    }

    fn end(&mut self, politely: bool) -> bool {
        self.record.lock().expect("unpoisoned").ended.get_or_insert(politely);
        politely
    }
}

const HELLO: Act = Act::Say(5, r#"{"type":"hello","id":1,"name":"mine","version":2}"#);

fn greet(acts: &[Act]) -> (Result<Bot, Fault>, Arc<Mutex<Record>>) {
    let record = Arc::<Mutex<Record>>::default();
    let wire = Script {
        now: Instant::now(),
        acts: acts.iter().cloned().collect(),
        record: Arc::clone(&record),
    };
    (Bot::greet(Box::new(wire), "frame", Duration::from_secs(1)), record)
}

/// Greets, then asks for one move with 100 ms on the clock.
fn ask(acts: &[Act]) -> (Result<Reply, Fault>, Bot) {
    let mut all = vec![HELLO];
    all.extend_from_slice(acts);
    let mut bot = greet(&all).0.expect("greets");
    let answer = bot.ask(&1, Duration::from_millis(100), Duration::from_millis(70));
    (answer, bot)
}

#[test]
fn a_whole_game_goes_as_the_page_says() {
    let (bot, record) = greet(&[
        HELLO,
        Act::Say(0, r#"{"type":"ready","id":2}"#),
        Act::Say(1, r#"{"type":"log","text":"hm"}"#),
        Act::Say(30, r#"{"type":"move","id":3,"action":"call_shot"}"#),
    ]);
    let mut bot = bot.expect("greets");
    assert_eq!((bot.name(), bot.version()), ("mine", "2"));
    let nothing = Value::Object(Map::new());
    let game = NewGame {
        game_id: "e/0",
        seat: 1,
        options: &nothing,
        public: &nothing,
        time: Duration::from_secs(1),
    };
    bot.new_game(&game).expect("ready");
    let reply = bot.ask(&[5], Duration::from_secs(1), Duration::from_secs(2)).expect("moves");
    assert_eq!(reply.text("action"), Ok("call_shot"));
    assert_eq!(bot.waited(), Duration::from_millis(31));
    bot.game_over(Some(0.5), "play", &Map::new()).expect("quiet");
    assert!(bot.quit());
    let record = record.lock().expect("unpoisoned");
    assert_eq!(
        record.sent.concat(),
        r#"{"type":"hello","id":1,"protocol":1,"game":"frame"}
{"type":"new_game","id":2,"game_id":"e/0","seat":1,"options":{},"match":{},"time_ms":1000}
{"type":"move","id":3,"state":[5],"time_left_ms":1000,"opponent_time_left_ms":2000}
{"type":"game_over","result":0.5,"reason":"play"}
{"type":"quit"}
"#
    );
    assert_eq!(record.ended, Some(true));
}

#[test]
fn an_answer_at_the_limit_counts_and_one_after_it_does_not() {
    let (answer, bot) = ask(&[Act::Say(100, r#"{"type":"move","id":2}"#)]);
    assert!(answer.is_ok() && bot.overrun().is_none());
    let (answer, bot) = ask(&[Act::Say(101, r#"{"type":"move","id":2}"#)]);
    assert!(matches!(answer, Err(Fault::Timeout(_))), "{answer:?}");
    assert_eq!(bot.overrun(), Some(Duration::from_millis(1)));
    assert_eq!(bot.waited(), Duration::from_millis(100));
    assert!(!bot.spent(), "a bot that answered late can play on");
}

/// A bot that guesses the number of the next request wins no time by it.
#[test]
fn an_answer_given_before_the_question_does_not_count() {
    let early = Act::Early(r#"{"type":"move","id":2}"#);
    let (answer, _) = ask(std::slice::from_ref(&early));
    assert!(matches!(answer, Err(Fault::Timeout(_))), "{answer:?}");
    let (answer, bot) = ask(&[early, Act::Say(40, r#"{"type":"move","id":2}"#)]);
    assert!(answer.is_ok() && bot.waited() == Duration::from_millis(40));
}

#[test]
fn a_silent_bot_is_told_what_may_be_wrong() {
    let (answer, bot) = ask(&[]);
    let Err(Fault::Timeout(text)) = answer else { panic!("{answer:?}") };
    assert!(text.contains("7 bytes came without an end of line"), "{text}");
    assert!(text.contains("did you flush"), "{text}");
    assert!(bot.spent() && bot.overrun() == Some(OVERRUN));
}

#[test]
fn a_second_answer_is_a_fault_whenever_it_is_read() {
    let twice = Act::Say(0, r#"{"type":"move","id":2}"#);
    let (answer, mut bot) = ask(&[twice.clone(), twice]);
    assert!(answer.is_ok());
    let next = bot.ask(&1, Duration::from_millis(100), Duration::ZERO);
    assert!(matches!(&next, Err(Fault::Protocol(text)) if text.contains("twice")), "{next:?}");
    assert!(bot.spent());
}

#[test]
fn an_answer_to_a_request_never_made_is_dropped() {
    let (answer, _) = ask(&[Act::Say(0, r#"{"type":"move","id":99}"#)]);
    let Err(Fault::Timeout(text)) = answer else { panic!("{answer:?}") };
    assert!(text.contains("a reply to request 99 came, asked was 2"), "{text}");
    let (answer, _) =
        ask(&[Act::Say(0, r#"{"type":"move","id":99}"#), Act::Say(0, r#"{"type":"move","id":2}"#)]);
    assert!(answer.is_ok());
}

#[test]
fn faults_are_classed() {
    for (act, reason) in [
        (Act::Say(0, "thinking"), "protocol"),
        (Act::Say(0, r#"{"type":"ready","id":2}"#), "protocol"),
        (Act::Long(0), "protocol"),
        (Act::End(0), "crash"),
    ] {
        let (answer, mut bot) = ask(&[act]);
        assert_eq!(answer.expect_err("a fault").reason(), reason);
        let again = bot.ask(&1, Duration::from_secs(1), Duration::ZERO);
        assert_eq!(again.expect_err("spent").reason(), "crash");
    }
}

#[test]
fn chatter_without_end_is_cut_off() {
    let log: &'static str = Box::leak(
        format!("{{\"type\":\"log\",\"text\":\"{}\"}}", "x".repeat(MAX_LINE - 100))
            .into_boxed_str(),
    );
    let (answer, _) = ask(&vec![Act::Say(0, log); 6]);
    assert!(matches!(&answer, Err(Fault::Protocol(text)) if text.contains("without an answer")));
}

#[test]
fn a_bot_that_never_says_hello_times_out() {
    let (bot, record) = greet(&[Act::Say(2000, r#"{"type":"hello","id":1,"name":"late"}"#)]);
    assert!(matches!(bot.map(drop), Err(Fault::Timeout(_))));
    assert_eq!(record.lock().expect("unpoisoned").ended, Some(false));
    let (bot, _) = greet(&[Act::Say(0, r#"{"type":"hello","id":1}"#)]);
    assert!(matches!(bot.map(drop), Err(Fault::Protocol(text)) if text.contains("`name`")));
}
