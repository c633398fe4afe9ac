//! The event loop: find the first event, resolve it, look again only where motions changed.

use super::balls::{MAX_BALLS, WHITE};
use super::detect::circle::TOUCH;
use super::detect::coarse::Coarse;
use super::detect::pair::{Approach, meet_moving};
use super::detect::resting::{DIAMETER, contact, meet_resting};
use super::detect::slow::{is_of, not_before};
use super::detect::throat::{Path, nearest_pocket};
use super::detect::{Key, Kind, LEAST_CLOSING};
use super::hash::mix;
use super::layout::Layout;
use super::motion::{Body, Motion};
use super::outcome::{Collision, Fall, Outcome, RailContact};
use super::resolve::ball::{collide, part};
use super::resolve::jaw::{Rolling, rattle};
use super::resolve::rail::{MOST_OVERLAP, bounce, kept};
use super::stroke::Launch;
use super::trace::{Recorder, Sight};
use crate::fixed::vector::Vector;
use crate::fixed::{TIME_BITS, angle, nanoseconds, round_um, speed};
use crate::table::cloth::Cloth;
use crate::table::rubber::Rubber;
use crate::table::{Pocket, RailName};
use crate::units::Point;
use smallvec::SmallVec;

/// Events after which a shot is cut off: a defect, see [`Outcome::capped`].
pub const EVENT_CAP: u32 = 10_000;
/// How long a ball may be over the drop: 40 ms.
const DROP_TICKS: i64 = (1 << TIME_BITS) / 25;

/// A set of balls, a bit a slot.
type Set = u16;

/// The slots of a set, ascending.
fn slots(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let slot = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (slot < MAX_BALLS).then_some(slot)
    })
}

const fn bit(slot: usize) -> Set {
    1 << slot
}

/// A shot in progress.
pub struct Run<'a, R> {
    layout: &'a Layout,
    rubber: &'a Rubber,
    cloth: Cloth,
    restitution: i64,
    bodies: [Body; MAX_BALLS],
    /// Where the balls at rest lie, coarsely.
    coarse: Coarse,
    /// The first event of each moving ball, with or without another ball.
    first: [Key; MAX_BALLS],
    /// The balls on the table.
    present: Set,
    /// Those that move.
    moving: Set,
    now: i64,
    /// By how much each collision's balls overlapped when it was over.
    overlaps: SmallVec<[i64; 32]>,
    outcome: &'a mut Outcome,
    recorder: &'a mut R,
}

impl<'a, R: Recorder> Run<'a, R> {
    /// The shot `launch` of the white, which is on the table.
    pub fn new(
        layout: &'a Layout,
        launch: Launch,
        outcome: &'a mut Outcome,
        recorder: &'a mut R,
    ) -> Self {
        outcome.clear();
        let mut bodies = [Body::default(); MAX_BALLS];
        let mut present = 0;
        for (slot, _) in layout.balls().on_table() {
            bodies[slot].motion.origin = layout.places[slot];
            present |= bit(slot);
        }
        bodies[WHITE].motion.direction = angle::direction(launch.angle_mdeg());
        bodies[WHITE].motion.speed = speed(i64::from(launch.speed_um_s()));
        let table = layout.table();
        Self {
            layout,
            rubber: table.rubber(),
            cloth: table.cloth(),
            restitution: i64::from(table.spec().restitution),
            bodies,
            coarse: layout.coarse,
            first: [Key::NEVER; MAX_BALLS],
            present,
            moving: bit(WHITE),
            now: 0,
            overlaps: SmallVec::new(),
            outcome,
            recorder,
        }
    }

    /// Plays to the end and fills the outcome.
    pub fn play(mut self) {
        self.update(bit(WHITE));
        let mut steps = 0;
        while let Some(key) = slots(self.moving).map(|slot| self.first[slot]).min() {
            steps += 1;
            if steps > EVENT_CAP {
                self.outcome.capped = true;
                break;
            }
            self.now = key.time();
            let changed = self.take(key);
            self.update(changed);
        }
        self.finish();
    }

    fn finish(&mut self) {
        for slot in slots(self.present) {
            let at = self.bodies[slot].motion.place(self.cloth, self.now);
            let at = Point::new(round_um(at.x), round_um(at.y));
            self.outcome.balls.at[slot] = Some(at);
            let word = (at.x_um as u64) << 32 | u64::from(at.y_um as u32);
            self.outcome.digest = mix(self.outcome.digest ^ word);
        }
        self.outcome.duration_ns = nanoseconds(self.now);
    }

