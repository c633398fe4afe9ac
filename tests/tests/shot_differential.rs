//! A slow, plain simulator in 64-bit floats that steps through time and shares no code with the
//! engine: it must agree on shots that small errors do not change.

use cuebench_engine::shot::{Mix, Outcome, Shot, random_shot};
use cuebench_engine::table::PocketSet;

const RADIUS: f64 = 28_500.0;
const LENGTH: f64 = 2_540_000.0;
const WIDTH: f64 = 1_270_000.0;
/// Step, s.
const STEP: f64 = 4e-4;

type V = [f64; 2];

fn add(a: V, b: V, k: f64) -> V {
    [a[0] + k * b[0], a[1] + k * b[1]]
}

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn size(a: V) -> f64 {
    dot(a, a).sqrt()
}

/// A pocket in its own frame: `axis` out of the table, `side` across, from the mouth's middle.
struct Throat {
    name: &'static str,
    mouth: V,
    axis: V,
    shelf: f64,
    jaws: [Jaw; 2],
}

struct Jaw {
    centre: V,
    radius: f64,
    facing_from: V,
    facing: V,
    normal: V,
}

impl Throat {
    /// Whether a ball there has left the pocket: on the table side of the mouth line and not on its
    /// way in.
    fn has_left(&self, at: V, velocity: V) -> bool {
        dot(add(at, self.mouth, -1.0), self.axis) <= 0.0 && dot(velocity, self.axis) <= 0.0
    }
}

/// The jaw at the end of a rail: virtual point, direction of the rail, direction out of the table.
fn jaw(point: V, rail: V, out: V, angle_deg: f64, radius: f64) -> Jaw {
    let turn = (180.0 - angle_deg).to_radians();
    let tangent = radius * (turn / 2.0).tan();
    let mix = |a: f64, b: f64| [a * rail[0] + b * out[0], a * rail[1] + b * out[1]];
    let facing = mix(turn.cos(), turn.sin());
    Jaw {
        centre: add(add(point, rail, -tangent), out, radius),
        radius,
        facing_from: add(point, facing, tangent),
        facing,
        normal: mix(turn.sin(), -turn.cos()),
    }
}

fn throats(set: PocketSet) -> Vec<Throat> {
    let [corner, middle] = match set {
        PocketSet::Snooker => [[93.0, 142.0, 12.0, 15.0], [100.0, 100.0, 15.0, 3.0]],
        PocketSet::Pool => [[115.9, 142.0, 10.0, 28.6], [128.6, 104.0, 8.0, 4.8]],
    };
    let mut throats = Vec::new();
    for (name, x, y) in
        [("bl", 0.0, 0.0), ("br", LENGTH, 0.0), ("tl", 0.0, WIDTH), ("tr", LENGTH, WIDTH)]
    {
        let [m, f, r, s] = corner;
        let reach = m * 1e3 / 2_f64.sqrt();
        let (in_x, in_y) = (if x > 0.0 { -1.0 } else { 1.0 }, if y > 0.0 { -1.0 } else { 1.0 });
        let [long, short] = [[x + in_x * reach, y], [x, y + in_y * reach]];
        let h = 0.5_f64.sqrt();
        throats.push(Throat {
            name,
            mouth: [f64::midpoint(long[0], short[0]), f64::midpoint(long[1], short[1])],
            axis: [-in_x * h, -in_y * h],
            shelf: s * 1e3,
            jaws: [
                jaw(long, [-in_x, 0.0], [0.0, -in_y], f, r * 1e3),
                jaw(short, [0.0, -in_y], [-in_x, 0.0], f, r * 1e3),
            ],
        });
    }
    for (name, y) in [("bm", 0.0), ("tm", WIDTH)] {
        let [m, f, r, s] = middle;
        let out = [0.0, if y > 0.0 { 1.0 } else { -1.0 }];
        let (x, half) = (LENGTH / 2.0, m * 500.0);
        throats.push(Throat {
            name,
            mouth: [x, y],
            axis: out,
            shelf: s * 1e3,
            jaws: [
                jaw([x - half, y], [1.0, 0.0], out, f, r * 1e3),
                jaw([x + half, y], [-1.0, 0.0], out, f, r * 1e3),
            ],
        });
    }
    throats
}

