//! How likely a ball drops that rolls at a pocket: by its offset from the middle of the mouth and
//! its speed.
//!
//! No chance is drawn: a ball rolls at the pocket from every direction of a fan, one degree apart,
//! on every line of whole millimetres beside the aim point, and the share that drops is counted.

use cuebench_engine::shot::{Balls, Launch, Outcome, ShotError};
use cuebench_engine::table::{PocketSet, PocketShape, Table, TableSpec};
use cuebench_engine::units::Point;
use rayon::prelude::*;
use serde::Serialize;
use std::fmt::Write as _;

/// Speeds at the mouth, m/s.
const SPEEDS_M_S: [f64; 6] = [0.5, 1.0, 2.0, 3.0, 4.5, 6.0];
/// How far from the mouth the ball starts, mm.
const START_MM: f64 = 400.0;
/// Cloth speed, mm/s².
const CLOTH: u32 = 1_000;
/// Restitution of the rails, thousandths: a ball that is far off meets one before the jaw.
const RESTITUTION: u32 = 750;
/// Width of a row of offsets, mm.
const ROW_MM: i32 = 5;

/// Balls that rolled at a pocket, and what came of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// How many.
    pub balls: u32,
    /// How many of them dropped into the pocket.
    pub drops: u32,
    /// How many caught a jaw.
    pub caught: u32,
    /// How many of those dropped.
    pub caught_drops: u32,
}

impl Count {
    fn plus(self, other: Self) -> Self {
        Self {
            balls: self.balls + other.balls,
            drops: self.drops + other.drops,
            caught: self.caught + other.caught,
            caught_drops: self.caught_drops + other.caught_drops,
        }
    }
}

/// Balls at one speed and within a range of offsets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// `corner` or `middle`.
    pub pocket: &'static str,
    /// Least and greatest distance of the ball's line from the aim point, mm.
    pub offset_mm: [i32; 2],
    /// Speed at the mouth, m/s.
    pub speed_m_s: f64,
    /// What came of them.
    #[serde(flatten)]
    pub count: Count,
}

/// The acceptance of a set of pockets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Acceptance {
    /// The set.
    pub pockets: PocketSet,
    /// Corner pockets, then middle ones; by offset, then speed.
    pub cells: Vec<Cell>,
}

/// A kind of pocket and the fan of directions from which balls come.
struct Fan {
    name: &'static str,
    shape: PocketShape,
    /// Direction of the centre line, out of the table, degrees.
    axis_deg: i32,
    /// Greatest angle with the centre line, degrees.
    most_deg: i32,
}

impl Acceptance {
    /// Lets balls roll at the pockets of a set.
    ///
    /// # Errors
    /// None that a caller can cause: every start is a valid one.
    pub fn measure(pockets: PocketSet) -> Result<Self, ShotError> {
        let spec = TableSpec { pockets, cloth: CLOTH, restitution: RESTITUTION };
        let Ok(table) = Table::new(spec) else { unreachable!("the values are in range") };
        let shapes = table.geometry().pockets;
        let fans = [
            Fan { name: "corner", shape: shapes[0], axis_deg: 225, most_deg: 30 },
            Fan { name: "middle", shape: shapes[1], axis_deg: 270, most_deg: 45 },
        ];
        let mut wanted = Vec::new();
        for fan in &fans {
            let half_mm = fan.shape.measures.mouth_um / 2_000;
            for from_mm in (0..half_mm).step_by(ROW_MM as usize) {
                let offset_mm = [from_mm, (from_mm + ROW_MM).min(half_mm)];
                wanted.extend(SPEEDS_M_S.map(|speed_m_s| (fan, offset_mm, speed_m_s)));
            }
        }
        let cells: Result<Vec<Cell>, ShotError> = wanted
            .into_par_iter()
            .map(|(fan, offset_mm, speed_m_s)| {
                let count = fan.count(&table, offset_mm, speed_m_s)?;
                Ok(Cell { pocket: fan.name, offset_mm, speed_m_s, count })
            })
            .collect();
        Ok(Self { pockets, cells: cells? })
    }

    /// All balls at one speed, of one kind of pocket.
    #[must_use]
    pub fn at_speed(&self, pocket: &str, speed_m_s: f64) -> Count {
        self.cells
            .iter()
            .filter(|cell| cell.pocket == pocket && cell.speed_m_s == speed_m_s)
            .fold(Count::default(), |sum, cell| sum.plus(cell.count))
    }

