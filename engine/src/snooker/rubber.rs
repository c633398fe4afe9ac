//! Where no centre of a ball may be placed because of cushions and pockets.
//!
//! Shapes as in `engine/docs/physics.md`, Geometry, from the measures of the pockets: half-strips
//! before the noses of the rails, discs around the rounded points, strips along the facings, and
//! what lies beyond the mouth lines. Each is convex. Numbers are micrometres as 64-bit floats,
//! whose error here is below a millionth of a micrometre.

use crate::table::{PocketMeasures, PocketSet};
use crate::units::{BALL_RADIUS_UM, LENGTH_UM, Point, WIDTH_UM};
use std::sync::LazyLock;

/// Farther than any place on the table.
const BEYOND_UM: i64 = 100_000_000;
const RADIUS_UM: f64 = BALL_RADIUS_UM as f64;

/// A closed range of y that a column forbids.
pub(super) type Slice = Option<[i64; 2]>;

/// A convex set in which no centre may lie.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Less than `reach` from `centre`: a rounded point.
    Disc { centre: [f64; 2], reach: f64 },
    /// Less than a ball's radius beside the ray from `from` along the unit vector `along`.
    Facing { from: [f64; 2], along: [f64; 2] },
    /// Columns in `x`, up to y = `below` (`top`: from there on).
    LongRail { x: [f64; 2], top: bool },
    /// Rows in `y`, before the nose of the left rail (`right`: of the right one).
    ShortRail { y: [f64; 2], right: bool },
    /// On or beyond the mouth line of a corner, `offset` from the corner along either rail.
    Mouth { offset: f64, right: bool, top: bool },
}

/// What two columns of a convex set forbid in all columns between them.
pub(super) fn common([a, b]: [Slice; 2]) -> Slice {
    let (a, b) = (a?, b?);
    let both = [a[0].max(b[0]), a[1].min(b[1])];
    (both[0] <= both[1]).then_some(both)
}

/// All rubber and mouths of a table.
#[derive(Clone, Debug)]
pub(super) struct Rubber {
    shapes: Vec<Shape>,
}

impl Rubber {
    /// The rubber of a table with this set of pockets, made once.
    pub(super) fn of(pockets: PocketSet) -> &'static Self {
        static SNOOKER: LazyLock<Rubber> = LazyLock::new(|| Rubber::new(PocketSet::Snooker));
        static POOL: LazyLock<Rubber> = LazyLock::new(|| Rubber::new(PocketSet::Pool));
        match pockets {
            PocketSet::Snooker => &SNOOKER,
            PocketSet::Pool => &POOL,
        }
    }

    fn new(pockets: PocketSet) -> Self {
        let mut shapes = Vec::with_capacity(36);
        let corner = Jaw::new(pockets.corner(), std::f64::consts::FRAC_1_SQRT_2);
        let middle = Jaw::new(pockets.middle(), 0.5);
        let half_um = LENGTH_UM / 2;
        for (right, top) in [(false, false), (true, false), (false, true), (true, true)] {
            let frame = Frame { right, top, swap: false, middle: false };
            shapes.extend(corner.shapes(frame));
            shapes.extend(corner.shapes(Frame { swap: true, ..frame }));
            shapes.extend(middle.shapes(Frame { middle: true, ..frame }));
            let ends = [corner.tangent, f64::from(half_um) - middle.tangent];
            let mut x = ends.map(|x| frame.place([x, 0.0])[0]);
            x.sort_by(f64::total_cmp);
            shapes.push(Shape::LongRail { x, top });
            shapes.push(Shape::Mouth { offset: corner.offset, right, top });
        }
        for right in [false, true] {
            let y = [corner.tangent, f64::from(WIDTH_UM) - corner.tangent];
            shapes.push(Shape::ShortRail { y, right });
        }
        Self { shapes }
    }

    /// The shapes that can matter to places at most `reach_um` from `start`.
    pub(super) fn near(mut self, start: Point, reach_um: i64) -> Self {
        let start = [f64::from(start.x_um), f64::from(start.y_um)];
        self.shapes.retain(|shape| shape.is_near(start, reach_um as f64));
        self
    }

    /// What is forbidden in every column from `ends[0]` to `ends[1]`, shape by shape.
    pub(super) fn common_slices(&self, ends: [i64; 2]) -> impl Iterator<Item = Slice> {
        self.shapes.iter().map(move |shape| common(ends.map(|x| shape.slice(x))))
    }

    /// Whether a ball's centre may be placed at `place` as far as the rubber is concerned.
    #[cfg(test)]
    pub(super) fn allows(&self, place: Point) -> bool {
        let at = [f64::from(place.x_um), f64::from(place.y_um)];
        (0..=LENGTH_UM).contains(&place.x_um)
            && (1..WIDTH_UM).contains(&place.y_um)
            && self.shapes.iter().all(|shape| !shape.forbids(at))
    }
}

