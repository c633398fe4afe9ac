//! Pots on the shot engine with aiming noise, logged with their true geometry.
//!
//! A frame is up to 20 shots. Each is the direct pot with the best chance; the white is aimed at the
//! middle of the window and struck with normal errors of angle and speed. Position is had if a
//! direct pot with a chance of one half is on afterwards. White and balls stay where they come to
//! rest; a white that fell, and balls when fewer than two are left or no pot is on, are laid out
//! anew at random.

use super::simulate::Shooter;
use crate::shot_log::schema::{MISS, MISS_SCRATCH, POT_NO_POSITION, POT_POSITION, POT_SCRATCH};
use anyhow::{Context as _, ensure};
use cuebench_agents::aim::{Pockets, Pot, Scene, WHITE, direct_pots, to_mdeg};
use cuebench_engine::rng::{Purpose, Rng, stream};
use cuebench_engine::shot::{Balls, Launch, MAX_LAUNCH_UM_S, Outcome};
use cuebench_engine::table::{PocketSet, Table, TableSpec};
use cuebench_engine::units::{BALL_DIAMETER_UM, LENGTH_UM, Point, WIDTH_UM};
use rand::RngExt as _;

/// Shots of a frame.
const SHOTS: usize = 20;
/// Tries to find a free place, or a layout with a pot on.
const TRIES: usize = 1_000;
/// Chance from which a pot counts as on.
const ON: f64 = 0.5;
/// The skill at which the noise is what the options say.
const USUAL_SKILL: f64 = 2.0;
/// How much faster than needed the white is struck.
const SPARE_SPEED: f64 = 1.4;

/// The noise and the table.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct NoiseOptions {
    /// With --physics: standard deviation of the angle at skill 2, thousandths of a degree.
    #[arg(long, value_name = "MDEG", default_value_t = 400.0)]
    sigma_angle_mdeg: f64,
    /// With --physics: standard deviation of the speed at skill 2, share of the speed.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    sigma_power: f64,
    /// With --physics: object balls in a layout, 2 to 15.
    #[arg(long, value_name = "N", default_value_t = 7)]
    balls: usize,
    /// With --physics: how fast a rolling ball slows, mm/s².
    #[arg(long, value_name = "MM_S2", default_value_t = 300)]
    cloth: u32,
    /// With --physics: share of the speed into a rail that comes back, thousandths.
    #[arg(long, value_name = "THOUSANDTHS", default_value_t = 750)]
    restitution: u32,
}

/// One shot of the log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhysicalShot {
    /// The player, as an index.
    pub player: usize,
    /// The other player.
    pub opponent: usize,
    /// Cut angle (degrees), object ball to pocket and cue ball to contact (mm).
    pub geometry: [f64; 3],
    /// The result of a called shot, as in the schema.
    pub result: usize,
}

/// Everything that frames share.
#[derive(Debug)]
pub struct Workshop {
    table: Table,
    pockets: Pockets,
    options: NoiseOptions,
    skills: Vec<f64>,
}

