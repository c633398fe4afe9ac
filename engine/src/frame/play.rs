//! One frame, decision by decision.

use super::GameEnd;
use super::explore::{Drawn, Edge, Goal};
use super::game::Game;
use super::view::{ActionId, StateId, View};
use crate::bytes::Cursor;
use crate::game::{Forfeit, Refusal, SEATS, Score, Seat, Seed, Turn, Verdict};
use crate::rng::{Purpose, Rng, stream};
use rand::RngExt as _;

/// Decisions after which a frame that two seats never end is a draw.
pub const MAX_DECISIONS: u32 = 10_000;

/// A frame in progress, apart from its game. Its draws come from one generator.
#[derive(Clone, Debug)]
struct Progress {
    rng: Rng,
    at: Goal,
    shots: u64,
    drawn: Drawn,
    /// Draws so far: with the seed they tell where the generator stands.
    draws: u64,
}

impl Progress {
    /// Begins a frame: plays the opening up to the first choice.
    fn new(game: &Game, rng: Rng) -> Self {
        let (at, drawn) = (Goal::State(0), Drawn::NOTHING);
        let mut progress = Self { rng, at, shots: 0, drawn, draws: 0 };
        progress.restart(game);
        progress
    }

    fn restart(&mut self, game: &Game) {
        self.shots = 0;
        self.drawn = Drawn::NOTHING;
        self.go(&game.reached.start);
        self.pass(game);
    }

    fn apply(&mut self, game: &Game, action: ActionId) {
        if let Goal::State(state) = self.at {
            let options = &game.reached.states[state as usize].options;
            let (_, edges) = options.get(action.option()).unwrap_or(&options[0]);
            self.drawn = Drawn::NOTHING;
            self.go(edges);
            self.pass(game);
        }
    }

    /// One draw.
    fn go(&mut self, edges: &[Edge]) {
        let mut left: f64 = self.rng.random();
        self.draws += 1;
        // Rounding can leave a hair beyond the last edge: that one then.
        let mut taken = edges.last();
        for edge in edges {
            left -= edge.probability;
            if left < 0.0 {
                taken = Some(edge);
                break;
            }
        }
        if let Some(edge) = taken {
            self.at = edge.to;
            self.shots += u64::from(edge.shots);
            self.drawn = self.drawn.and(edge.drawn);
        }
    }

    /// Goes through states where only chance decides.
    fn pass(&mut self, game: &Game) {
        while let Goal::State(state) = self.at {
            let state = &game.reached.states[state as usize];
            if state.seat.is_some() {
                return;
            }
            self.go(&state.options[0].1);
        }
    }
}

/// A frame in progress with its game at hand, for those who draw frames themselves.
#[derive(Clone, Debug)]
pub struct FramePlay<'a> {
    game: &'a Game,
    progress: Progress,
}

impl<'a> FramePlay<'a> {
    /// Begins a frame: plays the opening up to the first choice.
    #[must_use]
    pub fn new(game: &'a Game, rng: Rng) -> Self {
        Self { game, progress: Progress::new(game, rng) }
    }

    /// Begins another frame, with further draws of the same generator.
    pub fn restart(&mut self) {
        self.progress.restart(self.game);
    }

    /// What the seat whose choice it is sees; nothing once the frame is over.
    #[must_use]
    pub const fn view(&self) -> Option<View<'a>> {
        match self.progress.at {
            Goal::State(state) => Some(View::new(self.game, StateId(state))),
            Goal::End(_) => None,
        }
    }

    /// Takes an open action and plays on to the next choice. An action that is not open counts
    /// as the first one that is: agents name actions through [`View`], which knows them.
    pub fn apply(&mut self, action: ActionId) {
        self.progress.apply(self.game, action);
    }

    /// How the frame ended, once it is over.
    #[must_use]
    pub fn result(&self) -> Option<&'a GameEnd> {
        match self.progress.at {
            Goal::State(_) => None,
            Goal::End(end) => self.game.reached.ends.get(end as usize),
        }
    }

    /// Shots so far, the break not counted.
    #[must_use]
    pub const fn shots(&self) -> u64 {
        self.progress.shots
    }

    /// Model and outcome of the last draw (the opening's at first), in a game from
    /// [`Game::compile_recording`]; nothing if none or several were drawn since the last choice.
    #[must_use]
    pub fn drawn(&self) -> Option<(&'a str, &'a str)> {
        self.game.outcome(self.progress.drawn)
    }
}

/// A frame between two seats.
#[derive(Clone, Debug)]
pub struct FrameState {
    /// What the draws follow from.
    seed: u64,
    progress: Progress,
    /// The state of the last choice.
    last: u32,
    strokes: [u32; SEATS],
    decisions: u32,
    broke_off: [bool; SEATS],
}

impl FrameState {
    /// Which of [`Game::ends`] the frame came to by play, if it did.
    #[must_use]
    pub const fn end_index(&self) -> Option<usize> {
        match self.progress.at {
            Goal::State(_) => None,
            Goal::End(end) => Some(end as usize),
        }
    }

    /// Shots so far, the break not counted.
    #[must_use]
    pub const fn shots(&self) -> u64 {
        self.progress.shots
    }

    /// How the frame ended by play, if it did.
    fn end<'a>(&self, game: &'a Game) -> Option<&'a GameEnd> {
        match self.progress.at {
            Goal::State(_) => None,
            Goal::End(end) => game.reached.ends.get(end as usize),
        }
    }

    /// Model and outcome of the last draw, as in [`FramePlay::drawn`].
    #[must_use]
    pub fn drawn<'a>(&self, game: &'a Game) -> Option<(&'a str, &'a str)> {
        game.outcome(self.progress.drawn)
    }

    fn note_choice(&mut self) {
        if let Goal::State(state) = self.progress.at {
            self.last = state;
        }
    }
}