#[derive(Clone, Copy)]
struct Ball {
    at: V,
    velocity: V,
    owed: V,
    crossed: Option<f64>,
    on_table: bool,
}

struct Plain {
    throats: Vec<Throat>,
    slowing: f64,
    restitution: f64,
    balls: Vec<Option<Ball>>,
    time: f64,
    falls: Vec<(usize, &'static str, f64)>,
}

/// What is in contact and closing.
#[derive(Clone, Copy)]
enum Touch {
    Balls(usize, usize),
    Rubber { ball: usize, normal: V, jaw: bool },
    Mouth { ball: usize },
}

impl Plain {
    fn new(shot: &Shot) -> Self {
        let spec = shot.table.spec();
        let still =
            |at: V| Ball { at, velocity: [0.0; 2], owed: [0.0; 2], crossed: None, on_table: true };
        let mut balls: Vec<Option<Ball>> = shot
            .balls
            .at
            .iter()
            .map(|at| at.map(|at| still([f64::from(at.x_um), f64::from(at.y_um)])))
            .collect();
        let angle = (f64::from(shot.launch.angle_mdeg()) / 1e3).to_radians();
        let speed = f64::from(shot.launch.speed_um_s());
        if let Some(white) = &mut balls[0] {
            white.velocity = [speed * angle.cos(), speed * angle.sin()];
        }
        Self {
            throats: throats(spec.pockets),
            slowing: f64::from(spec.cloth) * 1e3,
            restitution: f64::from(spec.restitution) / 1e3,
            balls,
            time: 0.0,
            falls: vec![],
        }
    }

    fn play(mut self) -> Self {
        while self.time < 30.0 && self.live().any(|ball| size(ball.velocity) > 0.0) {
            let mut left = STEP;
            for _ in 0..1_000 {
                let Some((ticks, touch)) = self.first_touch(left) else { break };
                self.roll(ticks);
                left -= ticks;
                self.resolve(touch);
            }
            self.roll(left);
        }
        self
    }

    fn live(&self) -> impl Iterator<Item = &Ball> {
        self.balls.iter().flatten().filter(|ball| ball.on_table)
    }

    /// All balls `time` later if they touch nothing.
    fn later(&self, time: f64) -> Vec<Option<Ball>> {
        let moved = |ball: &Ball| {
            let mut ball = *ball;
            let speed = size(ball.velocity);
            if ball.on_table && speed > 0.0 {
                let rolling = time.min(speed / self.slowing);
                let way = speed * rolling - self.slowing * rolling * rolling / 2.0;
                ball.at = add(ball.at, ball.velocity, way / speed);
                let kept = if rolling < time { 0.0 } else { 1.0 - self.slowing * time / speed };
                ball.velocity = [ball.velocity[0] * kept, ball.velocity[1] * kept];
            }
            ball
        };
        self.balls.iter().map(|ball| ball.as_ref().map(moved)).collect()
    }

    /// The first contact within `time`, by halving the step.
    fn first_touch(&self, time: f64) -> Option<(f64, Touch)> {
        if let Some(touch) = self.touch(&self.balls) {
            return Some((0.0, touch));
        }
        self.touch(&self.later(time))?;
        let (mut before, mut after) = (0.0, time);
        for _ in 0..50 {
            let middle = f64::midpoint(before, after);
            if self.touch(&self.later(middle)).is_some() {
                after = middle;
            } else {
                before = middle;
            }
        }
        self.touch(&self.later(after)).map(|touch| (after, touch))
    }

    fn touch(&self, balls: &[Option<Ball>]) -> Option<Touch> {
        let live = |slot: usize| balls[slot].as_ref().filter(|ball| ball.on_table);
        for i in 0..balls.len() {
            let Some(a) = live(i) else { continue };
            for j in i + 1..balls.len() {
                let Some(b) = live(j) else { continue };
                let apart = add(b.at, a.at, -1.0);
                if size(apart) < 2.0 * RADIUS
                    && dot(add(a.velocity, b.velocity, -1.0), apart) > size(apart)
                {
                    return Some(Touch::Balls(i, j));
                }
            }
            let throat = &self.throats[self.nearest(a.at)];
            if size(a.owed) > 0.0 && throat.has_left(a.at, a.velocity) {
                return Some(Touch::Mouth { ball: i });
            }
            if let Some((normal, jaw)) = self.rubber(a) {
                return Some(Touch::Rubber { ball: i, normal, jaw });
            }
        }
        None
    }

