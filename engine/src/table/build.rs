//! From the rubber to its public shape.

use super::geometry::{FacingShape, Geometry, PocketShape, PointShape, RailShape, Segment};
use super::names::{JAW_NAMES, RailName};
use super::pocket::{Pocket, PocketSet};
use super::rubber::{self, BACK_UM, Jaw, Rubber, Throat};
use crate::fixed::vector::Vector;
use crate::fixed::{length, round_um};
use crate::units::{BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};
use std::sync::LazyLock;

/// The shape of a table with snooker pockets.
pub static SNOOKER: LazyLock<Geometry> =
    LazyLock::new(|| geometry(PocketSet::Snooker, &rubber::SNOOKER));
/// The shape of a table with pool pockets.
pub static POOL: LazyLock<Geometry> = LazyLock::new(|| geometry(PocketSet::Pool, &rubber::POOL));

fn geometry(set: PocketSet, rubber: &Rubber) -> Geometry {
    Geometry {
        pockets_set: set,
        length_um: LENGTH_UM,
        width_um: WIDTH_UM,
        ball_radius_um: BALL_RADIUS_UM,
        rails: std::array::from_fn(|i| rail(rubber, i)),
        points: std::array::from_fn(|i| point(&rubber.jaws[i], JAW_NAMES[i])),
        facings: std::array::from_fn(|i| FacingShape {
            name: JAW_NAMES[i],
            line: facing(&rubber.jaws[i], &rubber.throats[i / 2]),
        }),
        pockets: std::array::from_fn(|i| pocket(set, rubber, i)),
    }
}

fn place(at: Vector) -> Point {
    Point::new(round_um(at.x), round_um(at.y))
}

fn rail(rubber: &Rubber, index: usize) -> RailShape {
    let rail = &rubber.rails[index];
    let nose = rail.line + rail.outward * rubber::RADIUS;
    let end = |along| {
        place(if rail.along_x { Vector::new(along, nose) } else { Vector::new(nose, along) })
    };
    RailShape {
        name: RailName::ALL[index].code(),
        nose: Segment { from: end(rail.from), to: end(rail.to) },
    }
}

fn point(jaw: &Jaw, name: &'static str) -> PointShape {
    PointShape {
        name,
        centre: place(jaw.centre),
        radius_um: round_um(jaw.radius),
        nose_tangent: place(jaw.nose_tangent),
        facing_tangent: place(jaw.facing_tangent),
        virtual_point: place(jaw.virtual_point),
    }
}

/// Where the line `depth` behind the mouth line meets the facing line, as a distance along the
/// facing from its tangent point; negative where the rounded point still reaches.
fn along_facing(jaw: &Jaw, throat: &Throat, depth: i64) -> i64 {
    let missing = i128::from(depth - throat.depth(jaw.facing_tangent));
    ((missing << 62) / i128::from(jaw.facing.dot(throat.axis))) as i64
}

/// The facing as far as the back of the pocket.
fn facing(jaw: &Jaw, throat: &Throat) -> Segment {
    let end = along_facing(jaw, throat, throat.back);
    Segment {
        from: place(jaw.facing_tangent),
        to: place(jaw.facing_tangent + jaw.facing.times(end)),
    }
}

/// Where the rubber of `jaw` meets the line `depth` behind the mouth line.
fn rubber_at(jaw: &Jaw, throat: &Throat, depth: i64) -> Vector {
    let along = along_facing(jaw, throat, depth);
    if along >= 0 {
        return jaw.facing_tangent + jaw.facing.times(along);
    }
    let beside = depth - throat.depth(jaw.centre);
    let half = i128::from(jaw.radius).pow(2) - i128::from(beside).pow(2);
    let half = half.unsigned_abs().isqrt() as i64;
    let inward = throat.axis.left();
    let sign = (throat.mouth - jaw.centre).dot(inward).signum();
    jaw.centre + throat.axis.times(beside) + inward.times(sign * half)
}

fn pocket(set: PocketSet, rubber: &Rubber, index: usize) -> PocketShape {
    let pocket = Pocket::ALL[index];
    let (throat, jaws) = (&rubber.throats[index], &rubber.jaws[2 * index..2 * index + 2]);
    let ends = [0, 1].map(|i: usize| rubber_at(&jaws[i], throat, throat.shelf));
    let (gap, _) = (ends[1] - ends[0]).polar();
    let back = throat.axis.times(length(BACK_UM));
    PocketShape {
        pocket,
        measures: if pocket.is_middle() { set.middle() } else { set.corner() },
        mouth_line: Segment {
            from: place(jaws[0].virtual_point),
            to: place(jaws[1].virtual_point),
        },
        fall_line: Segment { from: place(ends[0]), to: place(ends[1]) },
        fall_gap_um: round_um(gap),
        back_line: Segment { from: place(ends[0] + back), to: place(ends[1] + back) },
        aim: place(throat.mouth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fall_gaps_come_out_as_published() {
        let gaps = |g: &Geometry| [g.pockets[0].fall_gap_um, g.pockets[1].fall_gap_um];
        let published = [(&*SNOOKER, [89_300, 107_200]), (&*POOL, [108_900, 126_400])];
        for (geometry, want) in published {
            for (got, want) in gaps(geometry).into_iter().zip(want) {
                assert!((got - want).abs() <= 50, "{got}, not {want}");
            }
        }
    }
}
