//! What every game and every built-in agent must do, whichever it is: one suite over the seam.

use cuebench_agents::player::Player;
use cuebench_agents::record::Record;
use cuebench_agents::referee::{Played, Terms, play};
use cuebench_agents::spec::AgentSpec;
use cuebench_engine::chess_pool::game::ChessPool;
use cuebench_engine::frame::Game as Frames;
use cuebench_engine::game::{Forfeit, Game, Seat, Seed, Turn};
use cuebench_engine::snooker::Race;
use cuebench_experiments::experiment::grid::Setting;
use cuebench_experiments::games::Playable;
use cuebench_tests::nim::Nim;
use serde_json::{Map, Value};
use std::path::Path;
use std::time::Duration;

const CLOCK: Duration = Duration::from_secs(30);

fn game<G: Playable>(settings: &[&str]) -> G {
    let settings: Vec<Setting> =
        settings.iter().map(|text| text.parse().expect("a setting")).collect();
    G::load(&settings, Path::new("")).expect("a game").game
}

fn agent<G: Playable>(game: &G, text: &str, seat: Seat) -> Box<dyn Player<G>> {
    let opponent: AgentSpec = "random".parse().expect("a text");
    game.player(&text.parse().expect("a text"), seat, Some(&opponent)).expect("an agent")
}

fn played<G: Playable>(game: &G, seed: Seed, agents: [&str; 2]) -> (Played<G>, Record) {
    let [mut one, mut two] = [agent(game, agents[0], 0), agent(game, agents[1], 1)];
    let terms = Terms { record: true, ..Terms::free(CLOCK) };
    let played = play(game, seed, [one.as_mut(), two.as_mut()], &terms);
    let record = played.record.as_deref().expect("a record");
    let record = serde_json::from_str(record).expect("a record is JSON");
    (played, record)
}

fn view<G: Playable>(game: &G, state: &G::State, seat: Seat) -> Value {
    serde_json::to_value(game.view(state, seat)).expect("a view is JSON")
}

/// Same seed, same bytes; bytes round trip in mid-game and the game goes on from them to the same
/// end; records replay to the same digest; wire text round trips.
fn a_game_is_its_seed_and_its_moves<G: Playable>(game: &G) {
    for public in 1..=6 {
        let seed = Seed::salted(public, (public % 2 == 0).then_some(77));
        assert_eq!(game.to_bytes(&game.start(seed)), game.to_bytes(&game.start(seed)));
        let (one, record) = played(game, seed, ["random", "random"]);
        let (again, _) = played(game, seed, ["random", "random"]);
        let bytes = game.to_bytes(&one.state);
        assert_eq!(bytes, game.to_bytes(&again.state), "{} {public}", G::NAME);
        assert_eq!(one.record, again.record);
        let mut moves = 0;
        let end = record.replay(game, |step| {
            moves += 1;
            // A state is its bytes, and its seat sees the same through them.
            let bytes = game.to_bytes(step.before);
            let restored = game.restore(&bytes).expect("restored");
            assert_eq!(game.to_bytes(&restored), bytes);
            assert_eq!(game.turn(&restored), game.turn(step.before));
            assert_eq!(view(game, &restored, step.seat), view(game, step.before, step.seat));
            let mut on = restored;
            game.play(&mut on, step.seat, step.action, step.time_ms).expect("goes on");
            assert_eq!(game.to_bytes(&on), game.to_bytes(step.after), "move {moves}");
            // What is written of a move is read back as the same move.
            let seen = game.view(step.before, step.seat);
            let mut text = String::new();
            game.write(&seen, step.action, &mut text);
            let written: Value = serde_json::from_str(&text).expect("an action is JSON");
            let read = game.recorded(&seen, &written).expect("read back");
            let mut back = String::new();
            game.write(&seen, &read, &mut back);
            assert_eq!(text, back);
        });
        let end = end.expect("it replays");
        assert!(moves > 0 && moves == record.moves.len());
        assert_eq!(game.to_bytes(&end), bytes);
        assert_eq!(game.verdict(&end), one.verdict, "random play ends");
        assert_eq!(game.turn(&end), Turn::Over);
        for seat in 0..2 {
            assert_eq!(game.digest(&end, seat), one.seats[seat].digest);
            assert_eq!(game.score(&end, seat).score, one.seats[seat].score);
        }
        assert!(!game.narrate(&record, ["a", "b"]).expect("a narration").is_empty());
    }
}

