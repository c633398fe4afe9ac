//! A frame of chess pool as a value, without physics: phases, turns, what goes where, the end.

use cuebench_engine::chess_pool::action::{Action, ActionError, Phase};
use cuebench_engine::chess_pool::call::{Call, on_table};
use cuebench_engine::chess_pool::frame::{Finished, Rules, State};
use cuebench_engine::chess_pool::options::{Options, Pocketed, SideChooser};
use cuebench_engine::chess_pool::piece::{Ball, Side};
use cuebench_engine::chess_pool::play::{LastShot, pool_table};
use cuebench_engine::chess_pool::rack::{FOOT_SPOT, HEAD_STRING_UM, rack};
use cuebench_engine::shot::Balls;
use cuebench_engine::units::Point;

fn ball(text: &str) -> Ball {
    if text == "o" { Ball::CUE } else { text.parse().expect(text) }
}

/// The balls of `state` with the cue ball at `cue`, and those in `gone` pocketed.
fn after(state: &State, cue: [i32; 2], gone: &[&str]) -> Balls {
    let mut balls = *state.balls();
    balls.at[0] = Some(cue.into());
    for name in gone {
        balls.at[ball(name).slot()] = None;
    }
    balls
}

fn broken(rules: Rules, contacts: &[[&str; 2]], gone: &[&str]) -> State {
    let mut state = State::new(rules, 0);
    let balls = after(&state, [700_000, 300_000], gone);
    let contacts: Vec<[Ball; 2]> = contacts.iter().map(|pair| pair.map(ball)).collect();
    let pocketed: Vec<Ball> = gone.iter().map(|name| ball(name)).collect();
    let shot = Finished { balls, contacts: &contacts, pocketed: &pocketed };
    state.settle_break(&shot, |_| ()).expect("a break is asked for");
    state
}

fn shoot(state: &mut State, call: Call, contacts: &[[&str; 2]], gone: &[&str]) {
    let balls = after(state, [700_000, 300_000], gone);
    let contacts: Vec<[Ball; 2]> = contacts.iter().map(|pair| pair.map(ball)).collect();
    let pocketed: Vec<Ball> = gone.iter().map(|name| ball(name)).collect();
    let shot = Finished { balls, contacts: &contacts, pocketed: &pocketed };
    state.settle_shot(call, &shot, |_| ()).expect("a legal shot");
}

#[test]
fn the_breaker_chooses_and_the_second_player_shoots() {
    for gone in [&[][..], &["2"], &["9", "10"]] {
        let mut state = broken(Rules::default(), &[["o", "1"]], gone);
        assert_eq!((state.phase(), state.to_move()), (Phase::Side, 0));
        state.choose_side(Side::Stripes, |_| ()).expect("a side is asked for");
        assert_eq!((state.phase(), state.to_move()), (Phase::Shot, 1));
        assert_eq!((state.side_of(0), state.side_of(1)), (Some(Side::Stripes), Some(Side::Solids)));
        assert_eq!(on_table(state.balls()).len() as usize, 10 - gone.len());
        assert!(!state.cue_in_hand());
    }
}

#[test]
fn the_8_on_the_break_comes_back_in_place_of_an_opponents_piece() {
    let mut state = broken(Rules::default(), &[["o", "1"], ["1", "8"]], &["8", "9"]);
    state.choose_side(Side::Solids, |_| ()).expect("a side is asked for");
    assert_eq!((state.phase(), state.to_move()), (Phase::King, 0));
    assert_eq!(state.king_choices().to_string(), "10, 11, 12");
    let place = state.balls().at[ball("11").slot()];
    let refused = state.replace(ball("9"));
    assert!(matches!(refused, Err(ActionError::Replace { .. })), "{refused:?}");
    state.replace(ball("11")).expect("a choice");
    assert_eq!(state.balls().at[Ball::KING.slot()], place);
    assert_eq!(state.balls().at[ball("11").slot()], None);
    assert_eq!((state.phase(), state.to_move()), (Phase::Shot, 1));
}

