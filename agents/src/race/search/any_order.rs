//! Clearing a known table when the colours may go in any order, several in one stroke: is there a
//! line of at most k strokes? First for a k that is mostly found at once, then for smaller ones as
//! long as the budget lasts.

use super::budget::Budget;
use super::ease::ease;
use super::goal::Goal;
use super::known::Known;
use crate::aim::WHITE;
use crate::race::candidates::{self, Fan};
use cuebench_engine::shot::{Balls, Stroke};

/// Strokes over each pot where single pots do.
const SINGLE: Fan = Fan { directions: 3, powers: 8 };
/// Strokes over each pot where two colours must go at once: about one pot in a hundred takes
/// another ball along.
const DOUBLE: Fan = Fan { directions: 7, powers: 28 };
/// Strokes over each combination then.
const COMBINATION: Fan = Fan { directions: 2, powers: 6 };
/// Strokes over each pot with a cushion, where nothing else is left to try.
const CUSHION: Fan = Fan { directions: 3, powers: 8 };
/// Strokes all round then, and their least power.
const AROUND: u32 = 2_000;
const AROUND_POWER: u32 = 300;
/// Colours that a line may count on in each stroke but the first.
const MOST_AT_ONCE: usize = 2;
/// How often the search is widened before it gives up.
const MOST_ZEAL: u32 = 5;
/// Strokes for so many colours that are mostly found at once.
const USUAL: [usize; 7] = [0, 1, 2, 2, 3, 4, 4];

/// A legal stroke that pots, and what it leaves.
struct Leaf {
    stroke: Stroke,
    balls: Balls,
    left: usize,
    value: f64,
}

/// The search for a line of few strokes.
struct Lines<'k, 't> {
    known: &'k mut Known<'t>,
    budget: Budget,
    /// How often the search has been widened.
    zeal: u32,
}

/// The colours on the table.
fn colours(balls: &Balls) -> usize {
    balls.at.iter().skip(WHITE + 1).flatten().count()
}

/// A line of as few strokes as was found that clears the table, in playing order.
pub fn clear(known: &mut Known<'_>, balls: &Balls, budget: &mut Budget) -> Option<Vec<Stroke>> {
    let count = colours(balls);
    let usual = USUAL.get(count).copied().unwrap_or(count);
    let whole = budget.sims_left();
    let mut lines = Lines { known, budget: *budget, zeal: 0 };
    // Up from the usual number until there is a line, then down from it.
    let mut best = (usual..=count).find_map(|strokes| lines.within(balls, strokes));
    while let Some(shorter) = best.as_ref().map_or(0, Vec::len).checked_sub(1) {
        if shorter == 0 || lines.budget.is_spent() {
            break;
        }
        match lines.within(balls, shorter) {
            Some(line) => best = Some(line),
            None if lines.zeal < MOST_ZEAL => lines.zeal += 1,
            None => break,
        }
    }
    budget.settle(whole, &lines.budget);
    best.map(|mut line| {
        line.reverse();
        line
    })
}

impl Lines<'_, '_> {
    /// A line of at most `strokes` strokes, last stroke first.
    fn within(&mut self, balls: &Balls, strokes: usize) -> Option<Vec<Stroke>> {
        let left = strokes.checked_sub(1)?;
        for leaf in self.leaves(balls, strokes) {
            let rest =
                if leaf.left == 0 { Some(Vec::new()) } else { self.within(&leaf.balls, left) };
            if let Some(mut line) = rest {
                line.push(leaf.stroke);
                return Some(line);
            }
            if self.budget.is_spent() {
                break;
            }
        }
        None
    }

    /// The most promising strokes that pot, best first: fewest colours left, then easiest.
    fn leaves(&mut self, balls: &Balls, strokes: usize) -> Vec<Leaf> {
        let (before, most) = (colours(balls), MOST_AT_ONCE * (strokes - 1));
        let mut leaves = Vec::new();
        for stroke in self.candidates(balls, before > strokes) {
            let Some(outcome) = self.known.play(balls, stroke.into(), &mut self.budget) else {
                if self.budget.is_spent() {
                    break;
                }
                continue;
            };
            if outcome.falls.is_empty() || !Goal::Any.is_legal(outcome) {
                continue;
            }
            let balls = outcome.balls;
            let left = colours(&balls);
            if left == 0 {
                return vec![Leaf { stroke, balls, left, value: 0.0 }];
            }
            if left <= most {
                leaves.push(Leaf { stroke, balls, left, value: self.value(&balls) });
            }
        }
        leaves.sort_by(|a, b| a.left.cmp(&b.left).then(b.value.total_cmp(&a.value)));
        leaves.truncate(breadth(before, strokes) << self.zeal);
        leaves
    }

    /// Strokes by geometry at every colour; when `several` must go at once, many.
    fn candidates(&self, balls: &Balls, several: bool) -> Vec<Stroke> {
        let (scene, cloth) = (self.known.scene(balls), self.known.cloth());
        let mut strokes = Vec::new();
        for slot in scene.object_balls() {
            let fan = if several { self.double() } else { SINGLE };
            strokes.extend(candidates::direct(&scene, slot, cloth, fan));
            if several {
                strokes.extend(candidates::by_combination(&scene, slot, cloth, COMBINATION));
            }
        }
        if strokes.is_empty() {
            for slot in scene.object_balls() {
                strokes.extend(candidates::cushion(&scene, slot, cloth, CUSHION));
            }
            strokes.extend(candidates::around(AROUND, AROUND_POWER));
        }
        strokes
    }

    /// Strokes over each pot where two colours must go at once.
    const fn double(&self) -> Fan {
        Fan { directions: DOUBLE.directions + 2 * self.zeal, powers: DOUBLE.powers << self.zeal }
    }

    /// How easily single colours go from here.
    fn value(&self, balls: &Balls) -> f64 {
        let scene = self.known.scene(balls);
        scene.object_balls().map(|slot| ease(&scene, slot)).sum()
    }
}

/// Leaves to follow when `colours` must go within `strokes`.
const fn breadth(colours: usize, strokes: usize) -> usize {
    if colours <= strokes {
        4
    } else if strokes >= 3 {
        40
    } else {
        20
    }
}
