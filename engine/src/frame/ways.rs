//! A compiled game as a table of ways from choice to choice, and the same game under other numbers:
//! what changes only chances need not be explored again.

use super::GameEnd;
use super::definition::{Definition, SEATS};
use super::error::FrameError;
use super::explore::{Edge, Goal};
use super::expression::evaluate;
use super::game::Game;
use super::policy::{Choice, Policy};
use super::program::{Code, Program, Ref};
use super::value::Value;
use super::view::{StateEnv, StateId, View};
use std::collections::HashMap;

/// Where a way leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Onward<'a> {
    /// To a state.
    State(StateId),
    /// To the end of the frame.
    End(&'a GameEnd),
}

/// One way on from an option of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way<'a> {
    /// Its probability.
    pub probability: f64,
    /// Where it leads.
    pub to: Onward<'a>,
    /// Model and outcome drawn on it, in a game from [`Game::compile_recording`]; nothing if none or
    /// several were.
    pub drawn: Option<(&'a str, &'a str)>,
}

/// What an agent of the definition does, asked state by state for any skills.
#[derive(Clone, Debug)]
pub struct Rule {
    agent: String,
    code: Code,
    /// The game's, with the definition's derived values.
    program: Program,
    /// The slot of seat 0's skill, that of seat 1 behind it.
    skills: Option<usize>,
}

impl Game {
    /// How many states there are, those where only chance decides included: [`StateId::index`]
    /// counts up to it.
    #[must_use]
    pub fn places(&self) -> usize {
        self.reached.states.len()
    }

    /// The seat that chooses at each state; none where only chance decides.
    pub fn seats(&self) -> impl Iterator<Item = Option<usize>> {
        self.reached.states.iter().map(|state| state.seat.map(usize::from))
    }

    /// The view of a state where a seat chooses.
    #[must_use]
    pub const fn view_at(&self, state: StateId) -> View<'_> {
        View::new(self, state)
    }

    /// A policy from the chance of each open action at each state of `seat`, in their order. Where
    /// the chances sum to nothing the first action is taken.
    #[must_use]
    pub fn policy_mixed(&self, seat: usize, chances: impl Fn(&View<'_>) -> Vec<f64>) -> Policy {
        let mut policy = Policy::first(&self.reached.states);
        for view in self.views().filter(|view| view.seat() == seat) {
            let mut chances = chances(&view);
            chances.resize(view.action_count(), 0.0);
            let sum: f64 = chances.iter().sum();
            if sum > 0.0 {
                chances.iter_mut().for_each(|chance| *chance /= sum);
                policy.choices[view.state().index()] = Choice::Mixed(chances.into());
            }
        }
        policy
    }

    /// `policy` with the chance `explore` of any open action in its place.
    #[must_use]
    pub fn explored(&self, policy: &Policy, explore: f64) -> Policy {
        if explore <= 0.0 {
            return policy.clone();
        }
        let choices = self.reached.states.iter().zip(&policy.choices).map(|(state, choice)| {
            let n = state.options.len();
            let kept = |option: usize| match choice {
                Choice::Pure(taken) => f64::from(u8::from(option == *taken)),
                Choice::Mixed(weights) => weights[option],
            };
            let chance = |option| explore / n as f64 + (1.0 - explore) * kept(option);
            if n == 1 { Choice::Pure(0) } else { Choice::Mixed((0..n).map(chance).collect()) }
        });
        Policy { choices: choices.collect() }
    }

    /// The ways from the start of a frame to its first choice.
    #[must_use]
    pub fn opening(&self) -> Vec<Way<'_>> {
        self.reached.start.iter().map(|edge| self.way(edge)).collect()
    }

    /// The ways on from each option of the state at place `index`, in the order of
    /// [`super::View::actions`]; one option where only chance decides.
    #[must_use]
    pub fn ways(&self, index: usize) -> Vec<Vec<Way<'_>>> {
        let options = self.reached.states.get(index).map_or(&[][..], |state| &state.options);
        options.iter().map(|(_, row)| row.iter().map(|edge| self.way(edge)).collect()).collect()
    }

    fn way(&self, edge: &Edge) -> Way<'_> {
        let to = match edge.to {
            Goal::State(state) => Onward::State(StateId(state)),
            Goal::End(end) => Onward::End(&self.reached.ends[end as usize]),
        };
        Way { probability: edge.probability, to, drawn: self.outcome(edge.drawn) }
    }

    /// The same states under the numbers of `definition`, which differs from this game's in
    /// numbers alone. `chance` gives the probability of an outcome of a model drawn at a state (none
    /// at the start). Outcomes that the states before could not draw stay impossible.
    #[must_use]
    pub fn repriced(
        &self,
        definition: &Definition,
        chance: impl Fn(Option<StateId>, &str, &str) -> f64,
    ) -> Self {
        let mut game = self.clone();
        game.definition = definition.clone();
        // Derived values hold the numbers of the constants that they read.
        if let Ok(program) = Program::build(definition) {
            game.program.derived = program.derived;
        }
        let skills = self.skill_slots().zip(skills_of(definition));
        game.reached.start = self.priced(&self.reached.start, |m, o| chance(None, m, o));
        for (i, state) in game.reached.states.iter_mut().enumerate() {
            for (_, row) in &mut state.options {
                *row = self.priced(row, |m, o| chance(Some(StateId(i as u32)), m, o));
            }
            if let Some((first, values)) = &skills {
                let mut slots = state.slots.to_vec();
                for (slot, value) in slots[*first..].iter_mut().zip(values) {
                    if *slot != Value::None {
                        *slot = Value::Real(*value);
                    }
                }
                state.slots = slots.into();
            }
        }
        game
    }

    /// Edges with other chances: those of one outcome keep their proportions.
    fn priced(&self, row: &[Edge], chance: impl Fn(&str, &str) -> f64) -> Vec<Edge> {
        let mut sums: HashMap<super::explore::Drawn, f64> = HashMap::new();
        for edge in row {
            *sums.entry(edge.drawn).or_default() += edge.probability;
        }
        row.iter()
            .map(|edge| {
                let Some((model, outcome)) = self.outcome(edge.drawn) else { return *edge };
                let share = edge.probability / sums[&edge.drawn];
                Edge { probability: share * chance(model, outcome), ..*edge }
            })
            .filter(|edge| edge.probability > 0.0)
            .collect()
    }

    /// The first of the slots that hold the skills of the seats.
    fn skill_slots(&self) -> Option<usize> {
        let found = self.program.variables.iter().find(|(name, _)| &**name == "skill");
        found.and_then(|(_, reference)| match reference {
            Ref::Seats(first) => Some(*first),
            _ => None,
        })
    }

    /// The rule of an agent of `definition`, which differs from this game's in numbers alone;
    /// `constants` as in [`Game::policy`].
    ///
    /// # Errors
    /// When there is no such agent, policy or constant.
    pub fn rule(
        &self,
        definition: &Definition,
        agent: &str,
        constants: &[(String, f64)],
    ) -> Result<Rule, FrameError> {
        let code = Self::policy_code(definition, agent, constants)?;
        let derived = Program::build(definition)?.derived;
        let program = Program { derived, ..self.program.clone() };
        Ok(Rule { agent: agent.to_owned(), code, program, skills: self.skill_slots() })
    }

    /// The option that `rule` takes at a state when the seats have `skills`.
    ///
    /// # Errors
    /// When the rule fails or names an action that is not open.
    pub fn follow(
        &self,
        rule: &Rule,
        state: StateId,
        skills: [f64; SEATS],
    ) -> Result<usize, FrameError> {
        let mut slots = self.reached.states[state.index()].slots.to_vec();
        if let Some(first) = rule.skills {
            for (slot, skill) in slots[first..].iter_mut().zip(skills) {
                *slot = Value::Real(skill);
            }
        }
        let env = StateEnv { program: &rule.program, slots: &slots };
        self.chosen(&rule.agent, rule.code.at, evaluate(&rule.code.expr, &env), state.index())
    }
}