#[test]
fn the_8_and_a_whole_side_on_the_break_win_for_the_other_side() {
    let gone = ["8", "9", "10", "11", "12"];
    let mut state = broken(Rules::default(), &[["o", "1"]], &gone);
    state.choose_side(Side::Solids, |_| ()).expect("a side is asked for");
    assert_eq!((state.phase(), state.winner()), (Phase::Over, Some(0)));
    let mut state = broken(Rules::default(), &[["o", "1"]], &gone);
    state.choose_side(Side::Stripes, |_| ()).expect("a side is asked for");
    assert_eq!(
        (state.phase(), state.king_choices().to_string()),
        (Phase::King, "1, 2, 3, 4".into())
    );
}

#[test]
fn a_scratch_on_the_break_puts_balls_back_and_the_cue_ball_in_hand() {
    let mut state = broken(Rules::default(), &[["o", "1"]], &["8", "1", "o"]);
    assert!(state.cue_in_hand());
    let at = |state: &State, name: &str| state.balls().at[ball(name).slot()];
    assert_eq!(at(&state, "1"), Some(FOOT_SPOT), "the spot is free, and 1 comes before 8");
    let eight = at(&state, "8").expect("back");
    assert_eq!(eight.y_um, FOOT_SPOT.y_um);
    assert!(eight.x_um > FOOT_SPOT.x_um, "behind the spot");
    state.choose_side(Side::Solids, |_| ()).expect("the breaker chooses after a scratch too");
    assert_eq!((state.phase(), state.to_move()), (Phase::Shot, 1));
    let options = Options { break_foul_chooser: SideChooser::Opponent, ..Options::default() };
    let rules = Rules { options, ..Rules::default() };
    let mut state = broken(rules, &[], &[]);
    assert_eq!((state.phase(), state.to_move()), (Phase::Side, 1));
    state.choose_side(Side::Solids, |_| ()).expect("the second player chooses");
    assert_eq!((state.side_of(1), state.to_move()), (Some(Side::Solids), 1));
}

#[test]
fn turns_alternate_whatever_happens_and_a_draw_ends_them() {
    let rules = Rules { max_shots: Some(4), ..Rules::default() };
    let mut state = broken(rules, &[["o", "1"]], &[]);
    state.choose_side(Side::Solids, |_| ()).expect("a side is asked for");
    shoot(&mut state, Call::Slop, &[["o", "9"], ["9", "1"]], &["1"]);
    assert_eq!((state.to_move(), state.shots()), (0, 2));
    shoot(&mut state, Call::Slop, &[["o", "9"]], &["9"]);
    assert_eq!((state.to_move(), state.shots()), (1, 3), "after a foul too");
    assert!(on_table(state.balls()).contains(ball("9")), "put back after the foul");
    shoot(&mut state, Call::Slop, &[["o", "9"], ["9", "8"]], &["8"]);
    assert_eq!(state.phase(), Phase::King, "the choice comes before the draw");
    state.replace(ball("2")).expect("a choice");
    assert_eq!((state.phase(), state.winner(), state.shots()), (Phase::Over, None, 4));
    let refused = state.replace(ball("3"));
    assert_eq!(refused, Err(ActionError::Phase { asked: Phase::Over }));
}

#[test]
fn a_frame_is_won_by_the_8_when_nobody_can_make_way() {
    let gone = ["9", "10", "11", "12"];
    let mut state = broken(Rules::default(), &[["o", "1"]], &gone);
    state.choose_side(Side::Stripes, |_| ()).expect("a side is asked for");
    shoot(&mut state, Call::Slop, &[["o", "1"], ["1", "8"]], &["8"]);
    assert_eq!((state.phase(), state.winner()), (Phase::Over, Some(1)));
}