impl crate::game::Game for Game {
    type State = FrameState;
    type View<'s> = View<'s>;
    type Action = ActionId;

    const NAME: &'static str = "frame";
    const ORDERS: u8 = 2;

    fn start(&self, seed: Seed) -> FrameState {
        let seed = seed.hidden;
        let mut state = FrameState {
            seed,
            progress: Progress::new(self, stream(seed, Purpose::Frames, 0)),
            last: 0,
            strokes: [0; SEATS],
            decisions: 0,
            broke_off: [false; SEATS],
        };
        state.note_choice();
        state
    }

    fn turn(&self, state: &FrameState) -> Turn {
        let over = state.broke_off != [false; SEATS] || state.decisions >= MAX_DECISIONS;
        match state.progress.at {
            Goal::State(id) if !over => {
                let seat = self.reached.states[id as usize].seat.map_or(0, Seat::from);
                Turn::Of(seat.min(SEATS - 1))
            }
            _ => Turn::Over,
        }
    }

    /// The public state; once the frame is over, that of the last choice.
    fn view<'s>(&'s self, state: &'s FrameState, _seat: Seat) -> View<'s> {
        View::new(self, StateId(state.last))
    }

    fn play(
        &self,
        state: &mut FrameState,
        seat: Seat,
        action: &ActionId,
        _time_ms: u64,
    ) -> Result<(), Refusal> {
        if !self.turn(state).allows(seat) {
            return Err(Refusal::Turn(seat));
        }
        let open = self.reached.states[state.last as usize].options.len();
        if action.option() >= open {
            return Err(Refusal::Illegal(format!("action {}: {open} are open", action.option())));
        }
        let before = state.progress.shots;
        state.progress.apply(self, *action);
        state.note_choice();
        let shots = u32::try_from(state.progress.shots - before).unwrap_or(u32::MAX);
        state.strokes[seat] = state.strokes[seat].saturating_add(shots);
        state.decisions += 1;
        Ok(())
    }

    /// Every fault loses; with two of them nobody wins.
    fn forfeit(&self, state: &mut FrameState, seat: Seat, _why: Forfeit, _time_ms: u64) {
        state.broke_off[seat & 1] = true;
    }

    fn verdict(&self, state: &FrameState) -> Option<Verdict> {
        match (state.broke_off, state.end(self)) {
            ([true, true], _) => Some(Verdict::new(None, "forfeit")),
            ([true, false], _) => Some(Verdict::new(Some(1), "forfeit")),
            ([false, true], _) => Some(Verdict::new(Some(0), "forfeit")),
            (_, Some(end)) => Some(Verdict::new(end.winner.map(Seat::from), &end.reason)),
            (_, None) if state.decisions >= MAX_DECISIONS => Some(Verdict::new(None, "unfinished")),
            (_, None) => None,
        }
    }

    /// The score is 1 for the winner and 0 for the other seat.
    fn score(&self, state: &FrameState, seat: Seat) -> Score {
        let score = self.verdict(state).map(|verdict| i32::from(verdict.winner == Some(seat)));
        Score { score, strokes: state.strokes[seat & 1] }
    }

    fn to_bytes(&self, state: &FrameState) -> Vec<u8> {
        let FrameState { seed, progress, last, strokes, decisions, broke_off } = state;
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        out.extend((self.reached.states.len() as u32).to_le_bytes());
        let (over, at) = match progress.at {
            Goal::State(id) => (0, id),
            Goal::End(id) => (1, id),
        };
        out.push(over);
        for word in [at, *last, strokes[0], strokes[1], *decisions] {
            out.extend(word.to_le_bytes());
        }
        for word in [*seed, progress.draws, progress.shots] {
            out.extend(word.to_le_bytes());
        }
        out.extend(broke_off.map(u8::from));
        out
    }

    fn restore(&self, bytes: &[u8]) -> Result<FrameState, String> {
        let mut cursor = Cursor::open("frame", bytes, MAGIC, VERSION)?;
        let states = self.reached.states.len();
        if cursor.u32()? as usize != states {
            return Err("frame: the bytes are of a frame of another definition".to_owned());
        }
        let over = cursor.flag("whether the frame is over")?;
        let (at, last) = (cursor.u32()?, cursor.u32()?);
        let choice = |id: u32| {
            self.reached.states.get(id as usize).is_some_and(|state| state.seat.is_some())
        };
        let there = if over { (at as usize) < self.reached.ends.len() } else { choice(at) };
        if !there || !(choice(last) || over) || last as usize >= states.max(1) {
            return Err(cursor.no_meaning("the state"));
        }
        let strokes = [cursor.u32()?, cursor.u32()?];
        let decisions = cursor.u32()?;
        let (seed, draws, shots) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
        if decisions > MAX_DECISIONS || draws > MAX_DRAWS {
            return Err(cursor.no_meaning("the draws"));
        }
        let broke_off = [cursor.flag("a forfeit")?, cursor.flag("a forfeit")?];
        cursor.end()?;
        let mut rng = stream(seed, Purpose::Frames, 0);
        for _ in 0..draws {
            let _: f64 = rng.random();
        }
        let at = if over { Goal::End(at) } else { Goal::State(at) };
        let progress = Progress { rng, at, shots, drawn: Drawn::NOTHING, draws };
        Ok(FrameState { seed, progress, last, strokes, decisions, broke_off })
    }
}

const MAGIC: &[u8] = b"cueframe";
const VERSION: u8 = 1;
/// More draws than this are taken for damage: no frame of [`MAX_DECISIONS`] has as many.
const MAX_DRAWS: u64 = 100 * MAX_DECISIONS as u64;
