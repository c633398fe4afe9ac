//! Pots by geometry: from where the white is to a ball that falls, by every simple route.

use super::ghost::{cut, window};
use super::path::DIAMETER_UM;
use super::pocket::Window;
use super::scene::{Scene, WHITE};
use super::vector::Vec2;
use cuebench_engine::table::Pocket;

/// How a pot goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// White straight to the ball, ball straight to the pocket.
    Direct,
    /// White off one cushion to the ball, ball straight to the pocket.
    Kick,
    /// White straight to the ball, ball off one cushion to the pocket.
    Bank,
    /// White straight to the ball in slot `first`, which drives the target to the pocket.
    Combination {
        /// Slot of the ball that is hit first.
        first: u8,
    },
}

/// One way to pot a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pot {
    /// Slot of the ball that falls.
    pub target: u8,
    /// Where it falls.
    pub pocket: Pocket,
    /// By which route.
    pub route: Route,
    /// Directions of the white that pot it without touching a jaw.
    pub aim: Window,
    /// The white's way to its first contact with a ball, µm.
    pub white_um: f64,
    /// The way of the balls driven, up to the fall line, µm.
    pub object_um: f64,
    /// The share of the white's speed that reaches the target (product of the cut's cosines).
    pub cos_cut: f64,
    /// Free width beside all paths, µm, negative when a ball is in the way.
    pub clearance_um: f64,
}

impl Pot {
    /// The least launch speed that carries the target to the fall line, µm/s, on a cloth that
    /// slows balls by `cloth_mm_s2`; losses at cushions are left out.
    #[must_use]
    pub fn least_speed_um_s(&self, cloth_mm_s2: f64) -> f64 {
        let deceleration = cloth_mm_s2 * 1000.0;
        let at_contact = 2.0 * deceleration * self.object_um / (self.cos_cut * self.cos_cut);
        (at_contact + 2.0 * deceleration * self.white_um).sqrt()
    }

    /// The chance that the target runs clean into the pocket when the white's direction errs
    /// normally with standard deviation `sigma` radians about the middle of the window.
    #[must_use]
    pub fn chance(&self, sigma: f64) -> f64 {
        if self.clearance_um < 0.0 {
            0.0
        } else if sigma > 0.0 {
            libm::erf(self.aim.half_width() / (sigma * std::f64::consts::SQRT_2))
        } else {
            1.0
        }
    }
}

/// A path that another ball blocks by more than this is no pot, µm.
const MOST_BLOCKED_UM: f64 = 10_000.0;
/// A thinner cut than this share of the speed is no pot.
const LEAST_COS_CUT: f64 = 0.02;

/// The direct pots of the ball in slot `target`, one a pocket at most. Pots that a ball blocks by
/// a little are among them (their clearance is negative).
pub fn direct_pots(scene: &Scene<'_>, target: usize) -> impl Iterator<Item = Pot> {
    Pocket::ALL.into_iter().filter_map(move |pocket| direct_pot(scene, target, pocket))
}

/// The direct pot of the ball in slot `target` into `pocket`, if geometry allows one at all.
#[must_use]
pub fn direct_pot(scene: &Scene<'_>, target: usize, pocket: Pocket) -> Option<Pot> {
    let (white, object) = (scene.at[WHITE]?, scene.at[target]?);
    let mouth = &scene.pockets.0[pocket as usize];
    let skip = [WHITE, target];
    // Most pockets are ruled out by what costs next to nothing.
    let onward = (mouth.fall - object).unit();
    let way = object - onward * DIAMETER_UM - white;
    if onward.dot(mouth.outward) <= 0.0 || way.dot(onward) <= LEAST_COS_CUT * way.length() {
        return None;
    }
    let beyond = scene.clearance_um(object, mouth.fall, &skip);
    if beyond < -MOST_BLOCKED_UM || scene.clearance_um(white, white + way, &skip) < -MOST_BLOCKED_UM
    {
        return None;
    }
    let open = mouth.window(object)?;
    let cut = cut(white, object, Vec2::at_angle(open.middle()))?;
    let (low, high) = window(white, object, open.low, open.high)?;
    Some(Pot {
        target: target as u8,
        pocket,
        route: Route::Direct,
        aim: Window { low, high },
        white_um: cut.travel_um,
        object_um: object.distance(mouth.fall),
        cos_cut: cut.cos_cut,
        clearance_um: scene.clearance_um(white, cut.ghost, &skip).min(beyond),
    })
}
