//! Combinations: the white drives one ball into another, which falls.

use super::ghost::{cut, window};
use super::pocket::Window;
use super::pot::{Pot, Route};
use super::scene::{Scene, WHITE};
use super::vector::Vec2;
use cuebench_engine::table::Pocket;

/// The combinations that pot `target` by way of any one other ball.
pub fn combinations(scene: &Scene<'_>, target: usize) -> impl Iterator<Item = Pot> {
    scene
        .object_balls()
        .filter(move |&first| first != target)
        .flat_map(move |first| Pocket::ALL.map(|pocket| (first, pocket)))
        .filter_map(move |(first, pocket)| combination(scene, first, target, pocket))
}

/// The combination that pots `target` in `pocket` by way of `first`.
#[must_use]
pub fn combination(scene: &Scene<'_>, first: usize, target: usize, pocket: Pocket) -> Option<Pot> {
    let (white, driver, object) = (scene.at[WHITE]?, scene.at[first]?, scene.at[target]?);
    let mouth = &scene.pockets.0[pocket as usize];
    let open = mouth.window(object)?;
    // The driver plays the part of the white towards the target, and is itself a target then.
    let second = cut(driver, object, Vec2::at_angle(open.middle()))?;
    let (low, high) = window(driver, object, open.low, open.high)?;
    let opening = cut(white, driver, Vec2::at_angle(second.direction))?;
    let (low, high) = window(white, driver, low, high)?;
    let clearance_um = scene
        .clearance_um(white, opening.ghost, &[WHITE, first])
        .min(scene.clearance_um(driver, second.ghost, &[WHITE, first, target]))
        .min(scene.clearance_um(object, mouth.fall, &[WHITE, first, target]));
    Some(Pot {
        target: target as u8,
        pocket,
        route: Route::Combination { first: first as u8 },
        aim: Window { low, high },
        white_um: opening.travel_um,
        object_um: second.travel_um + object.distance(mouth.fall),
        cos_cut: opening.cos_cut * second.cos_cut,
        clearance_um,
    })
}
