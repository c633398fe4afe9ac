//! One-cushion aims. A cushion keeps the speed along it and multiplies the speed across it by the
//! restitution e, so the path unfolds into a straight line towards an image that lies 1/e times
//! as deep behind the cushion as the true place lies in front of it, at any speed.

use super::ghost::{cut, window};
use super::path::DIAMETER_UM;
use super::pocket::{RADIUS_UM, Window};
use super::pot::{Pot, Route};
use super::scene::{Scene, WHITE};
use super::vector::{Vec2, wrap};
use cuebench_engine::table::Pocket;
use cuebench_engine::units::{LENGTH_UM, WIDTH_UM};

/// A bounce nearer than this to a pocket's aim point meets a jaw, not the rail, µm.
const LEAST_FROM_POCKET_UM: f64 = 110_000.0;

/// One of the four lines on which a ball's centre lies when it touches a rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cushion {
    /// y = R.
    Bottom,
    /// y = width - R.
    Top,
    /// x = R.
    Left,
    /// x = length - R.
    Right,
}

impl Cushion {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Bottom, Self::Top, Self::Left, Self::Right];

    /// How far `place` lies in front of the line on which centres bounce, µm.
    #[must_use]
    pub fn depth_um(self, place: Vec2) -> f64 {
        match self {
            Self::Bottom => place.y - RADIUS_UM,
            Self::Top => f64::from(WIDTH_UM) - RADIUS_UM - place.y,
            Self::Left => place.x - RADIUS_UM,
            Self::Right => f64::from(LENGTH_UM) - RADIUS_UM - place.x,
        }
    }

    /// The unit vector from the cushion onto the table.
    #[must_use]
    pub const fn inward(self) -> Vec2 {
        match self {
            Self::Bottom => Vec2::new(0.0, 1.0),
            Self::Top => Vec2::new(0.0, -1.0),
            Self::Left => Vec2::new(1.0, 0.0),
            Self::Right => Vec2::new(-1.0, 0.0),
        }
    }

    /// The image of `place` for a ball that bounces once with the given restitution.
    #[must_use]
    pub fn image(self, place: Vec2, restitution: f64) -> Vec2 {
        let depth = self.depth_um(place);
        place - self.inward() * (depth + depth / restitution)
    }

    /// Where a ball from `from` bounces when it is played at the image of `to`; `None` when
    /// either lies on the cushion already.
    #[must_use]
    pub fn bounce(self, from: Vec2, to: Vec2, restitution: f64) -> Option<Vec2> {
        let (near, far) = (self.depth_um(from), self.depth_um(to) / restitution);
        (near > 0.0 && far > 0.0)
            .then(|| from + (self.image(to, restitution) - from) * (near / (near + far)))
    }
}

/// Whether a centre at `bounce` touches the straight rubber of a rail.
fn on_rail(scene: &Scene<'_>, bounce: Vec2) -> bool {
    let inside = (RADIUS_UM..=f64::from(LENGTH_UM) - RADIUS_UM).contains(&bounce.x)
        && (RADIUS_UM..=f64::from(WIDTH_UM) - RADIUS_UM).contains(&bounce.y);
    inside && scene.pockets.0.iter().all(|m| m.aim.distance(bounce) > LEAST_FROM_POCKET_UM)
}

/// The direction of the white, radians, that reaches `ghost` over `cushion`, and the bounce.
#[must_use]
pub fn kick(scene: &Scene<'_>, ghost: Vec2, cushion: Cushion) -> Option<(f64, Vec2)> {
    let white = scene.at[WHITE]?;
    let bounce = cushion.bounce(white, ghost, scene.restitution)?;
    on_rail(scene, bounce).then(|| ((bounce - white).angle(), bounce))
}

/// Kick pots of `target`: the white off one cushion, the ball straight into a pocket.
pub fn kick_pots(scene: &Scene<'_>, target: usize) -> impl Iterator<Item = Pot> {
    Pocket::ALL
        .into_iter()
        .flat_map(move |pocket| Cushion::ALL.map(|cushion| (pocket, cushion)))
        .filter_map(move |(pocket, cushion)| kick_pot(scene, target, pocket, cushion))
}