/// Bytes that are cut, too long, of another game or changed are refused or restored to a state that
/// can be looked at; nothing panics.
fn hostile_bytes_are_refused<G: Playable>(game: &G) {
    let (end, record) = played(game, Seed::open(3), ["random", "random"]);
    let mut states = vec![game.start(Seed::open(3)), end.state];
    let _ = record.replay(game, |step| {
        if step.number == 3 {
            states.push(step.before.clone());
        }
    });
    for state in &states {
        let bytes = game.to_bytes(state);
        for length in 0..bytes.len() {
            assert!(game.restore(&bytes[..length]).is_err(), "{} cut at {length}", G::NAME);
        }
        assert!(game.restore(&[&bytes[..], b"x"].concat()).is_err(), "{} too long", G::NAME);
        assert!(game.restore(b"something else entirely").is_err());
        for at in 0..bytes.len() {
            for flip in [1, 0x80] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                if let Ok(state) = game.restore(&changed) {
                    let _ = (view(game, &state, 0), game.turn(&state), game.verdict(&state));
                }
            }
        }
    }
}

/// Two states that differ only in what is hidden look the same to both seats.
fn a_view_tells_nothing_hidden<G: Playable>(game: &G) {
    for public in 1..=20 {
        let [one, other] = [5, 6].map(|salt| game.start(Seed::salted(public, Some(salt))));
        for seat in 0..2 {
            // Of a frame the opening has been drawn by then, and everybody sees what came.
            if G::NAME != "frame" {
                assert_eq!(view(game, &one, seat), view(game, &other, seat), "{}", G::NAME);
            }
        }
        if game.hidden().is_empty() {
            assert_eq!(
                game.to_bytes(&game.start(Seed::open(public))).len(),
                game.to_bytes(&one).len()
            );
        }
    }
}

/// An action out of turn or against the rules leaves the state as it was; replies that are no
/// action are named, never a panic.
fn refusals_change_nothing<G: Playable>(game: &G) {
    let (_, record) = played(game, Seed::open(4), ["random", "random"]);
    let end = record.replay(game, |step| {
        let before = game.to_bytes(step.before);
        let mut state = step.before.clone();
        if !game.turn(&state).allows(1 - step.seat) {
            assert!(game.play(&mut state, 1 - step.seat, step.action, 0).is_err());
            assert_eq!(game.to_bytes(&state), before, "{}", G::NAME);
        }
        let seen = game.view(&state, step.seat);
        for junk in [
            "{}",
            r#"{"angle":-1,"power":1e99}"#,
            r#"{"angle":360000,"power":0}"#,
            r#"{"angle":4294967296,"power":null}"#,
            r#"{"action":"no such thing"}"#,
            r#"{"take":-3}"#,
            r#"{"call":{"kind":"move","capturer":"99","target":"8"},"angle":400000,"power":1}"#,
            r#"{"cue":[1e300,0],"angle":0.5,"power":5,"side":7,"replace":[]}"#,
        ] {
            let reply: Map<String, Value> = serde_json::from_str(junk).expect("an object");
            if let Ok(action) = game.read(&seen, &reply) {
                let mut state = step.before.clone();
                let refused = game.play(&mut state, step.seat, &action, 0);
                assert!(refused.is_err(), "{}: {junk}", G::NAME);
                assert_eq!(game.to_bytes(&state), before, "{}: {junk}", G::NAME);
            }
        }
    });
    let mut end = end.expect("it replays");
    let (seat, _, written) = record.moves.last().expect("a move");
    let before = game.to_bytes(&end);
    let again = game.recorded(&game.view(&end, *seat), written);
    if let Ok(action) = again {
        assert!(game.play(&mut end, *seat, &action, 0).is_err(), "a game that is over goes on");
        assert_eq!(game.to_bytes(&end), before);
    }
}

/// A seat that breaks off at the start loses to one that plays on; of two nobody is said to have
/// won by play.
fn forfeits_end_the_game<G: Playable>(game: &G) {
    for seat in 0..2 {
        for why in [Forfeit::Fault, Forfeit::Timeout] {
            let mut state = game.start(Seed::open(9));
            game.forfeit(&mut state, seat, why, 30_000);
            assert!(!game.turn(&state).allows(seat), "{}", G::NAME);
            let mut other = agent(game, "random", 1 - seat);
            let terms = Terms::free(CLOCK);
            // The other seat plays its part to the end, where the game has one for it.
            let mut gone = cuebench_agents::player::Absent(match why {
                Forfeit::Fault => cuebench_agents::fault::Fault::Crash("gone".to_owned()),
                Forfeit::Timeout => cuebench_agents::fault::Fault::Timeout("gone".to_owned()),
            });
            let start = game.start(Seed::open(9));
            let players: [&mut dyn Player<G>; 2] = match seat {
                0 => [&mut gone, other.as_mut()],
                _ => [other.as_mut(), &mut gone],
            };
            let ended =
                cuebench_agents::referee::play_from(game, start, Seed::open(9), players, &terms);
            assert_eq!(ended.points(seat), Some(0.0), "{} {why:?}", G::NAME);
            assert!(ended.verdict.is_some_and(|verdict| {
                ["forfeit", "absent"].contains(&verdict.decided_by.as_str())
            }));
        }
        let mut both = game.start(Seed::open(9));
        (0..2).for_each(|seat| game.forfeit(&mut both, seat, Forfeit::Fault, 0));
        assert_eq!(game.turn(&both), Turn::Over);
        assert_eq!(game.verdict(&both).expect("over").winner, None, "{}", G::NAME);
    }
}