#[test]
fn answers_are_refused_with_a_reason_and_change_nothing() {
    let table = pool_table(1000, 750).expect("a table");
    let mut shot = LastShot::default();
    let start = State::new(Rules::default(), 1);
    let opening = |x, y, angle, power| Action::Break { cue: Point::new(x, y), angle, power };
    let beyond = HEAD_STRING_UM + 1;
    for (action, part) in [
        (opening(beyond, 635_000, 0, 500), "not behind the head string"),
        (opening(28_499, 635_000, 0, 500), "not behind the head string"),
        (opening(600_000, 28_499, 0, 500), "not behind the head string"),
        (opening(600_000, 635_000, 360_000, 500), "illegal stroke"),
        (opening(600_000, 635_000, 0, 0), "illegal stroke"),
        (opening(600_000, 635_000, 0, 1001), "illegal stroke"),
        (Action::Side { side: Side::Solids }, "phase `break`"),
        (Action::King { replace: ball("1") }, "phase `break`"),
        (Action::Shot { call: Call::Slop, angle: 0, power: 1, cue: None }, "phase `break`"),
    ] {
        let mut state = start;
        let error = state.apply(&table, &action, &mut shot).expect_err(part).to_string();
        assert!(error.contains(part), "{action:?}: {error}");
        assert_eq!(state, start);
    }
    let mut state = start;
    state.apply(&table, &opening(HEAD_STRING_UM, 635_000, 0, 500), &mut shot).expect("a break");
    assert_eq!((state.phase(), state.to_move()), (Phase::Side, 1));
}

#[test]
fn a_cue_ball_in_hand_is_placed_clear_of_other_balls() {
    let mut state = broken(Rules::default(), &[], &["o"]);
    state.choose_side(Side::Solids, |_| ()).expect("a side is asked for");
    let shot = |cue| Action::Shot { call: Call::Slop, angle: 0, power: 100, cue };
    let table = pool_table(1000, 750).expect("a table");
    let mut last = LastShot::default();
    for (action, part) in [
        (shot(None), "in hand; give `cue`"),
        (shot(Some(Point::new(2_000_000, 300_000))), "not behind the head string"),
    ] {
        let error = state.apply(&table, &action, &mut last).expect_err(part).to_string();
        assert!(error.contains(part), "{error}");
    }
    let mut played = state;
    played.apply(&table, &shot(Some(Point::new(500_000, 635_000))), &mut last).expect("a shot");
    assert!(!played.cue_in_hand());
    let error = played.apply(&table, &shot(Some(Point::new(500_000, 635_000))), &mut last);
    assert_eq!(error, Err(ActionError::CueNotInHand));
}

#[test]
fn the_rack_is_a_legal_start_and_a_full_break_is_played() {
    let table = pool_table(1000, 750).expect("a table");
    let mut state = State::new(Rules::default(), 0);
    let cue = Point::new(635_000, 635_000);
    assert_eq!(rack().len(), 9);
    table.check(&state.placed(Some(cue)).expect("a place")).expect("a legal position");
    let mut shot = LastShot::default();
    state.apply(&table, &Action::Break { cue, angle: 0, power: 1000 }, &mut shot).expect("a break");
    assert_eq!(shot.contacts[0], [Ball::CUE, ball("1")]);
    assert!(shot.contacts.len() >= 9, "{:?}", shot.contacts);
}

#[test]
fn written_states_are_checked_when_they_are_read() {
    let state = broken(Rules::default(), &[["o", "1"]], &["9"]);
    let good = serde_json::to_value(state).expect("JSON");
    assert_eq!(serde_json::from_value::<State>(good.clone()).expect("reads back"), state);
    for (key, value, part) in [
        ("version", 2.into(), "version 2"),
        ("to_move", 2.into(), "a seat"),
        ("phase", "over?".into(), "unknown variant"),
        ("phase", "shot".into(), "sides"),
        ("phase", "king".into(), "sides"),
        ("sides", serde_json::json!(["solids", "stripes"]), "sides"),
        ("cue_in_hand", true.into(), "cue ball"),
        ("shots", 201.into(), "shots"),
        ("max_shots", 0.into(), "shots"),
        ("king_due", true.into(), "8 ball"),
        ("king_choices", serde_json::json!(["1"]), "king_choices"),
        ("position", serde_json::json!({"cue": [1, 1]}), "8 ball"),
    ] {
        let mut bad = good.clone();
        bad[key] = value;
        let error = serde_json::from_value::<State>(bad).expect_err(key).to_string();
        assert!(error.contains(part), "{key}: {error}");
    }
}

