//! Packed tables and several frames in flight: while one frame waits for its look-up, the others
//! go on.
//!
//! A state's row is eight alias columns of eight bytes, one cache line. The generator is
//! xoshiro256++ in parallel lanes, in a form that compilers turn into vector instructions; half a
//! word is one draw, so probabilities are resolved to 2^-32.

use super::Tally;
use super::alias::table;
use super::plain::Row;
use crate::frame::chain::Chain;
use crate::frame::explore::{Edge, Goal};
use crate::rng::{Purpose, Rng, stream};
use rand::Rng as _;

/// Frames in flight.
const LANES: usize = 16;
/// Alias columns of a row, and the bits that choose one.
const COLUMNS: usize = 8;
const COLUMN_BITS: u32 = 3;
/// A lane that has no frame left.
const IDLE: u16 = u16::MAX;

/// One alias column: threshold, the code below it and the code above it.
#[derive(Clone, Copy, Debug, Default)]
struct Packed(u64);

impl Packed {
    fn new(threshold: f64, own: u16, alias: u16) -> Self {
        // A whole column has the same code on both sides, whatever the threshold.
        let threshold = (threshold * 4_294_967_296.0).min(4_294_967_295.0) as u64;
        Self(threshold | u64::from(own) << 32 | u64::from(alias) << 48)
    }

    /// The code that `draw` leads to; its high bits chose the column already.
    #[inline(always)]
    const fn follow(self, draw: u32) -> u16 {
        let side = draw << COLUMN_BITS;
        let shift = if side < self.0 as u32 { 32 } else { 48 };
        (self.0 >> shift) as u16
    }
}

/// Rows by code: states first; codes from `ends` on are ends.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    start: Row,
    rows: Box<[[Packed; COLUMNS]]>,
    ends: u16,
}

impl Tables {
    /// The tables, if the chain is small enough and every step is one shot.
    pub fn new(chain: &Chain, ends: usize) -> Option<Self> {
        let states = chain.rows.len();
        if states + ends >= usize::from(IDLE) || states == 0 {
            return None;
        }
        let fits = |row: &Vec<Edge>| row.len() <= COLUMNS && row.iter().all(|e| e.shots == 1);
        if !chain.rows.iter().all(fits) {
            return None;
        }
        let code = |goal: Goal| match goal {
            Goal::State(to) => to as u16,
            Goal::End(end) => (states + end as usize) as u16,
        };
        let row = |row: &Vec<Edge>| {
            let probabilities: Vec<f64> = row.iter().map(|edge| edge.probability).collect();
            let mut packed = [Packed::default(); COLUMNS];
            for (packed, column) in packed.iter_mut().zip(table(&probabilities, COLUMNS)) {
                // Columns beyond the row's end hold nothing of their own.
                let to = |i: usize| row.get(i).map(|edge| code(edge.to));
                let alias = to(column.alias).or(to(column.own)).unwrap_or_default();
                *packed = Packed::new(column.threshold, to(column.own).unwrap_or(alias), alias);
            }
            packed
        };
        let rows = chain.rows.iter().map(row).collect();
        Some(Self { start: Row::new(&chain.start), rows, ends: states as u16 })
    }

    pub fn play(&self, seed: u64, block: u64, frames: u64, tally: &mut Tally) {
        let first = block.wrapping_mul(LANES as u64 + 1);
        let mut starts =
            Starts { rng: stream(seed, Purpose::Frames, first), left: frames, tables: self };
        let mut generator = Generator::new(seed, first + 1);
        let mut codes = [IDLE; LANES];
        let mut shots = [0_u32; LANES];
        for (code, shots) in codes.iter_mut().zip(&mut shots) {
            (*code, *shots) = starts.next(tally);
        }
        let mut playing = codes.iter().filter(|code| **code != IDLE).count();
        while playing == LANES {
            let words = generator.next();
            for half in [0, 32] {
                for lane in 0..LANES {
                    let code = self.step(codes[lane], (words[lane] >> half) as u32);
                    codes[lane] = code;
                    shots[lane] += 1;
                    if code >= self.ends {
                        tally.add(usize::from(code - self.ends), u64::from(shots[lane]));
                        (codes[lane], shots[lane]) = starts.next(tally);
                        if codes[lane] == IDLE {
                            playing -= 1;
                            // Any row will do: an idle lane's frames are not counted.
                            codes[lane] = IDLE;
                        }
                    }
                }
                if playing < LANES {
                    break;
                }
            }
        }
        self.drain(&mut generator, codes, shots, playing, tally);
    }

    /// Plays the frames that are still in flight to their ends.
    fn drain(
        &self,
        generator: &mut Generator,
        mut codes: [u16; LANES],
        mut shots: [u32; LANES],
        mut playing: usize,
        tally: &mut Tally,
    ) {
        while playing > 0 {
            let words = generator.next();
            for lane in (0..LANES).filter(|lane| codes[*lane] != IDLE).collect::<Vec<_>>() {
                codes[lane] = self.step(codes[lane], (words[lane] >> 32) as u32);
                shots[lane] += 1;
                if codes[lane] >= self.ends {
                    tally.add(usize::from(codes[lane] - self.ends), u64::from(shots[lane]));
                    codes[lane] = IDLE;
                    playing -= 1;
                }
            }
        }
    }

    #[inline(always)]
    fn step(&self, code: u16, draw: u32) -> u16 {
        let row = &self.rows[usize::from(code)];
        row[(draw >> (32 - COLUMN_BITS)) as usize].follow(draw)
    }
}

/// Begins frames: the opening draw, until a block has all its frames.
struct Starts<'a> {
    rng: Rng,
    left: u64,
    tables: &'a Tables,
}

impl Starts<'_> {
    /// The first state of the next frame and the shots so far; frames that end in the opening
    /// are counted at once. Idle when no frame is left.
    #[inline]
    fn next(&mut self, tally: &mut Tally) -> (u16, u32) {
        while self.left > 0 {
            self.left -= 1;
            match self.tables.start.draw(&mut self.rng) {
                (Goal::State(state), shots) => return (state as u16, shots),
                (Goal::End(end), shots) => tally.add(end as usize, u64::from(shots)),
            }
        }
        (IDLE, 0)
    }
}

/// xoshiro256++ (Blackman and Vigna 2019), one generator a lane.
struct Generator {
    s: [[u64; LANES]; 4],
}

impl Generator {
    /// Lanes seeded from the streams `first`, `first + 1` and so on.
    fn new(seed: u64, first: u64) -> Self {
        let mut s = [[0; LANES]; 4];
        for lane in 0..LANES {
            let mut words = stream(seed, Purpose::Frames, first.wrapping_add(lane as u64));
            s.iter_mut().for_each(|s| s[lane] = words.next_u64());
        }
        Self { s }
    }

    #[inline(always)]
    fn next(&mut self) -> [u64; LANES] {
        let [s0, s1, s2, s3] = &mut self.s;
        let mut words = [0; LANES];
        for lane in 0..LANES {
            words[lane] = s0[lane].wrapping_add(s3[lane]).rotate_left(23).wrapping_add(s0[lane]);
            let t = s1[lane] << 17;
            s2[lane] ^= s0[lane];
            s3[lane] ^= s1[lane];
            s1[lane] ^= s2[lane];
            s0[lane] ^= s3[lane];
            s2[lane] ^= t;
            s3[lane] = s3[lane].rotate_left(45);
        }
        words
    }
}
