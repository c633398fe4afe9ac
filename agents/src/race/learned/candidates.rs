//! Candidate strokes with what the policy network sees of each.

use super::features::{POLICY_INPUTS, Position, Row, clear, pot_inputs, wide};
use crate::aim::{Cushion, Pot, Route, Vec2, WHITE, to_mdeg};
use cuebench_engine::shot::Stroke;
use cuebench_engine::units::{LENGTH_UM, MAX_POWER, SPEED_PER_POWER_UM_S};

/// Names of the policy network's inputs, in order; units and scales as in
/// [`super::features::VALUE_NAMES`]. `thin` is the aim's share of the half-window away from the
/// middle of the ball; `after_*` is the next colour's widest pot from where the white would stop
/// on an empty table.
pub const POLICY_NAMES: [&str; POLICY_INPUTS] = [
    "pot_w",
    "pot_cos_cut",
    "pot_white",
    "pot_object",
    "pot_clear",
    "pot_middle",
    "pot_entry",
    "speed",
    "log_speed_ratio",
    "thin",
    "cloth",
    "restitution",
    "left",
    "chance",
    "noise_angle",
    "noise_speed",
    "after_w",
    "after_cos_cut",
    "after_white",
    "after_clear",
    "after_cushion",
    "path_clear",
    "path_bounces",
    "path_pocket",
];

/// How many strokes are laid over the pots of a position.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidateConfig {
    /// Direct pots at most, widest window first.
    pub pots: usize,
    /// Launch speeds as multiples of the least that carries the ball home.
    pub speed_ratios: Vec<f64>,
    /// Aims across the window, in half-widths away from the middle of the ball.
    pub thins: Vec<f64>,
}

impl CandidateConfig {
    /// The candidates that are weighed before simulation.
    #[must_use]
    pub fn wide() -> Self {
        Self {
            pots: 6,
            speed_ratios: vec![1.04, 1.2, 1.4, 1.7, 2.1, 2.6, 3.3, 4.2],
            thins: vec![0.0, -0.5, 0.5],
        }
    }

    /// The few candidates of a policy that never simulates.
    #[must_use]
    pub fn narrow() -> Self {
        Self { pots: 3, speed_ratios: vec![1.1, 1.4, 1.9, 2.6], thins: vec![0.0] }
    }
}

/// One stroke that geometry suggests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The pot it is meant for.
    pub pot: Pot,
    /// 1 when the ball lies clockwise of the aim (thinner is anticlockwise), else -1.
    pub side: f64,
    /// Aim in half-windows away from the middle of the ball.
    pub thin: f64,
    /// Launch speed, µm/s.
    pub speed_um_s: f64,
    /// What the policy network sees.
    pub inputs: [f32; POLICY_INPUTS],
}

impl Candidate {
    /// The stroke, moved by a residual: `thin` in half-windows, `log_speed` in logarithms.
    #[must_use]
    pub fn stroke(&self, thin: f64, log_speed: f64) -> Option<Stroke> {
        let aim = self.pot.aim;
        let aside = self.side * (self.thin + thin) * aim.half_width();
        let speed = self.speed_um_s * libm::exp(log_speed);
        let power = (speed / f64::from(SPEED_PER_POWER_UM_S)).round();
        let power = power.clamp(1.0, f64::from(MAX_POWER)) as u32;
        Stroke::new(to_mdeg(aim.middle() + aside), power).ok()
    }
}

/// The candidates for the open direct pots of a position: the ball on, or with `any` every
/// colour.
#[must_use]
pub fn candidates(position: &Position<'_>, any: bool, config: &CandidateConfig) -> Vec<Candidate> {
    let mut list = Vec::new();
    for pot in position.target_pots(any).iter().take(config.pots) {
        let least = pot.least_speed_um_s(f64::from(position.values.cloth));
        for ratio in &config.speed_ratios {
            let speed = least * ratio;
            if speed > f64::from(SPEED_PER_POWER_UM_S) * f64::from(MAX_POWER) {
                break;
            }
            let leave = Leave::predict(position, pot, speed);
            let candidate = |&thin| candidate(position, pot, speed, thin, *ratio, &leave);
            list.extend(config.thins.iter().map(candidate));
        }
    }
    list
}