/// Where a jaw of the lower left quarter is: along the lower rail or (`swap`) the left one, at the
/// corner or (`middle`) at the middle pocket; then mirrored to the other quarters.
#[derive(Clone, Copy)]
struct Frame {
    right: bool,
    top: bool,
    swap: bool,
    middle: bool,
}

impl Frame {
    fn place(self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [x, y] = if self.swap { [y, x] } else { [x, y] };
        let x = if self.middle { f64::from(LENGTH_UM / 2) - x } else { x };
        let x = if self.right { f64::from(LENGTH_UM) - x } else { x };
        [x, if self.top { f64::from(WIDTH_UM) - y } else { y }]
    }

    fn direction(self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [x, y] = if self.swap { [y, x] } else { [x, y] };
        let x = if self.middle == self.right { x } else { -x };
        [x, if self.top { -y } else { y }]
    }
}

/// One jaw, drawn at a pocket in the origin whose rail runs along +x with the table above it.
#[derive(Clone, Copy)]
struct Jaw {
    /// Where nose line and facing meet, along the rail.
    offset: f64,
    /// Where the nose goes over into the rounded point, along the rail.
    tangent: f64,
    radius: f64,
    facing_from: [f64; 2],
    facing_along: [f64; 2],
}

impl Jaw {
    /// `share` of the mouth is the distance of the virtual jaw point along the rail.
    fn new(measures: PocketMeasures, share: f64) -> Self {
        let offset = f64::from(measures.mouth_um) * share;
        let radius = f64::from(measures.point_radius_um);
        let turn = f64::from(180 - measures.facing_deg).to_radians();
        let tangent_length = radius * libm::tan(turn / 2.0);
        let along = [-libm::cos(turn), -libm::sin(turn)];
        let facing_from = [offset + tangent_length * along[0], tangent_length * along[1]];
        let tangent = offset + tangent_length;
        Self { offset, tangent, radius, facing_from, facing_along: along }
    }

    fn shapes(&self, frame: Frame) -> [Shape; 2] {
        let centre = frame.place([self.tangent, -self.radius]);
        let from = frame.place(self.facing_from);
        [
            Shape::Disc { centre, reach: self.radius + RADIUS_UM },
            Shape::Facing { from, along: frame.direction(self.facing_along) },
        ]
    }
}

impl Shape {
    /// Whether the part of the shape that lies on the table can come within `reach` of `start`.
    fn is_near(&self, [x, y]: [f64; 2], reach: f64) -> bool {
        let depth = |right: bool| if right { f64::from(LENGTH_UM) - x } else { x };
        let height = |top: bool| if top { f64::from(WIDTH_UM) - y } else { y };
        match *self {
            Self::Disc { centre: [cx, cy], reach: own } => {
                (x - cx).abs().max((y - cy).abs()) <= reach + own
            }
            // It leads off the table: only its first radius counts.
            Self::Facing { from: [fx, fy], .. } => {
                (x - fx).abs().max((y - fy).abs()) <= reach + 2.0 * RADIUS_UM
            }
            Self::LongRail { top, .. } => height(top) <= reach + RADIUS_UM,
            Self::ShortRail { right, .. } => depth(right) <= reach + RADIUS_UM,
            Self::Mouth { offset, right, top } => {
                depth(right) + height(top) <= offset + 2.0 * reach
            }
        }
    }

