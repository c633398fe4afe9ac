//! Best play where seats can wait for ever, which counts one half: games from public reports, and
//! random small ones against value iteration.

#![allow(clippy::unwrap_used, reason = "a test says what it needs by failing")]

use cuebench_engine::frame::{Definition, Exact, Game};
use cuebench_engine::rng::{Purpose, Rng, stream};
use cuebench_tests::{cuebench, workspace};
use rand::RngExt as _;
use serde_json::Value;
use std::fmt::Write as _;

fn solve(file: &str, agents: &str) -> Value {
    let path = workspace().join("tests/data/frames").join(file);
    let arguments = ["solve", "--agents", agents, "--json", "--definition"];
    let output = cuebench().args(arguments).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A waiting option worth 0.5 beats one worth 0.3, wherever it stands in `do:`.
#[test]
fn the_order_of_do_does_not_decide() {
    for file in ["wait_go.yaml", "wait_wait.yaml"] {
        for agents in ["best_response,waiter", "best_response,goer", "optimal,optimal"] {
            let exact = solve(file, agents);
            assert_eq!(exact["value"], 0.5, "{file} {agents}: {exact}");
            assert_eq!(exact["endless"], 1.0, "{file} {agents}");
            assert_eq!(exact["draw"], 1.0, "{file} {agents}");
            assert_eq!(exact["mean_shots"], Value::Null, "{file} {agents}");
        }
        assert_eq!(solve(file, "goer,waiter")["value"], 0.3, "{file}");
    }
}

/// One inning fewer than before where seat 1 breaks, and its own run-outs are the breaker's.
#[test]
fn innings_count_the_same_whoever_breaks() {
    let lag = solve("lag_for_break.yaml", "threshold,threshold");
    let seat0 = cuebench().args(["solve", "--json"]).output().unwrap();
    let seat0: Value = serde_json::from_slice(&seat0.stdout).unwrap();
    for key in ["mean_innings", "mean_shots", "break_and_run"] {
        let [a, b] = [&lag, &seat0].map(|exact| exact[key].as_f64().unwrap());
        assert!((a - b).abs() < 1e-12, "{key}: {a}, {b}");
    }
    assert!((lag["mean_innings"].as_f64().unwrap() - 16.696_102_822).abs() < 1e-8);
}

/// A random game: every state has a seat and two options, each a draw from a list.
struct Small {
    owners: Vec<usize>,
    options: [Vec<Vec<usize>>; 2],
}

/// Worth of the ends to seat 0, numbered from 100.
const ENDS: [f64; 3] = [1.0, 0.0, 0.5];
const FIRST_END: usize = 100;

impl Small {
    fn new(rng: &mut Rng) -> Self {
        let n = rng.random_range(2..=6);
        let goal = |rng: &mut Rng| {
            if rng.random_range(0..5) == 0 {
                FIRST_END + rng.random_range(0..ENDS.len())
            } else {
                rng.random_range(0..n)
            }
        };
        let row = |rng: &mut Rng| -> Vec<usize> {
            (0..rng.random_range(1..=3)).map(|_| goal(rng)).collect()
        };
        let owners = (0..n).map(|_| rng.random_range(0..2)).collect();
        let options = [0, 1].map(|_| (0..n).map(|_| row(rng)).collect());
        Self { owners, options }
    }

    fn definition(&self, order: &str) -> String {
        let mut text = String::from("game: small\nconstants:\n");
        let _ = writeln!(text, "  OWNER: {:?}", self.owners);
        for (name, rows) in ["A", "B"].iter().zip(&self.options) {
            let _ = writeln!(text, "  {name}: {rows:?}");
        }
        let _ = write!(
            text,
            "state:\n  vars: {{at: {{type: int, init: 0}}}}\nflow:\n  kind: loop\n  children:\n    \
             - {{kind: step, actor_x: 'OWNER[at]', do: [{order}]}}\nactions:\n"
        );
        for (action, rows) in [("a", "A"), ("b", "B")] {
            let _ = writeln!(
                text,
                "  {action}: {{effect: [{{op: roll, die_x: '{rows}[at]', bind: n}}, \
                 {{op: set, var: at, value_x: n}}]}}"
            );
        }
        text + "agents: {first: {policy_x: \"'a'\"}}\nend:\n  \
                - {id: won, if_x: at == 100, who_x: '0', result: win}\n  \
                - {id: lost, if_x: at == 101, who_x: '0', result: loss}\n  \
                - {id: drawn, if_x: at == 102, result: draw}\n"
    }

    /// The value of the start by value iteration on discounted games, taken to the limit: three
    /// discounts and the parabola through their values. `fixed` seat 1 plays `a` always.
    fn limit(&self, fixed: bool) -> f64 {
        let at = |epsilon: f64| self.discounted(epsilon, fixed);
        let (x, y, z) = (at(1e-3), at(5e-4), at(2.5e-4));
        (8.0 * z - 6.0 * y + x) / 3.0
    }

    fn discounted(&self, epsilon: f64, fixed: bool) -> f64 {
        let mut values = vec![0.0; self.owners.len()];
        loop {
            let ahead = |row: &Vec<usize>| -> f64 {
                let worth = |&to: &usize| match to.checked_sub(FIRST_END) {
                    Some(end) => ENDS[end] - 0.5,
                    None => values[to],
                };
                (1.0 - epsilon) * row.iter().map(worth).sum::<f64>() / row.len() as f64
            };
            let next: Vec<f64> = (0..self.owners.len())
                .map(|s| {
                    let [a, b] = [0, 1].map(|option| ahead(&self.options[option][s]));
                    match (self.owners[s], fixed) {
                        (0, _) => a.max(b),
                        (_, true) => a,
                        _ => a.min(b),
                    }
                })
                .collect();
            let change = next.iter().zip(&values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            values = next;
            if change < 1e-13 {
                return 0.5 + values[0];
            }
        }
    }
}

fn exact(text: &str, best: bool) -> Exact {
    let game = Game::compile(&Definition::parse(text).unwrap()).unwrap();
    let policies = if best {
        game.optimal().unwrap()
    } else {
        let theirs = game.policy("first", &[], 1).unwrap();
        [game.best_response(0, &theirs).unwrap(), theirs]
    };
    game.solve_endless([&policies[0], &policies[1]]).unwrap()
}

/// `optimal` for both players and `best_response`, on 200 random small games with loops, are worth
/// what value iteration finds, whatever the order of `do:`.
#[test]
fn best_play_on_200_random_games_is_the_limit_of_discounted_values() {
    let (mut waits, mut plays) = (0, 0);
    for index in 0..200 {
        let small = Small::new(&mut stream(14, Purpose::Test, index));
        for fixed in [false, true] {
            let wanted = small.limit(fixed);
            for order in ["a, b", "b, a"] {
                let found = exact(&small.definition(order), !fixed);
                assert!(
                    (found.value - wanted).abs() < 1e-5,
                    "game {index}, {order}: {} is not {wanted}\n{}",
                    found.value,
                    small.definition(order)
                );
                waits += usize::from(found.endless > 0.0);
                plays += usize::from(found.endless < 1.0);
            }
        }
    }
    // Both kinds of games were among them.
    assert!(waits > 100 && plays > 100, "{waits} {plays}");
}
