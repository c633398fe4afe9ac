//! Current standings, while an event runs: cheap sums, not the ratings of the end.

use super::collect::counted;
use super::load::Load;
use super::points::Points;
use super::runner::Audience;
use crate::output::progress::Progress;
use crate::output::rows::tournament::GameRow;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// How often standings are shown.
const PERIOD: Duration = Duration::from_secs(3);
/// Bots that are shown.
const SHOWN: usize = 6;

/// A bot's sum.
#[derive(Clone, Debug)]
struct Sum {
    bot: String,
    games: u64,
    points: f64,
    forfeits: u64,
}

/// The standings, shown with the progress.
pub struct Standings {
    sums: Vec<Sum>,
    bar: Progress,
    shown: Instant,
    load: Load,
}

impl Standings {
    /// Standings of an event of `total` games, `done` of which were played before.
    #[must_use]
    pub fn new(bots: &[String], total: u64, done: u64) -> Self {
        let sum = |bot: &String| Sum { bot: bot.clone(), games: 0, points: 0.0, forfeits: 0 };
        Self {
            sums: bots.iter().map(sum).collect(),
            bar: Progress::start(total, done, "games"),
            shown: Instant::now(),
            load: Load::default(),
        }
    }

    /// Takes a game that was played before.
    pub fn add(&mut self, row: &GameRow) {
        let Some(points) = counted(row) else { return };
        for (bot, points, reason) in
            [(&row.bot_a, points, &row.reason_a), (&row.bot_b, points.other(), &row.reason_b)]
        {
            if let Some(sum) = self.sums.iter_mut().find(|sum| sum.bot == *bot) {
                sum.games += 1;
                sum.points += points.value();
                sum.forfeits += u64::from(reason != "play");
            }
        }
    }

    /// Counts a game of two bots that was played before; void games are not.
    pub fn count(&mut self, [a, b]: [usize; 2], points: Points) {
        for (bot, points) in [(a, points), (b, points.other())] {
            self.sums[bot].games += 1;
            self.sums[bot].points += points.value();
        }
    }

    /// The greatest load of the machine so far, with now.
    #[must_use]
    pub fn load(&mut self) -> Option<f64> {
        self.load.look();
        self.load.greatest()
    }

    /// The standings in one line.
    #[must_use]
    pub fn words(&self) -> String {
        let mut order: Vec<&Sum> = self.sums.iter().filter(|sum| sum.games > 0).collect();
        let share = |sum: &Sum| sum.points / sum.games as f64;
        order.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.bot.cmp(&b.bot)));
        let mut text = String::new();
        for sum in order.iter().take(SHOWN) {
            // Writing to a String cannot fail.
            let _ = write!(text, "{} {}/{} ", sum.bot, sum.points, sum.games);
            if sum.forfeits > 0 {
                let _ = write!(text, "({} broken off) ", sum.forfeits);
            }
        }
        text.trim_end().to_owned()
    }
}

impl Audience for Standings {
    fn game(&mut self, row: &GameRow) {
        self.add(row);
        self.bar.add(1);
    }

    fn tick(&mut self) {
        if self.shown.elapsed() < PERIOD {
            return;
        }
        self.shown = Instant::now();
        self.load.look();
        self.bar.say(self.words());
    }
}
