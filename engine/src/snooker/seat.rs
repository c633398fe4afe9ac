//! One seat's table: from its start to its close, a value that can be cloned and stored.

use super::ball::{Ball, BallList};
use super::judge::{Fouls, Judged, judge, lowest_colour};
use super::layout::{starting_position, table_values};
use super::noise::AimNoise;
use super::options::{Options, Order, TableOption};
use super::outcome::{Closed, SeatResult};
use super::place::nearest_free_place;
use super::view::{BallOn, PublicView, TableValues};
use crate::game::Seed;
use crate::shot::{Balls, BallsError, Launch, Outcome, ShotError, Stroke, StrokeError};
use crate::table::{Table, TableError, TableSpec};

/// The time that each seat has for its whole table, ms.
pub const CLOCK_MS: u64 = 30_000;

/// Everything that fixes a race before its first stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// The seed: the layout follows from its public part, hidden values and aiming noise from its
    /// hidden part.
    pub seed: Seed,
    /// The options that both seats see.
    pub options: Options,
    /// Aiming noise, the same for both seats.
    pub noise: Option<AimNoise>,
    /// The time of a seat for its whole table, ms; `None` runs no clock.
    pub clock_ms: Option<u64>,
}

impl Setup {
    /// The standard race with `seed`: default options, no secret, no noise, no clock.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let seed = Seed::open(seed);
        Self { seed, options: Options::default(), noise: None, clock_ms: None }
    }
}

/// A stroke as it is asked for, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Action {
    /// Thousandths of a degree anticlockwise from +x, 0..=359999.
    pub angle: u32,
    /// 1..=1000; the white leaves at 6000 µm/s times this.
    pub power: u32,
}

impl From<Stroke> for Action {
    fn from(stroke: Stroke) -> Self {
        Self { angle: stroke.angle_mdeg(), power: stroke.power() }
    }
}

/// Why a table could not be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Cloth speed or restitution out of range.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Balls that overlap or lie off the table.
    #[error(transparent)]
    Balls(#[from] BallsError),
    /// There is nothing to strike.
    #[error("the white is not on the table; give its place")]
    NoWhite,
    /// There is nothing to clear.
    #[error("no colour is on the table; give the place of at least one")]
    NoColour,
}

/// Why a stroke was refused. The table is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// Angle or power out of range.
    #[error(transparent)]
    Stroke(#[from] StrokeError),
    /// The table takes no more strokes.
    #[error("the table is closed ({})", .0.name())]
    Closed(Closed),
    /// The time handed in is less than at the stroke before.
    #[error("time runs backwards: {given_ms} ms after {before_ms} ms")]
    Time {
        /// Time of the stroke before, ms.
        before_ms: u64,
        /// Time as given, ms.
        given_ms: u64,
    },
    /// The shot engine refused the position.
    #[error(transparent)]
    Shot(#[from] ShotError),
}

impl StepError {
    /// Its number in the arrays of a batch: 1 stroke out of range, 2 table closed, 3 time,
    /// 4 position refused by the shot engine.
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            Self::Stroke(_) => 1,
            Self::Closed(_) => 2,
            Self::Time { .. } => 3,
            Self::Shot(_) => 4,
        }
    }
}

/// What one step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Change of the score: points scored or minus the penalty.
    pub score_change: i32,
    /// Why the table is closed now, if it is.
    pub closed: Option<Closed>,
}

/// One seat's table. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SeatTable {
    pub(super) setup: Setup,
    pub(super) table: Table,
    pub(super) starts: Balls,
    pub(super) balls: Balls,
    pub(super) score: i32,
    pub(super) strokes: u32,
    pub(super) time_ms: u64,
    pub(super) closed: Option<Closed>,
    pub(super) last: LastShot,
}

/// What is public of the last stroke.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LastShot {
    pub first_hit: Option<Ball>,
    pub potted: BallList,
    pub fouls: Fouls,
    pub penalty: u32,
}

