//! The ghost ball: where the white must be at the moment it sends an object ball somewhere.

use super::path::{DIAMETER_UM, travel_to_contact};
use super::vector::{Vec2, wrap};

/// A white's straight way to an object ball and the angle at which it cuts it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Centre of the white at the contact.
    pub ghost: Vec2,
    /// Direction of the white, radians.
    pub direction: f64,
    /// The white's way from its place to the ghost, µm.
    pub travel_um: f64,
    /// Cosine of the cut angle: 1 is a full ball, 0 the thinnest edge. It is also the share of
    /// the white's speed that the object ball takes.
    pub cos_cut: f64,
}

/// How a white at `white` sends the ball at `object` in the unit direction `onward`, or `None`
/// when it would have to pass through the ball (a cut of 90 degrees or more).
#[must_use]
pub fn cut(white: Vec2, object: Vec2, onward: Vec2) -> Option<Cut> {
    let ghost = object - onward * DIAMETER_UM;
    let way = ghost - white;
    let travel_um = way.length();
    if travel_um == 0.0 {
        return None;
    }
    let cos_cut = way.dot(onward) / travel_um;
    (cos_cut > 0.0).then(|| Cut { ghost, direction: way.angle(), travel_um, cos_cut })
}

/// The direction in which a white from `white` along `direction` radians drives the ball at
/// `object`, radians; `None` when it misses.
#[must_use]
pub fn driven(white: Vec2, direction: f64, object: Vec2) -> Option<f64> {
    let unit = Vec2::at_angle(direction);
    let travel = travel_to_contact(white, unit, object)?;
    Some((object - (white + unit * travel)).angle())
}

/// The directions of the white, radians, that drive `object` between the two directions `low`
/// and `high` (anticlockwise from `low`): the white's aiming window, ordered, or `None` when
/// either edge cannot be played.
#[must_use]
pub fn window(white: Vec2, object: Vec2, low: f64, high: f64) -> Option<(f64, f64)> {
    let first = cut(white, object, Vec2::at_angle(low))?.direction;
    let second = cut(white, object, Vec2::at_angle(high))?.direction;
    let middle = (object - white).angle();
    let (a, b) = (wrap(first - middle), wrap(second - middle));
    Some((middle + a.min(b), middle + a.max(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_drives_the_ball_where_it_was_asked_to_go() {
        let (white, object) = (Vec2::new(3e5, 2e5), Vec2::new(1.1e6, 7e5));
        for degrees in [-20.0_f64, 10.0, 32.0, 60.0, 85.0] {
            let onward = degrees.to_radians();
            let cut = cut(white, object, Vec2::at_angle(onward)).expect("a cut below 90 degrees");
            let back = driven(white, cut.direction, object).expect("a contact");
            assert!((back - onward).abs() < 1e-9, "{degrees}: {back}");
        }
        assert!(cut(white, object, Vec2::at_angle(3.0)).is_none(), "that is behind the ball");
    }

    #[test]
    fn the_window_narrows_with_distance_and_cut() {
        let object = Vec2::new(1e6, 6e5);
        let width = |white: Vec2, onward: f64| {
            let (low, high) = window(white, object, onward - 0.02, onward + 0.02).expect("open");
            high - low
        };
        let near = width(Vec2::new(7e5, 6e5), 0.0);
        let far = width(Vec2::new(1e5, 6e5), 0.0);
        let thin = width(Vec2::new(7e5, 6e5), 1.2);
        assert!(near > far && near > thin && far > 0.0 && thin > 0.0, "{near} {far} {thin}");
    }
}