    /// Resolves the event `key`; the balls whose motion changed.
    fn take(&mut self, mut key: Key) -> Set {
        let (ball, other) = (key.ball(), key.other());
        self.bring(ball);
        if key.kind() == Kind::Stop {
            self.bodies[ball].motion.speed = 0;
            key = self.at_rest(ball);
        }
        if key.kind() == Kind::Ball {
            self.bring(other);
            if self.still_apart(ball, other) {
                return bit(ball) | bit(other);
            }
        }
        let changed = self.happen(key);
        for slot in slots(changed & self.moving) {
            if self.bodies[slot].motion.speed == 0 {
                // Stopped dead, or no roll to speak of was left.
                let key = self.at_rest(slot);
                self.happen(key);
            }
        }
        changed
    }

    /// Lets the event `key` happen; the balls whose motion changed.
    fn happen(&mut self, key: Key) -> Set {
        let (ball, other) = (key.ball(), key.other());
        self.outcome.events += 1;
        self.outcome.digest = mix(self.outcome.digest ^ key.word());
        let before = self.sights(key);
        let changed = match key.kind() {
            Kind::Ball => self.collision(ball, other),
            Kind::Rail => self.rail(ball, other),
            Kind::Point | Kind::Facing => self.jaw(key.kind(), ball, other),
            Kind::Mouth => self.mouth(ball),
            Kind::Fall => self.fall_line(ball),
            Kind::Drop => self.drop(ball),
            Kind::Stop => self.stop(ball),
        };
        if R::ON {
            let after = self.sights(key);
            self.recorder.record(key, before, after);
        }
        changed
    }

    /// Both balls of an event, for a recorder.
    fn sights(&self, key: Key) -> [Sight; 2] {
        if !R::ON {
            return [Sight::default(); 2];
        }
        let sight = |slot: usize| Sight::of(&self.bodies[slot].motion);
        [
            sight(key.ball()),
            if key.kind() == Kind::Ball { sight(key.other()) } else { Sight::default() },
        ]
    }

    /// Tells the motion of a ball from now on.
    fn bring(&mut self, slot: usize) {
        let motion = &mut self.bodies[slot].motion;
        *motion = motion.at(self.cloth, self.now);
    }

    /// Whether two moving balls do not touch yet: their search was cut off.
    fn still_apart(&self, a: usize, b: usize) -> bool {
        let both = bit(a) | bit(b);
        if self.moving & both != both {
            return false;
        }
        let [a, b] = [a, b].map(|slot| &self.bodies[slot].motion);
        Approach::at(a, b, self.cloth, self.now).closing <= LEAST_CLOSING
    }

    fn collision(&mut self, a: usize, b: usize) -> Set {
        let (low, high) = self.bodies.split_at_mut(b);
        let (first, second) = (&mut low[a], &mut high[0]);
        let (distance, normal) = (second.motion.origin - first.motion.origin).polar();
        let mut overlap = DIAMETER - distance;
        if overlap > TOUCH && first.met & bit(b) != 0 {
            // Only what grew since their last contact is undone, while a slow one waited: the
            // overlap that balls had at the start is theirs.
            let past = self.outcome.collisions.iter().zip(&self.overlaps);
            let last = past.rev().find(|(collision, _)| is_of(collision, [a, b]));
            let kept = last.map_or(0, |(_, &kept)| kept.max(0));
            if overlap - kept > TOUCH {
                part(&mut first.motion, &mut second.motion, normal, overlap - kept);
                overlap = kept;
            }
        }
        self.overlaps.push(overlap);
        collide(&mut first.motion, &mut second.motion, normal);
        (first.motion.since, second.motion.since) = (self.now, self.now);
        self.outcome.collisions.push(Collision {
            a: a as u8,
            b: b as u8,
            a_was_at_rest: a != WHITE && first.met == 0,
            b_was_at_rest: second.met == 0,
            time_ns: nanoseconds(self.now),
        });
        first.met |= bit(b);
        second.met |= bit(a);
        if a == WHITE && self.outcome.first_hit.is_none() {
            self.outcome.first_hit = Some(b as u8);
        }
        self.moving |= bit(a) | bit(b);
        bit(a) | bit(b)
    }

