//! Shots as people write them: `O-1-12, 12>tr`.
//!
//! `O` is the cue ball. `a-b`: `a`, in motion, met `b`, which was at rest; `a=b`: both were in
//! motion. A ball that goes on to meet the next is written once (`O-1-12`), strings are separated
//! by commas, and `b>tr` is a fall into the pocket of that code. What happened stands in order of
//! time.

use super::piece::{Ball, BallSet};
use crate::shot::Outcome;
use crate::table::Pocket;
use std::fmt::Write as _;

/// The greatest number of contacts and falls that are read from one text.
const MAX_EVENTS: usize = 10_000;

/// What a text says of a shot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Collisions of two balls in order of time.
    pub contacts: Vec<[Ball; 2]>,
    /// Balls pocketed in order of time, and where.
    pub falls: Vec<(Ball, Pocket)>,
}

/// Why a text is no record of a shot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// Neither a string of collisions nor a fall.
    #[error("`{0}` is neither collisions like O-1-12 or 1=9 nor a fall like 12>tr")]
    Event(String),
    /// A word that is no ball.
    #[error("`{0}` is no ball; the balls are O, 1, 2, 3, 4, 8, 9, 10, 11 and 12")]
    Ball(String),
    /// A word that is no pocket.
    #[error("`{0}` is no pocket; the pockets are bl, bm, br, tl, tm and tr")]
    Pocket(String),
    /// A sign that says otherwise of a ball's rest than what stands before it.
    #[error("`{collision}`: {ball} was {}", if *.moved { "in motion already; write =" } else { "at rest; write - with it on the right" })]
    Rest {
        /// The collision as written.
        collision: String,
        /// The ball.
        ball: Ball,
        /// Whether it had been in a collision before.
        moved: bool,
    },
    /// A ball that takes part in something after it fell.
    #[error("`{event}`: {ball} was pocketed before")]
    Fallen {
        /// The event as written.
        event: String,
        /// The ball.
        ball: Ball,
    },
    /// A fall of a ball that nothing has set in motion.
    #[error("`{event}`: nothing set {ball} in motion before it fell")]
    FallAtRest {
        /// The event as written.
        event: String,
        /// The ball.
        ball: Ball,
    },
    /// More than any shot has.
    #[error("more than {MAX_EVENTS} collisions and falls")]
    TooLong,
}

/// One collision or fall.
#[derive(Clone, Copy)]
enum Event {
    Contact([Ball; 2]),
    Fall(Ball, Pocket),
}

/// A simulated shot as people write it; `no contact` if nothing happened.
#[must_use]
pub fn of_outcome(outcome: &Outcome) -> String {
    let contacts = outcome.collisions.iter().filter_map(|collision| {
        let balls = [Ball::in_slot(collision.a)?, Ball::in_slot(collision.b)?];
        Some((collision.time_ns, Event::Contact(balls)))
    });
    let falls = outcome.falls.iter().filter_map(|fall| {
        Some((fall.time_ns, Event::Fall(Ball::in_slot(fall.ball)?, fall.pocket)))
    });
    let mut events: Vec<(u64, Event)> = contacts.chain(falls).collect();
    events.sort_by_key(|(time_ns, _)| *time_ns);
    write(events.into_iter().map(|(_, event)| event))
}

/// A record as people write it: the collisions, then the falls.
#[must_use]
pub fn of_notes(notes: &Notes) -> String {
    let contacts = notes.contacts.iter().map(|&balls| Event::Contact(balls));
    let falls = notes.falls.iter().map(|&(ball, pocket)| Event::Fall(ball, pocket));
    write(contacts.chain(falls))
}

fn write(events: impl Iterator<Item = Event>) -> String {
    let mut text = String::new();
    let mut moving = BallSet::EMPTY.with(Ball::CUE);
    // The ball at the end of an open string of collisions.
    let mut last: Option<Ball> = None;
    for event in events {
        let (from, rest) = match event {
            Event::Fall(ball, pocket) => (ball, format!(">{pocket}")),
            Event::Contact([a, b]) => {
                let (from, to) = if moving.contains(a) { (a, b) } else { (b, a) };
                let both = moving.contains(to);
                // Of two in motion, the one that the string ends with goes first.
                let (from, to) = if both && last == Some(to) { (to, from) } else { (from, to) };
                (from, format!("{}{}", if both { '=' } else { '-' }, name(to)))
            }
        };
        let is_fall = matches!(event, Event::Fall(..));
        if is_fall || last != Some(from) {
            let gap = if text.is_empty() { "" } else { ", " };
            // Writing to a String cannot fail.
            let _ = write!(text, "{gap}{}", name(from));
        }
        text.push_str(&rest);
        last = None;
        if let Event::Contact([a, b]) = event {
            moving = moving.with(a).with(b);
            last = Some(if from == a { b } else { a });
        }
    }
    if text.is_empty() { "no contact".to_owned() } else { text }
}

fn name(ball: Ball) -> String {
    ball.number().map_or_else(|| "O".to_owned(), |number| number.to_string())
}