impl Workshop {
    /// A table for these players.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn new(options: &NoiseOptions, players: &[Shooter]) -> anyhow::Result<Self> {
        ensure!(
            (0.0..=20_000.0).contains(&options.sigma_angle_mdeg),
            "--sigma-angle-mdeg {}: give 0 to 20000",
            options.sigma_angle_mdeg
        );
        ensure!(
            (0.0..=1.0).contains(&options.sigma_power),
            "--sigma-power {}: give 0 to 1",
            options.sigma_power
        );
        ensure!((2..=15).contains(&options.balls), "--balls {}: give 2 to 15", options.balls);
        let spec = TableSpec {
            pockets: PocketSet::Pool,
            cloth: options.cloth,
            restitution: options.restitution,
        };
        let table = Table::new(spec).context("--cloth, --restitution")?;
        Ok(Self {
            table,
            pockets: Pockets::of(table.geometry()),
            options: *options,
            skills: players.iter().map(|player| player.skill).collect(),
        })
    }

    /// Frame `index` under `seed`: two players in turn by index, the first begins.
    ///
    /// # Errors
    /// When no layout with a pot on is found, or the engine refuses one.
    pub fn frame(&self, seed: u64, index: u64) -> anyhow::Result<Vec<PhysicalShot>> {
        let mut rng = stream(seed, Purpose::Log, index);
        let count = self.skills.len();
        let first = (index % count as u64) as usize;
        let distance = 1 + (index / count as u64 % (count as u64 - 1)) as usize;
        let mut seats = [first, (first + distance) % count];
        let mut balls = self.layout(&mut rng)?;
        let mut outcome = Outcome::default();
        let mut shots = Vec::with_capacity(SHOTS);
        while shots.len() < SHOTS {
            let Some(pot) = self.best(&balls, seats[0]) else {
                balls = self.layout(&mut rng)?;
                continue;
            };
            let launch = self.aimed(&pot, seats[0], &mut rng)?;
            self.table.launch_into(&balls, launch, &mut outcome)?;
            let result = self.judge(&pot, &outcome, seats[0]);
            shots.push(PhysicalShot {
                player: seats[0],
                opponent: seats[1],
                geometry: geometry(&pot),
                result,
            });
            if !matches!(result, POT_POSITION | POT_NO_POSITION) {
                seats.swap(0, 1);
            }
            balls = self.next(&outcome.balls, &mut rng)?;
        }
        Ok(shots)
    }

    fn angle_sigma(&self, player: usize) -> f64 {
        (self.options.sigma_angle_mdeg / 1000.0).to_radians() * self.noise(player)
    }

    /// What a player's skill makes of the noise.
    fn noise(&self, player: usize) -> f64 {
        libm::exp2(USUAL_SKILL - self.skills[player])
    }

    /// The direct pot with the best chance for a player, if one is not blocked.
    fn best(&self, balls: &Balls, player: usize) -> Option<Pot> {
        let share = f64::from(self.options.restitution) / 1000.0;
        let scene = Scene::new(&self.pockets, share, balls);
        let sigma = self.angle_sigma(player);
        scene
            .object_balls()
            .flat_map(|target| direct_pots(&scene, target))
            .filter(|pot| pot.clearance_um >= 0.0)
            .max_by(|a, b| a.chance(sigma).total_cmp(&b.chance(sigma)))
    }

    fn aimed(&self, pot: &Pot, player: usize, rng: &mut Rng) -> anyhow::Result<Launch> {
        let [angle_error, speed_error] = normals(rng);
        let angle = pot.aim.middle() + self.angle_sigma(player) * angle_error;
        let wanted = SPARE_SPEED * pot.least_speed_um_s(f64::from(self.options.cloth));
        let error = 1.0 + self.options.sigma_power * self.noise(player) * speed_error;
        let speed = (wanted * error).clamp(1.0, f64::from(MAX_LAUNCH_UM_S));
        Ok(Launch::new(to_mdeg(angle), speed as u32)?)
    }

    fn judge(&self, pot: &Pot, outcome: &Outcome, player: usize) -> usize {
        let potted =
            outcome.falls.iter().any(|fall| fall.ball == pot.target && fall.pocket == pot.pocket);
        let scratched = outcome.falls.iter().any(|fall| usize::from(fall.ball) == WHITE);
        match (potted, scratched) {
            (true, true) => POT_SCRATCH,
            (false, true) => MISS_SCRATCH,
            (false, false) => MISS,
            (true, false) => {
                let sigma = self.angle_sigma(player);
                let on = self.best(&outcome.balls, player).is_some_and(|p| p.chance(sigma) >= ON);
                if on { POT_POSITION } else { POT_NO_POSITION }
            }
        }
    }

    /// The position for the next shot.
    fn next(&self, after: &Balls, rng: &mut Rng) -> anyhow::Result<Balls> {
        let mut balls = *after;
        if balls.on_table().filter(|(slot, _)| *slot != WHITE).count() < 2 {
            return self.layout(rng);
        }
        if balls.at[WHITE].is_none() {
            self.place(&mut balls, WHITE, rng)?;
        }
        Ok(balls)
    }

    fn layout(&self, rng: &mut Rng) -> anyhow::Result<Balls> {
        for _ in 0..TRIES {
            let mut balls = Balls::default();
            for slot in 0..=self.options.balls {
                self.place(&mut balls, slot, rng)?;
            }
            if (0..self.skills.len()).all(|player| self.best(&balls, player).is_some()) {
                return Ok(balls);
            }
        }
        anyhow::bail!("no layout of {} balls with a direct pot was found", self.options.balls)
    }

    /// Lays a ball at a random free place.
    fn place(&self, balls: &mut Balls, slot: usize, rng: &mut Rng) -> anyhow::Result<()> {
        let within = |rng: &mut Rng, length: i32| {
            rng.random_range(BALL_DIAMETER_UM..length - BALL_DIAMETER_UM)
        };
        for _ in 0..TRIES {
            balls.at[slot] = Some(Point::new(within(rng, LENGTH_UM), within(rng, WIDTH_UM)));
            if self.table.check(balls).is_ok() {
                return Ok(());
            }
        }
        anyhow::bail!("no free place for a ball was found")
    }
}

/// Cut angle (degrees), object ball to pocket and cue ball to contact (mm).
fn geometry(pot: &Pot) -> [f64; 3] {
    let theta = libm::acos(pot.cos_cut.clamp(0.0, 1.0)).to_degrees();
    [theta, pot.object_um / 1000.0, pot.white_um / 1000.0]
}

/// Two independent normal numbers (Box and Muller 1958).
fn normals(rng: &mut Rng) -> [f64; 2] {
    let radius = (-2.0 * libm::log(1.0 - rng.random::<f64>())).sqrt();
    let turn = std::f64::consts::TAU * rng.random::<f64>();
    [radius * libm::cos(turn), radius * libm::sin(turn)]
}