/// Every built-in agent plays a whole game by the rules in either seat, and the same game again.
fn every_agent_plays<G: Playable>(game: &G, light: fn(&str) -> String) {
    for entry in game.entries() {
        let text = light(&entry.name);
        for agents in [[text.as_str(), "random"], ["random", text.as_str()]] {
            let (one, _) = played(game, Seed::open(11), agents);
            assert!(
                one.seats.iter().all(|seated| seated.fault.is_none()),
                "{agents:?}: {:?}",
                one.seats
            );
            assert!(one.verdict.is_some(), "{agents:?}");
            let (again, _) = played(game, Seed::open(11), agents);
            assert_eq!(one.record, again.record, "{agents:?}");
        }
        // Its options are as the roster lists them: a name that is not there is refused by name.
        let wrong: AgentSpec = format!("{}:no_such_option=1", entry.name).parse().expect("a text");
        assert!(
            game.player(&wrong, 0, Some(&"random".parse().expect("a text"))).is_err(),
            "{wrong}"
        );
    }
}

/// A fraction of the usual budget, so that an unoptimised build plays whole games quickly.
fn light(name: &str) -> String {
    match name {
        "search" | "oracle_search" => format!("{name}:sims=60"),
        "learned" => "learned:hip".to_owned(),
        other => other.to_owned(),
    }
}

fn as_named(name: &str) -> String {
    name.to_owned()
}

fn conforms<G: Playable>(game: &G, light: fn(&str) -> String) {
    a_game_is_its_seed_and_its_moves(game);
    hostile_bytes_are_refused(game);
    a_view_tells_nothing_hidden(game);
    refusals_change_nothing(game);
    forfeits_end_the_game(game);
    every_agent_plays(game, light);
}

#[test]
fn the_race_conforms() {
    conforms(&game::<Race>(&["max_shots=10"]), light);
}

#[test]
fn the_race_with_noise_on_a_known_table_conforms() {
    let race = game::<Race>(&["table=known", "noise=olympiad", "max_shots=10", "order=any"]);
    a_game_is_its_seed_and_its_moves(&race);
    refusals_change_nothing(&race);
    every_agent_plays(&race, light);
}

#[test]
fn frames_conform() {
    conforms(&game::<Frames>(&[]), as_named);
}

#[test]
fn chess_pool_conforms() {
    conforms(&game::<ChessPool>(&["max_shots=12"]), |name| match name {
        "search" => "search:sims=30".to_owned(),
        other => other.to_owned(),
    });
}

#[test]
fn a_fourth_game_conforms() {
    conforms(&game::<Nim>(&[]), as_named);
}

/// `threshold` takes `tau`, a chance, in every game that has it.
#[test]
fn options_of_one_name_mean_the_same_everywhere() {
    fn tau<G: Playable>(game: &G) -> bool {
        let entry = game.entries().into_iter().find(|entry| entry.name == "threshold");
        let entry = entry.expect("threshold plays every game");
        let option = entry.options.iter().find(|option| option.name == "tau").expect("tau");
        option.value.starts_with("a chance from 0 to 1")
    }
    assert!(tau(&game::<Race>(&[])) && tau(&game::<Frames>(&[])) && tau(&game::<ChessPool>(&[])));
}

/// The same public seed is the same table with and without a secret, where nothing is hidden.
#[test]
fn only_what_is_hidden_is_salted() {
    let known = game::<Race>(&["table=known"]);
    let hidden = game::<Race>(&["table=hidden"]);
    for public in 1..=50 {
        let (open, salted) = (Seed::open(public), Seed::salted(public, Some(9)));
        let values = |race: &Race, seed| race.start(seed).table(0).values();
        assert_eq!(values(&known, open), values(&known, salted));
        assert_eq!(known.start(open).table(0).balls(), hidden.start(salted).table(0).balls());
        assert_eq!(open.of_players(), salted.of_players());
    }
    let differ = (1..=50).filter(|&public| {
        let values = |seed| hidden.start(seed).table(0).values();
        values(Seed::open(public)) != values(Seed::salted(public, Some(9)))
    });
    assert!(differ.count() > 45);
}
