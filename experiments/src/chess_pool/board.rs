//! The board in letters.

use cuebench_engine::chess_pool::board::{Grid, Space};
use cuebench_engine::chess_pool::piece::Ball;
use cuebench_engine::shot::Balls;

/// The board, its last rank at the top, a line each: `R N B Q K`, lower case for solids, `o` for the cue
/// ball, all balls of a space together, `.` where it is empty.
#[must_use]
pub fn board(balls: &Balls, grid: Grid) -> Vec<String> {
    let ranks = grid.ranks();
    let cell = |file: u8, rank: u8| {
        let letters: String = Ball::all()
            .filter(|ball| {
                balls.at[ball.slot()].map(|at| grid.space_of(at)) == Some(Space { file, rank })
            })
            .map(Ball::letter)
            .collect();
        if letters.is_empty() { ".".to_owned() } else { letters }
    };
    let cells: Vec<Vec<String>> = (0..ranks)
        .rev()
        .map(|rank| (0..Grid::FILES).map(|file| cell(file, rank)).collect())
        .collect();
    let width = |file: usize| cells.iter().map(|row| row[file].len()).max().unwrap_or(1);
    let line = |row: &Vec<String>| {
        let padded = row.iter().enumerate().map(|(file, text)| format!("{text:<0$}", width(file)));
        padded.collect::<Vec<_>>().join(" ")
    };
    let mut lines: Vec<String> = cells
        .iter()
        .zip((1..=ranks).rev())
        .map(|(row, rank)| format!("{rank} {}", line(row)).trim_end().to_owned())
        .collect();
    let files = (b'a'..).take(usize::from(Grid::FILES)).map(|byte| char::from(byte).to_string());
    lines.push(format!("  {}", line(&files.collect())).trim_end().to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuebench_engine::chess_pool::rack::rack;
    use cuebench_engine::units::Point;

    #[test]
    fn the_rack_stands_around_the_foot_spot() {
        let mut balls = Balls::default();
        for (ball, at) in rack() {
            balls.at[ball.slot()] = Some(at);
        }
        balls.at[0] = Some(Point::new(300_000, 300_000));
        let lines = board(&balls, Grid::EightByFour);
        let wanted = [
            "4 . . . . . . .      .",
            "3 . . . . . . rnqKRB .",
            "2 . . . . . . bNQ    .",
            "1 o . . . . . .      .",
            "  a b c d e f g      h",
        ];
        assert_eq!(lines, wanted);
        let lines = board(&balls, Grid::EightByEight);
        assert_eq!((lines.len(), &*lines[6]), (9, "2 o . . . . . .      ."));
    }
}
