//! What the networks see: the one description of their inputs, for code, files and readers.
//!
//! Every input is a scalar that a mirrored table does not change, so mirrored positions give
//! mirrored choices. [`VALUE_INPUTS`] and [`POLICY_INPUTS`] name the inputs in their order with
//! unit and scale; data sets carry the same names.

use crate::aim::{Pockets, Pot, Scene, Vec2, WHITE, direct_pots};
use cuebench_engine::shot::Balls;
use cuebench_engine::snooker::{AimNoise, TableValues};

/// Inputs of the value network.
pub const VALUE_INPUTS: usize = 45;
/// Inputs of the policy network.
pub const POLICY_INPUTS: usize = 24;
/// Colours of a race: the length of the one-hot count of balls left.
const COLOURS: usize = 6;
/// Direct pots of the ball on that the value network is shown, best first.
const POTS: usize = 3;
/// Pockets open to the ball after it, best first.
const OPEN: usize = 2;
/// One metre-like unit of length: the length of the table, µm.
const LENGTH_UM: f64 = cuebench_engine::units::LENGTH_UM as f64;
/// A clearance of this and more is as good as any, µm.
const CLEAR_UM: f64 = 50_000.0;
/// A window of this half-width and less is as bad as none, radians.
const NARROW: f64 = 1e-3;

/// Names of the value network's inputs, in order. `W` is log10 of an aiming window's half-width
/// in milliradians over 2 (0 at 1 mrad, 1 at 100 mrad); lengths are in table lengths (2.54 m);
/// clearances are over 50 mm, cut at ±1; an absent pot is all zeros.
pub const VALUE_NAMES: [&str; VALUE_INPUTS] = [
    "left_1",
    "left_2",
    "left_3",
    "left_4",
    "left_5",
    "left_6",
    "cloth",
    "restitution",
    "on1_w",
    "on1_cos_cut",
    "on1_white",
    "on1_object",
    "on1_clear",
    "on2_w",
    "on2_cos_cut",
    "on2_white",
    "on2_object",
    "on2_clear",
    "on3_w",
    "on3_cos_cut",
    "on3_white",
    "on3_object",
    "on3_clear",
    "on_open_pots",
    "on_best_chance",
    "next1_w",
    "next1_object",
    "next1_clear",
    "next2_w",
    "next2_object",
    "next2_clear",
    "stun_w",
    "stun_cos_cut",
    "stun_white",
    "stun_clear",
    "third1_w",
    "third1_object",
    "third1_clear",
    "third2_w",
    "third2_object",
    "third2_clear",
    "white_cushion",
    "on_cushion",
    "next_cushion",
    "third_cushion",
];

/// A position as the networks' inputs need it.
#[derive(Clone, Debug)]
pub struct Position<'a> {
    /// The balls, ready for aiming.
    pub scene: Scene<'a>,
    /// Cloth speed and restitution, known or assumed.
    pub values: TableValues,
    /// Slots of the colours that are left in the order in which they will be played.
    pub order: Vec<usize>,
    /// Direct pots of the first of them, widest aiming window first, open ones only.
    pub pots: Vec<Pot>,
    /// Aiming noise that is on.
    pub noise: Option<AimNoise>,
}

impl<'a> Position<'a> {
    /// The position `balls`; with `any`, the colours are taken in order of their widest window.
    #[must_use]
    pub fn new(
        pockets: &'a Pockets,
        values: TableValues,
        balls: &Balls,
        any: bool,
        noise: Option<AimNoise>,
    ) -> Self {
        let scene = Scene::new(pockets, f64::from(values.restitution) / 1000.0, balls);
        let mut order: Vec<usize> = scene.object_balls().collect();
        if any {
            let width = |&slot: &usize| open_pots(&scene, slot).first().map_or(0.0, width_of);
            order.sort_by(|a, b| width(b).total_cmp(&width(a)));
        }
        let pots = order.first().map_or_else(Vec::new, |&slot| open_pots(&scene, slot));
        Self { scene, values, order, pots, noise }
    }

    /// The slot of the ball on, or of the colour to play first; `None` on a cleared table.
    #[must_use]
    pub fn on(&self) -> Option<usize> {
        self.order.first().copied()
    }