impl SeatTable {
    /// The table at its start.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let table = Table::within(table_values(setup.seed, &setup.options));
        let starts = starting_position(setup.seed.public, &setup.options);
        Self::open(setup, table, starts)
    }

    /// A table that starts from given balls and values, for study and tests. These places are
    /// the starting positions to which balls return; colours that are absent have gone.
    ///
    /// # Errors
    /// When the values are out of range, balls overlap or lie off the table, or the white or
    /// every colour is missing.
    pub fn from_position(
        setup: Setup,
        balls: Balls,
        values: TableValues,
    ) -> Result<Self, SetupError> {
        let TableValues { cloth, restitution } = values;
        let table = Table::new(TableSpec { pockets: setup.options.pockets, cloth, restitution })?;
        table.check(&balls)?;
        if balls.at[Ball::White.slot()].is_none() {
            return Err(SetupError::NoWhite);
        }
        if lowest_colour(&balls).is_none() {
            return Err(SetupError::NoColour);
        }
        Ok(Self::open(setup, table, balls))
    }

    fn open(setup: Setup, table: Table, starts: Balls) -> Self {
        Self {
            setup,
            table,
            starts,
            balls: starts,
            score: 0,
            strokes: 0,
            time_ms: 0,
            closed: None,
            last: LastShot::default(),
        }
    }

    /// Starts the race with `seed` under the same options, noise and clock.
    pub fn reset(&mut self, seed: Seed) {
        *self = Self::new(Setup { seed, ..self.setup });
    }

    /// Plays a stroke at no time: the form for training.
    ///
    /// # Errors
    /// [`StepError`], with the table unchanged, for a stroke out of range or a closed table.
    pub fn step(&mut self, action: Action) -> Result<Step, StepError> {
        self.step_at(action, self.time_ms, &mut Outcome::default())
    }

    /// Plays a stroke that was answered `time_ms` after the start of the game (the seat's own
    /// time). After the limit of the clock the stroke does not count: the table closes by time.
    /// `outcome` is overwritten with the shot; its buffers are reused.
    ///
    /// # Errors
    /// [`StepError`], with the table unchanged.
    pub fn step_at(
        &mut self,
        action: Action,
        time_ms: u64,
        outcome: &mut Outcome,
    ) -> Result<Step, StepError> {
        if let Some(closed) = self.closed {
            return Err(StepError::Closed(closed));
        }
        if time_ms < self.time_ms {
            return Err(StepError::Time { before_ms: self.time_ms, given_ms: time_ms });
        }
        let stroke = Stroke::new(action.angle, action.power)?;
        if self.setup.clock_ms.is_some_and(|limit| time_ms > limit) {
            self.time_out();
            return Ok(Step { score_change: 0, closed: self.closed });
        }
        let launch = self.launch(stroke);
        self.table.launch_into(&self.balls, launch, outcome)?;
        self.time_ms = time_ms;
        Ok(self.settle(outcome))
    }

    /// Closes an open table because its time has run out.
    pub fn time_out(&mut self) {
        if self.closed.is_none() {
            self.time_ms = self.setup.clock_ms.unwrap_or(self.time_ms);
            self.closed = Some(Closed::Time);
        }
    }

    /// What really leaves the cue when `stroke` is meant now: for the harness, as it tells the
    /// aiming noise.
    #[must_use]
    pub fn launch(&self, stroke: Stroke) -> Launch {
        let Setup { seed, noise, .. } = self.setup;
        noise.map_or_else(|| stroke.into(), |n| n.play(stroke, seed.hidden, self.strokes))
    }

    /// Takes over a finished shot: score, balls put back, close.
    fn settle(&mut self, outcome: &Outcome) -> Step {
        let judged = judge(&self.balls, outcome, self.setup.options.order);
        self.balls = outcome.balls;
        for &ball in &judged.replaced {
            self.balls.at[ball.slot()] = self.starts.at[ball.slot()]
                .map(|start| nearest_free_place(self.setup.options.pockets, start, &self.balls));
        }
        let score_change = judged.score_change();
        self.score = self.score.saturating_add(score_change);
        self.strokes += 1;
        self.closed = self.close_reason();
        let Judged { first_hit, potted, fouls, penalty, .. } = judged;
        self.last = LastShot { first_hit, potted, fouls, penalty };
        Step { score_change, closed: self.closed }
    }

    fn close_reason(&self) -> Option<Closed> {
        if lowest_colour(&self.balls).is_none() {
            return Some(Closed::Cleared);
        }
        (self.strokes >= self.setup.options.max_shots.get()).then_some(Closed::Shots)
    }

    /// What the seat sees: hidden values only once the table is closed.
    #[must_use]
    pub fn observe(&self) -> PublicView {
        let LastShot { first_hit, potted, fouls, penalty } = self.last.clone();
        let public = self.setup.options.table == TableOption::Known || self.closed.is_some();
        PublicView {
            balls: self.balls,
            ball_on: self.ball_on(),
            score: self.score,
            strokes: self.strokes,
            first_hit,
            potted,
            fouls,
            penalty,
            closed: self.closed,
            table: public.then(|| self.values()),
        }
    }

    /// What may be hit first and potted; `None` once the table is cleared.
    #[must_use]
    pub fn ball_on(&self) -> Option<BallOn> {
        let lowest = lowest_colour(&self.balls)?;
        Some(match self.setup.options.order {
            Order::Snooker => BallOn::Colour(lowest),
            Order::Any => BallOn::Any,
        })
    }

    /// The seat's result, once its table is closed.
    #[must_use]
    pub fn result(&self) -> Option<SeatResult> {
        let &Self { score, strokes, time_ms, .. } = self;
        self.closed.map(|closed| SeatResult { score, strokes, time_ms, closed })
    }

    /// Why the table is closed, if it is.
    #[must_use]
    pub const fn closed(&self) -> Option<Closed> {
        self.closed
    }

    /// Points so far.
    #[must_use]
    pub const fn score(&self) -> i32 {
        self.score
    }

    /// Strokes played.
    #[must_use]
    pub const fn strokes(&self) -> u32 {
        self.strokes
    }

    /// The fouls of the last stroke.
    #[must_use]
    pub const fn last_fouls(&self) -> Fouls {
        self.last.fouls
    }

    /// Time of the last stroke from the start of the game, ms.
    #[must_use]
    pub const fn time_ms(&self) -> u64 {
        self.time_ms
    }

    /// Where the balls are now.
    #[must_use]
    pub const fn balls(&self) -> &Balls {
        &self.balls
    }

    /// Where the balls started, and return to.
    #[must_use]
    pub const fn starts(&self) -> &Balls {
        &self.starts
    }

    /// What fixed the race before its first stroke.
    #[must_use]
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The table itself, hidden values included: for the harness, never for an agent.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// Cloth speed and restitution, hidden or not: for the harness, never for an agent.
    #[must_use]
    pub fn values(&self) -> TableValues {
        self.table.spec().into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::Foul;
    use super::*;
    use crate::shot::Fall;
    use crate::table::Pocket;
    use crate::units::Point;

    fn table(places: &[(Ball, i32, i32)], order: Order) -> SeatTable {
        let mut balls = Balls::default();
        for &(ball, x, y) in places {
            balls.at[ball.slot()] = Some(Point::new(x, y));
        }
        let options = Options { order, ..Options::default() };
        let setup = Setup { options, ..Setup::new(0) };
        let values = TableValues { cloth: 1000, restitution: 750 };
        SeatTable::from_position(setup, balls, values).expect("a position")
    }

    /// The outcome in which `fallen` fell in this order and the others came to rest as given.
    fn outcome(first_hit: Option<Ball>, fallen: &[Ball], rest: &[(Ball, i32, i32)]) -> Outcome {
        let mut outcome = Outcome::default();
        for &(ball, x, y) in rest {
            outcome.balls.at[ball.slot()] = Some(Point::new(x, y));
        }
        outcome.first_hit = first_hit.map(|ball| ball as u8);
        for &ball in fallen {
            let fall = Fall { ball: ball as u8, pocket: Pocket::BottomLeft, time_ns: 1 };
            outcome.falls.push(fall);
        }
        outcome
    }

    fn at(table: &SeatTable, ball: Ball) -> (i32, i32) {
        let place = table.balls.at[ball.slot()].expect("on the table");
        (place.x_um, place.y_um)
    }

    /// settled.return_order: the black is placed first, on the far side of the pink that took its
    /// spot, and so takes the yellow's; the white finds its own taken by the yellow.
    #[test]
    fn colours_return_highest_first_and_the_white_last() {
        let starts = [
            (Ball::White, 943_000, 300_000),
            (Ball::Yellow, 1_001_000, 300_000),
            (Ball::Pink, 600_000, 900_000),
            (Ball::Black, 1_059_000, 300_000),
        ];
        let mut table = table(&starts, Order::Snooker);
        let fallen = [Ball::Yellow, Ball::White, Ball::Black];
        let pink = [(Ball::Pink, 1_059_000, 300_000)];
        let step = table.settle(&outcome(Some(Ball::Yellow), &fallen, &pink));
        assert_eq!(step.score_change, -7);
        assert_eq!(table.last.potted.as_slice(), fallen);
        // 57000² + 1 is the least squared distance from the pink; ties to the smaller x, then y.
        assert_eq!(at(&table, Ball::Black), (1_002_000, 299_999));
        let (x, y) = at(&table, Ball::Yellow);
        assert!(x < 946_000 && (y - 300_000).abs() < 2_000, "{x} {y}");
        let (x, _) = at(&table, Ball::White);
        assert!(x < 943_000 - 50_000, "{x}");
        assert!(table.table.check(&table.balls).is_ok());
    }

    #[test]
    fn penalties_take_the_highest_ball_involved() {
        use Ball::{Black, Blue, Pink, White, Yellow};
        let starts = [
            (White, 300_000, 300_000),
            (Yellow, 600_000, 300_000),
            (Blue, 900_000, 300_000),
            (Pink, 1_200_000, 300_000),
            (Black, 1_500_000, 300_000),
        ];
        for (order, first, fallen, points, fouls) in [
            (Order::Snooker, Some(Yellow), vec![Yellow], 2, vec![]),
            (Order::Snooker, Some(Yellow), vec![], 0, vec![]),
            (Order::Snooker, Some(Yellow), vec![Blue], -5, vec![Foul::WrongBallPotted]),
            (Order::Snooker, Some(Yellow), vec![Yellow, Pink], -6, vec![Foul::WrongBallPotted]),
            (Order::Snooker, Some(Black), vec![Yellow], -7, vec![Foul::WrongFirstContact]),
            (
                Order::Snooker,
                Some(Blue),
                vec![Pink, White],
                -6,
                vec![Foul::WhitePotted, Foul::WrongFirstContact, Foul::WrongBallPotted],
            ),
            (Order::Snooker, None, vec![], -4, vec![Foul::NoBallHit]),
            (Order::Any, Some(Pink), vec![Blue, Black], 12, vec![]),
            (Order::Any, Some(Pink), vec![Blue, White], -6, vec![Foul::WhitePotted]),
            (Order::Any, Some(Yellow), vec![White, Black], -7, vec![Foul::WhitePotted]),
            (Order::Any, None, vec![White], -4, vec![Foul::NoBallHit, Foul::WhitePotted]),
        ] {
            let mut table = table(&starts, order);
            let gone = |ball: Ball| fallen.contains(&ball);
            let rest: Vec<_> = starts.into_iter().filter(|(ball, ..)| !gone(*ball)).collect();
            let step = table.settle(&outcome(first, &fallen, &rest));
            assert_eq!(step.score_change, points, "{order} {first:?} {fallen:?}");
            assert_eq!(table.last.fouls.iter().collect::<Vec<_>>(), fouls);
            assert_eq!(table.last.penalty as i32, -points.min(0));
            let replaced = !fouls.is_empty();
            for ball in fallen {
                assert_eq!(table.balls.at[ball.slot()].is_some(), replaced, "{ball}");
            }
        }
    }
}
