//! The commented sample game, `engine/docs/chess-pool-sample.txt`: real shots as records, through
//! the rules alone.

use cuebench_engine::chess_pool::action::Phase;
use cuebench_engine::chess_pool::call::{Call, on_table};
use cuebench_engine::chess_pool::piece::Ball;
use cuebench_experiments::chess_pool::game_file::{Said, read};
use cuebench_experiments::chess_pool::referee::Referee;
use cuebench_tests::{cuebench, workspace};
use std::fs;

const SAMPLE: &str = "engine/docs/chess-pool-sample.txt";

fn sample() -> String {
    fs::read_to_string(workspace().join(SAMPLE)).expect("the sample game")
}

/// Every shot is judged as the game says, and it ends as the rules say: a player without pieces
/// names the king, takes the last piece with it, and the 8 alone decides.
#[test]
fn the_sample_game_replays_through_the_rules_to_a_last_piece_king_endgame() {
    let game = read(&sample(), &[]).expect("a game");
    let mut referee = Referee::new(&game.setup, game.breaker);
    let (mut king_took_the_last_piece, mut answers) = (false, 0);
    for entry in &game.entries {
        let before = *referee.state();
        if let Said::Break { stroke, .. } | Said::Shot { stroke, .. } = entry.said {
            assert_eq!(stroke, None, "the records alone decide");
            assert!(entry.happened.is_some() && entry.verdict.is_some(), "line {}", entry.line);
        }
        referee.enter(entry).expect("as the sample says");
        answers += 1;
        let pieces = |state: &cuebench_engine::chess_pool::frame::State, seat: usize| {
            let side = state.side_of(seat).expect("sides are chosen");
            on_table(state.balls()).intersection(side.pieces()).len()
        };
        if let Said::Shot { call: Call::Move { capturer: Ball::KING, .. }, .. } = entry.said {
            let seat = before.to_move();
            assert_eq!([pieces(&before, seat), pieces(&before, 1 - seat)], [0, 1]);
            king_took_the_last_piece = [0, 1].map(|seat| pieces(referee.state(), seat)) == [0, 0];
        }
    }
    assert!(king_took_the_last_piece && answers >= 10, "{answers} answers");
    assert_eq!(referee.state().phase(), Phase::Over);
    assert!(referee.state().winner().is_some());
    let (_, ending) = game.ending.expect("an ending");
    referee.check_ending(&ending).expect("as the sample says");
}

/// Every shot has a comment of its own, and the whole is refereed by the command as a user has it.
#[test]
fn the_sample_game_is_commented_and_refereed_by_the_command() {
    let text = sample();
    let mut commented = false;
    for line in text.lines() {
        if line.split_once(". seat ").is_some_and(|(number, _)| number.parse::<u32>().is_ok()) {
            assert!(commented, "{line}");
        }
        commented = line.starts_with("# ");
    }
    let output = cuebench().args(["judge", "--game", SAMPLE]).output().expect("cuebench runs");
    assert!(output.status.success(), "{output:?}");
    let judged = String::from_utf8(output.stdout).expect("UTF-8");
    let end = text.lines().last().and_then(|line| line.strip_prefix("end: "));
    assert_eq!(judged.lines().last(), end);
    assert!(judged.contains("the 8, as the shooter has no piece left"), "{judged}");
}