    fn rail(&mut self, ball: usize, rail: usize) -> Set {
        let start = self.layout.places[ball];
        let motion = &mut self.bodies[ball].motion;
        bounce(motion, &self.rubber.rails[rail], self.restitution, start);
        self.outcome.rail_contacts.push(RailContact {
            ball: ball as u8,
            rail: RailName::ALL[rail],
            time_ns: nanoseconds(self.now),
        });
        bit(ball)
    }

    fn jaw(&mut self, kind: Kind, ball: usize, index: usize) -> Set {
        let jaw = &self.rubber.jaws[index];
        let start = self.layout.places[ball];
        let body = &mut self.bodies[ball];
        let at = body.motion.origin;
        let (normal, overlap) = jaw.face(kind, at);
        if overlap > MOST_OVERLAP {
            let kept = kept(overlap, jaw.face(kind, start).1);
            body.motion.origin = at + normal.times(overlap - kept);
        }
        let throat = &self.rubber.throats[index / 2];
        let before = Rolling { velocity: body.motion.velocity(), pending: body.pending };
        let after = rattle(before, normal, |velocity| throat.has_left(at, velocity));
        (body.motion.speed, body.motion.direction) = after.velocity.polar();
        body.pending = after.pending;
        self.outcome.jaw_contacts += 1;
        bit(ball)
    }

    fn mouth(&mut self, ball: usize) -> Set {
        let body = &mut self.bodies[ball];
        let velocity = body.motion.velocity() + body.pending;
        (body.motion.speed, body.motion.direction) = velocity.polar();
        body.pending = Vector::ZERO;
        bit(ball)
    }

    fn fall_line(&mut self, ball: usize) -> Set {
        let body = &mut self.bodies[ball];
        body.crossed = if body.crossed.is_some() { None } else { Some(self.now) };
        bit(ball)
    }

    fn drop(&mut self, ball: usize) -> Set {
        self.present &= !bit(ball);
        self.moving &= !bit(ball);
        let pocket = nearest_pocket(self.bodies[ball].motion.origin);
        self.outcome.falls.push(Fall {
            ball: ball as u8,
            pocket: Pocket::ALL[pocket],
            time_ns: nanoseconds(self.now),
        });
        bit(ball)
    }

    /// What comes of a ball that has come to rest: roll that is owed sets it going again, over the
    /// drop it falls, else it stops.
    fn at_rest(&self, ball: usize) -> Key {
        let body = &self.bodies[ball];
        let pocket = nearest_pocket(body.motion.origin);
        let throat = &self.rubber.throats[pocket];
        if body.pending != Vector::ZERO {
            Key::new(self.now, Kind::Mouth, ball, pocket)
        } else if throat.depth(body.motion.origin) > throat.shelf {
            Key::new(self.now, Kind::Drop, ball, pocket)
        } else {
            Key::new(self.now, Kind::Stop, ball, 0)
        }
    }

    fn stop(&mut self, ball: usize) -> Set {
        let body = &mut self.bodies[ball];
        body.crossed = None;
        self.coarse.note(ball, body.motion.origin);
        self.moving &= !bit(ball);
        bit(ball)
    }

    /// Looks for the first events anew after the motions of `changed` have changed.
    fn update(&mut self, changed: Set) {
        let stale: Set = slots(self.moving & !changed)
            .filter(|&slot| {
                let key = self.first[slot];
                let partners = bit(key.ball()) | bit(key.other());
                key.kind() == Kind::Ball && partners & changed != 0
            })
            .map(bit)
            .sum();
        for slot in slots(changed & self.moving) {
            self.look_alone(slot);
        }
        let active = (changed | stale) & self.moving;
        let resting = self.present & !self.moving;
        for slot in slots(active) {
            self.first[slot] = self.bodies[slot].alone;
            self.look_at_resting(slot, resting);
        }
        for slot in slots(self.moving & !active) {
            self.look_at_resting(slot, resting & changed);
        }
        for slot in slots(active) {
            let done = active & (bit(slot) | (bit(slot) - 1));
            for other in slots(self.moving & !done) {
                self.look_at_moving(slot, other);
            }
        }
    }