fn candidate(
    position: &Position<'_>,
    pot: &Pot,
    speed_um_s: f64,
    thin: f64,
    ratio: f64,
    leave: &Leave,
) -> Candidate {
    let mut row = Row::<POLICY_INPUTS>::default();
    row.extend(pot_inputs(pot));
    let mouth = &position.scene.pockets.0[pot.pocket as usize];
    row.push(f64::from(u8::from(mouth.outward.x.abs() < 1e-9)));
    let onward = position.scene.at[usize::from(pot.target)].map(|at| (mouth.fall - at).unit());
    row.push(onward.map_or(0.0, |direction| direction.dot(mouth.outward)));
    row.push(speed_um_s / (f64::from(SPEED_PER_POWER_UM_S) * f64::from(MAX_POWER)));
    row.push(libm::log(ratio));
    row.push(thin);
    row.push((f64::from(position.values.cloth) - 1000.0) / 300.0);
    row.push((f64::from(position.values.restitution) - 750.0) / 150.0);
    row.push(position.order.len() as f64 / 6.0);
    row.push(pot.chance(position.sigma()));
    row.push(position.noise.map_or(0.0, |noise| noise.angle_deg() / 0.125));
    row.push(position.noise.map_or(0.0, |noise| noise.speed_m_s() / 0.075));
    row.extend(leave.inputs);
    Candidate { pot: *pot, side: side(position, pot), thin, speed_um_s, inputs: row.finish() }
}

/// On which side of the ball the aim passes.
fn side(position: &Position<'_>, pot: &Pot) -> f64 {
    let (white, object) = (position.scene.at[WHITE], position.scene.at[usize::from(pot.target)]);
    let across = white
        .zip(object)
        .map_or(0.0, |(white, object)| (object - white).cross(Vec2::at_angle(pot.aim.middle())));
    if across < 0.0 { -1.0 } else { 1.0 }
}

/// Where a stroke would leave the white on a table without other balls.
struct Leave {
    inputs: [f64; 8],
}

/// More bounces than a white makes that is worth predicting.
const MOST_BOUNCES: u32 = 6;

impl Leave {
    fn predict(position: &Position<'_>, pot: &Pot, speed_um_s: f64) -> Self {
        let (Some(ghost), Route::Direct) = (position.ghost(pot), pot.route) else {
            return Self { inputs: [0.0; 8] };
        };
        let scene = &position.scene;
        let slowing = f64::from(position.values.cloth) * 1000.0;
        let at_contact = (speed_um_s * speed_um_s - 2.0 * slowing * pot.white_um).max(0.0);
        let after = at_contact * (1.0 - pot.cos_cut * pot.cos_cut);
        let target = scene.at[usize::from(pot.target)].unwrap_or(ghost);
        let onward = (target - ghost).unit();
        let along = Vec2::at_angle(pot.aim.middle());
        let tangent = (along - onward * along.dot(onward)).unit();
        let mut run = Run { place: ghost, direction: tangent, square: after, slowing };
        let (mut path_clear, mut pocket, mut bounces) = (1.0_f64, 1.0_f64, 0);
        while bounces < MOST_BOUNCES {
            let from = run.place;
            let stopped = run.advance(scene.restitution);
            let skip = [WHITE, usize::from(pot.target)];
            path_clear = path_clear.min(clear(scene.clearance_um(from, run.place, &skip)));
            let near = |m: &crate::aim::Mouth| m.aim.distance(run.place) / 300_000.0;
            pocket = scene.pockets.0.iter().map(near).fold(pocket, f64::min);
            if stopped {
                break;
            }
            bounces += 1;
        }
        let next = position.next_pot_after(usize::from(pot.target), run.place);
        let next = next.map_or([0.0; 4], |pot| {
            [
                wide(pot.aim.half_width()),
                pot.cos_cut,
                pot.white_um / f64::from(LENGTH_UM),
                clear(pot.clearance_um),
            ]
        });
        let gap = Cushion::ALL.iter().map(|c| c.depth_um(run.place)).fold(f64::MAX, f64::min);
        let [width, cos_cut, white, clearance] = next;
        let bounced = f64::from(bounces) / f64::from(MOST_BOUNCES);
        Self { inputs: [width, cos_cut, white, clearance, clear(gap), path_clear, bounced, pocket] }
    }
}

/// A ball that runs between four cushions without pockets.
struct Run {
    place: Vec2,
    direction: Vec2,
    /// Speed squared, µm²/s².
    square: f64,
    /// Deceleration, µm/s².
    slowing: f64,
}

impl Run {
    /// Runs to the next cushion or to rest; whether it rests.
    fn advance(&mut self, restitution: f64) -> bool {
        let reach = self.square / (2.0 * self.slowing);
        let hit = Cushion::ALL
            .iter()
            .filter_map(|&cushion| {
                let closing = -self.direction.dot(cushion.inward());
                let way = cushion.depth_um(self.place).max(0.0) / closing;
                (closing > 1e-9).then_some((way, cushion))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((way, cushion)) = hit.filter(|(way, _)| *way < reach) else {
            self.place = self.place + self.direction * reach;
            return true;
        };
        self.place = self.place + self.direction * way;
        self.square -= 2.0 * self.slowing * way;
        let inward = cushion.inward();
        let normal = self.direction.dot(inward);
        let bounced = self.direction - inward * (normal * (1.0 + restitution));
        self.square *= bounced.dot(bounced);
        self.direction = bounced.unit();
        false
    }
}