    /// The rubber that a ball is in and moves into.
    fn rubber(&self, ball: &Ball) -> Option<(V, bool)> {
        let [x, y] = ball.at;
        if (RADIUS..=LENGTH - RADIUS).contains(&x) && (RADIUS..=WIDTH - RADIUS).contains(&y) {
            return None;
        }
        let closes = |normal: V| dot(ball.velocity, normal) < -1.0;
        // A nose ends beside the centre of its rounded point; bl, br, tl, tr, bm, tm.
        let end =
            |throat: usize, jaw: usize, axis: usize| self.throats[throat].jaws[jaw].centre[axis];
        let on_long =
            (x >= end(0, 0, 0) && x <= end(4, 0, 0)) || (x >= end(4, 1, 0) && x <= end(1, 0, 0));
        let on_short = y >= end(0, 1, 1) && y <= end(2, 1, 1);
        let walls = [
            ([1.0, 0.0], on_short && x < RADIUS),
            ([-1.0, 0.0], on_short && x > LENGTH - RADIUS),
            ([0.0, 1.0], on_long && y < RADIUS),
            ([0.0, -1.0], on_long && y > WIDTH - RADIUS),
        ];
        let wall = walls.into_iter().find(|(normal, over)| *over && closes(*normal));
        if let Some((normal, _)) = wall {
            return Some((normal, false));
        }
        for jaw in self.throats.iter().flat_map(|throat| &throat.jaws) {
            let from = add(ball.at, jaw.centre, -1.0);
            let distance = size(from);
            let normal = [from[0] / distance, from[1] / distance];
            if distance < RADIUS + jaw.radius && closes(normal) {
                return Some((normal, true));
            }
            let from = add(ball.at, jaw.facing_from, -1.0);
            let beside = dot(from, jaw.normal);
            let along = dot(from, jaw.facing);
            if (0.0..100_000.0).contains(&along) && beside.abs() < RADIUS && closes(jaw.normal) {
                return Some((jaw.normal, true));
            }
        }
        None
    }

    fn resolve(&mut self, touch: Touch) {
        match touch {
            Touch::Balls(i, j) => {
                let (Some(mut a), Some(mut b)) = (self.balls[i], self.balls[j]) else { return };
                let apart = add(b.at, a.at, -1.0);
                let n = [apart[0] / size(apart), apart[1] / size(apart)];
                let passed = dot(a.velocity, n) - dot(b.velocity, n);
                a.velocity = add(a.velocity, n, -passed);
                b.velocity = add(b.velocity, n, passed);
                (self.balls[i], self.balls[j]) = (Some(a), Some(b));
            }
            Touch::Mouth { ball } => {
                let Some(body) = self.balls[ball].as_mut() else { return };
                body.velocity = add(body.velocity, body.owed, 1.0);
                body.owed = [0.0; 2];
            }
            Touch::Rubber { ball, normal, jaw } => {
                let nearest = self.balls[ball].map(|ball| self.nearest(ball.at));
                let (Some(body), Some(throat)) = (self.balls[ball].as_mut(), nearest) else {
                    return;
                };
                let into = -dot(body.velocity, normal);
                if !jaw {
                    body.velocity = add(body.velocity, normal, (1.0 + self.restitution) * into);
                    return;
                }
                let along = [-normal[1], normal[0]];
                let beside = dot(body.velocity, along);
                let kept = beside.signum() * (beside.abs() - 0.15 * 1.85 * into).max(0.0);
                let after = add([normal[0] * 0.85 * into, normal[1] * 0.85 * into], along, kept);
                body.owed = add(body.owed, add(body.velocity, after, -1.0), 2.0 / 7.0);
                let throat = &self.throats[throat];
                let share = ((1.2e6 - size(after)) / 0.75e6).clamp(0.0, 1.0);
                let share = if throat.has_left(body.at, after) { 1.0 } else { share };
                body.velocity = add(after, body.owed, share);
                body.owed = add(body.owed, body.owed, -share);
            }
        }
    }

    fn nearest(&self, at: V) -> usize {
        let far = |i: &usize| size(add(at, self.throats[*i].mouth, -1.0));
        (0..6).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
    }