    /// Two tables in Markdown, percent.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail, here and below.
        for pocket in ["corner", "middle"] {
            let _ = write!(text, "| {} {pocket}: offset, mm |", self.pockets);
            for speed in SPEEDS_M_S {
                let _ = write!(text, " {speed} m/s |");
            }
            let _ = writeln!(text, "\n| ---{} |", " | ---:".repeat(SPEEDS_M_S.len()));
            let cells: Vec<&Cell> =
                self.cells.iter().filter(|cell| cell.pocket == pocket).collect();
            for row in cells.chunks(SPEEDS_M_S.len()) {
                let [from, to] = row[0].offset_mm;
                let _ = write!(text, "| {from} to {to} |");
                for cell in row {
                    let _ = write!(text, " {} |", percent(cell.count.drops, cell.count.balls));
                }
                text.push('\n');
            }
            text.push_str("| of those that catch a jaw |");
            for speed in SPEEDS_M_S {
                let count = self.at_speed(pocket, speed);
                let _ = write!(text, " {} |", percent(count.caught_drops, count.caught));
            }
            text.push_str("\n\n");
        }
        text
    }
}

fn percent(part: u32, whole: u32) -> String {
    if whole == 0 {
        return String::new();
    }
    format!("{:.1}", 100.0 * f64::from(part) / f64::from(whole))
}

impl Fan {
    /// Balls on every line within the offsets, the first one included and the last one not, from
    /// every direction of the fan.
    fn count(
        &self,
        table: &Table,
        [from_mm, to_mm]: [i32; 2],
        speed_m_s: f64,
    ) -> Result<Count, ShotError> {
        let (mut count, mut outcome) = (Count::default(), Outcome::default());
        for offset_mm in from_mm..to_mm {
            for turn_deg in -self.most_deg..=self.most_deg {
                self.roll(table, turn_deg, f64::from(offset_mm), speed_m_s, &mut outcome)?;
                let drops = outcome.falls.iter().any(|fall| fall.pocket == self.shape.pocket);
                let caught = outcome.jaw_contacts > 0;
                count = count.plus(Count {
                    balls: 1,
                    drops: drops.into(),
                    caught: caught.into(),
                    caught_drops: (drops && caught).into(),
                });
            }
        }
        Ok(count)
    }

    /// A ball that rolls at the pocket in a direction `turn_deg` off its centre line.
    fn roll(
        &self,
        table: &Table,
        turn_deg: i32,
        offset_mm: f64,
        speed_m_s: f64,
        outcome: &mut Outcome,
    ) -> Result<(), ShotError> {
        let angle_deg = self.axis_deg + turn_deg;
        let (sin, cos) = libm::sincos(f64::from(angle_deg).to_radians());
        let aim = self.shape.aim;
        let start = |aim_um: i32, along: f64, left: f64| {
            aim_um + (1e3 * (offset_mm * left - START_MM * along)).round() as i32
        };
        let mut balls = Balls::default();
        balls.at[0] = Some(Point::new(start(aim.x_um, cos, -sin), start(aim.y_um, sin, cos)));
        // v² grows by 2 a s over the way back to the start.
        let squared = (speed_m_s * 1e6).powi(2) + 2.0 * f64::from(CLOTH) * 1e3 * START_MM * 1e3;
        let launch = Launch::new(angle_deg as u32 * 1_000, squared.sqrt().round() as u32);
        let Ok(launch) = launch else { unreachable!("angle and speed are in range") };
        table.launch_into(&balls, launch, outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_ball_that_catches_a_jaw_is_carried_on_and_a_fast_one_rattles_out() {
        let corner = |pockets, speed| {
            let count = Acceptance::measure(pockets).unwrap().at_speed("corner", speed);
            f64::from(count.caught_drops) / f64::from(count.caught)
        };
        let [slow, fast] = [1.0, 6.0].map(|speed| corner(PocketSet::Snooker, speed));
        assert!(slow > fast + 0.05, "{slow} at 1 m/s, {fast} at 6 m/s");
    }

    #[test]
    fn the_middle_of_the_mouth_takes_every_ball_and_the_chance_falls_beside_it() {
        for pockets in PocketSet::ALL {
            let acceptance = Acceptance::measure(pockets).unwrap();
            let corners: Vec<&Cell> =
                acceptance.cells.iter().filter(|cell| cell.pocket == "corner").collect();
            assert!(corners.iter().take(6).all(|cell| cell.count.drops == cell.count.balls));
            let last = corners[corners.len() - 1].count;
            assert!(2 * last.drops < last.balls, "{pockets}: {last:?}");
        }
    }
}