    /// Standard deviation of the direction, radians; 0 without noise.
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.noise.map_or(0.0, |noise| noise.angle_deg().to_radians())
    }

    /// The inputs of the value network.
    #[must_use]
    pub fn value_inputs(&self) -> [f32; VALUE_INPUTS] {
        let mut row = Row::<VALUE_INPUTS>::default();
        for count in 1..=COLOURS {
            row.push(f64::from(u8::from(self.order.len() == count)));
        }
        self.push_table(&mut row);
        for rank in 0..POTS {
            row.extend(self.pots.get(rank).map_or([0.0; 5], pot_inputs));
        }
        row.push(self.pots.len() as f64 / COLOURS as f64);
        row.push(self.pots.first().map_or(0.0, |pot| pot.chance(self.sigma().max(NARROW))));
        self.push_object(&mut row, 1);
        row.extend(self.stun_inputs());
        self.push_object(&mut row, 2);
        row.push(self.scene.at[WHITE].map_or(0.0, cushion_gap));
        for rank in 0..3 {
            let place = self.order.get(rank).and_then(|&slot| self.scene.at[slot]);
            row.push(place.map_or(0.0, cushion_gap));
        }
        row.finish()
    }

    fn push_table<const N: usize>(&self, row: &mut Row<N>) {
        row.push((f64::from(self.values.cloth) - 1000.0) / 300.0);
        row.push((f64::from(self.values.restitution) - 750.0) / 150.0);
    }

    /// The widest pockets of the colour `rank` places down the order, wherever the white will be.
    fn push_object(&self, row: &mut Row<VALUE_INPUTS>, rank: usize) {
        let mut open = self.order.get(rank).map_or_else(Vec::new, |&slot| self.open_pockets(slot));
        // Equal widths in the order of their lengths, which a mirrored table shares.
        open.sort_by(|a, b| b[0].total_cmp(&a[0]).then(a[1].total_cmp(&b[1])));
        for place in 0..OPEN {
            row.extend(open.get(place).copied().unwrap_or([0.0; 3]));
        }
    }

    fn open_pockets(&self, slot: usize) -> Vec<[f64; 3]> {
        let Some(object) = self.scene.at[slot] else { return Vec::new() };
        // The ball on will be gone by then, and the white is elsewhere.
        let gone = [WHITE, slot, self.on().unwrap_or(slot)];
        let inputs = |mouth: &crate::aim::Mouth| {
            let window = mouth.window(object)?;
            let clearance = self.scene.clearance_um(object, mouth.fall, &gone);
            (clearance > 0.0).then(|| {
                let distance = object.distance(mouth.fall) / LENGTH_UM;
                [wide(window.half_width()), distance, clear(clearance)]
            })
        };
        self.scene.pockets.0.iter().filter_map(inputs).collect()
    }

    /// The best pot of the next colour if the white stops dead where it pots the ball on.
    fn stun_inputs(&self) -> [f64; 4] {
        let stop = self.pots.first().and_then(|pot| self.ghost(pot));
        let next = stop.and_then(|place| self.next_pot(place));
        next.map_or([0.0; 4], |pot| {
            let [width, cos_cut, white, _, clearance] = pot_inputs(&pot);
            [width, cos_cut, white, clearance]
        })
    }

    /// Where the white is when it meets the ball of `pot`.
    pub(super) fn ghost(&self, pot: &Pot) -> Option<Vec2> {
        let white = self.scene.at[WHITE]?;
        Some(white + Vec2::at_angle(pot.aim.middle()) * pot.white_um)
    }

    /// The widest open pot of the second colour in order, with the first gone and the white at
    /// `place`.
    fn next_pot(&self, place: Vec2) -> Option<Pot> {
        self.next_pot_after(self.on()?, place)
    }

    /// The widest open pot of the colour to play once `potted` is gone and the white at `place`.
    pub(super) fn next_pot_after(&self, potted: usize, place: Vec2) -> Option<Pot> {
        let next = *self.order.iter().find(|&&slot| slot != potted)?;
        let mut scene = self.scene;
        scene.at[potted] = None;
        scene.at[WHITE] = Some(place);
        open_pots(&scene, next).first().copied()
    }

    /// The open direct pots that count: of the ball on, or with `any` of every colour, widest
    /// window first.
    #[must_use]
    pub fn target_pots(&self, any: bool) -> Vec<Pot> {
        if !any {
            return self.pots.clone();
        }
        let mut pots: Vec<Pot> =
            self.order.iter().flat_map(|&slot| open_pots(&self.scene, slot)).collect();
        pots.sort_by(|a, b| width_of(b).total_cmp(&width_of(a)));
        pots
    }
}

/// The open direct pots of the ball in `slot`, widest window first (equal ones in the order of
/// their lengths, which a mirrored table shares).
fn open_pots(scene: &Scene<'_>, slot: usize) -> Vec<Pot> {
    let mut pots: Vec<Pot> =
        direct_pots(scene, slot).filter(|pot| pot.clearance_um > 0.0).collect();
    pots.sort_by(|a, b| {
        width_of(b).total_cmp(&width_of(a)).then(a.object_um.total_cmp(&b.object_um))
    });
    pots
}

fn width_of(pot: &Pot) -> f64 {
    pot.aim.half_width()
}

pub(super) fn pot_inputs(pot: &Pot) -> [f64; 5] {
    [
        wide(width_of(pot)),
        pot.cos_cut,
        pot.white_um / LENGTH_UM,
        pot.object_um / LENGTH_UM,
        clear(pot.clearance_um),
    ]
}

/// Half-width in radians to 0 at 1 mrad and less, 1 at 100 mrad.
pub(super) fn wide(half_width: f64) -> f64 {
    (libm::log10(half_width.max(NARROW)) + 3.0) / 2.0
}

pub(super) fn clear(clearance_um: f64) -> f64 {
    (clearance_um / CLEAR_UM).clamp(-1.0, 1.0)
}

/// Gap between a ball and the nearest cushion nose, over 50 mm, cut at 1.
fn cushion_gap(place: Vec2) -> f64 {
    clear(crate::aim::Cushion::ALL.iter().map(|c| c.depth_um(place)).fold(f64::MAX, f64::min))
}

/// A row of inputs under construction.
pub(super) struct Row<const N: usize> {
    values: [f32; N],
    filled: usize,
}

impl<const N: usize> Default for Row<N> {
    fn default() -> Self {
        Self { values: [0.0; N], filled: 0 }
    }
}

impl<const N: usize> Row<N> {
    pub(super) fn push(&mut self, value: f64) {
        self.values[self.filled] = value as f32;
        self.filled += 1;
    }

    pub(super) fn extend(&mut self, values: impl IntoIterator<Item = f64>) {
        values.into_iter().for_each(|value| self.push(value));
    }

    pub(super) fn finish(self) -> [f32; N] {
        debug_assert_eq!(self.filled, N, "one value an input");
        self.values
    }
}