    /// What `slot` meets without other balls.
    fn look_alone(&mut self, slot: usize) {
        let body = &mut self.bodies[slot];
        let own = Path::new(self.rubber, self.cloth, body).next();
        let motion = &body.motion;
        let left = own.speed.unwrap_or_else(|| self.cloth.speed_after(motion.speed, own.way));
        let time = motion.since + self.cloth.ticks(motion.speed - left);
        body.alone = Key::new(time, own.kind, slot, own.index as usize);
        body.far = motion.origin + motion.direction.times(own.way);
        body.way = own.way;
        if let Some(crossed) = body.crossed {
            let pocket = nearest_pocket(motion.origin);
            body.alone = body.alone.min(Key::new(crossed + DROP_TICKS, Kind::Drop, slot, pocket));
        }
    }

    /// Takes the first contact of `slot` with one of `resting` if it comes before what is known.
    fn look_at_resting(&mut self, slot: usize, mut resting: Set) {
        if resting == 0 {
            return;
        }
        let Body { mut motion, way: mut ahead, met, .. } = self.bodies[slot];
        if motion.since != self.now {
            // Only what lies ahead counts: it may have passed the place before the other came.
            ahead -= self.cloth.way(motion.speed, self.now - motion.since);
            motion = motion.at(self.cloth, self.now);
        }
        resting &= self.coarse.near(motion.origin, motion.direction, ahead);
        while resting != 0 {
            let mut limit = ahead;
            let mut best = None;
            for other in slots(resting) {
                let place = self.bodies[other].motion.origin;
                if let Some(meeting) = meet_resting(&motion, place, limit)
                    && (best.is_none() || meeting.way < limit)
                {
                    limit = meeting.way;
                    best = Some((other, meeting));
                }
            }
            let Some((other, meeting)) = best else { return };
            if let Some(contact) = contact(&motion, self.cloth, meeting) {
                if !contact.slow || met & bit(other) == 0 {
                    self.expect(self.now + contact.ticks, slot, other);
                    return;
                }
                self.wait_for_resting(slot, other, &motion, contact.ticks);
            }
            // Too slow for a contact with this one, or not yet: the others may still be met.
            resting &= !bit(other);
        }
    }

    /// Takes a slow contact of balls that have met before, `ticks` from now at the earliest.
    fn wait_for_resting(&mut self, slot: usize, other: usize, motion: &Motion, ticks: i64) {
        let resting = &self.bodies[other].motion;
        let mut time = self.now + ticks;
        if !Approach::at(motion, resting, self.cloth, self.now).jammed() {
            time = time.max(not_before([slot, other], &self.outcome.collisions));
        }
        if time < self.first[slot].time()
            && Approach::at(motion, resting, self.cloth, time).closing > LEAST_CLOSING
        {
            self.expect(time, slot, other);
        }
    }

    /// Notes a contact of two balls for `slot` if it comes before what is known.
    fn expect(&mut self, time: i64, slot: usize, other: usize) {
        self.first[slot] = self.first[slot].min(Key::pair(time, slot, other));
    }

    /// Takes the contact of two moving balls if it comes before what is known of either.
    fn look_at_moving(&mut self, slot: usize, other: usize) {
        let until = self.first[slot].min(self.first[other]).time();
        let [a, b] = [slot, other].map(|slot| &self.bodies[slot]);
        if apart(a, b) {
            return;
        }
        let have_met = a.met & bit(other) != 0;
        let not_before = || {
            let past: &[Collision] = if have_met { &self.outcome.collisions } else { &[] };
            not_before([slot, other], past)
        };
        let window = [self.now, until];
        if let Some(time) = meet_moving([&a.motion, &b.motion], self.cloth, window, not_before) {
            self.expect(time, slot, other);
        }
    }
}

/// Whether the paths of two balls, up to the next thing that each meets alone, keep a diameter
/// apart in x or in y.
fn apart(a: &Body, b: &Body) -> bool {
    let clear = |a0: i64, a1: i64, b0: i64, b1: i64| {
        a0.min(a1) - b0.max(b1) > DIAMETER || b0.min(b1) - a0.max(a1) > DIAMETER
    };
    let (from_a, from_b) = (a.motion.origin, b.motion.origin);
    clear(from_a.x, a.far.x, from_b.x, b.far.x) || clear(from_a.y, a.far.y, from_b.y, b.far.y)
}