/// The skills that a definition gives its seats.
fn skills_of(definition: &Definition) -> Option<[f64; SEATS]> {
    let parameters = definition.parameters();
    let skill = |seat: usize| {
        let name = format!("skill[{seat}]");
        parameters.iter().find(|parameter| parameter.name == name)?.value.number()
    };
    Some([skill(0)?, skill(1)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(skills: [f64; 2], easy: f64) -> Definition {
        let mut definition = Definition::parse(Definition::SHIPPED).expect("shipped");
        for (seat, skill) in skills.iter().enumerate() {
            definition.set_number(&format!("skill[{seat}]"), *skill).expect("a skill");
        }
        definition.set_number("D.easy", easy).expect("a difficulty");
        definition
    }

    /// Chances of a game laid out anew, by state and outcome.
    #[test]
    fn a_repriced_game_is_the_game_laid_out_anew() {
        let base = Game::compile_recording(&definition([2.0, 2.0], 0.0)).expect("a game");
        let other = definition([2.6, 1.1], 0.4);
        let anew = Game::compile_recording(&other).expect("a game");
        let chance = |state: Option<StateId>, model: &str, outcome: &str| {
            let rows = match state {
                None => vec![anew.opening()],
                Some(state) => anew.ways(state.index()),
            };
            let drawn = |way: &&Way<'_>| way.drawn == Some((model, outcome));
            rows.iter().map(|r| r.iter().filter(drawn).map(|w| w.probability).sum::<f64>()).sum()
        };
        let repriced = base.repriced(&other, chance);
        let solve = |game: &Game| {
            let policies = [0, 1].map(|seat| game.policy("threshold", &[], seat).expect("policy"));
            game.solve([&policies[0], &policies[1]]).expect("solved")
        };
        let (a, b) = (solve(&repriced), solve(&anew));
        assert!((a.p0_win - b.p0_win).abs() < 1e-12, "{} {}", a.p0_win, b.p0_win);
        assert!((a.mean_shots - b.mean_shots).abs() < 1e-9);
        let rule = base.rule(&other, "threshold", &[]).expect("a rule");
        for seat in [0, 1] {
            let policy = anew.policy("threshold", &[], seat).expect("a policy");
            for view in anew.views().filter(|view| view.seat() == seat) {
                let option = base.follow(&rule, view.state(), [2.6, 1.1]).expect("an option");
                assert_eq!(view.action_at(option), policy.pure_action(&view));
            }
        }
    }
}
