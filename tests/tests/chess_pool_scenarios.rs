//! Shots of chess pool and their verdicts, a shot for each sentence of the rules. The shots stand
//! in `cases/chess_pool/scenarios.txt`, which says how they are written.

use cuebench_engine::chess_pool::board::Grid;
use cuebench_engine::chess_pool::call::Call;
use cuebench_engine::chess_pool::opening::judge_break;
use cuebench_engine::chess_pool::options::Options;
use cuebench_engine::chess_pool::piece::{Ball, BallSet, Side};
use cuebench_engine::chess_pool::play::{CLOTH, RESTITUTION, pool_table};
use cuebench_engine::chess_pool::recorded::judge;
use cuebench_engine::shot::Balls;
use cuebench_engine::units::Point;
use std::collections::BTreeSet;

const SCENARIOS: &str = include_str!("../cases/chess_pool/scenarios.txt");
const RULES: &str = include_str!("../cases/chess_pool/rules.txt");

struct Scenario<'a> {
    sentence: &'a str,
    title: &'a str,
    places: &'a str,
    shot: &'a str,
    verdict: &'a str,
}

fn scenarios() -> Vec<Scenario<'static>> {
    let lines: Vec<&str> =
        SCENARIOS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    lines
        .chunks(4)
        .map(|block| {
            let [head, places, shot, verdict] = block else { panic!("half a block: {block:?}") };
            let (sentence, title) =
                head.strip_prefix('[').and_then(|rest| rest.split_once("] ")).expect(head);
            let verdict = verdict.strip_prefix("= ").expect(verdict);
            Scenario { sentence, title, places, shot, verdict }
        })
        .collect()
}

fn ball(text: &str) -> Ball {
    if text == "o" { Ball::CUE } else { text.parse().expect(text) }
}

/// Places by name: spaces of the grid, or micrometres.
fn balls(text: &str, grid: Grid) -> Balls {
    let sizes = grid.space_um();
    let mut balls = Balls::default();
    for place in text.split_whitespace() {
        let (name, at) = place.split_once(':').expect(place);
        let point = match at.split_once(',') {
            Some((x, y)) => Point::new(x.parse().expect(x), y.parse().expect(y)),
            None => {
                let bytes = at.as_bytes();
                let middle = |byte: u8, first: u8, size| i32::from(byte - first) * size + size / 2;
                Point::new(middle(bytes[0], b'a', sizes[0]), middle(bytes[1], b'1', sizes[1]))
            }
        };
        assert!(balls.at[ball(name).slot()].replace(point).is_none(), "{text}: {name} twice");
    }
    balls
}

/// The contacts, checked against what the signs claim (`-`: one was at rest, `=`: neither was).
fn record(text: &str) -> (Vec<[Ball; 2]>, Vec<Ball>) {
    let (mut contacts, mut pocketed) = (Vec::new(), Vec::new());
    let mut moving = BallSet::EMPTY.with(Ball::CUE);
    for event in text.split_whitespace() {
        if let Some((name, _)) = event.split_once('>') {
            pocketed.push(ball(name));
            continue;
        }
        let (a, b) = event.split_once(['-', '=']).expect(event);
        let (a, b) = (ball(a), ball(b));
        let both = moving.contains(a) && moving.contains(b);
        assert_eq!(event.contains('='), both, "{text}: {event}");
        moving = moving.with(a).with(b);
        contacts.push([a, b]);
    }
    (contacts, pocketed)
}

fn options(text: Option<&str>) -> Options {
    let mut all = serde_json::to_value(Options::default()).expect("options are JSON");
    for setting in text.unwrap_or_default().split_whitespace() {
        let (name, value) = setting.split_once('=').expect(setting);
        all[name] = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    }
    serde_json::from_value(all).expect("an option of the rules")
}

fn verdict(scenario: &Scenario<'_>) -> String {
    let (call, rest) = scenario.shot.split_once('|').expect("a record");
    let (record_text, option) = match rest.split_once('!') {
        None => (rest, None),
        Some((record, option)) => (record, Some(option)),
    };
    let options = options(option);
    let Some((shooter, call)) = call.trim().split_once(' ') else {
        let (contacts, pocketed) = record(record_text);
        return judge_break(&contacts, &pocketed, &options, |_| ()).to_string();
    };
    let shooter = if shooter == "solids" { Side::Solids } else { Side::Stripes };
    let call = match call.split_once('x') {
        None => Call::Slop,
        Some((capturer, target)) => Call::Move { capturer: ball(capturer), target: ball(target) },
    };
    let (contacts, pocketed) = record(record_text);
    let mut reasons = 0;
    let table = pool_table(CLOTH, RESTITUTION).expect("a table");
    let position = balls(scenario.places, options.grid);
    let events = (&contacts[..], &pocketed[..]);
    let judged = judge((&table, &position), (shooter, call), events, &options, |_| reasons += 1);
    let verdict = match judged {
        Ok(verdict) => verdict,
        Err(error) => return error.to_string().replacen("illegal call:", "error", 1),
    };
    assert!(reasons >= 2, "{}: every verdict has its reasons", scenario.title);
    verdict.to_string()
}

#[test]
fn every_shot_is_judged_as_the_rules_say() {
    let wrong: Vec<String> = scenarios()
        .iter()
        .filter_map(|scenario| {
            let got = verdict(scenario);
            let matches = match scenario.verdict.strip_prefix("error ") {
                Some(_) => got.starts_with(scenario.verdict),
                None => got == scenario.verdict,
            };
            let head = format!("[{}] {}", scenario.sentence, scenario.title);
            (!matches).then(|| format!("{head}\n  want {}\n  got  {got}", scenario.verdict))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_sentence_of_the_rules_is_cited() {
    let rules: BTreeSet<&str> = RULES
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(' ').next())
        .collect();
    let cited: BTreeSet<&str> = scenarios().iter().map(|scenario| scenario.sentence).collect();
    assert_eq!(rules, cited);
    assert!(scenarios().len() >= 120);
}
