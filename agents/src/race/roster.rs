//! The agents of the race by name.

use super::first_hit::FirstHit;
use super::random::RandomAgent;
use super::search::{SearchAgent, Thinking};
use super::threshold::Threshold;
use crate::player::Player;
use crate::roster::{Entry, MAX_SIMS, Opt, Roster, TAU};
use crate::spec::{AgentSpec, SpecError};
use cuebench_engine::game::Seat;
use cuebench_engine::snooker::Race;
use cuebench_engine::units::MAX_POWER;

const POWER: &str = "a power from 1 to 1000";
const MIN_POWER: Opt = Opt::new("min_power", POWER, "1");
const MAX_POWER_OPT: Opt = Opt::new("max_power", POWER, "1000");
const ONE_POWER: Opt = Opt::new("power", POWER, "300");
const SIGMA: Opt = Opt::new("sigma", "an aiming error from 0 to 90 degrees", "0.05");
const SIMS: Opt =
    Opt::new("sims", "a number of simulations a stroke from 1 to 1000000000", "100000");
const SECONDS: Opt =
    Opt::new("seconds", "a number of seconds for the whole table from 0.001 to 3600", "1");
const SEARCH: &[Opt] = &[SIMS, SECONDS];

impl Roster for Race {
    fn entries(&self) -> Vec<Entry> {
        vec![
            Entry::new("random", "any angle and any power", &[MIN_POWER, MAX_POWER_OPT]),
            Entry::new(
                "first_hit",
                "the first legal contact that a simulation finds",
                &[ONE_POWER],
            ),
            Entry::new(
                "threshold",
                "the easiest pot by geometry, else a safe contact",
                &[TAU, SIGMA],
            ),
            Entry::new(
                "search",
                "simulates whole clearances, over a belief on hidden tables",
                SEARCH,
            ),
            Entry::new("oracle_search", "`search` that is told what is hidden: a bound", SEARCH),
            Entry::new(
                "learned",
                "two small networks guide the search; `hip` does without it, a word that is no \
                 option is a file of weights",
                super::learned::OPTIONS,
            ),
        ]
    }

    fn player(
        &self,
        spec: &AgentSpec,
        _: Seat,
        _: Option<&AgentSpec>,
    ) -> Result<Box<dyn Player<Self>>, SpecError> {
        let entry = match spec.name.as_str() {
            "learned" => return Ok(Box::new(super::learned::learned(self, spec)?)),
            _ => self.entry(spec, &[])?,
        };
        Ok(match entry.name.as_str() {
            "random" => {
                let range = [1, MAX_POWER];
                let low: u32 = MIN_POWER.number(spec, range)?;
                let high = MAX_POWER_OPT.number(spec, range)?;
                if low > high {
                    return Err(spec.bad_value("min_power", &low.to_string(), "at most max_power"));
                }
                Box::new(RandomAgent::new([low, high]))
            }
            "first_hit" => Box::new(FirstHit::new(ONE_POWER.number(spec, [1, MAX_POWER])?)),
            "threshold" => {
                let tau = TAU.number(spec, [0.0, 1.0])?;
                Box::new(Threshold::new(tau, SIGMA.number(spec, [0.0, 90.0])?))
            }
            name => Box::new(SearchAgent::new(thinking(spec)?, name == "oracle_search")),
        })
    }
}

fn thinking(spec: &AgentSpec) -> Result<Thinking, SpecError> {
    let given = |key: &str| spec.options.iter().any(|(k, _)| k == key);
    if given("sims") && given("seconds") {
        return Err(SpecError::Unusable {
            agent: spec.to_string(),
            reason: "give either sims (a stroke) or seconds (a table), not both".to_owned(),
        });
    }
    Ok(if given("seconds") {
        Thinking::Seconds(SECONDS.number(spec, [0.001, 3600.0])?)
    } else {
        Thinking::Sims(SIMS.number(spec, [1, MAX_SIMS])?)
    })
}
