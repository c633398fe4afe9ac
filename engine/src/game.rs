//! What a game is: the one description that referees, rollouts, searches, replays and
//! environments build on.
//!
//! A game is its [`Seed`] and its actions: [`Game::start`] makes a state from a seed, and
//! [`Game::play`] moves it on. Chance (the outcomes of a frame, aiming noise) is drawn inside
//! `play` from the state's own stream, so the same seed and the same actions always give the same
//! state, bit for bit. A record of a game is therefore (game, options, seed, actions).

use crate::rng::{Purpose, salted, stream};
use rand::Rng as _;
use serde::{Deserialize, Serialize};

/// A place at the table: 0 or 1.
pub type Seat = usize;

/// Seats of a match.
pub const SEATS: usize = 2;

/// Where everything random about a game comes from.
///
/// What everybody may see (a layout, values that are known) follows from `public` alone. What is
/// hidden (hidden table values, aiming noise, the draws of a frame) follows from `hidden`, so that
/// nobody can find it from a layout he sees when the event keeps a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Seed {
    /// The seed that is published with the game.
    pub public: u64,
    /// The seed of what is hidden; equal to `public` where no secret is kept.
    pub hidden: u64,
}

impl Seed {
    /// The seed of a game without a secret.
    #[must_use]
    pub const fn open(public: u64) -> Self {
        Self { public, hidden: public }
    }

    /// The seed of a game whose hidden part also takes a secret salt, if there is one.
    #[must_use]
    pub fn salted(public: u64, salt: Option<u128>) -> Self {
        Self { public, hidden: salted(public, salt) }
    }

    /// The seed of the players' own draws, the one rule for every game and every command: a
    /// function of the public seed alone and the same for both seats. A player that must differ
    /// from its opponent draws from the stream of its seat's index under it.
    #[must_use]
    pub fn of_players(self) -> u64 {
        stream(self.public, Purpose::Agent, 0).next_u64()
    }
}

/// Who may act now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// One seat.
    Of(Seat),
    /// Every seat that is marked: the seats do not touch each other, so they may act in any order
    /// or at the same time.
    Each([bool; SEATS]),
    /// Nobody: the game has ended.
    Over,
}

impl Turn {
    /// Whether `seat` may act.
    #[must_use]
    pub const fn allows(self, seat: Seat) -> bool {
        match self {
            Self::Of(of) => of == seat,
            Self::Each(open) => seat < SEATS && open[seat],
            Self::Over => false,
        }
    }
}

/// Why an action was refused. The state is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is not this seat's turn, or the game is over.
    #[error("it is not the turn of seat {0}")]
    Turn(Seat),
    /// The rules do not allow it; the text says what they allow.
    #[error("{0}")]
    Illegal(String),
    /// The game itself could not go on: a defect, never the player's fault.
    #[error("{0}")]
    Defect(String),
}

/// How a seat broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Forfeit {
    /// Its time ran out.
    Timeout,
    /// It ended, or did what the game does not allow.
    Fault,
}

impl Forfeit {
    /// Its name, as records write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Fault => "fault",
        }
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The seat that won; `None` for a draw.
    pub winner: Option<Seat>,
    /// The word for what decided, as in the column `decided_by`.
    pub decided_by: String,
}

impl Verdict {
    /// A verdict for `winner`, decided by `word`.
    #[must_use]
    pub fn new(winner: Option<Seat>, word: &str) -> Self {
        Self { winner, decided_by: word.to_owned() }
    }

    /// The points of a seat: 1, 0.5 or 0.
    #[must_use]
    pub fn points(&self, seat: Seat) -> f64 {
        self.winner.map_or(0.5, |winner| f64::from(u8::from(winner == seat)))
    }
}

/// What a seat has to show for a game so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Its score in the game's own points; `None` where the game has none yet.
    pub score: Option<i32>,
    /// Its strokes or decisions that cost a shot.
    pub strokes: u32,
}

/// A game: rules only. Every method is a pure function of its arguments.
pub trait Game: Sync + Sized {
    /// Everything about a game in progress, hidden values too.
    type State: Clone + Send + Sync;
    /// What one seat may know; as JSON it is the `state` that bots are sent.
    type View<'s>: Serialize
    where
        Self: 's;
    /// What a seat does when it is asked.
    type Action: Clone + Send + Sync;

    /// The game's name in files, in the protocol and on the command line.
    const NAME: &'static str;
    /// Games that a fair pairing plays on each seed: 2 where it matters who sits in seat 0, else 1.
    const ORDERS: u8;

    /// The state at the start of the game with `seed`.
    fn start(&self, seed: Seed) -> Self::State;

    /// Who may act.
    fn turn(&self, state: &Self::State) -> Turn;

    /// What `seat` sees.
    fn view<'s>(&'s self, state: &'s Self::State, seat: Seat) -> Self::View<'s>;

    /// Plays an action of `seat`. `time_ms` is what its clock shows after the answer, milliseconds
    /// from its start; 0 where thinking is free. Games that do not decide by time ignore it.
    ///
    /// # Errors
    /// [`Refusal`], with the state as it was.
    fn play(
        &self,
        state: &mut Self::State,
        seat: Seat,
        action: &Self::Action,
        time_ms: u64,
    ) -> Result<(), Refusal>;

    /// `seat` breaks off; what that means is the game's own rule. `time_ms` is its clock, as in
    /// [`Self::play`].
    fn forfeit(&self, state: &mut Self::State, seat: Seat, why: Forfeit, time_ms: u64);

    /// How the game ended; `None` while it goes on.
    fn verdict(&self, state: &Self::State) -> Option<Verdict>;

    /// What `seat` has to show so far.
    fn score(&self, state: &Self::State, seat: Seat) -> Score;

    /// A hash of all that `seat` did in a game whose seats do not touch each other: two games
    /// with equal hashes are the same game. `None` for other games.
    fn digest(&self, _state: &Self::State, _seat: Seat) -> Option<u64> {
        None
    }

    /// For games with [`Turn::Each`], played in two copies: the state in which each seat's part is
    /// that of its own copy.
    fn join(&self, own: [Self::State; SEATS]) -> Self::State {
        let [first, _] = own;
        first
    }

    /// The state as versioned bytes. They hold the hidden values: they are for the harness, not
    /// for players.
    fn to_bytes(&self, state: &Self::State) -> Vec<u8>;

    /// The state that [`Self::to_bytes`] wrote for the same game.
    ///
    /// # Errors
    /// A sentence that says what is wrong, for bytes of another game or version, cut, too long or
    /// of a state that the rules cannot reach.
    fn restore(&self, bytes: &[u8]) -> Result<Self::State, String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_salt_reaches_only_what_is_hidden() {
        assert_eq!(Seed::open(5), Seed::salted(5, None));
        let secret = Seed::salted(5, Some(9));
        assert_eq!((secret.public, secret.of_players()), (5, Seed::open(5).of_players()));
        assert_ne!(secret.hidden, 5);
    }

    #[test]
    fn points_follow_from_the_winner() {
        let won = Verdict::new(Some(1), "score");
        assert_eq!([won.points(0), won.points(1)], [0.0, 1.0]);
        assert_eq!(Verdict::new(None, "draw").points(0), 0.5);
    }
}
