//! The agents of chess pool by name.

use super::random::RandomAgent;
use super::search::SearchAgent;
use super::threshold::{Caution, ThresholdAgent};
use crate::player::Player;
use crate::roster::{Entry, Opt, Roster, TAU};
use crate::spec::{AgentSpec, SpecError};
use cuebench_engine::chess_pool::game::ChessPool;
use cuebench_engine::game::Seat;

const AIMED: Opt = Opt::new("aimed", "a share of aimed shots from 0 to 1", "0");
const SIGMA: Opt = Opt::new("sigma", "an aiming error from 0.001 to 90 degrees", "0.17");
const SIMS: Opt =
    Opt::new("sims", "simulations an answer, a whole number from 1 to 1000000", "400");

impl Roster for ChessPool {
    fn entries(&self) -> Vec<Entry> {
        vec![
            Entry::new("random", "any legal call and any stroke", &[AIMED]),
            Entry::new("threshold", "the likeliest capture or pot, by geometry", &[TAU, SIGMA]),
            Entry::new("search", "the best of the shots it simulates", &[SIMS]),
        ]
    }

    fn player(
        &self,
        spec: &AgentSpec,
        _: Seat,
        _: Option<&AgentSpec>,
    ) -> Result<Box<dyn Player<Self>>, SpecError> {
        let entry = self.entry(spec, &[])?;
        Ok(match entry.name.as_str() {
            "random" => {
                let aimed = AIMED.number(spec, [0.0, 1.0])?;
                Box::new(RandomAgent::new((aimed * 1000.0_f64).round() as u32))
            }
            "threshold" => {
                let threshold = TAU.number(spec, [0.0, 1.0])?;
                let sigma = SIGMA.number(spec, [0.001, 90.0_f64])?.to_radians();
                Box::new(ThresholdAgent::new(Caution { threshold, sigma }))
            }
            _ => Box::new(SearchAgent::new(SIMS.number(spec, [1, 1_000_000])?)),
        })
    }
}