    /// Lets `time` pass without contacts: mouth lines, fall lines, stops.
    fn roll(&mut self, time: f64) {
        let before = self.balls.clone();
        self.balls = self.later(time);
        self.time += time;
        for (slot, old) in before.iter().enumerate() {
            let (Some(mut ball), Some(old)) = (self.balls[slot], *old) else { continue };
            if !ball.on_table || size(old.velocity) == 0.0 {
                continue;
            }
            let throat = &self.throats[self.nearest(ball.at)];
            let depth = |at: V| dot(add(at, throat.mouth, -1.0), throat.axis);
            let stopped = size(ball.velocity) == 0.0;
            if size(ball.owed) > 0.0 && stopped {
                ball.velocity = add(ball.velocity, ball.owed, 1.0);
                ball.owed = [0.0; 2];
            }
            let behind = depth(ball.at) - throat.shelf;
            if behind > 0.0 {
                let since = *ball.crossed.get_or_insert(self.time);
                let still = size(ball.velocity) == 0.0;
                if still || behind >= 28_500.0 || self.time >= since + 0.04 {
                    ball.on_table = false;
                    self.falls.push((slot, throat.name, self.time));
                }
            } else {
                ball.crossed = None;
            }
            self.balls[slot] = Some(ball);
        }
    }
}

/// How far a shift of the white, or of the first ball hit, by 1 µm moves any ball; none if it
/// changes what happens.
fn sensitivity(shot: &Shot, outcome: &Outcome) -> Option<f64> {
    let mut worst = 0.0_f64;
    let hit = outcome.first_hit.map(usize::from);
    for slot in [Some(0), hit].into_iter().flatten() {
        for [dx, dy] in [[1, 0], [-1, 0], [0, 1], [0, -1]] {
            let mut moved = *shot;
            let at = moved.balls.at[slot].as_mut()?;
            (at.x_um, at.y_um) = (at.x_um + dx, at.y_um + dy);
            let other = moved.play().ok()?;
            let kinds = |o: &Outcome| {
                let balls: Vec<_> = o.collisions.iter().map(|c| (c.a, c.b)).collect();
                let rails: Vec<_> = o.rail_contacts.iter().map(|c| (c.ball, c.rail)).collect();
                let falls: Vec<_> = o.falls.iter().map(|f| (f.ball, f.pocket)).collect();
                (balls, rails, falls, o.jaw_contacts)
            };
            if kinds(&other) != kinds(outcome) {
                return None;
            }
            for (a, b) in outcome.balls.at.iter().zip(&other.balls.at) {
                if let (Some(a), Some(b)) = (a, b) {
                    worst = worst.max((a.distance_squared_um2(*b) as f64).sqrt());
                }
            }
        }
    }
    (worst <= 50.0).then_some(worst)
}

#[test]
fn a_plain_float_simulator_agrees() {
    let (mut compared, mut falls) = (0, 0);
    for index in 0..300 {
        let shot = random_shot(Mix::Open, 5, index, 5);
        let outcome = shot.play().expect("valid");
        let Some(sensitivity) = sensitivity(&shot, &outcome) else { continue };
        let plain = Plain::new(&shot).play();
        let got: Vec<_> =
            outcome.falls.iter().map(|f| (usize::from(f.ball), f.pocket.code())).collect();
        let want: Vec<_> = plain.falls.iter().map(|(ball, pocket, _)| (*ball, *pocket)).collect();
        assert_eq!(got, want, "shot {index}");
        for (fall, (_, _, time)) in outcome.falls.iter().zip(&plain.falls) {
            // The plain one sees lines only at the end of a step.
            assert!((fall.time_ns as f64 / 1e9 - time).abs() < 3.0 * STEP, "shot {index}");
        }
        for (slot, at) in outcome.balls.on_table() {
            let want = plain.balls[slot].expect("the same balls").at;
            let apart = size(add(want, [f64::from(at.x_um), f64::from(at.y_um)], -1.0));
            assert!(apart <= (3.0 * sensitivity).max(3.0), "shot {index}, ball {slot}: {apart} µm");
        }
        compared += 1;
        falls += got.len();
    }
    assert!(compared >= 200 && falls >= 15, "{compared} shots with {falls} falls");
}