/// The captured 8 leaves the table first, then what the move pocketed is put back, and the piece
/// that was put back is among those that can make way.
#[test]
fn a_piece_that_was_just_put_back_may_make_way_for_the_8() {
    for win_on_last_swap in [false, true] {
        let options =
            Options { move_pocketed: Pocketed::Returned, win_on_last_swap, ..Options::default() };
        let gone = ["10", "11", "12"];
        let rules = Rules { options, ..Rules::default() };
        let mut state = broken(rules, &[["o", "1"]], &gone);
        state.choose_side(Side::Stripes, |_| ()).expect("a side is asked for");
        let places = [("1", Point::new(300_000, 700_000)), ("8", Point::new(2_000_000, 700_000))];
        let mut before = with_places(&state, &places);
        let call = Call::Move { capturer: ball("1"), target: ball("8") };
        // The captured 8 comes to rest on the spot, which is free all the same.
        let mut balls = after(&before, [700_000, 300_000], &["9"]);
        balls.at[ball("8").slot()] = Some(FOOT_SPOT);
        let contacts = [["o", "1"], ["1", "8"], ["o", "9"]].map(|pair| pair.map(ball));
        let shot = Finished { balls, contacts: &contacts, pocketed: &[ball("9")] };
        let verdict = before.settle_shot(call, &shot, |_| ()).expect("a legal shot");
        assert_eq!(verdict.returned.to_string(), "9");
        assert_eq!(verdict.king_choices.map(|set| set.to_string()), Some("9".to_owned()));
        if win_on_last_swap {
            assert_eq!((before.phase(), before.winner()), (Phase::Over, Some(1)));
        } else {
            let at = |state: &State, name: &str| state.balls().at[ball(name).slot()];
            assert_eq!((before.phase(), at(&before, "9")), (Phase::King, Some(FOOT_SPOT)));
            assert_eq!(at(&before, "8"), None, "captured, it waits off the table");
            before.replace(ball("9")).expect("a choice");
        }
        let at = |name: &str| before.balls().at[ball(name).slot()];
        assert_eq!((at("8"), at("9")), (Some(FOOT_SPOT), None));
    }
}

/// `state` with some balls elsewhere.
fn with_places(state: &State, places: &[(&str, Point)]) -> State {
    let mut written = serde_json::to_value(state).expect("JSON");
    for (name, at) in places {
        written["position"][name] = serde_json::json!([at.x_um, at.y_um]);
    }
    serde_json::from_value(written).expect("a state")
}

/// A frame without a limit goes on past any number of shots; its states say so and are read back.
#[test]
fn the_draw_after_max_shots_can_be_switched_off() {
    let rules = Rules { max_shots: None, ..Rules::default() };
    let mut state = broken(rules, &[["o", "1"]], &[]);
    state.choose_side(Side::Solids, |_| ()).expect("a side is asked for");
    for _ in 0..1000 {
        let first = if state.to_move() == 0 { "1" } else { "9" };
        shoot(&mut state, Call::Slop, &[["o", first]], &[]);
    }
    assert_eq!((state.phase(), state.shots()), (Phase::Shot, 1001));
    let written = serde_json::to_value(state).expect("JSON");
    assert_eq!(written["max_shots"], serde_json::Value::Null);
    assert_eq!(serde_json::from_value::<State>(written.clone()).expect("reads back"), state);
    let mut without = written;
    without.as_object_mut().expect("an object").remove("max_shots");
    let error = serde_json::from_value::<State>(without).expect_err("a missing key").to_string();
    assert!(error.contains("max_shots"), "{error}");
}
