//! What a reader of results must know beside the numbers.

use super::collect::{Games, Trouble};
use super::ratings::{Joint, unknown};
use crate::stats::bradley_terry::{Fit, Limit};
use std::collections::BTreeSet;

/// Share of games that are void or timed out above which an event says so first.
const TROUBLED: f64 = 0.05;
/// Seeds that are named.
const NAMED: usize = 5;

/// What stands above everything else: too many games say nothing of strength. `load` is the
/// machine's greatest load, if it is known.
pub(super) fn warning(trouble: &Trouble, load: Option<f64>) -> Option<String> {
    if trouble.share() <= TROUBLED {
        return None;
    }
    let Trouble { games, void, timed_out } = *trouble;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = load.map_or_else(
        || "; the load of the machine is not known".to_owned(),
        |load| format!("; the load of the machine was up to {load:.1} on {cores} cores"),
    );
    Some(format!(
        "{:.0} % of {games} games say nothing of strength: {void} void, {timed_out} timed out{load}",
        100.0 * trouble.share()
    ))
}

/// Notes on the games.
pub(super) fn of_games(games: &Games, biased: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if biased {
        notes.push(
            "the test stopped because of the results: scores and ratings are biased, away from \
             the hypothesis that was refused"
                .to_owned(),
        );
    }
    if games.beyond > 0 {
        notes.push(format!(
            "{} games on seeds beyond the decision of the test are not rated",
            games.beyond
        ));
    }
    let trouble = games.trouble();
    if trouble.void > 0 {
        notes.push(format!("{} void games count nowhere; --retry-void plays them", trouble.void));
    }
    if games.repeated_rows > 0 {
        notes.push(format!("{} rows repeat a game and are not counted", games.repeated_rows));
    }
    if games.idle_timeouts > 0 {
        notes.push(format!(
            "{} time-outs of processes that were on a processor for less than half of their time: \
             they slept, or the machine was too busy",
            games.idle_timeouts
        ));
    }
    let events = games.events();
    if events.len() > 1 {
        let names: Vec<&str> = events.iter().map(|event| &*event.name).collect();
        notes.push(format!(
            "{} events are rated together ({}); a seed that several use counts as one",
            events.len(),
            names.join(", ")
        ));
    }
    for event in events.iter().filter(|event| event.told.is_none()) {
        notes.push(format!(
            "event {}: no manifest.json beside the file says how many games a pair plays on each \
             seed; by its rows {}",
            event.name,
            if event.orders() == 2 { "two, one in each order" } else { "one" }
        ));
    }
    for pair in games.pairs() {
        let names = format!("{} and {}", pair.bot_a, pair.bot_b);
        notes.extend(waiting(&names, pair.waiting().collect()));
        let (same, other) = pair.mirrored();
        if same > 0 && other.is_empty() {
            notes.push(format!(
                "{names}: {same} of {same} seeds give the same game with the seats swapped; that \
                 is no new data, one game a seed is enough"
            ));
        } else if let Some(seed) = other.first() {
            notes.push(format!(
                "{names}: {} of {} seeds give another game with the seats swapped (seed {seed} \
                 first): a bot plays at random, by the clock or by the seat",
                other.len(),
                same as usize + other.len()
            ));
        }
        let repeats = pair.repeats();
        if repeats > 0 {
            notes.push(format!(
                "{names}: {repeats} games repeat one on another seed stroke by stroke; they are no \
                 new data, and the errors are too small"
            ));
        }
    }
    notes
}

/// Pairs of games of which one is still to be played.
fn waiting(names: &str, seeds: Vec<u64>) -> Option<String> {
    if seeds.is_empty() {
        return None;
    }
    let more = match seeds.len() {
        0..=NAMED => String::new(),
        all => format!(" and {} more", all - NAMED),
    };
    let first: Vec<String> = seeds.iter().take(NAMED).map(u64::to_string).collect();
    Some(format!(
        "{names}: {} {} one of two games; they wait for the other and are not counted (seed {}{more})",
        seeds.len(),
        if seeds.len() == 1 { "seed has" } else { "seeds have" },
        first.join(", ")
    ))
}

/// Notes on the fit: perfect scorers, groups that never met, bots of which too little is known.
pub(super) fn of_fit(bots: &[String], joint: &Joint) -> Vec<String> {
    let mut notes = bounds(bots, &joint.fit);
    let unknown = unknown(bots, joint);
    if !unknown.is_empty() {
        let names: Vec<&str> =
            bots.iter().map(|bot| &**bot).filter(|b| unknown.contains(b)).collect();
        notes.push(format!(
            "too little to tell about {}: games on fewer than two seeds, or nearly all on one; no \
             error, rank or chance is given",
            names.join(", ")
        ));
    }
    notes
}

fn bounds(bots: &[String], fit: &Fit) -> Vec<String> {
    let mut notes = Vec::new();
    for (limit, text) in [
        (Limit::AtLeast, "lost no point to the bots below: the rating is a lower limit"),
        (Limit::AtMost, "took no point from the bots above: the rating is an upper limit"),
        (Limit::Loose, "exchanged no points with the bots above or below: the rating is a guess"),
    ] {
        let names: Vec<&str> = (0..bots.len())
            .filter(|&bot| fit.limits[bot] == Some(limit))
            .map(|bot| &*bots[bot])
            .collect();
        if !names.is_empty() {
            notes.push(format!("{} {text}", names.join(", ")));
        }
    }
    let groups: BTreeSet<usize> = fit.groups.iter().copied().collect();
    if groups.len() > 1 {
        let members = |group: usize| {
            let names = (0..bots.len()).filter(|&bot| fit.groups[bot] == group);
            format!("[{}]", names.map(|bot| &*bots[bot]).collect::<Vec<_>>().join(", "))
        };
        let all: Vec<String> = groups.into_iter().map(members).collect();
        notes.push(format!(
            "groups that never met cannot be compared, so nobody has a rank: {}",
            all.join(" ")
        ));
    }
    notes
}