/// Reads a shot as people write it.
///
/// # Errors
/// Words that are no balls or pockets, and signs that contradict what stands before them.
pub fn parse(text: &str) -> Result<Notes, NotationError> {
    let mut notes = Notes::default();
    let mut moved = Moved { moving: BallSet::EMPTY.with(Ball::CUE), fallen: BallSet::EMPTY };
    let text = text.trim();
    if text == "no contact" {
        return Ok(notes);
    }
    for part in text.split(',').map(str::trim) {
        if notes.contacts.len() + notes.falls.len() >= MAX_EVENTS {
            return Err(NotationError::TooLong);
        }
        match part.split_once('>') {
            Some((ball, pocket)) => {
                let (ball, pocket) = (ball_named(ball.trim())?, pocket_named(pocket.trim())?);
                moved.fall(part, ball)?;
                notes.falls.push((ball, pocket));
            }
            None => collisions(part, &mut moved, &mut notes.contacts)?,
        }
    }
    Ok(notes)
}

/// Which balls have moved, and which have fallen, so far.
struct Moved {
    moving: BallSet,
    fallen: BallSet,
}

impl Moved {
    /// A ball takes part in `event`: it must still be on the table.
    fn takes_part(&self, event: &str, ball: Ball) -> Result<(), NotationError> {
        if self.fallen.contains(ball) {
            return Err(NotationError::Fallen { event: shortened(event), ball });
        }
        Ok(())
    }

    fn fall(&mut self, event: &str, ball: Ball) -> Result<(), NotationError> {
        self.takes_part(event, ball)?;
        if !self.moving.contains(ball) {
            return Err(NotationError::FallAtRest { event: shortened(event), ball });
        }
        self.fallen.insert(ball);
        Ok(())
    }
}

fn collisions(
    part: &str,
    moved: &mut Moved,
    contacts: &mut Vec<[Ball; 2]>,
) -> Result<(), NotationError> {
    let mut from: Option<Ball> = None;
    let mut rest = part;
    let mut sign = None;
    loop {
        let end = rest.find(['-', '=']).unwrap_or(rest.len());
        let ball = ball_named(rest[..end].trim())?;
        if let (Some(from), Some(sign)) = (from, sign) {
            moved.takes_part(part, from)?;
            moved.takes_part(part, ball)?;
            check_rest([from, ball], sign, moved.moving)?;
            contacts.push([from, ball]);
            if contacts.len() > MAX_EVENTS {
                return Err(NotationError::TooLong);
            }
            moved.moving = moved.moving.with(from).with(ball);
        }
        let Some(next) = rest[end..].chars().next() else { break };
        (from, sign, rest) = (Some(ball), Some(next), &rest[end + 1..]);
    }
    if sign.is_some() { Ok(()) } else { Err(NotationError::Event(shortened(part))) }
}

/// The ball on the left is in motion; the one on the right is at rest after `-`, not after `=`.
fn check_rest([from, to]: [Ball; 2], sign: char, moving: BallSet) -> Result<(), NotationError> {
    let wrong = if !moving.contains(from) {
        Some((from, false))
    } else if moving.contains(to) != (sign == '=') {
        Some((to, moving.contains(to)))
    } else {
        None
    };
    wrong.map_or(Ok(()), |(ball, moved)| {
        let collision = format!("{}{sign}{}", name(from), name(to));
        Err(NotationError::Rest { collision, ball, moved })
    })
}

fn ball_named(text: &str) -> Result<Ball, NotationError> {
    match text {
        "O" | "o" => Ok(Ball::CUE),
        "cue" => Err(NotationError::Ball(text.to_owned())),
        _ => text.parse().map_err(|_| NotationError::Ball(shortened(text))),
    }
}

fn pocket_named(text: &str) -> Result<Pocket, NotationError> {
    Pocket::ALL
        .into_iter()
        .find(|pocket| pocket.code() == text)
        .ok_or_else(|| NotationError::Pocket(shortened(text)))
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str) {
        let notes = parse(text).expect(text);
        assert_eq!(parse(&of_notes(&notes)).expect("as written"), notes, "{text}");
    }

    #[test]
    fn a_shot_reads_as_it_is_written() {
        let notes = parse("O-1-12, 12>tr").expect("a shot");
        let of = |number| Ball::numbered(number).expect("a ball");
        assert_eq!(notes.contacts, [[Ball::CUE, of(1)], [of(1), of(12)]]);
        assert_eq!(notes.falls, [(of(12), Pocket::TopRight)]);
        assert_eq!(of_notes(&notes), "O-1-12, 12>tr");
        for text in ["no contact", "O-1-12=O, 1-9", "O-1-9-10-11, O=9, O>bl, 10>tm", "O>tr"] {
            assert_eq!(of_notes(&parse(text).expect(text)), text);
            round_trip(text);
        }
    }

    #[test]
    fn signs_must_agree_with_what_stands_before() {
        for (text, part) in [
            ("1-12", "1 was at rest"),
            ("O-1, O-1", "1 was in motion already"),
            ("O=1", "1 was at rest"),
            ("O-1, 12=1", "12 was at rest"),
            ("O", "neither collisions"),
            ("", "is no ball"),
            ("O-5", "`5` is no ball"),
            ("O-1, 1>up", "`up` is no pocket"),
            ("O-1-", "is no ball"),
            ("O-1,,", "is no ball"),
            ("cue-1", "`cue` is no ball"),
            ("O-1, 1>tr, O=1", "1 was pocketed before"),
            ("O>tr, O>tr", "cue was pocketed before"),
            ("O-1, 9>tr", "nothing set 9 in motion"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert_eq!(parse(&format!("O-1{}", "=O=1".repeat(20_000))), Err(NotationError::TooLong));
    }
}