    /// The closed range of whole y that the shape forbids in column `x`.
    fn slice(&self, x: i64) -> Slice {
        let open = |low: f64, high: f64| whole([low.floor() + 1.0, high.ceil() - 1.0]);
        let column = x as f64;
        match *self {
            Self::Disc { centre, reach } => {
                let dx = (column - centre[0]).abs();
                let half = (dx < reach).then(|| ((reach - dx) * (reach + dx)).sqrt())?;
                open(centre[1] - half, centre[1] + half)
            }
            Self::Facing { from, along } => facing_slice(column - from[0], from[1], along),
            Self::LongRail { x: [low, high], top } => {
                let near = (low..=high).contains(&column);
                let width = i64::from(WIDTH_UM);
                let nose = i64::from(BALL_RADIUS_UM) - 1;
                let slice = if top { [width - nose, BEYOND_UM] } else { [-BEYOND_UM, nose] };
                near.then_some(slice)
            }
            Self::ShortRail { y, right } => {
                let depth = if right { i64::from(LENGTH_UM) - x } else { x };
                (depth < i64::from(BALL_RADIUS_UM)).then(|| whole([y[0].ceil(), y[1].floor()]))?
            }
            Self::Mouth { offset, right, top } => {
                let depth = if right { f64::from(LENGTH_UM) - column } else { column };
                let reach = (offset - depth).floor() as i64;
                let width = i64::from(WIDTH_UM);
                Some(if top { [width - reach, BEYOND_UM] } else { [-BEYOND_UM, reach] })
            }
        }
    }

    /// The definition, for one point: what [`Shape::slice`] must agree with.
    #[cfg(test)]
    fn forbids(&self, [x, y]: [f64; 2]) -> bool {
        let depth = |right: bool| if right { f64::from(LENGTH_UM) - x } else { x };
        let height = |top: bool| if top { f64::from(WIDTH_UM) - y } else { y };
        match *self {
            Self::Disc { centre, reach } => {
                (x - centre[0]).powi(2) + (y - centre[1]).powi(2) < reach * reach
            }
            Self::Facing { from, along } => {
                let (dx, dy) = (x - from[0], y - from[1]);
                dx * along[0] + dy * along[1] >= 0.0
                    && (dy * along[0] - dx * along[1]).abs() < RADIUS_UM
            }
            Self::LongRail { x: [low, high], top } => {
                (low..=high).contains(&x) && height(top) < RADIUS_UM
            }
            Self::ShortRail { y: [low, high], right } => {
                (low..=high).contains(&y) && depth(right) < RADIUS_UM
            }
            Self::Mouth { offset, right, top } => depth(right) + height(top) <= offset,
        }
    }
}

/// The slice of the strip beside a facing, `dx` from its start whose y is `from_y`.
fn facing_slice(dx: f64, from_y: f64, [ax, ay]: [f64; 2]) -> Slice {
    // |dy ax - dx ay| < R and dx ax + dy ay >= 0, solved for dy; no facing runs along an axis.
    let (middle, half) = (dx * ay / ax, RADIUS_UM / ax.abs());
    let level = -dx * ax / ay;
    let (mut low, mut high) =
        ((from_y + middle - half).floor() + 1.0, (from_y + middle + half).ceil() - 1.0);
    if ay > 0.0 {
        low = low.max((from_y + level).ceil());
    } else {
        high = high.min((from_y + level).floor());
    }
    whole([low, high])
}

fn whole([low, high]: [f64; 2]) -> Slice {
    (low <= high).then_some([low as i64, high as i64])
}
