//! A trace tells everything: the path of every ball can be drawn from it.

use cuebench_engine::shot::{Met, Mix, Shot, Sight, Trace, random_shot};

/// Rounding of a place or a velocity to whole units, and of what follows from it, µm.
const ROUNDING_UM: f64 = 3.0;

/// A ball as the trace tells it.
#[derive(Clone, Copy)]
struct Told {
    at: [f64; 2],
    velocity: [f64; 2],
    since_s: f64,
    gone: bool,
}

impl Told {
    fn of(sight: Sight, since_s: f64) -> Self {
        let at = [f64::from(sight.at.x_um), f64::from(sight.at.y_um)];
        Self { at, velocity: sight.velocity.map(|v| v as f64), since_s, gone: false }
    }

    fn speed(&self) -> f64 {
        self.velocity[0].hypot(self.velocity[1])
    }

    /// Place and speed at `time_s` if nothing happens.
    fn later(&self, time_s: f64, slowing: f64) -> ([f64; 2], f64) {
        let (speed, past) = (self.speed(), time_s - self.since_s);
        if speed == 0.0 {
            return (self.at, 0.0);
        }
        let way = speed * past - slowing * past * past / 2.0;
        let at = [0, 1].map(|axis| self.at[axis] + self.velocity[axis] / speed * way);
        (at, speed - slowing * past)
    }
}

fn check(shot: &Shot, trace: &Trace, index: u64) {
    let slowing = f64::from(shot.table.spec().cloth) * 1e3;
    let start = |at| Told::of(Sight { at, velocity: [0, 0] }, 0.0);
    let mut balls = shot.balls.at.map(|at| at.map(start));
    let (sin, cos) = (f64::from(shot.launch.angle_mdeg()) / 1e3).to_radians().sin_cos();
    let speed = f64::from(shot.launch.speed_um_s());
    balls[0].as_mut().expect("a white").velocity = [speed * cos, speed * sin];
    for event in &trace.events {
        let time_s = event.time_ns as f64 / 1e9;
        let other = if let Met::Ball(other) = event.met { Some(other) } else { None };
        for (slot, side) in [(Some(event.ball), 0), (other, 1)] {
            let Some(slot) = slot else { continue };
            let told = balls[usize::from(slot)].as_mut().expect("on the table");
            assert!(!told.gone, "shot {index}: ball {slot} is gone at {time_s} s");
            let (at, speed) = told.later(time_s, slowing);
            let seen = Told::of(event.before[side], time_s);
            let apart = (seen.at[0] - at[0]).hypot(seen.at[1] - at[1]);
            let allowed = ROUNDING_UM + time_s - told.since_s;
            assert!(apart <= allowed, "shot {index}: ball {slot} is {apart} µm off at {time_s} s");
            let (had, has) = (speed, seen.speed());
            assert!((had - has).abs() <= ROUNDING_UM, "shot {index}: {had} {has} at {time_s} s");
            *told = Told::of(event.after[side], time_s);
            told.gone = matches!(event.met, Met::Drop(_));
        }
        let stops = matches!(event.met, Met::Stop);
        assert!(!stops || event.after[0].velocity == [0, 0], "shot {index}");
    }
    let outcome = shot.play().expect("valid");
    for (slot, told) in balls.iter().enumerate() {
        let Some(told) = told.filter(|told| !told.gone) else {
            assert_eq!(outcome.balls.at[slot], None, "shot {index}");
            continue;
        };
        assert_eq!(told.velocity, [0.0; 2], "shot {index}: ball {slot} has no stop");
        let end = outcome.balls.at[slot].expect("on the table");
        assert_eq!(told.at, [f64::from(end.x_um), f64::from(end.y_um)], "shot {index}");
    }
}

#[test]
fn what_is_drawn_from_the_trace_is_the_path() {
    let (mut dead, mut rolls) = (0, 0);
    for (mix, balls) in [(Mix::Open, 7), (Mix::Hard, 9), (Mix::HardAnyTable, 4)] {
        for index in 0..1_000 {
            let shot = random_shot(mix, 21, index, balls);
            let (_, trace) = shot.table.trace(&shot.balls, shot.launch).expect("valid");
            check(&shot, &trace, index);
            let events = &trace.events;
            dead += events.windows(2).filter(|pair| stopped_dead(&pair[0], &pair[1])).count();
            rolls += events.iter().filter(|event| matches!(event.met, Met::Mouth(_))).count();
        }
    }
    assert!(dead > 20 && rolls > 100, "{dead} dead stops, {rolls} rolls");
}

/// Whether `next` is the stop of a ball that the contact `event` stopped dead.
fn stopped_dead(
    event: &cuebench_engine::shot::TraceEvent,
    next: &cuebench_engine::shot::TraceEvent,
) -> bool {
    matches!(next.met, Met::Stop)
        && matches!(event.met, Met::Ball(_) | Met::Rail(_))
        && next.time_ns == event.time_ns
        && (event.ball == next.ball || event.met == Met::Ball(next.ball))
}

#[test]
fn a_stop_that_kept_roll_undoes_is_no_stop_with_velocity_0() {
    let mut undone = 0;
    for index in 0..3_000 {
        let shot = random_shot(Mix::Hard, 22, index, 5);
        let (_, trace) = shot.table.trace(&shot.balls, shot.launch).expect("valid");
        for event in &trace.events {
            if matches!(event.met, Met::Mouth(_)) && event.before[0].velocity == [0, 0] {
                assert_ne!(event.after[0].velocity, [0, 0]);
                undone += 1;
            }
        }
    }
    assert!(undone > 0);
}
