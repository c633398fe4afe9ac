//! `threshold`: the easiest pot that geometry shows, if it is easy enough; else a legal contact.

use super::candidates::stroke;
use crate::aim::{Cushion, Pockets, Pot, Scene, Vec2, WHITE, direct_pots, kick};
use crate::belief::Pair;
use crate::clock::Clock;
use crate::fault::Fault;
use crate::player::{Player, Start};
use crate::race::start::RaceStart;
use cuebench_engine::shot::Stroke;
use cuebench_engine::snooker::{Action, AimNoise, BallOn, COLOURS, PublicView, Race, TableValues};
use cuebench_engine::table::Table;
use cuebench_engine::units::SPEED_PER_POWER_UM_S;

/// Speed above the least that carries the ball home: rubber and thin contacts cost some.
const PACE: f64 = 1.3;
/// How far the white should roll beyond a safe contact, µm.
const BEYOND_UM: f64 = 1_000_000.0;
/// What a cushion costs a safe contact, as a factor of its way.
const CUSHION_WAY: f64 = 1.6;

/// Takes the pot with the greatest chance by geometry if that chance is at least `tau`, else plays
/// a legal contact. It simulates nothing. The chance is that of an aim that errs by the match's
/// noise, or by `sigma` degrees where there is none.
///
/// Where nothing makes it err, `sigma` says how careful it is: at 0.25 degrees it waits for pots
/// that hardly can be missed and takes three times as many strokes for the same points as at 0.05.
#[derive(Clone, Debug)]
pub struct Threshold {
    tau: f64,
    sigma_deg: f64,
    start: Option<(RaceStart, Pockets)>,
}

impl Threshold {
    /// An agent that pots from a chance of `tau` (0..=1) on, judging by an aiming error of
    /// `sigma_deg` degrees where the match has no noise.
    #[must_use]
    pub const fn new(tau: f64, sigma_deg: f64) -> Self {
        Self { tau, sigma_deg, start: None }
    }

    fn sigma(&self, noise: Option<AimNoise>) -> f64 {
        noise.map_or(self.sigma_deg, AimNoise::angle_deg).to_radians()
    }
}

impl Player<Race> for Threshold {
    fn new_game(&mut self, start: &Start<'_, Race>) -> Result<(), Fault> {
        let start = RaceStart::from(start);
        // The pockets of one set are the same on every table.
        let known =
            self.start.take().filter(|(was, _)| was.options.pockets == start.options.pockets);
        let pockets = match known {
            Some((_, pockets)) => pockets,
            None => {
                let spec = Pair::MIDDLE.spec(start.options.pockets);
                let table = Table::new(spec).map_err(|e| Fault::Void(e.to_string()))?;
                Pockets::of(table.geometry())
            }
        };
        self.start = Some((start, pockets));
        Ok(())
    }

    fn choose(&mut self, _: &Race, view: &PublicView, _: Clock) -> Result<Action, Fault> {
        let (start, pockets) =
            self.start.as_ref().ok_or_else(|| Fault::Void("no game was begun".to_owned()))?;
        let values = view.table.unwrap_or(TableValues {
            cloth: Pair::MIDDLE.cloth,
            restitution: Pair::MIDDLE.restitution,
        });
        let (cloth, restitution) = (f64::from(values.cloth), f64::from(values.restitution) / 1e3);
        let scene = Scene::new(pockets, restitution, &view.balls);
        let sigma = self.sigma(start.noise);
        let easiest = targets(view)
            .flat_map(|slot| direct_pots(&scene, slot))
            .map(|pot| (pot.chance(sigma), pot))
            .filter(|(chance, _)| *chance > 0.0 && *chance >= self.tau)
            // The first of equals, so that the answer does not hang on the order of evaluation.
            .fold(None, |best: Option<(f64, Pot)>, next| match best {
                Some(best) if best.0 >= next.0 => Some(best),
                _ => Some(next),
            });
        let stroke = match easiest {
            Some((_, pot)) => stroke(pot.aim.middle(), power(pot.least_speed_um_s(cloth) * PACE)),
            None => safe(&scene, view, cloth),
        };
        stroke.map(Action::from).ok_or_else(|| Fault::Void("no stroke can be played".to_owned()))
    }
}

/// The slots that may be hit first.
fn targets(view: &PublicView) -> impl Iterator<Item = usize> + '_ {
    let allows = |ball| view.ball_on.is_some_and(|on: BallOn| on.allows(ball));
    COLOURS
        .into_iter()
        .filter(move |&colour| allows(colour) && view.balls.at[colour.slot()].is_some())
        .map(|colour| colour.slot())
}

fn power(speed_um_s: f64) -> f64 {
    speed_um_s / f64::from(SPEED_PER_POWER_UM_S)
}

/// A contact with a ball that may be hit first: straight if the way is clear, else over the
/// cushion with the most room, else straight at it come what may.
fn safe(scene: &Scene<'_>, view: &PublicView, cloth: f64) -> Option<Stroke> {
    let white = scene.at[WHITE]?;
    let mut best: Option<(f64, Option<Stroke>)> = None;
    for slot in targets(view) {
        let Some(object) = scene.at[slot] else { continue };
        for (room, direction, way) in contacts(scene, white, slot, object) {
            if best.as_ref().is_none_or(|(most, _)| room > *most) {
                let speed = (2.0 * cloth * 1000.0 * (way + BEYOND_UM)).sqrt();
                best = Some((room, stroke(direction, power(speed))));
            }
        }
    }
    best.and_then(|(_, stroke)| stroke)
}

/// Contacts with `object`: the free width, the direction and the way of the white. A straight
/// contact that is open counts as the roomiest.
fn contacts(
    scene: &Scene<'_>,
    white: Vec2,
    slot: usize,
    object: Vec2,
) -> impl Iterator<Item = (f64, f64, f64)> {
    let skip = [WHITE, slot];
    let room = scene.clearance_um(white, object, &skip);
    let straight_room = if room > 0.0 { f64::INFINITY } else { room };
    let straight = (straight_room, (object - white).angle(), white.distance(object));
    let kicks = Cushion::ALL.into_iter().filter(move |_| room <= 0.0).filter_map(move |cushion| {
        let (direction, bounce) = kick(scene, object, cushion)?;
        let room = scene
            .clearance_um(white, bounce, &[WHITE])
            .min(scene.clearance_um(bounce, object, &skip));
        let way = CUSHION_WAY * (white.distance(bounce) + bounce.distance(object));
        Some((room, direction, way))
    });
    std::iter::once(straight).chain(kicks)
}

#[cfg(test)]
mod tests {
    use crate::race::tests::{alone, known};
    use crate::roster::Roster as _;
    use cuebench_engine::snooker::Race;

    fn score(text: &str, seed: u64) -> i32 {
        alone(text, &known(), seed).state.result(0).score
    }

    #[test]
    fn it_pots_and_beats_first_hit() {
        let total = |text: &str| (1..=20).map(|seed| score(text, seed)).sum::<i32>();
        assert!(total("threshold:tau=0.3") > total("first_hit") + 20 * 10);
    }

    #[test]
    fn options_out_of_range_are_refused() {
        for text in [
            "threshold:tau=1.5",
            "threshold:tau=nan",
            "threshold:sigma=-1",
            "search:sims=0",
            "search:seconds=0",
            "search:sims=10:seconds=1",
            "search:depth=2",
        ] {
            let spec = text.parse().expect("a text");
            assert!(Race::default().player(&spec, 0, None).is_err(), "{text}");
        }
    }
}