fn kick_pot(scene: &Scene<'_>, target: usize, pocket: Pocket, cushion: Cushion) -> Option<Pot> {
    let (white, object) = (scene.at[WHITE]?, scene.at[target]?);
    let mouth = &scene.pockets.0[pocket as usize];
    let open = mouth.window(object)?;
    let aim_at = |onward: f64| {
        let ghost = object - Vec2::at_angle(onward) * DIAMETER_UM;
        let bounce = cushion.bounce(white, ghost, scene.restitution)?;
        let cut = cut(bounce, object, Vec2::at_angle(onward))?;
        Some((bounce, cut))
    };
    let (bounce, cut) = aim_at(open.middle())?;
    if !on_rail(scene, bounce) {
        return None;
    }
    let edges = [open.low, open.high].map(|edge| aim_at(edge).map(|(b, _)| (b - white).angle()));
    let skip = [WHITE, target];
    let clearance_um = scene
        .clearance_um(white, bounce, &[WHITE])
        .min(scene.clearance_um(bounce, cut.ghost, &skip))
        .min(scene.clearance_um(object, mouth.fall, &skip));
    Some(Pot {
        target: target as u8,
        pocket,
        route: Route::Kick,
        aim: ordered((bounce - white).angle(), edges[0]?, edges[1]?),
        white_um: white.distance(bounce) + cut.travel_um,
        object_um: object.distance(mouth.fall),
        cos_cut: cut.cos_cut,
        clearance_um,
    })
}

/// Bank pots of `target`: the white straight to it, the ball off one cushion into a pocket.
pub fn bank_pots(scene: &Scene<'_>, target: usize) -> impl Iterator<Item = Pot> {
    Pocket::ALL
        .into_iter()
        .flat_map(move |pocket| Cushion::ALL.map(|cushion| (pocket, cushion)))
        .filter_map(move |(pocket, cushion)| bank_pot(scene, target, pocket, cushion))
}

fn bank_pot(scene: &Scene<'_>, target: usize, pocket: Pocket, cushion: Cushion) -> Option<Pot> {
    let (white, object) = (scene.at[WHITE]?, scene.at[target]?);
    let mouth = &scene.pockets.0[pocket as usize];
    let e = scene.restitution;
    let bounce = cushion.bounce(object, mouth.fall, e)?;
    let open = mouth.window(bounce).filter(|_| on_rail(scene, bounce))?;
    let reach = bounce.distance(mouth.fall);
    let towards = |edge: f64| {
        let end = bounce + Vec2::at_angle(edge) * reach;
        Some((cushion.bounce(object, end, e)? - object).angle())
    };
    let onward = ordered(towards(open.middle())?, towards(open.low)?, towards(open.high)?);
    let cut = cut(white, object, Vec2::at_angle(onward.middle()))?;
    let (low, high) = window(white, object, onward.low, onward.high)?;
    let skip = [WHITE, target];
    let clearance_um = scene
        .clearance_um(white, cut.ghost, &skip)
        .min(scene.clearance_um(object, bounce, &skip))
        .min(scene.clearance_um(bounce, mouth.fall, &skip));
    Some(Pot {
        target: target as u8,
        pocket,
        route: Route::Bank,
        aim: Window { low, high },
        white_um: cut.travel_um,
        object_um: object.distance(bounce) + reach,
        cos_cut: cut.cos_cut,
        clearance_um,
    })
}

/// The window whose edges are `a` and `b`, in order, near `middle`.
fn ordered(middle: f64, a: f64, b: f64) -> Window {
    let (a, b) = (wrap(a - middle), wrap(b - middle));
    Window { low: middle + a.min(b), high: middle + a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_obeys_the_law_of_the_cushion() {
        let (from, to, e) = (Vec2::new(4e5, 3e5), Vec2::new(1.5e6, 9e5), 0.72);
        for cushion in Cushion::ALL {
            let bounce = cushion.bounce(from, to, e).expect("both in front");
            assert!(cushion.depth_um(bounce).abs() < 1e-6);
            let (inn, out) = (bounce - from, to - bounce);
            let n = cushion.inward();
            let (slope_in, slope_out) =
                (-inn.dot(n) / inn.cross(n).abs(), out.dot(n) / out.cross(n).abs());
            assert!((slope_out - e * slope_in).abs() < 1e-9, "{cushion:?}");
        }
    }
}
