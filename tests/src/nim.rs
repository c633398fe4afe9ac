//! A toy game: single-pile Nim. It shows what a game needs to get every command: rules, how they are
//! written down, a roster, and one line in a registry.

use cuebench_agents::clock::Clock;
use cuebench_agents::external::protocol::Malformed;
use cuebench_agents::fault::Fault;
use cuebench_agents::player::{Player, Start};
use cuebench_agents::roster::{Entry, Roster};
use cuebench_agents::spec::{AgentSpec, SpecError};
use cuebench_agents::wire::{Misread, Wire};
use cuebench_engine::game::{Forfeit, Game, Refusal, Score, Seat, Seed, Turn, Verdict};
use cuebench_engine::rng::{Purpose, Rng, between, stream};
use cuebench_experiments::experiment::grid::Setting;
use cuebench_experiments::games::{Loaded, Playable};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Take one to three from the pile; who takes the last wins.
#[derive(Clone, Copy, Debug)]
pub struct Nim {
    /// What lies there at the start, before the seed adds up to three.
    pub pile: u32,
}

/// A game in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pile {
    left: u32,
    to_move: Seat,
    strokes: [u32; 2],
    broke_off: [bool; 2],
}

impl Game for Nim {
    type State = Pile;
    type View<'s> = Pile;
    type Action = u32;
    const NAME: &'static str = "nim";
    const ORDERS: u8 = 2;

    fn start(&self, seed: Seed) -> Pile {
        let more = between(&mut stream(seed.public, Purpose::Test, 0), 0, 3).unsigned_abs();
        Pile { left: self.pile + more, to_move: 0, strokes: [0; 2], broke_off: [false; 2] }
    }

    fn turn(&self, state: &Pile) -> Turn {
        let over = state.left == 0 || state.broke_off != [false; 2];
        if over { Turn::Over } else { Turn::Of(state.to_move) }
    }

    fn view<'s>(&'s self, state: &'s Pile, _: Seat) -> Pile {
        *state
    }

    fn play(&self, state: &mut Pile, seat: Seat, take: &u32, _: u64) -> Result<(), Refusal> {
        if !self.turn(state).allows(seat) {
            return Err(Refusal::Turn(seat));
        }
        if !(1..=3).contains(take) || *take > state.left {
            return Err(Refusal::Illegal(format!(
                "take {take}: 1 to 3, and {} lie there",
                state.left
            )));
        }
        state.left -= take;
        state.strokes[seat] += 1;
        state.to_move = 1 - seat;
        Ok(())
    }

    fn forfeit(&self, state: &mut Pile, seat: Seat, _: Forfeit, _: u64) {
        state.broke_off[seat & 1] = true;
    }

    fn verdict(&self, state: &Pile) -> Option<Verdict> {
        match (state.broke_off, state.left) {
            ([true, true], _) => Some(Verdict::new(None, "forfeit")),
            ([true, false], _) => Some(Verdict::new(Some(1), "forfeit")),
            ([false, true], _) => Some(Verdict::new(Some(0), "forfeit")),
            (_, 0) => Some(Verdict::new(Some(1 - state.to_move), "last")),
            _ => None,
        }
    }

    fn score(&self, state: &Pile, seat: Seat) -> Score {
        Score { score: None, strokes: state.strokes[seat & 1] }
    }

    fn to_bytes(&self, state: &Pile) -> Vec<u8> {
        serde_json::to_vec(state).unwrap_or_default()
    }

    fn restore(&self, bytes: &[u8]) -> Result<Pile, String> {
        let pile: Pile = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if pile.to_move > 1 { Err("a seat is 0 or 1".to_owned()) } else { Ok(pile) }
    }
}

impl Wire for Nim {
    fn published(&self) -> Value {
        json!({ "pile": self.pile })
    }

    fn public(&self) -> Value {
        json!({})
    }

    fn hidden(&self) -> &'static str {
        ""
    }

    fn read(&self, _: &Pile, reply: &Map<String, Value>) -> Result<u32, Misread> {
        let take =
            reply.get("take").ok_or(Malformed::Field { field: "take", expected: "number" })?;
        let number = take.as_u64().and_then(|take| u32::try_from(take).ok());
        number.ok_or_else(|| Misread::Value(format!("take {take}: a whole number")))
    }

    fn write(&self, _: &Pile, action: &u32, out: &mut String) {
        out.push_str(&action.to_string());
    }

    fn recorded(&self, _: &Pile, written: &Value) -> Result<u32, String> {
        serde_json::from_value(written.clone()).map_err(|error| error.to_string())
    }

    fn revealed(&self, _: &Pile, _: Seat) -> Map<String, Value> {
        Map::new()
    }
}

struct RandomTaker(Rng);

impl Player<Nim> for RandomTaker {
    fn new_game(&mut self, start: &Start<'_, Nim>) -> Result<(), Fault> {
        self.0 = stream(start.agent_seed, Purpose::Agent, start.seat as u64);
        Ok(())
    }

    fn choose(&mut self, _: &Nim, view: &Pile, _: Clock) -> Result<u32, Fault> {
        Ok(between(&mut self.0, 1, view.left.min(3) as i32).unsigned_abs())
    }
}

impl Roster for Nim {
    fn entries(&self) -> Vec<Entry> {
        vec![Entry::new("random", "any number that may be taken", &[])]
    }

    fn player(
        &self,
        spec: &AgentSpec,
        _: Seat,
        _: Option<&AgentSpec>,
    ) -> Result<Box<dyn Player<Self>>, SpecError> {
        self.entry(spec, &[])?;
        Ok(Box::new(RandomTaker(stream(0, Purpose::Agent, 0))))
    }
}

impl Playable for Nim {
    fn load(settings: &[Setting], _: &Path) -> anyhow::Result<Loaded<Self>> {
        let mut pile = 21;
        for Setting { name, value } in settings {
            anyhow::ensure!(name == "pile", "nim has no option `{name}`; it has: pile");
            pile = value.parse()?;
        }
        anyhow::ensure!((1..=1000).contains(&pile), "pile: 1 to 1000");
        Ok(Loaded { game: Self { pile }, sources: vec![] })
    }
}
